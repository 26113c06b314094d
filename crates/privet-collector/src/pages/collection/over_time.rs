//! The same estimates of parts of the reports: of each epoch, and of each value of a public field.

use crate::api::Problem;
use crate::collection::Collection;
use crate::counters::Counters;
use crate::estimates::{Caches, Of, quick};
use crate::records::Holdings;
use privet_core::{Estimate, Target};
use privet_estimators::{Answer, Frequency};
use privet_policy::{AttributeEstimate, Outcome, Slice};
use std::sync::Arc;

/// Estimates of one question by epochs. Epochs with too few reports are not in it.
#[derive(Debug)]
pub(super) struct History {
    /// What an epoch is.
    pub(super) epoch_name: &'static str,
    /// What is followed: some categories, or nothing but the mean.
    pub(super) labels: Vec<String>,
    pub(super) is_share: bool,
    pub(super) epochs: Vec<(u32, Vec<Option<Estimate>>)>,
    /// How many epochs have too few reports.
    pub(super) withheld: u64,
}

impl History {
    /// How many epochs have enough reports, and say nothing all the same.
    pub(super) fn untold(&self) -> usize {
        self.epochs.iter().filter(|(_, values)| values.iter().all(Option::is_none)).count()
    }
}

/// More lines are not told apart.
const MOST_LINES: usize = 4;

/// The last ones.
const MOST_EPOCHS: usize = 60;

/// The names and values of an answer: of all categories or coordinates, or of the mean.
struct Measures {
    labels: Vec<String>,
    /// Nothing for a direction that cannot be told.
    values: Vec<Option<Estimate>>,
    is_share: bool,
}

impl Measures {
    fn of(answer: &Answer) -> Self {
        let mean = |value| Self { labels: vec![String::new()], values: vec![value], is_share: false };
        match answer {
            Answer::Frequencies(all) => Self::of_shares(&all.rows),
            Answer::Places(places) => Self::of_shares(&places.cells),
            Answer::Numbers(numbers) => mean(Some(numbers.mean)),
            Answer::Angles(angles) => mean(angles.direction_told.then_some(angles.direction)),
            Answer::Vector(vector) => Self {
                labels: (1..=vector.coordinates.len()).map(|number| format!("coordinate {number}")).collect(),
                values: vector.coordinates.iter().copied().map(Some).collect(),
                is_share: false,
            },
        }
    }

    fn of_shares(rows: &[Frequency]) -> Self {
        Self {
            labels: rows.iter().map(|row| row.label.clone()).collect(),
            values: rows.iter().map(|row| Some(row.estimate)).collect(),
            is_share: true,
        }
    }

    /// The largest ones, as far as they are known.
    fn largest(&self, most: usize) -> Vec<usize> {
        let value = |index: &usize| self.values[*index].map_or(f64::NEG_INFINITY, |known| known.value);
        let mut indices: Vec<usize> = (0..self.values.len()).collect();
        indices.sort_by(|one, other| value(other).total_cmp(&value(one)));
        indices.truncate(most);
        indices
    }
}

/// The parts of a collection's reports.
pub(super) struct Parts<'a> {
    pub(super) caches: &'a Caches,
    pub(super) collection: &'a Arc<Collection>,
    pub(super) holdings: &'a Holdings,
}

impl Parts<'_> {
    /// What a part of the reports says, if enough of them do.
    fn estimate(
        &self,
        counters: &Counters,
        epoch: Option<u32>,
        attribute: usize,
        slice: Slice,
    ) -> Result<AttributeEstimate, Problem> {
        let of = Of { collection: self.collection, counters, epoch, attribute, slice };
        Ok(quick(self.caches, of, Target::default())?)
    }

    pub(super) fn history(&self, attribute: usize) -> Result<History, Problem> {
        let epoch_name = self.collection.policy.terms().epoch.as_str();
        let mut history =
            History { epoch_name, labels: Vec::new(), is_share: false, epochs: Vec::new(), withheld: 0 };
        let mut kept: Vec<usize> = Vec::new();
        let last = self.holdings.epochs.iter().rev().take(MOST_EPOCHS);
        for (epoch, counters) in last {
            let estimate = self.estimate(counters, Some(*epoch), attribute, Slice::All)?;
            let Outcome::Answer(answer) = &estimate.outcome else {
                history.withheld += 1;
                continue;
            };
            let found = Measures::of(answer);
            if history.epochs.is_empty() {
                // The categories that are largest now.
                kept = found.largest(MOST_LINES);
                history.is_share = found.is_share;
                history.labels = kept.iter().filter_map(|index| found.labels.get(*index).cloned()).collect();
            }
            let values = kept.iter().map(|index| found.values.get(*index).copied().flatten()).collect();
            history.epochs.push((*epoch, values));
        }
        history.epochs.reverse();
        Ok(history)
    }

    pub(super) fn breakdown(&self, attribute: usize) -> Result<Breakdown, Problem> {
        let public = &self.collection.policy.terms().public;
        if public.is_empty() || self.holdings.reports() == 0 {
            return Ok(Breakdown { fields: Vec::new() });
        }
        let whole = self.holdings.whole(self.collection)?;
        let mut fields = Vec::new();
        for (field, terms) in public.iter().enumerate() {
            let mut found = BrokenDown {
                field: terms.name.clone(),
                labels: Vec::new(),
                is_share: false,
                rows: Vec::new(),
            };
            for (value, name) in terms.values.iter().enumerate().take(MOST_VALUES) {
                let estimate = self.estimate(&whole, None, attribute, Slice::Public { field, value })?;
                let estimates = match &estimate.outcome {
                    Outcome::Withheld { .. } => None,
                    Outcome::Answer(answer) => {
                        let Measures { labels, values, is_share } = Measures::of(answer);
                        found.labels = labels.into_iter().take(MOST_COLUMNS).collect();
                        found.is_share = is_share;
                        Some(values.into_iter().take(MOST_COLUMNS).collect())
                    }
                };
                found.rows.push(ValueRow { value: name.clone(), n: estimate.n, estimates });
            }
            fields.push(found);
        }
        Ok(Breakdown { fields })
    }
}

/// Estimates of one question by the values of public fields.
#[derive(Debug)]
pub(super) struct Breakdown {
    pub(super) fields: Vec<BrokenDown>,
}

/// One public field.
#[derive(Debug)]
pub(super) struct BrokenDown {
    pub(super) field: String,
    /// The columns.
    pub(super) labels: Vec<String>,
    pub(super) is_share: bool,
    pub(super) rows: Vec<ValueRow>,
}

/// The people with one value of a public field.
#[derive(Debug)]
pub(super) struct ValueRow {
    pub(super) value: String,
    pub(super) n: u64,
    /// What they say if there are enough; nothing for a direction that cannot be told.
    pub(super) estimates: Option<Vec<Option<Estimate>>>,
}

/// More values of a field are not shown; programs can have them all.
const MOST_VALUES: usize = 30;

/// More columns do not fit on a page.
const MOST_COLUMNS: usize = 6;
