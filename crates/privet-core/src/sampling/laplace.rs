//! Laplace noise on the whole numbers.

use super::uniform_below;
use rand_core::Rng;
use std::num::NonZeroU64;

/// The largest number of bits of the scale of [`discrete_laplace`].
pub const MAX_SCALE_BITS: u32 = 40;

/// A whole number z with probability proportional to e^(-|z| / 2^bits), exactly; more bits than [`MAX_SCALE_BITS`] count as that
/// many.
///
/// The distance is 2^bits times a geometric number plus a uniform rest, each accepted with a probability that is a power of e. Such a
/// probability needs no approximation: it is the alternating sum of the chances that 1, 2, 3, .. fractions of it succeed in turn.
/// Zero would come with both signs, so that one of them is drawn again.
#[inline]
pub fn discrete_laplace<R: Rng + ?Sized>(bits: u32, rng: &mut R) -> i64 {
    let bits = bits.min(MAX_SCALE_BITS);
    loop {
        let rest = fraction_bits(bits, rng);
        if !succeeds_with_exp(|rng| fraction_bits(bits, rng) < rest, rng) {
            continue;
        }
        let mut scales = 0i64;
        while succeeds_with_exp(|_| true, rng) {
            scales += 1;
        }
        let distance = (scales << bits) | rest as i64;
        let is_negative = rng.next_u64() >> 63 == 1;
        if is_negative && distance == 0 {
            continue;
        }
        return if is_negative { -distance } else { distance };
    }
}

/// A uniform number of this many bits.
#[inline]
fn fraction_bits<R: Rng + ?Sized>(bits: u32, rng: &mut R) -> u64 {
    // Two shifts, because a shift by all 64 bits is none.
    rng.next_u64() >> 1 >> (63 - bits)
}

/// Succeeds with probability e^-g, where `attempt` succeeds with probability g: the k-th attempt counts with probability 1/k only,
/// and an even number of successes in a row is a success of the whole.
#[inline]
fn succeeds_with_exp<R: Rng + ?Sized>(attempt: impl Fn(&mut R) -> bool, rng: &mut R) -> bool {
    let mut order = NonZeroU64::MIN;
    while uniform_below_small(order, rng) == 0 && attempt(rng) {
        order = order.saturating_add(1);
    }
    order.get() % 2 == 1
}

/// As [`uniform_below`], without a word where there is no choice.
#[inline]
fn uniform_below_small<R: Rng + ?Sized>(bound: NonZeroU64, rng: &mut R) -> u64 {
    if bound == NonZeroU64::MIN { 0 } else { uniform_below(bound, rng) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;

    /// Counts of -4..=4 against the exact law at a scale of one or two, and the mean distance at a scale of 2^26.
    #[test]
    fn the_law_is_that_of_the_page() {
        let mut rng = Generator::from_insecure_seed(8);
        const DRAWS: u32 = 200_000;
        for bits in [0, 1] {
            let ratio = (-1.0 / f64::from(1u32 << bits)).exp();
            let mut counts = [0u32; 9];
            for _ in 0..DRAWS {
                let place = discrete_laplace(bits, &mut rng) + 4;
                if let Some(count) = usize::try_from(place).ok().and_then(|place| counts.get_mut(place)) {
                    *count += 1;
                }
            }
            for (place, count) in counts.iter().enumerate() {
                let mass = (1.0 - ratio) / (1.0 + ratio) * ratio.powi((place as i32 - 4).abs());
                let expected = f64::from(DRAWS) * mass;
                // Nine cells, two scales: six standard deviations have probability 4e-8.
                let off = (f64::from(*count) - expected) / (expected * (1.0 - mass)).sqrt();
                assert!(off.abs() < 6.0, "scale 2^{bits}: {place} came {count} times, {expected} expected");
            }
            // Tampered: a scale 5 % larger.
            let wrong = (ratio.ln() / 1.05).exp();
            let found = counts.iter().enumerate().any(|(place, count)| {
                let mass = (1.0 - wrong) / (1.0 + wrong) * wrong.powi((place as i32 - 4).abs());
                let expected = f64::from(DRAWS) * mass;
                ((f64::from(*count) - expected) / (expected * (1.0 - mass)).sqrt()).abs() > 6.0
            });
            assert!(found, "a wrong scale was not found");
        }
        let total: f64 =
            (0..DRAWS).map(|_| discrete_laplace(26, &mut rng).abs() as f64 / 2f64.powi(26)).sum();
        // The distance has mean and deviation one, in scales.
        assert!((total / f64::from(DRAWS) - 1.0).abs() < 6.0 / f64::from(DRAWS).sqrt());
    }
}
