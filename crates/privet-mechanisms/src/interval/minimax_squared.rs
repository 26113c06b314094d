//! The smallest worst squared error that there can be.

use crate::lattice::{DecodedRows, LatticeMechanism, LatticeRule};
use privet_core::{Interval, MechanismInfo, Numerics};

/// The rule of [`MinimaxSquared`].
#[derive(Debug, Clone, Copy)]
pub struct LeastWorstSquared;

/// The channel with the smallest worst squared error, within one percent.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// Equally likely cells stand for numbers D_1 <= D_2 <= ..; the window of cells nearest to the value is
/// e^epsilon times as likely as the others. The numbers, few different ones, and the length of the window solve a
/// linear programme over all private channels. Worst squared error on [0, 1] at epsilon 1, 2, 4: .197, .107, .026; no
/// private channel has less than 99 percent of it.
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports are inside.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// 11 bits per report, up to 14 at a large epsilon; one random word and one search among the windows per draw; about 50
/// kB of memory. The channel itself is about 20 kB of integers, at a large epsilon up to 200 kB: it is found once, by
/// whoever asks for reports, and travels to the devices.
/// # Numerics
/// Integer-exact. 2048 equally likely cells, or as many more as the window needs to have 64 of them, up to 16384; the
/// numbers that they stand for are whole multiples of 2^-40 of the domain. Every row is the same two integer weights,
/// moved. Which window a value has is a comparison with numbers halfway between two cells.
/// # When not to use it
/// To average many reports: they are biased, see [`super::MinimaxUnbiased`]. For absolute error: [`super::MinimaxAbsolute`].
/// # Reference
/// Own work: linear programmes over all channels, with a dual certificate (crate `privet-limit`).
/// # Example
/// ```
/// use privet_core::{Epsilon, Interval, Mechanism};
/// use privet_mechanisms::interval::MinimaxSquared;
/// use privet_mechanisms::lattice::{Aim, DecodedRows};
/// // Four cells, of which two are in the window; a real channel has many more, and a solver finds their numbers.
/// let numbers = [0.25, 0.25, 0.75, 0.75].map(DecodedRows::number_of).to_vec();
/// let rows = DecodedRows::new(numbers, 2, Aim::Nearest, Epsilon::new(1.0)?)?;
/// let mechanism = MinimaxSquared::with_rows(Interval::new(0.0, 1.0)?, rows)?;
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type MinimaxSquared = LatticeMechanism<LeastWorstSquared>;

impl LatticeRule for LeastWorstSquared {
    const INFO: MechanismInfo = MechanismInfo {
        id: "minimax-squared",
        synonyms: &[],
        title: "Minimax channel for squared error",
        domain: "interval",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "linear programme over all channels",
        status: "solved",
    };
    type Domain = Interval;
    type Rows = DecodedRows;
}
