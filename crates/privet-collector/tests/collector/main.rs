//! The collector from outside: over HTTP, on both stores.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_reports;
mod estimates;
mod kill;
mod limits;
mod load;
mod pages;
mod policies;
mod postgres;
mod scenarios;
mod sqlite;
mod strange_bytes;
mod support;
mod surface;
