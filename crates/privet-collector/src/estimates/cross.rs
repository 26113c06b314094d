//! How two attributes go together, from the kept reports themselves.

use super::AnswerError;
use super::cache::{Age, Cache};
use crate::collection::Collection;
use crate::ingest::damaged;
use crate::store::{Shard, Store, StoreError};
use privet_core::{ParameterError, ReportBuffer, Summary};
use privet_estimators::{CrossSide, CrossSummary, CrossTable, CrossTableEstimator};
use privet_policy::{Contribution, Repetition};
use serde_json::{Value, json};
use std::sync::Arc;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CrossQuestion {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Into how many bins numbers and angles are put.
    pub(crate) bins: usize,
    pub(crate) epoch: Option<u32>,
    pub(crate) age: Age,
}

const AT_ONCE: usize = 8192;

/// The table of two attributes. Reports that have expired are not in it.
pub(crate) fn cross_table(
    store: &Arc<dyn Store>,
    collection: &Arc<Collection>,
    cache: &Cache,
    question: CrossQuestion,
) -> Result<Value, AnswerError> {
    if collection.policy.terms().contribution.kind == Contribution::Sample {
        let reason = "each report of this policy answers one question only, so no two go together".to_owned();
        return Err(ParameterError::Incompatible { reason }.into());
    }
    let CrossQuestion { rows, columns, bins, epoch, age } = question;
    let terms = collection.policy.terms();
    let is_permanent = |attribute: usize| terms.attributes[attribute].epsilon_forever.is_some();
    if epoch.is_none()
        && terms.answers == Repetition::EveryEpoch
        && (is_permanent(rows) || is_permanent(columns))
    {
        let reason = "permanent answers of several epochs do not average out: ask for one epoch".to_owned();
        return Err(ParameterError::Incompatible { reason }.into());
    }
    let about = format!("cross {:?} {rows} {columns} {bins} {epoch:?}", collection.policy.id());
    let counters = kept_counters(&**store, collection)?;
    let (store, collection) = (Arc::clone(store), Arc::clone(collection));
    cache.answer(blake3::hash(about.as_bytes()), counters, age, move || {
        compute(&*store, &collection, question)
    })
}

/// A hash that changes with the kept reports.
fn kept_counters(store: &dyn Store, collection: &Collection) -> Result<blake3::Hash, StoreError> {
    let mut transaction = store.read()?;
    let counters = transaction.counters(collection.key)?;
    transaction.commit()?;
    let mut hasher = blake3::Hasher::new();
    for (place, bytes) in counters.iter().filter(|(place, _)| place.shard != Shard::EXPIRED) {
        hasher.update(&place.epoch.to_le_bytes()).update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    }
    Ok(hasher.finalize())
}

fn compute(
    store: &dyn Store,
    collection: &Collection,
    question: CrossQuestion,
) -> Result<Value, AnswerError> {
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
    let withheld = n < minimum_reports;
    let name = |attribute: usize| &collection.policy.terms().attributes[attribute].name;
    let mut document = json!({
        "rows": { "attribute": name(question.rows) },
        "columns": { "attribute": name(question.columns) },
        "epoch": question.epoch,
        "n": n,
        "withheld": withheld,
        "minimum_reports": minimum_reports,
    });
    if !withheld {
        add_table(&mut document, &estimator.estimate(&summary)?);
    }
    Ok(document)
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

fn add_table(document: &mut Value, table: &CrossTable) {
    document["rows"]["labels"] = json!(table.rows);
    document["columns"]["labels"] = json!(table.columns);
    let cell = |cell: &privet_estimators::CrossCell| {
        json!({
            "value": cell.share.value,
            "standard_error": cell.share.standard_error,
            "interval": cell.share.interval,
            "simultaneous_interval": cell.simultaneous_interval,
        })
    };
    document["cells"] = table.cells.iter().map(|row| row.iter().map(cell).collect::<Value>()).collect();
    let method = table.cells.first().and_then(|row| row.first()).map(|cell| cell.share.method);
    document["method"] = json!(method);
}
