//! Mechanisms on numbers by name, and their exact errors as curves.

use crate::{Curve, Effort, ReproduceError};
use privet::analysis::{Analysis, AnyNumeric, DensityPiece, Loss, Prior};
use privet::limit::{Solution, registry::solution};
use privet::registry::{AnyEstimator, find_estimator};
use privet::{BuildOptions, DomainSpec, Epsilon, ParameterError};
use std::f64::consts::PI;

/// The domain of most figures.
pub(crate) const UNIT: &str = "interval:0,1";
/// Angles.
pub(crate) const CIRCLE: &str = "circle:6.283185307179586";
/// Angles for mechanisms that know numbers only.
pub(crate) const CUT_CIRCLE: &str = "interval:0,6.283185307179586";

/// A domain from its written form.
pub(crate) fn domain(text: &str) -> Result<DomainSpec, ParameterError> {
    text.parse()
}

/// A mechanism on numbers or angles, with its estimator.
#[derive(Debug)]
pub(crate) struct Numeric(Box<dyn AnyEstimator>);

impl Numeric {
    /// A mechanism by its id.
    pub(crate) fn new(id: &str, space: &str, epsilon: f64) -> Result<Self, ReproduceError> {
        Self::with(id, space, epsilon, &BuildOptions::default())
    }

    /// The same with parameters that only some mechanisms take.
    pub(crate) fn with(
        id: &str,
        space: &str,
        epsilon: f64,
        options: &BuildOptions,
    ) -> Result<Self, ReproduceError> {
        let built = find_estimator(id)?.build_with(&domain(space)?, Epsilon::new(epsilon)?, options)?;
        if built.numeric().is_none() {
            let reason = format!("{id} is not about numbers");
            return Err(ParameterError::Incompatible { reason }.into());
        }
        Ok(Self(built))
    }

    /// Its estimator.
    pub(crate) fn estimator(&self) -> &dyn AnyEstimator {
        &*self.0
    }

    /// Its channel.
    pub(crate) fn channel(&self) -> Result<&dyn AnyNumeric, ReproduceError> {
        let missing = || ParameterError::Incompatible { reason: "a mechanism without numbers".to_owned() };
        Ok(self.0.numeric().ok_or_else(missing)?)
    }

    /// Answers about the channel.
    pub(crate) fn analysis(&self) -> Result<Analysis<'_>, ReproduceError> {
        Ok(Analysis::new(self.channel()?))
    }

    /// The expected loss at one value.
    pub(crate) fn error_at(&self, x: f64, loss: Loss) -> Result<f64, ReproduceError> {
        Ok(self.analysis()?.law(x)?.expected(loss))
    }

    /// The largest expected loss; for quick work among the ends and a few values between them.
    pub(crate) fn worst_by(&self, loss: Loss, effort: Effort) -> Result<f64, ReproduceError> {
        if effort == Effort::Full {
            return self.worst(loss);
        }
        let (analysis, space) = (self.analysis()?, self.channel()?.space());
        let errors =
            grid(0.0, 1.0, 4).into_iter().map(|unit| Ok(analysis.law(space.from_unit(unit))?.expected(loss)));
        Ok(errors.collect::<Result<Vec<f64>, ReproduceError>>()?.into_iter().fold(0.0, f64::max))
    }

    /// The largest expected loss.
    pub(crate) fn worst(&self, loss: Loss) -> Result<f64, ReproduceError> {
        Ok(self.analysis()?.worst(loss).error)
    }

    /// The expected loss of a uniform value.
    pub(crate) fn average(&self, loss: Loss) -> Result<f64, ReproduceError> {
        Ok(self.analysis()?.average(loss, &Prior::uniform()))
    }

    /// The law of one value as pieces of constant density.
    pub(crate) fn pieces(&self, x: f64) -> Result<Vec<DensityPiece>, ReproduceError> {
        Ok(self.analysis()?.law(x)?.pieces())
    }

    /// The expected loss at each of some values.
    pub(crate) fn curve(&self, label: &str, places: &[f64], loss: Loss) -> Result<Curve, ReproduceError> {
        let analysis = self.analysis()?;
        curve(label, places, |x| Ok(analysis.law(x)?.expected(loss)))
    }
}

/// A curve through the values of a function that may fail.
pub(crate) fn curve(
    label: &str,
    places: &[f64],
    height: impl Fn(f64) -> Result<f64, ReproduceError>,
) -> Result<Curve, ReproduceError> {
    let points = places.iter().map(|&x| Ok([x, height(x)?]));
    Ok(Curve::line(label, points.collect::<Result<_, ReproduceError>>()?))
}

/// Equally spaced numbers, both ends included.
pub(crate) fn grid(low: f64, high: f64, parts: u32) -> Vec<f64> {
    (0..=parts).map(|part| low + (high - low) * f64::from(part) / f64::from(parts)).collect()
}

/// The certified optimum and the bound below every mechanism, for those epsilons for which they are found.
pub(crate) fn limit_curves(id: &str, epsilons: &[f64]) -> Result<[Curve; 2], ReproduceError> {
    let space = domain(UNIT)?;
    let mut curves =
        ["best channel, with proof", "no channel is below"].map(|label| Curve::line(label, Vec::new()));
    for &epsilon in epsilons {
        if let Ok(found) = solution(id, &space, Epsilon::new(epsilon)?) {
            curves[0].points.push([epsilon, found.achieved]);
            curves[1].points.push([epsilon, found.lower_bound]);
        }
    }
    Ok(curves)
}

/// The best channel on the unit interval.
pub(crate) fn optimum(id: &str, epsilon: f64) -> Result<Solution, ReproduceError> {
    Ok(solution(id, &domain(UNIT)?, Epsilon::new(epsilon)?)?)
}

/// The expected loss of a law on [0, 2 pi] when distances are measured around the circle.
pub(crate) fn circular_loss(pieces: &[DensityPiece], x: f64, loss: Loss) -> f64 {
    let power = if loss == Loss::Absolute { 1 } else { 2 };
    let height = |offset: f64| circular_distance(offset, 0.0).powi(power);
    // The integral from zero: the distance grows up to half a turn, and then falls.
    let integral = |offset: f64| {
        let (size, degree) = (offset.abs(), power + 1);
        let over = if size <= PI {
            size.powi(degree)
        } else {
            2.0 * PI.powi(degree) - (2.0 * PI - size).powi(degree)
        };
        offset.signum() * over / f64::from(degree)
    };
    let of_piece = |piece: &DensityPiece| {
        if piece.is_atom() {
            return piece.mass * height(piece.from - x);
        }
        piece.density() * (integral(piece.to - x) - integral(piece.from - x))
    };
    pieces.iter().map(of_piece).sum()
}

/// The shorter way around a circle of two pi.
pub(crate) fn circular_distance(one: f64, other: f64) -> f64 {
    let away = (one - other).rem_euclid(2.0 * PI);
    away.min(2.0 * PI - away)
}

/// A law as a line that can be drawn.
pub(crate) fn steps(pieces: &[DensityPiece]) -> Vec<[f64; 2]> {
    let ranges = pieces.iter().filter(|piece| !piece.is_atom());
    ranges.flat_map(|piece| [[piece.from, piece.density()], [piece.to, piece.density()]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circular_losses_of_a_uniform_law_are_known() {
        let uniform = [DensityPiece { from: 0.0, to: 2.0 * PI, mass: 1.0 }];
        for x in [0.0, 1.0, PI, 6.0] {
            assert!((circular_loss(&uniform, x, Loss::Absolute) - PI / 2.0).abs() < 1e-12);
            assert!((circular_loss(&uniform, x, Loss::Squared) - PI * PI / 3.0).abs() < 1e-12);
        }
        let atom = [DensityPiece { from: 6.0, to: 6.0, mass: 1.0 }];
        assert!((circular_loss(&atom, 1.0, Loss::Absolute) - (2.0 * PI - 5.0)).abs() < 1e-12);
    }
}
