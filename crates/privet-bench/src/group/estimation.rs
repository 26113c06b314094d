//! At the collector: reports to counts, for every mechanism that the registry has, and counts to estimates.

use super::generator::beside_generator;
use super::mechanisms::writes;
use crate::BenchError;
use crate::counting::fresh;
use crate::reference::{self, DenseRound};
use crate::setting::{BATCH, domain_of, epsilon, options_of, values_in};
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::numeric::Method;
use privet::registry::{AnyEstimator, MechanismRow, find_estimator, find_mechanism, mechanisms};
use privet::{Consistency, CountSummary, ReportBuffer, Request};
use std::hint::black_box;

pub(crate) fn tasks() -> Vec<Task> {
    let server = |row: &'static MechanismRow| {
        Task::new(Group::Estimation, format!("{}-server", row.info.id), |patience| server(row, patience))
    };
    let estimates = [
        ("frequencies-of-128-categories", "optimized-local-hashing", frequencies as fn() -> Request),
        ("frequent-words", "prefix-tree", Request::default),
        ("distribution-of-1024-bins", "optimal-piecewise", distribution),
        ("distribution-on-a-circle", "optimal-piecewise-circle", Request::default),
        ("density-of-places", "window-2d", Request::default),
    ];
    let estimate = |(name, mechanism, request): (&'static str, &'static str, fn() -> Request)| {
        Task::new(Group::Estimation, name, move |patience| estimate(mechanism, &request(), patience))
    };
    mechanisms().map(server).chain(estimates.map(estimate)).collect()
}

fn frequencies() -> Request {
    Request { step: Consistency::ExpectationMaximization, ..Request::default() }
}

fn distribution() -> Request {
    Request { method: Method::ExpectationMaximization, bins: reference::SIDE, ..Request::default() }
}

/// A batch of reports, and what counts them.
fn reported(row: &MechanismRow) -> Result<(ReportBuffer, Box<dyn AnyEstimator>), BenchError> {
    let (domain, options) = (domain_of(&row.info)?, options_of(&row.info)?);
    let mechanism = row.build_with(&domain, epsilon()?, &options)?;
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&values_in(&domain), &mut fresh(), &mut reports)?;
    let estimator = find_estimator(row.info.id)?.build_with(&domain, epsilon()?, &options)?;
    Ok((reports, estimator))
}

/// How many people's reports per second are checked and counted, beside how many the generator could write.
fn server(row: &MechanismRow, patience: Patience) -> Result<Measured, BenchError> {
    let (reports, estimator) = reported(row)?;
    let mut summary = estimator.empty_summary();
    let bytes = reports.report_bytes();
    let timed = beside_generator(patience, bytes as f64, || {
        estimator.accumulate(&mut summary, black_box(&reports))?;
        black_box(&mut summary);
        Ok(reports.len())
    })?;
    Ok(timed.in_units("users/s", writes(bytes)))
}

/// How many times per second a batch is estimated from, intervals included, beside a fixed loop.
fn estimate(mechanism: &str, request: &Request, patience: Patience) -> Result<Measured, BenchError> {
    let (reports, estimator) = reported(find_mechanism(mechanism)?)?;
    let mut summary: CountSummary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports)?;
    let mut dense = DenseRound::new();
    let timed = patience.take_turns(
        || {
            black_box(estimator.answer(black_box(&summary), request)?);
            Ok::<_, BenchError>(1)
        },
        || Ok(dense.run()),
    )?;
    Ok(timed.in_units("estimates/s", format!("{}, of {BATCH} reports of {mechanism}", reference::NOTE)))
}
