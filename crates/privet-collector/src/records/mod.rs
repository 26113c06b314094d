//! What is done with stored reports: withdrawing, expiring, counting again, and what all of it adds up to.

mod expire;
mod holdings;
mod recount;
mod withdraw;

pub(crate) use expire::expire;
pub(crate) use holdings::{Holdings, Source};
pub(crate) use recount::recount;
pub(crate) use withdraw::{Withdrawal, withdraw};

use crate::collection::Collection;
use crate::counters::Counters;
use crate::ingest::damaged;
use crate::store::{CountersPlace, Shard, StoreError, Transaction};
use std::collections::BTreeSet;

/// The counters of all collectors for one epoch, for a change. They are taken in one order by everybody.
fn take_counters(
    transaction: &mut dyn Transaction,
    collection: &Collection,
    epoch: u32,
    own: Shard,
) -> Result<Counters, StoreError> {
    let mut shards: BTreeSet<Shard> = transaction.shards(collection.key, epoch)?.into_iter().collect();
    shards.remove(&Shard::EXPIRED);
    shards.insert(own);
    let mut sum = collection.no_counters();
    for shard in shards {
        let place = CountersPlace { collection: collection.key, epoch, shard };
        let bytes = transaction.take_counters(place)?;
        sum.add_bytes(&collection.tally, &bytes).map_err(damaged)?;
        transaction.put_counters(place, &[])?;
    }
    Ok(sum)
}
