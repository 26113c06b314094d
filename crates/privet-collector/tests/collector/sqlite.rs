//! Everything on SQLite.

use crate::scenarios;
use crate::support::Server;
use privet_collector::{ServeError, StoreAddress, StoreError};
use rusqlite::Connection;

#[test]
fn what_must_hold_on_every_store() {
    scenarios::all(&mut Server::sqlite());
}

fn change(server: &Server) -> impl FnOnce(&str) + use<> {
    let StoreAddress::Sqlite(path) = server.config.store.clone() else { panic!("it is a file") };
    move |sql| Connection::open(path).unwrap().execute_batch(sql).unwrap()
}

#[test]
fn older_files_are_taken_over_and_newer_ones_refused() {
    let mut server = Server::sqlite();
    let older = change(&server);
    scenarios::older_content_is_taken_over(&mut server, || {
        older(
            "DROP TABLE tokens; DROP TABLE summaries; ALTER TABLE collections DROP COLUMN token_key;
             PRAGMA user_version = 1;",
        );
    });
    let newer = change(&server);
    newer("PRAGMA user_version = 99");
    let failure = server.failure_to_start();
    assert!(matches!(failure, ServeError::Store(StoreError::Newer { found: 99, .. })), "{failure}");
}
