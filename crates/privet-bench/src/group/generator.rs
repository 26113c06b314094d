//! The generator, which is also the peer of most tasks.

use crate::BenchError;
use crate::counting::fresh;
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience, Timed};
use privet::{Generator, Rng};
use std::hint::black_box;

pub(crate) fn tasks() -> Vec<Task> {
    vec![Task::new(Group::Generator, "generator-fill", fill)]
}

/// Memory that stays in the processor's cache, where the generator is at its best.
struct Memory {
    generator: Generator,
    bytes: Vec<u8>,
}

const MEMORY_BYTES: usize = 1 << 16;

impl Memory {
    fn new() -> Self {
        Self { generator: fresh(), bytes: vec![0; MEMORY_BYTES] }
    }

    /// Fills the memory, and gives the number of bytes.
    fn fill(&mut self) -> usize {
        self.generator.fill_bytes(&mut self.bytes);
        black_box(&mut self.bytes).len()
    }
}

/// Items per second, beside how many the generator could feed if each took so many bytes.
pub(crate) fn beside_generator(
    patience: Patience,
    bytes: f64,
    work: impl FnMut() -> Result<usize, BenchError>,
) -> Result<Timed, BenchError> {
    let mut memory = Memory::new();
    Ok(patience.take_turns(work, || Ok(memory.fill()))?.with_peer_items(bytes))
}

/// The generator itself, beside copying memory.
fn fill(patience: Patience) -> Result<Measured, BenchError> {
    let mut memory = Memory::new();
    let source = vec![1u8; MEMORY_BYTES];
    let mut target = vec![0u8; MEMORY_BYTES];
    let timed = patience.take_turns(
        || Ok::<_, BenchError>(memory.fill()),
        || {
            target.copy_from_slice(black_box(&source));
            Ok(black_box(&mut target).len())
        },
    )?;
    Ok(timed.in_units("bytes/s", "copying as many bytes in the cache"))
}
