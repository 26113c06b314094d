//! Reports for a whole column.

use crate::column::Column;
use crate::problem::Problem;
use crate::work::{generator, rows_at_once, threads_for, unlocked};
use privet::{AnyMechanism, Generator, InputError, ReportBuffer, Values};
use pyo3::prelude::*;
use std::sync::Arc;
use std::thread;

/// Draws a report for each value, in pieces between which Ctrl-C is heard.
///
/// From a seed everything is drawn by one generator in the order of the rows, as the command does. Otherwise each thread has a
/// generator of its own.
pub(crate) fn draw(
    py: Python<'_>,
    mechanism: &Arc<dyn AnyMechanism>,
    column: &Column,
    insecure_seed: Option<u64>,
    clamp: bool,
    threads: Option<usize>,
) -> PyResult<ReportBuffer> {
    let rows = column.len(py);
    let at_once = rows_at_once(mechanism.report_bytes() + column.bytes_of_a_value());
    let threads = if insecure_seed.is_some() { 1 } else { threads_for(rows, at_once, threads) };
    let mut first = generator(insecure_seed)?;
    let mut generators: Vec<Generator> = (1..threads).map(|_| first.split()).collect();
    generators.insert(0, first);
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut done = 0;
    while done < rows {
        let mut parts = Vec::with_capacity(threads);
        for part in 0..threads {
            let start = (done + part * at_once).min(rows);
            parts.push((start, column.take(py, start..(start + at_once).min(rows))?));
        }
        unlocked(py, || draw_parts(&**mechanism, &parts, &mut generators, clamp, &mut reports))?;
        done += threads * at_once;
    }
    Ok(reports)
}

fn draw_parts(
    mechanism: &dyn AnyMechanism,
    parts: &[(usize, Values)],
    generators: &mut [Generator],
    clamp: bool,
    reports: &mut ReportBuffer,
) -> Result<(), Problem> {
    let one = |(start, values): &(usize, Values), rng: &mut Generator, reports: &mut ReportBuffer| {
        let drawn = if clamp {
            mechanism.randomize_batch_clamped(values, rng, reports)
        } else {
            mechanism.randomize_batch(values, rng, reports)
        };
        drawn.map_err(|error| moved(error, *start))
    };
    if let ([part], [rng]) = (parts, &mut *generators) {
        return Ok(one(part, rng, reports)?);
    }
    let drawn: Vec<Result<ReportBuffer, InputError>> = thread::scope(|scope| {
        let work = |(part, rng): (&'_ (usize, Values), &'_ mut Generator)| {
            let mut own = ReportBuffer::new(mechanism.report_bytes());
            one(part, rng, &mut own).map(|()| own)
        };
        let threads: Vec<_> =
            parts.iter().zip(generators).map(|pair| scope.spawn(move || work(pair))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    for part in drawn {
        reports.append(&part?)?;
    }
    Ok(())
}

/// The error with the position in the whole column.
fn moved(error: InputError, start: usize) -> InputError {
    match error {
        InputError::OutsideDomainAt { position, domain } => {
            InputError::OutsideDomainAt { position: position + start as u64, domain }
        }
        other => other,
    }
}
