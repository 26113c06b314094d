//! The peer of all tasks: the generator that fills memory.

use crate::timing::Patience;
use crate::{BenchError, Row};
use privet::{Generator, Rng};
use std::hint::black_box;

/// Memory that stays in the processor's cache, where the generator is at its best.
pub(crate) struct Memory {
    generator: Generator,
    bytes: Vec<u8>,
}

const MEMORY_BYTES: usize = 1 << 16;

impl Memory {
    pub(crate) fn new() -> Self {
        Self { generator: Generator::from_insecure_seed(0), bytes: vec![0; MEMORY_BYTES] }
    }

    /// Fills the memory, and gives the number of bytes.
    pub(crate) fn fill(&mut self) -> usize {
        self.generator.fill_bytes(&mut self.bytes);
        black_box(&mut self.bytes).len()
    }
}

/// The generator itself, beside copying memory.
pub(crate) fn fill(task: &'static str, patience: Patience) -> Result<Row, BenchError> {
    let mut memory = Memory::new();
    let source = vec![1u8; MEMORY_BYTES];
    let mut target = vec![0u8; MEMORY_BYTES];
    let rates = patience.best_rates(
        || Ok::<_, BenchError>(memory.fill()),
        || {
            target.copy_from_slice(black_box(&source));
            Ok(black_box(&mut target).len())
        },
    )?;
    Ok(Row {
        task,
        ours: rates.ours,
        peer: rates.peer,
        unit: "bytes/s",
        note: "peer: copying as many bytes in the cache".into(),
    })
}
