//! A policy in which everything is decided, known by the hash of its text.

use crate::attribute::Attribute;
use crate::date::{Date, Period};
use crate::error::{Place, PolicyError, PolicyProblem};
use crate::node::is_readable;
use crate::resolve::ReadFile;
use crate::spending::Spending;
use crate::terms::{Contribution, FORMAT, PublicField, Repetition, Terms};
use crate::written::{
    MOST_ATTRIBUTES, MOST_DOMAIN_BYTES, MOST_FIELD_VALUES, MOST_FIELDS, MOST_NAME_BYTES, MOST_TEXT_BYTES,
    Policy, is_name, is_origin,
};
use privet_core::Fingerprint;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The hash of a resolved policy's canonical text: its name everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolicyId([u8; Self::BYTES]);

impl PolicyId {
    /// How many bytes an id has.
    pub const BYTES: usize = 32;

    /// An id that was stored.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }

    /// The first eight bytes, which reports carry.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut short = [0; Fingerprint::BYTES];
        short.copy_from_slice(&self.0[..Fingerprint::BYTES]);
        Fingerprint::from_bytes(short)
    }
}

impl fmt::Display for PolicyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&crate::hex::write(&self.0))
    }
}

impl fmt::Debug for PolicyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PolicyId({self})")
    }
}

/// A text that is no id of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of a policy has 64 hexadecimal digits")]
pub struct NotAPolicyId;

impl FromStr for PolicyId {
    type Err = NotAPolicyId;

    fn from_str(text: &str) -> Result<Self, NotAPolicyId> {
        let mut bytes = [0; Self::BYTES];
        crate::hex::read(text, &mut bytes).ok_or(NotAPolicyId)?;
        Ok(Self(bytes))
    }
}

/// Longer texts are no policies, not even with solved mechanisms inside.
const MOST_BYTES: usize = 16 << 20;

/// A policy in which everything is decided. Its mechanisms are ready, and it is what devices and collectors agree on.
#[derive(Debug)]
pub struct ResolvedPolicy {
    terms: Terms,
    canonical: String,
    id: PolicyId,
    attributes: Vec<Attribute>,
    reports_per_period: u32,
}

impl ResolvedPolicy {
    /// Checks the terms and makes the mechanisms.
    pub(crate) fn new(terms: Terms) -> Result<Self, PolicyError> {
        check_texts(&terms)?;
        let too_short = || PolicyProblem::PeriodTooShort { epoch: terms.epoch, period: terms.budget.period };
        let most = terms.budget.period.epochs(terms.epoch, terms.epochs()).ok_or_else(too_short)?;
        let reports_per_period = if terms.answers == Repetition::Once { 1 } else { most };
        let attributes =
            terms.attributes.iter().cloned().map(Attribute::new).collect::<Result<Vec<_>, _>>()?;
        // Without the feature every question in pairs is refused.
        #[cfg(feature = "pairs")]
        check_pairs(&terms)?;
        let canonical = terms.canonical();
        let id = PolicyId(*blake3::hash(canonical.as_bytes()).as_bytes());
        let policy = Self { terms, canonical, id, attributes, reports_per_period };
        policy.check_budget()?;
        Ok(policy)
    }

    fn check_budget(&self) -> Result<(), PolicyError> {
        let (needed, allowed) = (self.period_cost(), self.budget());
        if needed.fits(allowed) {
            return Ok(());
        }
        Err(PolicyProblem::Budget {
            period: self.terms.budget.period,
            needed: [needed.epsilon(), needed.delta()],
            allowed: [allowed.epsilon(), allowed.delta()],
        }
        .into())
    }

    /// Reads a policy in any of its forms: resolved ones are checked, written ones are resolved.
    ///
    /// # Errors
    /// When the text is no policy, or one that cannot be kept.
    pub fn read(text: &str, read_file: &mut ReadFile<'_>) -> Result<Arc<Self>, PolicyError> {
        if !text.trim_start().starts_with('{') {
            return Policy::from_toml(text)?.resolve(read_file);
        }
        // Only resolved policies name their format. A text that is no JSON at all is refused with its place below.
        let is_resolved = serde_json::from_str::<Form>(text).is_ok_and(|form| form.format.is_some());
        if is_resolved {
            Self::from_json(text).map(Arc::new)
        } else {
            Policy::from_json(text)?.resolve(read_file)
        }
    }

    /// Reads a resolved policy, and checks all of it again. Keys may be in any order and spaces anywhere: the id is that of the
    /// canonical text.
    ///
    /// # Errors
    /// When the text is no resolved policy, or one that cannot be kept.
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        if text.len() > MOST_BYTES {
            let what = "a resolved policy".to_owned();
            return Err(
                PolicyProblem::TooLong { what, most: MOST_BYTES, unit: "bytes", got: text.len() }.into()
            );
        }
        let terms = serde_json::from_str(text).map_err(|error| {
            let place = Place { line: error.line().max(1), column: error.column().max(1) };
            PolicyProblem::Syntax { format: "JSON", reason: crate::node::reason_of(&error) }.at(place)
        })?;
        Self::new(terms)
    }

    /// The canonical text, whose hash is the id.
    pub fn to_json(&self) -> &str {
        &self.canonical
    }

    /// The hash of the canonical text.
    pub fn id(&self) -> PolicyId {
        self.id
    }

    /// What the policy says.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What is asked, with the mechanisms that answer.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// The epoch of a day, counted from the first one of the collection; `None` outside of the collection.
    pub fn epoch_of(&self, day: Date) -> Option<u32> {
        let terms = &self.terms;
        if day < terms.opens || day > terms.closes {
            return None;
        }
        u32::try_from(terms.epoch.number(day) - terms.epoch.number(terms.opens)).ok()
    }

    /// How many epochs the collection has.
    pub fn epochs(&self) -> u32 {
        self.terms.epochs()
    }

    /// How many reports one person sends in a period at most.
    pub fn reports_per_period(&self) -> u32 {
        self.reports_per_period
    }

    /// How many reports one person sends in all at most.
    pub fn reports_in_all(&self) -> u32 {
        if self.terms.answers == Repetition::Once { 1 } else { self.epochs() }
    }

    /// What one person may spend in a period.
    pub fn budget(&self) -> Spending {
        Spending::new(self.terms.budget.epsilon, self.terms.budget.delta)
    }

    /// What a number of reports of one person cost at most, whatever the person's values are.
    pub fn cost_of_reports(&self, reports: u32) -> Spending {
        let all = self.attributes.iter();
        match self.terms.contribution.kind {
            Contribution::Split => {
                all.map(|attribute| attribute.cost_of_reports(reports)).fold(Spending::NONE, Spending::and)
            }
            // Which questions are drawn is not known before, so it is the dearest one each time.
            Contribution::Sample => {
                all.map(Attribute::cost).fold(Spending::NONE, Spending::or).times(reports)
            }
        }
    }

    /// What the reports of one person in one period cost at most.
    pub fn period_cost(&self) -> Spending {
        self.cost_of_reports(self.reports_per_period)
    }

    /// The name of the run in which people find their partners for an epoch: helpers serve it, and devices ask for it.
    #[cfg(feature = "pairs")]
    pub fn pair_run(&self, epoch: u32) -> privet_joint::wire::RunId {
        privet_joint::wire::RunId::derive(&[&self.id.0[..], &epoch.to_le_bytes()].concat())
    }

    /// The period over which the budget is counted.
    pub fn period(&self) -> Period {
        self.terms.budget.period
    }
}

/// A device has one partner for each report, and both must be asked the same.
#[cfg(feature = "pairs")]
fn check_pairs(terms: &Terms) -> Result<(), PolicyError> {
    let in_pairs: Vec<_> = terms.attributes.iter().filter_map(|attribute| attribute.pairs.as_ref()).collect();
    let conflict = |reason: &str| Err(PolicyProblem::Conflict { reason: reason.to_owned() }.into());
    if in_pairs.len() > 1 {
        return conflict("one question of a policy can be answered in pairs");
    }
    if !in_pairs.is_empty() && terms.contribution.kind == Contribution::Sample {
        return conflict("a question in pairs is answered in every report: write contribution = \"split\"");
    }
    if in_pairs.iter().any(|pair| !is_relay(&pair.relay, &terms.origin)) {
        return conflict(
            "the relay must be addresses of helpers, such as one.example:7001,two.example:7001,three.example:7001, none of them the origin's",
        );
    }
    Ok(())
}

/// Whether a text names helpers, with a host and a port each, that are not where the collector is.
#[cfg(feature = "pairs")]
fn is_relay(text: &str, origin: &str) -> bool {
    fn host_of(address: &str) -> &str {
        address.split(['/', ':']).next().unwrap_or_default()
    }
    let origin = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let is_helper = |address: &str| {
        let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        let host = host_of(address);
        port.is_some() && !host.is_empty() && !host.eq_ignore_ascii_case(host_of(origin))
    };
    text.len() <= MOST_TEXT_BYTES && is_origin(text) && text.split(',').all(is_helper)
}

/// What tells a resolved policy from a written one.
#[derive(Deserialize)]
struct Form {
    format: Option<IgnoredAny>,
}

/// The rules for texts and lists that a written policy keeps already, for resolved ones that come from elsewhere.
fn check_texts(terms: &Terms) -> Result<(), PolicyError> {
    let conflict =
        |reason: &str| -> PolicyError { PolicyProblem::Conflict { reason: reason.to_owned() }.into() };
    if terms.format != FORMAT {
        let got = format!("{:?}", terms.format);
        return Err(PolicyProblem::Value { key: "format", allowed: "\"privet policy 1\"", got }.into());
    }
    if terms.closes < terms.opens {
        return Err(PolicyProblem::DatesReversed { opens: terms.opens, closes: terms.closes }.into());
    }
    let is_text = |text: &str, most: usize| text.len() <= most && is_readable(text);
    if !is_text(&terms.name, MOST_NAME_BYTES) || !is_text(&terms.purpose, MOST_TEXT_BYTES) {
        return Err(conflict("name and purpose must be texts of at most 100 and 2000 bytes"));
    }
    if !is_text(&terms.origin, MOST_NAME_BYTES) || !is_origin(&terms.origin) {
        return Err(conflict("the origin must be a name of at most 100 bytes without spaces"));
    }
    if !(0.0..1.0).contains(&terms.budget.delta) || terms.minimum_reports == 0 {
        return Err(conflict("the budget's delta must be below 1 and the minimum of reports above 0"));
    }
    if terms.attributes.is_empty() || terms.attributes.len() > MOST_ATTRIBUTES {
        return Err(conflict("a policy has between 1 and 64 attributes"));
    }
    for (index, attribute) in terms.attributes.iter().enumerate() {
        if terms.attributes[..index].iter().any(|other| other.name == attribute.name) {
            let name = attribute.name.clone();
            return Err(PolicyProblem::Twice { what: "the attribute", name }.into());
        }
        let is_sound = is_name(&attribute.name)
            && attribute.name.len() <= MOST_NAME_BYTES
            && is_text(&attribute.question, MOST_TEXT_BYTES)
            && attribute.domain.len() <= MOST_DOMAIN_BYTES;
        if !is_sound {
            return Err(conflict("attributes need a name of a-z, 0-9, - and _, and a question"));
        }
    }
    check_fields(&terms.public)
}

fn check_fields(fields: &[PublicField]) -> Result<(), PolicyError> {
    let is_value = |value: &String| value.len() <= MOST_NAME_BYTES && is_readable(value);
    let is_sound = |field: &PublicField| {
        is_name(&field.name)
            && field.name.len() <= MOST_NAME_BYTES
            && (1..=MOST_FIELD_VALUES).contains(&field.values.len())
            && field.values.iter().all(is_value)
            && (1..field.values.len()).all(|index| !field.values[..index].contains(&field.values[index]))
    };
    if fields.len() > MOST_FIELDS || !fields.iter().all(is_sound) {
        let reason =
            "public fields, 8 at most, need a name and between 1 and 1024 different values".to_owned();
        return Err(PolicyProblem::Conflict { reason }.into());
    }
    for (index, field) in fields.iter().enumerate() {
        if fields[..index].iter().any(|other| other.name == field.name) {
            return Err(PolicyProblem::Twice { what: "the public field", name: field.name.clone() }.into());
        }
    }
    Ok(())
}
