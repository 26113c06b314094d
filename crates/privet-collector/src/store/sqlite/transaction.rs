//! The steps in SQL.

use super::ids::{Directories, Entry, Ids};
use super::{Lease, refused};
use crate::store::{
    CollectionKey, CountersPlace, ForeignSummary, NewCollection, NewReport, Removal, Shard, StoreError,
    StoredCollection, StoredReport, Transaction,
};
use crate::tokens::TokenName;
use privet_policy::{PolicyId, ReportId};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

pub(super) struct SqliteTransaction<'a> {
    lease: Lease<'a>,
    directories: &'a Directories,
    is_open: bool,
}

/// How many reports a collection can have: see the schema.
const SEQUENCES: i64 = 1 << 40;

impl<'a> SqliteTransaction<'a> {
    pub(super) fn begin(
        lease: Lease<'a>,
        directories: &'a Directories,
        begin: &str,
    ) -> Result<Self, StoreError> {
        lease.connection()?.execute_batch(begin).map_err(refused)?;
        Ok(Self { lease, directories, is_open: true })
    }

    fn ids(&self, collection: CollectionKey) -> Result<Ids<'_>, StoreError> {
        Ids::open(self.lease.connection()?, self.directories, collection)
    }

    fn prepare(&self, sql: &str) -> Result<CachedStatement<'_>, StoreError> {
        self.lease.connection()?.prepare_cached(sql).map_err(refused)
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<usize, StoreError> {
        self.prepare(sql)?.execute(values).map_err(refused)
    }

    fn one<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.prepare(sql)?.query_row(values, read).optional().map_err(refused)
    }

    fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map(values, read).map_err(refused)?;
        rows.collect::<Result<_, _>>().map_err(refused)
    }

    /// Makes room for so many reports behind all that a collection ever had; gives the first sequence number. Numbers are never
    /// used twice: the ids of deleted reports still have theirs.
    fn take_sequences(&self, collection: CollectionKey, count: usize) -> Result<i64, StoreError> {
        let sql = "UPDATE collections SET arrived = arrived + ?2 WHERE key = ?1 AND arrived + ?2 < ?3 RETURNING arrived";
        let arrived: Option<i64> =
            self.one(sql, params![collection.0, count as i64, SEQUENCES], |row| row.get(0))?;
        let arrived = arrived.ok_or(StoreError::Full)?;
        Ok(sequences(collection)[0] + arrived - count as i64)
    }

    /// The state of the report with a sequence number.
    fn state(
        &self,
        collection: CollectionKey,
        id: ReportId,
        sequence: i64,
    ) -> Result<StoredReport, StoreError> {
        let kept = self.one("SELECT bytes FROM reports WHERE sequence = ?1", [sequence], |row| row.get(0))?;
        if let Some(bytes) = kept {
            return Ok(StoredReport::Kept(bytes));
        }
        let sql = "SELECT 1 FROM withdrawn WHERE collection = ?1 AND id = ?2";
        let withdrawn = self.one(sql, params![collection.0, id.to_bytes()], |_| Ok(()))?;
        let why = if withdrawn.is_some() { Removal::Withdrawn } else { Removal::Expired };
        Ok(StoredReport::Gone(why))
    }
}

fn sequences(CollectionKey(key): CollectionKey) -> [i64; 2] {
    [key * SEQUENCES, (key + 1) * SEQUENCES - 1]
}

fn read_collection(row: &Row<'_>) -> rusqlite::Result<StoredCollection> {
    Ok(StoredCollection {
        key: CollectionKey(row.get(0)?),
        id: PolicyId::from_bytes(row.get(1)?),
        policy: row.get(2)?,
        created: row.get(3)?,
        closed: row.get(4)?,
        token_key: row.get(5)?,
    })
}

fn read_summary(row: &Row<'_>) -> rusqlite::Result<ForeignSummary> {
    Ok(ForeignSummary {
        id: ReportId::from_bytes(row.get(0)?),
        source: row.get(1)?,
        epoch: row.get(2)?,
        day: row.get(3)?,
        bytes: row.get(4)?,
    })
}

impl Transaction for SqliteTransaction<'_> {
    fn create_collection(&mut self, collection: &NewCollection<'_>) -> Result<bool, StoreError> {
        let sql =
            "INSERT OR IGNORE INTO collections (id, policy, created, token_key) VALUES (?1, ?2, ?3, ?4)";
        let NewCollection { id, policy, day, token_key } = collection;
        Ok(self.execute(sql, params![id.to_bytes(), policy, day, token_key])? > 0)
    }

    fn collection(&mut self, id: PolicyId) -> Result<Option<StoredCollection>, StoreError> {
        let sql = "SELECT key, id, policy, created, closed, token_key FROM collections WHERE id = ?1";
        self.one(sql, [id.to_bytes()], read_collection)
    }

    fn collections(&mut self, after: CollectionKey, most: u32) -> Result<Vec<StoredCollection>, StoreError> {
        let sql = "SELECT key, id, policy, created, closed, token_key FROM collections
                   WHERE key > ?1 ORDER BY key LIMIT ?2";
        self.all(sql, params![after.0, most], read_collection)
    }

    fn close_collection(&mut self, collection: CollectionKey, day: u32) -> Result<(), StoreError> {
        let sql = "UPDATE collections SET closed = ?2 WHERE key = ?1 AND closed IS NULL";
        self.execute(sql, params![collection.0, day]).map(|_| ())
    }

    fn is_closed(&mut self, collection: CollectionKey) -> Result<bool, StoreError> {
        let sql = "SELECT closed IS NOT NULL FROM collections WHERE key = ?1";
        Ok(self.one(sql, [collection.0], |row| row.get(0))?.unwrap_or(true))
    }

    fn insert_reports(
        &mut self,
        collection: CollectionKey,
        day: u32,
        reports: &[NewReport<'_>],
    ) -> Result<Vec<bool>, StoreError> {
        // Merging ids frees pages, and there is no need to overwrite those.
        self.lease.connection()?.execute_batch("PRAGMA secure_delete = FAST").map_err(refused)?;
        let ids = self.ids(collection)?;
        let is_new = reports
            .iter()
            .map(|report| Ok(ids.find(report.id)?.is_none()))
            .collect::<Result<Vec<bool>, StoreError>>()?;
        let new: Vec<&NewReport<'_>> =
            reports.iter().zip(&is_new).filter(|(_, is_new)| **is_new).map(|(report, _)| report).collect();
        let first = self.take_sequences(collection, new.len())?;
        let entry = |(sequence, report): (i64, &&NewReport<'_>)| Entry { id: report.id.to_bytes(), sequence };
        ids.add((first..).zip(&new).map(entry).collect())?;
        let mut keep = self.prepare("INSERT INTO reports (sequence, day, bytes) VALUES (?1, ?2, ?3)")?;
        for (sequence, report) in (first..).zip(&new) {
            keep.execute(params![sequence, day, report.bytes]).map_err(refused)?;
        }
        Ok(is_new)
    }

    fn find_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
    ) -> Result<Vec<Option<StoredReport>>, StoreError> {
        let known = self.ids(collection)?;
        let find = |id: &ReportId| match known.find(*id)? {
            Some(sequence) => self.state(collection, *id, sequence).map(Some),
            None => Ok(None),
        };
        ids.iter().map(find).collect()
    }

    fn remove_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
        why: Removal,
    ) -> Result<(), StoreError> {
        // What is deleted is overwritten, so that it is not left in the file.
        self.lease.connection()?.execute_batch("PRAGMA secure_delete = ON").map_err(refused)?;
        let known = self.ids(collection)?;
        for id in ids {
            let Some(sequence) = known.find(*id)? else { continue };
            let deleted = self.execute("DELETE FROM reports WHERE sequence = ?1", [sequence])?;
            if deleted > 0 && why == Removal::Withdrawn {
                let sql = "INSERT INTO withdrawn (collection, id) VALUES (?1, ?2)";
                self.execute(sql, params![collection.0, id.to_bytes()])?;
            }
        }
        Ok(())
    }

    fn reports_before(
        &mut self,
        collection: CollectionKey,
        day: u32,
        most: u32,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        let sql =
            "SELECT day, bytes FROM reports WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence LIMIT ?3";
        let [first, last] = sequences(collection);
        let read = |row: &Row<'_>| Ok((row.get::<_, u32>(0)?, row.get(1)?));
        let oldest: Vec<(u32, Vec<u8>)> = self.all(sql, params![first, last, most], read)?;
        // Reports are in the order of their arrival.
        Ok(oldest.into_iter().take_while(|(arrived, _)| *arrived < day).map(|(_, bytes)| bytes).collect())
    }

    fn scan_reports(
        &mut self,
        collection: CollectionKey,
        each: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement =
            self.prepare("SELECT bytes FROM reports WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence")?;
        let mut rows = statement.query(sequences(collection)).map_err(refused)?;
        while let Some(row) = rows.next().map_err(refused)? {
            let bytes = row.get_ref(0).map_err(refused)?;
            each(bytes.as_blob().map_err(|error| StoreError::Damaged(error.to_string()))?)?;
        }
        Ok(())
    }

    fn spend_tokens(
        &mut self,
        collection: CollectionKey,
        tokens: &[(TokenName, ReportId)],
    ) -> Result<Vec<ReportId>, StoreError> {
        let spend = "INSERT OR IGNORE INTO tokens (collection, token, report) VALUES (?1, ?2, ?3)";
        let look = "SELECT report FROM tokens WHERE collection = ?1 AND token = ?2";
        let one = |(token, report): &(TokenName, ReportId)| {
            if self.execute(spend, params![collection.0, token, report.to_bytes()])? > 0 {
                return Ok(*report);
            }
            let spent_on: Option<[u8; ReportId::BYTES]> =
                self.one(look, params![collection.0, token], |row| row.get(0))?;
            Ok(spent_on.map_or(*report, ReportId::from_bytes))
        };
        tokens.iter().map(one).collect()
    }

    fn take_counters(&mut self, place: CountersPlace) -> Result<Vec<u8>, StoreError> {
        let sql = "SELECT bytes FROM counters WHERE collection = ?1 AND epoch = ?2 AND shard = ?3";
        let CountersPlace { collection, epoch, shard } = place;
        Ok(self.one(sql, params![collection.0, epoch, shard.0], |row| row.get(0))?.unwrap_or_default())
    }

    fn put_counters(&mut self, place: CountersPlace, bytes: &[u8]) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO counters (collection, epoch, shard, bytes) VALUES (?1, ?2, ?3, ?4)";
        let CountersPlace { collection, epoch, shard } = place;
        self.execute(sql, params![collection.0, epoch, shard.0, bytes]).map(|_| ())
    }

    fn counters(&mut self, collection: CollectionKey) -> Result<Vec<(CountersPlace, Vec<u8>)>, StoreError> {
        let sql = "SELECT epoch, shard, bytes FROM counters WHERE collection = ?1 ORDER BY epoch, shard";
        self.all(sql, [collection.0], |row| {
            let place = CountersPlace { collection, epoch: row.get(0)?, shard: Shard(row.get(1)?) };
            Ok((place, row.get(2)?))
        })
    }

    fn shards(&mut self, collection: CollectionKey, epoch: u32) -> Result<Vec<Shard>, StoreError> {
        let sql = "SELECT shard FROM counters WHERE collection = ?1 AND epoch = ?2 ORDER BY shard";
        self.all(sql, params![collection.0, epoch], |row| row.get(0).map(Shard))
    }

    fn insert_summary(
        &mut self,
        collection: CollectionKey,
        summary: &ForeignSummary,
    ) -> Result<ForeignSummary, StoreError> {
        let insert = "INSERT OR IGNORE INTO summaries (collection, id, source, epoch, day, bytes)
                      VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let ForeignSummary { id, source, epoch, day, bytes } = summary;
        self.execute(insert, params![collection.0, id.to_bytes(), source, epoch, day, bytes])?;
        let look = "SELECT id, source, epoch, day, bytes FROM summaries WHERE collection = ?1 AND id = ?2";
        let known = self.one(look, params![collection.0, id.to_bytes()], read_summary)?;
        Ok(known.unwrap_or_else(|| summary.clone()))
    }

    fn summaries(&mut self, collection: CollectionKey) -> Result<Vec<ForeignSummary>, StoreError> {
        let sql = "SELECT id, source, epoch, day, bytes FROM summaries WHERE collection = ?1 ORDER BY id";
        self.all(sql, [collection.0], read_summary)
    }

    fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        self.lease.connection()?.execute_batch("COMMIT").map_err(refused)?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for SqliteTransaction<'_> {
    fn drop(&mut self) {
        if let (true, Ok(connection)) = (self.is_open, self.lease.connection()) {
            roll_back(connection);
        }
    }
}

fn roll_back(connection: &Connection) {
    // It fails if an error has ended the transaction already, which is what is wanted.
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
}
