//! Listening, and stopping without losing anything.

use crate::api::{self, App, Visitors};
use crate::collections::Collections;
use crate::config::{Config, TlsFiles};
use crate::estimates::Caches;
use crate::ingest::{Gate, Intake};
use crate::metrics::Metrics;
use crate::records::expire;
use crate::store::{self, CollectionKey, StoreError};
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use hyper_util::rt::TokioTimer;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Why a collector does not run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address cannot be listened on, or a thread cannot be started.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The certificate or its key cannot be read.
    #[error("the certificate or its key cannot be used: {0}")]
    Tls(io::Error),
}

/// A collector that runs.
#[derive(Debug)]
pub struct Collector {
    address: SocketAddr,
    handle: Handle<SocketAddr>,
    server: JoinHandle<io::Result<()>>,
    upkeep: JoinHandle<()>,
    writer: std::thread::JoinHandle<()>,
}

/// How long open requests have to end when the collector stops.
const LAST_REQUESTS: Duration = Duration::from_secs(30);

/// A client that takes longer for its headers is sent away.
const HEADERS: Duration = Duration::from_secs(10);
const MOST_HEADERS: usize = 64;
const MOST_HEADER_BYTES: usize = 64 << 10;

/// How often reports are looked through for old ones.
const UPKEEP: Duration = Duration::from_secs(60 * 60);

/// Computations that take long, at once.
const HEAVY: usize = 2;

impl Collector {
    /// Opens the store and listens.
    ///
    /// # Errors
    /// When the store, the address or the certificate cannot be used.
    pub async fn start(config: Config) -> Result<Self, ServeError> {
        let address = config.store.clone();
        let store = tokio::task::spawn_blocking(move || store::open(&address))
            .await
            .map_err(|_| StoreError::Damaged("opening it failed".to_owned()))??;
        let cannot_listen = |source| ServeError::Listen { address: config.listen, source };
        let metrics = Arc::new(Metrics::default());
        let (intake, writer) =
            Intake::start(Arc::clone(&store), config.clock, Arc::clone(&metrics)).map_err(cannot_listen)?;
        let app = Arc::new(App {
            store,
            collections: Collections::default(),
            intake,
            gate: Gate::new(config.limits.memory_bytes),
            caches: Caches::start().map_err(cannot_listen)?,
            metrics,
            access: config.access,
            limits: config.limits,
            clock: config.clock,
            is_tls: config.tls.is_some(),
            visitors: Visitors::new(config.limits.requests_per_second),
            heavy: Arc::new(Semaphore::new(HEAVY)),
        });
        let listener = TcpListener::bind(config.listen).map_err(cannot_listen)?;
        listener.set_nonblocking(true).map_err(cannot_listen)?;
        let address = listener.local_addr().map_err(cannot_listen)?;
        let handle = Handle::new();
        let server = listen(listener, &app, handle.clone(), config.tls).await?;
        let upkeep = tokio::spawn(keep_up(app));
        tracing::info!(%address, store = ?config.store, "listening");
        Ok(Self { address, handle, server, upkeep, writer })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, answers the requests that are open, stores what waits, and ends.
    ///
    /// # Errors
    /// When the server had failed before.
    pub async fn stop(self) -> Result<(), ServeError> {
        let Self { address, handle, server, upkeep, writer } = self;
        handle.graceful_shutdown(Some(LAST_REQUESTS));
        let ended = server.await;
        upkeep.abort();
        let _ = upkeep.await;
        // All senders are gone, so the writer ends when its queue is empty.
        let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        tracing::info!(%address, "stopped");
        match ended {
            Ok(Err(source)) => Err(ServeError::Listen { address, source }),
            _ => Ok(()),
        }
    }
}

/// Runs a collector until something happens.
///
/// # Errors
/// When the store, the address or the certificate cannot be used.
pub async fn serve(config: Config, until: impl Future<Output = ()>) -> Result<(), ServeError> {
    let collector = Collector::start(config).await?;
    until.await;
    collector.stop().await
}

async fn listen(
    listener: TcpListener,
    app: &Arc<App>,
    handle: Handle<SocketAddr>,
    tls: Option<TlsFiles>,
) -> Result<JoinHandle<io::Result<()>>, ServeError> {
    let service = api::router(app).into_make_service_with_connect_info::<SocketAddr>();
    let tls = match tls {
        Some(files) => Some(read_tls(&files).await.map_err(ServeError::Tls)?),
        None => None,
    };
    // Both kinds of server have their own type.
    macro_rules! run {
        ($server:expr) => {{
            let mut server = $server.map_err(ServeError::Tls)?.handle(handle);
            let mut http = server.http_builder().http1();
            http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
            http.max_headers(MOST_HEADERS).max_buf_size(MOST_HEADER_BYTES);
            Ok(tokio::spawn(server.serve(service)))
        }};
    }
    match tls {
        Some(tls) => run!(axum_server::from_tcp_rustls(listener, tls)),
        None => run!(axum_server::from_tcp(listener)),
    }
}

async fn read_tls(files: &TlsFiles) -> io::Result<RustlsConfig> {
    // If the program has chosen another one before, that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    RustlsConfig::from_pem_file(&files.certificate, &files.key).await
}

/// Deletes reports when they are as old as their policies allow.
async fn keep_up(app: Arc<App>) {
    loop {
        let app = Arc::clone(&app);
        let expired = tokio::task::spawn_blocking(move || expire_all(&app)).await;
        if let Ok(Err(error)) = expired {
            tracing::warn!(%error, "old reports were not deleted");
        }
        tokio::time::sleep(UPKEEP).await;
    }
}

fn expire_all(app: &App) -> Result<(), StoreError> {
    let mut after = CollectionKey(0);
    loop {
        let mut transaction = app.store.read()?;
        let some = transaction.collections(after, 100)?;
        transaction.commit()?;
        let Some(last) = some.last() else { return Ok(()) };
        after = last.key;
        // Making the mechanisms of a policy takes longer than looking for the word, which only such policies hold in quotes.
        for stored in some.iter().filter(|stored| stored.policy.contains("\"retention_days\":")) {
            if let Some(collection) = app.collections.find(&*app.store, stored.id)? {
                let deleted = expire(&*app.store, &collection, app.clock.today())?;
                if deleted > 0 {
                    tracing::info!(deleted, "old reports were deleted");
                }
            }
        }
    }
}
