//! On the device: values to reports, for every mechanism that the registry has.

use super::generator::beside_generator;
use crate::BenchError;
use crate::counting::{bytes_taken, fresh};
use crate::setting::{domain_of, epsilon, options_of, values_in};
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::ReportBuffer;
use privet::registry::{MechanismRow, mechanisms};
use std::hint::black_box;

pub(crate) fn tasks() -> Vec<Task> {
    let task = |row: &'static MechanismRow| {
        Task::new(Group::Mechanisms, format!("{}-client", row.info.id), |patience| client(row, patience))
    };
    mechanisms().map(task).collect()
}

/// How many reports per second the mechanism makes, beside how many the generator could feed.
fn client(row: &MechanismRow, patience: Patience) -> Result<Measured, BenchError> {
    let domain = domain_of(&row.info)?;
    let mechanism = row.build_with(&domain, epsilon()?, &options_of(&row.info)?)?;
    let values = values_in(&domain);
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = fresh();
    mechanism.randomize_batch(&values, &mut rng, &mut reports)?;
    let bytes = bytes_taken(rng) as f64 / values.len() as f64;
    let mut rng = fresh();
    let timed = beside_generator(patience, bytes, || {
        reports.clear();
        mechanism.randomize_batch(black_box(&values), &mut rng, &mut reports)?;
        Ok(black_box(&reports).len())
    })?;
    Ok(timed.in_units("reports/s", feeds(bytes)))
}

/// What the generator does in the place of a draw.
pub(super) fn feeds(bytes: f64) -> String {
    format!("the generator fills {bytes:.1} bytes, as many as a report takes")
}

/// What the generator does in the place of a look.
pub(super) fn writes(bytes: usize) -> String {
    format!("the generator fills a report's {bytes} byte{}", if bytes == 1 { "" } else { "s" })
}
