//! Laplace noise on whole numbers, the same for all mechanisms that add it.

use super::lattice::check_room;
use privet_core::sampling::discrete_laplace;
use privet_core::{
    CryptoRng, Epsilon, FingerprintBuilder, Fraction, Guarantee, ParameterError, Piece, ReportError,
};

/// The scale of the noise has this many bits, unless epsilon is large.
const SCALE_BITS: u32 = 26;
/// Up to here the largest code is 22 scales beyond the clip set.
const LARGE_EPSILON: f64 = 20.0;

/// Noise of scale 2^bits steps in each coordinate. A coordinate with a share of the budget has as many steps to either side as the
/// share pays for: `steps` of them cost 2 steps / 2^bits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaplaceNoise {
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

    /// What steps cost together: a number without rounding.
    pub(crate) fn cost(count: u32, bits: u32) -> Result<Epsilon, ParameterError> {
        Epsilon::new(2.0 * f64::from(count) * 2f64.powi(-(bits as i32)))
    }
}

impl LaplaceNoise {
    pub(crate) fn new(bits: u32, sizes: Vec<f64>, epsilon: Epsilon) -> Self {
        Self { bits, sizes, epsilon }
    }

    pub(crate) fn guarantee(&self) -> Guarantee {
        Guarantee::Pure { epsilon: self.epsilon }
    }

    /// Adds noise to codes; what is beyond the largest code is moved to it.
    pub(crate) fn add(&self, codes: &mut [i32], rng: &mut dyn CryptoRng) {
        for code in codes {
            let noisy = i64::from(*code) + discrete_laplace(self.bits, rng);
            *code = noisy.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32;
        }
    }

    /// The variance of each coordinate: 2 q / (1 - q)^2 squared steps with q = e^(-1 / 2^bits).
    pub(crate) fn variances(&self) -> Vec<f64> {
        let rate = -(2f64.powi(-(self.bits as i32)));
        let steps = 2.0 * rate.exp() / rate.exp_m1().powi(2);
        self.sizes.iter().map(|size| steps * size * size).collect()
    }

    /// The largest coordinate of a report.
    pub(crate) fn bound(&self) -> f64 {
        f64::from(i32::MAX) * self.sizes.iter().copied().fold(0.0, f64::max)
    }

    pub(crate) fn decode(&self, codes: &[i32], report: &mut [f64]) -> Result<(), ReportError> {
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
    pub(crate) fn log_ratio(&self, clean: [&[i32]; 2], codes: &[i32]) -> f64 {
        let [first, second] = clean.map(|clean| -> i64 {
            clean.iter().zip(codes).map(|(x, y)| (i64::from(*y) - i64::from(*x)).abs()).sum()
        });
        (second - first) as f64 * 2f64.powi(-(self.bits as i32))
    }

    pub(crate) fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(u64::from(self.bits));
        self.sizes.iter().for_each(|size| {
            builder.number(size.to_bits());
        });
    }

    /// The noise of the first coordinate: within one scale, and beyond on both sides.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let scale = 2f64.powi(self.bits as i32) * self.sizes.first().copied().unwrap_or(1.0);
        let beyond = Fraction::of_weight((0.5 * (-1f64).exp() * 2f64.powi(64)) as u64);
        let within = Fraction::whole(1).minus(&(&beyond + &beyond));
        let reach = 22.0 * scale;
        vec![
            Piece::range(-reach, -scale, &beyond),
            Piece::range(-scale, scale, &within),
            Piece::range(scale, reach, &beyond),
        ]
    }
}
