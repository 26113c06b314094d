//! Talking to a collector over HTTP.
//!
//! Requests are sent again, after a pause that grows and is partly drawn by lot, when the collector is busy or cannot be reached. That is
//! safe: a collection is known by its policy, a report by its id, and both count once.
//!
//! ```no_run
//! use privet::client::{Collector, Connection, Device, today};
//! use privet::policy::Answers;
//!
//! // The id of a collection is the hash of its policy, so a collector cannot hand out another one.
//! let mut collector = Collector::open(Connection::to("https://collect.city.example"))?;
//! let collection = collector.collection("7f3c…".parse()?)?;
//! println!("{}", collection.policy().statement_text());
//!
//! // The draw, its cost and the report are in the ledger before anything is sent. Interrupted and repeated, this sends the same bytes.
//! let mut me = Device::open("my.ledger".as_ref())?;
//! let answers = Answers::new().value("commute", "bicycle").public("region", "north");
//! let answered = collector.answer(&collection, &mut me, &answers, today()?)?;
//! println!("epsilon {} is spent on this origin so far", answered.spent_epsilon);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reports that need **one-time tokens** get them on the way: a token is drawn and blinded on the device, signed by somebody who does not see
//! it, and sent with the report. [`Collector::answer`] and [`Collector::submit`] have it signed by the collector, which needs the bearer token
//! of those who manage it. Where somebody else decides who gets a token, [`Device::token_request`] and [`Collector::send`] are the two halves.

mod connection;
mod device;
mod error;
mod outcome;
mod token;

pub use connection::Connection;
pub use device::Device;
pub use error::CollectError;
pub use outcome::{RefusedReport, Sent};
pub use token::{Token, TokenKey, TokenRequest};

use connection::{BYTES, JSON, Line};
use privet_core::Target;
use privet_policy::{Answers, Date, PolicyId, ReportCodec, ReportId, ResolvedPolicy};
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// A collector that can be asked.
pub struct Collector {
    line: Line,
}

impl fmt::Debug for Collector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Collector(..)")
    }
}

/// A collection: its policy, and whether reports need tokens.
#[derive(Debug, Clone)]
pub struct Collection {
    codec: ReportCodec,
    token_key: Option<TokenKey>,
}

impl Collection {
    /// The policy. Its hash is the id that was asked for.
    pub fn policy(&self) -> &Arc<ResolvedPolicy> {
        self.codec.policy()
    }

    /// The key of one-time tokens, if reports need them.
    pub fn token_key(&self) -> Option<&TokenKey> {
        self.token_key.as_ref()
    }

    /// How many bytes one submission has.
    fn submission_bytes(&self) -> usize {
        self.codec.report_bytes() + self.token_key.as_ref().map_or(0, TokenKey::token_bytes)
    }

    fn path(&self) -> String {
        path_of(self.policy().id())
    }
}

fn path_of(collection: PolicyId) -> String {
    format!("/v1/collections/{collection}")
}

/// What is wanted of the estimates.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// One attribute only.
    pub attribute: Option<String>,
    /// A public field: one estimate for each of its values.
    pub by: Option<String>,
    /// One epoch only.
    pub epoch: Option<u32>,
    /// Which people it is about.
    pub target: Target,
    /// Wait for distributions that are as new as the newest report.
    pub fresh: bool,
}

/// One person's report that was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Its id, by which the person can withdraw it.
    pub report: ReportId,
    /// Whether it was made before, so that nothing was drawn or spent.
    pub is_repeated: bool,
    /// Whether it was counted before.
    pub is_duplicate: bool,
    /// What all reports to the origin cost so far.
    pub spent_epsilon: f64,
}

/// A collection as a collector shows it.
#[derive(Deserialize)]
struct Shown {
    submission_bytes: usize,
    token_key: Option<String>,
}

#[derive(Deserialize)]
struct Created {
    id: String,
    created: bool,
}

/// The most bytes of one request.
const BODY_BYTES: usize = 1 << 20;

impl Collector {
    /// Gets ready to ask. Nothing is sent yet.
    ///
    /// # Errors
    /// When there is no certificate among those to trust, or no randomness.
    pub fn open(connection: Connection) -> Result<Self, CollectError> {
        Ok(Self { line: connection.open()? })
    }

    /// Creates a collection from a policy. Says whether it is new: creating twice gives the same collection.
    ///
    /// # Errors
    /// When the collector refuses, cannot be reached, or answers with another policy.
    pub fn create(&mut self, policy: &ResolvedPolicy, with_tokens: bool) -> Result<bool, CollectError> {
        let path = if with_tokens { "/v1/collections?tokens=true" } else { "/v1/collections" };
        let created: Created = self.line.post(path, JSON, policy.to_json().as_bytes())?.json()?;
        if created.id == policy.id().to_string() {
            Ok(created.created)
        } else {
            Err(CollectError::OtherPolicy)
        }
    }

    /// Looks at a collection: gets its policy and checks that it has the collection's id as its hash.
    ///
    /// # Errors
    /// When there is none, the collector cannot be reached, or it hands out another policy.
    pub fn collection(&mut self, id: PolicyId) -> Result<Collection, CollectError> {
        let path = path_of(id);
        let text = self.line.get(&format!("{path}/policy"))?.text()?;
        let policy = ResolvedPolicy::from_json(&text).map_err(|_| CollectError::NotUnderstood)?;
        if policy.id() != id {
            return Err(CollectError::OtherPolicy);
        }
        let shown: Shown = self.line.get(&path)?.json()?;
        let token_key = shown.token_key.as_deref().map(TokenKey::from_pem).transpose()?;
        let collection = Collection { codec: ReportCodec::new(Arc::new(policy)), token_key };
        let is_understood = collection.submission_bytes() == shown.submission_bytes;
        if is_understood { Ok(collection) } else { Err(CollectError::NotUnderstood) }
    }

    /// Sends reports, back to back, in as many requests as are needed. If the collection asks for tokens, each report gets one that the
    /// collector signs.
    ///
    /// # Errors
    /// When the bytes are no whole number of reports, or the collector refuses all of them or cannot be reached. Sending them again
    /// counts nothing twice.
    pub fn submit(&mut self, collection: &Collection, reports: &[u8]) -> Result<Sent, CollectError> {
        let length = collection.codec.report_bytes();
        if reports.is_empty() || !reports.len().is_multiple_of(length) {
            return Err(CollectError::Length { expected: length, got: reports.len() });
        }
        let at_once = (BODY_BYTES / collection.submission_bytes()).max(1);
        let mut sent = Sent::default();
        for (batch, first) in reports.chunks(at_once * length).zip((0..).step_by(at_once)) {
            let body = match &collection.token_key {
                None => batch.to_vec(),
                Some(key) => self.with_tokens(collection, key, batch.chunks_exact(length))?,
            };
            let reply = self.line.post(&format!("{}/reports", collection.path()), BYTES, &body)?;
            sent.add(Sent::read(reply, first, (batch.len() / length) as u64)?);
        }
        Ok(sent)
    }

    fn with_tokens<'r>(
        &mut self,
        collection: &Collection,
        key: &TokenKey,
        reports: impl Iterator<Item = &'r [u8]>,
    ) -> Result<Vec<u8>, CollectError> {
        let mut body = Vec::new();
        for report in reports {
            let token = key.request(&mut self.line.rng)?;
            let signature = self.sign(collection, token.blinded())?;
            body.extend_from_slice(report);
            body.extend_from_slice(token.finish(&signature)?.as_bytes());
        }
        Ok(body)
    }

    /// Has a blinded token signed by the collector, which needs the bearer token of those who manage it.
    ///
    /// # Errors
    /// When the collector refuses or cannot be reached.
    pub fn sign(&mut self, collection: &Collection, blinded: &[u8]) -> Result<Vec<u8>, CollectError> {
        let reply = self.line.post(&format!("{}/tokens", collection.path()), BYTES, blinded)?;
        Ok(reply.succeeded()?.body)
    }

    /// Sends one report, with its token where one is needed. Says whether it was counted before.
    ///
    /// # Errors
    /// When the collector refuses it or cannot be reached.
    pub fn send(
        &mut self,
        collection: &Collection,
        report: &[u8],
        token: Option<&Token>,
    ) -> Result<bool, CollectError> {
        #[derive(Deserialize)]
        struct Counted {
            duplicates: u64,
        }
        let body = [report, token.map_or(&[], Token::as_bytes)].concat();
        let reply = self.line.post(&format!("{}/reports", collection.path()), BYTES, &body)?;
        let Counted { duplicates } = reply.json()?;
        Ok(duplicates > 0)
    }

    /// One person's report of a day: made and recorded in the ledger, or found there; then sent, with its token where one is needed.
    /// Whatever happens in between, calling it again sends the same bytes.
    ///
    /// # Errors
    /// When the answers make no report, a budget would be exceeded, or the collector refuses or cannot be reached.
    pub fn answer(
        &mut self,
        collection: &Collection,
        device: &mut Device,
        answers: &Answers,
        today: Date,
    ) -> Result<Answered, CollectError> {
        let policy = collection.policy();
        let prepared = device.prepare(policy, answers, today)?;
        let report = collection.codec.decode(&prepared.bytes).map_err(|_| LEDGER_OF_ANOTHER_KIND)?.id();
        let token = match collection.token_key() {
            None => None,
            Some(key) => {
                let request = device.token_request(policy, report, key)?;
                Some(request.finish(&self.sign(collection, request.blinded())?)?)
            }
        };
        let is_duplicate = self.send(collection, &prepared.bytes, token.as_ref())?;
        let spent_epsilon = device.ledger().spent_at(&policy.terms().origin).epsilon();
        Ok(Answered { report, is_repeated: prepared.is_repeated, is_duplicate, spent_epsilon })
    }

    /// The estimates of a collection, as the collector writes them.
    ///
    /// # Errors
    /// When the collector refuses or cannot be reached.
    pub fn results(&mut self, collection: PolicyId, wanted: &Wanted) -> Result<Value, CollectError> {
        let target = wanted.target.as_str();
        let mut path = format!("{}/estimate?fresh={}&target={target}", path_of(collection), wanted.fresh);
        let epoch = wanted.epoch.map(|epoch| epoch.to_string());
        for (key, value) in [("attribute", &wanted.attribute), ("by", &wanted.by), ("epoch", &epoch)] {
            if let Some(value) = value {
                path += &format!("&{key}={}", escaped(value));
            }
        }
        self.line.get(&path)?.json()
    }
}

/// A record whose report is none of its collection.
const LEDGER_OF_ANOTHER_KIND: privet_policy::ledger::LedgerError =
    privet_policy::ledger::LedgerError::Damaged { reason: "a record holds no report of its collection" };

/// A text as a part of an address.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Today in Greenwich.
///
/// # Errors
/// When the clock of the machine shows no day before the year 10000.
pub fn today() -> Result<Date, NoDay> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = u32::try_from(seconds / (24 * 60 * 60)).ok();
    days.and_then(Date::from_days_since_1970).ok_or(NoDay)
}

/// A clock that shows no day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the clock of this machine shows no day before the year 10000")]
pub struct NoDay;

#[cfg(test)]
mod tests {
    #[test]
    fn only_plain_characters_stay_as_they_are() {
        assert_eq!(super::escaped("a-Z_9 &é"), "a-Z_9%20%26%C3%A9");
    }
}
