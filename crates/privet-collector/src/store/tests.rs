//! A store without room.

use super::sqlite::SqliteStore;
use super::{CollectionKey, Store, StoreError};
use crate::collection::Collection;
use crate::collections::{Creation, create};
use crate::ingest::{Outcome, Submission, commit_group};
use crate::records::{Holdings, recount};
use privet_core::Generator;
use privet_policy::{Answers, Client, ResolvedPolicy};
use std::sync::Arc;

const POLICY: &str = r#"
name = "Room"
purpose = "See what happens when there is none"
origin = "city.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "month"
minimum_reports = 1
[budget]
epsilon = 1
period = "collection"
[[attribute]]
name = "pets"
question = "Do you have pets?"
domain = "binary"
goal = "frequency"
"#;

fn submission(collection: &Arc<Collection>, count: u32, rng: &mut Generator) -> Submission {
    let answers = Answers::new().value("pets", "1");
    let body: Vec<u8> = (0..count)
        .flat_map(|_| Client::new([1; 32]).perturb(&collection.policy, &answers, 0, rng).unwrap())
        .collect();
    Submission { collection: Arc::clone(collection), body: body.into(), sound: (0..count).collect() }
}

#[test]
fn a_full_disk_keeps_nothing_and_recovers() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("store")).unwrap();
    let policy = ResolvedPolicy::read(POLICY, &mut |_| Err(String::new())).unwrap();
    assert_eq!(create(&store, &policy, false, 1), Ok(Creation::New));
    let collection = Arc::new(Collection::new(CollectionKey(1), policy, None).unwrap());
    let mut rng = Generator::from_entropy([3; 32]);
    let first = commit_group(&store, &[submission(&collection, 100, &mut rng)], 1).unwrap();
    assert_eq!(first, [vec![Outcome::Accepted; 100]]);
    store.limit_pages(40);
    let large = [submission(&collection, 10, &mut rng), submission(&collection, 5000, &mut rng)];
    assert_eq!(commit_group(&store, &large, 1), Err(StoreError::Full));
    // Nothing of the group was kept, and reading goes on.
    assert_eq!(Holdings::read(&store, &collection).unwrap().reports(), 100);
    assert!(recount(&store, &collection).unwrap().iter().all(|epoch| epoch.is_same && epoch.reports == 100));
    store.limit_pages(1 << 20);
    let outcomes = commit_group(&store, &large, 1).unwrap();
    assert!(outcomes.iter().flatten().all(|outcome| *outcome == Outcome::Accepted));
    assert_eq!(Holdings::read(&store, &collection).unwrap().reports(), 5110);
    assert!(recount(&store, &collection).unwrap().iter().all(|epoch| epoch.is_same));
}

/// A transaction that is dropped leaves no trace, and the next one works.
#[test]
fn what_is_not_committed_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("store")).unwrap();
    let policy = ResolvedPolicy::read(POLICY, &mut |_| Err(String::new())).unwrap();
    let new = super::NewCollection { id: policy.id(), policy: policy.to_json(), day: 1, token_key: None };
    let mut transaction = store.write().unwrap();
    assert_eq!(transaction.create_collection(&new), Ok(true));
    drop(transaction);
    let mut transaction = store.write().unwrap();
    assert_eq!(transaction.create_collection(&new), Ok(true));
    transaction.commit().unwrap();
    assert!(store.read().unwrap().collection(policy.id()).unwrap().is_some());
}
