//! Gaussian noise along the axes of an ellipsoid: what all mechanisms that add it share.

use super::clip::l2_norm;
use super::lattice::check_room;
use super::{ClipSet, VectorMechanism, added_noise, checked, noise_pieces};
use crate::VectorError;
use crate::sampling::fill_normals;
use crate::special::upper_tail;
use privet_core::{
    CryptoRng, Delta, Epsilon, Fingerprint, FingerprintBuilder, Guarantee, MechanismInfo, ParameterError,
    Piece, ReportError,
};
use privet_estimators::CoordinateNoise;
use std::fmt::Debug;
use std::marker::PhantomData;

/// What distinguishes one mechanism with Gaussian noise from another.
pub trait GaussianRule: Debug + Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;
}

/// Beyond this e^epsilon leaves the range in which delta can be computed; a larger epsilon is not spent.
const MAX_EPSILON: f64 = 100.0;
/// The sampler's tails end beyond 13 standard deviations, which is less than this.
const LEAST_DELTA: f64 = 1e-30;
/// Both parts of delta are right to less than this part of the larger one. Their difference can be far smaller than either.
const TAIL_ERROR: f64 = 1e-12;
/// The standard deviation, or a 16th of the unit ball where that is more, has this many steps.
const STEPS: f64 = (1u32 << 26) as f64;
/// Clipping may miss the ball by a few roundings; the noise is calibrated for that much more.
const MARGIN: f64 = 1e-12;
/// The fourth central moment of normal noise over the squared variance.
const KURTOSIS: f64 = 3.0;

/// Clips a vector to an ellipsoid, divides by the half axes, adds Gaussian noise with the analytic calibration and multiplies back;
/// see the named mechanisms.
#[derive(Debug, Clone)]
pub struct GaussianMechanism<K: GaussianRule> {
    clip: ClipSet,
    centre: Vec<f64>,
    radii: Vec<f64>,
    epsilon: Epsilon,
    delta: Delta,
    /// The standard deviation of the noise where the ellipsoid is the unit ball.
    deviation: f64,
    /// What one step of a code is there.
    step: f64,
    rule: PhantomData<K>,
}

impl<K: GaussianRule> GaussianMechanism<K> {
    pub(super) fn on(
        clip: ClipSet,
        [centre, radii]: [Vec<f64>; 2],
        epsilon: Epsilon,
        delta: Option<Delta>,
    ) -> Result<Self, ParameterError> {
        let delta = delta.filter(|delta| delta.get() > 0.0).ok_or_else(|| ParameterError::Incompatible {
            reason: "Gaussian noise needs a delta above 0; there is no default".into(),
        })?;
        if delta.get() < LEAST_DELTA {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "Gaussian noise needs a delta of at least {LEAST_DELTA:e}: got {:e}",
                    delta.get()
                ),
            });
        }
        let epsilon = Epsilon::new(epsilon.get().min(MAX_EPSILON))?;
        let deviation = 2.0 * (1.0 + MARGIN) * analytic_deviation(epsilon, delta);
        if !(deviation.is_finite() && deviation < 1e50) {
            return Err(ParameterError::EpsilonTooSmall { got: epsilon.get() });
        }
        let step = deviation.max(1.0 / 16.0) / STEPS;
        Ok(Self { clip, centre, radii, epsilon, delta, deviation, step, rule: PhantomData })
    }

    /// The standard deviation of the noise, in units of the ellipsoid's half axes.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// The clipped vector in whole steps, rounded towards the centre so that it does not leave the ball.
    fn clean(&self, vector: &[f64], codes: &mut [i32]) {
        let mut scaled: Vec<f64> = vector
            .iter()
            .zip(self.centre.iter().zip(&self.radii))
            // Far outside the ball only the direction counts, and infinities have none.
            .map(|(x, (middle, radius))| ((x - middle) / radius).clamp(-1e150, 1e150))
            .collect();
        let norm = l2_norm(&scaled).max(1.0);
        scaled.iter_mut().for_each(|x| *x /= norm);
        codes.iter_mut().zip(&scaled).for_each(|(code, x)| *code = (x / self.step) as i32);
    }

    fn value(&self, index: usize, code: f64) -> f64 {
        self.centre[index] + code * self.step * self.radii[index]
    }
}

/// The smallest standard deviation s for which noise between two points one apart has
/// Phi(1/(2s) - epsilon s) - e^epsilon Phi(-1/(2s) - epsilon s) <= delta.
pub(crate) fn analytic_deviation(epsilon: Epsilon, delta: Delta) -> f64 {
    let exceeds = |deviation: f64| spent_delta_at_most(epsilon, deviation) > delta.get();
    let (mut low, mut high) = (2f64.powi(-20), 1.0);
    while exceeds(high) && high < 1e100 {
        low = high;
        high *= 2.0;
    }
    // The bracket shrinks to neighbouring numbers.
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if exceeds(middle) { low = middle } else { high = middle }
    }
    high
}

/// The delta of Gaussian noise with this standard deviation between two points one apart.
pub(crate) fn spent_delta(epsilon: Epsilon, deviation: f64) -> f64 {
    let (half, shift) = (0.5 / deviation, epsilon.get() * deviation);
    upper_tail(shift - half) - (epsilon.get() + ln_upper_tail(half + shift)).exp()
}

/// A number that the delta is certainly not above, whatever is lost when both parts cancel.
fn spent_delta_at_most(epsilon: Epsilon, deviation: f64) -> f64 {
    let larger = upper_tail(epsilon.get() * deviation - 0.5 / deviation);
    spent_delta(epsilon, deviation) + TAIL_ERROR * larger
}

/// The logarithm of the normal tail, also where the tail itself is too small for a number.
fn ln_upper_tail(x: f64) -> f64 {
    if x < 30.0 {
        return upper_tail(x).ln();
    }
    let inverse = 1.0 / (x * x);
    let series = inverse * (-1.0 + inverse * (3.0 + inverse * (-15.0 + inverse * 105.0)));
    -0.5 * x * x - (x * std::f64::consts::TAU.sqrt()).ln() + series.ln_1p()
}

impl<K: GaussianRule> VectorMechanism for GaussianMechanism<K> {
    fn info(&self) -> MechanismInfo {
        K::INFO
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Approximate { epsilon: self.epsilon, delta: self.delta }
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.clip.identify(&mut builder);
        builder.number(self.epsilon.get().to_bits()).number(self.delta.get().to_bits());
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn mean_squared_error(&self) -> f64 {
        self.coordinate_variances().iter().sum()
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        self.radii.iter().map(|radius| (radius * self.deviation).powi(2)).collect()
    }

    fn report_bound(&self) -> f64 {
        let ends = [-f64::from(i32::MAX), f64::from(i32::MAX)];
        let coordinates = (0..self.radii.len()).flat_map(|index| ends.map(|end| self.value(index, end)));
        coordinates.fold(0.0, |largest, value| largest.max(value.abs()))
    }

    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        let noise = |(coordinate, variance): (usize, f64)| {
            added_noise(variance, KURTOSIS, self.clip.range(coordinate))
        };
        self.coordinate_variances().into_iter().enumerate().map(noise).collect()
    }

    fn code_count(&self) -> usize {
        self.radii.len()
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        self.clean(vector, codes);
        let mut normals = vec![0.0; codes.len()];
        fill_normals(&mut normals, rng);
        let scale = self.deviation / self.step;
        for (code, normal) in codes.iter_mut().zip(normals) {
            // The whole numbers are added, so that the noise does not know the vector's last digits.
            let noisy = i64::from(*code) + (scale * normal).round() as i64;
            *code = noisy.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
        }
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        check_room(codes.len(), self.radii.len())?;
        check_room(report.len(), self.radii.len())?;
        if codes.contains(&i32::MIN) {
            return Err(ReportError::Impossible { reason: "a coordinate beyond the largest one" });
        }
        for (index, (slot, code)) in report.iter_mut().zip(codes).enumerate() {
            *slot = self.value(index, f64::from(*code));
        }
        Ok(())
    }

    /// It exceeds epsilon for some reports; how often is what delta bounds.
    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError> {
        self.read(codes)?;
        let scale = self.step / self.deviation;
        let exponent = |vector: &[f64]| -> Result<f64, VectorError> {
            let mut clean = vec![0; codes.len()];
            self.clean(checked(self.dimension(), vector)?, &mut clean);
            let squares =
                clean.iter().zip(codes).map(|(x, y)| (scale * (f64::from(*y) - f64::from(*x))).powi(2));
            Ok(-0.5 * squares.sum::<f64>())
        };
        Ok(exponent(vectors[0])? - exponent(vectors[1])?)
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        [1.0, -1.0].map(|side| {
            let mut vector = self.centre.clone();
            vector[0] += side * self.radii[0];
            vector
        })
    }

    fn pieces(&self) -> Vec<Piece> {
        noise_pieces(self.deviation * self.radii[0], 8.0, upper_tail(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::gaussian_vector::RoundBall;
    use super::*;
    use privet_core::Dimension;

    fn deviation(epsilon: f64, delta: f64) -> f64 {
        analytic_deviation(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
    }

    /// From `golden/reference.py`: the same equation solved by mpmath with 40 digits.
    const DEVIATIONS: [(f64, f64, f64); 6] = [
        (1.0, 0.052, 1.318_956_742_186_016_7),
        (0.1, 1e-5, 30.749_566_131_977_45),
        (1.0, 1e-5, 3.730_631_634_815_942),
        (10.0, 1e-5, 0.499_888_619_709_008_5),
        (5.0, 1e-12, 1.409_837_723_610_734_7),
        (40.0, 1e-3, 0.154_834_408_641_857_96),
    ];

    #[test]
    fn deviations_agree_with_references() {
        for (epsilon, delta, wanted) in DEVIATIONS {
            let got = deviation(epsilon, delta);
            assert!((got / wanted - 1.0).abs() < 1e-11, "{epsilon} {delta}: {got}");
        }
    }

    /// Where both parts of delta nearly cancel, their rounding must not make the noise too small (from 80 digits).
    #[test]
    fn cancellation_never_makes_noise_smaller() {
        for (epsilon, delta, smallest) in [
            (1e-12, 1e-20, 5_012_024_237_147.734),
            (1e-14, 1e-20, 412_252_529_832_051.4),
            (1e-6, 1e-12, 4_122_525.402_756_602),
        ] {
            let got = deviation(epsilon, delta);
            assert!(got >= smallest, "{epsilon} {delta}: {got}");
        }
    }

    #[test]
    fn a_delta_beyond_the_samplers_tails_is_refused() {
        let build = |delta: f64| {
            let clip = ClipSet::l2_ball(Dimension::new(2).unwrap(), 1.0).unwrap();
            let delta = Some(Delta::new(delta).unwrap());
            GaussianMechanism::<RoundBall>::on(
                clip,
                [vec![0.0; 2], vec![1.0; 2]],
                Epsilon::new(1.0).unwrap(),
                delta,
            )
        };
        assert!(build(LEAST_DELTA).is_ok());
        assert!(matches!(build(1e-31), Err(ParameterError::Incompatible { .. })));
    }

    #[test]
    fn the_tail_and_its_logarithm_meet() {
        let (before, after) = (ln_upper_tail(30f64.next_down()), ln_upper_tail(30.0));
        assert!((before - after).abs() < 1e-10, "{before} {after}");
    }

    #[test]
    fn every_corner_of_the_range_is_finite() {
        for epsilon in [1e-9, 0.1, 20.0, 100.0] {
            for delta in [LEAST_DELTA, 1e-15, 0.5, 0.999] {
                let deviation = deviation(epsilon, delta);
                assert!(deviation.is_finite() && deviation > 0.0, "{epsilon} {delta}: {deviation}");
                let spent = spent_delta(Epsilon::new(epsilon).unwrap(), deviation);
                assert!(spent <= delta, "{epsilon} {delta}: {spent}");
            }
        }
    }
}
