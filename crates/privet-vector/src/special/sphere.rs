//! One coordinate of a uniform point on the unit sphere: its height above the equator.

use super::{Above, HeightMoments};
use privet_core::Dimension;
use std::f64::consts::PI;

/// Far more steps than the series takes.
const MAX_STEPS: u32 = 100_000;

/// The law of the height t of a uniform point on the unit sphere of at least two dimensions d. Its density is
/// C (1 - t^2)^((d-3)/2) with C = Gamma(d/2) / (sqrt(pi) Gamma((d-1)/2)).
#[derive(Debug, Clone, Copy)]
pub(crate) struct SphereLaw {
    /// (d - 1) / 2.
    shape: f64,
    constant: f64,
}

impl SphereLaw {
    pub(crate) fn new(dimension: Dimension) -> Self {
        let shape = 0.5 * (dimension.as_f64() - 1.0);
        Self { shape, constant: gamma_step(shape) / PI.sqrt() }
    }

    /// The exponent of 1 - t^2 in the density, (d - 3) / 2.
    pub(crate) fn exponent(&self) -> f64 {
        self.shape - 1.0
    }

    /// (d - 1) / 2.
    pub(crate) fn shape(&self) -> f64 {
        self.shape
    }

    /// Mass and mean above a height between 0 and 1.
    ///
    /// With y = 1 - g^2 and a = (d - 1)/2 the mean is C y^a / (2 a) in closed form, and the mass is the mean times the integral
    /// of e^-s / sqrt(1 - y e^(-s/a)) over all s > 0: a smooth positive function. Near the equator one half less the series for
    /// the belt between equator and height is precise.
    pub(crate) fn above(&self, height: f64) -> Above {
        let complement = (1.0 - height) * (1.0 + height);
        let square = height * height;
        let ln_complement = if height < 0.5 { (-square).ln_1p() } else { complement.ln() };
        let power = (self.shape * ln_complement).exp();
        let mean = self.constant * power / (2.0 * self.shape);
        let mass = if square < 1.5 / (self.shape + 2.5) {
            0.5 - self.constant * power * height * belt_series(self.shape, square)
        } else {
            mean * cap_integral(self.shape, square, complement)
        };
        Above { mass, mean }
    }

    /// The moments of points above a height between 0 and 1, counted as zero below.
    ///
    /// By parts the integral I(a) of (1 - t^2)^a has (1 + 2a) I(a) = 2a I(a - 1) - g (1 - g^2)^a.
    pub(crate) fn moments_above(&self, height: f64) -> HeightMoments {
        let Above { mass, mean } = self.above(height);
        let complement = (1.0 - height) * (1.0 + height);
        // The density at the height, times 1 - g^2 or its square.
        let rim = 2.0 * self.shape * mean;
        let rest = (2.0 * self.shape * mass - height * rim) / (2.0 * self.shape + 1.0);
        let rest_squared =
            (2.0 * (self.shape + 1.0) * rest - height * rim * complement) / (2.0 * self.shape + 3.0);
        let mean_rest = rim * complement / (2.0 * (self.shape + 1.0));
        HeightMoments::on_sphere(2.0 * self.shape + 1.0, mean, [mass, rest, rest_squared], mean_rest)
    }
}

/// Gamma(x + 1/2) / Gamma(x).
fn gamma_step(x: f64) -> f64 {
    // Stirling's series is precise from here on; smaller arguments are lifted.
    const LARGE: f64 = 12.0;
    let (mut lifted, mut factor) = (x, 1.0);
    while lifted < LARGE {
        factor *= lifted / (lifted + 0.5);
        lifted += 1.0;
    }
    let series = stirling(lifted + 0.5) - stirling(lifted);
    // (x + 1/2 - 1/2) ln(x + 1/2) - (x - 1/2) ln x - 1/2, without the difference of large numbers.
    let excess = lifted * (0.5 / lifted).ln_1p() - 0.5;
    factor * lifted.sqrt() * (excess + series).exp()
}

/// What Stirling's formula misses of ln Gamma(x), for x from 12.
fn stirling(x: f64) -> f64 {
    const TERMS: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let inverse_square = 1.0 / (x * x);
    TERMS.iter().rev().fold(0.0, |sum, term| sum * inverse_square + term) / x
}

/// The sum of (a + 1/2)_n / (3/2)_n x^n, all of it positive.
fn belt_series(shape: f64, square: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for step in 0..MAX_STEPS {
        let index = f64::from(step);
        term *= (shape + 0.5 + index) / (1.5 + index) * square;
        sum += term;
        if term < 0.1 * f64::EPSILON * sum {
            break;
        }
    }
    sum
}

/// The integral of e^-s / sqrt(g^2 + y (1 - e^(-s/a))) over all s > 0. With s = exp(x - e^-x) the integrand falls off doubly
/// exponentially on both sides, where equal steps converge geometrically.
fn cap_integral(shape: f64, square: f64, complement: f64) -> f64 {
    const STEP: f64 = 1.0 / 32.0;
    const STEPS: std::ops::RangeInclusive<i32> = -128..=132;
    let term = |index: i32| {
        let x = f64::from(index) * STEP;
        let s = (x - (-x).exp()).exp();
        let beyond = -(-s / shape).exp_m1();
        (-s).exp() / (square + complement * beyond).sqrt() * s * (1.0 + (-x).exp())
    };
    STEP * STEPS.map(term).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(dimension: u32) -> SphereLaw {
        SphereLaw::new(Dimension::new(dimension).unwrap())
    }

    #[test]
    fn the_circle_and_the_ordinary_sphere_have_closed_forms() {
        for height in [0.0, 1e-9, 0.1, 0.5, 0.7, 0.9, 0.999_999, 1.0 - 1e-12] {
            let circle = law(2).above(height);
            let angle = (2.0 * (0.5 * (1.0 - height)).sqrt().asin()) / PI;
            assert!((circle.mass / angle - 1.0).abs() < 1e-14, "{height}: {} {angle}", circle.mass);
            let wanted = ((1.0 - height) * (1.0 + height)).sqrt() / PI;
            assert!((circle.mean / wanted - 1.0).abs() < 1e-14, "{height}");
            let ball = law(3).above(height);
            assert!((ball.mass / (0.5 * (1.0 - height)) - 1.0).abs() < 1e-14, "{height}");
            assert!((ball.mean / (0.25 * (1.0 - height) * (1.0 + height)) - 1.0).abs() < 1e-14, "{height}");
        }
    }

    #[test]
    fn both_methods_meet_where_they_change_over() {
        for dimension in [2, 5, 64, 1000, 10_000] {
            let law = law(dimension);
            let border = (1.5 / (law.shape + 2.5)).sqrt();
            let (before, after) = (law.above(border * (1.0 - 1e-15)), law.above(border * (1.0 + 1e-15)));
            assert!((before.mass / after.mass - 1.0).abs() < 1e-13, "{dimension}");
        }
    }

    #[test]
    fn nothing_lies_above_the_pole() {
        assert_eq!(law(64).above(1.0), Above { mass: 0.0, mean: 0.0 });
    }
}
