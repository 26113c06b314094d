//! The two-party protocol from outside: its law, its failures, and what whoever breaks off gets.

// The helpers of tests may stop at once, as tests may.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod aborts;
mod distribution;
mod ledgers;
mod messages;
mod processes;

use privet_core::{Generator, Probability};
use privet_joint::JointTable;
use privet_joint::two_party::{MemoryLedger, Role, RunError, RunLedger, Truthfulness, run};
use privet_joint::wire::{Link, MemoryLink, RunId, memory_pair};
use std::time::Duration;

/// Long, because a busy machine must not fail a test; nothing waits for it unless something is wrong.
const PATIENCE: Duration = Duration::from_secs(60);
const RUN: RunId = RunId::new([9; 16]);
const ALPHA: f64 = 1e-6;

fn table(p: f64, rho: f64) -> JointTable {
    JointTable::new(Probability::new(p).unwrap(), rho).unwrap()
}

/// A table in which the partner of a liar is always truthful.
fn exclusive() -> JointTable {
    table(0.75, 1.0 - 1.0 / 0.75)
}

fn links() -> (MemoryLink, MemoryLink) {
    memory_pair(RUN, PATIENCE)
}

type Outcome = Result<Truthfulness, RunError>;

/// Runs both ends, each in its thread, and gives the links back. An end that fails drops its link, as a program does.
fn run_both<A: Link, B: Link>(
    table: &JointTable,
    (mut one, mut two): (A, B),
    ledgers: [&mut (dyn RunLedger + Send); 2],
    seed: u64,
) -> [(Outcome, u64); 2] {
    let [first_ledger, second_ledger] = ledgers;
    std::thread::scope(|scope| {
        let first = scope.spawn(move || {
            let mut rng = Generator::from_insecure_seed(2 * seed);
            let outcome = run(Role::First, table, &mut one, &mut rng, first_ledger);
            (outcome, one.bytes_sent())
        });
        let second = scope.spawn(move || {
            let mut rng = Generator::from_insecure_seed(2 * seed + 1);
            let outcome = run(Role::Second, table, &mut two, &mut rng, second_ledger);
            (outcome, two.bytes_sent())
        });
        [first.join().unwrap(), second.join().unwrap()]
    })
}

/// The bits of a run that nothing disturbs.
fn draw(table: &JointTable, seed: u64) -> [bool; 2] {
    let (mut one, mut two) = (MemoryLedger::default(), MemoryLedger::default());
    run_both(table, links(), [&mut one, &mut two], seed).map(|(outcome, _)| outcome.unwrap().is_truthful())
}
