//! The exponential mechanism on ordered categories: near ones are likelier than far ones.

use super::{TableResponse, TableRule, at_most, categories_of};
use privet_core::sampling::{WeightRow, WorstRatio};
use privet_core::{
    Build, Categories, DomainSpec, Epsilon, ExpLowerBound, Fraction, Mechanism, MechanismInfo, Numerics,
    ParameterError,
};

/// The rule of [`OrderedExponential`]: reports are categories.
#[derive(Debug, Clone, Copy)]
pub struct NearIsLikely;

/// The exponential mechanism on ordered categories: P(y given x) proportional to e^(-s |x - y| / (k - 1)), with the
/// scale s as large as epsilon allows.
///
/// # What it protects
/// One category out of k where being off by one matters less than being off by ten: ratings, age groups.
/// # Formula
/// P(y given x) = e^(-s |x - y| / (k - 1)) / sum over z of e^(-s |x - z| / (k - 1)).
/// # Domain
/// `binary` or `categories:..` in their natural order, up to 1024 of them.
/// # Guarantee
/// Pure epsilon. The usual analysis bounds score and normaliser separately and sets s = epsilon / 2, which spends about
/// half of the budget. Here s is the largest scale whose exact worst ratio is at most e^epsilon: it equals epsilon up to
/// rounding, because the worst pair is the two ends, whose normalisers agree.
/// # Cost
/// ceil(log2 k) bits per report; one random word and one look-up per draw; up to 40 k^2 bytes of memory.
/// # Numerics
/// Integer-exact: every row is rounded to integers with the total 2^64, and the scale steps back from epsilon until the
/// worst ratio of the rounded integers is at most e^epsilon.
/// # When not to use it
/// Where categories have no order, or only frequencies matter: [`super::SubsetSelection`].
/// # Reference
/// F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007. Deviation: the calibrated scale.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::OrderedExponential;
/// let stars = OrderedExponential::new(Categories::new(5)?, Epsilon::new(2.0)?)?;
/// assert!(stars.guarantee().epsilon().get() > 2.0 - 1e-6);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type OrderedExponential = TableResponse<NearIsLikely>;

impl OrderedExponential {
    /// Finds the scale and rounds the rows.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let too_small = || ParameterError::EpsilonTooSmall { got: epsilon.get() };
        let rows = calibrate(categories.count(), epsilon)?.ok_or_else(too_small)?;
        if WorstRatio::of(&rows).ratio <= Fraction::whole(1) {
            return Err(too_small());
        }
        Self::from_rows(categories, rows, NearIsLikely)
    }
}

/// Beyond this scale the far weights vanish against 2^64, and a larger epsilon cannot be spent.
const MAX_SCALE: f64 = 40.0;

/// The rows with about the largest scale whose exact worst ratio keeps epsilon, or `None` if there is none.
///
/// Rounding costs the last few bits of epsilon, so the scale steps back from it, by eight times more each time.
fn calibrate(count: u32, epsilon: Epsilon) -> Result<Option<Vec<WeightRow>>, ParameterError> {
    let bound = ExpLowerBound::of(epsilon);
    let largest = epsilon.get().min(MAX_SCALE);
    let mut step = 0.0;
    while step < 1.0 {
        let rows = rows_at(count, largest * (1.0 - step))?;
        if WorstRatio::of(&rows).ratio.is_at_most(&bound) {
            return Ok(Some(rows));
        }
        step = if step == 0.0 { f64::EPSILON } else { 8.0 * step };
    }
    Ok(None)
}

fn rows_at(count: u32, scale: f64) -> Result<Vec<WeightRow>, ParameterError> {
    let step = scale / f64::from(count - 1);
    let by_distance: Vec<f64> = (0..count).map(|distance| (-step * f64::from(distance)).exp()).collect();
    (0..count)
        .map(|input| {
            let relative: Vec<f64> =
                (0..count).map(|output| by_distance[input.abs_diff(output) as usize]).collect();
            WeightRow::from_relative(&relative)
        })
        .collect()
}

impl Build for OrderedExponential {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl TableRule for NearIsLikely {
    const INFO: MechanismInfo = MechanismInfo {
        id: "ordered-exponential",
        synonyms: &["exponential", "em"],
        title: "Exponential mechanism on ordered categories",
        domain: "categories",
        goal: "point, frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.01 to 20; capped at epsilon 40",
        reference: "McSherry, Talwar 2007",
        status: "stable",
    };

    fn name_of(&self, report: u32, categories: &Categories) -> String {
        categories.label(report)
    }
}
