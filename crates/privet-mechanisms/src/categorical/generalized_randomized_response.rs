//! Randomised response on k categories.

use super::{PeakedResponse, PeakedRule};
use privet_core::{Categories, MechanismInfo, Numerics};

/// The rule of [`GeneralizedRandomizedResponse`]: any number of categories.
#[derive(Debug, Clone, Copy)]
pub struct AnyCount;

/// Generalised (k-ary) randomised response: the true category with probability
/// e^epsilon / (e^epsilon + k - 1), else a uniform other one.
///
/// # What it protects
/// One category out of k.
/// # Formula
/// P(report = x) = e^epsilon / (e^epsilon + k - 1); P(report = y) = 1 / (e^epsilon + k - 1) for each y != x.
/// # Domain
/// `binary` or `categories:..`, up to 2^30 of them.
/// # Guarantee
/// Pure epsilon.
/// # Cost
/// ceil(log2 k) bits per report; one random word and two multiplications per draw. The variance of a
/// frequency is (e^epsilon + k - 2) / (n (e^epsilon - 1)^2) at frequency zero.
/// # Numerics
/// Integer-exact. The low weight w is the ceiling of 2^64 / (e^epsilon + k - 1), the high one is
/// 2^64 - (k - 1) w. The exact epsilon is below the requested one by at most about
/// (e^epsilon + k - 1)^2 / (e^epsilon 2^64): 2e-12 for ten thousand categories at epsilon 0.1, but 0.04 for 2^30.
/// # When not to use it
/// When k is above about 2 e^epsilon + 2 [`super::SubsetSelection`] is more accurate, and above 3 e^epsilon + 2 so are
/// [`super::OptimizedUnaryEncoding`] and [`super::OptimizedLocalHashing`].
/// # Reference
/// P. Kairouz, S. Oh, P. Viswanath, "Extremal mechanisms for local differential privacy", JMLR 17 (2016).
/// Without deviation.
/// # Example
/// ```
/// use privet_core::{Categories, Channel, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
/// let mechanism = GeneralizedRandomizedResponse::new(Categories::new(16)?, Epsilon::new(2.0)?)?;
/// assert!(mechanism.guarantee().epsilon().get() <= 2.0);
/// assert!(mechanism.guarantee().epsilon().get() > 2.0 - 1e-12);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "GRR")]
#[doc(alias = "k-RR")]
pub type GeneralizedRandomizedResponse = PeakedResponse<AnyCount>;

impl PeakedRule for AnyCount {
    const MAX_CATEGORIES: u32 = Categories::MAX;
    const INFO: MechanismInfo = MechanismInfo {
        id: "generalized-randomized-response",
        synonyms: &["grr", "k-rr", "krr", "direct-encoding"],
        title: "Generalized randomized response",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-11 for up to 10 000 categories and epsilon from 0.01 to 4",
        reference: "Kairouz, Oh, Viswanath 2016",
        status: "stable",
    };
}
