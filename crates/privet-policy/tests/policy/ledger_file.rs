//! The ledger in a file: locks, cut-off ends and changes.

use crate::{one_attribute, resolve, unmarked};
use privet_policy::ledger::{FileLedger, Ledger, LedgerError};
use privet_policy::{Answers, Client, Date};
use std::path::Path;

fn answer_days(path: &Path, days: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    let attribute = "domain = \"binary\"\ngoal = \"frequency\"\nepsilon = 0.5";
    let top = "epoch = \"day\"\nanswers = \"every-epoch\"";
    let policy = resolve(&one_attribute(top, "epsilon = 100\nperiod = \"month\"", attribute)).unwrap();
    let mut ledger = Ledger::open(FileLedger::open(path).unwrap()).unwrap();
    let mut rng = unmarked(1);
    let first: Date = "2026-03-01".parse().unwrap();
    days.map(|offset| {
        let today = Date::from_days_since_1970(first.days_since_1970() + offset).unwrap();
        let answers = Answers::new().value("a", "1");
        Client::new([1; 32]).answer(&policy, &answers, &mut ledger, &mut rng, today).unwrap().bytes
    })
    .collect()
}

fn load(path: &Path) -> Result<usize, LedgerError> {
    Ok(Ledger::open(FileLedger::open(path)?)?.records().len())
}

#[test]
fn records_survive_and_are_not_drawn_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let first = answer_days(&path, 0..3);
    let again = answer_days(&path, 0..5);
    assert_eq!(first[..], again[..3]);
    assert_eq!(load(&path).unwrap(), 5);
}

#[test]
fn two_programs_cannot_use_one_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let held = FileLedger::open(&path).unwrap();
    assert!(matches!(FileLedger::open(&path), Err(LedgerError::InUse)));
    drop(held);
    assert!(FileLedger::open(&path).is_ok());
}

/// As a process does that is being started: it has a copy of its parent's lock until it runs its own program.
#[test]
fn a_lock_that_is_given_back_at_once_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let held = FileLedger::open(&path).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(held);
        });
        assert!(FileLedger::open(&path).is_ok());
    });
}

/// Cut at many places, or changed anywhere: records that were acknowledged are missed.
#[test]
fn changes_and_missing_ends_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    answer_days(&path, 0..3);
    let bytes = std::fs::read(&path).unwrap();
    let damaged = |file: &[u8], what: &str| {
        std::fs::write(&path, file).unwrap();
        assert!(matches!(load(&path), Err(LedgerError::Damaged { .. })), "{what}");
        assert_eq!(std::fs::read(&path).unwrap(), file, "a damaged ledger is left as it is");
    };
    for length in (9..bytes.len()).step_by(31).chain([bytes.len() - 1]) {
        damaged(&bytes[..length], &format!("cut at {length}"));
    }
    for at in (40..bytes.len()).step_by(7).chain([0, 7, bytes.len() - 1]) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        damaged(&changed, &format!("changed at {at}"));
    }
    // What was never acknowledged is dropped from the file, so that the next record is readable.
    std::fs::write(&path, [&bytes, &bytes[40..70]].concat()).unwrap();
    assert_eq!(load(&path).unwrap(), 3);
    answer_days(&path, 5..6);
    assert_eq!(load(&path).unwrap(), 4);
}
