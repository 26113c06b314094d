//! Laplace noise on whole numbers, the same for all mechanisms that add it.

use super::lattice::check_room;
use super::{ClipSet, VectorMechanism, added_noise, checked, noise_pieces};
use crate::VectorError;
use privet_core::sampling::discrete_laplace;
use privet_core::{
    CryptoRng, Epsilon, Fingerprint, FingerprintBuilder, Guarantee, MechanismInfo, ParameterError, Piece,
    ReportError,
};
use privet_estimators::CoordinateNoise;
use std::fmt::Debug;

/// The scale of the noise has this many bits, unless epsilon is large.
const SCALE_BITS: u32 = 26;
/// Up to here the largest code is 22 scales beyond the clip set.
const LARGE_EPSILON: f64 = 20.0;
/// The fourth central moment over the squared variance; on whole numbers a little less.
pub(super) const LAPLACE_KURTOSIS: f64 = 6.0;

/// Noise of scale 2^bits steps in each coordinate. A coordinate with a share of the budget has as many steps to either side as the
/// share pays for: `steps` of them cost 2 steps / 2^bits.
#[derive(Debug, Clone, PartialEq)]
struct LaplaceNoise {
    bits: u32,
    /// What one step of each coordinate is.
    sizes: Vec<f64>,
    epsilon: Epsilon,
}

/// How many steps an epsilon pays for, and the bits of the scale.
pub(crate) struct Steps {
    pub(crate) bits: u32,
    pub(crate) count: u32,
}

impl Steps {
    /// The most steps between two ends that are epsilon apart, counted from their middle.
    pub(crate) fn paid_by(epsilon: Epsilon) -> Result<Self, ParameterError> {
        let halvings = (epsilon.get() / LARGE_EPSILON).log2().ceil().clamp(0.0, f64::from(SCALE_BITS));
        let bits = SCALE_BITS - halvings as u32;
        let count = (0.5 * epsilon.get() * 2f64.powi(bits as i32)).min(2f64.powi(30)) as u32;
        match count {
            0 => Err(ParameterError::EpsilonTooSmall { got: epsilon.get() }),
            _ => Ok(Self { bits, count }),
        }
    }

    /// What the steps cost: a number without rounding.
    fn cost(&self) -> Result<Epsilon, ParameterError> {
        Epsilon::new(2.0 * f64::from(self.count) * 2f64.powi(-(self.bits as i32)))
    }
}

impl LaplaceNoise {
    /// Adds noise to codes; what is beyond the largest code is moved to it.
    fn add(&self, codes: &mut [i32], rng: &mut dyn CryptoRng) {
        for code in codes {
            let noisy = i64::from(*code) + discrete_laplace(self.bits, rng);
            *code = noisy.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
        }
    }

    /// The variance of each coordinate: 2 q / (1 - q)^2 squared steps with q = e^(-1 / 2^bits).
    fn variances(&self) -> Vec<f64> {
        let rate = -(2f64.powi(-(self.bits as i32)));
        let steps = 2.0 * rate.exp() / rate.exp_m1().powi(2);
        self.sizes.iter().map(|size| steps * size * size).collect()
    }

    /// The largest coordinate of a report.
    fn bound(&self) -> f64 {
        f64::from(i32::MAX) * self.sizes.iter().copied().fold(0.0, f64::max)
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        check_room(codes.len(), self.sizes.len())?;
        check_room(report.len(), self.sizes.len())?;
        if codes.contains(&i32::MIN) {
            return Err(ReportError::Impossible { reason: "a coordinate beyond the largest one" });
        }
        for ((slot, code), size) in report.iter_mut().zip(codes).zip(&self.sizes) {
            *slot = f64::from(*code) * size;
        }
        Ok(())
    }

    /// The logarithm of how much likelier a report is with one clean vector of codes than with another. At the ends, where all noise
    /// beyond is gathered, the ratio is the same power.
    fn log_ratio(&self, clean: [&[i32]; 2], codes: &[i32]) -> f64 {
        let [first, second] = clean.map(|clean| -> i64 {
            clean.iter().zip(codes).map(|(x, y)| (i64::from(*y) - i64::from(*x)).abs()).sum()
        });
        (second - first) as f64 * 2f64.powi(-(self.bits as i32))
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.bits));
        self.sizes.iter().for_each(|size| {
            builder.number(size.to_bits());
        });
    }
}

/// How a mechanism with Laplace noise brings a vector into its clip set, in whole steps.
pub trait LaplaceRule: Debug + Clone + Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;

    /// Writes the clipped vector in steps. However the vector was rounded, two such results are never further apart than the budget
    /// pays for.
    fn clean(&self, clip: &ClipSet, vector: &[f64], codes: &mut [i32]);

    /// Two vectors that are as far apart as the budget pays for.
    fn opposite(&self) -> [Vec<f64>; 2];
}

/// Laplace noise of one scale in steps, where the steps may differ between coordinates; see the named mechanisms.
#[derive(Debug, Clone)]
pub struct LaplaceMechanism<K: LaplaceRule> {
    clip: ClipSet,
    rule: K,
    noise: LaplaceNoise,
}

impl<K: LaplaceRule> LaplaceMechanism<K> {
    /// `sizes` are the steps of the coordinates, `spent` is how many of them a clipped vector can be away from the middle.
    pub(super) fn on(clip: ClipSet, rule: K, sizes: Vec<f64>, spent: &Steps) -> Result<Self, ParameterError> {
        Ok(Self { clip, rule, noise: LaplaceNoise { bits: spent.bits, sizes, epsilon: spent.cost()? } })
    }

    /// The codes of the clipped vector, without noise.
    pub(super) fn clean(&self, vector: &[f64]) -> Result<Vec<i32>, VectorError> {
        let mut codes = vec![0; self.code_count()];
        self.rule.clean(&self.clip, checked(self.dimension(), vector)?, &mut codes);
        Ok(codes)
    }

    #[cfg(test)]
    pub(super) fn rule(&self) -> &K {
        &self.rule
    }
}

impl<K: LaplaceRule> VectorMechanism for LaplaceMechanism<K> {
    fn info(&self) -> MechanismInfo {
        K::INFO
    }

    fn clip(&self) -> &ClipSet {
        &self.clip
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Pure { epsilon: self.noise.epsilon }
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.clip.identify(&mut builder);
        self.noise.identify(&mut builder);
        builder.finish()
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn mean_squared_error(&self) -> f64 {
        self.noise.variances().iter().sum()
    }

    fn coordinate_variances(&self) -> Vec<f64> {
        self.noise.variances()
    }

    fn report_bound(&self) -> f64 {
        self.noise.bound()
    }

    fn coordinate_noise(&self) -> Vec<CoordinateNoise> {
        let noise = |(coordinate, variance): (usize, f64)| {
            added_noise(variance, LAPLACE_KURTOSIS, self.clip.range(coordinate))
        };
        self.noise.variances().into_iter().enumerate().map(noise).collect()
    }

    fn code_count(&self) -> usize {
        self.noise.sizes.len()
    }

    fn draw(&self, vector: &[f64], codes: &mut [i32], rng: &mut dyn CryptoRng) {
        self.rule.clean(&self.clip, vector, codes);
        self.noise.add(codes, rng);
    }

    fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
        self.noise.decode(codes, report)
    }

    fn log_ratio(&self, vectors: [&[f64]; 2], codes: &[i32]) -> Result<f64, VectorError> {
        self.read(codes)?;
        let [first, second] = vectors.map(|vector| self.clean(vector));
        Ok(self.noise.log_ratio([&first?, &second?], codes))
    }

    fn worst_vectors(&self) -> [Vec<f64>; 2] {
        self.rule.opposite()
    }

    fn pieces(&self) -> Vec<Piece> {
        let scale = 2f64.powi(self.noise.bits as i32) * self.noise.sizes[0];
        noise_pieces(scale, 22.0, 0.5 * (-1f64).exp())
    }
}
