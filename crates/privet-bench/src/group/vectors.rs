//! Vectors, on the device and at the collector, for every mechanism that the registry has.

use super::generator::beside_generator;
use super::mechanisms::{feeds, writes};
use crate::BenchError;
use crate::counting::{bytes_taken, fresh};
use crate::setting::{domain_of, epsilon, options_of, values_in};
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::vector::mechanism::VectorMechanism;
use privet::vector::registry::{ROWS, Row};
use privet::vector::{MeanVectorEstimator, report_batch};
use privet::{Estimator, Values};
use std::hint::black_box;
use std::sync::Arc;

pub(crate) fn tasks() -> Vec<Task> {
    let clients = ROWS.iter().map(|row| {
        Task::new(Group::Vectors, format!("{}-client", row.info.id), |patience| client(row, patience))
    });
    let servers = ROWS.iter().map(|row| {
        Task::new(Group::Vectors, format!("{}-server", row.info.id), |patience| server(row, patience))
    });
    clients.chain(servers).collect()
}

fn build(row: &Row) -> Result<(Arc<dyn VectorMechanism>, Values), BenchError> {
    let domain = domain_of(&row.info)?;
    let mechanism = row.build_on(&domain, epsilon()?, &options_of(&row.info)?)?;
    Ok((Arc::from(mechanism), values_in(&domain)))
}

/// How many vectors per second are reported, beside how many the generator could feed.
fn client(row: &Row, patience: Patience) -> Result<Measured, BenchError> {
    let (mechanism, vectors) = build(row)?;
    let mut rng = fresh();
    report_batch(&*mechanism, &vectors, &mut rng)?;
    let bytes = bytes_taken(rng) as f64 / vectors.len() as f64;
    let mut rng = fresh();
    let timed = beside_generator(patience, bytes, || {
        Ok(black_box(report_batch(&*mechanism, black_box(&vectors), &mut rng)?).len())
    })?;
    Ok(timed.in_units("reports/s", feeds(bytes)))
}

/// How many people's vectors per second are checked and added up, beside how many the generator could write.
fn server(row: &Row, patience: Patience) -> Result<Measured, BenchError> {
    let (mechanism, vectors) = build(row)?;
    let reports = report_batch(&*mechanism, &vectors, &mut fresh())?;
    let estimator = MeanVectorEstimator::new(mechanism)?;
    let mut summary = estimator.empty_summary();
    let bytes = reports.report_bytes();
    let timed = beside_generator(patience, bytes as f64, || {
        estimator.accumulate(&mut summary, black_box(&reports))?;
        black_box(&mut summary);
        Ok(reports.len())
    })?;
    Ok(timed.in_units("users/s", writes(bytes)))
}
