//! Records in a file that is only ever appended to.
//!
//! The file begins with `PVLEDG1` and a newline. Each record is its length (4 bytes, little-endian), the first 4 bytes of the
//! length's BLAKE3 hash, the first 16 bytes of the record's hash, and the record. A record that was cut off at the end of the file
//! was never acted upon, so it is dropped when the file is opened; anything else that is wrong is an error, because what was
//! spent would be forgotten.

use super::{LedgerError, LedgerRecord, LedgerStore};
use std::fmt::Debug;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"PVLEDG1\n";
const LENGTH_BYTES: usize = 4;
const LENGTH_CHECK_BYTES: usize = 4;
const CHECK_BYTES: usize = 16;
const FRAME_BYTES: usize = LENGTH_BYTES + LENGTH_CHECK_BYTES + CHECK_BYTES;

/// Records in a file, locked against other programs as long as this value lives.
#[derive(Debug)]
pub struct FileLedger {
    log: Log<File>,
}

impl FileLedger {
    /// Opens the file, or makes it. Only its owner may read it where the system knows owners.
    ///
    /// # Errors
    /// When it cannot be opened, or another program has it open.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(storage("opened"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::InUse),
            Err(TryLockError::Error(error)) => return Err(storage("locked")(error)),
        }
        // A new name must survive a loss of power as well as what it names.
        if let Some(folder) = path.parent() {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(storage("opened"))?;
        }
        Ok(Self { log: Log { medium: file, end: None } })
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
    /// Where the next record begins, if it is known that everything before was loaded and nothing is behind.
    end: Option<u64>,
}

impl<M: Medium> Log<M> {
    fn load(&mut self) -> Result<Vec<LedgerRecord>, LedgerError> {
        let mut bytes = Vec::new();
        self.medium.seek(SeekFrom::Start(0)).map_err(storage("read"))?;
        self.medium.read_to_end(&mut bytes).map_err(storage("read"))?;
        // The beginning of a file that was being made.
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(&bytes) {
            self.cut(0)?;
            self.write_at(0, MAGIC)?;
            return Ok(Vec::new());
        }
        let body = bytes.strip_prefix(MAGIC).ok_or(LedgerError::Damaged { reason: "it is no ledger" })?;
        let (records, whole) = read_records(body)?;
        self.end = Some(bytes.len() as u64);
        if whole < body.len() {
            self.cut((MAGIC.len() + whole) as u64)?;
        }
        Ok(records)
    }

    fn append(&mut self, record: &LedgerRecord) -> Result<(), LedgerError> {
        let payload = record.to_bytes();
        let length = u32::try_from(payload.len()).map_err(|_| LedgerError::Storage {
            action: "written",
            reason: "the record is larger than 4 GB".to_owned(),
        })?;
        let mut frame = Vec::with_capacity(FRAME_BYTES + payload.len());
        frame.extend_from_slice(&length.to_le_bytes());
        frame.extend_from_slice(&length_check(length));
        frame.extend_from_slice(&blake3::hash(&payload).as_bytes()[..CHECK_BYTES]);
        frame.extend_from_slice(&payload);
        // A record that could not be removed may be whole. Writing on would let two draws of one epoch leave.
        let end = self.end.ok_or_else(|| LedgerError::Storage {
            action: "written",
            reason: "an earlier write failed, so it has to be opened again".to_owned(),
        })?;
        self.write_at(end, &frame)
    }

    /// Drops what lies behind `end`.
    fn cut(&mut self, end: u64) -> Result<(), LedgerError> {
        self.end = None;
        self.medium.set_len(end).and_then(|()| self.medium.sync()).map_err(storage("written"))?;
        self.end = Some(end);
        Ok(())
    }

    /// Writes at the end, and returns when it is sure to stay there. What a failure left behind is cut off again; if that fails
    /// too, nothing more is written before the file was loaded again.
    fn write_at(&mut self, end: u64, bytes: &[u8]) -> Result<(), LedgerError> {
        self.end = None;
        let written = self
            .medium
            .seek(SeekFrom::Start(end))
            .and_then(|_| self.medium.write_all(bytes))
            .and_then(|()| self.medium.sync());
        match written {
            Ok(()) => {
                self.end = Some(end + bytes.len() as u64);
                Ok(())
            }
            Err(error) => {
                self.cut(end).ok();
                Err(storage("written")(error))
            }
        }
    }
}

fn length_check(length: u32) -> [u8; LENGTH_CHECK_BYTES] {
    let mut check = [0; LENGTH_CHECK_BYTES];
    check.copy_from_slice(&blake3::hash(&length.to_le_bytes()).as_bytes()[..LENGTH_CHECK_BYTES]);
    check
}

/// The records, and how many bytes they have without a last one that was cut off.
fn read_records(body: &[u8]) -> Result<(Vec<LedgerRecord>, usize), LedgerError> {
    let mut records = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        let whole = body.len() - rest.len();
        // Some file systems fill what was not written with zeros.
        let is_cut_off = rest.len() < FRAME_BYTES || rest.iter().all(|byte| *byte == 0);
        if is_cut_off {
            return Ok((records, whole));
        }
        let (head, behind) = rest.split_at(FRAME_BYTES);
        let mut length = [0; LENGTH_BYTES];
        length.copy_from_slice(&head[..LENGTH_BYTES]);
        let length = u32::from_le_bytes(length);
        if head[LENGTH_BYTES..LENGTH_BYTES + LENGTH_CHECK_BYTES] != length_check(length) {
            return Err(LedgerError::Damaged { reason: "the length of a record was changed" });
        }
        let Some((payload, next)) = behind.split_at_checked(length as usize) else {
            return Ok((records, whole));
        };
        if head[FRAME_BYTES - CHECK_BYTES..] != blake3::hash(payload).as_bytes()[..CHECK_BYTES] {
            if next.is_empty() {
                return Ok((records, whole));
            }
            return Err(LedgerError::Damaged { reason: "a record was changed" });
        }
        records.push(LedgerRecord::from_bytes(payload)?);
        rest = next;
    }
    Ok((records, body.len()))
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
        Log { medium: SmallDisk { content, room: usize::MAX, can_cut }, end: None }
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
        for room in whole.len()..whole.len() * 2 - MAGIC.len() {
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
}
