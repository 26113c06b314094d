//! What came of one question: the collector's estimates beside the truth.

use super::people::{Held, circular_mean, mean, share, share_between, share_in_cell};
use super::questions::{MINIMUM_REPORTS, Question};
use super::{hundredths, percent, whole};
use crate::command::answers::NO_DIRECTION;
use crate::failure::Failure;
use privet::client::CollectError;
use privet::document::{AttributeDocument, EstimateDocument, RowDocument, ShareDocument};
use privet::policy::{Attribute, AttributeKind, ShownAnswer, ShownChannel};
use privet::registry::find_mechanism;
use privet::{DomainSpec, Guarantee};
use serde::Serialize;

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
    #[serde(flatten)]
    pub(super) estimate: EstimateDocument,
    /// The period of an angle.
    #[serde(skip)]
    period: Option<f64>,
    /// Whether there is anything to say; of some directions there is not.
    #[serde(skip)]
    pub(super) is_told: bool,
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

impl Row {
    fn new(
        label: impl Into<String>,
        truth: f64,
        estimate: &EstimateDocument,
        write: fn(f64) -> String,
    ) -> Self {
        let (label, estimate) = (label.into(), estimate.clone());
        Self { label, truth, estimate, period: None, is_told: true, write }
    }

    /// The estimate and its interval.
    pub(super) fn in_words(&self) -> [String; 2] {
        if !self.is_told {
            return NO_DIRECTION.map(str::to_owned);
        }
        let [low, high] = self.estimate.interval.map(self.write);
        [(self.write)(self.estimate.value), format!("{low} to {high}")]
    }
}

impl Collection {
    /// The estimates of a question beside what everybody would say.
    pub(super) fn new(
        lesson: &'static Question,
        attribute: &Attribute,
        estimated: &AttributeDocument,
        held: &[Held],
        example: Example,
    ) -> Result<Self, Failure> {
        let terms = attribute.terms();
        let estimates = rows(attribute.kind(), estimated, held)?;
        let part = |part: &ShareDocument| Part {
            from: part.from,
            to: part.to,
            truth: share_between(held, part.from, part.to),
            share: part.share,
            interval: part.interval,
        };
        let guarantee = attribute.guarantee();
        let answer = estimated.answer.as_ref();
        let distribution = answer.and_then(|answer| answer.distribution.as_deref());
        Ok(Self {
            question: terms.question.clone(),
            attribute: terms.name.clone(),
            mechanism: terms.mechanism.clone(),
            domain: terms.domain.clone(),
            epsilon: guarantee.epsilon().get(),
            report_bytes: attribute.report_bytes(),
            n: estimated.n,
            method: answer.map(|answer| answer.method.clone()).unwrap_or_default(),
            covered: estimates.iter().filter(|row| row.is_covered()).count(),
            estimates,
            kind: attribute.kind().clone(),
            title: find_mechanism(&terms.mechanism)?.info.title.to_owned(),
            guarantee,
            parts: distribution.unwrap_or_default().iter().map(part).collect(),
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
            rows.sort_by(|one, other| other.estimate.value.total_cmp(&one.estimate.value));
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

    /// How far an estimate may be off: the middle margin, if there is one.
    pub(super) fn precision(&self) -> Option<String> {
        let write = self.estimates.first()?.write;
        let is_share =
            !matches!(self.kind, AttributeKind::Value(DomainSpec::Interval(_) | DomainSpec::Circle(_)));
        // The first row of numbers and angles is the mean, which is what was asked for.
        let rows = if is_share { &self.estimates[..] } else { &self.estimates[..1] };
        let mut margins: Vec<f64> = rows.iter().map(Row::margin).collect();
        margins.sort_by(f64::total_cmp);
        let half = *margins.get(margins.len() / 2)?;
        Some(if is_share { format!("{:.1} percentage points", 100.0 * half) } else { write(half) })
    }
}

impl Row {
    fn is_covered(&self) -> bool {
        let [low, high] = self.estimate.interval;
        // The interval of an angle may go over the end of the circle.
        let turns = self.period.map_or([0.0; 3], |period| [-period, 0.0, period]);
        turns.iter().any(|turn| (low..=high).contains(&(self.truth + turn)))
    }

    /// How far the truth may be from the estimate.
    pub(super) fn margin(&self) -> f64 {
        let EstimateDocument { value, interval, .. } = &self.estimate;
        (interval[1] - value).max(value - interval[0])
    }
}

fn rows(kind: &AttributeKind, estimated: &AttributeDocument, held: &[Held]) -> Result<Vec<Row>, Failure> {
    let Some(answer) = &estimated.answer else { return Ok(Vec::new()) };
    if let Some(rows) = &answer.estimates {
        return Ok((0..).zip(rows).map(|(index, row)| share_of(index, row, held)).collect());
    }
    let missing = || Failure::from(CollectError::NotUnderstood);
    let centre = estimated.centre().ok_or_else(missing)?;
    match kind {
        AttributeKind::Value(DomainSpec::Circle(circle)) => {
            let (direction, concentration) = circular_mean(held, circle.period());
            let resultant = answer.resultant_length.as_ref().ok_or_else(missing)?;
            let mean = Row::new("mean direction", direction, &centre, hundredths);
            let is_told = answer.direction_told != Some(false);
            Ok(vec![
                Row { period: Some(circle.period()), is_told, ..mean },
                Row::new("concentration", concentration, resultant, hundredths),
            ])
        }
        _ => Ok(vec![Row::new("mean", mean(held), &centre, whole)]),
    }
}

fn share_of(index: u32, row: &RowDocument, held: &[Held]) -> Row {
    match (row.from, row.to) {
        (Some(from), Some(to)) => {
            let [[x, y], [x_end, y_end]] = [from, to];
            let label = format!("{x} to {x_end} east, {y} to {y_end} north");
            Row::new(label, share_in_cell(held, from, to), &row.estimate, percent)
        }
        _ => {
            let truth = share(held, |held| held == Held::Choice(index));
            Row::new(row.label.clone().unwrap_or_default(), truth, &row.estimate, percent)
        }
    }
}
