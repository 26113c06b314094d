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

fn split(counts: &[u64]) -> Vec<Vec<f64>> {
    let mut rng = Generator::from_insecure_seed(0);
    let mut parts = vec![vec![0.0; counts.len()]; PARTS];
    let mut word = 0u64;
    let mut left = 0;
    for (group, count) in counts.iter().enumerate() {
        for _ in 0..*count {
            if left == 0 {
                (word, left) = (rng.next_u64(), 32);
            }
            parts[(word & 3) as usize][group] += 1.0;
            word >>= 2;
            left -= 1;
        }
    }
    parts
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
        let counts = [5, 0, 1000, 3];
        let parts = split(&counts);
        for (group, count) in counts.iter().enumerate() {
            assert_eq!(parts.iter().map(|part| part[group]).sum::<f64>(), *count as f64);
        }
    }
}
