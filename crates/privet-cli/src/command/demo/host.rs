//! A collector of one's own, for as long as the demo lasts.

use crate::failure::Failure;
use privet_collector::{Collector, Config, StoreAddress};
use std::net::{Ipv4Addr, SocketAddr};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A collector on this machine whose store is deleted when it ends.
#[derive(Debug)]
pub(super) struct Host {
    runtime: Runtime,
    collector: Collector,
    folder: TempDir,
}

impl Host {
    /// Starts it on a port, or on any free one if that is zero. Others than this machine do not reach it.
    pub(super) fn start(port: u16) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("privet-demo-").tempdir().map_err(|source| {
            Failure::File { action: "cannot keep the reports in", path: std::env::temp_dir(), source }
        })?;
        let store = StoreAddress::Sqlite(folder.path().join("reports.db"));
        let runtime = Runtime::new()?;
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let collector = runtime.block_on(Collector::start(Config::new(listen, store)))?;
        Ok(Self { runtime, collector, folder })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.collector.address())
    }

    /// Ends it and deletes its store.
    pub(super) fn stop(self) -> Result<(), Failure> {
        let Self { runtime, collector, folder } = self;
        runtime.block_on(collector.stop())?;
        // The store is closed when the last thread that uses it has ended.
        drop(runtime);
        let path = folder.path().to_owned();
        folder.close().map_err(|source| Failure::File { action: "cannot delete", path, source })
    }
}
