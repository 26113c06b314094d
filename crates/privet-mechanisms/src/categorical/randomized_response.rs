//! Randomised response on a yes/no question.

use super::{PeakedResponse, PeakedRule};
use privet_core::{MechanismInfo, Numerics};

/// The rule of [`RandomizedResponse`]: two categories.
#[derive(Debug, Clone, Copy)]
pub struct TwoOnly;

/// Randomised response: tell the truth with probability e^epsilon / (1 + e^epsilon), else the opposite.
///
/// # What it protects
/// One bit, such as the answer to a yes/no question.
/// # Formula
/// P(report = x) = e^epsilon / (1 + e^epsilon); P(report = 1 - x) = 1 / (1 + e^epsilon).
/// # Domain
/// `binary`, or any two labelled categories.
/// # Guarantee
/// Pure epsilon; no other epsilon-LDP mechanism on one bit reveals more about the population.
/// # Cost
/// One bit per report; one random word per draw.
/// # Numerics
/// Integer-exact. The low weight is the ceiling of 2^64 / (e^epsilon + 1), so the exact epsilon is below the
/// requested one by less than 2^-58 for epsilon up to 4.
/// # When not to use it
/// With more than two categories: see [`super::GeneralizedRandomizedResponse`].
/// # Reference
/// S. L. Warner, "Randomized response", JASA 60 (1965). Without deviation.
/// # Example
/// ```
/// use privet_core::{Categories, Channel, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::RandomizedResponse;
/// let mechanism = RandomizedResponse::new(Categories::new(2)?, Epsilon::new(1.0)?)?;
/// assert!((mechanism.worst_ratio().to_f64() - 1f64.exp()).abs() < 1e-12);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "RR")]
pub type RandomizedResponse = PeakedResponse<TwoOnly>;

impl PeakedRule for TwoOnly {
    const MAX_CATEGORIES: u32 = 2;
    const INFO: MechanismInfo = MechanismInfo {
        id: "randomized-response",
        synonyms: &["rr", "warner"],
        title: "Randomized response",
        domain: "binary",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 9; (e^epsilon + 1)^2 / (e^epsilon 2^64) in general",
        reference: "Warner 1965",
        status: "stable",
    };
}
