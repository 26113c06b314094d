//! The note that keeps a person from running twice.
//!
//! If a run could be repeated after an output has left, a partner could break off until its own bit is the one that says
//! most about the other's. So each person has a ledger for each collection, and it is spent *before* the first message
//! that can lead to an output leaves. A program that is killed in between has spent it too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A ledger that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The person has had the run of this collection, whether it ended well or not.
    #[error("this person has already had the run of this collection, and there is only one")]
    Spent,
    /// The ledger's storage failed, so nobody knows whether it is spent.
    #[error("the ledger of runs cannot be kept: {0}")]
    Storage(io::ErrorKind),
}

/// Whether one person has had the run of one collection. The caller keeps it where a restart cannot undo it.
pub trait RunLedger {
    /// Whether the run is spent.
    ///
    /// # Errors
    /// When the storage fails.
    fn is_spent(&self) -> Result<bool, LedgerError>;

    /// Spends the run. After `Ok` it stays spent, even if the power fails.
    ///
    /// # Errors
    /// When it was spent before, or the storage fails.
    fn spend(&mut self) -> Result<(), LedgerError>;
}

/// A ledger in a folder that belongs to one person: a file for each collection whose run is spent.
///
/// The file's existence is the note. The operating system makes it or says that it is there already, so of two programs
/// that race only one gets the run, and no moment exists at which a half-written note could be taken for none.
#[derive(Debug, Clone)]
pub struct FileLedger {
    folder: PathBuf,
    note: PathBuf,
}

impl FileLedger {
    /// The ledger of the person whose folder this is, for the collection with this name. The folder must exist.
    pub fn new(folder: &Path, collection: &str) -> Self {
        let digest = blake3::derive_key("privet-joint run ledger v1", collection.as_bytes());
        let name: String = digest[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Self { folder: folder.to_owned(), note: folder.join(format!("{name}.spent")) }
    }
}

impl RunLedger for FileLedger {
    fn is_spent(&self) -> Result<bool, LedgerError> {
        // A folder that is gone would look like one in which nothing is spent.
        fs::metadata(&self.folder).and_then(|_| self.note.try_exists()).map_err(storage)
    }

    fn spend(&mut self) -> Result<(), LedgerError> {
        let mut note =
            OpenOptions::new().write(true).create_new(true).open(&self.note).map_err(|error| match error
                .kind()
            {
                io::ErrorKind::AlreadyExists => LedgerError::Spent,
                _ => storage(error),
            })?;
        let written = note.write_all(b"spent\n").and_then(|()| note.sync_all());
        // The name is in the folder, which has a life of its own on the disk. Only Unix lets a program write it out.
        let sync_folder = || if cfg!(unix) { File::open(&self.folder)?.sync_all() } else { Ok(()) };
        written.and_then(|()| sync_folder()).map_err(storage)
    }
}

fn storage(error: io::Error) -> LedgerError {
    LedgerError::Storage(error.kind())
}

/// A ledger that lives as long as this program. For studies and tests: a restart forgets it.
#[derive(Debug, Default)]
pub struct MemoryLedger {
    is_spent: bool,
}

impl RunLedger for MemoryLedger {
    fn is_spent(&self) -> Result<bool, LedgerError> {
        Ok(self.is_spent)
    }

    fn spend(&mut self) -> Result<(), LedgerError> {
        match std::mem::replace(&mut self.is_spent, true) {
            true => Err(LedgerError::Spent),
            false => Ok(()),
        }
    }
}
