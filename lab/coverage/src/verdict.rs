//! Repetitions, and what they show.

use crate::cells::Cell;
use crate::family::{Experiment, Question, Seen, Stated};
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

/// A stated standard error may be below the deviation of the values by this factor at most, and is looked at again beyond
/// the second one, because a deviation over few repetitions is known less well.
const MOST_UNDERSTATED: f64 = 1.1;
const LOOKS_UNDERSTATED: f64 = 1.2;

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
    /// The standard deviation of the values, over the root mean square of what was stated; zero where nothing is stated.
    pub deviation_ratio: f64,
    /// Whether the first run was too low for chance to be likely.
    pub is_suspicious: bool,
    /// Whether the second run was.
    pub fails: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    held: u64,
    half_width: f64,
    deviation: Deviation,
}

/// How values vary, beside what is said about it.
#[derive(Debug, Clone, Copy, Default)]
struct Deviation {
    count: f64,
    mean: f64,
    /// Of the squared distances to the mean.
    squares: f64,
    stated_squares: f64,
}

impl Deviation {
    /// By Welford's recurrence, which does not cancel.
    fn add(&mut self, Stated { value, standard_error }: Stated) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
        self.stated_squares += standard_error * standard_error;
    }

    /// Values that do not vary but by rounding need no standard error.
    fn ratio(&self) -> f64 {
        if self.count < 2.0 || self.squares <= 1e-18 * self.count {
            0.0
        } else {
            (self.squares / self.stated_squares).sqrt()
        }
    }
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
    let is_suspicious =
        |sum: &Sum| is_below(sum, effort.first, SUSPICIOUS) || sum.deviation.ratio() > LOOKS_UNDERSTATED;
    let again = first.iter().any(is_suspicious);
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
        deviation_ratio: sum.deviation.ratio(),
        is_suspicious: is_suspicious(first),
        fails: again && (is_below(sum, repetitions, FAILING) || sum.deviation.ratio() > MOST_UNDERSTATED),
    };
    Ok(experiment.questions().into_iter().zip(first.iter().zip(&sums)).map(outcome).collect())
}

fn run(experiment: &dyn Experiment, seed: u64, repetitions: u64) -> Result<Vec<Sum>> {
    let mut rng = Generator::from_insecure_seed(seed);
    let mut sums = vec![Sum::default(); experiment.questions().len()];
    for _ in 0..repetitions {
        for (sum, Seen { held, half_width, stated }) in sums.iter_mut().zip(experiment.repeat(&mut rng)?) {
            sum.held += u64::from(held);
            sum.half_width += half_width;
            stated.into_iter().for_each(|stated| sum.deviation.add(stated));
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
        standard_error: f64,
    }

    impl Experiment for Coins {
        fn questions(&self) -> Vec<Question> {
            vec![Question { name: "coin".into(), kind: "coin", is_sharp: false }]
        }

        fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>> {
            let held = crate::draw::binomial(1, self.coverage, rng) == 1;
            let value = f64::from(u8::from(crate::draw::binomial(1, 0.5, rng) == 1));
            let stated = Some(Stated { value, standard_error: self.standard_error });
            Ok(vec![Seen { held, half_width: 1.0, stated }])
        }
    }

    fn judged(coverage: f64, standard_error: f64) -> Outcome {
        let cell = Cell::of("coins", move || Ok(Box::new(Coins { coverage, standard_error })));
        judge(&cell, Effort::FULL).unwrap().remove(0)
    }

    fn verdict(coverage: f64) -> Outcome {
        judged(coverage, 0.5)
    }

    /// A fair coin deviates by one half.
    #[test]
    fn too_small_a_standard_error_fails_and_the_true_one_does_not() {
        assert!(judged(0.95, 0.4).fails);
        assert!(!judged(0.95, 0.5).fails && (judged(0.95, 0.5).deviation_ratio - 1.0).abs() < 0.01);
    }

    #[test]
    fn too_low_coverage_fails_and_the_promised_one_does_not() {
        assert!(verdict(0.93).fails && verdict(0.93).is_suspicious);
        assert!(!verdict(0.95).fails);
        assert_eq!(verdict(0.97).repetitions, Effort::FULL.first);
    }
}
