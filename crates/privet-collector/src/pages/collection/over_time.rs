//! The same estimates of parts of the reports: of each epoch, and of each value of a public field.

use super::reading::Measure;
use crate::api::Problem;
use crate::collection::Collection;
use crate::counters::Counters;
use crate::estimates::only_the_mean;
use crate::records::Holdings;
use privet_core::Estimate;
use privet_estimators::Answer;
use privet_policy::{AttributeEstimate, Outcome, Slice};

/// Estimates of one question by epochs. Epochs with too few reports are not in it.
#[derive(Debug)]
pub(super) struct History {
    /// What an epoch is.
    pub(super) epoch_name: &'static str,
    /// What is followed: some categories, or nothing but the mean.
    pub(super) labels: Vec<String>,
    pub(super) is_share: bool,
    pub(super) epochs: Vec<(u32, Vec<Measure>)>,
    /// How many epochs have too few reports.
    pub(super) withheld: u64,
}

/// More lines are not told apart.
const MOST_LINES: usize = 4;

/// The last ones.
const MOST_EPOCHS: usize = 60;

fn measure(estimate: &Estimate) -> Measure {
    Measure { value: estimate.value, interval: estimate.interval }
}

/// The names and values of an answer: of all categories, or of the mean.
fn measures(answer: &Answer) -> (Vec<String>, Vec<Measure>, bool) {
    match answer {
        Answer::Frequencies(all) => {
            let labels = all.rows.iter().map(|row| row.label.clone()).collect();
            (labels, all.rows.iter().map(|row| measure(&row.estimate)).collect(), true)
        }
        Answer::Numbers(numbers) => (vec![String::new()], vec![measure(&numbers.mean)], false),
        Answer::Angles(angles) => (vec![String::new()], vec![measure(&angles.direction)], false),
    }
}

/// What a part of the reports says, if enough of them do.
fn estimate(
    collection: &Collection,
    counters: &Counters,
    attribute: usize,
    slice: Slice,
) -> Result<AttributeEstimate, Problem> {
    Ok(collection.tally.estimate(&counters.summary, attribute, slice, &only_the_mean())?)
}

impl History {
    pub(super) fn read(
        collection: &Collection,
        holdings: &Holdings,
        attribute: usize,
    ) -> Result<Self, Problem> {
        let epoch_name = collection.policy.terms().epoch.as_str();
        let mut history =
            Self { epoch_name, labels: Vec::new(), is_share: false, epochs: Vec::new(), withheld: 0 };
        let mut kept: Vec<usize> = Vec::new();
        let last = holdings.epochs.iter().rev().take(MOST_EPOCHS);
        for (epoch, counters) in last {
            let estimate = estimate(collection, counters, attribute, Slice::All)?;
            let Outcome::Answer(answer) = &estimate.outcome else {
                history.withheld += 1;
                continue;
            };
            let (labels, values, is_share) = measures(answer);
            if history.epochs.is_empty() {
                // The categories that are largest now.
                kept = (0..values.len()).collect();
                kept.sort_by(|one, other| values[*other].value.total_cmp(&values[*one].value));
                kept.truncate(MOST_LINES);
                history.is_share = is_share;
                history.labels = kept.iter().filter_map(|index| labels.get(*index).cloned()).collect();
            }
            let values = kept.iter().filter_map(|index| values.get(*index).copied()).collect();
            history.epochs.push((*epoch, values));
        }
        history.epochs.reverse();
        Ok(history)
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
    /// A value, its reports, and what they say if there are enough.
    pub(super) rows: Vec<(String, u64, Option<Vec<Measure>>)>,
}

/// More values of a field are not shown; programs can have them all.
const MOST_VALUES: usize = 30;

/// More columns do not fit on a page.
const MOST_COLUMNS: usize = 6;

impl Breakdown {
    pub(super) fn read(
        collection: &Collection,
        holdings: &Holdings,
        attribute: usize,
    ) -> Result<Self, Problem> {
        let public = &collection.policy.terms().public;
        if public.is_empty() || holdings.reports() == 0 {
            return Ok(Self { fields: Vec::new() });
        }
        let whole = holdings.whole(collection)?;
        let mut fields = Vec::new();
        for (field, terms) in public.iter().enumerate() {
            let mut found = BrokenDown {
                field: terms.name.clone(),
                labels: Vec::new(),
                is_share: false,
                rows: Vec::new(),
            };
            for (value, name) in terms.values.iter().enumerate().take(MOST_VALUES) {
                let estimate = estimate(collection, &whole, attribute, Slice::Public { field, value })?;
                let values = match &estimate.outcome {
                    Outcome::Withheld { .. } => None,
                    Outcome::Answer(answer) => {
                        let (labels, values, is_share) = measures(answer);
                        found.labels = labels.into_iter().take(MOST_COLUMNS).collect();
                        found.is_share = is_share;
                        Some(values.into_iter().take(MOST_COLUMNS).collect())
                    }
                };
                found.rows.push((name.clone(), estimate.n, values));
            }
            fields.push(found);
        }
        Ok(Self { fields })
    }
}
