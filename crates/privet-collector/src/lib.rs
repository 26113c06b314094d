//! The collector: takes reports over HTTP, keeps them durably, and says what they add up to.
//!
//! ```text
//! request -> api -> ingest (checked, queued, one transaction for many) -> store: reports and counters together
//!            api <- estimates <- records <---------------------------------+
//! ```
//!
//! - A report is acknowledged after it and the counters that it changes are committed in one transaction. So counters are never
//!   behind or ahead of the reports, after a crash neither.
//! - Reports are known by their random ids: sending one again changes nothing.
//! - Several collectors can share a PostgreSQL database. Each adds to counters of its own, and estimates add all of them up.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use privet_collector::{Config, serve};
//!
//! let config = Config::new("127.0.0.1:8080".parse()?, "sqlite:reports.db".parse()?);
//! serve(config, std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

mod api;
mod clock;
mod collection;
mod collections;
mod config;
mod counters;
mod estimates;
mod export;
mod ingest;
pub mod logging;
mod metrics;
mod pages;
mod records;
mod serve;
mod store;
mod tokens;

pub use clock::Clock;
pub use config::{Config, Limits, TlsFiles};
pub use serve::{Collector, ServeError, serve};
pub use store::{NotAStore, StoreAddress, StoreError};
pub use tokens::{Access, BearerToken, NotAToken};
