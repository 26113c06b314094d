//! Quantiles of the standard normal distribution.

/// Within this distance of one half the quantile is a rational function of the squared distance.
const CENTRAL_HALF_WIDTH: f64 = 0.425;

/// From this value of `sqrt(-ln tail)` on, the far rational function is the accurate one.
const FAR_START: f64 = 5.0;

/// A quotient of two polynomials of degree seven, coefficients from the constant term upwards.
struct Rational {
    numerator: [f64; 8],
    denominator: [f64; 8],
}

impl Rational {
    fn at(&self, x: f64) -> f64 {
        polynomial(&self.numerator, x) / polynomial(&self.denominator, x)
    }
}

// The coefficients of all three are those that Wichura published as algorithm AS 241 (Applied Statistics 37,
// 1988), rounded to the nearest floats.

const CENTRE: Rational = Rational {
    numerator: [
        3.3871328727963665,
        133.14166789178438,
        1971.5909503065513,
        13731.69376550946,
        45921.95393154987,
        67265.7709270087,
        33430.57558358813,
        2509.0809287301227,
    ],
    denominator: [
        1.0,
        42.31333070160091,
        687.1870074920579,
        5394.196021424751,
        21213.794301586597,
        39307.89580009271,
        28729.085735721943,
        5226.495278852854,
    ],
};

const NEAR_TAIL: Rational = Rational {
    numerator: [
        1.4234371107496835,
        4.630337846156546,
        5.769497221460691,
        3.6478483247632045,
        1.2704582524523684,
        0.2417807251774506,
        0.022723844989269184,
        0.0007745450142783414,
    ],
    denominator: [
        1.0,
        2.053191626637759,
        1.6763848301838038,
        0.6897673349851,
        0.14810397642748008,
        0.015198666563616457,
        0.0005475938084995345,
        1.0507500716444169e-09,
    ],
};

const FAR_TAIL: Rational = Rational {
    numerator: [
        6.657904643501103,
        5.463784911164114,
        1.7848265399172913,
        0.29656057182850487,
        0.026532189526576124,
        0.0012426609473880784,
        2.7115555687434876e-05,
        2.0103343992922881e-07,
    ],
    denominator: [
        1.0,
        0.599832206555888,
        0.1369298809227358,
        0.014875361290850615,
        0.0007868691311456133,
        1.8463183175100548e-05,
        1.421511758316446e-07,
        2.0442631033899397e-15,
    ],
};

/// The value that a standard normal variable stays below with the given probability, within about 1e-15
/// relative.
///
/// Zero gives negative infinity, one gives infinity, and everything outside [0, 1] gives NaN. Quantiles far
/// above zero are best taken as `-normal_quantile(tail)`: a probability next to one has lost the digits of
/// its tail before it gets here.
pub fn normal_quantile(probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let from_half = probability - 0.5;
    if from_half.abs() <= CENTRAL_HALF_WIDTH {
        let inside = CENTRAL_HALF_WIDTH * CENTRAL_HALF_WIDTH - from_half * from_half;
        return from_half * CENTRE.at(inside);
    }
    let tail = if from_half < 0.0 { probability } else { 1.0 - probability };
    upper_quantile(tail).copysign(from_half)
}

/// The probability that a standard normal variable is above a value.
pub fn normal_upper_tail(value: f64) -> f64 {
    libm::erfc(value / std::f64::consts::SQRT_2) / 2.0
}

/// The value that is exceeded with probability `tail`, for tails below 0.075.
fn upper_quantile(tail: f64) -> f64 {
    if tail == 0.0 {
        return f64::INFINITY;
    }
    let depth = (-tail.ln()).sqrt();
    if depth <= FAR_START { NEAR_TAIL.at(depth - 1.6) } else { FAR_TAIL.at(depth - FAR_START) }
}

/// Horner's scheme.
fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::super::testing::relative_error;
    use super::*;

    // Newton's method on mpmath's erfc with 60 digits at the exact value of each float, rounded to the
    // nearest float; scipy.special.ndtri of scipy 1.17 agrees. They include both sides of the two places
    // where the rational functions change over.
    const QUANTILES: [(f64, f64); 19] = [
        (5e-324, -38.467405617144344),
        (1e-300, -37.0470962993612),
        (1e-100, -21.273453560965326),
        (1e-20, -9.262340089798407),
        (1e-12, -7.034483825301132),
        (1.3887943864964e-11, -6.657904643501104),
        (1e-06, -4.753424308822899),
        (0.001, -3.0902323061678136),
        (0.025, -1.9599639845400543),
        (0.0749, -1.4402382675279637),
        (0.0751, -1.43882539275254),
        (0.25, -0.6744897501960817),
        (0.4999999999, -2.506628482030354e-10),
        (0.75, 0.6744897501960817),
        (0.9249, 1.4388253927525403),
        (0.9251, 1.440238267527964),
        (0.975, 1.9599639845400538),
        (0.999999, 4.753424308817087),
        (0.9999999999999999, 8.209536151601387),
    ];

    #[test]
    fn quantiles_agree_with_references() {
        for (probability, wanted) in QUANTILES {
            let error = relative_error(normal_quantile(probability), wanted);
            assert!(error < 1e-15, "at {probability:e}: relative error {error:e}");
        }
    }

    #[test]
    fn tails_are_those_of_the_quantiles() {
        for (probability, quantile) in QUANTILES.iter().filter(|(probability, _)| *probability > 1e-290) {
            let error = relative_error(normal_upper_tail(-quantile), *probability);
            // Far out a rounding of the quantile is many roundings of the tail.
            assert!(error < 1e-15 * (10.0 + quantile * quantile), "at {probability:e}: {error:e}");
        }
    }

    #[test]
    fn ends_are_infinite_and_the_middle_is_zero() {
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert_eq!(normal_quantile(0.5), 0.0);
    }

    #[test]
    fn what_is_no_probability_has_no_quantile() {
        for probability in [-f64::MIN_POSITIVE, 1.0 + f64::EPSILON, f64::INFINITY, f64::NAN] {
            assert!(normal_quantile(probability).is_nan(), "at {probability:e}");
        }
    }
}
