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

/// Cut at many places: what was whole stays, and the rest of a record is dropped.
#[test]
fn a_record_that_was_cut_off_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    answer_days(&path, 0..1);
    let one = std::fs::read(&path).unwrap().len();
    answer_days(&path, 0..2);
    let bytes = std::fs::read(&path).unwrap();
    let near_the_ends = (0..12).chain(one - 3..one + 30).chain(bytes.len() - 3..bytes.len());
    for cut in near_the_ends.chain((0..bytes.len()).step_by(31)) {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let expected = usize::from(cut >= one);
        assert_eq!(load(&path).unwrap(), expected, "{cut}");
        // It is dropped from the file as well, so that the next record is readable.
        if cut % 5 == 0 {
            answer_days(&path, 5..6);
            assert_eq!(load(&path).unwrap(), expected + 1, "{cut}");
        }
    }
    // What the file system filled with zeros instead of writing it.
    let zeros = [&bytes[..one], &[0; 100]].concat();
    std::fs::write(&path, zeros).unwrap();
    assert_eq!(load(&path).unwrap(), 1);
}

#[test]
fn a_change_anywhere_else_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    answer_days(&path, 0..1);
    let one = std::fs::read(&path).unwrap().len();
    answer_days(&path, 0..3);
    let bytes = std::fs::read(&path).unwrap();
    for at in (0..40).chain((40..one).step_by(7)) {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        std::fs::write(&path, &changed).unwrap();
        assert!(matches!(load(&path), Err(LedgerError::Damaged { .. })), "{at}");
        assert_eq!(std::fs::read(&path).unwrap(), changed, "a damaged ledger is left as it is");
    }
}
