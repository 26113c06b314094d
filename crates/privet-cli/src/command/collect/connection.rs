//! Which collector, and how to talk to it.

use crate::command::read_secret_text;
use crate::failure::Failure;
use clap::Args;
use privet::client::{CollectError, Collector, Connection};
use std::path::PathBuf;
use std::time::Duration;

/// Which collector, and how to talk to it.
#[derive(Debug, Args)]
pub(super) struct ConnectionArguments {
    /// Where the collector is, such as https://collect.city.example
    #[arg(long, value_name = "URL")]
    collector: String,
    /// A file with a bearer token, for collectors that ask for one
    #[arg(long, value_name = "FILE")]
    token: Option<PathBuf>,
    /// Certificates to trust instead of the usual ones, in a PEM file
    #[arg(long, value_name = "FILE")]
    trust: Option<PathBuf>,
    /// For how long to try again when the collector is busy or cannot be reached
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u32,
}

impl ConnectionArguments {
    pub(super) fn open(&self) -> Result<Collector, Failure> {
        let mut connection =
            Connection::to(&self.collector).with_patience(Duration::from_secs(self.patience.into()));
        if let Some(path) = &self.token {
            connection = connection.with_bearer(&read_secret_text(path)?);
        }
        let Some(path) = &self.trust else { return Ok(Collector::open(connection)?) };
        let pem = std::fs::read(path).map_err(|source| Failure::File {
            action: "cannot read",
            path: path.clone(),
            source,
        })?;
        Collector::open(connection.trusting(&pem)).map_err(|error| match error {
            CollectError::NoCertificate => Failure::Data {
                message: format!("{} holds no certificate in PEM form", path.display()),
                hint: None,
            },
            other => other.into(),
        })
    }
}
