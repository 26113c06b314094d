//! A person takes a report back.

use super::take_counters;
use crate::collection::Collection;
use crate::ingest::damaged;
use crate::store::{CountersPlace, Removal, Store, StoreError, StoredReport};
use privet_policy::ReportId;

/// What became of a withdrawal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Withdrawal {
    /// The report is deleted and no longer counts, now or since an earlier withdrawal.
    Done,
    /// The report was deleted because of its age. Nobody knows any more what it said, so it still counts.
    TooLate,
    /// There is no such report.
    Unknown,
}

/// Deletes a report and takes it out of the counters.
pub(crate) fn withdraw(
    store: &dyn Store,
    collection: &Collection,
    id: ReportId,
) -> Result<Withdrawal, StoreError> {
    let mut transaction = store.write()?;
    let found = transaction.find_reports(collection.key, &[id])?.pop().flatten();
    let withdrawal = match found {
        None => Withdrawal::Unknown,
        Some(StoredReport::Gone(Removal::Withdrawn)) => Withdrawal::Done,
        Some(StoredReport::Gone(Removal::Expired)) => Withdrawal::TooLate,
        Some(StoredReport::Kept(bytes)) => {
            transaction.remove_reports(collection.key, &[id], Removal::Withdrawn)?;
            for (epoch, counters) in collection.count([bytes.as_slice()]).map_err(damaged)? {
                let mut all = take_counters(&mut *transaction, collection, epoch, store.shard())?;
                all.take_out(&counters).map_err(damaged)?;
                let place = CountersPlace { collection: collection.key, epoch, shard: store.shard() };
                transaction.put_counters(place, &all.to_bytes())?;
            }
            Withdrawal::Done
        }
    };
    transaction.commit()?;
    Ok(withdrawal)
}
