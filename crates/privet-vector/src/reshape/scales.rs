//! How much each coordinate is stretched before the noise.
//!
//! # The printed rule
//!
//! Let s_1 >= s_2 >= ... be the singular values of the stacked Jacobians and b_i the factor by which noise on coordinate i is
//! multiplied afterwards. The paper minimises the first-order task error, the sum of s_i^2 b_i^2, while the sum of 1/b_i stays
//! constant, which gives 1/b_i in proportion to s_i^(2/3) ([`printed_stretches`]). The constraint says that every coordinate of
//! a vector is equally large, and that the budget is shared by adding up. That is so for Laplace noise on vectors whose
//! coordinates have one deviation.
//!
//! # The rule used here
//!
//! The radius of the clip set follows the public vectors, so the factors change it. With v_i for the deviation of coordinate i:
//!
//! * **Length** (Gaussian noise, sphere mechanisms): noise is in proportion to the radius, whose square is about the sum of
//!   (v_i / b_i)^2. The error is (sum of s_i^2 b_i^2) times (sum of v_i^2 / b_i^2). By the inequality of Cauchy and Schwarz it is
//!   smallest at b_i^2 in proportion to v_i / s_i, where it is (sum of s_i v_i)^2.
//! * **Sum** (Laplace noise): the radius is about the sum of v_i / b_i, so the error is (sum of s_i^2 b_i^2) times (sum of v_i /
//!   b_i)^2. Setting its derivatives to zero gives s_i^2 b_i^3 in proportion to v_i. Where all v_i are equal this is the printed
//!   2/3 power.
//! * **Separate** (noise calibrated to each coordinate's own radius or deviation): such mechanisms choose the best noise for the
//!   plain sum of squared errors by themselves. They need coordinates in which that *is* the task error: b_i in proportion to
//!   1 / s_i.
//!
//! A vector's coordinates also depend on each other, so the directions matter and not only the factors. For the length rule the
//! best linear map is known. With G the mean squared Jacobian and S the covariance of the public vectors, noise of shape B = b b^T
//! costs tr(G B) times tr(S B^-1). The best B satisfies B G B = S; it is the geometric mean of S and G^-1, and the cost is the
//! squared trace of (S^(1/2) G S^(1/2))^(1/2). In coordinates of that shape G and S become one and the same matrix, and a rotation
//! makes it diagonal. These are the *balanced* coordinates: each has one number, its strength t_i, which is both its variance
//! and its weight in the task error. Strong coordinates come first; leaving out the weak ones costs the sum of their t_i^2, which
//! is what makes a small rank possible. They are found without an inverse: for S = L L^T and L^T G L = V diag(t^2) V^T,
//!
//! ```text
//! forward = diag(t)^(-3/2) V^T L^T G        backward = L V diag(t)^(-1/2)
//! ```
//!
//! In balanced coordinates v_i = t_i^(1/2) and s_i = t_i^(1/2), so the three rules become: stretch by t_i to the power 0 (length),
//! 1/6 (sum), 1/2 (separate).
//!
//! # The null space
//!
//! The printed recipe gives directions without a reaction a large factor L, that is, large noise. Its error falls as L grows, if
//! the model really does not react there; in the limit nothing of these directions is sent. Balanced coordinates take the limit:
//! they leave the directions out, put the public mean in their place, and add *no* noise to them. A direction that the model
//! would notice after all, outside the public points, is then merely missing and not full of noise.

use super::ReshapeError;
use crate::mechanism::ClipSet;

/// How a mechanism's noise follows from the vectors, which decides how coordinates are best stretched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Geometry {
    /// Noise in proportion to a bound on the sum of absolute coordinates.
    Sum,
    /// Noise in proportion to a bound on the length.
    Length,
    /// Only the direction is randomised, with the length replaced by a public one.
    Direction,
    /// Noise fitted to each coordinate.
    Separate,
}

impl Geometry {
    /// Of the mechanisms with this clip set.
    pub fn of(clip: &ClipSet) -> Self {
        match clip {
            ClipSet::L1Ball { .. } => Self::Sum,
            ClipSet::L2Ball { .. } => Self::Length,
            ClipSet::Sphere { .. } => Self::Direction,
            // A ball around a centre has the same noise in all directions.
            ClipSet::Ellipsoid { radii, .. } if radii.windows(2).all(|pair| pair[0] == pair[1]) => {
                Self::Length
            }
            ClipSet::Box { .. } | ClipSet::Ellipsoid { .. } | ClipSet::Image { .. } => Self::Separate,
        }
    }

    /// The power of its strength by which a balanced coordinate is stretched.
    pub fn power(self) -> f64 {
        match self {
            Self::Sum => 1.0 / 6.0,
            Self::Length | Self::Direction => 0.0,
            Self::Separate => 0.5,
        }
    }
}

/// The printed rule: how much each coordinate of the task space is stretched, and after them each of the null space.
///
/// `null_factor` is the factor of noise in the null space; the stretches of all `dimension` coordinates add up to `dimension`.
///
/// # Errors
/// When there is no singular value or more than coordinates, one is not above zero, or the factor is below one.
pub fn printed_stretches(
    singular_values: &[f64],
    dimension: usize,
    null_factor: f64,
) -> Result<Vec<f64>, ReshapeError> {
    let rank = singular_values.len();
    if !(1..=dimension).contains(&rank) {
        return Err(ReshapeError::Rank { most: dimension, got: rank });
    }
    if singular_values.iter().any(|value| !(*value > 0.0 && value.is_finite())) {
        return Err(ReshapeError::Setting { what: "singular values", allowed: "finite and greater than 0" });
    }
    if !(null_factor >= 1.0 && null_factor.is_finite()) {
        return Err(ReshapeError::Setting {
            what: "the null-space factor",
            allowed: "finite and at least 1",
        });
    }
    let null = (dimension - rank) as f64 / null_factor;
    let largest = singular_values.iter().copied().fold(0.0, f64::max);
    // Relative to the largest, so that the powers stay within the range of numbers.
    let powers: Vec<f64> = singular_values.iter().map(|value| (value / largest).powf(2.0 / 3.0)).collect();
    let scale = (dimension as f64 - null) / powers.iter().sum::<f64>();
    let task = powers.iter().map(|power| scale * power);
    Ok(task.chain(std::iter::repeat_n(1.0 / null_factor, dimension - rank)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_stretches_are_those_of_the_paper() {
        let stretches = printed_stretches(&[4.0, 2.0, 1.0], 8, 1000f64.sqrt()).unwrap();
        for (got, expected) in stretches.iter().zip([3.869077, 2.437366, 1.535444, 0.0316228]) {
            assert!((got - expected).abs() < 5e-7, "{got} {expected}");
        }
        assert!((stretches[..3].iter().sum::<f64>() - 7.841886).abs() < 5e-7);
        assert!((stretches.iter().sum::<f64>() - 8.0).abs() < 1e-12);
        let tiny = printed_stretches(&[4e-300, 2e-300, 1e-300], 8, 1000f64.sqrt()).unwrap();
        assert!(tiny.iter().zip(&stretches).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn wrong_singular_values_are_refused() {
        assert_eq!(printed_stretches(&[], 8, 2.0).unwrap_err().code(), "reshape-rank");
        assert_eq!(printed_stretches(&[1.0; 9], 8, 2.0).unwrap_err().code(), "reshape-rank");
        for values in [[1.0, 0.0], [1.0, f64::NAN], [f64::INFINITY, 1.0]] {
            assert_eq!(printed_stretches(&values, 8, 2.0).unwrap_err().code(), "reshape-setting");
        }
        for factor in [0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(printed_stretches(&[1.0], 8, factor).unwrap_err().code(), "reshape-setting");
        }
    }

    /// The first-order task error of the page, for balanced coordinates stretched by a power of their strengths.
    fn task_error(strengths: &[f64], geometry: Geometry, power: f64) -> f64 {
        let noise: f64 = strengths.iter().map(|t| t * t.powf(-2.0 * power)).sum();
        let radius: f64 = match geometry {
            Geometry::Sum => strengths.iter().map(|t| t.sqrt() * t.powf(power)).sum(),
            _ => strengths.iter().map(|t| t * t.powf(2.0 * power)).sum::<f64>().sqrt(),
        };
        noise * radius * radius
    }

    #[test]
    fn each_geometry_has_its_best_power() {
        let strengths = [6.8, 5.2, 3.3, 1.9, 1.2, 0.1];
        for geometry in [Geometry::Sum, Geometry::Length, Geometry::Direction] {
            let best = task_error(&strengths, geometry, geometry.power());
            for step in [-0.3, -0.05, 0.05, 0.3] {
                assert!(
                    task_error(&strengths, geometry, geometry.power() + step) > best,
                    "{geometry:?} {step}"
                );
            }
        }
        // Squared errors of equally weighted coordinates add up to the task error.
        assert!(
            strengths.iter().all(|t| (t * t.powf(-2.0 * Geometry::Separate.power()) - 1.0).abs() < 1e-12)
        );
    }
}
