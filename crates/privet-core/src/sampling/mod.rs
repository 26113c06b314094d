//! Exact samplers. Each draws from the integers that its weights name, with no rounding in between.
//!
//! All rows of a channel have the same total: 2^64, or a little less where words beyond are drawn again. A probability is
//! a *threshold*: the number of 64-bit words for which a draw succeeds. How many random words a draw takes may depend on
//! public parameters and on the random words themselves, never on the private input.

mod bits;
mod laplace;
mod peaked;
mod reciprocal;
mod rounded_window;
mod subset;
mod table;
mod window;

pub use bits::bernoulli_bits;
pub use laplace::{MAX_SCALE_BITS, discrete_laplace};
pub use peaked::PeakedRow;
pub use rounded_window::{RoundedWindow, SwiftWindow};
pub use subset::uniform_subset;
pub use table::{AliasTable, WeightRow, WorstRatio};
pub use window::WindowRow;

use rand_core::Rng;
use std::num::NonZeroU64;

/// One success with probability `threshold / 2^64`.
#[inline]
pub fn bernoulli<R: Rng + ?Sized>(threshold: u64, rng: &mut R) -> bool {
    rng.next_u64() < threshold
}

/// A uniform integer below `bound`, without bias: words that would favour some results are drawn again.
#[inline]
pub fn uniform_below<R: Rng + ?Sized>(bound: NonZeroU64, rng: &mut R) -> u64 {
    let bound = bound.get();
    // 2^64 mod bound words at the bottom of the product's low half are surplus.
    let surplus = bound.wrapping_neg() % bound;
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(bound);
        if product as u64 >= surplus {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    #[test]
    fn thresholds_are_exact_at_the_ends() {
        let mut rng = Generator::from_insecure_seed(1);
        assert!((0..1000).all(|_| !bernoulli(0, &mut rng)));
    }

    #[test]
    fn bounded_integers_reach_every_value() {
        let mut rng = Generator::from_insecure_seed(2);
        let mut counts = [0u32; 7];
        for _ in 0..70_000 {
            counts[uniform_below(NonZeroU64::new(7).unwrap(), &mut rng) as usize] += 1;
        }
        // Six standard deviations of a binomial(70 000, 1/7) are 555.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 555), "{counts:?}");
    }
}
