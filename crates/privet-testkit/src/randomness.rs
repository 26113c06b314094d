//! Random words under the tests' control.

use privet_core::{Generator, Rng};
use rand_core::utils::{fill_bytes_via_next_word, next_u64_via_u32};
use rand_core::{Infallible, TryCryptoRng, TryRng};

/// A source of 64-bit words that counts how many were taken. Halves are taken lower half first, so that nothing is lost.
#[derive(Debug)]
pub struct Words<S> {
    source: S,
    upper: Option<u32>,
    taken: u64,
}

/// How many words a generator has given.
pub trait WordsTaken {
    /// The number.
    fn words_taken(&self) -> u64;
}

impl Words<SplitMix> {
    /// The words that the golden file was made with.
    pub fn golden(seed: u64) -> Self {
        Self { source: SplitMix(seed), upper: None, taken: 0 }
    }
}

impl Words<Generator> {
    /// ChaCha words from a fixed seed.
    pub fn seeded(seed: u64) -> Self {
        Self { source: Generator::from_insecure_seed(seed), upper: None, taken: 0 }
    }
}

impl<S> WordsTaken for Words<S> {
    fn words_taken(&self) -> u64 {
        self.taken
    }
}

/// Vigna's splitmix64: a public sequence that any language can make.
#[derive(Debug)]
pub struct SplitMix(pub u64);

/// Gives the next word.
pub trait WordSource {
    /// The next word.
    fn next_word(&mut self) -> u64;
}

impl WordSource for SplitMix {
    fn next_word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl WordSource for Generator {
    fn next_word(&mut self) -> u64 {
        self.next_u64()
    }
}

impl<S: WordSource> TryRng for Words<S> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.upper.take().unwrap_or_else(|| {
            let word = self.source.next_word();
            self.taken += 1;
            self.upper = Some((word >> 32) as u32);
            word as u32
        }))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        fill_bytes_via_next_word(target, || self.try_next_u32())
    }
}

// The tests need a generator that samplers accept; these words protect nobody.
impl<S: WordSource> TryCryptoRng for Words<S> {}
