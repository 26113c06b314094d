//! The counters again, from the reports themselves.

use crate::collection::Collection;
use crate::counters::Counters;
use crate::ingest::damaged;
use crate::store::{Shard, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// One epoch, counted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recount {
    pub(crate) epoch: u32,
    /// How many reports are kept.
    pub(crate) reports: u64,
    /// Whether the stored counters are the same, byte by byte.
    pub(crate) is_same: bool,
}

const AT_ONCE: usize = 8192;

/// Counts all kept reports again and compares with what is stored. Expired reports have counters of their own and are left out.
pub(crate) fn recount(store: &dyn Store, collection: &Collection) -> Result<Vec<Recount>, StoreError> {
    let mut transaction = store.read()?;
    let mut stored: BTreeMap<u32, Counters> = BTreeMap::new();
    for (place, bytes) in transaction.counters(collection.key)? {
        if place.shard != Shard::EXPIRED {
            let sum = stored.entry(place.epoch).or_insert_with(|| collection.no_counters());
            sum.add_bytes(&collection.tally, &bytes).map_err(damaged)?;
        }
    }
    let (mut again, mut some): (BTreeMap<u32, Counters>, Vec<Vec<u8>>) = Default::default();
    transaction.scan_reports(collection.key, &mut |report| {
        some.push(report.to_vec());
        if some.len() == AT_ONCE { add(collection, &mut again, &mut some) } else { Ok(()) }
    })?;
    add(collection, &mut again, &mut some)?;
    transaction.commit()?;
    let epochs: BTreeSet<u32> = stored.keys().chain(again.keys()).copied().collect();
    let bytes = |counters: Option<&Counters>| counters.map(Counters::to_bytes).unwrap_or_default();
    let row = |epoch: u32| Recount {
        epoch,
        reports: again.get(&epoch).map_or(0, Counters::reports),
        is_same: bytes(stored.get(&epoch)) == bytes(again.get(&epoch)),
    };
    Ok(epochs.into_iter().map(row).collect())
}

fn add(
    collection: &Collection,
    sums: &mut BTreeMap<u32, Counters>,
    reports: &mut Vec<Vec<u8>>,
) -> Result<(), StoreError> {
    for (epoch, counters) in collection.count(reports.iter().map(Vec::as_slice)).map_err(damaged)? {
        let sum = sums.entry(epoch).or_insert_with(|| collection.no_counters());
        sum.add(&counters).map_err(damaged)?;
    }
    reports.clear();
    Ok(())
}
