//! How two attributes go together, from the kept reports themselves.

use super::cache::Age;
use super::{AnswerError, Caches};
use crate::collection::Collection;
use crate::ingest::damaged;
use crate::store::{Shard, Store, StoreError};
use privet_core::{ParameterError, ReportBuffer, Summary, Target};
use privet_estimators::{CrossCell, CrossSide, CrossSummary, CrossTable, CrossTableEstimator};
use privet_policy::{Contribution, Repetition};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;
use utoipa::ToSchema;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CrossQuestion {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Into how many bins numbers and angles are put.
    pub(crate) bins: usize,
    pub(crate) epoch: Option<u32>,
    /// Which people it is about.
    pub(crate) target: Target,
    pub(crate) age: Age,
}

/// How two attributes go together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Crossed {
    /// The names of the attributes.
    names: [String; 2],
    epoch: Option<u32>,
    n: u64,
    minimum_reports: u64,
    target: Target,
    /// Nothing if there are too few reports.
    table: Option<CrossTable>,
}

const AT_ONCE: usize = 8192;

/// The table of two attributes. Reports that have expired are not in it.
pub(crate) fn cross_table(
    store: &Arc<dyn Store>,
    collection: &Arc<Collection>,
    caches: &Caches,
    question: CrossQuestion,
) -> Result<Crossed, AnswerError> {
    if collection.policy.terms().contribution.kind == Contribution::Sample {
        let reason = "each report of this policy answers one question only, so no two go together".to_owned();
        return Err(ParameterError::Incompatible { reason }.into());
    }
    let CrossQuestion { rows, columns, bins, epoch, target, age } = question;
    let terms = collection.policy.terms();
    let is_permanent = |attribute: usize| terms.attributes[attribute].epsilon_forever.is_some();
    if epoch.is_none()
        && terms.answers == Repetition::EveryEpoch
        && (is_permanent(rows) || is_permanent(columns))
    {
        let reason = "permanent answers of several epochs do not average out: ask for one epoch".to_owned();
        return Err(ParameterError::Incompatible { reason }.into());
    }
    let about = format!("{:?} {rows} {columns} {bins} {epoch:?} {target:?}", collection.policy.id());
    let Kept { counters, epochs } = Kept::read(&**store, collection)?;
    collection.tally.check_target(target, if epoch.is_some() { 1 } else { epochs })?;
    let (store, collection) = (Arc::clone(store), Arc::clone(collection));
    caches.cross_tables.answer(blake3::hash(about.as_bytes()), counters, age, move || {
        compute(&*store, &collection, question)
    })
}

/// What is known about the kept reports before they are read.
struct Kept {
    /// A hash that changes with them.
    counters: blake3::Hash,
    /// How many epochs they come from.
    epochs: usize,
}

impl Kept {
    fn read(store: &dyn Store, collection: &Collection) -> Result<Self, StoreError> {
        let mut transaction = store.read()?;
        let counters = transaction.counters(collection.key)?;
        transaction.commit()?;
        let mut hasher = blake3::Hasher::new();
        let mut epochs = BTreeSet::new();
        for (place, bytes) in counters.iter().filter(|(place, _)| place.shard != Shard::EXPIRED) {
            hasher
                .update(&place.epoch.to_le_bytes())
                .update(&(bytes.len() as u64).to_le_bytes())
                .update(bytes);
            epochs.insert(place.epoch);
        }
        Ok(Self { counters: hasher.finalize(), epochs: epochs.len() })
    }
}

fn compute(
    store: &dyn Store,
    collection: &Collection,
    question: CrossQuestion,
) -> Result<Crossed, AnswerError> {
    let side = |attribute: usize| {
        let reason = "vectors are no side of a cross-table".to_owned();
        let estimator = collection.estimators[attribute].counts();
        let estimator = estimator.ok_or(ParameterError::Incompatible { reason })?;
        Ok::<_, ParameterError>(CrossSide { estimator, bins: question.bins })
    };
    let estimator = CrossTableEstimator::new(side(question.rows)?, side(question.columns)?)?;
    let summary = collect(store, collection, question, &estimator)?;
    let minimum_reports = u64::from(collection.policy.terms().minimum_reports);
    let n = summary.count();
    let table = if n < minimum_reports { None } else { Some(estimator.estimate(&summary, question.target)?) };
    let name = |attribute: usize| collection.policy.terms().attributes[attribute].name.clone();
    let names = [question.rows, question.columns].map(name);
    Ok(Crossed { names, epoch: question.epoch, n, minimum_reports, target: question.target, table })
}

fn collect(
    store: &dyn Store,
    collection: &Collection,
    question: CrossQuestion,
    estimator: &CrossTableEstimator<'_>,
) -> Result<CrossSummary, StoreError> {
    let new_buffer =
        |attribute: usize| ReportBuffer::new(collection.policy.attributes()[attribute].report_bytes());
    let new_pair = || [question.rows, question.columns].map(new_buffer);
    let (mut summary, mut pair) = (estimator.empty_summary(), new_pair());
    let mut transaction = store.read()?;
    transaction.scan_reports(collection.key, &mut |bytes| {
        let report = collection.codec.decode(bytes).map_err(damaged)?;
        if question.epoch.is_some_and(|epoch| epoch != report.epoch()) {
            return Ok(());
        }
        for (buffer, attribute) in pair.iter_mut().zip([question.rows, question.columns]) {
            buffer.push(report.attribute(attribute).unwrap_or_default()).map_err(damaged)?;
        }
        if pair[0].len() == AT_ONCE {
            estimator.accumulate(&mut summary, &pair[0], &pair[1]).map_err(damaged)?;
            pair = new_pair();
        }
        Ok(())
    })?;
    transaction.commit()?;
    estimator.accumulate(&mut summary, &pair[0], &pair[1]).map_err(damaged)?;
    Ok(summary)
}

/// How two attributes go together.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CrossDocument {
    rows: SideDocument,
    columns: SideDocument,
    /// The epoch, if it is about one.
    epoch: Option<u32>,
    /// How many people it rests on.
    n: u64,
    /// Whether there are too few reports to show anything.
    withheld: bool,
    minimum_reports: u64,
    /// Which people it is about: `reported` or `population`.
    target: &'static str,
    /// For each row its cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<Vec<Vec<CellDocument>>>,
    /// How they were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
}

/// One of the attributes.
#[derive(Debug, Serialize, ToSchema)]
struct SideDocument {
    attribute: String,
    /// Its categories or bins.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Vec<String>>,
}

/// The share of people in a cell.
#[derive(Debug, Serialize, ToSchema)]
struct CellDocument {
    value: f64,
    standard_error: f64,
    /// How far the mean of the estimate can be from the truth.
    bias_bound: f64,
    interval: [f64; 2],
    /// These intervals hold for all cells at once.
    simultaneous_interval: [f64; 2],
}

impl From<Crossed> for CrossDocument {
    fn from(crossed: Crossed) -> Self {
        let Crossed { names: [rows, columns], epoch, n, minimum_reports, target, table } = crossed;
        let cell = |cell: &CrossCell| CellDocument {
            value: cell.share.value,
            standard_error: cell.share.standard_error,
            bias_bound: cell.share.bias_bound,
            interval: cell.share.interval,
            simultaneous_interval: cell.simultaneous_interval,
        };
        let cells =
            |table: &CrossTable| table.cells.iter().map(|row| row.iter().map(cell).collect()).collect();
        let method = |table: &CrossTable| table.cells.first()?.first().map(|cell| cell.share.method);
        Self {
            withheld: table.is_none(),
            cells: table.as_ref().map(cells),
            method: table.as_ref().and_then(method),
            rows: SideDocument { attribute: rows, labels: table.as_ref().map(|table| table.rows.clone()) },
            columns: SideDocument { attribute: columns, labels: table.map(|table| table.columns) },
            epoch,
            n,
            minimum_reports,
            target: target.as_str(),
        }
    }
}
