//! One batch of drawn reports for a whole curve: reports of a few mechanisms are weighed to speak for others.
//!
//! A report y is drawn from an equal mixture Q of the *design*. Under a target law P it has the weight P(y) / Q(y), and the
//! mean of weight times "same label" is what the target would show. Weights are bounded by the largest ratio of the integer
//! weights, which is computed, so Maurer and Pontil's inequality for bounded numbers gives a bound that holds. In many
//! dimensions ratios multiply and weights explode; then the answer is that nothing is known.

use crate::bound::{Bound, Method};
use crate::classifier::{BATCH, ask, check_determinism};
use crate::law::ReportLaw;
use crate::record::{ProductChannel, Record, Sensitive, check_fit};
use crate::statistical::label_of;
use crate::{Classifier, ClassifierError};
use privet_core::Generator;
use privet_core::sampling::uniform_below;
use std::num::NonZeroU64;

/// How a batch is drawn and read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reweighting {
    /// How many reports are drawn in all.
    pub samples: usize,
    /// A band that is wider than this is not shown: nothing is known.
    pub widest: f64,
    /// The probability that all bands hold together.
    pub confidence: f64,
}

/// What a batch says about one target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reweighted {
    /// The band, or that nothing is known.
    pub bound: Bound,
    /// The weighted share of the same label.
    pub estimate: f64,
    /// How many reports of the target itself would say as much: the square of the sum of weights over the sum of squares.
    pub effective_samples: f64,
}

/// Draws from the design and weighs for each target. The targets may contain the design. Mechanisms with other reports than
/// any of the design are not covered.
///
/// # Errors
/// When the classifier cannot be asked or contradicts itself, or the parameters do not fit.
pub fn reweight(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    [design, targets]: [&[ProductChannel]; 2],
    options: &Reweighting,
    rng: &mut Generator,
) -> Result<Vec<Reweighted>, ClassifierError> {
    check(options)?;
    check_fit(classifier, sensitive, std::slice::from_ref(record))?;
    let Some(count) = NonZeroU64::new(design.len() as u64) else {
        return Err(ClassifierError::Option {
            option: "mechanisms to draw from",
            allowed: "at least 1",
            got: 0.0,
        });
    };
    let design = laws_of(design, record, sensitive)?;
    let targets = laws_of(targets, record, sensitive)?;
    let mut readings: Vec<Reading<'_>> = targets.iter().map(|target| Reading::new(target, &design)).collect();
    let label = label_of(classifier, record)?;
    let mut left = options.samples;
    while left > 0 {
        let batch = left.min(BATCH);
        let mut rows = Vec::with_capacity(batch * record.values().len());
        let mut drawn: Vec<(usize, Vec<u32>)> = Vec::with_capacity(batch);
        for _ in 0..batch {
            let member = uniform_below(count, rng) as usize;
            let cells: Vec<u32> = design[member].iter().map(|law| law.draw_cell(rng)).collect();
            let start = rows.len();
            rows.extend(record.values());
            for ((feature, law), cell) in sensitive.features().iter().zip(&design[member]).zip(&cells) {
                rows[start + feature] = law.value(*cell);
            }
            drawn.push((member, cells));
        }
        if left == options.samples {
            check_determinism(classifier, &rows[..batch.min(64) * record.values().len()])?;
        }
        let answers = ask(classifier, &rows)?;
        for reading in &mut readings {
            for ((member, cells), answer) in drawn.iter().zip(&answers) {
                reading.add(&design, *member, cells, *answer == label);
            }
        }
        left -= batch;
    }
    let alpha = (1.0 - options.confidence) / targets.len().max(1) as f64;
    Ok(readings.iter().map(|reading| reading.conclude(options, alpha)).collect())
}

fn laws_of<'a>(
    products: &'a [ProductChannel],
    record: &Record,
    sensitive: &Sensitive,
) -> Result<Vec<Vec<ReportLaw<'a>>>, ClassifierError> {
    products.iter().map(|product| product.laws(record, sensitive)).collect()
}

fn check(options: &Reweighting) -> Result<(), ClassifierError> {
    let got = options.confidence;
    if !(got > 0.0 && got < 1.0) {
        return Err(ClassifierError::Option { option: "confidence", allowed: "between 0 and 1", got });
    }
    if options.samples < 2 {
        let got = options.samples as f64;
        return Err(ClassifierError::Option { option: "samples", allowed: "at least 2", got });
    }
    Ok(())
}

fn probability(laws: &[ReportLaw<'_>], cells: &[u32]) -> f64 {
    laws.iter().zip(cells).map(|(law, cell)| law.mass_of(*cell)).product()
}

/// The sums for one target.
struct Reading<'a> {
    target: &'a [ReportLaw<'a>],
    /// Which members of the design have the same reports.
    members: Vec<bool>,
    /// No weight is larger.
    largest: f64,
    weights: f64,
    squares: f64,
    same: f64,
    same_squares: f64,
}

impl<'a> Reading<'a> {
    fn new(target: &'a [ReportLaw<'a>], design: &[Vec<ReportLaw<'_>>]) -> Self {
        let comparable = |member: &Vec<ReportLaw<'_>>| {
            target.iter().zip(member).all(|(one, other)| one.has_the_reports_of(other))
        };
        let members: Vec<bool> = design.iter().map(comparable).collect();
        let ratio = |member: &Vec<ReportLaw<'_>>| {
            target.iter().zip(member).map(|(one, other)| one.largest_ratio(other)).product::<f64>()
        };
        let ratios =
            design.iter().zip(&members).filter(|(_, is_member)| **is_member).map(|(law, _)| ratio(law));
        // Q is at least the share of each member.
        let largest = ratios.fold(f64::INFINITY, f64::min) * design.len() as f64;
        Self { target, members, largest, weights: 0.0, squares: 0.0, same: 0.0, same_squares: 0.0 }
    }

    fn add(&mut self, design: &[Vec<ReportLaw<'_>>], member: usize, cells: &[u32], is_same: bool) {
        if !self.members[member] {
            return;
        }
        let own = design.iter().zip(&self.members).filter(|(_, is_member)| **is_member);
        let mixture: f64 = own.map(|(laws, _)| probability(laws, cells)).sum::<f64>() / design.len() as f64;
        let weight = probability(self.target, cells) / mixture;
        self.weights += weight;
        self.squares += weight * weight;
        if is_same {
            self.same += weight;
            self.same_squares += weight * weight;
        }
    }

    fn conclude(&self, options: &Reweighting, alpha: f64) -> Reweighted {
        let count = options.samples as f64;
        let estimate = self.same / count;
        let effective_samples = if self.squares > 0.0 { self.weights.powi(2) / self.squares } else { 0.0 };
        let variance = ((self.same_squares - count * estimate * estimate) / (count - 1.0)).max(0.0);
        // Half of alpha on each side, and Maurer and Pontil's two for the estimated variance.
        let log = (4.0 / alpha).ln();
        let reach = (2.0 * variance * log / count).sqrt() + 7.0 * self.largest * log / (3.0 * (count - 1.0));
        let bound = Bound {
            lower: (estimate - reach).max(0.0),
            upper: (estimate + reach).min(1.0),
            method: Method::Reweighted,
            confidence: options.confidence,
        };
        // Also where the ratio is infinite: then the reach is no number or infinite.
        let is_covered = reach.is_finite() && bound.width() <= options.widest;
        let bound = if is_covered { bound } else { Bound::unknown(options.confidence) };
        Reweighted { bound, estimate, effective_samples }
    }
}
