//! A short name for a mechanism with all its parameters.

use std::fmt;

/// Identifies the mechanism, domain and integer weights that made a report or a summary. It tells
/// different parameters apart; it does not authenticate anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; Fingerprint::BYTES]);

impl Fingerprint {
    /// How many bytes a fingerprint has.
    pub const BYTES: usize = 8;

    /// A fingerprint that was stored.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Fingerprint({self})")
    }
}

/// Collects what distinguishes a mechanism. Every part is written with its kind and its length, so that no
/// two different lists of parts are the same bytes.
#[derive(Debug, Clone)]
pub struct FingerprintBuilder(blake3::Hasher);

impl FingerprintBuilder {
    /// Starts with the mechanism's id.
    pub fn new(id: &str) -> Self {
        let mut builder = Self(blake3::Hasher::new());
        builder.text("privet mechanism 1").text(id);
        builder
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.0.update(b"t").update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
        self
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.0.update(b"n").update(&number.to_le_bytes());
        self
    }

    /// The fingerprint of all that was added.
    pub fn finish(&self) -> Fingerprint {
        let mut short = [0; Fingerprint::BYTES];
        short.copy_from_slice(&self.0.finalize().as_bytes()[..Fingerprint::BYTES]);
        Fingerprint(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let one = FingerprintBuilder::new("x").text("ab").text("c").finish();
        let other = FingerprintBuilder::new("x").text("a").text("bc").finish();
        assert_ne!(one, other);
        let text = FingerprintBuilder::new("x").text("abcdefgh").finish();
        let numbers =
            FingerprintBuilder::new("x").number(8).number(u64::from_le_bytes(*b"abcdefgh")).finish();
        assert_ne!(text, numbers);
        assert_eq!(one, FingerprintBuilder::new("x").text("ab").text("c").finish());
    }
}
