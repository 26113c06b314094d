//! A run can be spent once, whatever happens to the program.

use crate::{exclusive, links, run_both};
use privet_joint::two_party::{FileLedger, LedgerError, MemoryLedger, RunFailure, RunLedger};
use std::path::PathBuf;

/// A folder that is gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("privet-ledger-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_ledger_outlives_the_program_and_is_spent_once() {
    let folder = Folder::new("once");
    let mut ledger = FileLedger::new(&folder.0, "census/../2026");
    assert_eq!(ledger.is_spent(), Ok(false));
    assert_eq!(ledger.spend(), Ok(()));
    // Another program of the same person, after a crash or at the same time.
    let mut again = FileLedger::new(&folder.0, "census/../2026");
    assert_eq!(again.is_spent(), Ok(true));
    assert_eq!(again.spend(), Err(LedgerError::Spent));
    assert_eq!(FileLedger::new(&folder.0, "another collection").is_spent(), Ok(false));
}

#[test]
fn of_many_programs_that_race_one_gets_the_run() {
    let folder = Folder::new("race");
    let winners: usize = std::thread::scope(|scope| {
        let spend = || usize::from(FileLedger::new(&folder.0, "race").spend().is_ok());
        let racers: Vec<_> = (0..8).map(|_| scope.spawn(spend)).collect();
        racers.into_iter().map(|racer| racer.join().unwrap()).sum()
    });
    assert_eq!(winners, 1);
}

#[test]
fn a_folder_that_is_gone_is_not_an_empty_ledger() {
    let missing = std::env::temp_dir().join("privet-ledger-that-nobody-made");
    let mut ledger = FileLedger::new(&missing, "census");
    assert_eq!(ledger.is_spent(), Err(LedgerError::Storage(std::io::ErrorKind::NotFound)));
    let mut partner = MemoryLedger::default();
    let [(first, sent), (second, _)] = run_both(&exclusive(), links(), [&mut ledger, &mut partner], 540);
    let first = first.unwrap_err();
    assert!(matches!(first.failure(), RunFailure::Ledger(LedgerError::Storage(_))) && !first.is_retryable());
    assert_eq!(sent, 0);
    assert!(second.unwrap_err().is_retryable());
}

#[test]
fn a_completed_run_is_the_last() {
    let (mut one, mut two) = (MemoryLedger::default(), MemoryLedger::default());
    let outcomes = run_both(&exclusive(), links(), [&mut one, &mut two], 541);
    assert!(outcomes.iter().all(|(outcome, _)| outcome.is_ok()));
    for (outcome, sent) in run_both(&exclusive(), links(), [&mut one, &mut two], 542) {
        let error = outcome.unwrap_err();
        assert_eq!(error.failure(), RunFailure::Ledger(LedgerError::Spent));
        assert!(error.is_final() && !error.is_retryable());
        assert_eq!(sent, 0, "a spent party says nothing");
    }
}
