//! Everything on a PostgreSQL server, which several collectors may share.

mod schema;
mod tls;
mod transaction;

use super::{Shard, Store, StoreError, Transaction};
use deadpool_postgres::{Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, Runtime, Timeouts};
use std::fmt;
use std::time::Duration;
use tls::Tls;
use tokio::runtime::Handle;
use tokio_postgres::NoTls;
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use transaction::PostgresTransaction;

/// A database with everything.
pub(crate) struct PostgresStore {
    pool: Pool,
    runtime: Handle,
    shard: Shard,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PostgresStore")
    }
}

const MOST_CONNECTIONS: usize = 16;

/// A server that takes longer than this to answer is as good as none.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

impl PostgresStore {
    pub(crate) fn open(url: &str) -> Result<Self, StoreError> {
        let unavailable = |error: &dyn fmt::Display| StoreError::Unavailable(error.to_string());
        let (url, roots) = tls::split_roots(url);
        let mut config: tokio_postgres::Config = url.parse().map_err(|error| unavailable(&error))?;
        config.connect_timeout(CONNECT_PATIENCE).application_name("privet");
        let manager_config = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        // Encryption that is merely preferred protects from nobody who can change what is sent, so it is asked for or it is not.
        let manager = match config.get_ssl_mode() {
            SslMode::Require => Manager::from_config(config, Tls::new(roots)?, manager_config),
            _ => Manager::from_config(config, NoTls, manager_config),
        };
        let timeouts = Timeouts {
            wait: Some(CONNECT_PATIENCE),
            create: Some(CONNECT_PATIENCE),
            recycle: Some(CONNECT_PATIENCE),
        };
        let pool = Pool::builder(manager)
            .max_size(MOST_CONNECTIONS)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| unavailable(&error))?;
        let mut lot = [0; 1];
        getrandom::fill(&mut lot).map_err(|error| unavailable(&error))?;
        let store = Self { pool, runtime: Handle::current(), shard: Shard(i16::from(lot[0] % Shard::COUNT)) };
        store.runtime.block_on(async {
            let client = store.pool.get().await.map_err(no_connection)?;
            schema::migrate(&client, schema::MIGRATIONS).await
        })?;
        Ok(store)
    }

    fn begin(&self, begin: &'static str, is_write: bool) -> Result<Box<dyn Transaction + '_>, StoreError> {
        let client = self.runtime.block_on(self.pool.get()).map_err(no_connection)?;
        Ok(Box::new(PostgresTransaction::begin(client, self.runtime.clone(), begin, is_write)?))
    }
}

impl Store for PostgresStore {
    fn read(&self) -> Result<Box<dyn Transaction + '_>, StoreError> {
        self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", false)
    }

    fn write(&self) -> Result<Box<dyn Transaction + '_>, StoreError> {
        self.begin("BEGIN", true)
    }

    fn shard(&self) -> Shard {
        self.shard
    }
}

fn no_connection(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => refused(error),
        other => StoreError::Unavailable(other.to_string()),
    }
}

/// What went wrong, without the values of any statement: those are in the details, which are left out.
fn refused(error: tokio_postgres::Error) -> StoreError {
    let Some(cause) = error.as_db_error() else { return StoreError::Unavailable(error.to_string()) };
    let words = format!("{} ({})", cause.message(), cause.code().code());
    // Classes 08, 40, 53, 55, 57 and 58: connections, collisions of transactions, resources, locks, operators, the system.
    let passes = ["08", "28", "3D", "40", "53", "55", "57", "58"];
    match cause.code() {
        code if *code == SqlState::DISK_FULL => StoreError::Full,
        code if passes.iter().any(|class| code.code().starts_with(class)) => StoreError::Unavailable(words),
        _ => StoreError::Damaged(words),
    }
}
