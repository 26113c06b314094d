//! The collector from outside: over HTTP, on both stores.

mod bad_reports;
mod estimates;
mod kill;
mod limits;
mod load;
mod policies;
mod postgres;
mod scenarios;
mod sqlite;
mod strange_bytes;
mod support;
mod surface;
