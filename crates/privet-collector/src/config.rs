//! How a collector is run.

use crate::clock::Clock;
use crate::store::StoreAddress;
use crate::tokens::Access;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// How a collector is run.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it listens; port 0 is any free one.
    pub listen: SocketAddr,
    /// Where reports are kept.
    pub store: StoreAddress,
    /// Who may do what.
    pub access: Access,
    /// How much it takes on.
    pub limits: Limits,
    /// If it speaks TLS, with which files.
    pub tls: Option<TlsFiles>,
    /// Where the time comes from.
    pub clock: Clock,
}

impl Config {
    /// Everything as usual.
    pub fn new(listen: SocketAddr, store: StoreAddress) -> Self {
        Self {
            listen,
            store,
            access: Access::default(),
            limits: Limits::default(),
            tls: None,
            clock: Clock::System,
        }
    }
}

/// A certificate and its key, both in PEM files.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The certificate and those above it.
    pub certificate: PathBuf,
    /// The secret key.
    pub key: PathBuf,
}

/// How much a collector takes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest body with reports.
    pub body_bytes: usize,
    /// The longest policy.
    pub policy_bytes: usize,
    /// The longest summary of another collector.
    pub summary_bytes: usize,
    /// Bodies in memory at once, waiting or being stored. Beyond, requests are sent away with 503.
    pub memory_bytes: usize,
    /// How long a request may take.
    pub request_seconds: u32,
    /// How many requests an address may send in a second; beyond, they are sent away with 429. Behind a proxy all requests come from
    /// one address.
    pub requests_per_second: Option<NonZeroU32>,
}

impl Default for Limits {
    /// 8 MB of reports, 16 MB of policy, 64 MB of summary, 128 MB of memory, 30 seconds, any number of requests.
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            policy_bytes: 16 << 20,
            summary_bytes: 64 << 20,
            memory_bytes: 128 << 20,
            request_seconds: 30,
            requests_per_second: None,
        }
    }
}
