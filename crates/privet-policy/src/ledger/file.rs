//! Records in a file that is only ever appended to.
//!
//! Each record is its length (4 bytes, little-endian), the first 16 bytes of its BLAKE3 hash, and the record. Before the records are the
//! [seals](super::seal), which tell a record that was never acknowledged, and may be dropped, from one that was changed: that is an error,
//! because what was spent would be forgotten.

use super::seal::Seals;
use super::{LedgerError, LedgerRecord, LedgerStore};
use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const LENGTH_BYTES: usize = 4;
const CHECK_BYTES: usize = 16;

/// How long a lock is waited for. A process that is being started holds the locks of its parent for a moment, also those that the parent
/// has given back meanwhile.
const PATIENCE: Duration = Duration::from_secs(1);

/// Records in a file, locked against other programs as long as this value lives.
#[derive(Debug)]
pub struct FileLedger {
    log: Log<File>,
}

impl FileLedger {
    /// Opens the file, or makes it. Only its owner may read it where the system knows owners.
    ///
    /// # Errors
    /// When it cannot be opened, or another program has it open and keeps it for a second.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(storage("opened"))?;
        lock(&file)?;
        // A new name must survive a loss of power as well as what it names.
        if let Some(folder) = path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(storage("opened"))?;
        }
        Ok(Self { log: Log { medium: file, seals: None } })
    }
}

/// Locks the file, or says after [`PATIENCE`] that another program has it.
fn lock(file: &File) -> Result<(), LedgerError> {
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(storage("locked")(error)),
            Err(TryLockError::WouldBlock) if start.elapsed() >= PATIENCE => return Err(LedgerError::InUse),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PATIENCE / 100),
        }
    }
}

impl LedgerStore for FileLedger {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        self.log.load()
    }

    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError> {
        self.log.append(record)
    }
}

fn storage(action: &'static str) -> impl Fn(io::Error) -> LedgerError {
    move |error| LedgerError::Storage { action, reason: error.to_string() }
}

/// What a log is written to. Tests write to something that fails half way.
trait Medium: Read + Write + Seek + Debug {
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

impl Medium for File {
    fn set_len(&mut self, length: u64) -> io::Result<()> {
        File::set_len(self, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

#[derive(Debug)]
struct Log<M> {
    medium: M,
    /// The seals, if it is known that everything before was loaded and nothing is behind.
    seals: Option<Seals>,
}

impl<M: Medium> Log<M> {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        self.seals = None;
        let mut bytes = Vec::new();
        self.medium.seek(SeekFrom::Start(0)).map_err(storage("read"))?;
        self.medium.read_to_end(&mut bytes).map_err(storage("read"))?;
        if Seals::is_unfinished(&bytes) {
            self.cut(0)?;
            self.write_at(0, &Seals::new_file())?;
            self.seals = Some(Seals::NEW);
            return Ok(Vec::new());
        }
        let mut seals = Seals::read(&bytes)?;
        let acknowledged = usize::try_from(seals.acknowledged()).ok();
        let Some((sealed, tail)) = acknowledged.and_then(|length| bytes.split_at_checked(length)) else {
            return Err(LedgerError::Damaged { reason: "its end is missing" });
        };
        let mut records = read_records(&sealed[Seals::END..])?;
        match read_frame(tail) {
            Some((record, [])) => {
                records.push(record?);
                self.seal(&mut seals, bytes.len() as u64)?;
            }
            _ if !seals.are_sound() => return Err(LedgerError::Damaged { reason: "a record was changed" }),
            _ if tail.is_empty() => {}
            _ => self.cut(sealed.len() as u64)?,
        }
        self.seals = Some(seals);
        Ok(records)
    }

    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError> {
        let payload = record.to_bytes();
        let length = u32::try_from(payload.len()).map_err(|_| LedgerError::Storage {
            action: "written",
            reason: "the record is larger than 4 GB".to_owned(),
        })?;
        let frame = [&length.to_le_bytes(), &check_of(&payload)[..], &payload].concat();
        // A record that could not be removed may be whole. Writing on would let two draws of one epoch leave.
        let mut seals = self.seals.take().ok_or_else(|| LedgerError::Storage {
            action: "written",
            reason: "an earlier write failed, so it has to be opened again".to_owned(),
        })?;
        let end = seals.acknowledged();
        if let Err(error) = self.write_at(end, &frame) {
            // What is left of it is cut off; if that fails too, it is when the file is loaded again.
            self.seals = self.cut(end).ok().map(|()| seals);
            return Err(error);
        }
        // If this fails nobody knows what the seal is, so the record stays where it is until the file is loaded again.
        self.seal(&mut seals, end + frame.len() as u64)?;
        self.seals = Some(seals);
        Ok(())
    }

    /// Acknowledges everything before `end`, which has reached the disk.
    fn seal(&mut self, seals: &mut Seals, end: u64) -> Result<(), LedgerError> {
        let (place, seal) = seals.renew(end);
        self.write_at(place, &seal)
    }

    /// Drops what lies behind `end`.
    fn cut(&mut self, end: u64) -> Result<(), LedgerError> {
        self.medium.set_len(end).and_then(|()| self.medium.sync()).map_err(storage("written"))
    }

    /// Writes at a place, and returns when it is sure to stay there.
    fn write_at(&mut self, place: u64, bytes: &[u8]) -> Result<(), LedgerError> {
        self.medium
            .seek(SeekFrom::Start(place))
            .and_then(|_| self.medium.write_all(bytes))
            .and_then(|()| self.medium.sync())
            .map_err(storage("written"))
    }
}

fn check_of(payload: &[u8]) -> [u8; CHECK_BYTES] {
    let mut check = [0; CHECK_BYTES];
    check.copy_from_slice(&blake3::hash(payload).as_bytes()[..CHECK_BYTES]);
    check
}

/// Records that were acknowledged.
fn read_records(mut bytes: &[u8]) -> Result<Vec<LedgerRecord>, LedgerError> {
    let mut records = Vec::new();
    while !bytes.is_empty() {
        let Some((record, rest)) = read_frame(bytes) else {
            return Err(LedgerError::Damaged { reason: "a record was changed" });
        };
        records.push(record?);
        bytes = rest;
    }
    Ok(records)
}

/// The first record and what lies behind it, if the record is as it was written.
fn read_frame(bytes: &[u8]) -> Option<(Result<LedgerRecord, LedgerError>, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
    let (check, rest) = rest.split_first_chunk::<CHECK_BYTES>()?;
    let (payload, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (check_of(payload) == *check).then(|| (LedgerRecord::from_bytes(payload), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::Date;
    use crate::resolved::PolicyId;

    /// A disk with room for some bytes. What no longer fits is written half, and whether the damage can be undone is up to the
    /// test.
    #[derive(Debug)]
    struct SmallDisk {
        content: io::Cursor<Vec<u8>>,
        room: usize,
        can_cut: bool,
    }

    impl Read for SmallDisk {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.content.read(buffer)
        }
    }

    impl Seek for SmallDisk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.content.seek(to)
        }
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let free = self.room.saturating_sub(self.content.position() as usize);
            if free == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.content.write(&bytes[..bytes.len().min(free)])
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Medium for SmallDisk {
        fn set_len(&mut self, length: u64) -> io::Result<()> {
            if !self.can_cut && length < self.content.get_ref().len() as u64 {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            self.content.get_mut().resize(length as usize, 0);
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn record(epoch: u32) -> LedgerRecord {
        LedgerRecord {
            collection: PolicyId::from_bytes([3; 32]),
            origin: "o.example".to_owned(),
            day: Date::new(2026, 3, 1).unwrap(),
            epoch,
            charges: Vec::new(),
            report: vec![1, 2, 3],
        }
    }

    fn log(can_cut: bool) -> Log<SmallDisk> {
        let content = io::Cursor::new(Vec::new());
        Log { medium: SmallDisk { content, room: usize::MAX, can_cut }, seals: None }
    }

    fn epochs(log: &mut Log<SmallDisk>) -> Vec<u32> {
        log.load().unwrap().iter().map(|record| record.epoch).collect()
    }

    #[test]
    fn a_write_that_fails_half_way_leaves_nothing() {
        let mut log = log(true);
        assert!(log.load().unwrap().is_empty());
        log.append(&record(1)).unwrap();
        let whole = log.medium.content.get_ref().clone();
        for room in whole.len()..whole.len() * 2 - Seals::END {
            log.medium.room = room;
            assert_eq!(log.append(&record(2)).unwrap_err().code(), "ledger-storage", "{room}");
            assert_eq!(*log.medium.content.get_ref(), whole, "{room}");
        }
        log.medium.room = usize::MAX;
        log.append(&record(3)).unwrap();
        assert_eq!(epochs(&mut log), [1, 3]);
    }

    /// If the half record cannot be cut off either, nothing is written behind it until the file was loaded again.
    #[test]
    fn nothing_is_written_behind_half_a_record() {
        let mut log = log(true);
        log.load().unwrap();
        log.append(&record(1)).unwrap();
        log.medium.can_cut = false;
        log.medium.room = log.medium.content.get_ref().len() + 30;
        assert!(log.append(&record(2)).is_err());
        log.medium.room = usize::MAX;
        log.medium.can_cut = true;
        assert!(log.append(&record(3)).is_err());
        assert_eq!(epochs(&mut log), [1]);
        log.append(&record(4)).unwrap();
        assert_eq!(epochs(&mut log), [1, 4]);
    }

    #[test]
    fn something_else_is_no_ledger_and_stays_as_it_is() {
        let mut log = log(true);
        let letter = b"Dear ledger, ...".to_vec();
        *log.medium.content.get_mut() = letter.clone();
        assert_eq!(log.load().unwrap_err().code(), "ledger-damaged");
        assert_eq!(*log.medium.content.get_ref(), letter);
    }

    /// A ledger with records of the epochs 1 and 2, and how long it was with the first one only.
    fn two_records() -> (Vec<u8>, usize) {
        let mut log = log(true);
        log.load().unwrap();
        log.append(&record(1)).unwrap();
        let one = log.medium.content.get_ref().len();
        log.append(&record(2)).unwrap();
        (log.medium.content.into_inner(), one)
    }

    /// The epochs of a file's records, and what became of the file.
    fn open(file: &[u8]) -> (Result<Vec<u32>, LedgerError>, Log<SmallDisk>) {
        let mut log = log(true);
        *log.medium.content.get_mut() = file.to_vec();
        let records = log.load();
        (records.map(|records| records.iter().map(|record| record.epoch).collect()), log)
    }

    /// The power fails while a record is written: the seals are those of before, and of the record any part has reached the disk, with
    /// zeros or nothing in place of the rest. It was never acknowledged, so it may go; what was acknowledged stays.
    #[test]
    fn a_record_that_was_never_acknowledged_is_cut_off() {
        let (two, one) = two_records();
        let mut before = log(true);
        before.load().unwrap();
        before.append(&record(1)).unwrap();
        let before = before.medium.content.into_inner();
        for written in 0..two.len() - one {
            let part = &two[one..one + written];
            let zeros = vec![0; two.len() - one - written];
            for tail in [part.to_vec(), [part, &zeros].concat()] {
                let (epochs, mut log) = open(&[&before, tail.as_slice()].concat());
                assert_eq!(epochs.unwrap(), [1], "{written}");
                assert_eq!(*log.medium.content.get_ref(), before);
                log.append(&record(3)).unwrap();
                assert_eq!(super::tests::epochs(&mut log), [1, 3]);
            }
        }
        // Whole, but without its seal: it is kept, which forgets nothing.
        let (epochs, log) = open(&[&before, &two[one..]].concat());
        assert_eq!(epochs.unwrap(), [1, 2]);
        assert_eq!(*log.medium.content.get_ref(), two);
    }

    /// The power fails while the seal is written: any part of it has reached the disk, and the record is there.
    #[test]
    fn a_record_whose_seal_was_being_written_is_kept() {
        let (two, one) = two_records();
        let mut log = log(true);
        log.load().unwrap();
        log.append(&record(1)).unwrap();
        let before = log.medium.content.into_inner();
        let unsealed = [&before, &two[one..]].concat();
        let changed: Vec<usize> = (0..Seals::END).filter(|at| unsealed[*at] != two[*at]).collect();
        assert!(!changed.is_empty() && changed.len() <= 16);
        for written in 0..=changed.len() {
            let mut file = unsealed.clone();
            changed[..written].iter().for_each(|at| file[*at] = two[*at]);
            let (epochs, mut log) = open(&file);
            assert_eq!(epochs.unwrap(), [1, 2], "{written}");
            log.append(&record(3)).unwrap();
            assert_eq!(super::tests::epochs(&mut log), [1, 2, 3]);
        }
    }

    /// Whatever byte is changed or whatever end is missing, no record that was acknowledged is forgotten.
    #[test]
    fn nothing_that_was_acknowledged_is_forgotten() {
        let (two, one) = two_records();
        for at in 0..two.len() {
            for bits in [1, 0x80, 0xff, two[at]] {
                let mut file = two.clone();
                file[at] ^= bits;
                if file == two {
                    continue;
                }
                let (epochs, log) = open(&file);
                match epochs {
                    // One of the seals was changed, and the other one and the record behind it are sound.
                    Ok(epochs) => assert!(epochs == [1, 2] && at < Seals::END, "{at}"),
                    Err(error) => {
                        assert_eq!(error.code(), "ledger-damaged", "{at}");
                        assert_eq!(*log.medium.content.get_ref(), file, "a damaged ledger is left as it is");
                    }
                }
                assert!(at < one || open(&file).0.is_err(), "the last record, byte {at}");
            }
        }
        // All that is left of a ledger that is cut within its first line looks like one that was being made.
        for length in 9..two.len() {
            assert_eq!(open(&two[..length]).0.unwrap_err().code(), "ledger-damaged", "{length}");
        }
    }

    /// Without its seal an acknowledged record looks like one that never was. The unsound seal tells that there was one.
    #[test]
    fn a_record_that_is_changed_together_with_its_seal_is_not_forgotten() {
        let (two, one) = two_records();
        // The seal that would be renewed next is the older one. The other one acknowledges the last record.
        let (older, seal) = Seals::read(&two).unwrap().renew(0);
        let older = older as usize..older as usize + seal.len();
        for at in (8..Seals::END).filter(|at| !older.contains(at)) {
            for end in [one, one + 7, two.len()] {
                let mut file = two[..end].to_vec();
                file[at] ^= 1;
                if end == two.len() {
                    file[end - 1] ^= 1;
                }
                let (epochs, log) = open(&file);
                assert_eq!(epochs.unwrap_err().code(), "ledger-damaged", "{at} {end}");
                assert_eq!(*log.medium.content.get_ref(), file);
            }
        }
    }

    #[test]
    fn a_ledger_that_was_being_made_is_made_again() {
        let new = Seals::new_file();
        for written in 0..=new.len() {
            for zeros in [0, new.len() - written] {
                let (epochs, mut log) = open(&[&new[..written], &vec![0; zeros]].concat());
                assert_eq!(epochs.unwrap(), [0; 0], "{written}");
                log.append(&record(1)).unwrap();
                assert_eq!(super::tests::epochs(&mut log), [1]);
            }
        }
    }
}
