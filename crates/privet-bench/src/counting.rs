//! A generator that counts what is taken from it.

use privet::Generator;
use rand_core::{Infallible, Rng, TryCryptoRng, TryRng};

/// Counts bytes.
#[derive(Debug)]
pub(crate) struct Counting {
    generator: Generator,
    bytes: u64,
}

impl Counting {
    pub(crate) fn new(generator: Generator) -> Self {
        Self { generator, bytes: 0 }
    }

    /// How many bytes were taken so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.bytes += 4;
        Ok(self.generator.next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.bytes += 8;
        Ok(self.generator.next_u64())
    }

    fn try_fill_bytes(&mut self, target: &mut [u8]) -> Result<(), Infallible> {
        self.bytes += target.len() as u64;
        self.generator.fill_bytes(target);
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::categorical::{GeneralizedRandomizedResponse, OptimizedLocalHashing};
    use privet::{Categories, Epsilon, Mechanism};

    #[test]
    fn words_are_counted() {
        let mut counting = Counting::new(Generator::from_insecure_seed(1));
        let (categories, epsilon) = (Categories::new(9).unwrap(), Epsilon::new(1.0).unwrap());
        let one_word = GeneralizedRandomizedResponse::new(categories.clone(), epsilon).unwrap();
        one_word.randomize(&3, &mut counting).unwrap();
        assert_eq!(counting.bytes(), 8);
        let two_words = OptimizedLocalHashing::new(categories, epsilon).unwrap();
        two_words.randomize(&3, &mut counting).unwrap();
        assert_eq!(counting.bytes(), 24);
    }
}
