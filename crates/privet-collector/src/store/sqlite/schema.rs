//! The tables, and how an older file becomes a newer one.

use super::refused;
use crate::store::{StoreError, missing_migrations};
use rusqlite::Connection;

/// Migration number n makes version n out of version n - 1. What is written here is never changed.
pub(super) const MIGRATIONS: &[&str] = &[
    // A report's sequence number is that of its collection, times 2^40, plus a count: reports of one collection lie together and in the
    // order of their arrival, and are only ever added at an end. How ids are kept is said in ids.rs.
    "CREATE TABLE collections (
        key INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        policy TEXT NOT NULL,
        created INTEGER NOT NULL,
        closed INTEGER,
        arrived INTEGER NOT NULL DEFAULT 0
     );
     CREATE TABLE reports (
        sequence INTEGER PRIMARY KEY,
        day INTEGER NOT NULL,
        bytes BLOB NOT NULL
     );
     CREATE TABLE runs (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        run INTEGER NOT NULL UNIQUE,
        collection INTEGER NOT NULL,
        entries INTEGER NOT NULL
     );
     CREATE INDEX runs_of_collections ON runs (collection);
     CREATE TABLE id_pages (
        page INTEGER PRIMARY KEY,
        entries BLOB NOT NULL
     );
     CREATE TABLE withdrawn (
        collection INTEGER NOT NULL,
        id BLOB NOT NULL,
        PRIMARY KEY (collection, id)
     ) WITHOUT ROWID;
     CREATE TABLE counters (
        collection INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        shard INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (collection, epoch, shard)
     );",
    "ALTER TABLE collections ADD COLUMN token_key BLOB;
     CREATE TABLE tokens (
        collection INTEGER NOT NULL,
        token BLOB NOT NULL,
        report BLOB NOT NULL,
        PRIMARY KEY (collection, token)
     ) WITHOUT ROWID;
     CREATE TABLE summaries (
        collection INTEGER NOT NULL,
        id BLOB NOT NULL,
        source TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        day INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (collection, id)
     );",
];

/// Brings a file up to date, or refuses one that a newer program has written.
pub(super) fn migrate(connection: &Connection, migrations: &[&str]) -> Result<(), StoreError> {
    connection.execute_batch("BEGIN IMMEDIATE").map_err(refused)?;
    let migrated = migrate_inside(connection, migrations);
    let end = if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" };
    connection.execute_batch(end).map_err(refused)?;
    migrated
}

fn migrate_inside(connection: &Connection, migrations: &[&str]) -> Result<(), StoreError> {
    let found = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(refused)?;
    for (version, script) in missing_migrations(migrations, found)? {
        connection.execute_batch(script).map_err(refused)?;
        connection.execute_batch(&format!("PRAGMA user_version = {version}")).map_err(refused)?;
    }
    Ok(())
}
