//! Counts of reports, drawn from a law: many repetitions need no reports.

use privet_core::{Generator, Rng};

/// A law over finitely many outcomes, from which one is drawn by one look-up (Walker's alias method).
#[derive(Debug, Clone)]
pub struct Alias {
    keep: Vec<f64>,
    other: Vec<u32>,
}

impl Alias {
    /// For masses that add up to about one.
    pub fn new(masses: &[f64]) -> Self {
        let count = masses.len();
        let total: f64 = masses.iter().sum();
        let mut keep: Vec<f64> = masses.iter().map(|mass| mass / total * count as f64).collect();
        let mut other: Vec<u32> = (0..count as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|index| keep[*index] < 1.0);
        while let (Some(low), Some(high)) = (small.pop(), large.last().copied()) {
            other[low] = high as u32;
            keep[high] -= 1.0 - keep[low];
            if keep[high] < 1.0 {
                large.pop();
                small.push(high);
            }
        }
        Self { keep, other }
    }

    /// Adds the outcomes of so many draws to counters.
    pub fn count(&self, draws: u64, rng: &mut Generator, counts: &mut [u64]) {
        let size = self.keep.len() as u64;
        for _ in 0..draws {
            let word = rng.next_u64();
            // The upper half chooses a column, the lower half whether to stay.
            let column = (((word >> 32) * size) >> 32) as usize;
            let stays = (word as u32) as f64 * 2f64.powi(-32) < self.keep[column];
            let outcome = if stays { column } else { self.other[column] as usize };
            counts[outcome] += 1;
        }
    }
}

/// The number of successes in independent trials.
///
/// Few expected successes are counted by inversion of the distribution function; many by Hörmann's transformed rejection
/// (Journal of Statistical Computation and Simulation 46, 1993), which is exact.
pub fn binomial(trials: u64, probability: f64, rng: &mut Generator) -> u64 {
    if trials == 0 || probability <= 0.0 {
        return 0;
    }
    if probability > 0.5 {
        return trials - binomial(trials, 1.0 - probability, rng);
    }
    if trials as f64 * probability < 10.0 {
        by_inversion(trials, probability, rng)
    } else {
        by_rejection(trials, probability, rng)
    }
}

/// How many of so many draws fall on each share.
pub fn multinomial(draws: u64, shares: &[f64], rng: &mut Generator) -> Vec<u64> {
    let (mut left, mut rest) = (draws, 1.0);
    let draw = |share: &f64| {
        let count = if rest <= share + 1e-12 { left } else { binomial(left, share / rest, rng) };
        left -= count;
        rest -= share;
        count
    };
    shares.iter().map(draw).collect()
}

fn uniform(rng: &mut Generator) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) * 2f64.powi(-53)
}

fn by_inversion(trials: u64, probability: f64, rng: &mut Generator) -> u64 {
    let odds = probability / (1.0 - probability);
    let mut mass = (trials as f64 * (-probability).ln_1p()).exp();
    let mut left = uniform(rng);
    let mut successes = 0;
    while left > mass && successes < trials {
        left -= mass;
        successes += 1;
        mass *= odds * (trials - successes + 1) as f64 / successes as f64;
    }
    successes
}

fn by_rejection(trials: u64, p: f64, rng: &mut Generator) -> u64 {
    let n = trials as f64;
    let spread = (n * p * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * spread;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let centre = n * p + 0.5;
    let v_r = 0.92 - 4.2 / b;
    let alpha = (2.83 + 5.1 / b) * spread;
    let log_odds = (p / (1.0 - p)).ln();
    let mode = ((n + 1.0) * p).floor();
    let h = ln_factorial(mode) + ln_factorial(n - mode);
    loop {
        let u = uniform(rng) - 0.5;
        let v = uniform(rng);
        let us = 0.5 - u.abs();
        let k = ((2.0 * a / us + b) * u + centre).floor();
        if k < 0.0 || k > n {
            continue;
        }
        if us >= 0.07 && v <= v_r {
            return k as u64;
        }
        let v = (v * alpha / (a / (us * us) + b)).ln();
        if v <= h - ln_factorial(k) - ln_factorial(n - k) + (k - mode) * log_odds {
            return k as u64;
        }
    }
}

fn ln_factorial(number: f64) -> f64 {
    privet_estimators::statistics::ln_factorial(number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and variance over many draws, at 5 standard errors: a right sampler fails with probability 1e-6.
    #[test]
    fn binomial_numbers_have_their_moments() {
        let mut rng = Generator::from_insecure_seed(1);
        for (trials, p) in [(10u64, 0.3), (1000, 0.001), (1000, 0.4), (200_000, 0.9), (7, 0.999)] {
            let draws: Vec<f64> = (0..40_000).map(|_| binomial(trials, p, &mut rng) as f64).collect();
            let n = draws.len() as f64;
            let (mean, variance) = (trials as f64 * p, trials as f64 * p * (1.0 - p));
            let found = draws.iter().sum::<f64>() / n;
            assert!((found - mean).abs() < 5.0 * (variance / n).sqrt(), "{trials} {p}: {found} {mean}");
            let spread = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / n;
            let kurtosis = 3.0 + (1.0 - 6.0 * p * (1.0 - p)) / variance;
            let error = variance * ((kurtosis - 1.0) / n).sqrt();
            assert!((spread - variance).abs() < 5.0 * error, "{trials} {p}: {spread} {variance}");
        }
    }

    #[test]
    fn an_alias_table_draws_its_law() {
        let masses = [0.5, 0.0, 0.3, 0.15, 0.05];
        let mut counts = [0u64; 5];
        Alias::new(&masses).count(1_000_000, &mut Generator::from_insecure_seed(2), &mut counts);
        for (count, mass) in counts.iter().zip(masses) {
            let error = (1e6 * mass * (1.0 - mass)).sqrt();
            assert!((*count as f64 - 1e6 * mass).abs() <= 5.0 * error, "{count} {mass}");
        }
    }
}
