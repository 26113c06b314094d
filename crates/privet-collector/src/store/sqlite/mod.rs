//! Everything in one file of this machine.
//!
//! The file has a write-ahead log that is flushed to the disk before a transaction ends, so what is committed survives a power cut. One
//! connection writes; readers see the last committed state and wait for nobody.

mod ids;
mod schema;
mod transaction;

use super::{Shard, Store, StoreError, Transaction};
use ids::Directories;
use rusqlite::{Connection, ErrorCode};
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use transaction::SqliteTransaction;

/// A file with everything.
pub(crate) struct SqliteStore {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    directories: Directories,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SqliteStore({})", self.path.display())
    }
}

/// Readers that are kept for the next one.
const MOST_IDLE_READERS: usize = 8;

impl SqliteStore {
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let writer = connect(path)?;
        // The log is moved into the file every 64 MB.
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL;
                 PRAGMA cache_size = -65536;
                 PRAGMA wal_autocheckpoint = 16384;
                 PRAGMA journal_size_limit = 268435456;",
            )
            .map_err(refused)?;
        schema::migrate(&writer, schema::MIGRATIONS)?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::default(),
            directories: Directories::default(),
        })
    }
}

#[cfg(test)]
impl SqliteStore {
    /// Pretends that the disk has room for so many pages.
    pub(crate) fn limit_pages(&self, pages: u32) {
        lock(&self.writer).execute_batch(&format!("PRAGMA max_page_count = {pages}")).unwrap();
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path).map_err(refused)?;
    connection
        .execute_batch("PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY;")
        .map_err(refused)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

impl Store for SqliteStore {
    fn read(&self) -> Result<Box<dyn Transaction + '_>, StoreError> {
        let idle = lock(&self.readers).pop();
        let connection = idle.map_or_else(|| connect(&self.path), Ok)?;
        let lease = Lease::Reader { connection: Some(connection), idle: &self.readers };
        Ok(Box::new(SqliteTransaction::begin(lease, &self.directories, "BEGIN DEFERRED")?))
    }

    fn write(&self) -> Result<Box<dyn Transaction + '_>, StoreError> {
        let lease = Lease::Writer(lock(&self.writer));
        Ok(Box::new(SqliteTransaction::begin(lease, &self.directories, "BEGIN IMMEDIATE")?))
    }

    fn shard(&self) -> Shard {
        Shard::FIRST
    }
}

/// A panic elsewhere leaves a connection as it is: its transaction was rolled back when it was dropped.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection for the time of one transaction.
enum Lease<'a> {
    Writer(MutexGuard<'a, Connection>),
    Reader { connection: Option<Connection>, idle: &'a Mutex<Vec<Connection>> },
}

impl Lease<'_> {
    fn connection(&self) -> Result<&Connection, StoreError> {
        match self {
            Self::Writer(connection) => Ok(connection.deref()),
            Self::Reader { connection, .. } => {
                connection.as_ref().ok_or_else(|| StoreError::Damaged("the transaction is over".to_owned()))
            }
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Self::Reader { connection, idle } = self {
            let mut idle = lock(idle);
            if idle.len() < MOST_IDLE_READERS {
                idle.extend(connection.take());
            }
        }
    }
}

/// What went wrong, without the values of any statement.
fn refused(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) | None => {
            StoreError::Damaged(error.to_string())
        }
        Some(_) => StoreError::Unavailable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_files_migrate_and_newer_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let first = connect(&path).unwrap();
        schema::migrate(&first, &schema::MIGRATIONS[..1]).unwrap();
        first
            .execute("INSERT INTO collections (id, policy, created) VALUES (zeroblob(32), 'a policy', 7)", [])
            .unwrap();
        drop(first);
        let store = SqliteStore::open(&path).unwrap();
        let kept =
            store.read().unwrap().collection(privet_policy::PolicyId::from_bytes([0; 32])).unwrap().unwrap();
        assert_eq!((kept.policy.as_str(), kept.created, kept.token_key), ("a policy", 7, None));
        store.writer.lock().unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
        drop(store);
        let known = schema::MIGRATIONS.len() as u32;
        assert_eq!(SqliteStore::open(&path).unwrap_err(), StoreError::Newer { found: 99, known });
    }
}
