//! Unary encoding with as little noise on the zeros as epsilon allows.

use super::{BitThresholds, UnaryEncoding, UnaryRule};
use privet_core::sampling::PeakedRow;
use privet_core::{Epsilon, MechanismInfo, Numerics, ParameterError};

/// The rule of [`OptimizedUnaryEncoding`]: the own bit is a fair coin.
#[derive(Debug, Clone, Copy)]
pub struct Optimized;

/// Optimised unary encoding: one bit for each category; the own one is a fair coin, each other one is one with
/// probability 1 / (1 + e^epsilon).
///
/// # What it protects
/// One category out of k.
/// # Formula
/// P(own bit = 1) = 1/2; P(another bit = 1) = 1 / (1 + e^epsilon).
/// # Domain
/// `binary` or `categories:..`, up to 2^20 of them.
/// # Guarantee
/// Pure epsilon.
/// # Cost
/// k bits per report; about 7.3 random words for each 64 bits. The variance of a frequency is
/// 4 e^epsilon / (n (e^epsilon - 1)^2) at frequency zero, whatever k is.
/// # Numerics
/// Integer-exact: the threshold of the zeros is the ceiling of 2^64 / (e^epsilon + 1).
/// # When not to use it
/// With few categories (k below 3 e^epsilon + 2) use [`super::GeneralizedRandomizedResponse`] or
/// [`super::SubsetSelection`]; where k bits per
/// report are too many use [`super::OptimizedLocalHashing`], which is nearly as accurate.
/// # Reference
/// T. Wang, J. Blocki, N. Li, S. Jha, "Locally differentially private protocols for frequency estimation",
/// USENIX Security 2017. Without deviation.
/// # Example
/// ```
/// use privet_core::{Categories, Channel, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::OptimizedUnaryEncoding;
/// let mechanism = OptimizedUnaryEncoding::new(Categories::new(128)?, Epsilon::new(1.0)?)?;
/// assert_eq!(mechanism.report_bytes(), 16);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "OUE")]
pub type OptimizedUnaryEncoding = UnaryEncoding<Optimized>;

impl UnaryRule for Optimized {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimized-unary-encoding",
        synonyms: &["oue"],
        title: "Optimized unary encoding",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 9",
        reference: "Wang, Blocki, Li, Jha 2017",
        status: "stable",
    };

    fn thresholds(epsilon: Epsilon) -> Result<BitThresholds, ParameterError> {
        let row = PeakedRow::calibrate(2, epsilon)?;
        Ok(BitThresholds { set: 1 << 63, unset: row.low() })
    }
}
