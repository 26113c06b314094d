//! The papers' own method, as printed: a box around the record in which almost all points have its label, and the probability
//! that a report falls into it.
//!
//! **This is not a bound.** The share of other labels is measured under the uniform law, and reports are not uniform: a
//! classifier that is wrong on a sliver beside the record passes the test and can still lose half of all reports. The search
//! tries many boxes with one error rate for each. [`crate::quantify`] gives bounds that hold; this module exists so that the
//! papers' figures can be made again and looked at beside them.

mod search;

pub use search::{Search, hyperrectangle, radius};

use crate::law::ReportLaw;
use crate::record::{ProductChannel, Record, Sensitive};
use crate::{Classifier, ClassifierError};
use privet_core::{Delta, Epsilon, Generator};
use privet_mechanisms::interval::theorem_18_deviation;

/// The papers' box: for each sensitive feature a lower and an upper end.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperrectangle {
    /// The ends, in the order of the features.
    pub ends: Vec<[f64; 2]>,
}

impl Hyperrectangle {
    /// The probability that a report falls into the box: the papers' rho, without the factor 1 - tau that they leave out.
    pub fn rho(&self, laws: &[ReportLaw<'_>]) -> f64 {
        self.ends.iter().zip(laws).map(|(ends, law)| law.mass(*ends)).product()
    }

    /// The same for the extended Gaussian mechanism of Theorem 18, whose noise is not truncated.
    pub fn rho_of_gaussian(&self, record: &Record, sensitive: &Sensitive, noise: &ExtendedGaussian) -> f64 {
        let values = record.sensitive(sensitive);
        self.ends.iter().zip(values).map(|(ends, value)| noise.mass(value, *ends)).product()
    }
}

/// The probability that a report is at most `theta` away from the number itself: the papers' concentration.
pub fn concentration(law: &ReportLaw<'_>, input: f64, theta: f64) -> f64 {
    law.mass([input - theta, input + theta])
}

/// The papers' rho where the whole record is sent as it is with probability delta. Theorem 17 claims a probabilistic
/// guarantee for it that does not hold: see [`privet_mechanisms::wrapper::Indicator`].
pub fn with_indicator(rho: f64, delta: Delta) -> f64 {
    delta.get() + (1.0 - delta.get()) * rho
}

/// Gaussian noise with the deviation of Theorem 18, which keeps its promise with far more noise than needed:
/// `gaussian-probabilistic` and `gaussian` are the mechanisms to use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExtendedGaussian {
    deviation: f64,
}

impl ExtendedGaussian {
    /// The noise for one number between 0 and 1.
    ///
    /// # Errors
    /// When delta is zero.
    pub fn new(epsilon: Epsilon, delta: Delta) -> Result<Self, ClassifierError> {
        let deviation = theorem_18_deviation(epsilon, delta);
        if deviation.is_finite() {
            return Ok(Self { deviation });
        }
        Err(ClassifierError::Option { option: "delta", allowed: "above 0", got: delta.get() })
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The probability of a report between two numbers.
    pub fn mass(&self, value: f64, [from, to]: [f64; 2]) -> f64 {
        let below = |end: f64| 0.5 * libm::erfc((value - end) / self.deviation / std::f64::consts::SQRT_2);
        (below(to) - below(from)).max(0.0)
    }
}

/// The papers' rho of each record (columns) under each product of mechanisms (rows). The box of a record is searched for once.
///
/// # Errors
/// As for [`hyperrectangle`], and when mechanisms and features do not fit.
pub fn rhos(
    classifier: &dyn Classifier,
    records: &[Record],
    sensitive: &Sensitive,
    products: &[ProductChannel],
    search: &Search,
    rng: &mut Generator,
) -> Result<Vec<Vec<f64>>, ClassifierError> {
    let mut rhos = vec![Vec::with_capacity(records.len()); products.len()];
    for record in records {
        let found = hyperrectangle(classifier, record, sensitive, search, rng)?;
        for (row, product) in rhos.iter_mut().zip(products) {
            row.push(found.rho(&product.laws(record, sensitive)?));
        }
    }
    Ok(rhos)
}

/// The papers' rho over many records: its mean and its smallest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverRecords {
    /// The mean.
    pub average: f64,
    /// The smallest.
    pub worst: f64,
}

impl OverRecords {
    /// Over the values of all records; `None` of none.
    pub fn of(rhos: &[f64]) -> Option<Self> {
        let worst = rhos.iter().copied().reduce(f64::min)?;
        Some(Self { average: rhos.iter().sum::<f64>() / rhos.len() as f64, worst })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReportChannel;
    use privet_core::BuildOptions;

    fn channel(name: &str, epsilon: f64) -> ReportChannel {
        ReportChannel::named(name, Epsilon::new(epsilon).unwrap(), &BuildOptions::default()).unwrap()
    }

    /// At epsilon 2 and theta .3 the papers print .46, .86 and .63; the second is .853, and the third counts grid points.
    #[test]
    fn concentrations_come_from_the_channels() {
        let at = |name: &str| concentration(&channel(name, 2.0).law(0.5).unwrap(), 0.5, 0.3);
        let e = 2f64.exp();
        assert!((at("laplace") - (1.0 - (-0.6f64).exp())).abs() < 1e-3);
        assert!((at("optimal-piecewise") - 0.853).abs() < 1e-3);
        assert!((at("grid-randomized-response") - (e + 60.0) / (e + 100.0)).abs() < 1e-9);
    }

    #[test]
    fn the_extended_gaussian_has_the_printed_deviation() {
        let noise = ExtendedGaussian::new(Epsilon::new(1.0).unwrap(), Delta::new(0.052).unwrap()).unwrap();
        assert!((noise.deviation() - 2.876).abs() < 1e-3);
        // One deviation to both sides is .6827 of a normal law.
        let one = [0.5 - noise.deviation(), 0.5 + noise.deviation()];
        assert!((noise.mass(0.5, one) - 0.6826894921).abs() < 1e-9);
        assert!(ExtendedGaussian::new(Epsilon::new(1.0).unwrap(), Delta::new(0.0).unwrap()).is_err());
    }

    #[test]
    fn means_and_minima_over_records() {
        assert_eq!(OverRecords::of(&[0.5, 0.25]), Some(OverRecords { average: 0.375, worst: 0.25 }));
        assert_eq!(OverRecords::of(&[]), None);
        assert!((with_indicator(0.5, Delta::new(0.1).unwrap()) - 0.55).abs() < 1e-12);
    }
}
