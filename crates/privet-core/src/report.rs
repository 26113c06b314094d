//! Reports as bytes: fixed length, little-endian, the same for every input.

use crate::error::ReportError;
use crate::fingerprint::Fingerprint;
use std::fmt;

/// Many reports of one mechanism, one after the other, each with the same number of bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct ReportBuffer {
    report_bytes: usize,
    bytes: Vec<u8>,
}

impl ReportBuffer {
    /// An empty buffer for reports of `report_bytes` bytes (at least one).
    pub fn new(report_bytes: usize) -> Self {
        Self { report_bytes: report_bytes.max(1), bytes: Vec::new() }
    }

    /// The reports in bytes that hold them one after the other.
    ///
    /// # Errors
    /// When the bytes are not a whole number of reports.
    pub fn from_bytes(report_bytes: usize, bytes: Vec<u8>) -> Result<Self, ReportError> {
        let empty = Self::new(report_bytes);
        let beyond = bytes.len() % empty.report_bytes;
        if beyond > 0 {
            return Err(ReportError::Length { expected: empty.report_bytes, got: beyond });
        }
        Ok(Self { bytes, ..empty })
    }

    /// All bytes, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How many bytes each report has.
    pub fn report_bytes(&self) -> usize {
        self.report_bytes
    }

    /// How many reports there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.report_bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The reports, one slice each.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, u8> {
        self.bytes.chunks_exact(self.report_bytes)
    }

    /// All bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Adds a report that was received.
    ///
    /// # Errors
    /// When its length is not that of this buffer.
    pub fn push(&mut self, report: &[u8]) -> Result<(), ReportError> {
        if report.len() != self.report_bytes {
            return Err(ReportError::Length { expected: self.report_bytes, got: report.len() });
        }
        self.bytes.extend_from_slice(report);
        Ok(())
    }

    /// Adds all reports of another buffer.
    ///
    /// # Errors
    /// When their length is not that of this buffer.
    pub fn append(&mut self, other: &Self) -> Result<(), ReportError> {
        if other.report_bytes != self.report_bytes {
            return Err(ReportError::Length { expected: self.report_bytes, got: other.report_bytes });
        }
        self.bytes.extend_from_slice(&other.bytes);
        Ok(())
    }

    /// Adds `count` zeroed reports and gives their slots to fill.
    pub fn extend_slots(&mut self, count: usize) -> std::slice::ChunksExactMut<'_, u8> {
        let report_bytes = self.report_bytes;
        self.extend_bytes(count).chunks_exact_mut(report_bytes)
    }

    /// Adds `count` zeroed reports and gives all their bytes to fill.
    pub fn extend_bytes(&mut self, count: usize) -> &mut [u8] {
        let start = self.bytes.len();
        self.bytes.resize(start + count * self.report_bytes, 0);
        &mut self.bytes[start..]
    }

    /// Forgets the reports and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

impl fmt::Debug for ReportBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ReportBuffer({} reports of {} bytes)", self.len(), self.report_bytes)
    }
}

/// A report that is the index of one of a public number of outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Category(pub u32);

impl Category {
    /// How many bits an index below `count` needs.
    pub fn bits(count: u32) -> u32 {
        (u32::BITS - (count.max(2) - 1).leading_zeros()).max(1)
    }

    /// Writes indices into slots of equal length, which are all of `slots`, as [`Category::write`] does.
    ///
    /// Loops over lengths that are known in advance become vector instructions.
    #[inline(always)]
    pub fn write_all(indices: &[u32], slots: &mut [u8]) {
        match slots.len() / indices.len().max(1) {
            2 => {
                for (index, slot) in indices.iter().zip(slots.as_chunks_mut().0) {
                    *slot = (*index as u16).to_le_bytes();
                }
            }
            3 => {
                for (index, slot) in indices.iter().zip(slots.as_chunks_mut().0) {
                    let [first, second, third, _] = index.to_le_bytes();
                    *slot = [first, second, third];
                }
            }
            width => {
                for (index, slot) in indices.iter().zip(slots.chunks_exact_mut(width.max(1))) {
                    Self(*index).write(slot);
                }
            }
        }
    }

    /// Writes the index into all of `slot`.
    #[inline]
    pub fn write(self, slot: &mut [u8]) {
        match slot {
            [byte] => *byte = self.0 as u8,
            // Copies of a length known in advance are a plain store; the general case calls a function.
            [_, _] => slot.copy_from_slice(&(self.0 as u16).to_le_bytes()),
            [_, _, _] => slot.copy_from_slice(&self.0.to_le_bytes()[..3]),
            _ => {
                let width = slot.len().min(4);
                slot[..width].copy_from_slice(&self.0.to_le_bytes()[..width]);
            }
        }
    }

    /// Reads an index below `count` from all of `slot`.
    ///
    /// # Errors
    /// When the index is not below `count`.
    #[inline]
    pub fn read(slot: &[u8], count: u32) -> Result<Self, ReportError> {
        let mut bytes = [0; 4];
        let width = slot.len().min(4);
        bytes[..width].copy_from_slice(&slot[..width]);
        let index = u32::from_le_bytes(bytes);
        if index < count {
            Ok(Self(index))
        } else {
            Err(ReportError::Impossible { reason: "an index beyond the last outcome" })
        }
    }
}

/// A report that is a string of bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitVector {
    words: Vec<u64>,
    len: usize,
}

impl BitVector {
    /// All bits zero.
    pub fn zeros(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// Bits from whole words; bits beyond `len` are cleared.
    pub fn from_words(mut words: Vec<u64>, len: usize) -> Self {
        words.resize(len.div_ceil(64), 0);
        if let (Some(last), used @ 1..) = (words.last_mut(), len % 64) {
            *last &= (1 << used) - 1;
        }
        Self { words, len }
    }

    /// Bits from bytes, eight to a byte, lowest first; bits beyond `len` are cleared.
    pub fn from_bytes(bytes: &[u8], len: usize) -> Self {
        Self::from_words(bytes.chunks(8).map(word_of).collect(), len)
    }

    /// How many bits there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits in words of 64, lowest first.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// One bit; false beyond the end.
    #[inline]
    pub fn get(&self, index: usize) -> bool {
        self.words.get(index / 64).is_some_and(|word| (word >> (index % 64)) & 1 == 1)
    }

    /// Sets one bit; nothing happens beyond the end.
    #[inline]
    pub fn set(&mut self, index: usize, value: bool) {
        if index < self.len {
            let mask = 1 << (index % 64);
            let word = &mut self.words[index / 64];
            *word = if value { *word | mask } else { *word & !mask };
        }
    }

    /// How many bits are one.
    pub fn count_ones(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Writes the bits into `slot`, eight to a byte, lowest first.
    pub fn write(&self, slot: &mut [u8]) {
        for (chunk, word) in slot.chunks_mut(8).zip(&self.words) {
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
    }

    /// Reads `len` bits from `slot`.
    ///
    /// # Errors
    /// When a bit beyond `len` is set: no mechanism writes that.
    pub fn read(slot: &[u8], len: usize) -> Result<Self, ReportError> {
        let words: Vec<u64> = slot.chunks(8).map(word_of).collect();
        let bits = Self::from_words(words.clone(), len);
        if bits.words == words {
            Ok(bits)
        } else {
            Err(ReportError::Impossible { reason: "a padding bit is set" })
        }
    }
}

/// Up to eight little-endian bytes as a word.
fn word_of(chunk: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..chunk.len()].copy_from_slice(chunk);
    u64::from_le_bytes(bytes)
}

impl fmt::Debug for BitVector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.len).try_for_each(|index| write!(formatter, "{}", u8::from(self.get(index))))
    }
}

/// A report on its way: version, mark, fingerprint of the mechanism, then the report itself.
///
/// The envelope of a mechanism's reports always has the same length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// The mechanism that made the reports.
    pub fingerprint: Fingerprint,
    /// Whether the reports were drawn from an insecure seed.
    pub insecure: bool,
}

impl Envelope {
    /// The version that this program writes.
    pub const VERSION: u8 = 1;
    /// How many bytes come before the report.
    pub const HEADER_BYTES: usize = 2 + Fingerprint::BYTES;

    /// The bytes before the report.
    pub fn header(&self) -> [u8; Self::HEADER_BYTES] {
        let mut header = [0; Self::HEADER_BYTES];
        header[0] = Self::VERSION;
        header[1] = u8::from(self.insecure);
        header[2..].copy_from_slice(&self.fingerprint.to_bytes());
        header
    }

    /// Checks the header and gives the report behind it.
    ///
    /// # Errors
    /// When the version is unknown, the report was made by another mechanism, or its mark is not this
    /// envelope's: seeded reports are only read by those who ask for them.
    pub fn open<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], ReportError> {
        let expected = self.header();
        let Some((header, report)) = bytes.split_at_checked(Self::HEADER_BYTES) else {
            return Err(ReportError::Length { expected: Self::HEADER_BYTES, got: bytes.len() });
        };
        if header == expected {
            return Ok(report);
        }
        Err(self.refuse(header))
    }

    /// Why a header is not this envelope's.
    fn refuse(&self, header: &[u8]) -> ReportError {
        let mut fingerprint = [0; Fingerprint::BYTES];
        fingerprint.copy_from_slice(&header[2..]);
        let got = Fingerprint::from_bytes(fingerprint);
        if header[0] != Self::VERSION {
            ReportError::Version { expected: Self::VERSION, got: header[0] }
        } else if got != self.fingerprint {
            ReportError::Foreign { expected: self.fingerprint.to_string(), got: got.to_string() }
        } else if header[1] == 1 {
            ReportError::InsecureSeed
        } else {
            ReportError::Mark
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_round_trip(words in prop::collection::vec(any::<u64>(), 1..5), cut in 0usize..64) {
            let len = words.len() * 64 - cut;
            let bits = BitVector::from_words(words, len);
            let mut slot = vec![0; len.div_ceil(8)];
            bits.write(&mut slot);
            prop_assert_eq!(BitVector::read(&slot, len).unwrap(), bits);
        }

        #[test]
        fn categories_round_trip(count in 2u32..=1 << 30, index in any::<prop::sample::Index>()) {
            let index = index.index(count as usize) as u32;
            let mut slot = vec![0; Category::bits(count).div_ceil(8) as usize];
            Category(index).write(&mut slot);
            prop_assert_eq!(Category::read(&slot, count).unwrap(), Category(index));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), len in 1usize..200) {
            let _ = BitVector::read(&bytes, len);
            let _ = Category::read(&bytes, 7);
            let _ = Envelope { fingerprint: Fingerprint::from_bytes([1; 8]), insecure: false }.open(&bytes);
        }
    }

    #[test]
    fn padding_must_be_zero() {
        assert!(BitVector::read(&[0b1000_0000], 7).is_err());
        assert!(BitVector::read(&[0b0111_1111], 7).is_ok());
        assert!(Category::read(&[200], 128).is_err());
    }

    #[test]
    fn buffers_hold_whole_reports() {
        let buffer = ReportBuffer::from_bytes(3, vec![1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(buffer.len(), 2);
        let mut twice = buffer.clone();
        twice.append(&buffer).unwrap();
        assert_eq!(twice.len(), 4);
        assert!(twice.append(&ReportBuffer::new(2)).is_err());
        assert_eq!(buffer.into_bytes(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            ReportBuffer::from_bytes(3, vec![0; 7]).unwrap_err(),
            ReportError::Length { expected: 3, got: 1 }
        );
    }

    #[test]
    fn index_widths() {
        assert_eq!(Category::bits(2), 1);
        assert_eq!(Category::bits(128), 7);
        assert_eq!(Category::bits(129), 8);
        assert_eq!(Category::bits(256), 8);
        assert_eq!(Category::bits(257), 9);
    }

    #[test]
    fn envelopes_tell_strangers_apart() {
        let ours = Envelope { fingerprint: Fingerprint::from_bytes([1; 8]), insecure: false };
        let seeded = Envelope { insecure: true, ..ours };
        let foreign = Envelope { fingerprint: Fingerprint::from_bytes([2; 8]), ..ours };
        let seal = |envelope: Envelope| [&envelope.header()[..], &[9]].concat();
        assert_eq!(ours.open(&seal(ours)).unwrap(), [9]);
        assert_eq!(ours.open(&seal(seeded)).unwrap_err(), ReportError::InsecureSeed);
        assert!(matches!(ours.open(&seal(foreign)), Err(ReportError::Foreign { .. })));
        assert!(matches!(ours.open(&[1, 2]), Err(ReportError::Length { .. })));
        let mut newer = seal(ours);
        newer[0] = 2;
        assert_eq!(ours.open(&newer).unwrap_err(), ReportError::Version { expected: 1, got: 2 });
    }
}
