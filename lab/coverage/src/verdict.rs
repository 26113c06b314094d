//! Repetitions, and what they show.

use crate::cells::Cell;
use crate::family::{Experiment, Question, Seen};
use anyhow::Result;
use privet_core::Generator;

/// What intervals promise.
pub const PROMISED: f64 = 0.95;

/// What pooled coverage of estimates without bias is at most: wider intervals than need be are a defect too.
pub const MOST_POOLED: f64 = 0.97;

/// How often cells are repeated.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// At first.
    pub first: u64,
    /// Again, where the first run looks suspicious.
    pub again: u64,
}

impl Effort {
    /// The full size.
    pub const FULL: Self = Self { first: 1_000, again: 20_000 };
    /// For tests.
    pub const BOUNDED: Self = Self { first: 200, again: 2_000 };
}

/// A cell is looked at again if its coverage is below the promise by so many standard errors, and fails at so many then.
const SUSPICIOUS: f64 = 2.5;
const FAILING: f64 = 5.0;

/// How one question of a cell did.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was asked.
    pub question: Question,
    /// The share of intervals that held the truth at first.
    pub first_coverage: f64,
    /// The share in the run that decides: the second one, if there was one.
    pub coverage: f64,
    /// Over how many repetitions.
    pub repetitions: u64,
    /// The mean of half of the lengths.
    pub half_width: f64,
    /// Whether the first run was too low for chance to be likely.
    pub is_suspicious: bool,
    /// Whether the second run was.
    pub fails: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    held: u64,
    half_width: f64,
}

/// Repeats a cell.
///
/// # Errors
/// When it cannot be built, or an estimate fails.
pub fn judge(cell: &Cell, effort: Effort) -> Result<Vec<Outcome>> {
    let experiment = cell.experiment()?;
    let seed = seed_of(&cell.name());
    let first = run(&*experiment, seed, effort.first)?;
    let share = |sum: &Sum, repetitions: u64| sum.held as f64 / repetitions as f64;
    let is_below = |sum: &Sum, repetitions: u64, errors: f64| {
        let error = (PROMISED * (1.0 - PROMISED) / repetitions as f64).sqrt();
        share(sum, repetitions) < PROMISED - errors * error
    };
    let again = first.iter().any(|sum| is_below(sum, effort.first, SUSPICIOUS));
    let (sums, repetitions) = if again {
        (run(&*experiment, seed.wrapping_add(0x9e37_79b9_7f4a_7c15), effort.again)?, effort.again)
    } else {
        (first.clone(), effort.first)
    };
    let outcome = |(question, (first, sum)): (Question, (&Sum, &Sum))| Outcome {
        question,
        first_coverage: share(first, effort.first),
        coverage: share(sum, repetitions),
        repetitions,
        half_width: sum.half_width / repetitions as f64,
        is_suspicious: is_below(first, effort.first, SUSPICIOUS),
        fails: again && is_below(sum, repetitions, FAILING),
    };
    Ok(experiment.questions().into_iter().zip(first.iter().zip(&sums)).map(outcome).collect())
}

fn run(experiment: &dyn Experiment, seed: u64, repetitions: u64) -> Result<Vec<Sum>> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut sums = vec![Sum::default(); experiment.questions().len()];
    for _ in 0..repetitions {
        for (sum, Seen { held, half_width }) in sums.iter_mut().zip(experiment.repeat(&mut rng)?) {
            sum.held += u64::from(held);
            sum.half_width += half_width;
        }
    }
    Ok(sums)
}

/// Seeds are fixed by names alone (FNV-1a).
pub fn seed_of(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coins: an experiment whose coverage is known.
    struct Coins {
        coverage: f64,
    }

    impl Experiment for Coins {
        fn questions(&self) -> Vec<Question> {
            vec![Question { name: "coin".into(), kind: "coin", is_sharp: false }]
        }

        fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
            let held = crate::draw::binomial(1, self.coverage, rng) == 1;
            Ok(vec![Seen { held, half_width: 1.0 }])
        }
    }

    fn verdict(coverage: f64) -> Outcome {
        let cell = Cell::of("coins", move || Ok(Box::new(Coins { coverage })));
        judge(&cell, Effort::FULL).unwrap().remove(0)
    }

    #[test]
    fn too_low_coverage_fails_and_the_promised_one_does_not() {
        assert!(verdict(0.93).fails && verdict(0.93).is_suspicious);
        assert!(!verdict(0.95).fails);
        assert_eq!(verdict(0.97).repetitions, Effort::FULL.first);
    }
}
