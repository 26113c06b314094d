//! Noise that falls off with the distance, and back to the nearest place of the space.

use crate::method::{LocationMethod, Scope};
use crate::space::{Shape, Space};
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Epsilon, Guarantee};
use std::f64::consts::TAU;

/// Planar Laplace noise with truncation: T-Laplace.
///
/// # What it protects
/// One place of the space.
/// # Formula
/// The density of the noise is in proportion to e^(-epsilon |noise| / D), where D is the diameter of the space's smallest
/// rectangle. A noisy place outside the space is moved to the nearest place inside.
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them, discs.
/// # Guarantee
/// Pure epsilon for the whole space, for real numbers: by the triangle inequality, and moving back is post-processing.
/// # Cost
/// Three random words and three logarithms or sines per place.
/// # Numerics
/// **Floating point**, with reports on a public grid of 2^20 points along each side. The probability of a point of the grid
/// follows from 53-bit numbers, logarithms and sines whose rounding depends on the private place. So the ratio of two places
/// can be above e^epsilon for some reports, and by how much is not bounded: the guarantee is that of the formula, not of the
/// program, and [`Scope::Not`] says so.
/// # When not to use it
/// For anything but a comparison: most of the noise is spent on places outside.
/// # Reference
/// Andres et al., 2013; Y. Zheng's dissertation, appendix D.2.8.
#[derive(Debug)]
pub struct PlanarLaplace {
    space: Space,
    scale: f64,
    guarantee: Guarantee,
}

impl PlanarLaplace {
    /// What programs call it.
    pub const ID: &'static str = "planar-laplace";

    /// Noise for the diameter of the space.
    ///
    /// # Errors
    /// When the space is a sphere, or the noise would not be finite.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        if matches!(space.shape(), Shape::Sphere(_)) {
            let expected = "a rectangle, a parallelogram, a geographic box, a region of one or a disc";
            let got = space.to_string();
            return Err(TrajectoryError::WrongSpace { method: Self::ID, expected, got });
        }
        let [first, second] = space.inner_bounds()?.widths();
        let scale = first.hypot(second) / epsilon.get();
        // The largest radius is about 90 times the scale.
        if !(100.0 * scale).is_finite() {
            return Err(TrajectoryError::incompatible("epsilon is too small for noise of a finite size"));
        }
        Ok(Self { space, scale, guarantee: Guarantee::Pure { epsilon } })
    }

    /// The nearest point of a public grid.
    fn on_grid(&self, point: [f64; 2]) -> Result<[f64; 2], TrajectoryError> {
        const POINTS: f64 = (1 << 20) as f64;
        let bounds = self.space.inner_bounds()?;
        Ok(bounds.point_at(std::array::from_fn(|axis| {
            let side = bounds.sides()[axis];
            (((point[axis] - side.low()) / side.width()).clamp(0.0, 1.0) * POINTS).round() / POINTS
        })))
    }
}

/// A number above 0 and up to 1.
fn unit(rng: &mut dyn CryptoRng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 1.0) / 2f64.powi(53)
}

impl LocationMethod for PlanarLaplace {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(self.guarantee)
    }

    fn scope(&self) -> Scope {
        Scope::Not { why: "drawn in floating point: the guarantee is that of the formula for real numbers" }
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        self.space.check(place)?;
        let inner = self.space.to_inner(*place);
        // The radius of planar Laplace noise is the sum of two exponential ones.
        let radius = -self.scale * (unit(rng).ln() + unit(rng).ln());
        let (sine, cosine) = (TAU * unit(rng)).sin_cos();
        Ok(self.space.publish(self.on_grid([inner[0] + radius * cosine, inner[1] + radius * sine])?))
    }

    fn likelihood(&self, _: &Place, _: &Place, _: &Place) -> Option<f64> {
        None
    }
}
