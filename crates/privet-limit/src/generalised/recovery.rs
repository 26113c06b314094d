//! Closed forms from solved problems, by regression.

use super::Generalised;
use privet_core::{Epsilon, ParameterError};

/// A straight line through points by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Its height at zero.
    pub intercept: f64,
    /// How much it rises per unit.
    pub slope: f64,
    /// The share of the points' variance that it explains.
    pub r_squared: f64,
    /// The largest distance of a point from it.
    pub largest_residual: f64,
}

impl Line {
    /// The line with the smallest sum of squared residuals, or nothing without two different abscissas.
    pub fn through(points: &[(f64, f64)]) -> Option<Self> {
        let count = points.len() as f64;
        let mean = |part: fn(&(f64, f64)) -> f64| points.iter().map(part).sum::<f64>() / count;
        let (across, up) = (mean(|point| point.0), mean(|point| point.1));
        let sum = |part: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|(x, y)| part(x - across, y - up)).sum()
        };
        let spread = sum(&|x, _| x * x);
        if points.len() < 2 || spread.is_nan() || spread <= 0.0 {
            return None;
        }
        let slope = sum(&|x, y| x * y) / spread;
        let (unexplained, all) = (sum(&|x, y| (y - slope * x).powi(2)), sum(&|_, y| y * y));
        let intercept = up - slope * across;
        let residual = |(x, y): &(f64, f64)| (y - intercept - slope * x).abs();
        Some(Self {
            intercept,
            slope,
            r_squared: if all > 0.0 { 1.0 - unexplained / all } else { 1.0 },
            largest_residual: points.iter().map(residual).fold(0.0, f64::max),
        })
    }
}

/// What regression says about the worst-case optimum.
///
/// If every line is straight (no residuals), the closed form is: with W the outputs' width, the window has the
/// density e^(intercept + slope epsilon) / W by `density` and the length W / (1 + e^(intercept + slope epsilon))
/// by `length`, and begins at intercept + slope x by `start`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosedForm {
    /// The logarithm of W times the window's density against epsilon.
    pub density: Line,
    /// The logarithm of W / length - 1 against epsilon, with the window at the lowest input.
    pub length: Line,
    /// Where the window begins against x, at the problem's own epsilon, for inputs whose window touches no end.
    pub start: Line,
}

/// How many inputs the line of the window's start is fitted to.
const INPUTS: u32 = 64;

impl Generalised {
    /// Fits lines to the worst-case optima of these epsilons.
    ///
    /// # Errors
    /// When there are not two different epsilons in range, or no window that touches no end (fewer than three
    /// pieces, or outputs that are too narrow).
    pub fn recover(&self, epsilons: &[Epsilon]) -> Result<ClosedForm, ParameterError> {
        let width = self.output().width();
        let (mut densities, mut lengths, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for epsilon in epsilons {
            let optimum = self.with_epsilon(*epsilon)?.minimax();
            let density = optimum.at(self.input().low())?;
            let window: f64 = (density.steps().iter())
                .filter(|step| step.density == density.peak())
                .map(|step| step.to - step.from)
                .sum();
            densities.push((epsilon.get(), (width * density.peak()).ln()));
            lengths.push((epsilon.get(), (width / window - 1.0).ln()));
        }
        let optimum = self.minimax();
        for index in 0..=INPUTS {
            let x = self.input().low() + self.input().width() * f64::from(index) / f64::from(INPUTS);
            if let [_, window, _] = optimum.at(x)?.merged()[..] {
                starts.push((x, window.from));
            }
        }
        let line = |points: &[(f64, f64)], reason: &str| {
            Line::through(points).ok_or_else(|| ParameterError::Incompatible { reason: reason.to_owned() })
        };
        Ok(ClosedForm {
            density: line(&densities, "a regression needs at least two different epsilons")?,
            length: line(&lengths, "a regression needs at least two different epsilons")?,
            start: line(&starts, "no two inputs have a window that touches no end of the outputs")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_known_points() {
        // By hand: sums of products 3.4 and 5, of squares .058 left over from 2.37.
        let line = Line::through(&[(0.0, 0.0), (1.0, 1.0), (2.0, 1.5), (3.0, 2.1)]).unwrap();
        assert!((line.slope - 0.68).abs() < 1e-12 && (line.intercept - 0.13).abs() < 1e-12);
        let exact = Line::through(&[(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)]).unwrap();
        assert!((exact.slope - 2.0).abs() < 1e-12 && (exact.intercept - 1.0).abs() < 1e-12);
        assert!((exact.r_squared - 1.0).abs() < 1e-12 && exact.largest_residual < 1e-12);
        assert!((line.r_squared - (1.0 - 0.058 / 2.37)).abs() < 1e-12);
        assert!((line.largest_residual - 0.19).abs() < 1e-12);
    }

    #[test]
    fn no_line_without_two_abscissas() {
        assert_eq!(Line::through(&[]), None);
        assert_eq!(Line::through(&[(1.0, 2.0)]), None);
        assert_eq!(Line::through(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Line::through(&[(f64::NAN, 2.0), (1.0, 3.0)]), None);
    }
}
