//! Everything on SQLite.

use crate::scenarios;
use crate::support::Server;

#[test]
fn what_must_hold_on_every_store() {
    scenarios::all(&mut Server::sqlite());
}
