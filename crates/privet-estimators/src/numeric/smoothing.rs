//! Smoothing between rounds, and how much of it.

use super::likelihood::{Likelihood, Start};
use super::operator::Operator;
use privet_core::{Generator, Rng};

/// How much a distribution is smoothed after every round.
///
/// Strength one is the binomial kernel 1-2-1 once, as published; below one the smoothed and the unsmoothed distribution are
/// mixed; above one the kernel is applied that many times.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Smoothing(f64);

impl Smoothing {
    pub(super) const NONE: Self = Self(0.0);
    pub(super) const BINOMIAL: Self = Self(1.0);
    /// What held-out likelihood chooses from.
    const CANDIDATES: [Self; 8] = [
        Self(16.0),
        Self(4.0),
        Self::BINOMIAL,
        Self(0.25),
        Self(1.0 / 16.0),
        Self(1.0 / 64.0),
        Self(1.0 / 256.0),
        Self::NONE,
    ];

    /// The strength that reaches as far on bins that are narrower by a factor: the reach grows with the root of the strength.
    pub(super) fn on_finer_bins(self, factor: f64) -> Self {
        Self(self.0 * factor * factor)
    }

    /// Smooths; shares still add up to the same. At the ends of a line what would leave stays.
    pub(super) fn apply(self, shares: &mut [f64], ring: bool) {
        let times = self.0.ceil() as usize;
        let mix = self.0.min(1.0) / 4.0;
        for _ in 0..times {
            once(shares, mix, ring);
        }
    }

    /// The strength under which reports that were left out are most likely, in four parts.
    ///
    /// Each report is put into a part at random, with a public seed: the result depends on the counts alone.
    pub(super) fn by_held_out_likelihood(operator: &Operator, counts: &[u64], ring: bool) -> Self {
        let parts = split(counts);
        let all: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
        // Comparing candidates needs less precision than the estimate itself.
        let start = Start { least_move: 1e-4, ..Start::uniform(operator.columns(), ring) };
        let mut scores = [0.0; Self::CANDIDATES.len()];
        for part in &parts {
            let rest: Vec<f64> = all.iter().zip(part).map(|(all, part)| all - part).collect();
            let (rest, left_out) = (Likelihood::new(operator, &rest), Likelihood::new(operator, part));
            let mut start = start.clone();
            // From smooth to rough, each beginning where the one before has ended.
            for (candidate, score) in Self::CANDIDATES.iter().zip(&mut scores) {
                start.shares = rest.smoothed(*candidate, start.clone());
                *score += left_out.log(&start.shares);
            }
        }
        let scored = scores.into_iter().zip(Self::CANDIDATES);
        scored.max_by(|one, two| one.0.total_cmp(&two.0)).map_or(Self::BINOMIAL, |(_, best)| best)
    }
}

fn once(shares: &mut [f64], side: f64, ring: bool) {
    let (Some(first), Some(last)) = (shares.first().copied(), shares.last().copied()) else {
        return;
    };
    let mut before = if ring { last } else { first };
    let beyond = if ring { first } else { last };
    for index in 0..shares.len() {
        let here = shares[index];
        let after = shares.get(index + 1).copied().unwrap_or(beyond);
        shares[index] = here + side * (before - 2.0 * here + after);
        before = here;
    }
}

const PARTS: usize = 4;

/// Counts up to this are split report by report, larger ones by a normal approximation.
const FEW: u64 = 4096;

fn split(counts: &[u64]) -> Vec<Vec<f64>> {
    let mut rng = Generator::from_insecure_seed(0);
    let mut parts = vec![vec![0.0; counts.len()]; PARTS];
    for (group, count) in counts.iter().enumerate() {
        if *count > FEW {
            split_many(*count as f64, &mut rng)
                .into_iter()
                .zip(&mut parts)
                .for_each(|(c, part)| part[group] = c);
            continue;
        }
        let mut word = 0u64;
        for report in 0..*count {
            if report % 32 == 0 {
                word = rng.next_u64();
            }
            parts[(word & 3) as usize][group] += 1.0;
            word >>= 2;
        }
    }
    parts
}

/// Four parts that vary about as those of reports which are put into them at random, and add up to the count.
fn split_many(count: f64, rng: &mut Generator) -> [f64; PARTS] {
    // The sum of twelve uniform numbers, less six, is nearly normal; the mean of four taken off leaves their sum at zero.
    let mut normal = || (0..12).map(|_| rng.next_u64() as f64 * 2f64.powi(-64)).sum::<f64>() - 6.0;
    let noise: [f64; PARTS] = std::array::from_fn(|_| normal());
    let mean = noise.iter().sum::<f64>() / PARTS as f64;
    noise.map(|noise| count / PARTS as f64 + (count / PARTS as f64).sqrt() * (noise - mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smoothing_keeps_the_sum_and_follows_the_kernel() {
        let mut line = vec![0.0, 1.0, 0.0, 0.0];
        Smoothing::BINOMIAL.apply(&mut line, false);
        assert_eq!(line, [0.25, 0.5, 0.25, 0.0]);
        let mut end = vec![1.0, 0.0, 0.0];
        Smoothing::BINOMIAL.apply(&mut end, false);
        assert_eq!(end, [0.75, 0.25, 0.0]);
        let mut ring = vec![1.0, 0.0, 0.0];
        Smoothing::BINOMIAL.apply(&mut ring, true);
        assert_eq!(ring, [0.5, 0.25, 0.25]);
    }

    #[test]
    fn parts_add_up() {
        let counts = [5, 0, 1000, 3, 100_000, 1 << 60];
        let parts = split(&counts);
        for (group, count) in counts.iter().enumerate() {
            let sum = parts.iter().map(|part| part[group]).sum::<f64>();
            assert!((sum - *count as f64).abs() <= 1e-12 * *count as f64, "{count} {sum}");
            assert!(parts.iter().all(|part| part[group] >= 0.0));
        }
    }
}
