//! Requests that are sent again until they are answered.

use super::error::CollectError;
use crate::sampling::uniform_below;
use crate::{Generator, generator};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};
use ureq::http::{Method, Request};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// How a collector is reached.
#[derive(Clone)]
pub struct Connection {
    url: String,
    bearer: Option<String>,
    trusted: Option<Vec<u8>>,
    patience: Duration,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Connection({:?})", self.url)
    }
}

/// For how long requests are sent again, unless somebody wants something else.
const PATIENCE: Duration = Duration::from_secs(60);

impl Connection {
    /// To an address such as `https://collect.city.example`.
    pub fn to(url: &str) -> Self {
        Self { url: url.trim_end_matches('/').to_owned(), bearer: None, trusted: None, patience: PATIENCE }
    }

    /// Sends a bearer token with every request.
    #[must_use]
    pub fn with_bearer(self, token: &str) -> Self {
        Self { bearer: Some(token.to_owned()), ..self }
    }

    /// Trusts the certificates of a PEM text instead of the usual ones.
    #[must_use]
    pub fn trusting(self, pem: &[u8]) -> Self {
        Self { trusted: Some(pem.to_vec()), ..self }
    }

    /// For how long a request is sent again when the collector is busy or cannot be reached.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    pub(super) fn open(self) -> Result<Line, CollectError> {
        let mut config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(ONE_REQUEST));
        if let Some(pem) = &self.trusted {
            config = config.tls_config(trust(pem)?);
        }
        Ok(Line { agent: config.build().new_agent(), connection: self, rng: generator()? })
    }
}

fn trust(pem: &[u8]) -> Result<TlsConfig, CollectError> {
    let certificates: Vec<Certificate<'static>> = parse_pem(pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(CollectError::NoCertificate);
    }
    Ok(TlsConfig::builder().root_certs(RootCerts::from(certificates)).build())
}

/// An open connection.
pub(super) struct Line {
    agent: ureq::Agent,
    connection: Connection,
    pub(super) rng: Generator,
}

/// An answer.
pub(super) struct Reply {
    status: u16,
    retry_after: Option<u64>,
    pub(super) body: Vec<u8>,
}

pub(super) const BYTES: &str = "application/octet-stream";
pub(super) const JSON: &str = "application/json";

/// How long one request may take.
const ONE_REQUEST: Duration = Duration::from_secs(60);
/// The longest answer: estimates of many categories.
const MOST_ANSWER_BYTES: u64 = 1 << 30;

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

impl Line {
    pub(super) fn get(&mut self, path: &str) -> Result<Reply, CollectError> {
        self.request(&Method::GET, path, "", &[])
    }

    pub(super) fn post(&mut self, path: &str, kind: &str, body: &[u8]) -> Result<Reply, CollectError> {
        self.request(&Method::POST, path, kind, body)
    }

    /// Sends a request until it is answered or patience ends.
    fn request(
        &mut self,
        method: &Method,
        path: &str,
        kind: &str,
        body: &[u8],
    ) -> Result<Reply, CollectError> {
        let start = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let tried = self.try_once(method, path, kind, body);
            let asked_pause = match &tried {
                Ok(reply) if reply.is_busy() => reply.retry_after.map(Duration::from_secs),
                Err(CollectError::Network { .. }) => None,
                _ => return tried,
            };
            let pause_now = asked_pause.unwrap_or_default().max(pause).saturating_add(self.part_of(pause));
            if start.elapsed().saturating_add(pause_now) > self.connection.patience {
                return tried.and_then(|reply| Err(self.still_busy(&reply)));
            }
            std::thread::sleep(pause_now);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// What a busy collector says, or a machine in front of it that says less.
    fn still_busy(&self, reply: &Reply) -> CollectError {
        match reply.problem() {
            CollectError::NotUnderstood => {
                CollectError::Busy { url: self.connection.url.clone(), status: reply.status }
            }
            problem => problem,
        }
    }

    /// A random part of a pause, so that many clients do not come back at the same moment.
    fn part_of(&mut self, pause: Duration) -> Duration {
        let bound = NonZeroU64::new(pause.as_millis() as u64);
        Duration::from_millis(bound.map_or(0, |bound| uniform_below(bound, &mut self.rng)))
    }

    fn try_once(&self, method: &Method, path: &str, kind: &str, body: &[u8]) -> Result<Reply, CollectError> {
        let Connection { url, bearer, .. } = &self.connection;
        let mut request = Request::builder().method(method).uri(format!("{url}{path}"));
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        if let Some(token) = bearer {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let sent = if method == Method::POST {
            request.body(body).map(|request| self.agent.run(request))
        } else {
            request.body(()).map(|request| self.agent.run(request))
        };
        let not_an_address = || CollectError::Address { url: url.clone() };
        let failed = |error: ureq::Error| match error {
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => not_an_address(),
            other => CollectError::Network { url: url.clone(), reason: other.to_string() },
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

    /// The answer, if the request succeeded.
    pub(super) fn succeeded(self) -> Result<Self, CollectError> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(self.problem()) }
    }

    /// The document of a request that succeeded, or the problem.
    pub(super) fn json<T: DeserializeOwned>(self) -> Result<T, CollectError> {
        serde_json::from_slice(&self.succeeded()?.body).map_err(|_| CollectError::NotUnderstood)
    }

    /// The text of a request that succeeded, or the problem.
    pub(super) fn text(self) -> Result<String, CollectError> {
        String::from_utf8(self.succeeded()?.body).map_err(|_| CollectError::NotUnderstood)
    }

    /// The document, whatever it says.
    pub(super) fn document(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// What the collector says is wrong.
    fn problem(&self) -> CollectError {
        let document = self.document();
        let text = |key: &str| document[key].as_str().map(str::to_owned);
        match (problem_code(&document), text("detail")) {
            (Some(code), Some(detail)) => CollectError::Refused {
                status: self.status,
                code: code.to_owned(),
                detail,
                hint: text("hint"),
            },
            _ => CollectError::NotUnderstood,
        }
    }
}

/// The stable code of a problem document.
pub(super) fn problem_code(document: &Value) -> Option<&str> {
    document["type"].as_str()?.strip_prefix("urn:privet:problem:")
}
