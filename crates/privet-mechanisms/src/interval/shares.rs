//! The lengths of windows, as shares of all outputs.

use privet_core::Epsilon;

/// 1 / (e^(epsilon/2) + 1): the best share for absolute error, and that of the piecewise mechanism.
pub(crate) fn absolute_error(epsilon: Epsilon) -> f64 {
    1.0 / ((epsilon.get() / 2.0).exp() + 1.0)
}

/// The best share for squared error: the positive root of 2 (E - 1) s^3 + 3 s^2 = 1 with E = e^epsilon.
///
/// It is the same window as that of the density p with p^3 (E - 2) + 3 E p = 2 E^2, written so that there is one root
/// only and nothing cancels for small epsilon.
pub(crate) fn squared_error(epsilon: Epsilon) -> f64 {
    // Beyond this the window is shorter than any cell.
    const LARGEST: f64 = 200.0;
    let excess = epsilon.get().min(LARGEST).exp_m1();
    let (mut low, mut high) = (0.0f64, 1.0f64);
    // Sixty-four halvings leave nothing between the ends for shares above 2^-12; more for the smaller ones.
    for _ in 0..400 {
        let middle = 0.5 * (low + high);
        if middle * middle * (2.0 * excess * middle + 3.0) < 1.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The share of the square wave: (epsilon E - E + 1) / (E - 1)^2.
pub(crate) fn square_wave(epsilon: Epsilon) -> f64 {
    let epsilon = epsilon.get();
    // Below this the formula cancels and its series has no error left.
    if epsilon < 1e-2 {
        return 0.5 - epsilon / 6.0 + epsilon.powi(3) / 180.0;
    }
    let inverse = (-epsilon).exp();
    // Divided by E^2, so that nothing overflows.
    (inverse * (epsilon - 1.0) + inverse * inverse) / (1.0 - inverse).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).unwrap()
    }

    #[test]
    fn the_root_is_that_of_the_cubic_in_the_density() {
        for (value, density) in [(1.0, 1.5093), (2.0, 2.2300), (4.0, 4.6252), (8.0, 18.082)] {
            let e = f64::exp(value);
            let share = squared_error(epsilon(value));
            let p = e / (1.0 + share * (e - 1.0));
            assert!((p / density - 1.0).abs() < 5e-5, "{value} {p}");
            assert!((p.powi(3) * (e - 2.0) + 3.0 * e * p - 2.0 * e * e).abs() < 1e-12 * e.powi(3), "{value}");
        }
        // At e^epsilon = 2 the root is 4/3; without privacy the window is 1/sqrt(3) of everything.
        let share = squared_error(epsilon(std::f64::consts::LN_2));
        assert!((2.0 / (1.0 + share) - 4.0 / 3.0).abs() < 1e-12);
        assert!((squared_error(epsilon(1e-12)) - 3f64.sqrt().recip()).abs() < 1e-9);
        assert!(squared_error(epsilon(1e300)) > 0.0);
    }

    #[test]
    fn the_square_wave_has_no_seam() {
        let (below, above) = (square_wave(epsilon(0.01 - 1e-12)), square_wave(epsilon(0.01)));
        assert!((below - above).abs() < 1e-11, "{below} {above}");
        assert_eq!(square_wave(epsilon(1e300)), 0.0);
    }
}
