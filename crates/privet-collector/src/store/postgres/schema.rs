//! The tables, and how an older database becomes a newer one.

use super::refused;
use crate::store::{StoreError, missing_migrations};
use tokio_postgres::Client;

/// Migration number n makes version n out of version n - 1. What is written here is never changed.
pub(super) const MIGRATIONS: &[&str] = &[
    "CREATE TABLE collections (
        key BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        id BYTEA NOT NULL UNIQUE,
        policy TEXT NOT NULL,
        created INTEGER NOT NULL,
        closed INTEGER
     );
     CREATE TABLE reports (
        collection BIGINT NOT NULL,
        id BYTEA NOT NULL,
        day INTEGER NOT NULL,
        state SMALLINT NOT NULL DEFAULT 0,
        bytes BYTEA,
        PRIMARY KEY (collection, id)
     );
     CREATE INDEX reports_by_day ON reports (collection, day) WHERE state = 0;
     CREATE TABLE counters (
        collection BIGINT NOT NULL,
        epoch BIGINT NOT NULL,
        shard SMALLINT NOT NULL,
        bytes BYTEA NOT NULL,
        PRIMARY KEY (collection, epoch, shard)
     );",
    "ALTER TABLE collections ADD COLUMN token_key BYTEA;
     CREATE TABLE tokens (
        collection BIGINT NOT NULL,
        token BYTEA NOT NULL,
        report BYTEA NOT NULL,
        PRIMARY KEY (collection, token)
     );
     CREATE TABLE summaries (
        collection BIGINT NOT NULL,
        id BYTEA NOT NULL,
        source TEXT NOT NULL,
        epoch BIGINT NOT NULL,
        day INTEGER NOT NULL,
        bytes BYTEA NOT NULL,
        PRIMARY KEY (collection, id)
     );",
];

/// Any number, as long as all collectors use the same: only one of them migrates at a time.
const MIGRATION_LOCK: i64 = 0x0070_7269_7665_7401;

/// Brings a database up to date, or refuses one that a newer program has written.
pub(super) async fn migrate(client: &Client, migrations: &[&str]) -> Result<(), StoreError> {
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK});
         CREATE TABLE IF NOT EXISTS privet_schema (version INTEGER NOT NULL)"
    );
    client.batch_execute(&begin).await.map_err(refused)?;
    let migrated = migrate_inside(client, migrations).await;
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    client.batch_execute(end).await.map_err(refused)?;
    migrated
}

async fn migrate_inside(client: &Client, migrations: &[&str]) -> Result<(), StoreError> {
    let row = client.query_opt("SELECT max(version) FROM privet_schema", &[]).await.map_err(refused)?;
    let found: Option<i32> = row.and_then(|row| row.get(0));
    for (version, script) in missing_migrations(migrations, found.unwrap_or(0).unsigned_abs())? {
        let script = format!("{script} INSERT INTO privet_schema VALUES ({version})");
        client.batch_execute(&script).await.map_err(refused)?;
    }
    Ok(())
}
