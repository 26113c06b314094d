//! The choice that the sphere mechanisms make: in the cap around the truth, or not.

use crate::special::{Above, HeightMoments};
use privet_core::{CryptoRng, Epsilon, Extent, Fraction, ParameterError, Piece};

/// Beyond this the cap is smaller than rounding can describe; a larger epsilon is not spent.
const MAX_EPSILON: f64 = 40.0;
/// The masses are known to about 1e-14, so that the ratio stays below e^epsilon with this share of it given up.
const MARGIN: f64 = 1e-12;

/// A cap, how often reports lie in it, and how high they are on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cap {
    pub(crate) epsilon: Epsilon,
    /// The height at which the cap begins.
    pub(crate) threshold: f64,
    /// How likely a uniform (or normal) report lies in the cap.
    mass: f64,
    /// How many of 2^64 words do not choose the cap: the smaller part, so that none of its digits are lost.
    outside: u64,
    /// The mean height of a report.
    pub(crate) mean: f64,
}

impl Cap {
    /// The cap with the largest mean height. `above` gives mass and mean of the unrandomised height above a threshold, and no
    /// height is above `highest`.
    ///
    /// With k = e^epsilon - 1 the mean height A(g) = k M / (1 + k P) is largest where A(g) = g. There k (M - g P) - g, which is
    /// convex and falls, is zero, so that Newton's method from 0 climbs to it without ever passing it.
    pub(crate) fn solve(
        epsilon: Epsilon,
        highest: f64,
        above: impl Fn(f64) -> Above,
    ) -> Result<Self, ParameterError> {
        const MAX_STEPS: u32 = 1000;
        let epsilon = Epsilon::new(epsilon.get().min(MAX_EPSILON))?;
        let (inverse, share) = ((-epsilon.get()).exp(), -(-epsilon.get()).exp_m1());
        let mut threshold = 0.0f64;
        for _ in 0..MAX_STEPS {
            let Above { mass, mean } = above(threshold);
            let excess = share * (mean - threshold * mass) - threshold * inverse;
            let next = (threshold + excess / (share * mass + inverse)).min(highest.next_down());
            // Rounding may turn the last step around.
            if next <= threshold {
                break;
            }
            threshold = next;
        }
        Self::at(threshold, epsilon, &above(threshold))
    }

    fn at(threshold: f64, epsilon: Epsilon, above: &Above) -> Result<Self, ParameterError> {
        let mass = above.mass;
        // The probability e^epsilon P / (e^epsilon P + 1 - P), in a form that does not overflow.
        let odds = (epsilon.get() - MARGIN).exp() * mass / (1.0 - mass);
        // Rounded up, and not zero: in favour of privacy.
        let outside = (2f64.powi(64) / (1.0 + odds)) as u64 + 1;
        let cap = Self { epsilon, threshold, mass, outside, mean: 0.0 };
        let [low, high] = cap.densities();
        let mean = above.mean * (high - low);
        if mean > 0.0 && mean.is_finite() {
            Ok(Self { mean, ..cap })
        } else {
            Err(ParameterError::EpsilonTooSmall { got: epsilon.get() })
        }
    }

    /// Whether this report lies in the cap.
    #[inline]
    pub(crate) fn choose(&self, rng: &mut dyn CryptoRng) -> bool {
        rng.next_u64() >= self.outside
    }

    /// The density outside and inside the cap, against that of a report without any truth.
    fn densities(&self) -> [f64; 2] {
        let share = |words: u64| words as f64 * 2f64.powi(-64);
        [share(self.outside) / (1.0 - self.mass), share(self.outside.wrapping_neg()) / self.mass]
    }

    /// The logarithm of the density at a height, against that of a report without any truth.
    pub(crate) fn log_density(&self, height: f64) -> f64 {
        self.log_mixture(if height >= self.threshold { 1.0 } else { 0.0 })
    }

    /// The logarithm of the density where the cap itself is only likely, with the given probability.
    pub(crate) fn log_mixture(&self, in_cap: f64) -> f64 {
        let [low, high] = self.densities();
        (low + (high - low) * in_cap).ln()
    }

    /// The mean of a function of the height, from its mean `above` the threshold (counted as zero below) and the mean `anywhere` of
    /// the unrandomised height.
    pub(crate) fn mean_of(&self, above: f64, anywhere: f64) -> f64 {
        let [low, high] = self.densities();
        high * above + low * (anywhere - above)
    }

    /// The moments of a report, from those of the unrandomised point above the threshold, and anywhere.
    pub(crate) fn moments(&self, above: HeightMoments, anywhere: HeightMoments) -> HeightMoments {
        let [low, high] = self.densities();
        HeightMoments::mixed([above, anywhere], [high - low, low])
    }

    /// The share of heights below and above the threshold, for heights between two ends.
    pub(crate) fn pieces(&self, ends: [f64; 2]) -> Vec<Piece> {
        let piece = |what: &str, from: f64, to: f64, weight: Fraction| {
            let mass = weight.to_f64();
            Piece {
                what: what.into(),
                outcomes: 1,
                mass,
                extent: Some(Extent { from, to, density: mass / (to - from) }),
            }
        };
        let [low, high] = ends;
        vec![
            piece("height below the cap", low, self.threshold, Fraction::of_weight(self.outside)),
            piece("height in the cap", self.threshold, high, Fraction::of_complement(self.outside)),
        ]
    }
}
