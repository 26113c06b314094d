//! The standard normal distribution.

use super::{Above, HeightMoments};
use privet_core::Dimension;
use privet_estimators::statistics::chi_square_upper_tail;
use std::f64::consts::{PI, TAU};

/// The density.
pub(crate) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// Mass and mean of a normal number above a height.
pub(crate) fn normal_above(height: f64) -> Above {
    Above { mass: upper_tail(height), mean: density(height) }
}

/// The mean square of a normal number, counted as zero below a height.
pub(crate) fn square_above(height: f64) -> f64 {
    height * density(height) + upper_tail(height)
}

/// The moments of independent normal numbers of which the first is above a height, counted as zero below.
pub(crate) fn normal_moments_above(height: f64) -> HeightMoments {
    let Above { mass, mean } = normal_above(height);
    let square = square_above(height);
    HeightMoments {
        along: [
            mean,
            square,
            (height * height + 2.0) * mean,
            height * (height * height + 3.0) * mean + 3.0 * mass,
        ],
        beside: [mass, mean, square],
        beside_squared: 3.0 * mass,
    }
}

/// As [`normal_moments_above`], of the numbers divided by their length: a uniform point u of the sphere, whose lost length is
/// chi-square with d degrees of freedom and must have been at least g / u.
///
/// By equal steps of the angle from the equator, up to twelve deviations of it.
pub(crate) fn normalized_moments_above(dimension: Dimension, height: f64) -> HeightMoments {
    const STEPS: u32 = 4096;
    let degrees = dimension.get() as u64;
    let step = (PI / 2.0).min(12.0 / dimension.as_f64().sqrt()) / f64::from(STEPS);
    let (mut total, mut sums) = (0.0, [0.0; 5]);
    for index in 0..STEPS {
        let (along, across) = (step * (f64::from(index) + 0.5)).sin_cos();
        let weight = across.powf(dimension.as_f64() - 2.0);
        total += 2.0 * weight;
        let above = weight * chi_square_upper_tail((height / along).powi(2), degrees);
        let rest = across * across;
        let parts = [along, 1.0, rest, rest * rest, along * rest];
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += above * part);
    }
    let [first, all, rest, rest_squared, first_rest] = sums.map(|sum| sum / total);
    HeightMoments::on_sphere(dimension.as_f64(), first, [all, rest, rest_squared], first_rest)
}

/// The mean of 1 / sqrt(X + g^2), where X is chi-square with d + 1 degrees of freedom.
///
/// With X = 2 k e^x and k = (d + 1)/2 the density is proportional to e^(k (x - e^x)), which is analytic around the real line, so
/// that equal steps converge geometrically.
pub(crate) fn mean_inverse_length(dimension: Dimension, height: f64) -> f64 {
    let shape = 0.5 * (dimension.as_f64() + 1.0);
    let step = (0.4 / shape.sqrt()).min(0.15);
    let (mut total, mut sum) = (0.0, 0.0);
    for direction in [-step, step] {
        // The middle belongs to one direction only.
        let mut index = if direction < 0.0 { 1.0 } else { 0.0 };
        loop {
            let x: f64 = direction * index;
            let weight = (shape * (x - x.exp_m1())).exp();
            if weight < 1e-22 {
                break;
            }
            total += weight;
            sum += weight / (2.0 * shape * x.exp() + height * height).sqrt();
            index += 1.0;
        }
    }
    sum / total
}

/// The probability of a number above `x`. The relative error stays near the machine's far out.
pub(crate) fn upper_tail(x: f64) -> f64 {
    // The square has one degree of freedom, and both signs.
    let beyond = 0.5 * chi_square_upper_tail(x * x, 1);
    if x >= 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the erfc of mpmath with 40 digits, rounded to the nearest floats.
    const TAILS: [(f64, f64); 6] = [
        (0.0, 0.5),
        (0.39746, 0.345_514_138_886_767_5),
        (1.0, 0.158_655_253_931_457_05),
        (-2.5, 0.993_790_334_674_224),
        (6.0, 9.865_876_450_376_98e-10),
        (30.0, 4.906_713_927_148_187e-198),
    ];

    #[test]
    fn tails_agree_with_references() {
        for (x, wanted) in TAILS {
            assert!((upper_tail(x) / wanted - 1.0).abs() < 2e-14, "{x}: {:e}", upper_tail(x));
        }
    }
}
