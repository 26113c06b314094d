//! Laplace noise in every coordinate.

use super::laplace_noise::{LaplaceMechanism, LaplaceRule, Steps};
use super::{ClipSet, opposite_vectors};
use privet_core::{Dimension, Epsilon, MechanismInfo, Numerics, ParameterError};

/// The rule of [`LaplaceVector`].
#[derive(Debug, Clone)]
pub struct DiamondBall {
    dimension: Dimension,
    radius: f64,
    /// How many steps the radius has.
    steps: u32,
}

/// Laplace mechanism on the L1 ball.
///
/// # What it protects
/// A vector whose absolute coordinates add up to at most a public radius, for example shares of time or short histories.
/// # Formula
/// y = x + noise, independent in each coordinate with density proportional to e^(-|z| / b), b = 2 R / epsilon. Unbiased on the ball;
/// squared error 2 d b^2 = 8 d R^2 / epsilon^2 for every vector.
/// # Domain
/// `vector:D`. Vectors outside the ball are shortened to its border.
/// # Guarantee
/// Pure epsilon, tight: two opposite corners are 2 R apart in the L1 norm.
/// # Cost
/// 4 bytes and about a dozen random words per coordinate.
/// # Numerics
/// Integer-exact. The ball's radius is N steps of a lattice; coordinates are rounded towards zero, so that the whole numbers still
/// add up to at most N, and the noise is a whole number z with probability proportional to e^(-|z| / 2^26), drawn exactly. The epsilon
/// is 2 N / 2^26 without rounding, less than 2^-25 below the one that was asked for. Rounding moves the mean by less than
/// one step, 2^-26 of the noise's scale; reports beyond 2^31 steps are moved there, which moves it by less than 1e-9 scales.
/// Above epsilon 20 the scale has fewer bits.
/// # When not to use it
/// For directions and long vectors: a vector of Euclidean length R may have the L1 norm sqrt(d) R, so that the error is about d times that
/// of [`super::PrivUnit`].
/// # Reference
/// C. Dwork, F. McSherry, K. Nissim, A. Smith, "Calibrating noise to sensitivity in private data analysis", TCC 2006. The exact sampler
/// follows the idea of C. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020.
/// # Example
/// ```
/// use privet_core::{Dimension, Epsilon, Generator};
/// use privet_vector::mechanism::{LaplaceVector, VectorMechanism};
/// let mechanism = LaplaceVector::new(Dimension::new(3)?, 1.0, Epsilon::new(2.0)?)?;
/// assert!((mechanism.mean_squared_error() - 6.0).abs() < 1e-6);
/// let mut report = [0.0; 3];
/// mechanism.randomize(&[0.5, 0.25, 0.25], &mut report, &mut Generator::from_insecure_seed(1))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type LaplaceVector = LaplaceMechanism<DiamondBall>;

impl LaplaceVector {
    /// Vectors whose absolute coordinates add up to at most `radius`.
    ///
    /// # Errors
    /// When the radius is not usable, or epsilon is too small for the lattice.
    pub fn new(dimension: Dimension, radius: f64, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let clip = ClipSet::l1_ball(dimension, radius)?;
        let spent = Steps::paid_by(epsilon)?;
        let sizes = vec![radius / f64::from(spent.count); dimension.get()];
        Self::on(clip, DiamondBall { dimension, radius, steps: spent.count }, sizes, &spent)
    }
}

impl LaplaceRule for DiamondBall {
    const INFO: MechanismInfo = MechanismInfo {
        id: "laplace-vector",
        synonyms: &["laplace-l1"],
        title: "Laplace mechanism on vectors",
        domain: "vector",
        goal: "mean",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 2^-25",
        reference: "Dwork, McSherry, Nissim, Smith 2006",
        status: "stable",
    };

    fn clean(&self, clip: &ClipSet, vector: &[f64], codes: &mut [i32]) {
        let mut clipped = vector.to_vec();
        clip.apply(&mut clipped);
        let steps = f64::from(self.steps);
        // Divided first, so that no product leaves the range of numbers.
        codes.iter_mut().zip(&clipped).for_each(|(code, x)| *code = (x / self.radius * steps) as i32);
        // Clipping may miss the border by a rounding; the promise is about whole numbers.
        let total: i64 = codes.iter().map(|code| i64::from(*code).abs()).sum();
        let mut surplus = total - i64::from(self.steps);
        for code in codes {
            if surplus <= 0 {
                break;
            }
            let taken = surplus.min(i64::from(*code).abs());
            *code -= code.signum() * taken as i32;
            surplus -= taken;
        }
    }

    fn opposite(&self) -> [Vec<f64>; 2] {
        opposite_vectors(self.dimension, self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::super::VectorMechanism;
    use super::super::clip::l1_norm;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The promise rests on this: whole numbers that add up to at most the radius, whatever the vector.
        #[test]
        fn clean_codes_stay_inside_the_ball(
            vector in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 1..40),
            radius in 1e-3f64..1e3, epsilon in 0.01f64..30.0,
        ) {
            let dimension = Dimension::of(&vector).unwrap();
            let mechanism = LaplaceVector::new(dimension, radius, Epsilon::new(epsilon).unwrap()).unwrap();
            for scale in [1.0, radius / l1_norm(&vector).clamp(1e-300, 1e300)] {
                let scaled: Vec<f64> = vector.iter().map(|x| (x * scale).clamp(-f64::MAX, f64::MAX)).collect();
                let codes = mechanism.clean(&scaled).unwrap();
                let total: i64 = codes.iter().map(|code| i64::from(*code).abs()).sum();
                prop_assert!(total <= i64::from(mechanism.rule().steps));
            }
            prop_assert!(mechanism.guarantee().epsilon().get() <= epsilon);
        }
    }

    #[test]
    fn the_border_of_the_ball_uses_all_steps() {
        let mechanism =
            LaplaceVector::new(Dimension::new(3).unwrap(), 0.7, Epsilon::new(1.0).unwrap()).unwrap();
        let codes = mechanism.clean(&[0.0, -9.0, 0.0]).unwrap();
        assert_eq!(codes, [0, -(mechanism.rule().steps as i32), 0]);
        assert_eq!(mechanism.rule().steps, 1 << 25);
    }
}
