//! On the device: values to reports.

use crate::counting::Counting;
use crate::generator::Memory;
use crate::timing::Patience;
use crate::{BATCH, BenchError, CATEGORIES, Row};
use privet::domain::Word;
use privet::{Categories, Circle, Domain, Generator, Interval, Mechanism, Rectangle, ReportBuffer, Words};
use std::hint::black_box;

/// A domain that can make up values for a benchmark.
pub(crate) trait MadeUp: Domain {
    fn made_up(index: u32) -> Self::Value;
}

impl MadeUp for Categories {
    fn made_up(index: u32) -> u32 {
        // Steps of an odd number visit all categories, in an order that no branch predictor expects.
        index.wrapping_mul(0x9e37_79b9) >> (u32::BITS - CATEGORIES.trailing_zeros())
    }
}

impl MadeUp for Words {
    fn made_up(index: u32) -> Word {
        Word::new(&format!("w{:05}", Categories::made_up(index))).unwrap_or_default()
    }
}

impl MadeUp for Interval {
    fn made_up(index: u32) -> f64 {
        fraction(index)
    }
}

impl MadeUp for Circle {
    fn made_up(index: u32) -> f64 {
        fraction(index)
    }
}

impl MadeUp for Rectangle {
    fn made_up(index: u32) -> [f64; 2] {
        [fraction(index), fraction(index.wrapping_mul(0x85eb_ca6b) ^ 0x2f0b)]
    }
}

/// Numbers from 0 to 1 in an order that no branch predictor expects; the benchmarks' domains are that wide.
fn fraction(index: u32) -> f64 {
    f64::from(index.wrapping_mul(0x9e37_79b9)) * 2f64.powi(-32)
}

/// As many values as a batch has.
pub(crate) fn made_up_batch<D: MadeUp>() -> Vec<D::Value> {
    (0..BATCH as u32).map(D::made_up).collect()
}

/// How many reports per second the mechanism makes, beside how many the generator could feed.
pub(crate) fn client<M: Mechanism<Domain: MadeUp>>(
    task: &'static str,
    mechanism: &M,
    patience: Patience,
) -> Result<Row, BenchError> {
    let inputs = made_up_batch::<M::Domain>();
    let bytes = bytes_per_report(mechanism, &inputs)?;
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut rng = Generator::from_insecure_seed(0);
    let mut memory = Memory::new();
    let rates = patience.best_rates(
        || {
            reports.clear();
            mechanism.randomize_batch(black_box(&inputs), &mut rng, &mut reports)?;
            Ok::<_, BenchError>(black_box(&reports).len())
        },
        || Ok(memory.fill()),
    )?;
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer / bytes,
        unit: "reports/s",
        note: format!("peer: the generator fills {bytes:.1} bytes, as many as a report takes"),
    })
}

/// How many random bytes a report takes on average.
fn bytes_per_report<M: Mechanism>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
) -> Result<f64, BenchError> {
    let mut counting = Counting::new(Generator::from_insecure_seed(0));
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(inputs, &mut counting, &mut reports)?;
    Ok(counting.bytes() as f64 / inputs.len() as f64)
}
