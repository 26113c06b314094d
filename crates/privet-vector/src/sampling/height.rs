//! The height of a point on the sphere, above or below a threshold.

use super::{normal_within, uniform};
use crate::special::SphereLaw;
use privet_core::{CryptoRng, Dimension};
use std::f64::consts::PI;

/// A height above the equator and the distance from the axis; their squares add up to one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Height {
    pub(crate) along: f64,
    pub(crate) across: f64,
}

/// Draws the height of a uniform point on the unit sphere, given that it is in the cap above a threshold or given that it is not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeightSampler {
    law: SphereLaw,
    dimension: u32,
    threshold: f64,
    /// 1 - threshold^2.
    rim: f64,
    cap_from_rim: bool,
}

impl HeightSampler {
    /// A threshold at or above zero and below one.
    pub(crate) fn new(dimension: Dimension, threshold: f64) -> Self {
        let law = SphereLaw::new(dimension);
        let above = law.above(threshold);
        Self {
            law,
            dimension: dimension.get() as u32,
            threshold,
            rim: (1.0 - threshold) * (1.0 + threshold),
            // Both ways are exact; these are the shares of proposals that they keep.
            cap_from_rim: threshold * above.mass / above.mean > 2.0 * above.mass,
        }
    }

    /// A height in the cap.
    pub(crate) fn in_cap(&self, rng: &mut dyn CryptoRng) -> Height {
        loop {
            if !self.cap_from_rim {
                let Height { along, across } = self.anywhere(rng);
                if along.abs() >= self.threshold {
                    return Height { along: along.abs(), across };
                }
                continue;
            }
            // With y = 1 - t^2 the density is y^(a-1) / sqrt(1 - y) up to y = rim, and 1 / sqrt(1 - y) = 1 / t is at most one
            // over the threshold.
            let square = self.rim * (uniform(rng).ln() / self.law.shape()).exp();
            let along = (1.0 - square).sqrt();
            if uniform(rng) * along < self.threshold {
                return Height { along, across: square.sqrt() };
            }
        }
    }

    /// A height below the threshold. At least every second point is.
    pub(crate) fn below_cap(&self, rng: &mut dyn CryptoRng) -> Height {
        loop {
            let height = self.anywhere(rng);
            if height.along < self.threshold {
                return height;
            }
        }
    }

    /// The height of a uniform point.
    pub(crate) fn anywhere(&self, rng: &mut dyn CryptoRng) -> Height {
        match self.dimension {
            ..=2 => {
                let (across, along) = (PI * uniform(rng)).sin_cos();
                Height { along, across }
            }
            3 => of_height(2.0 * uniform(rng) - 1.0),
            _ => self.by_bell(rng),
        }
    }

    /// ln(1 - t^2) <= -t^2, so a bell lies above the density (1 - t^2)^c, and closely so where the dimension is large.
    fn by_bell(&self, rng: &mut dyn CryptoRng) -> Height {
        let exponent = self.law.exponent();
        let deviation = (0.5 / exponent).sqrt();
        loop {
            let along = deviation * normal_within(|x| (x * deviation).abs() < 1.0, rng);
            let square = along * along;
            if uniform(rng).ln() < exponent * ((-square).ln_1p() + square) {
                return of_height(along);
            }
        }
    }
}

fn of_height(along: f64) -> Height {
    Height { along, across: ((1.0 - along) * (1.0 + along)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;
    use privet_estimators::statistics::chi_square_upper_tail;

    const ALPHA: f64 = 1e-6;
    const CELLS: usize = 20;

    /// The p-value of shares that must be uniform between 0 and 1.
    fn p_value(shares: impl Iterator<Item = f64>) -> f64 {
        let mut counts = [0.0; CELLS];
        shares.for_each(|share| counts[((share * CELLS as f64) as usize).min(CELLS - 1)] += 1.0);
        let expected = counts.iter().sum::<f64>() / CELLS as f64;
        let statistic: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
        chi_square_upper_tail(statistic, CELLS as u64 - 1)
    }

    fn mass_above(law: &SphereLaw, height: f64) -> f64 {
        if height >= 0.0 { law.above(height).mass } else { 1.0 - law.above(-height).mass }
    }

    #[test]
    fn heights_have_their_law_and_a_shifted_threshold_is_found() {
        let mut rng = Generator::from_insecure_seed(43);
        for (dimension, threshold) in [
            (2, 0.3),
            (2, 0.999),
            (3, 0.25),
            (4, 0.0),
            (4, 0.99),
            (16, 0.1),
            (64, 0.23),
            (64, 0.9),
            (1000, 0.02),
        ] {
            let sampler = HeightSampler::new(Dimension::new(dimension).unwrap(), threshold);
            let cap = sampler.law.above(threshold).mass;
            let above: Vec<f64> = (0..20_000).map(|_| sampler.in_cap(&mut rng).along).collect();
            let below: Vec<f64> = (0..20_000).map(|_| sampler.below_cap(&mut rng).along).collect();
            assert!(above.iter().all(|height| *height >= threshold - 1e-15));
            assert!(below.iter().all(|height| *height < threshold));
            let in_cap = |scale: f64| {
                p_value(above.iter().map(|height| mass_above(&sampler.law, *height) / (cap * scale)))
            };
            assert!(in_cap(1.0) > ALPHA, "{dimension} {threshold}");
            assert!(in_cap(1.1) < ALPHA, "{dimension} {threshold}");
            let outside = |height: &f64| (1.0 - mass_above(&sampler.law, *height)) / (1.0 - cap);
            assert!(p_value(below.iter().map(outside)) > ALPHA, "{dimension} {threshold}");
        }
    }
}
