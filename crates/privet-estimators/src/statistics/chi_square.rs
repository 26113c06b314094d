//! The upper tail of the chi-square distribution.

use std::f64::consts::{PI, TAU};

use super::factorial::{Deviation, stirling_series};

/// Up to this shape the gamma function is a short product, which the Stirling series does not reach.
const LARGEST_PRODUCT_SHAPE: f64 = 16.0;

/// Enough for 1e11 degrees of freedom; the number of steps grows with the square root of the degrees.
const MAX_STEPS: u32 = 1 << 22;

/// The probability that a chi-square variable with `degrees` degrees of freedom is at least `statistic`.
///
/// The relative error is below 1e-11 for up to a million degrees and results down to 1e-300. Without
/// degrees of freedom the variable is always zero. The result is NaN for a NaN statistic, and where more
/// than about 1e11 degrees make the sum too long.
pub fn chi_square_upper_tail(statistic: f64, degrees: u64) -> f64 {
    if statistic.is_nan() {
        return f64::NAN;
    }
    if statistic <= 0.0 {
        return 1.0;
    }
    if degrees == 0 || statistic.is_infinite() {
        return 0.0;
    }
    let law = Gamma { shape: degrees as f64 / 2.0, point: statistic / 2.0 };
    // Each side is computed where it is the smaller one, or nearly so.
    if law.point < law.shape + 1.0 { 1.0 - law.lower_tail() } else { law.upper_tail() }
}

/// The incomplete gamma function of a shape, which is a multiple of one half, at a point above zero.
#[derive(Debug, Clone, Copy)]
struct Gamma {
    shape: f64,
    point: f64,
}

impl Gamma {
    fn lower_tail(self) -> f64 {
        (self.ln_mass() + self.lower_series().ln()).exp()
    }

    fn upper_tail(self) -> f64 {
        (self.ln_mass() + (self.shape * self.upper_fraction()).ln()).exp()
    }

    /// The logarithm of `point^shape exp(-point) / gamma(shape + 1)`.
    fn ln_mass(self) -> f64 {
        if self.shape <= LARGEST_PRODUCT_SHAPE {
            return self.shape * self.point.ln() - self.point - gamma_of_next(self.shape).ln();
        }
        // As a deviance, because three numbers near a million would leave ten digits of their difference.
        let deviation = Deviation {
            observed: self.shape,
            expected: self.point,
            difference: self.shape - self.point,
        };
        -stirling_series(self.shape) - deviation.deviance() - 0.5 * (TAU * self.shape).ln()
    }

    /// The sum of `point^j / ((shape + 1) ... (shape + j))`, all of it positive.
    fn lower_series(self) -> f64 {
        let (mut sum, mut term, mut divisor) = (1.0, 1.0, self.shape);
        for _ in 0..MAX_STEPS {
            divisor += 1.0;
            let ratio = self.point / divisor;
            term *= ratio;
            sum += term;
            // Later ratios are smaller, so that a geometric series bounds what is left off.
            if term * ratio <= 0.25 * f64::EPSILON * sum * (1.0 - ratio) {
                return sum;
            }
        }
        f64::NAN
    }

    /// Legendre's continued fraction for the upper tail, evaluated forwards by Lentz's method.
    fn upper_fraction(self) -> f64 {
        let mut denominator = self.point + 1.0 - self.shape;
        let mut previous = f64::INFINITY;
        let mut inverse = 1.0 / denominator;
        let mut fraction = inverse;
        for step in 1..=MAX_STEPS {
            let index = f64::from(step);
            let numerator = index * (self.shape - index);
            denominator += 2.0;
            inverse = 1.0 / (numerator * inverse + denominator);
            previous = denominator + numerator / previous;
            let factor = previous * inverse;
            fraction *= factor;
            if (factor - 1.0).abs() <= f64::EPSILON {
                return fraction;
            }
        }
        f64::NAN
    }
}

/// `gamma(shape + 1)` for a small multiple of one half.
fn gamma_of_next(shape: f64) -> f64 {
    let (mut product, mut factor) = (1.0, shape);
    while factor > 0.5 {
        product *= factor;
        factor -= 1.0;
    }
    // What is left of a whole number is 0! = 1, and of half a number gamma(3/2).
    if factor == 0.5 { product * 0.5 * PI.sqrt() } else { product }
}
