//! At the collector: reports to a distribution.

use crate::client::made_up_batch;
use crate::timing::Patience;
use crate::{BATCH, BenchError, Row, epsilon};
use privet::interval::OptimalPiecewise;
use privet::numeric::Method;
use privet::{Estimator, Generator, HasEstimator, Interval, Mechanism, ReportBuffer, Request};
use std::hint::black_box;

const BINS: usize = 1024;

/// How many distributions over 1024 bins per second are estimated from a batch of reports, mean, quantiles and intervals
/// included, beside how many rounds of expectation-maximisation with a dense table of that size could be made.
pub(crate) fn distribution(task: &'static str, patience: Patience) -> Result<Row, BenchError> {
    let mechanism = OptimalPiecewise::new(Interval::new(0.0, 1.0)?, epsilon()?)?;
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = Generator::from_insecure_seed(0);
    mechanism.randomize_batch(&made_up_batch::<Interval>(), &mut rng, &mut reports)?;
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports)?;
    let request = Request { method: Method::ExpectationMaximization, bins: BINS, ..Request::default() };
    let mut dense = DenseRound::new();
    let rates = patience.best_rates(
        || {
            black_box(estimator.answer(black_box(&summary), &request)?);
            Ok::<_, BenchError>(1)
        },
        || {
            dense.run();
            Ok(1)
        },
    )?;
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer,
        unit: "estimates/s",
        note: format!(
            "{BATCH} reports, {BINS} bins; peer: one round with a dense table, of which dense code needs hundreds"
        ),
    })
}

/// One round of expectation-maximisation as the usual code does it.
struct DenseRound {
    table: Vec<f64>,
    shares: Vec<f64>,
}

impl DenseRound {
    fn new() -> Self {
        let weight = |index: usize| 1.0 + (index % 7) as f64;
        Self { table: (0..BINS * BINS).map(weight).collect(), shares: vec![1.0 / BINS as f64; BINS] }
    }

    fn run(&mut self) {
        let table = black_box(&self.table);
        let means: Vec<f64> = table
            .chunks_exact(BINS)
            .map(|row| row.iter().zip(&self.shares).map(|(weight, share)| weight * share).sum())
            .collect();
        let mut factors = vec![0.0; BINS];
        for (row, mean) in table.chunks_exact(BINS).zip(&means) {
            row.iter().zip(&mut factors).for_each(|(weight, factor)| *factor += weight / mean);
        }
        let total: f64 = self.shares.iter().zip(&factors).map(|(share, factor)| share * factor).sum();
        self.shares.iter_mut().zip(&factors).for_each(|(share, factor)| *share *= factor / total);
        black_box(&mut self.shares);
    }
}
