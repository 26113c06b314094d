//! Laplace noise of a scale of its own in each coordinate.

use super::ClipSet;
use super::laplace_noise::{LaplaceMechanism, LaplaceRule, Steps};
use privet_core::{Epsilon, MechanismInfo, Numerics, ParameterError};

/// The rule of [`CoordinateLaplace`].
#[derive(Debug, Clone)]
pub struct SharedBudget {
    radii: Vec<f64>,
    /// How many steps each radius has.
    steps: Vec<u32>,
}

/// Coordinate-wise Laplace (CW): the budget is divided so that the whole squared error is smallest.
///
/// # What it protects
/// A vector whose coordinates have different public ranges, for example several measurements of one person.
/// # Formula
/// y_i = x_i + Laplace noise of scale b_i = L_i^(1/3) S / epsilon, where L_i = 2 R_i and S is the sum of all L_j^(2/3). So coordinate i
/// spends epsilon L_i^(2/3) / S, and the squared error 2 (b_1^2 + .. + b_d^2) = 2 S^3 / epsilon^2 is the smallest for this box.
/// Unbiased on the box.
/// # Domain
/// `vector:D`. Each coordinate is clipped to its own range; without clipping no finite epsilon would hold.
/// # Guarantee
/// Pure epsilon, tight between opposite corners of the box.
/// # Cost
/// 4 bytes and about a dozen random words per coordinate.
/// # Numerics
/// Integer-exact, as for [`super::LaplaceVector`]: coordinate i has N_i steps to either side, the noise has the scale 2^26 steps in each, and
/// epsilon is the sum of all 2 N_i / 2^26 without rounding, less than d 2^-25 below the one that was asked for.
/// # When not to use it
/// For directions and long vectors: the error grows with the cube of the dimension.
/// # Reference
/// G. Muthukrishnan, S. Kalyani, "Differential privacy with higher utility by exploiting coordinate-wise disparity", IEEE TIFS 2025.
/// Deviation: with clipping, which the privacy needs.
/// # Example
/// ```
/// use privet_core::Epsilon;
/// use privet_vector::mechanism::{CoordinateLaplace, VectorMechanism};
/// let mechanism = CoordinateLaplace::new(vec![4.0, 0.5], Epsilon::new(2.0)?)?;
/// // S = 8^(2/3) + 1 = 5.
/// assert!((mechanism.mean_squared_error() - 62.5).abs() < 1e-4);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "CW")]
pub type CoordinateLaplace = LaplaceMechanism<SharedBudget>;

impl CoordinateLaplace {
    /// Vectors with each coordinate between minus and plus its radius.
    ///
    /// # Errors
    /// When a radius is not usable, or epsilon is too small for so many coordinates.
    pub fn new(radii: Vec<f64>, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let clip = ClipSet::box_of(radii.clone())?;
        let Steps { bits, count } = Steps::paid_by(epsilon)?;
        let steps = shares(&radii, count).ok_or(ParameterError::EpsilonTooSmall { got: epsilon.get() })?;
        let sizes = radii.iter().zip(&steps).map(|(radius, steps)| radius / f64::from(*steps)).collect();
        let spent = Steps { bits, count: steps.iter().sum() };
        Self::on(clip, SharedBudget { radii, steps }, sizes, &spent)
    }
}

/// Divides a number of steps in proportion to the 2/3 powers of the radii, at least one to each, if there are enough.
fn shares(radii: &[f64], count: u32) -> Option<Vec<u32>> {
    // Relative to the largest, so that no power leaves the range of numbers.
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let weights: Vec<f64> = radii.iter().map(|radius| (radius / largest).cbrt().powi(2)).collect();
    let total: f64 = weights.iter().sum();
    let steps: Vec<u32> = weights.iter().map(|weight| (f64::from(count) * (weight / total)) as u32).collect();
    let spent: u64 = steps.iter().map(|steps| u64::from(*steps)).sum();
    (steps.iter().all(|steps| *steps > 0) && spent <= u64::from(count)).then_some(steps)
}

impl LaplaceRule for SharedBudget {
    const INFO: MechanismInfo = MechanismInfo {
        id: "coordinate-laplace",
        synonyms: &["cw"],
        title: "Coordinate-wise Laplace mechanism",
        domain: "vector",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 2^-25 for each coordinate",
        reference: "Muthukrishnan, Kalyani 2025",
        status: "stable",
    };

    fn clean(&self, _: &ClipSet, vector: &[f64], codes: &mut [i32]) {
        for ((code, x), (radius, steps)) in
            codes.iter_mut().zip(vector).zip(self.radii.iter().zip(&self.steps))
        {
            let share = (x / radius).clamp(-1.0, 1.0);
            *code = (share * f64::from(*steps)) as i32;
        }
    }

    fn opposite(&self) -> [Vec<f64>; 2] {
        [self.radii.clone(), self.radii.iter().map(|radius| -radius).collect()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::VectorMechanism;
    use super::*;

    #[test]
    fn coordinates_spend_two_thirds_powers() {
        let mechanism = CoordinateLaplace::new(vec![8.0, 1.0, 1.0], Epsilon::new(3.0).unwrap()).unwrap();
        assert_eq!(mechanism.rule().steps[1], mechanism.rule().steps[2]);
        assert!(mechanism.rule().steps[0].abs_diff(4 * mechanism.rule().steps[1]) <= 4);
        // S = 16^(2/3) + 2 * 2^(2/3) and the error is 2 S^3 / epsilon^2.
        let sum: f64 = 16f64.powf(2.0 / 3.0) + 2.0 * 2f64.powf(2.0 / 3.0);
        assert!((mechanism.mean_squared_error() / (2.0 * sum.powi(3) / 9.0) - 1.0).abs() < 1e-6);
        let spent = mechanism.guarantee().epsilon().get();
        assert!(spent <= 3.0 && spent > 3.0 - 1e-6);
    }

    #[test]
    fn budgets_that_are_too_thin_are_refused() {
        let tiny = Epsilon::new(1e-8).unwrap();
        assert!(matches!(
            CoordinateLaplace::new(vec![1.0; 2], tiny),
            Err(ParameterError::EpsilonTooSmall { .. })
        ));
        let one = Epsilon::new(1.0).unwrap();
        assert!(CoordinateLaplace::new(vec![1e100, 1e-100], one).is_err());
        assert!(CoordinateLaplace::new(vec![1.0, 0.0], one).is_err());
    }
}
