//! The client against a collector in this process.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod front;
mod retries;
mod support;
mod tokens;
mod ways;
