//! Local hashing with the number of buckets that loses least.

use super::{BucketRule, LocalHashing};
use privet_core::{Epsilon, MechanismInfo, Numerics};

/// The rule of [`OptimizedLocalHashing`]: about e^epsilon + 1 buckets.
#[derive(Debug, Clone, Copy)]
pub struct OptimizedBuckets;

/// Optimised local hashing: a fresh seed hashes the category into g buckets, g near e^epsilon + 1, and the bucket
/// goes through k-ary randomised response.
///
/// # What it protects
/// One category out of k.
/// # Formula
/// Report (s, y) with s uniform on 64 bits; P(y = h_s(x)) = e^epsilon / (e^epsilon + g - 1), each other bucket
/// 1 / (e^epsilon + g - 1). A report supports category v if h_s(v) = y: with probability
/// e^epsilon / (e^epsilon + g - 1) if v is the own one, and about 1/g if it is not.
/// # Domain
/// `binary` or `categories:..`, up to 2^20 of them.
/// # Guarantee
/// Pure epsilon: the seed is drawn before the category is looked at.
/// # Cost
/// 64 + ceil(log2 g) bits per report, whatever k is; two random words per draw. Counting support costs one
/// addition and one comparison per report and category. The variance of a frequency is within 3 % of that of
/// [`super::OptimizedUnaryEncoding`] as long as there are e^epsilon + 1 buckets.
/// # Numerics
/// Integer-exact. The hash family is `((a v + b) mod 2^32)`, high bits, strongly universal over the seed (a, b): see
/// [`super::SeededHash`]. Bucket sizes differ by at most one; the probability of a collision is computed from the
/// actual sizes. At large epsilon, where the high bits could not fill e^epsilon + 1 buckets evenly, there are fewer
/// buckets: the guarantee is the same, but with 2^20 categories the variance doubles at epsilon 8.
/// # When not to use it
/// With few categories use [`super::GeneralizedRandomizedResponse`]. With millions of categories counting support is
/// slow: use [`super::CountMeanSketch`].
/// # Reference
/// T. Wang, J. Blocki, N. Li, S. Jha, USENIX Security 2017. Deviations: a universal family with a proof in place of
/// a general-purpose hash; the better of the two whole numbers around e^epsilon + 1.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon};
/// use privet_mechanisms::categorical::OptimizedLocalHashing;
/// let mechanism = OptimizedLocalHashing::new(Categories::new(1000)?, Epsilon::new(1.0)?)?;
/// assert_eq!(mechanism.hash().buckets(), 4);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "OLH")]
pub type OptimizedLocalHashing = LocalHashing<OptimizedBuckets>;

impl BucketRule for OptimizedBuckets {
    const INFO: MechanismInfo = MechanismInfo {
        id: "optimized-local-hashing",
        synonyms: &["olh"],
        title: "Optimized local hashing",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 4",
        reference: "Wang, Blocki, Li, Jha 2017",
        status: "stable",
    };

    fn buckets(epsilon: Epsilon) -> u32 {
        // Beyond this the family has no more buckets to give.
        let exp = epsilon.get().min(20.0).exp();
        let below = (exp + 1.0).floor().max(2.0);
        let best = if variance(exp, below) <= variance(exp, below + 1.0) { below } else { below + 1.0 };
        best as u32
    }
}

/// The variance of a rare category's frequency, up to a factor that does not depend on the buckets.
fn variance(exp: f64, buckets: f64) -> f64 {
    (exp + buckets - 1.0).powi(2) / (buckets - 1.0)
}
