//! How many random bytes something takes.

use privet::{Generator, Rng};

const SEED: u64 = 0;

/// A generator to draw from before [`bytes_taken`] is asked.
pub(crate) fn fresh() -> Generator {
    Generator::from_insecure_seed(SEED)
}

/// The stream is made of words of 32 bits, and what is taken are whole words.
const WORD_BYTES: u64 = 4;

/// Words that are seen once in any stream that a benchmark reads.
const MARK: usize = 4;

/// How many bytes were taken from a [`fresh`] generator: where in the stream the words that it gives next are.
pub(crate) fn bytes_taken(mut used: Generator) -> u64 {
    let mark: [u32; MARK] = std::array::from_fn(|_| used.next_u32());
    let mut stream = fresh();
    let mut window: [u32; MARK] = std::array::from_fn(|_| stream.next_u32());
    let mut words = 0;
    while window != mark {
        window.rotate_left(1);
        window[MARK - 1] = stream.next_u32();
        words += 1;
    }
    words * WORD_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::categorical::{GeneralizedRandomizedResponse, OptimizedLocalHashing};
    use privet::{Categories, Epsilon, Mechanism};

    #[test]
    fn words_are_counted() {
        let (categories, epsilon) = (Categories::new(9).unwrap(), Epsilon::new(1.0).unwrap());
        let one_word = GeneralizedRandomizedResponse::new(categories.clone(), epsilon).unwrap();
        let two_words = OptimizedLocalHashing::new(categories, epsilon).unwrap();
        let mut rng = fresh();
        one_word.randomize(&3, &mut rng).unwrap();
        assert_eq!(bytes_taken(rng), 8);
        let mut rng = fresh();
        one_word.randomize(&3, &mut rng).unwrap();
        two_words.randomize(&3, &mut rng).unwrap();
        assert_eq!(bytes_taken(rng), 24);
        assert_eq!(bytes_taken(fresh()), 0);
    }

    #[test]
    fn bytes_and_half_words_are_counted_as_the_words_that_they_take() {
        let mut rng = fresh();
        rng.fill_bytes(&mut [0; 1001]);
        assert_eq!(bytes_taken(rng), 1004);
        let mut rng = fresh();
        rng.next_u32();
        rng.next_u64();
        assert_eq!(bytes_taken(rng), 12);
    }
}
