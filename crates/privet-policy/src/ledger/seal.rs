//! How much of a ledger's file was acknowledged.
//!
//! The file begins with `PVLEDG2`, a newline and two seals. A seal is a length of the file (8 bytes, little-endian) and the first 8 bytes of
//! the length's BLAKE3 hash. Behind the seals are the records.
//!
//! A record is appended in two steps: it is written and flushed to the disk, and then the older of the two seals is overwritten with the new
//! length and flushed. Only then is the record acknowledged, and only then may a report leave. So after a loss of power at any moment
//!
//! - everything below the larger seal was acknowledged, and must be there as it was written;
//! - what lies behind was not. It may be cut off, filled with zeros, or whole; if it is whole it is kept, which forgets nothing;
//! - while a record is being written, both seals are sound. A seal that is not was being overwritten, so the record behind the other one had
//!   reached the disk: if that record is not sound either, it was changed later.
//!
//! With one mark behind each record instead, an end that somebody cut off could not be told from one that was never written.

use super::LedgerError;

const MAGIC: &[u8; 8] = b"PVLEDG2\n";
const LENGTH_BYTES: usize = 8;
const SEAL_BYTES: usize = 2 * LENGTH_BYTES;

/// The seals of a file, in the order in which they stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seals([Option<u64>; 2]);

impl Seals {
    /// Where the records begin.
    pub(super) const END: usize = MAGIC.len() + 2 * SEAL_BYTES;

    /// Those of a ledger without records.
    pub(super) const NEW: Self = Self([Some(Self::END as u64); 2]);

    /// The beginning of a new file.
    pub(super) fn new_file() -> Vec<u8> {
        let seal = seal(Self::END as u64);
        [MAGIC.as_slice(), &seal, &seal].concat()
    }

    /// Whether a file is the beginning of a new one that was not finished: the rest is missing or filled with zeros.
    pub(super) fn is_unfinished(file: &[u8]) -> bool {
        let new = Self::new_file();
        let written = file.iter().zip(&new).take_while(|(is, should)| is == should).count();
        file.len() <= new.len() && written < new.len() && file[written..].iter().all(|byte| *byte == 0)
    }

    /// The seals of a file.
    pub(super) fn read(file: &[u8]) -> Result<Self, LedgerError> {
        let body = file.strip_prefix(MAGIC).ok_or(LedgerError::Damaged { reason: "it is no ledger" })?;
        let Some((seals, _)) = body.split_at_checked(2 * SEAL_BYTES) else {
            return Err(LedgerError::Damaged { reason: "its end is missing" });
        };
        let (first, second) = seals.split_at(SEAL_BYTES);
        let found = Self([first, second].map(read_seal));
        if found.0 == [None, None] {
            return Err(LedgerError::Damaged { reason: "its seals were changed" });
        }
        Ok(found)
    }

    /// How long the file was when its last record was acknowledged.
    pub(super) fn acknowledged(&self) -> u64 {
        self.0.into_iter().flatten().max().unwrap_or(Self::END as u64)
    }

    /// Whether both are sound.
    pub(super) fn are_sound(&self) -> bool {
        self.0.iter().all(Option::is_some)
    }

    /// Overwrites the older one: where in the file, and with which bytes.
    pub(super) fn renew(&mut self, length: u64) -> (u64, [u8; SEAL_BYTES]) {
        let place = usize::from(self.0[1] < self.0[0]);
        self.0[place] = Some(length);
        ((MAGIC.len() + place * SEAL_BYTES) as u64, seal(length))
    }
}

fn seal(length: u64) -> [u8; SEAL_BYTES] {
    let mut seal = [0; SEAL_BYTES];
    let (number, check) = seal.split_at_mut(LENGTH_BYTES);
    number.copy_from_slice(&length.to_le_bytes());
    check.copy_from_slice(&blake3::hash(&length.to_le_bytes()).as_bytes()[..LENGTH_BYTES]);
    seal
}

fn read_seal(bytes: &[u8]) -> Option<u64> {
    let length = u64::from_le_bytes(*bytes.first_chunk()?);
    (seal(length) == bytes && length >= Seals::END as u64).then_some(length)
}
