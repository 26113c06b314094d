//! The collector.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Output;
use clap::Args;
use privet_collector::{BearerToken, Collector, Config, StoreAddress, TlsFiles, logging};
use serde_json::json;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  A collector for this machine, with its reports in one file:
    privet serve --store sqlite:reports.db

  One for others: with a certificate, and tokens for those who create collections and who read:
    openssl rand -hex 32 > manage.token
    openssl rand -hex 32 > read.token
    privet serve --store sqlite:reports.db --listen 0.0.0.0:8443 \\
      --manage-token manage.token --read-token read.token \\
      --tls-certificate server.pem --tls-key server.key

  Several on one database, behind a load balancer:
    privet serve --store postgres://privet@db.example/privet --listen 0.0.0.0:8080 \\
      --manage-token manage.token";

/// Run a collector: take reports, keep them, estimate
///
/// A report is acknowledged when it is stored and counted, so that no crash loses it. Reports are known by their random ids, so
/// sending one again changes nothing. The service is described at /openapi.json; logs are JSON lines on standard error, without
/// the content of reports.
///
/// It runs until it is interrupted or asked to end (SIGINT, SIGTERM). Then it takes no more connections, answers the requests that
/// are open, and stores what waits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    /// Where reports are kept: sqlite:FILE, or postgres://USER@HOST/DATABASE for several collectors at once
    #[arg(long, value_name = "ADDRESS")]
    store: String,
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// A file with the token of those who may create and close collections; without one, everybody may
    #[arg(long, value_name = "FILE")]
    manage_token: Option<PathBuf>,
    /// A file with the token of those who may read estimates; without one, everybody may
    #[arg(long, value_name = "FILE")]
    read_token: Option<PathBuf>,
    /// The certificate and those above it, in a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,
    /// The key of the certificate, in a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,
    /// How many requests an address may send in a second [default: any number]
    #[arg(long, value_name = "COUNT")]
    requests_per_second: Option<NonZeroU32>,
}

impl Serve {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let config = self.config()?;
        if config.access.manage.is_none() && !self.listen.ip().is_loopback() {
            eprintln!(
                "warning: without --manage-token, everybody who reaches {} may create collections",
                self.listen
            );
        }
        let interrupt = Interrupt::listen()?;
        logging::start();
        let runtime = tokio::runtime::Runtime::new()?;
        let store = format!("{:?}", config.store);
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        let collector = runtime.block_on(Collector::start(config))?;
        let url = format!("{scheme}://{}", collector.address());
        output.print(&json!({ "url": url, "store": store }), || format!("Listening on {url}"))?;
        interrupt.wait();
        Ok(runtime.block_on(collector.stop())?)
    }

    fn config(&self) -> Result<Config, Failure> {
        let store: StoreAddress = self
            .store
            .parse()
            .map_err(|error: privet_collector::NotAStore| usage(format!("--store: {error}")))?;
        let mut config = Config::new(self.listen, store);
        config.access.manage = self.manage_token.as_deref().map(read_token).transpose()?;
        config.access.read = self.read_token.as_deref().map(read_token).transpose()?;
        config.limits.requests_per_second = self.requests_per_second;
        if let (Some(certificate), Some(key)) = (&self.tls_certificate, &self.tls_key) {
            config.tls = Some(TlsFiles { certificate: certificate.clone(), key: key.clone() });
        }
        Ok(config)
    }
}

fn usage(message: String) -> Failure {
    Failure::Usage { message, hint: None }
}

fn read_token(path: &Path) -> Result<BearerToken, Failure> {
    let text = super::read_secret_text(path)?;
    text.parse().map_err(|error: privet_collector::NotAToken| usage(format!("{}: {error}", path.display())))
}
