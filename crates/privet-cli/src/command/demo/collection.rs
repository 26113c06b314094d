//! What came of one question: the collector's estimates beside the truth.

use super::people::{Held, circular_mean, mean, share, share_between, share_in_cell};
use super::questions::{MINIMUM_REPORTS, Question};
use super::{hundredths, percent, whole};
use crate::failure::Failure;
use privet::client::CollectError;
use privet::policy::{Attribute, AttributeKind, ShownAnswer, ShownChannel};
use privet::registry::find_mechanism;
use privet::{DomainSpec, Guarantee};
use serde::{Deserialize, Serialize};

/// What came of one question.
#[derive(Debug, Serialize)]
pub(super) struct Collection {
    pub(super) question: String,
    attribute: String,
    mechanism: String,
    domain: String,
    /// What a report reveals at most, exactly.
    pub(super) epsilon: f64,
    report_bytes: usize,
    pub(super) n: u64,
    pub(super) method: String,
    /// How many of the intervals hold the truth.
    covered: usize,
    pub(super) estimates: Vec<Row>,
    #[serde(skip)]
    pub(super) kind: AttributeKind,
    #[serde(skip)]
    pub(super) title: String,
    #[serde(skip)]
    pub(super) guarantee: Guarantee,
    /// How numbers and angles are distributed.
    #[serde(skip)]
    pub(super) parts: Vec<Part>,
    #[serde(skip)]
    pub(super) example: Example,
    #[serde(skip)]
    pub(super) lesson: &'static Question,
}

/// One number: what it is, and what was estimated.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) truth: f64,
    pub(super) value: f64,
    pub(super) standard_error: f64,
    pub(super) interval: [f64; 2],
    /// How it is written for people.
    #[serde(skip)]
    pub(super) write: fn(f64) -> String,
}

/// The share of a part of a domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) truth: f64,
    pub(super) share: f64,
    pub(super) interval: [f64; 2],
}

/// The first person: an answer, what can become of it, and what was sent.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) truth: String,
    pub(super) channel: ShownChannel,
    pub(super) sent: ShownAnswer,
}

/// One attribute's estimates as a collector writes them.
#[derive(Debug, Deserialize)]
pub(super) struct Estimated {
    n: u64,
    #[serde(default)]
    method: String,
    /// The shares of categories and cells.
    #[serde(default)]
    estimates: Vec<Measured>,
    /// The mean of numbers and angles.
    #[serde(flatten)]
    centre: Option<Measured>,
    resultant_length: Option<Measured>,
    #[serde(default)]
    distribution: Vec<MeasuredPart>,
}

#[derive(Debug, Deserialize)]
struct Measured {
    #[serde(default)]
    label: String,
    value: f64,
    standard_error: f64,
    interval: [f64; 2],
    /// The corners of a cell.
    from: Option<[f64; 2]>,
    to: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
struct MeasuredPart {
    from: f64,
    to: f64,
    share: f64,
    interval: [f64; 2],
}

impl Measured {
    fn row(&self, label: impl Into<String>, truth: f64, write: fn(f64) -> String) -> Row {
        let Self { value, standard_error, interval, .. } = *self;
        Row { label: label.into(), truth, value, standard_error, interval, write }
    }
}

impl Collection {
    /// The estimates of a question beside what everybody would say.
    pub(super) fn new(
        lesson: &'static Question,
        attribute: &Attribute,
        estimated: &Estimated,
        held: &[Held],
        example: Example,
    ) -> Result<Self, Failure> {
        let terms = attribute.terms();
        let estimates = rows(attribute.kind(), estimated, held)?;
        let part = |part: &MeasuredPart| Part {
            from: part.from,
            to: part.to,
            truth: share_between(held, part.from, part.to),
            share: part.share,
            interval: part.interval,
        };
        let guarantee = attribute.guarantee();
        Ok(Self {
            question: terms.question.clone(),
            attribute: terms.name.clone(),
            mechanism: terms.mechanism.clone(),
            domain: terms.domain.clone(),
            epsilon: guarantee.epsilon().get(),
            report_bytes: attribute.report_bytes(),
            n: estimated.n,
            method: estimated.method.clone(),
            covered: estimates.iter().filter(|row| row.is_covered()).count(),
            estimates,
            kind: attribute.kind().clone(),
            title: find_mechanism(&terms.mechanism)?.info.title.to_owned(),
            guarantee,
            parts: estimated.distribution.iter().map(part).collect(),
            example,
            lesson,
        })
    }

    /// The mechanism and what it promises, in one line.
    pub(super) fn facts(&self) -> String {
        let unit = if self.report_bytes == 1 { "byte" } else { "bytes" };
        format!("{}: {}; {} {unit} of each report", self.title, self.guarantee, self.report_bytes)
    }

    /// All rows in their own order if there are at most `limit`, else those with the largest estimates.
    pub(super) fn largest(&self, limit: usize) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.estimates.iter().collect();
        if rows.len() > limit {
            rows.sort_by(|one, other| other.value.total_cmp(&one.value));
            rows.truncate(limit);
        }
        rows
    }

    /// How often the intervals are right, in words.
    pub(super) fn coverage(&self) -> String {
        match self.estimates.len() {
            0 => format!("withheld: nothing is shown of fewer than {MINIMUM_REPORTS} reports"),
            rows => format!("intervals that hold the truth: {} of {rows}", self.covered),
        }
    }

    /// How far an estimate may be off: half of the middle interval's width, if there is one.
    pub(super) fn precision(&self) -> Option<String> {
        let write = self.estimates.first()?.write;
        let is_share =
            !matches!(self.kind, AttributeKind::Value(DomainSpec::Interval(_) | DomainSpec::Circle(_)));
        // The first row of numbers and angles is the mean, which is what was asked for.
        let rows = if is_share { &self.estimates[..] } else { &self.estimates[..1] };
        let mut widths: Vec<f64> = rows.iter().map(Row::half_width).collect();
        widths.sort_by(f64::total_cmp);
        let half = *widths.get(widths.len() / 2)?;
        Some(if is_share { format!("{:.1} percentage points", 100.0 * half) } else { write(half) })
    }
}

impl Row {
    fn is_covered(&self) -> bool {
        let [low, high] = self.interval;
        // The interval of an angle may go over the end of the circle.
        if high < low { self.truth >= low || self.truth <= high } else { (low..=high).contains(&self.truth) }
    }

    fn half_width(&self) -> f64 {
        // From the standard error, because the ends of an angle's interval may lie on both sides of zero.
        1.96 * self.standard_error
    }
}

fn rows(kind: &AttributeKind, estimated: &Estimated, held: &[Held]) -> Result<Vec<Row>, Failure> {
    let Some(centre) = &estimated.centre else { return shares(&estimated.estimates, held) };
    let missing = || Failure::from(CollectError::NotUnderstood);
    match kind {
        AttributeKind::Value(DomainSpec::Circle(circle)) => {
            let (direction, concentration) = circular_mean(held, circle.period());
            let resultant = estimated.resultant_length.as_ref().ok_or_else(missing)?;
            Ok(vec![
                centre.row("mean direction", direction, hundredths),
                resultant.row("concentration", concentration, hundredths),
            ])
        }
        _ => Ok(vec![centre.row("mean", mean(held), whole)]),
    }
}

fn shares(measured: &[Measured], held: &[Held]) -> Result<Vec<Row>, Failure> {
    let row = |(index, measured): (u32, &Measured)| match (measured.from, measured.to) {
        (Some(from), Some(to)) => {
            let [[x, y], [x_end, y_end]] = [from, to];
            let label = format!("{x} to {x_end} east, {y} to {y_end} north");
            measured.row(label, share_in_cell(held, from, to), percent)
        }
        _ => measured.row(&measured.label, share(held, |held| held == Held::Choice(index)), percent),
    };
    Ok((0..).zip(measured).map(row).collect())
}
