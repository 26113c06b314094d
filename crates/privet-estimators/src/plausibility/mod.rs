//! Whether reports can have been made by the mechanism, whoever the people are.
//!
//! Every test here holds for *every* population: it compares what was seen with what the channel can produce, and its bound on
//! the probability of a false alarm is exact for any number of reports (binomial tails, Hoeffding's and Markov's inequality). So
//! an alarm means that some reports were not drawn as they should have been. No alarm means little: people who lie about
//! their value, or who imitate the channel, cannot be told from others by anybody.
//!
//! The bounds take reports to be independent, one from each person. Those of paired people (joint mechanisms) are not.

mod hull;
mod invariant;
mod shape;
#[cfg(test)]
mod tests;

use crate::numeric::estimator::SUMS;
use crate::reading::{HashedBits, PlacesReading, Reading, TableReading};
use crate::registry::AnyEstimator;
use crate::summary::CountSummary;
use hull::{Bounds, Cell, worst_cell};
use invariant::InvariantLaw;
use privet_core::{
    EstimateError, Fingerprint, FingerprintBuilder, Probability, ReportBuffer, ReportError, Summary,
};
use privet_mechanisms::categorical::FrequencyOracle;
use shape::Shape;

/// Counters of the part of each report whose law is the same for everybody, such as the number of ones: at most 64, merged,
/// stored and sent like any other summary. Its fingerprint is not the mechanism's, so the two cannot be mixed up.
pub type PlausibilitySummary = CountSummary;

/// What the tests say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing that honest reports do not show.
    Plausible,
    /// Honest reports show this with a probability of at most the stated one.
    Implausible,
}

impl Verdict {
    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plausible => "plausible",
            Self::Implausible => "implausible",
        }
    }
}

/// Whether reports can have been made by the mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct Plausibility {
    /// Implausible if `p_bound` is at most the stated probability.
    pub verdict: Verdict,
    /// The number that the most suspicious test looked at; the explanation says what it is.
    pub statistic: f64,
    /// Reports of honest people, whoever they are, look so suspicious with at most this probability. All tests together
    /// are counted; looking again as reports arrive is not.
    pub p_bound: f64,
    /// The most suspicious test in words.
    pub explanation: String,
}

/// What one test found.
#[derive(Debug, Clone)]
struct Check {
    statistic: f64,
    p_bound: f64,
    explanation: String,
}

/// Watches over the reports of one mechanism.
///
/// ```
/// use privet_core::{Categories, Epsilon, Generator, Mechanism, Probability, ReportBuffer};
/// use privet_estimators::{HasEstimator, Verdict, Watch, registry::AnyEstimator};
/// use privet_mechanisms::categorical::OptimizedUnaryEncoding;
///
/// let mechanism = OptimizedUnaryEncoding::new(Categories::new(40)?, Epsilon::new(1.0)?)?;
/// let mut reports = ReportBuffer::new(mechanism.report_bytes());
/// // Everybody claims everything.
/// (0..1000).try_for_each(|_| reports.push(&[255; 5]))?;
/// let estimator = mechanism.estimator();
/// let watch = Watch::new(&estimator);
/// let (mut summary, mut ones) = (AnyEstimator::empty_summary(&estimator), watch.empty_summary());
/// AnyEstimator::accumulate(&estimator, &mut summary, &reports)?;
/// watch.accumulate(&mut ones, &reports)?;
/// let found = watch.judge(&summary, &ones, Probability::new(0.001)?)?;
/// assert_eq!(found.verdict, Verdict::Implausible);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Watch {
    mechanism: Fingerprint,
    report_bytes: Option<usize>,
    invariant: Option<InvariantLaw>,
    counters: Counters,
}

/// What the counters of an estimator's summary can be checked for.
#[derive(Debug, Clone)]
enum Counters {
    /// How many reports support each category: the bounds of one, and the expected sum over all.
    Support { labels: Vec<String>, bounds: Bounds, mean: f64 },
    /// One report each.
    Cells(Vec<Bounds>),
    /// The first so many are cells of equal probability, and more follow.
    Rows { rows: usize, counters: usize },
    /// Groups of cells and the sums of their numbers.
    Numbers(Shape),
    /// Nothing that a forger would get wrong.
    Nothing,
}

impl Watch {
    /// A watch over the reports that an estimator reads.
    pub fn new(estimator: &dyn AnyEstimator) -> Self {
        let mechanism = estimator.empty_summary().fingerprint();
        let of_bits = |bits: &HashedBits| {
            (Some(bits.report_bytes()), Some(InvariantLaw::of_bits(bits)), Counters::of_bits(bits))
        };
        let (report_bytes, invariant, counters) = match estimator.reading() {
            Reading::Support(oracle) => {
                let bytes = oracle.oracle_report_bytes();
                (Some(bytes), InvariantLaw::of_oracle(oracle), Counters::of_oracle(oracle))
            }
            Reading::Table(table) => (Some(table.report_bytes()), None, Counters::of_table(&table)),
            Reading::Bloom(mechanism) => of_bits(&HashedBits::of_bloom(mechanism)),
            Reading::Sketch(mechanism) => of_bits(&HashedBits::of_sketch(mechanism)),
            Reading::Numbers(channel) => (None, None, Counters::Numbers(Shape::of(channel))),
            Reading::Places(places) => (Some(places.report_bytes()), None, Counters::of_places(&places)),
            Reading::Words => (None, None, Counters::Nothing),
        };
        Self { mechanism, report_bytes, invariant, counters }
    }

    /// A summary of no reports.
    pub fn empty_summary(&self) -> PlausibilitySummary {
        CountSummary::empty(self.fingerprint(), self.invariant.as_ref().map_or(0, InvariantLaw::cells))
    }

    /// Adds encoded reports that the estimator has accepted; an error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report has another length, or the summary is another mechanism's.
    pub fn accumulate(
        &self,
        summary: &mut PlausibilitySummary,
        reports: &ReportBuffer,
    ) -> Result<(), ReportError> {
        if let Some(expected) = self.report_bytes.filter(|bytes| *bytes != reports.report_bytes()) {
            return Err(ReportError::Length { expected, got: reports.report_bytes() });
        }
        let mut counts = vec![0; self.invariant.as_ref().map_or(0, InvariantLaw::cells)];
        if let Some(law) = &self.invariant {
            reports.iter().for_each(|report| counts[law.cell(report)] += 1);
        }
        summary.add(self.fingerprint(), reports, &counts)
    }

    /// Judges the reports of an estimator's summary and of this watch's own. Each is judged by itself: the second may hold fewer
    /// reports or none, if some came from a collector that keeps no watch.
    ///
    /// # Errors
    /// When a summary is another mechanism's, or the first has no reports.
    pub fn judge(
        &self,
        summary: &CountSummary,
        watched: &PlausibilitySummary,
        alpha: Probability,
    ) -> Result<Plausibility, EstimateError> {
        let mut checks = self.counters.checks(summary, self.mechanism)?;
        if let Some(law) = &self.invariant {
            match watched.of_mechanism(self.fingerprint(), law.cells()) {
                Ok(counts) => {
                    checks.extend(worst_cell(&law.compare(counts), watched.count(), |cell| law.name(cell)));
                }
                Err(EstimateError::TooFewReports { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Plausibility::of(checks, alpha))
    }

    fn fingerprint(&self) -> Fingerprint {
        let mechanism = u64::from_le_bytes(self.mechanism.to_bytes());
        FingerprintBuilder::new("plausibility").number(mechanism).finish()
    }
}

impl Plausibility {
    fn of(checks: Vec<Check>, alpha: Probability) -> Self {
        let tests = checks.len() as f64;
        let worst = checks.into_iter().min_by(|one, two| one.p_bound.total_cmp(&two.p_bound));
        let worst = worst.unwrap_or_else(|| Check {
            statistic: 0.0,
            p_bound: 1.0,
            explanation: "every sequence of reports of this mechanism can be that of some population"
                .to_owned(),
        });
        let p_bound = (worst.p_bound * tests.max(1.0)).min(1.0);
        let verdict = if p_bound <= alpha.get() { Verdict::Implausible } else { Verdict::Plausible };
        Self { verdict, statistic: worst.statistic, p_bound, explanation: worst.explanation }
    }
}

impl Counters {
    fn of_oracle(oracle: &dyn FrequencyOracle) -> Self {
        let support = oracle.support();
        let (own, other) = (support.own.to_f64(), support.other.to_f64());
        let categories = oracle.categories();
        let labels: Vec<String> =
            (0..categories.count()).map(|category| categories.label(category)).collect();
        let mean = own + (labels.len() as f64 - 1.0) * other;
        Self::Support { labels, bounds: [other, own], mean }
    }

    fn of_table(table: &TableReading<'_>) -> Self {
        Self::Cells(table.forward.row_iter().map(|row| [row.min(), row.max()]).collect())
    }

    /// The places of one person need not be of different people's kind, so nothing is said about paths.
    fn of_places(places: &PlacesReading<'_>) -> Self {
        if places.places == 1 { Self::Cells(places.reports.group_bounds()) } else { Self::Nothing }
    }

    fn of_bits(bits: &HashedBits) -> Self {
        Self::Rows { rows: bits.rows, counters: bits.rows * (1 + bits.bits) }
    }

    fn checks(&self, summary: &CountSummary, mechanism: Fingerprint) -> Result<Vec<Check>, EstimateError> {
        let n = summary.count();
        let cell = |(count, bounds): (&u64, &Bounds)| Cell { count: *count, bounds: *bounds };
        Ok(match self {
            Self::Support { labels, bounds, mean } => {
                let counts = summary.of_mechanism(mechanism, labels.len())?;
                let cells: Vec<Cell> = counts.iter().map(|count| cell((count, bounds))).collect();
                let single = worst_cell(&cells, n, |index| format!("support of {}", labels[index]));
                single.into_iter().chain([total_support(counts, n, *mean)]).collect()
            }
            Self::Cells(bounds) => {
                let counts = summary.of_mechanism(mechanism, bounds.len())?;
                let cells: Vec<Cell> = counts.iter().zip(bounds).map(cell).collect();
                worst_cell(&cells, n, |index| format!("report {index}")).into_iter().collect()
            }
            Self::Rows { rows, counters } => {
                let counts = summary.of_mechanism(mechanism, *counters)?;
                let equal = [1.0 / *rows as f64; 2];
                let cells: Vec<Cell> = counts[..*rows].iter().map(|count| cell((count, &equal))).collect();
                worst_cell(&cells, n, |index| format!("hash function {index}")).into_iter().collect()
            }
            Self::Numbers(shape) => {
                let counters = shape.groups() + SUMS;
                let counts = summary.with_sums_of_mechanism(mechanism, counters, SUMS)?;
                shape.checks(&counts[..shape.groups()])
            }
            Self::Nothing => Vec::new(),
        })
    }
}

/// The mean number of categories that a report supports, by Hoeffding's inequality: it has the same expectation for
/// everybody, and lies between none and all.
fn total_support(counts: &[u64], n: u64, mean: f64) -> Check {
    let statistic = counts.iter().map(|count| *count as f64).sum::<f64>() / n as f64;
    let away = (statistic - mean) / counts.len() as f64;
    Check {
        statistic,
        p_bound: (2.0 * (-2.0 * n as f64 * away * away).exp()).min(1.0),
        explanation: format!(
            "a report supports {statistic:.4} categories on average; whoever the people are it is expected to support {mean:.4}"
        ),
    }
}
