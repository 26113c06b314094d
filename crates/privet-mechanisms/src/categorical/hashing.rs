//! Hash families with a proof: pairs of different keys are hashed independently and uniformly.

use privet_core::Fraction;

/// A family indexed by a 64-bit seed (two 32-bit words a, b): the high bits of `a v + b mod 2^32`, cut into
/// buckets.
///
/// With keys of `u` bits and `33 - u` high bits the family is strongly universal (Dietzfelbinger 1996): over a
/// uniform seed the high bits of two different keys are independent and uniform. Buckets are runs of high-bit
/// values whose sizes differ by at most one, and probabilities are computed from the actual sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeededHash {
    buckets: u32,
    /// How many high bits of the 32-bit word are used.
    high_bits: u32,
}

impl SeededHash {
    /// The largest number of keys.
    pub const MAX_KEYS: u32 = 1 << 20;

    /// The family for keys below `keys` (at most [`SeededHash::MAX_KEYS`]) with `buckets` buckets, or fewer where
    /// the high bits could not tell that many apart evenly.
    pub fn new(keys: u32, buckets: u32) -> Self {
        let key_bits = (u32::BITS - (keys.max(2) - 1).leading_zeros()).max(1);
        let high_bits = 33 - key_bits.min(20);
        // At least sixteen values for each bucket.
        Self { buckets: buckets.clamp(2, 1 << (high_bits - 4)), high_bits }
    }

    /// How many buckets there are.
    pub fn buckets(&self) -> u32 {
        self.buckets
    }

    /// The bucket of a key under a seed.
    #[inline]
    pub fn bucket(&self, seed: u64, key: u32) -> u32 {
        let high = self.word(seed, key) >> (32 - self.high_bits);
        ((u64::from(high) * u64::from(self.buckets)) >> self.high_bits) as u32
    }

    /// The 32-bit word of a key: the seed's low half times the key plus its high half.
    #[inline]
    fn word(&self, seed: u64, key: u32) -> u32 {
        (seed as u32).wrapping_mul(key).wrapping_add((seed >> 32) as u32)
    }

    /// The smallest 32-bit word of a bucket (2^32 for the bucket after the last).
    fn first_word(&self, bucket: u32) -> u64 {
        let first_high =
            (u64::from(bucket.min(self.buckets)) << self.high_bits).div_ceil(u64::from(self.buckets));
        first_high << (32 - self.high_bits)
    }

    /// Adds one to the count of every key that the seed puts into the bucket.
    ///
    /// Membership in a run of words is one wrapping subtraction and one comparison, without a branch, so that
    /// the compiler counts several keys at once.
    #[inline]
    pub fn count_members(&self, seed: u64, bucket: u32, counts: &mut [u32]) {
        let first = self.first_word(bucket);
        let width = (self.first_word(bucket.saturating_add(1)) - first) as u32;
        let multiplier = seed as u32;
        let start = ((seed >> 32) as u32).wrapping_sub(first as u32);
        for (key, count) in (0u32..).zip(counts) {
            let distance = multiplier.wrapping_mul(key).wrapping_add(start);
            *count += u32::from(distance < width);
        }
    }

    /// The probability over seeds that a second, different key falls into the bucket that a first one's noisy
    /// report names, when the report is the true bucket with probability `own` and each other one with `other`.
    pub fn collision(&self, own: &Fraction, other: &Fraction) -> Fraction {
        // The sum over buckets of (size / all)^2 is the probability that both keys share a bucket.
        let all = 1u128 << self.high_bits;
        let square = |bucket: u32| {
            let size =
                u128::from((self.first_word(bucket + 1) - self.first_word(bucket)) >> (32 - self.high_bits));
            size * size
        };
        let squares = (0..self.buckets).map(square).sum::<u128>();
        let shared = &Fraction::whole(squares) / &Fraction::whole(all * all);
        &(&shared * own) + &(&Fraction::whole(1).minus(&shared) * other)
    }
}

/// One of a public list of hash functions on 64-bit keys: the high 32 bits of `a k_low + b k_high + c mod 2^64` of
/// the mixed key,
/// strongly universal over its three numbers, which are derived from the purpose and the row.
#[derive(Debug, Clone, Copy)]
pub struct RowHash {
    low_factor: u64,
    high_factor: u64,
    offset: u64,
}

impl RowHash {
    /// The function of one row. Every program that knows the purpose and the row has the same one.
    pub fn new(purpose: &str, row: u32) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("privet 2026 public hash rows");
        hasher.update(purpose.as_bytes()).update(&row.to_le_bytes());
        let mut bytes = [0; 24];
        hasher.finalize_xof().fill(&mut bytes);
        let number = |index: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[index * 8..][..8]);
            u64::from_le_bytes(word)
        };
        Self { low_factor: number(0), high_factor: number(1), offset: number(2) }
    }

    /// The bucket of a key, out of `buckets`.
    ///
    /// The key is mixed first, by a public one-to-one function: a linear hash alone would keep neighbouring keys
    /// together, and many neighbours would collide with the same third key.
    #[inline]
    pub fn bucket(&self, key: u64, buckets: u32) -> u32 {
        let key = mix(key);
        let sum = self
            .low_factor
            .wrapping_mul(key & 0xffff_ffff)
            .wrapping_add(self.high_factor.wrapping_mul(key >> 32))
            .wrapping_add(self.offset);
        (((sum >> 32) * u64::from(buckets)) >> 32) as u32
    }
}

/// A one-to-one function of 64-bit words in which every bit of the result depends on every bit of the word
/// (the finaliser of splitmix64).
#[inline]
fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Generator, Rng};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_members_agrees_with_hashing(
            keys in 2u32..3000, buckets in 2u32..40, seed in any::<u64>(), bucket in any::<prop::sample::Index>(),
        ) {
            let hash = SeededHash::new(keys, buckets);
            let bucket = bucket.index(hash.buckets() as usize) as u32;
            let mut counts = vec![0; keys as usize];
            hash.count_members(seed, bucket, &mut counts);
            for key in 0..keys {
                prop_assert_eq!(counts[key as usize], u32::from(hash.bucket(seed, key) == bucket));
            }
        }
    }

    /// The same formula with 12-bit words, 6-bit keys and 7 high bits: over all seeds, every pair of high parts of
    /// two different keys occurs equally often.
    #[test]
    fn the_family_is_strongly_universal() {
        const WORD: u32 = 12;
        const HIGH: u32 = 7;
        for (one, two) in [(0u32, 1u32), (1, 33), (31, 63), (0, 32), (5, 7)] {
            let mut counts = vec![0u32; 1 << (2 * HIGH)];
            for seed in 0u32..1 << (2 * WORD) {
                let (a, b) = (seed & 0xfff, seed >> WORD);
                let high = |key: u32| ((a * key + b) & 0xfff) >> (WORD - HIGH);
                counts[((high(one) << HIGH) | high(two)) as usize] += 1;
            }
            assert!(counts.iter().all(|count| *count == 1 << (2 * (WORD - HIGH))), "{one} {two}");
        }
    }

    #[test]
    fn collisions_of_pairs_are_as_computed() {
        let hash = SeededHash::new(1000, 5);
        let mut rng = Generator::from_insecure_seed(7);
        let trials = 200_000;
        let seeds = std::iter::repeat_with(|| rng.next_u64()).take(trials);
        let shared = seeds.filter(|seed| hash.bucket(*seed, 3) == hash.bucket(*seed, 700)).count();
        let expected = hash.collision(&Fraction::whole(1), &Fraction::whole(0)).to_f64();
        // Six standard deviations.
        let slack = 6.0 * (expected * (1.0 - expected) / trials as f64).sqrt();
        assert!((shared as f64 / trials as f64 - expected).abs() < slack);
        assert!((expected - 0.2).abs() < 1e-9);
    }

    #[test]
    fn rows_differ_and_are_reproducible() {
        let bucket = |row| RowHash::new("test", row).bucket(123_456_789_012, 1024);
        assert_eq!(bucket(1), bucket(1));
        let different = (0..64).map(bucket).collect::<std::collections::HashSet<_>>();
        assert!(different.len() > 50);
    }
}
