//! At the collector: reports to counts.

use crate::client::made_up_batch;
use crate::generator::Memory;
use crate::timing::Patience;
use crate::{BATCH, BenchError, Row};
use privet::categorical::FrequencyOracle;
use privet::{Categories, Generator, Mechanism, ReportBuffer};
use std::hint::black_box;

/// How many people's reports per second are checked and counted, beside how many the generator could write.
pub(crate) fn server<M: FrequencyOracle + Mechanism<Domain = Categories>>(
    task: &'static str,
    mechanism: &M,
    patience: Patience,
) -> Result<Row, BenchError> {
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = Generator::from_insecure_seed(0);
    mechanism.randomize_batch(&made_up_batch::<Categories>(), &mut rng, &mut reports)?;
    let mut counts = vec![0; mechanism.domain().count() as usize];
    let mut memory = Memory::new();
    let rates = patience.best_rates(
        || {
            mechanism.tally(black_box(&reports), &mut counts)?;
            black_box(&mut counts);
            Ok::<_, BenchError>(BATCH)
        },
        || Ok(memory.fill()),
    )?;
    let bytes = mechanism.report_bytes();
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer / bytes as f64,
        unit: "users/s",
        note: format!(
            "peer: the generator fills a report's {bytes} byte{}",
            if bytes == 1 { "" } else { "s" }
        ),
    })
}
