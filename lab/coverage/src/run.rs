//! Everything at once, on all cores.

use crate::cells::Cell;
use crate::verdict::{Effort, Outcome, judge};
use crate::width::{self, WidthCase, WidthRow};
use anyhow::Result;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What came of a cell.
#[derive(Debug)]
pub struct Record {
    /// The cell's place in the design.
    pub cell: usize,
    /// How its questions did, or why there is no answer.
    pub outcomes: Result<Vec<Outcome>>,
    /// How long it took.
    pub seconds: f64,
}

impl Record {
    /// What is wrong with the cell, in words.
    fn reason(&self) -> String {
        let of = |outcome: &Outcome| {
            let Outcome { question, coverage, deviation_ratio, .. } = outcome;
            format!("{} {coverage:.4}, varies {deviation_ratio:.2} times what is stated", question.name)
        };
        match &self.outcomes {
            Err(error) => format!("{error:#}"),
            Ok(outcomes) => {
                let failing = outcomes.iter().filter(|outcome| outcome.fails);
                failing.map(of).collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// Whether something is wrong with the cell.
    pub fn fails(&self) -> bool {
        self.outcomes.as_ref().map_or(true, |outcomes| outcomes.iter().any(|outcome| outcome.fails))
    }
}

/// Judges all cells, in their order. `say` hears every few seconds how far it is.
pub fn judge_all(cells: &[Cell], effort: Effort, say: impl Fn(&str) + Sync) -> Vec<Record> {
    let failing = AtomicUsize::new(0);
    in_parallel(
        cells.len(),
        |index| {
            let start = Instant::now();
            let outcomes = judge(&cells[index], effort);
            let record = Record { cell: index, outcomes, seconds: start.elapsed().as_secs_f64() };
            if record.fails() {
                failing.fetch_add(1, Ordering::Relaxed);
                say(&format!("fails: {}: {}", cells[index].name(), record.reason()));
            }
            record
        },
        |done| say(&format!("{done} of {} cells, {} failing", cells.len(), failing.load(Ordering::Relaxed))),
    )
}

/// Measures the widths of all channels, in their order.
///
/// # Errors
/// When one cannot be measured.
pub fn measure_all(cases: &[WidthCase], say: impl Fn(&str) + Sync) -> Result<Vec<WidthRow>> {
    let found = in_parallel(
        cases.len(),
        |index| width::measure(cases[index]),
        |done| say(&format!("widths of {done} of {} channels", cases.len())),
    );
    let rows: Result<Vec<Vec<WidthRow>>> = found.into_iter().collect();
    Ok(rows?.concat())
}

/// Does so many things on all cores, and says now and then how many are done.
fn in_parallel<T: Send>(
    count: usize,
    work: impl Fn(usize) -> T + Sync,
    say: impl Fn(usize) + Sync,
) -> Vec<T> {
    const EVERY: Duration = Duration::from_secs(15);
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::default();
    let said = Mutex::new(Instant::now());
    let one_worker = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = work(index);
            let mut all = done.lock().unwrap_or_else(PoisonError::into_inner);
            all.push((index, result));
            let mut last = said.lock().unwrap_or_else(PoisonError::into_inner);
            if last.elapsed() >= EVERY || all.len() == count {
                *last = Instant::now();
                say(all.len());
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        (0..workers).for_each(|_| drop(scope.spawn(one_worker)));
    });
    let mut results = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        assert_eq!(in_parallel(100, |index| index * 2, |_| ()), (0..100).map(|i| i * 2).collect::<Vec<_>>());
    }
}
