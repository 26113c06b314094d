//! Reports are deleted when they are as old as the policy allows. What they added up to stays.

use super::take_counters;
use crate::collection::Collection;
use crate::ingest::{add_counters, damaged};
use crate::store::{CountersPlace, Removal, Shard, Store, StoreError};
use privet_policy::ReportId;

/// How many reports are deleted in one transaction, so that others do not wait long.
const AT_ONCE: u32 = 4096;

/// Deletes the reports that are too old today; says how many.
pub(crate) fn expire(store: &dyn Store, collection: &Collection, today: u32) -> Result<u64, StoreError> {
    let Some(days) = collection.policy.terms().retention_days else { return Ok(0) };
    let oldest = today.saturating_sub(days);
    let mut deleted = 0;
    loop {
        match expire_some(store, collection, oldest)? {
            0 => return Ok(deleted),
            some => deleted += some,
        }
    }
}

fn expire_some(store: &dyn Store, collection: &Collection, oldest: u32) -> Result<u64, StoreError> {
    let mut transaction = store.write()?;
    let reports = transaction.reports_before(collection.key, oldest, AT_ONCE)?;
    let ids = reports
        .iter()
        .map(|report| Ok(collection.codec.decode(report).map_err(damaged)?.id()))
        .collect::<Result<Vec<ReportId>, StoreError>>()?;
    for (epoch, counters) in collection.count(reports.iter().map(Vec::as_slice)).map_err(damaged)? {
        let place = |shard| CountersPlace { collection: collection.key, epoch, shard };
        add_counters(&mut *transaction, collection, place(Shard::EXPIRED), counters.clone())?;
        let mut rest = take_counters(&mut *transaction, collection, epoch, store.shard())?;
        rest.take_out(&counters).map_err(damaged)?;
        transaction.put_counters(place(store.shard()), &rest.to_bytes())?;
    }
    transaction.remove_reports(collection.key, &ids, Removal::Expired)?;
    transaction.commit()?;
    Ok(ids.len() as u64)
}
