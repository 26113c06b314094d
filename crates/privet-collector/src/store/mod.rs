//! Where everything is kept: one contract, and two places that keep it.
//!
//! A [`Store`] begins transactions; a [`Transaction`] knows small steps only. What the steps add up to (submitting, withdrawing,
//! expiring) is written once, in `ingest` and `records`, for every store. All calls block: they are made from the writer's
//! thread or from threads that may wait.

mod postgres;
mod sqlite;
#[cfg(test)]
mod tests;

use crate::tokens::TokenName;
use privet_policy::{PolicyId, ReportId};
use std::fmt::{self, Debug};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// Where reports are kept.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A file of this machine.
    Sqlite(PathBuf),
    /// A server, for several collectors at once.
    Postgres(String),
}

impl FromStr for StoreAddress {
    type Err = NotAStore;

    fn from_str(text: &str) -> Result<Self, NotAStore> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(path.into()));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(NotAStore)
    }
}

/// Addresses of servers hold passwords.
impl Debug for StoreAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(formatter, "sqlite:{}", path.display()),
            Self::Postgres(_) => formatter.write_str("postgres://.."),
        }
    }
}

/// A text that is no address of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a store is written sqlite:FILE or postgres://USER@HOST/DATABASE")]
pub struct NotAStore;

/// Why the store did not do what was asked. Nothing was kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached, or is busy.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// There is no room left.
    #[error("the store is full")]
    Full,
    /// A newer program has written it.
    #[error(
        "the store has schema version {found}, and this program knows versions up to {known}: use a newer program"
    )]
    Newer {
        /// The version of the store.
        found: u32,
        /// The newest version that is known here.
        known: u32,
    },
    /// It holds something that this program cannot have written.
    #[error("the store is damaged: {0}")]
    Damaged(String),
}

/// The store's own number of a collection, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CollectionKey(pub(crate) i64);

/// A collection to be created.
#[derive(Debug)]
pub(crate) struct NewCollection<'a> {
    pub(crate) id: PolicyId,
    pub(crate) policy: &'a str,
    pub(crate) day: u32,
    /// The secret key of its submission tokens.
    pub(crate) token_key: Option<&'a [u8]>,
}

/// A collection as it is kept. Days are counted from 1970.
pub(crate) struct StoredCollection {
    pub(crate) key: CollectionKey,
    pub(crate) id: PolicyId,
    pub(crate) policy: String,
    pub(crate) created: u32,
    pub(crate) closed: Option<u32>,
    pub(crate) token_key: Option<Vec<u8>>,
}

/// A report to be kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewReport<'a> {
    pub(crate) id: ReportId,
    pub(crate) bytes: &'a [u8],
}

/// What is known about a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoredReport {
    Kept(Vec<u8>),
    Gone(Removal),
}

/// Why a report is not there any more. Its id stays, so that it cannot be counted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// It is as old as the policy allows. It still counts.
    Expired,
    /// Its person took it back. It does not count.
    Withdrawn,
}

/// Which counters of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CountersPlace {
    pub(crate) collection: CollectionKey,
    pub(crate) epoch: u32,
    pub(crate) shard: Shard,
}

/// Collectors on one store add to counters of their own, so that they do not wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shard(pub(crate) i16);

impl Shard {
    /// Counters of expired reports, which cannot be counted again from their bytes.
    pub(crate) const EXPIRED: Self = Self(-1);
    /// The counters of a single collector.
    pub(crate) const FIRST: Self = Self(0);
    /// How many collectors write without waiting for each other; more of them share.
    const COUNT: u8 = 16;
}

/// A summary that another collector made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignSummary {
    pub(crate) id: ReportId,
    pub(crate) source: String,
    pub(crate) epoch: u32,
    pub(crate) day: u32,
    pub(crate) bytes: Vec<u8>,
}

/// Begins transactions.
pub(crate) trait Store: Debug + Send + Sync {
    /// A view of one moment.
    fn read(&self) -> Result<Box<dyn Transaction + '_>, StoreError>;

    /// Changes that are kept together or not at all.
    fn write(&self) -> Result<Box<dyn Transaction + '_>, StoreError>;

    /// Whose counters this collector adds to.
    fn shard(&self) -> Shard;
}

/// Steps that are kept together or not at all. What is not committed is undone.
pub(crate) trait Transaction {
    /// Whether it is new.
    fn create_collection(&mut self, collection: &NewCollection<'_>) -> Result<bool, StoreError>;

    fn collection(&mut self, id: PolicyId) -> Result<Option<StoredCollection>, StoreError>;

    /// Collections by key, beginning behind one.
    fn collections(&mut self, after: CollectionKey, most: u32) -> Result<Vec<StoredCollection>, StoreError>;

    fn close_collection(&mut self, collection: CollectionKey, day: u32) -> Result<(), StoreError>;

    /// Whether a collection takes no more reports. It stays so until the transaction ends.
    fn is_closed(&mut self, collection: CollectionKey) -> Result<bool, StoreError>;

    /// Keeps reports whose ids are not known, and says which these are. Ids must be in ascending order.
    fn insert_reports(
        &mut self,
        collection: CollectionKey,
        day: u32,
        reports: &[NewReport<'_>],
    ) -> Result<Vec<bool>, StoreError>;

    /// What is known about reports, in the order of the ids. Reports that are kept stay so until the transaction ends.
    fn find_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
    ) -> Result<Vec<Option<StoredReport>>, StoreError>;

    /// Deletes the bytes of kept reports.
    fn remove_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
        why: Removal,
    ) -> Result<(), StoreError>;

    /// Some of the kept reports that arrived before a day.
    fn reports_before(
        &mut self,
        collection: CollectionKey,
        day: u32,
        most: u32,
    ) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Shows every kept report of a collection, until one is refused.
    fn scan_reports(
        &mut self,
        collection: CollectionKey,
        each: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Spends tokens on reports, and says on which report each token is spent: an earlier one if it was spent before.
    fn spend_tokens(
        &mut self,
        collection: CollectionKey,
        tokens: &[(TokenName, ReportId)],
    ) -> Result<Vec<ReportId>, StoreError>;

    /// The bytes of some counters, for a change: nobody else changes them until the transaction ends.
    fn take_counters(&mut self, place: CountersPlace) -> Result<Vec<u8>, StoreError>;

    fn put_counters(&mut self, place: CountersPlace, bytes: &[u8]) -> Result<(), StoreError>;

    /// All counters of a collection.
    fn counters(&mut self, collection: CollectionKey) -> Result<Vec<(CountersPlace, Vec<u8>)>, StoreError>;

    /// The shards of an epoch, ascending.
    fn shards(&mut self, collection: CollectionKey, epoch: u32) -> Result<Vec<Shard>, StoreError>;

    /// Keeps a summary unless its id is known; says which summary the id stands for.
    fn insert_summary(
        &mut self,
        collection: CollectionKey,
        summary: &ForeignSummary,
    ) -> Result<ForeignSummary, StoreError>;

    fn summaries(&mut self, collection: CollectionKey) -> Result<Vec<ForeignSummary>, StoreError>;

    fn commit(self: Box<Self>) -> Result<(), StoreError>;
}

/// Opens a store, and brings an older one up to date. Must be called inside of a Tokio runtime, from a thread that may wait.
///
/// # Errors
/// When it cannot be reached, or a newer program has written it.
pub(crate) fn open(address: &StoreAddress) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match address {
        StoreAddress::Sqlite(path) => Arc::new(sqlite::SqliteStore::open(path)?),
        StoreAddress::Postgres(url) => Arc::new(postgres::PostgresStore::open(url)?),
    })
}

/// Which migrations are missing.
fn missing_migrations<'a>(
    migrations: &'a [&'a str],
    found: u32,
) -> Result<impl Iterator<Item = (u32, &'a str)>, StoreError> {
    let known = migrations.len() as u32;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    Ok((1..).zip(migrations.iter().copied()).skip(found as usize))
}
