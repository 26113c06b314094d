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
        let deviation =
            Deviation { observed: self.shape, expected: self.point, difference: self.shape - self.point };
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

#[cfg(test)]
mod tests {
    use super::super::testing::relative_error;
    use super::*;

    // The finite sum for half of the degrees, with erfc where they are odd, in 400-bit MPFR (gmpy2) at the
    // exact value of each float, rounded to the nearest float; scipy.stats.chi2.sf of scipy 1.17 agrees.
    const UPPER_TAILS: [(f64, u64, f64); 21] = [
        (1e-10, 1, 0.9999920211543921),
        (0.5, 1, 0.4795001221869535),
        (3.841458820694124, 1, 0.05000000000000006),
        (1370.0, 1, 6.942937364643268e-300),
        (0.01, 2, 0.9950124791926823),
        (1400.0, 2, 9.85967654375977e-305),
        (2.3, 3, 0.5125209069771456),
        (10.0, 5, 0.07523524614651218),
        (30.0, 31, 0.5172965493148958),
        (31.5, 32, 0.49172864153041046),
        (34.5, 33, 0.39597302980977106),
        (1500.0, 33, 1.369234858638777e-294),
        (100.0, 100, 0.48119168452795674),
        (800.0, 100, 1.1366407840501794e-109),
        (2500.0, 1000, 2.1059268048481405e-129),
        (90000.0, 100_000, 1.0),
        (1000000.0, 1_000_000, 0.4998119368033945),
        (1003000.0, 1_000_000, 0.017016772933266314),
        (1050000.0, 1_000_000, 2.185638417489726e-265),
        (999999.0, 999_999, 0.4998119367093628),
        (995000.0, 999_999, 0.9998001368307129),
    ];

    #[test]
    fn tails_agree_with_references() {
        for (statistic, degrees, wanted) in UPPER_TAILS {
            let error = relative_error(chi_square_upper_tail(statistic, degrees), wanted);
            assert!(error < 1e-12, "{statistic} with {degrees} degrees: relative error {error:e}");
        }
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(chi_square_upper_tail(0.0, 3), 1.0);
        assert_eq!(chi_square_upper_tail(-1.0, 3), 1.0);
        assert_eq!(chi_square_upper_tail(f64::INFINITY, 3), 0.0);
        assert_eq!(chi_square_upper_tail(f64::MAX, 1_000_000), 0.0);
        assert!(chi_square_upper_tail(f64::NAN, 3).is_nan());
    }

    #[test]
    fn without_degrees_the_variable_is_zero() {
        assert_eq!(chi_square_upper_tail(0.0, 0), 1.0);
        assert_eq!(chi_square_upper_tail(1e-300, 0), 0.0);
    }

    #[test]
    fn both_methods_meet_where_they_change_over() {
        for degrees in [1_u64, 2, 9, 33, 1000, 1_000_000] {
            let border = degrees as f64 + 2.0;
            let (before, after) = (border.next_down(), border);
            let difference = chi_square_upper_tail(before, degrees) - chi_square_upper_tail(after, degrees);
            assert!(difference.abs() < 1e-12, "{degrees} degrees: {difference:e}");
        }
    }
}
