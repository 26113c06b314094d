//! The generator that Privet's own programs use.

use chacha20::ChaCha20Rng;
#[cfg(not(target_family = "wasm"))]
use chacha20::{
    ChaCha20Legacy,
    cipher::{KeyIvInit, StreamCipher, StreamCipherSeek},
};
use rand_core::{Infallible, Rng, SeedableRng, TryCryptoRng, TryRng};
use std::fmt;

/// From so many bytes on the cipher is faster than the generator that is made of it.
#[cfg(not(target_family = "wasm"))]
const MANY_BYTES: usize = 2048;

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

/// Fills many bytes with the cipher itself, whose key stream the generator hands out: it works on up to sixteen blocks at once
/// where the generator works on four.
#[cfg(not(target_family = "wasm"))]
fn fill_many(chacha: &mut ChaCha20Rng, target: &mut [u8]) {
    const WORD_BYTES: usize = 4;
    let position = chacha.get_word_pos();
    let mut cipher = ChaCha20Legacy::new(&chacha.get_seed().into(), &[0; 8].into());
    let is_filled =
        cipher.try_seek(position * WORD_BYTES as u128).is_ok() && cipher.try_write_keystream(target).is_ok();
    if is_filled {
        chacha.set_word_pos(position + target.len().div_ceil(WORD_BYTES) as u128);
    } else {
        // The key stream ends after 2^70 bytes; the generator begins again.
        chacha.fill_bytes(target);
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
        #[cfg(not(target_family = "wasm"))]
        if target.len() >= MANY_BYTES {
            fill_many(&mut self.chacha, target);
            return Ok(());
        }
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

    /// Many bytes at once are those of many words, and so is what follows, wherever they begin and end.
    #[test]
    fn many_bytes_are_the_same_stream() {
        for (before, many) in [(0, 2048), (1, 2048), (13, 4100), (64, 10_000), (70, 16_384), (5, 2051)] {
            let [mut by_words, mut at_once] = [7, 7].map(Generator::from_insecure_seed);
            let mut bytes = vec![0; many];
            for _ in 0..before {
                assert_eq!(by_words.next_u32(), at_once.next_u32());
            }
            at_once.fill_bytes(&mut bytes);
            for word in bytes.chunks(4) {
                assert_eq!(word, &by_words.next_u32().to_le_bytes()[..word.len()], "{before} {many}");
            }
            assert_eq!(by_words.next_u64(), at_once.next_u64());
        }
    }
}
