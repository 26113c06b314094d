//! The smallest worst variance that an unbiased report can have.

use crate::lattice::{DecodedRows, LatticeMechanism, LatticeRule};
use privet_core::{Interval, MechanismInfo, Numerics};

/// The rule of [`MinimaxUnbiased`].
#[derive(Debug, Clone, Copy)]
pub struct LeastWorstVariance;

/// The unbiased channel with the smallest worst variance, within one percent.
///
/// # What it protects
/// One number between public ends, for example an age, a temperature or a score.
/// # Formula
/// Equally likely cells stand for numbers D_1 <= D_2 <= ..; a window of cells is e^epsilon times as likely as the
/// others. Each window has a mean report; a value between two of them takes one at random, so that its mean is kept.
/// Numbers and window solve a linear programme over all unbiased private channels. Worst variance on [0, 1] at epsilon
/// 1, 2, 4: .998, .217, .032, against 1.306, .307, .060 of [`super::Piecewise`].
/// # Domain
/// `interval:LOW,HIGH` with any finite ends. Reports reach beyond it on both sides.
/// # Guarantee
/// Pure epsilon, tight: the ratio is the same in every report inside one window and outside another.
/// # Cost
/// 11 bits per report, up to 14 at a large epsilon; two random words and one search among the windows per draw; about
/// 50 kB of memory. The channel itself is about 20 kB of integers, at a large epsilon up to 200 kB: it is found once,
/// by whoever asks for reports, and travels to the devices.
/// # Numerics
/// Integer-exact. 2048 equally likely cells, or as many more as the window needs to have 64 of them, up to 16384; the
/// numbers that they stand for are whole multiples of 2^-40 of the domain. Every row is the same two integer weights,
/// moved. The bias is that of rounding 64-bit numbers: below 1e-12 of the width.
/// # When not to use it
/// Where values are known to lie near the middle: [`super::Piecewise`] has less variance there, and more at the ends. For a
/// single value: [`super::MinimaxAbsolute`].
/// # Reference
/// Own work: linear programmes over all channels, with a dual certificate (crate `privet-limit`).
/// # Example
/// ```
/// use privet_core::{Epsilon, Interval, Mechanism};
/// use privet_mechanisms::interval::MinimaxUnbiased;
/// use privet_mechanisms::lattice::{Aim, DecodedRows};
/// // Four cells, of which two are in the window; a real channel has many more, and a solver finds their numbers.
/// let numbers = DecodedRows::covering(&[-2.0, -1.0, 2.0, 3.0], 2, Epsilon::new(1.0)?)?;
/// let rows = DecodedRows::new(numbers, 2, Aim::Mean, Epsilon::new(1.0)?)?;
/// let mechanism = MinimaxUnbiased::with_rows(Interval::new(0.0, 1.0)?, rows)?;
/// assert!(mechanism.guarantee().epsilon().get() <= 1.0);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type MinimaxUnbiased = LatticeMechanism<LeastWorstVariance>;

impl LatticeRule for LeastWorstVariance {
    const INFO: MechanismInfo = MechanismInfo {
        id: "minimax-unbiased",
        synonyms: &[],
        title: "Minimax unbiased channel",
        domain: "interval",
        goal: "mean, distribution",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.001 to 20",
        reference: "linear programme over all channels",
        status: "solved",
    };
    type Domain = Interval;
    type Rows = DecodedRows;
}
