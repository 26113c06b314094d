//! Labels of wires, and the hash that encrypts one under another.

use std::ops::{BitXor, BitXorAssign};
use zeroize::DefaultIsZeroes;

/// What stands for one bit of a wire. The lowest bit says which row of a gate to use and nothing about the wire's bit.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Label(pub(super) u128);

pub(super) const LABEL_BYTES: usize = 16;

impl Label {
    /// This label if the bit is set, and zero if not, without a branch.
    pub(super) fn times(self, bit: bool) -> Self {
        Self(self.0 & u128::from(bit).wrapping_neg())
    }

    /// The lowest bit.
    pub(super) fn pointer(self) -> bool {
        self.0 & 1 == 1
    }

    pub(super) fn to_bytes(self) -> [u8; LABEL_BYTES] {
        self.0.to_le_bytes()
    }

    pub(super) fn from_bytes(bytes: [u8; LABEL_BYTES]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }

    /// All labels of a body; what is left over at the end is not looked at.
    pub(super) fn from_body(body: &[u8]) -> impl Iterator<Item = Self> {
        body.as_chunks().0.iter().map(|bytes| Self::from_bytes(*bytes))
    }
}

impl DefaultIsZeroes for Label {}

impl BitXor for Label {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Label {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

/// A hash of a label and a number, keyed by the run.
///
/// Half gates with free exclusive or need a hash that stays random when its inputs, and what its outputs hide, are
/// related by one secret difference: *circular correlation robustness with tweaks*. A random oracle has it, and BLAKE3
/// with a key is taken for one here. AES with a fixed key in the two-call construction would be faster, but rests on an
/// ideal cipher, and all gates of a run take less time than two of its transfers. The key is of the run, so work
/// against one run is of no use against another; it is not a secret. The tweak is never used twice.
pub(super) struct GateHash {
    key: [u8; 32],
}

impl GateHash {
    pub(super) fn new(session: &[u8; 32]) -> Self {
        Self { key: blake3::derive_key("privet-joint two-party gates v1", session) }
    }

    pub(super) fn of(&self, label: Label, tweak: u64) -> Label {
        let mut input = [0; LABEL_BYTES + 8];
        input[..LABEL_BYTES].copy_from_slice(&label.to_bytes());
        input[LABEL_BYTES..].copy_from_slice(&tweak.to_le_bytes());
        shorten(&blake3::keyed_hash(&self.key, &input))
    }
}

/// The first half of a hash.
pub(super) fn shorten(hash: &blake3::Hash) -> Label {
    let mut bytes = [0; LABEL_BYTES];
    bytes.copy_from_slice(&hash.as_bytes()[..LABEL_BYTES]);
    Label::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_depends_on_run_label_and_tweak() {
        let hash = GateHash::new(&[1; 32]);
        let base = hash.of(Label(5), 7);
        assert!(base == hash.of(Label(5), 7));
        assert!(base != hash.of(Label(6), 7) && base != hash.of(Label(5), 8));
        assert!(base != GateHash::new(&[2; 32]).of(Label(5), 7));
    }

    #[test]
    fn a_label_times_a_bit() {
        assert!(Label(9).times(true) == Label(9) && Label(9).times(false) == Label(0));
    }
}
