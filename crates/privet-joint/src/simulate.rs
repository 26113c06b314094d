//! The same distribution as the protocol, without its cryptography: for studies.

use crate::crowd::Crowd;
use crate::error::JointError;
use crate::response::PairedOracle;
use crate::table::JointTable;
use privet_core::sampling::{bernoulli, uniform_below};
use privet_core::{CryptoRng, InputError, ReportBuffer};
use std::num::NonZeroU64;

/// Everybody is paired at random and reports once. Afterwards `values` are in the order of the reports: neighbours were
/// pairs, and an odd one at the end was alone.
///
/// # Errors
/// When a value is outside the categories.
pub fn simulate<O: PairedOracle, R: CryptoRng>(
    oracle: &O,
    values: &mut [u32],
    rng: &mut R,
    reports: &mut ReportBuffer,
) -> Result<(), InputError> {
    shuffle(values, rng);
    values.chunks(2).try_for_each(|people| oracle.report_together(people, rng, reports))
}

/// Puts values into a uniformly random order.
fn shuffle<R: CryptoRng>(values: &mut [u32], rng: &mut R) {
    for last in (1..values.len()).rev() {
        if let Some(bound) = NonZeroU64::new(last as u64 + 1) {
            values.swap(last, uniform_below(bound, rng) as usize);
        }
    }
}

/// A collection of two-valued data in which `ones` of all participants hold a one.
#[derive(Debug, Clone, Copy)]
pub struct BinaryStudy {
    table: JointTable,
    users: u64,
    ones: u64,
}

impl BinaryStudy {
    /// A study of a table.
    ///
    /// # Errors
    /// When more people hold a one than there are.
    pub fn new(table: JointTable, crowd: Crowd, ones: u64) -> Result<Self, JointError> {
        let users = crowd.users();
        if ones > users {
            return Err(JointError::TooManyHolders { users, got: ones });
        }
        Ok(Self { table, users, ones })
    }

    /// One collection with a fresh matching: how many reports say one.
    pub fn reported_ones<R: CryptoRng>(&self, rng: &mut R) -> u64 {
        let mut left = Left { people: self.users, ones: self.ones };
        let mut reported = 0;
        for _ in 0..self.users / 2 {
            // Partners of a uniform matching are the next two of a uniformly random order.
            let values = [left.next(rng), left.next(rng)];
            let truthful = self.table.read(rng.next_u64());
            reported += u64::from(values[0] == truthful[0]) + u64::from(values[1] == truthful[1]);
        }
        if self.users % 2 == 1 {
            reported += u64::from(left.next(rng) != bernoulli(self.table.lie_weight(), rng));
        }
        reported
    }

    /// One collection in which everybody perturbs alone.
    pub fn reported_ones_independently<R: CryptoRng>(&self, rng: &mut R) -> u64 {
        let lies = |people: u64, rng: &mut R| {
            (0..people).filter(|_| bernoulli(self.table.lie_weight(), rng)).count() as u64
        };
        self.ones - lies(self.ones, rng) + lies(self.users - self.ones, rng)
    }

    /// The unbiased estimate of the number of ones.
    pub fn estimate(&self, reported_ones: u64) -> f64 {
        (reported_ones as f64 - self.users as f64 * self.table.q()) / self.table.difference()
    }
}

/// Those who stand at the end of a random order of which the beginning has been read.
struct Left {
    people: u64,
    ones: u64,
}

impl Left {
    /// Whether the next one in the order holds a one.
    #[inline]
    fn next<R: CryptoRng>(&mut self, rng: &mut R) -> bool {
        let Some(people) = NonZeroU64::new(self.people) else { return false };
        let is_one = uniform_below(people, rng) < self.ones;
        self.people -= 1;
        self.ones -= u64::from(is_one);
        is_one
    }
}
