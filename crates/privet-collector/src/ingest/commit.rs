//! Many requests in one transaction.

use super::check::id_of;
use super::{Outcome, Refusal, Submission};
use crate::collection::Collection;
use crate::counters::Counters;
use crate::store::{
    CollectionKey, CountersPlace, NewReport, Removal, Store, StoreError, StoredReport, Transaction,
};
use crate::tokens::TokenName;
use privet_policy::ReportId;
use std::collections::BTreeMap;

/// A sound report and where its outcome belongs.
#[derive(Clone, Copy)]
struct Item<'a> {
    id: ReportId,
    report: &'a [u8],
    token: Option<TokenName>,
    /// The request, and the place among its sound reports.
    place: (usize, usize),
}

/// Keeps and counts the reports of several requests, all or none. The outcomes are in the order of each request's sound reports.
///
/// # Errors
/// When the store fails. Then nothing is kept.
pub(crate) fn commit_group(
    store: &dyn Store,
    group: &[Submission],
    day: u32,
) -> Result<Vec<Vec<Outcome>>, StoreError> {
    let mut outcomes: Vec<Vec<Outcome>> =
        group.iter().map(|submission| vec![Outcome::Accepted; submission.sound.len()]).collect();
    let mut transaction = store.write()?;
    let mut added: BTreeMap<(CollectionKey, u32), (&Collection, Counters)> = BTreeMap::new();
    // All reports come before all counters, both in one order for all collectors, so that no two of them wait for each other.
    for (key, requests) in by_collection(group) {
        let Some(collection) = requests.first().map(|request| &*group[*request].collection) else { continue };
        let items = sorted_items(group, &requests)?;
        let mut desk = Desk { transaction: &mut *transaction, collection, day };
        let (settled, new) = desk.settle(&items)?;
        for (item, outcome) in items.iter().zip(settled) {
            outcomes[item.place.0][item.place.1] = outcome;
        }
        for (epoch, counters) in collection.count(new).map_err(damaged)? {
            added.insert((key, epoch), (collection, counters));
        }
    }
    for ((key, epoch), (collection, counters)) in added {
        let place = CountersPlace { collection: key, epoch, shard: store.shard() };
        add_counters(&mut *transaction, collection, place, counters)?;
    }
    transaction.commit()?;
    Ok(outcomes)
}

/// Adds to stored counters.
pub(crate) fn add_counters(
    transaction: &mut dyn Transaction,
    collection: &Collection,
    place: CountersPlace,
    mut counters: Counters,
) -> Result<(), StoreError> {
    let stored = transaction.take_counters(place)?;
    counters.add_bytes(&collection.tally, &stored).map_err(damaged)?;
    transaction.put_counters(place, &counters.to_bytes())
}

/// What was checked before and now does not fit: a store that something else has written to.
pub(crate) fn damaged(error: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(error.to_string())
}

fn by_collection(group: &[Submission]) -> BTreeMap<CollectionKey, Vec<usize>> {
    let mut collections: BTreeMap<CollectionKey, Vec<usize>> = BTreeMap::new();
    for (request, submission) in group.iter().enumerate() {
        collections.entry(submission.collection.key).or_default().push(request);
    }
    collections
}

/// The sound reports of several requests to one collection in the order of their ids, those of one id in the order of their arrival.
fn sorted_items<'a>(group: &'a [Submission], requests: &[usize]) -> Result<Vec<Item<'a>>, StoreError> {
    let mut items = Vec::with_capacity(requests.iter().map(|request| group[*request].sound.len()).sum());
    for request in requests {
        let submission = &group[*request];
        for (index, position) in submission.sound.iter().enumerate() {
            let (report, token) =
                submission.item(*position).split_at(submission.collection.codec.report_bytes());
            items.push(Item {
                id: id_of(&submission.collection, report).map_err(damaged)?,
                report,
                token: token.first_chunk().copied(),
                place: (*request, index),
            });
        }
    }
    items.sort_unstable_by_key(|item| (item.id, item.place));
    Ok(items)
}

/// Settles the reports of one collection.
struct Desk<'a, 's> {
    transaction: &'a mut (dyn Transaction + 's),
    collection: &'a Collection,
    day: u32,
}

impl Desk<'_, '_> {
    /// The outcome of each report, and the reports that are new.
    fn settle<'i>(&mut self, items: &[Item<'i>]) -> Result<(Vec<Outcome>, Vec<&'i [u8]>), StoreError> {
        if self.transaction.is_closed(self.collection.key)? {
            return Ok((vec![Outcome::Refused(Refusal::Closed); items.len()], Vec::new()));
        }
        let mut outcomes = vec![Outcome::Accepted; items.len()];
        // The first report of each id speaks for the others.
        let is_first = |index: &usize| *index == 0 || items[index - 1].id != items[*index].id;
        let mut waiting: Vec<usize> = (0..items.len()).filter(is_first).collect();
        if self.collection.tokens.is_some() {
            let known = self.settle_known(items, &waiting, &mut outcomes)?;
            waiting.retain(|index| known.binary_search(index).is_err());
            waiting = self.spend_tokens(items, &waiting, &mut outcomes)?;
        }
        let reports: Vec<NewReport<'_>> = waiting
            .iter()
            .map(|index| NewReport { id: items[*index].id, bytes: items[*index].report })
            .collect();
        let is_new = self.transaction.insert_reports(self.collection.key, self.day, &reports)?;
        let split = |wanted: bool| -> Vec<usize> {
            waiting
                .iter()
                .zip(&is_new)
                .filter(|(_, is_new)| **is_new == wanted)
                .map(|(index, _)| *index)
                .collect()
        };
        self.settle_known(items, &split(false), &mut outcomes)?;
        follow(items, &mut outcomes);
        Ok((outcomes, split(true).into_iter().map(|index| items[index].report).collect()))
    }

    /// Compares reports with those that the store has under the same ids; says which of them it has, in the same order.
    fn settle_known(
        &mut self,
        items: &[Item<'_>],
        indices: &[usize],
        outcomes: &mut [Outcome],
    ) -> Result<Vec<usize>, StoreError> {
        if indices.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<ReportId> = indices.iter().map(|index| items[*index].id).collect();
        let found = self.transaction.find_reports(self.collection.key, &ids)?;
        let mut known = Vec::new();
        for (index, stored) in indices.iter().zip(found) {
            let (Some(stored), item) = (stored, &items[*index]) else { continue };
            outcomes[*index] = match stored {
                StoredReport::Kept(bytes) if bytes == item.report => Outcome::Duplicate,
                StoredReport::Kept(_) => Outcome::Refused(Refusal::Conflict { id: item.id }),
                // Its bytes are gone, so nobody can tell whether they were the same. It was counted.
                StoredReport::Gone(Removal::Expired) => Outcome::Duplicate,
                StoredReport::Gone(Removal::Withdrawn) => {
                    Outcome::Refused(Refusal::Withdrawn { id: item.id })
                }
            };
            known.push(*index);
        }
        Ok(known)
    }

    /// Spends the tokens of reports; says which reports may be kept.
    fn spend_tokens(
        &mut self,
        items: &[Item<'_>],
        indices: &[usize],
        outcomes: &mut [Outcome],
    ) -> Result<Vec<usize>, StoreError> {
        let tokens: Vec<(TokenName, ReportId)> =
            indices.iter().filter_map(|index| Some((items[*index].token?, items[*index].id))).collect();
        let spent_on = self.transaction.spend_tokens(self.collection.key, &tokens)?;
        let mut paid = Vec::with_capacity(indices.len());
        for (index, report) in indices.iter().zip(spent_on) {
            if report == items[*index].id {
                paid.push(*index);
            } else {
                outcomes[*index] = Outcome::Refused(Refusal::TokenSpent);
            }
        }
        Ok(paid)
    }
}

/// Reports with the id of the one before them: the same bytes have been counted with it, other bytes are refused.
fn follow(items: &[Item<'_>], outcomes: &mut [Outcome]) {
    let mut first = 0;
    for index in 1..items.len() {
        if items[index].id != items[first].id {
            first = index;
            continue;
        }
        outcomes[index] = match &outcomes[first] {
            Outcome::Refused(refusal) => Outcome::Refused(refusal.clone()),
            _ if items[index].report == items[first].report => Outcome::Duplicate,
            _ => Outcome::Refused(Refusal::Conflict { id: items[index].id }),
        };
    }
}
