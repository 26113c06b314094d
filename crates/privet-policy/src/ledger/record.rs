//! One record: the draw, its cost and the report's bytes, all in one.

use super::LedgerError;
use crate::attribute::Permanence;
use crate::date::Date;
use crate::resolved::PolicyId;
use crate::spending::Spending;
use privet_core::Fingerprint;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What one report of a person was and cost.
#[derive(Clone, PartialEq)]
pub struct LedgerRecord {
    /// The policy that it was made under.
    pub collection: PolicyId,
    /// Who asked.
    pub origin: String,
    /// When it was made.
    pub day: Date,
    /// The epoch of the collection that it stands for.
    pub epoch: u32,
    /// What it cost, by attribute.
    pub charges: Vec<Charge>,
    /// The report. Asking again sends the same bytes.
    pub report: Vec<u8>,
}

/// What the answer to one question cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// The attribute.
    pub attribute: String,
    /// What this report adds.
    pub cost: Spending,
    /// For permanent answers, what bounds all reports about them.
    pub(crate) permanence: Option<Permanence>,
}

impl fmt::Debug for LedgerRecord {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LedgerRecord({}, epoch {})", self.collection, self.epoch)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordText {
    version: u8,
    collection: String,
    origin: String,
    day: Date,
    epoch: u32,
    charges: Vec<ChargeText>,
    report: String,
}

/// Epsilons are in billionths.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChargeText {
    attribute: String,
    epsilon: u64,
    delta: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    permanent: Option<PermanentText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PermanentText {
    answers: String,
    epsilon: u64,
    values: u32,
}

const VERSION: u8 = 1;

impl LedgerRecord {
    /// The bytes to store.
    pub fn to_bytes(&self) -> Vec<u8> {
        let permanent = |permanence: &Permanence| PermanentText {
            answers: permanence.answers.to_string(),
            epsilon: permanence.one_value.billionths(),
            values: permanence.values,
        };
        let charge = |charge: &Charge| ChargeText {
            attribute: charge.attribute.clone(),
            epsilon: charge.cost.billionths(),
            delta: charge.cost.delta(),
            permanent: charge.permanence.as_ref().map(permanent),
        };
        let text = RecordText {
            version: VERSION,
            collection: self.collection.to_string(),
            origin: self.origin.clone(),
            day: self.day,
            epoch: self.epoch,
            charges: self.charges.iter().map(charge).collect(),
            report: crate::hex::write(&self.report),
        };
        // Writing these types cannot fail: they hold finite numbers, texts and lists.
        serde_json::to_vec(&text).unwrap_or_default()
    }

    /// A record that was stored.
    ///
    /// # Errors
    /// When the bytes are no record.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LedgerError> {
        read(bytes).ok_or(LedgerError::Damaged { reason: "a record cannot be read" })
    }
}

fn read(bytes: &[u8]) -> Option<LedgerRecord> {
    let text: RecordText = serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
    if text.version != VERSION {
        return None;
    }
    let permanent = |text: PermanentText| {
        let mut answers = [0; Fingerprint::BYTES];
        crate::hex::read(&text.answers, &mut answers)?;
        Some(Permanence {
            answers: Fingerprint::from_bytes(answers),
            one_value: Spending::of_parts(text.epsilon, 0.0)?,
            values: text.values,
        })
    };
    let charge = |text: ChargeText| {
        let permanence = match text.permanent {
            Some(text) => Some(permanent(text)?),
            None => None,
        };
        let cost = Spending::of_parts(text.epsilon, text.delta)?;
        Some(Charge { attribute: text.attribute, cost, permanence })
    };
    let mut report = vec![0; text.report.len() / 2];
    crate::hex::read(&text.report, &mut report)?;
    Some(LedgerRecord {
        collection: text.collection.parse().ok()?,
        origin: text.origin,
        day: text.day,
        epoch: text.epoch,
        charges: text.charges.into_iter().map(charge).collect::<Option<_>>()?,
        report,
    })
}
