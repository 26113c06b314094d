//! The generator that Privet's own programs use.

use chacha20::ChaCha20Rng;
use rand_core::{Infallible, Rng, SeedableRng, TryCryptoRng, TryRng};
use std::fmt;

/// ChaCha with twenty rounds. Made from operating-system entropy, or from a number that is called insecure.
///
/// It cannot be cloned, so no two reports share their randomness by accident.
pub struct Generator {
    chacha: ChaCha20Rng,
    insecure: bool,
}

impl Generator {
    /// A generator from 256 bits of entropy, which the caller takes from the operating system.
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self { chacha: ChaCha20Rng::from_seed(entropy), insecure: false }
    }

    /// A generator that anybody can repeat. For tests and studies only: its reports protect nobody.
    pub fn from_insecure_seed(seed: u64) -> Self {
        Self { chacha: ChaCha20Rng::seed_from_u64(seed), insecure: true }
    }

    /// Whether reports drawn from this generator must be marked as insecure.
    pub fn is_insecure(&self) -> bool {
        self.insecure
    }

    /// An independent generator for another thread, with the same mark.
    pub fn split(&mut self) -> Self {
        let mut entropy = [0; 32];
        self.chacha.fill_bytes(&mut entropy);
        Self { chacha: ChaCha20Rng::from_seed(entropy), insecure: self.insecure }
    }
}

impl TryRng for Generator {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.chacha.next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.chacha.next_u64())
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        self.chacha.fill_bytes(target);
        Ok(())
    }
}

impl TryCryptoRng for Generator {}

impl fmt::Debug for Generator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.insecure { "Generator(insecure seed)" } else { "Generator" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_marked_and_splits_differ() {
        let mut seeded = Generator::from_insecure_seed(1);
        let mut part = seeded.split();
        assert!(seeded.is_insecure() && part.is_insecure());
        assert_ne!(seeded.next_u64(), part.next_u64());
        assert!(!Generator::from_entropy([7; 32]).is_insecure());
    }
}
