//! Who is random: the reports, and who made them.

use privet_core::Target;

/// How the people whose reports were counted were chosen from those whom an estimate is about.
///
/// This is the one place that knows about lotteries: of questions, of prefixes, of everything that lets only some of the people
/// report. If n of N people reported, drawn without replacement, the mean of their reports varies as
/// `(d + (1 - n/N) N/(N-1) p) / n`, where d is the variance of a report given its person and p that of its mean over persons:
/// the finite-population correction. Everybody (n = N) is one end, and a sample from a large population the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sampling {
    /// n/N.
    share: f64,
    /// What the variance over persons counts for.
    of_persons: f64,
}

/// The variance of what one report adds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    /// Over the draws of reports, for the people at hand.
    pub(crate) of_draws: f64,
    /// Over the draws of people and of their reports.
    pub(crate) of_people: f64,
}

impl Sampling {
    /// `n` people reported; `took_part` of them and of others took part in the lottery, if there was one.
    pub(crate) fn new(target: Target, n: u64, took_part: Option<u64>) -> Self {
        match target {
            Target::Population => Self { share: 0.0, of_persons: 1.0 },
            Target::Reported => {
                let all = took_part.unwrap_or(n).max(n).max(1) as f64;
                let share = n as f64 / all;
                Self { share, of_persons: if share < 1.0 { (1.0 - share) * all / (all - 1.0) } else { 0.0 } }
            }
        }
    }

    /// The share of the people in question who reported.
    pub(crate) fn share(self) -> f64 {
        self.share
    }

    /// The variance of what one report adds.
    pub(crate) fn variance(self, spread: Spread) -> f64 {
        spread.of_draws + self.of_persons * (spread.of_people - spread.of_draws).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lottery_lies_between_everybody_and_a_sample() {
        let spread = Spread { of_draws: 1.0, of_people: 3.0 };
        let variance = |target, took_part| Sampling::new(target, 100, took_part).variance(spread);
        assert_eq!(variance(Target::Reported, None), 1.0);
        assert!((variance(Target::Reported, Some(400)) - (1.0 + 1.5 * 400.0 / 399.0)).abs() < 1e-12);
        assert_eq!(variance(Target::Population, Some(400)), 3.0);
        // Fewer than reported cannot have taken part.
        assert_eq!(variance(Target::Reported, Some(3)), 1.0);
    }

    /// Drawing 3 of 5 people without replacement, in all ways: the variance of the mean is that of the formula.
    #[test]
    fn the_correction_is_that_of_drawing_without_replacement() {
        let people = [0.0, 1.0, 1.0, 5.0, 8.0];
        let mean = people.iter().sum::<f64>() / 5.0;
        let mut squares = Vec::new();
        for a in 0..5 {
            for b in a + 1..5 {
                for c in b + 1..5 {
                    squares.push(((people[a] + people[b] + people[c]) / 3.0 - mean).powi(2));
                }
            }
        }
        let exact = squares.iter().sum::<f64>() / squares.len() as f64;
        let of_people = people.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 5.0;
        let sampling = Sampling::new(Target::Reported, 3, Some(5));
        let stated = sampling.variance(Spread { of_draws: 0.0, of_people }) / 3.0;
        assert!((exact - stated).abs() < 1e-12, "{exact} {stated}");
    }
}
