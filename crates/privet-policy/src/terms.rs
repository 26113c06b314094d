//! What a policy says once everything is decided, and the one way to write it down.

use crate::advisor::Goal;
use crate::date::{Date, Epoch, Period};
use crate::spending::DecimalEpsilon;
use serde::{Deserialize, Serialize};

/// What the format of resolved policies is called.
pub(crate) const FORMAT: &str = "privet policy 1";

/// What a resolved policy says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The format: `privet policy 1`.
    pub format: String,
    /// What the collection is called.
    pub name: String,
    /// What the answers are for.
    pub purpose: String,
    /// Who asks. Budgets and permanent answers are kept by origin.
    pub origin: String,
    /// The first day.
    pub opens: Date,
    /// The last day.
    pub closes: Date,
    /// How long one report stands for.
    pub epoch: Epoch,
    /// How often a person answers.
    pub answers: Repetition,
    /// Estimates from fewer reports are withheld.
    pub minimum_reports: u32,
    /// After how many days the collector deletes reports, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_days: Option<u32>,
    /// What one person spends at most.
    pub budget: BudgetTerms,
    /// How several attributes share the budget.
    pub contribution: ContributionTerms,
    /// What is asked.
    pub attributes: Vec<AttributeTerms>,
    /// Fields that are sent as they are, to break estimates down by.
    pub public: Vec<PublicField>,
}

/// How often a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repetition {
    /// Once in the whole collection.
    Once,
    /// Once in each epoch.
    EveryEpoch,
}

impl Repetition {
    /// Both, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Once, Self::EveryEpoch];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::EveryEpoch => "every-epoch",
        }
    }
}

/// What one person spends at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetTerms {
    /// The epsilon of all reports in a period.
    pub epsilon: DecimalEpsilon,
    /// The delta of all reports in a period.
    pub delta: f64,
    /// The time over which it is counted.
    pub period: Period,
}

/// How several attributes share a person's budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contribution {
    /// Each report answers every question with a part of the epsilon.
    Split,
    /// Each report answers one question, drawn by lot, with the whole epsilon.
    Sample,
}

impl Contribution {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Split => "split",
            Self::Sample => "sample",
        }
    }
}

/// The chosen way, and why.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContributionTerms {
    /// The way.
    pub kind: Contribution,
    /// If the advisor chose: the expected errors of both ways.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared: Option<ComparedErrors>,
}

/// Expected errors as parts of the domains' widths (shares as they are), averaged over the attributes, if as many people report as
/// the policy's minimum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedErrors {
    /// If each report answers every question.
    pub split: f64,
    /// If each report answers one question.
    pub sample: f64,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeTerms {
    /// What programs call it.
    pub name: String,
    /// What people read.
    pub question: String,
    /// Where values come from, as people write it.
    pub domain: String,
    /// What is to be learned.
    pub goal: Goal,
    /// The mechanism's id.
    pub mechanism: String,
    /// What one report may reveal about this attribute.
    pub epsilon: DecimalEpsilon,
    /// For permanent answers: what all reports together reveal about one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon_forever: Option<DecimalEpsilon>,
    /// How much probability the promise leaves out, for mechanisms that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// Into how many parts a mechanism on a grid cuts its domain; for a rectangle, each of its sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// How many places each report of a path has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u32>,
    /// For vectors: the size of the set that they are clipped to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// For questions that two people answer together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairTerms>,
    /// The file of a mechanism that was solved for, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<String>,
}

/// How two people answer a question together. The attribute's `epsilon` is the promise to a person whose partner colludes, and what a
/// report costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairTerms {
    /// How many people take part.
    pub users: u64,
    /// How many of them may be the collector's.
    pub colluders: u64,
    /// The promise on average over the secret pairing.
    pub epsilon: DecimalEpsilon,
    /// Where the helpers are through whom partners meet.
    pub relay: String,
    /// How likely a person's report is truthful.
    pub truthful: f64,
    /// How the truthfulness of two partners is correlated.
    pub correlation: f64,
}

/// A field that is sent as it is. It has no protection at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicField {
    /// What it is called.
    pub name: String,
    /// The values that it can have.
    pub values: Vec<String>,
}

impl Terms {
    /// The canonical text: JSON without spaces, keys in alphabetical order, and each number in the shortest form that reads back
    /// as the same floating-point number.
    pub(crate) fn canonical(&self) -> String {
        // Writing these types cannot fail: they hold finite numbers, texts and lists.
        let mut value = serde_json::to_value(self).unwrap_or_default();
        value.sort_all_objects();
        value.to_string()
    }

    /// How many epochs have a day in the collection.
    pub(crate) fn epochs(&self) -> u32 {
        let last = self.epoch.number(self.closes) - self.epoch.number(self.opens);
        u32::try_from(last + 1).unwrap_or(0)
    }
}
