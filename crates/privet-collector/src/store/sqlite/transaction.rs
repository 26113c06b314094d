//! The steps in SQL.

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
    is_open: bool,
}

/// How many reports a collection can have: see the schema.
const SEQUENCES: i64 = 1 << 40;

/// In place of a sequence number.
const EXPIRED: i64 = 0;
const WITHDRAWN: i64 = -1;

impl<'a> SqliteTransaction<'a> {
    pub(super) fn begin(lease: Lease<'a>, begin: &str) -> Result<Self, StoreError> {
        lease.connection()?.execute_batch(begin).map_err(refused)?;
        Ok(Self { lease, is_open: true })
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

    /// The first sequence number that is free behind all reports of a collection.
    fn next_sequence(&self, collection: CollectionKey) -> Result<i64, StoreError> {
        let sql =
            "SELECT sequence FROM reports WHERE sequence BETWEEN ?1 AND ?2 ORDER BY sequence DESC LIMIT 1";
        let [first, last] = sequences(collection);
        let highest: Option<i64> = self.one(sql, [first, last], |row| row.get(0))?;
        match highest.map_or(first, |highest| highest + 1) {
            next if next < last => Ok(next),
            _ => Err(StoreError::Full),
        }
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
        let first = self.next_sequence(collection)?;
        let mut next = first;
        let mut is_new = Vec::with_capacity(reports.len());
        let mut keep_id =
            self.prepare("INSERT OR IGNORE INTO report_ids (collection, id, sequence) VALUES (?1, ?2, ?3)")?;
        for report in reports {
            let kept = keep_id.execute(params![collection.0, report.id.to_bytes(), next]).map_err(refused)?;
            next += kept as i64;
            is_new.push(kept > 0);
        }
        let mut keep_bytes =
            self.prepare("INSERT INTO reports (sequence, day, bytes) VALUES (?1, ?2, ?3)")?;
        let new = reports.iter().zip(&is_new).filter(|(_, is_new)| **is_new);
        for (sequence, (report, _)) in (first..).zip(new) {
            keep_bytes.execute(params![sequence, day, report.bytes]).map_err(refused)?;
        }
        Ok(is_new)
    }

    fn find_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
    ) -> Result<Vec<Option<StoredReport>>, StoreError> {
        let sql = "SELECT report_ids.sequence, bytes FROM report_ids
                   LEFT JOIN reports ON reports.sequence = report_ids.sequence
                   WHERE collection = ?1 AND id = ?2";
        let read = |row: &Row<'_>| {
            Ok(match row.get(0)? {
                EXPIRED => StoredReport::Gone(Removal::Expired),
                WITHDRAWN => StoredReport::Gone(Removal::Withdrawn),
                _ => StoredReport::Kept(row.get(1)?),
            })
        };
        ids.iter().map(|id| self.one(sql, params![collection.0, id.to_bytes()], read)).collect()
    }

    fn remove_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
        why: Removal,
    ) -> Result<(), StoreError> {
        let mark = match why {
            Removal::Expired => EXPIRED,
            Removal::Withdrawn => WITHDRAWN,
        };
        let delete = "DELETE FROM reports WHERE sequence =
                      (SELECT sequence FROM report_ids WHERE collection = ?1 AND id = ?2)";
        let remember =
            "UPDATE report_ids SET sequence = ?3 WHERE collection = ?1 AND id = ?2 AND sequence > 0";
        for id in ids {
            self.execute(delete, params![collection.0, id.to_bytes()])?;
            self.execute(remember, params![collection.0, id.to_bytes(), mark])?;
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
