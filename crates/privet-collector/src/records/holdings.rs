//! Everything that is known about a collection's reports.

use crate::collection::Collection;
use crate::counters::Counters;
use crate::ingest::damaged;
use crate::store::{Store, StoreError};
use privet_policy::ReportId;
use std::collections::BTreeMap;

/// The counters of a collection: of reports that are kept, of expired ones, and of other collectors.
#[derive(Debug)]
pub(crate) struct Holdings {
    pub(crate) epochs: BTreeMap<u32, Counters>,
    pub(crate) sources: Vec<Source>,
}

/// Where a summary of others comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) id: ReportId,
    pub(crate) name: String,
    pub(crate) epoch: u32,
    pub(crate) day: u32,
    pub(crate) reports: u64,
}

impl Holdings {
    pub(crate) fn read(store: &dyn Store, collection: &Collection) -> Result<Self, StoreError> {
        let mut transaction = store.read()?;
        let (own, foreign) = (transaction.counters(collection.key)?, transaction.summaries(collection.key)?);
        transaction.commit()?;
        let mut holdings = Self { epochs: BTreeMap::new(), sources: Vec::new() };
        for (place, bytes) in own {
            holdings.epoch(collection, place.epoch).add_bytes(&collection.tally, &bytes).map_err(damaged)?;
        }
        for summary in foreign {
            let mut counters = collection.no_counters();
            counters.summary = collection.tally.summary_from_bytes(&summary.bytes).map_err(damaged)?;
            holdings.epoch(collection, summary.epoch).add(&counters).map_err(damaged)?;
            holdings.sources.push(Source {
                id: summary.id,
                name: summary.source,
                epoch: summary.epoch,
                day: summary.day,
                reports: counters.reports(),
            });
        }
        Ok(holdings)
    }

    fn epoch(&mut self, collection: &Collection, epoch: u32) -> &mut Counters {
        self.epochs.entry(epoch).or_insert_with(|| collection.no_counters())
    }

    /// How many reports count.
    pub(crate) fn reports(&self) -> u64 {
        self.epochs.values().map(Counters::reports).sum()
    }

    /// All epochs together.
    pub(crate) fn whole(&self, collection: &Collection) -> Result<Counters, StoreError> {
        let mut whole = collection.no_counters();
        self.epochs.values().try_for_each(|counters| whole.add(counters)).map_err(damaged)?;
        Ok(whole)
    }
}
