//! Words from a dictionary that nobody knows in advance.

use super::{Domain, DomainSpec, Values};
use crate::error::{InputError, ParameterError};
use crate::fingerprint::FingerprintBuilder;
use std::fmt;

/// All UTF-8 words of at most a given number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    longest: u32,
}

impl Words {
    /// The longest word, in bytes, that any word domain can hold.
    pub const MAX_BYTES: u32 = 32;

    /// Words of at most `longest` bytes.
    ///
    /// # Errors
    /// When the length is zero or above [`Words::MAX_BYTES`].
    pub fn new(longest: u32) -> Result<Self, ParameterError> {
        if (1..=Self::MAX_BYTES).contains(&longest) {
            Ok(Self { longest })
        } else {
            Err(ParameterError::WordLength { max: Self::MAX_BYTES, got: longest })
        }
    }

    /// The number of bytes of the longest word.
    pub fn longest(&self) -> u32 {
        self.longest
    }
}

/// One word, padded with zero bytes so that all words have the same size. `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Word([u8; Words::MAX_BYTES as usize]);

impl Word {
    /// The word of a text without zero bytes.
    pub fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; Words::MAX_BYTES as usize];
        let source = text.as_bytes();
        let fits = source.len() <= bytes.len() && !source.contains(&0);
        fits.then(|| {
            bytes[..source.len()].copy_from_slice(source);
            Self(bytes)
        })
    }

    /// The bytes, padded with zeros.
    pub fn padded(&self) -> &[u8; Words::MAX_BYTES as usize] {
        &self.0
    }

    /// How many bytes the word has without its padding.
    pub fn byte_len(&self) -> usize {
        self.0.iter().position(|byte| *byte == 0).unwrap_or(self.0.len())
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Word(private)")
    }
}

impl Domain for Words {
    type Value = Word;
    const KIND: &'static str = "words";

    fn contains(&self, value: &Word) -> bool {
        (1..=self.longest as usize).contains(&value.byte_len())
    }

    /// The longest beginning of the word that fits, cut between characters.
    fn nearest(&self, value: Word) -> Word {
        let mut end = value.byte_len().min(self.longest as usize);
        while end > 0 && end < value.0.len() && value.0[end] & 0xc0 == 0x80 {
            end -= 1;
        }
        let mut bytes = [0; Self::MAX_BYTES as usize];
        bytes[..end].copy_from_slice(&value.0[..end]);
        Word(bytes)
    }

    fn parse(&self, text: &str) -> Result<Word, InputError> {
        Word::new(text).ok_or_else(|| self.outside())
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.longest));
    }

    fn from_spec(spec: &DomainSpec) -> Option<&Self> {
        match spec {
            DomainSpec::Words(words) => Some(words),
            _ => None,
        }
    }

    fn select(values: &Values) -> Option<&[Word]> {
        match values {
            Values::Words(values) => Some(values),
            _ => None,
        }
    }
}

impl fmt::Display for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "words:{}", self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_checked_and_hidden() {
        let words = Words::new(4).unwrap();
        assert!(words.contains(&Word::new("oak").unwrap()));
        assert!(!words.contains(&Word::new("birch").unwrap()));
        assert!(!words.contains(&Word::new("").unwrap()));
        assert!(Word::new("a\0b").is_none());
        assert_eq!(format!("{:?}", Word::new("oak")), "Some(Word(private))");
    }

    #[test]
    fn the_nearest_word_ends_between_characters() {
        let words = Words::new(4).unwrap();
        assert_eq!(words.nearest(Word::new("birch").unwrap()), Word::new("birc").unwrap());
        assert_eq!(words.nearest(Word::new("abcé").unwrap()), Word::new("abc").unwrap());
    }
}
