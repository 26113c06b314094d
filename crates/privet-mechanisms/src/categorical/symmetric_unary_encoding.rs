//! Unary encoding with the same noise on every bit.

use super::{BitThresholds, UnaryEncoding, UnaryRule};
use privet_core::sampling::PeakedRow;
use privet_core::{Epsilon, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SymmetricUnaryEncoding`]: ones and zeros are flipped with the same probability.
#[derive(Debug, Clone, Copy)]
pub struct Symmetric;

/// Symmetric unary encoding: one bit for each category, each flipped with probability
/// 1 / (1 + e^(epsilon/2)).
///
/// # What it protects
/// One category out of k.
/// # Formula
/// P(own bit = 1) = e^(epsilon/2) / (1 + e^(epsilon/2)); P(another bit = 1) = 1 / (1 + e^(epsilon/2)).
/// # Domain
/// `binary` or `categories:..`, up to 2^20 of them.
/// # Guarantee
/// Pure epsilon: two inputs differ in two bits, each worth epsilon / 2.
/// # Cost
/// k bits per report; about 7.3 random words for each 64 bits. The variance of a frequency is
/// e^(epsilon/2) / (n (e^(epsilon/2) - 1)^2) at any frequency.
/// # Numerics
/// Integer-exact: one 64-bit threshold, the same for ones and zeros.
/// # When not to use it
/// For rare categories [`super::OptimizedUnaryEncoding`] is more accurate at every epsilon. It is here because
/// RAPPOR's basic form is this.
/// # Reference
/// U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR", CCS 2014 (basic, one-time). Without deviation.
/// # Example
/// ```
/// use privet_core::{Categories, Channel, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::SymmetricUnaryEncoding;
/// let mechanism = SymmetricUnaryEncoding::new(Categories::new(10)?, Epsilon::new(2.0)?)?;
/// assert_eq!(mechanism.report_bits(), 10);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "SUE")]
pub type SymmetricUnaryEncoding = UnaryEncoding<Symmetric>;

impl UnaryRule for Symmetric {
    const INFO: MechanismInfo = MechanismInfo {
        id: "symmetric-unary-encoding",
        synonyms: &["sue", "basic-rappor"],
        title: "Symmetric unary encoding",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 18",
        reference: "Erlingsson, Pihur, Korolova 2014",
        status: "stable",
    };

    fn thresholds(epsilon: Epsilon) -> Result<BitThresholds, ParameterError> {
        let row = PeakedRow::calibrate(2, epsilon.divided(2)?)?;
        Ok(BitThresholds { set: row.high(), unset: row.low() })
    }
}
