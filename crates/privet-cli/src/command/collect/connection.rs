//! Requests that are sent again until they are answered.

use crate::command::read_secret_text;
use crate::failure::Failure;
use clap::Args;
use privet::Generator;
use privet::sampling::uniform_below;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use ureq::http::{Method, Request};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

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

/// A collector that can be asked.
pub(super) struct Connection {
    agent: ureq::Agent,
    url: String,
    token: Option<String>,
    patience: Duration,
    rng: Generator,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    retry_after: Option<u64>,
    body: Vec<u8>,
}

/// How long one request may take.
const ONE_REQUEST: Duration = Duration::from_secs(60);
/// The longest answer: estimates of many categories.
const MOST_ANSWER_BYTES: u64 = 1 << 30;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

impl ConnectionArguments {
    pub(super) fn open(&self) -> Result<Connection, Failure> {
        let mut config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(ONE_REQUEST));
        if let Some(path) = &self.trust {
            config = config.tls_config(trust(path)?);
        }
        Ok(Connection {
            agent: config.build().new_agent(),
            url: self.collector.trim_end_matches('/').to_owned(),
            token: self.token.as_deref().map(read_secret_text).transpose()?,
            patience: Duration::from_secs(self.patience.into()),
            rng: privet::generator()?,
        })
    }
}

fn trust(path: &Path) -> Result<TlsConfig, Failure> {
    let pem = std::fs::read(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let certificates: Vec<Certificate<'static>> = parse_pem(&pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        let message = format!("{} holds no certificate in PEM form", path.display());
        return Err(Failure::Data { message, hint: None });
    }
    Ok(TlsConfig::builder().root_certs(RootCerts::from(certificates)).build())
}

impl Connection {
    pub(super) fn get(&mut self, path: &str) -> Result<Reply, Failure> {
        self.request(&Method::GET, path, "", &[])
    }

    pub(super) fn post(&mut self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Failure> {
        self.request(&Method::POST, path, kind, body)
    }

    /// Sends a request until it is answered or patience ends.
    fn request(&mut self, method: &Method, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Failure> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let tried = self.try_once(method, path, kind, body);
            let asked_pause = match &tried {
                Ok(reply) if !reply.is_busy() => return tried,
                Ok(reply) => reply.retry_after.map(Duration::from_secs),
                Err(Failure::Network { .. }) => None,
                Err(_) => return tried,
            };
            let pause_now = asked_pause.unwrap_or_default().max(pause) + self.part_of(pause);
            if start.elapsed() + pause_now > self.patience {
                return tried;
            }
            std::thread::sleep(pause_now);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// A random part of a pause, so that many clients do not come back at the same moment.
    fn part_of(&mut self, pause: Duration) -> Duration {
        let bound = NonZeroU64::new(pause.as_millis() as u64);
        Duration::from_millis(bound.map_or(0, |bound| uniform_below(bound, &mut self.rng)))
    }

    fn try_once(&self, method: &Method, path: &str, kind: &str, body: &[u8]) -> Result<Reply, Failure> {
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let sent = if method == Method::POST {
            request.body(body).map(|request| self.agent.run(request))
        } else {
            request.body(()).map(|request| self.agent.run(request))
        };
        let not_an_address = || Failure::Usage {
            message: format!("the address {:?} or the token cannot be used", self.url),
            hint: Some("an address is http://HOST:PORT or https://HOST"),
        };
        let failed = |error: ureq::Error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => not_an_address(),
            other => Failure::Network { url: self.url.clone(), reason: other.to_string() },
        };
        let mut response = sent.map_err(|_| not_an_address())?.map_err(failed)?;
        let header = response.headers().get("retry-after");
        let retry_after = header.and_then(|value| value.to_str().ok()?.parse().ok());
        let body =
            response.body_mut().with_config().limit(MOST_ANSWER_BYTES).read_to_vec().map_err(failed)?;
        Ok(Reply { status: response.status().as_u16(), retry_after, body })
    }
}

impl Reply {
    fn is_busy(&self) -> bool {
        matches!(self.status, 429 | 502 | 503 | 504)
    }

    /// The document of a request that succeeded, or the problem.
    pub(super) fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        if !(200..300).contains(&self.status) {
            return Err(self.problem());
        }
        serde_json::from_slice(&self.body).map_err(|_| super::not_understood())
    }

    /// The text of a request that succeeded, or the problem.
    pub(super) fn text(&self) -> Result<&str, Failure> {
        if self.status != 200 {
            return Err(self.problem());
        }
        std::str::from_utf8(&self.body).map_err(|_| super::not_understood())
    }

    /// The problem document, if there is one.
    pub(super) fn document(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// What the collector says is wrong.
    pub(super) fn problem(&self) -> Failure {
        let document = self.document();
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        match (problem_code(&document), text("detail")) {
            (Some(code), Some(detail)) => {
                Failure::Collector { status: self.status, code: code.to_owned(), detail, hint: text("hint") }
            }
            _ => super::not_understood(),
        }
    }
}

/// The stable code of a problem document.
pub(super) fn problem_code(document: &Value) -> Option<&str> {
    document["type"].as_str()?.strip_prefix("urn:privet:problem:")
}
