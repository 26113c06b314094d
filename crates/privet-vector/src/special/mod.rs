//! Functions that calibration needs, to nearly the precision of the machine.

mod normal;
mod sphere;

pub(crate) use normal::{
    mean_inverse_length, normal_above, normal_moments_above, normalized_moments_above, square_above,
    upper_tail,
};
pub(crate) use sphere::SphereLaw;
use std::array;

/// What lies above a height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Above {
    /// The probability.
    pub(crate) mass: f64,
    /// The mean height, counted as zero below.
    pub(crate) mean: f64,
}

/// Means of products of the height h of a point along an axis and of the square c of one of its coordinates at a right angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HeightMoments {
    /// Of h, h^2, h^3 and h^4.
    pub(crate) along: [f64; 4],
    /// Of c, h c and h^2 c.
    pub(crate) beside: [f64; 3],
    /// Of c^2.
    pub(crate) beside_squared: f64,
}

impl HeightMoments {
    /// The sum of two, with weights.
    pub(crate) fn mixed([one, other]: [Self; 2], weights: [f64; 2]) -> Self {
        let sum = |one: f64, other: f64| weights[0] * one + weights[1] * other;
        Self {
            along: array::from_fn(|power| sum(one.along[power], other.along[power])),
            beside: array::from_fn(|power| sum(one.beside[power], other.beside[power])),
            beside_squared: sum(one.beside_squared, other.beside_squared),
        }
    }

    /// Above and below the equator, from what is above it.
    pub(crate) fn both_sides(self) -> Self {
        let [_, square, _, fourth] = self.along;
        let [beside, _, beside_square] = self.beside;
        Self {
            along: [0.0, 2.0 * square, 0.0, 2.0 * fourth],
            beside: [2.0 * beside, 0.0, 2.0 * beside_square],
            beside_squared: 2.0 * self.beside_squared,
        }
    }

    /// Of points on the unit sphere of d dimensions, from the means of h, 1, 1 - h^2, (1 - h^2)^2 and h (1 - h^2): where the height is
    /// known, the rest is a uniform point on a sphere of one dimension less.
    fn on_sphere(dimension: f64, first: f64, rests: [f64; 3], first_rest: f64) -> Self {
        let [all, rest, rest_squared] = rests;
        let share = 1.0 / (dimension - 1.0);
        Self {
            along: [first, all - rest, first - first_rest, all - 2.0 * rest + rest_squared],
            beside: [rest, first_rest, rest - rest_squared].map(|mean| share * mean),
            beside_squared: 3.0 * share / (dimension + 1.0) * rest_squared,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Dimension;

    fn numbers(moments: HeightMoments) -> [f64; 8] {
        let HeightMoments { along: [a, b, c, d], beside: [e, f, g], beside_squared } = moments;
        [a, b, c, d, e, f, g, beside_squared]
    }

    fn are_near(one: HeightMoments, other: HeightMoments, tolerance: f64) -> bool {
        numbers(one).into_iter().zip(numbers(other)).all(|(one, other)| (one - other).abs() < tolerance)
    }

    /// On the circle h = cos and c = sin^2; on the ordinary sphere heights are uniform.
    #[test]
    fn moments_on_the_sphere_agree_with_sums_over_points() {
        const POINTS: u32 = 1 << 20;
        for (count, height) in [(2u32, 0.3f64), (2, 0.9), (3, 0.0), (3, 0.6), (3, 0.99)] {
            let mut sums = [0.0; 8];
            for index in 0..POINTS {
                let share = (f64::from(index) + 0.5) / f64::from(POINTS);
                let h = if count == 2 { (std::f64::consts::PI * share).cos() } else { 2.0 * share - 1.0 };
                let rest = 1.0 - h * h;
                // Of a point on the sphere of one dimension less: +-1, or on a circle.
                let [c, c2] =
                    if count == 2 { [rest, rest * rest] } else { [rest / 2.0, 3.0 / 8.0 * rest * rest] };
                let parts = [h, h * h, h.powi(3), h.powi(4), c, h * c, h * h * c, c2];
                if h >= height {
                    sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part / f64::from(POINTS));
                }
            }
            let exact = numbers(SphereLaw::new(Dimension::new(count).unwrap()).moments_above(height));
            assert!(exact.iter().zip(sums).all(|(one, two)| (one - two).abs() < 2e-6), "{exact:?} {sums:?}");
        }
    }

    #[test]
    fn points_divided_by_their_length_lie_on_the_sphere() {
        for count in [2, 3, 64, 65_536] {
            let dimension = Dimension::new(count).unwrap();
            let sphere = SphereLaw::new(dimension).moments_above(0.0);
            assert!(are_near(normalized_moments_above(dimension, 0.0), sphere, 1e-6), "{count}");
            for height in [0.04, 1.0, 3.0] {
                let first = normalized_moments_above(dimension, height).along[0];
                let wanted = normal_above(height).mean * mean_inverse_length(dimension, height);
                // Far below what an interval shows.
                assert!((first / wanted - 1.0).abs() < 1e-3, "{count} {height}: {first} {wanted}");
            }
        }
    }

    /// By the rule of Simpson over the first number; the others are independent of it.
    #[test]
    fn normal_moments_agree_with_sums() {
        const STEPS: u32 = 20_000;
        for height in [0.0, 0.4, 2.5] {
            let width = (12.0 - height) / f64::from(STEPS);
            let mean = |power: i32| {
                let at = |step: u32| height + width * f64::from(step);
                let value = |step: u32| at(step).powi(power) * normal::density(at(step));
                let weight = |step: u32| if step % 2 == 1 { 4.0 } else { 2.0 };
                let inner: f64 = (1..STEPS).map(|step| weight(step) * value(step)).sum();
                width / 3.0 * (inner + value(0) + value(STEPS))
            };
            let [mass, first, second] = [0, 1, 2].map(mean);
            let wanted = HeightMoments {
                along: [first, second, mean(3), mean(4)],
                beside: [mass, first, second],
                beside_squared: 3.0 * mass,
            };
            assert!(are_near(normal_moments_above(height), wanted, 1e-12), "{height}");
        }
    }
}
