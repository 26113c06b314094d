//! Functions that calibration needs, to nearly the precision of the machine.

mod normal;
mod sphere;

pub(crate) use normal::{mean_inverse_length, normal_above, square_above, upper_tail};
pub(crate) use sphere::SphereLaw;

/// What lies above a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Above {
    /// The probability.
    pub(crate) mass: f64,
    /// The mean height, counted as zero below.
    pub(crate) mean: f64,
}
