//! Sixty-four Bernoulli bits at once.

use rand_core::Rng;

/// Sixty-four independent bits, each one with probability `threshold / 2^64`, exactly.
///
/// Each lane compares a uniform number with the threshold, from the highest bit down, and all lanes share
/// the random words. Half of the undecided lanes decide at each word, so about log2(64) + 1.3 words suffice
/// instead of 64. When to stop depends on the random words and the public threshold only.
#[inline]
pub fn bernoulli_bits<R: Rng + ?Sized>(threshold: u64, rng: &mut R) -> u64 {
    let mut ones = 0u64;
    let mut undecided = u64::MAX;
    let mut remaining = threshold;
    while remaining != 0 && undecided != 0 {
        let word = rng.next_u64();
        // All ones where the threshold's bit is one: there a zero in the word decides for success;
        // elsewhere a one in the word decides for failure.
        let bit = ((remaining as i64) >> 63) as u64;
        ones |= undecided & bit & !word;
        undecided &= !(word ^ bit);
        remaining <<= 1;
    }
    ones
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Generator;
    use rand_core::{Infallible, TryRng};

    /// Counts the words that a sampler takes.
    struct Counting(Generator, u64);

    impl TryRng for Counting {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(self.0.next_u32())
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            self.1 += 1;
            Ok(self.0.next_u64())
        }
        fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
            self.0.fill_bytes(target);
            Ok(())
        }
    }

    #[test]
    fn agrees_with_comparing_lane_by_lane() {
        // The transposed words are the lanes' uniform numbers.
        let mut rng = Generator::from_insecure_seed(3);
        for threshold in [1u64, 1 << 63, u64::MAX, 0x4000_0000_0000_0001, 0x9e37_79b9_7f4a_7c15] {
            let words: Vec<u64> = (0..64).map(|_| rng.next_u64()).collect();
            let lanes = (0..64)
                .map(|lane| words.iter().fold(0u64, |number, word| (number << 1) | ((word >> lane) & 1)));
            let expected = lanes
                .enumerate()
                .fold(0, |bits, (lane, number)| bits | (u64::from(number < threshold) << lane));
            struct Fixed(std::vec::IntoIter<u64>);
            impl TryRng for Fixed {
                type Error = Infallible;
                fn try_next_u32(&mut self) -> Result<u32, Infallible> {
                    unreachable!()
                }
                fn try_next_u64(&mut self) -> Result<u64, Infallible> {
                    Ok(self.0.next().expect("at most 64 words"))
                }
                fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
                    unreachable!()
                }
            }
            assert_eq!(bernoulli_bits(threshold, &mut Fixed(words.into_iter())), expected);
        }
    }

    #[test]
    fn sixty_four_bits_cost_far_fewer_draws() {
        let mut rng = Counting(Generator::from_insecure_seed(4), 0);
        for _ in 0..10_000 {
            bernoulli_bits(0x4444_4444_4444_4444, &mut rng);
        }
        assert!(rng.1 < 80_000, "{}", rng.1);
        let mut fair = Counting(Generator::from_insecure_seed(5), 0);
        bernoulli_bits(1 << 63, &mut fair);
        assert_eq!(fair.1, 1);
    }
}
