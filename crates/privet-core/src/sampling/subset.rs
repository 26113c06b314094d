//! Uniform subsets.

use super::uniform_below;
use crate::report::BitVector;
use rand_core::Rng;
use std::num::NonZeroU64;

/// A uniform subset of `size` out of the numbers below `count`, all subsets equally likely (Floyd's method).
///
/// Takes `size` bounded draws, whatever comes out; at most all numbers are taken.
pub fn uniform_subset<R: Rng + ?Sized>(count: u32, size: u32, rng: &mut R) -> BitVector {
    let mut chosen = BitVector::zeros(count as usize);
    for last in count.saturating_sub(size)..count {
        let candidate = uniform_below(NonZeroU64::MIN.saturating_add(u64::from(last)), rng) as usize;
        let fresh = if chosen.get(candidate) { last as usize } else { candidate };
        chosen.set(fresh, true);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use std::collections::HashMap;

    #[test]
    fn all_subsets_are_equally_likely() {
        let mut rng = Generator::from_insecure_seed(6);
        let mut counts: HashMap<Vec<u64>, u32> = HashMap::new();
        for _ in 0..100_000 {
            *counts.entry(uniform_subset(5, 2, &mut rng).words().to_vec()).or_default() += 1;
        }
        // Ten subsets; six standard deviations of a binomial(100 000, 1/10) are 570.
        assert_eq!(counts.len(), 10);
        assert!(counts.values().all(|count| count.abs_diff(10_000) < 570), "{counts:?}");
    }
}
