//! The steps in SQL.

use super::{PATIENCE, refused};
use crate::store::{
    CollectionKey, CountersPlace, ForeignSummary, NewCollection, NewReport, Removal, Shard, StoreError,
    StoredCollection, StoredReport, Transaction,
};
use crate::tokens::TokenName;
use deadpool_postgres::Object;
use privet_policy::{PolicyId, ReportId};
use std::collections::HashMap;
use tokio::runtime::Handle;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

pub(super) struct PostgresTransaction {
    /// `None` once the transaction is over.
    client: Option<Object>,
    runtime: Handle,
    /// Rows that a change depends on are locked.
    lock: &'static str,
}

const KEPT: i16 = 0;
const EXPIRED: i16 = 1;
const WITHDRAWN: i16 = 2;

/// How many reports are read at once.
const PAGE: i64 = 8192;

type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl PostgresTransaction {
    pub(super) fn begin(
        client: Object,
        runtime: Handle,
        begin: &str,
        is_write: bool,
    ) -> Result<Self, StoreError> {
        let lock = if is_write { "FOR UPDATE" } else { "" };
        let transaction = Self { client: Some(client), runtime, lock };
        transaction.batch(begin)?;
        Ok(transaction)
    }

    fn client(&self) -> Result<&Object, StoreError> {
        self.client.as_ref().ok_or_else(|| StoreError::Damaged("the transaction is over".to_owned()))
    }

    fn wait<T>(
        &self,
        future: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, StoreError> {
        let late = |_| StoreError::Unavailable("the server does not answer".to_owned());
        let timed = async { tokio::time::timeout(PATIENCE, future).await };
        self.runtime.block_on(timed).map_err(late)?.map_err(refused)
    }

    fn batch(&self, sql: &str) -> Result<(), StoreError> {
        self.wait(self.client()?.batch_execute(sql))
    }

    fn query(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, StoreError> {
        let client = self.client()?;
        self.wait(async {
            let statement = client.prepare_cached(sql).await?;
            client.query(&statement, values).await
        })
    }

    fn execute(&self, sql: &str, values: Values<'_>) -> Result<u64, StoreError> {
        let client = self.client()?;
        self.wait(async {
            let statement = client.prepare_cached(sql).await?;
            client.execute(&statement, values).await
        })
    }
}

fn damaged(error: tokio_postgres::Error) -> StoreError {
    StoreError::Damaged(error.to_string())
}

fn bytes<const N: usize>(row: &Row, column: usize) -> Result<[u8; N], StoreError> {
    let value: &[u8] = row.try_get(column).map_err(damaged)?;
    value.try_into().map_err(|_| StoreError::Damaged("an id of another length".to_owned()))
}

fn number(row: &Row, column: usize) -> Result<u32, StoreError> {
    let number: i64 = row.try_get(column).map_err(damaged)?;
    u32::try_from(number).map_err(|_| StoreError::Damaged("a number outside of its range".to_owned()))
}

fn day(days: u32) -> i32 {
    i32::try_from(days).unwrap_or(i32::MAX)
}

fn read_collection(row: &Row) -> Result<StoredCollection, StoreError> {
    let closed: Option<i64> = row.try_get(4).map_err(damaged)?;
    Ok(StoredCollection {
        key: CollectionKey(row.try_get(0).map_err(damaged)?),
        id: PolicyId::from_bytes(bytes(row, 1)?),
        policy: row.try_get(2).map_err(damaged)?,
        created: number(row, 3)?,
        closed: closed.and_then(|day| u32::try_from(day).ok()),
        token_key: row.try_get(5).map_err(damaged)?,
    })
}

fn read_summary(row: &Row) -> Result<ForeignSummary, StoreError> {
    Ok(ForeignSummary {
        id: ReportId::from_bytes(bytes(row, 0)?),
        source: row.try_get(1).map_err(damaged)?,
        epoch: number(row, 2)?,
        day: number(row, 3)?,
        bytes: row.try_get(4).map_err(damaged)?,
    })
}

fn read_state(row: &Row) -> Result<StoredReport, StoreError> {
    Ok(match row.try_get::<_, i16>(1).map_err(damaged)? {
        EXPIRED => StoredReport::Gone(Removal::Expired),
        WITHDRAWN => StoredReport::Gone(Removal::Withdrawn),
        _ => StoredReport::Kept(row.try_get(2).map_err(damaged)?),
    })
}

impl Transaction for PostgresTransaction {
    fn create_collection(&mut self, collection: &NewCollection<'_>) -> Result<bool, StoreError> {
        let sql = "INSERT INTO collections (id, policy, created, token_key) VALUES ($1, $2, $3, $4)
                   ON CONFLICT (id) DO NOTHING";
        let NewCollection { id, policy, day: today, token_key } = collection;
        let id = id.to_bytes();
        Ok(self.execute(sql, &[&id.as_slice(), policy, &day(*today), token_key])? > 0)
    }

    fn collection(&mut self, id: PolicyId) -> Result<Option<StoredCollection>, StoreError> {
        let sql = "SELECT key, id, policy, created::BIGINT, closed::BIGINT, token_key FROM collections WHERE id = $1";
        self.query(sql, &[&id.to_bytes().as_slice()])?.first().map(read_collection).transpose()
    }

    fn collections(&mut self, after: CollectionKey, most: u32) -> Result<Vec<StoredCollection>, StoreError> {
        let sql = "SELECT key, id, policy, created::BIGINT, closed::BIGINT, token_key FROM collections
                   WHERE key > $1 ORDER BY key LIMIT $2";
        self.query(sql, &[&after.0, &i64::from(most)])?.iter().map(read_collection).collect()
    }

    fn close_collection(&mut self, collection: CollectionKey, today: u32) -> Result<(), StoreError> {
        let sql = "UPDATE collections SET closed = $2 WHERE key = $1 AND closed IS NULL";
        self.execute(sql, &[&collection.0, &day(today)]).map(|_| ())
    }

    fn is_closed(&mut self, collection: CollectionKey) -> Result<bool, StoreError> {
        let sql = "SELECT closed IS NOT NULL FROM collections WHERE key = $1 FOR SHARE";
        let rows = self.query(sql, &[&collection.0])?;
        rows.first().map_or(Ok(true), |row| row.try_get(0).map_err(damaged))
    }

    fn insert_reports(
        &mut self,
        collection: CollectionKey,
        today: u32,
        reports: &[NewReport<'_>],
    ) -> Result<Vec<bool>, StoreError> {
        let sql = "INSERT INTO reports (collection, id, day, bytes)
                   SELECT $1, id, $3, bytes FROM unnest($2::BYTEA[], $4::BYTEA[]) AS new (id, bytes)
                   ON CONFLICT DO NOTHING RETURNING id";
        let ids: Vec<[u8; ReportId::BYTES]> = reports.iter().map(|report| report.id.to_bytes()).collect();
        let id_slices: Vec<&[u8]> = ids.iter().map(|id| id.as_slice()).collect();
        let contents: Vec<&[u8]> = reports.iter().map(|report| report.bytes).collect();
        let rows = self.query(sql, &[&collection.0, &id_slices, &day(today), &contents])?;
        let mut new =
            rows.iter().map(|row| bytes::<{ ReportId::BYTES }>(row, 0)).collect::<Result<Vec<_>, _>>()?;
        new.sort_unstable();
        Ok(ids.iter().map(|id| new.binary_search(id).is_ok()).collect())
    }

    fn find_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
    ) -> Result<Vec<Option<StoredReport>>, StoreError> {
        let sql = format!(
            "SELECT id, state, bytes FROM reports WHERE collection = $1 AND id = ANY($2) ORDER BY id {}",
            self.lock
        );
        let wanted: Vec<Vec<u8>> = ids.iter().map(|id| id.to_bytes().to_vec()).collect();
        let rows = self.query(&sql, &[&collection.0, &wanted])?;
        let found = rows
            .iter()
            .map(|row| Ok((bytes::<{ ReportId::BYTES }>(row, 0)?, read_state(row)?)))
            .collect::<Result<HashMap<_, _>, StoreError>>()?;
        Ok(ids.iter().map(|id| found.get(&id.to_bytes()).cloned()).collect())
    }

    fn remove_reports(
        &mut self,
        collection: CollectionKey,
        ids: &[ReportId],
        why: Removal,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE reports SET state = $3, bytes = NULL WHERE collection = $1 AND id = ANY($2) AND state = $4";
        let state = match why {
            Removal::Expired => EXPIRED,
            Removal::Withdrawn => WITHDRAWN,
        };
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| id.to_bytes().to_vec()).collect();
        self.execute(sql, &[&collection.0, &ids, &state, &KEPT]).map(|_| ())
    }

    fn reports_before(
        &mut self,
        collection: CollectionKey,
        before: u32,
        most: u32,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        // Another collector that does the same has locked its own.
        let sql = "SELECT bytes FROM reports WHERE collection = $1 AND state = 0 AND day < $2
                   ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED";
        let rows = self.query(sql, &[&collection.0, &day(before), &i64::from(most)])?;
        rows.iter().map(|row| row.try_get(0).map_err(damaged)).collect()
    }

    fn scan_reports(
        &mut self,
        collection: CollectionKey,
        each: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let sql = "SELECT id, bytes FROM reports WHERE collection = $1 AND id > $2 AND state = 0 ORDER BY id LIMIT $3";
        let mut after: Vec<u8> = Vec::new();
        loop {
            let rows = self.query(sql, &[&collection.0, &after, &PAGE])?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.try_get(0).map_err(damaged)?;
            for row in &rows {
                each(row.try_get(1).map_err(damaged)?)?;
            }
        }
    }

    fn spend_tokens(
        &mut self,
        collection: CollectionKey,
        tokens: &[(TokenName, ReportId)],
    ) -> Result<Vec<ReportId>, StoreError> {
        let spend = "INSERT INTO tokens (collection, token, report)
                     SELECT $1, token, report FROM unnest($2::BYTEA[], $3::BYTEA[]) AS new (token, report)
                     ON CONFLICT DO NOTHING";
        let look = "SELECT token, report FROM tokens WHERE collection = $1 AND token = ANY($2)";
        // In one order for all collectors, so that two of them never wait for each other.
        let mut sorted = tokens.to_vec();
        sorted.sort_unstable();
        let names: Vec<&[u8]> = sorted.iter().map(|(token, _)| token.as_slice()).collect();
        let reports: Vec<Vec<u8>> = sorted.iter().map(|(_, report)| report.to_bytes().to_vec()).collect();
        self.execute(spend, &[&collection.0, &names, &reports])?;
        let rows = self.query(look, &[&collection.0, &names])?;
        let spent = rows
            .iter()
            .map(|row| Ok((bytes(row, 0)?, ReportId::from_bytes(bytes(row, 1)?))))
            .collect::<Result<HashMap<TokenName, ReportId>, StoreError>>()?;
        Ok(tokens.iter().map(|(token, report)| spent.get(token).copied().unwrap_or(*report)).collect())
    }

    fn take_counters(&mut self, place: CountersPlace) -> Result<Vec<u8>, StoreError> {
        let CountersPlace { collection, epoch, shard } = place;
        let epoch = i64::from(epoch);
        // Who adds the row first locks it, so a collector that comes at the same time waits.
        let add = "INSERT INTO counters (collection, epoch, shard, bytes) VALUES ($1, $2, $3, '')
                   ON CONFLICT DO NOTHING";
        self.execute(add, &[&collection.0, &epoch, &shard.0])?;
        let look =
            "SELECT bytes FROM counters WHERE collection = $1 AND epoch = $2 AND shard = $3 FOR UPDATE";
        let rows = self.query(look, &[&collection.0, &epoch, &shard.0])?;
        rows.first().map_or(Ok(Vec::new()), |row| row.try_get(0).map_err(damaged))
    }

    fn put_counters(&mut self, place: CountersPlace, bytes: &[u8]) -> Result<(), StoreError> {
        let sql = "UPDATE counters SET bytes = $4 WHERE collection = $1 AND epoch = $2 AND shard = $3";
        let CountersPlace { collection, epoch, shard } = place;
        match self.execute(sql, &[&collection.0, &i64::from(epoch), &shard.0, &bytes])? {
            1 => Ok(()),
            _ => Err(StoreError::Damaged("counters are written that were not taken".to_owned())),
        }
    }

    fn counters(&mut self, collection: CollectionKey) -> Result<Vec<(CountersPlace, Vec<u8>)>, StoreError> {
        let sql = "SELECT epoch, shard, bytes FROM counters WHERE collection = $1 ORDER BY epoch, shard";
        let read = |row: &Row| {
            let shard = Shard(row.try_get(1).map_err(damaged)?);
            let place = CountersPlace { collection, epoch: number(row, 0)?, shard };
            Ok((place, row.try_get(2).map_err(damaged)?))
        };
        self.query(sql, &[&collection.0])?.iter().map(read).collect()
    }

    fn shards(&mut self, collection: CollectionKey, epoch: u32) -> Result<Vec<Shard>, StoreError> {
        let sql = "SELECT shard FROM counters WHERE collection = $1 AND epoch = $2 ORDER BY shard";
        let rows = self.query(sql, &[&collection.0, &i64::from(epoch)])?;
        rows.iter().map(|row| row.try_get(0).map(Shard).map_err(damaged)).collect()
    }

    fn insert_summary(
        &mut self,
        collection: CollectionKey,
        summary: &ForeignSummary,
    ) -> Result<ForeignSummary, StoreError> {
        let insert = "INSERT INTO summaries (collection, id, source, epoch, day, bytes)
                      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
        let ForeignSummary { id, source, epoch, day: today, bytes } = summary;
        let id = id.to_bytes();
        let (epoch, today) = (i64::from(*epoch), day(*today));
        self.execute(insert, &[&collection.0, &id.as_slice(), source, &epoch, &today, bytes])?;
        let look =
            "SELECT id, source, epoch, day::BIGINT, bytes FROM summaries WHERE collection = $1 AND id = $2";
        let rows = self.query(look, &[&collection.0, &id.as_slice()])?;
        rows.first().map_or_else(|| Ok(summary.clone()), read_summary)
    }

    fn summaries(&mut self, collection: CollectionKey) -> Result<Vec<ForeignSummary>, StoreError> {
        let sql =
            "SELECT id, source, epoch, day::BIGINT, bytes FROM summaries WHERE collection = $1 ORDER BY id";
        self.query(sql, &[&collection.0])?.iter().map(read_summary).collect()
    }

    fn commit(mut self: Box<Self>) -> Result<(), StoreError> {
        self.batch("COMMIT")?;
        // The connection goes back to the others.
        self.client = None;
        Ok(())
    }
}

impl Drop for PostgresTransaction {
    /// Closes the connection of a transaction that did not end, so that the server undoes it.
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            drop(Object::take(client));
        }
    }
}
