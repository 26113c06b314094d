//! Local hashing into two buckets.

use super::{BucketRule, LocalHashing};
use privet_core::{Epsilon, MechanismInfo, Numerics};

/// The rule of [`BinaryLocalHashing`]: two buckets.
#[derive(Debug, Clone, Copy)]
pub struct BinaryBuckets;

/// Binary local hashing: a fresh seed hashes the category to one bit, which goes through randomised response.
///
/// # What it protects
/// One category out of k.
/// # Formula
/// Report (s, y) with s uniform on 64 bits and y in {0, 1}; P(y = h_s(x)) = e^epsilon / (e^epsilon + 1).
/// # Domain
/// `binary` or `categories:..`, up to 2^20 of them.
/// # Guarantee
/// Pure epsilon.
/// # Cost
/// 65 bits per report, of which one depends on the category. The variance of a frequency is
/// (e^epsilon + 1)^2 / (n (e^epsilon - 1)^2) at frequency zero.
/// # Numerics
/// Integer-exact; the hash family is [`super::SeededHash`].
/// # When not to use it
/// At epsilon above 0.35 [`super::OptimizedLocalHashing`] is more accurate: by a factor of 1.3 in variance at epsilon 1
/// and of 2.4 at epsilon 2. One bit cannot carry more; n times the variance never falls below one.
/// # Reference
/// R. Bassily, A. Smith, "Local, private, efficient protocols for succinct histograms", STOC 2015, as simplified by
/// Wang et al. 2017. Deviation: a universal family in place of a random projection matrix.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::BinaryLocalHashing;
/// let mechanism = BinaryLocalHashing::new(Categories::new(1000)?, Epsilon::new(0.5)?)?;
/// assert_eq!(mechanism.report_bits(), 65);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "BLH")]
pub type BinaryLocalHashing = LocalHashing<BinaryBuckets>;

impl BucketRule for BinaryBuckets {
    const INFO: MechanismInfo = MechanismInfo {
        id: "binary-local-hashing",
        synonyms: &["blh"],
        title: "Binary local hashing",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 9",
        reference: "Bassily, Smith 2015; Wang et al. 2017",
        status: "stable",
    };

    fn buckets(_epsilon: Epsilon) -> u32 {
        2
    }
}
