//! Rank and clip radius by trial on public vectors, and what is gained.

use super::evaluate::answer_scores;
use super::rows::Rows;
use super::{Geometry, MechanismChoice, Metric, Reaction, Reading, Reshape, ReshapeError, Reshaped, Targets};
use privet_core::CryptoRng;
use privet_model::Model;

/// Radii that are tried, as shares of the one that nine in ten public vectors keep. Small ones lie below the shortest vector,
/// where percentiles do not reach.
const SHARES: [f64; 8] = [0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0];

/// The share with which ranks are compared.
const FIRST_SHARE: f64 = 0.7;

/// Answers beyond this many add little and cost time.
const MOST_ANSWERS: usize = 4000;

/// With fewer answers than this, vectors are randomised again, but not more than ten times.
const LEAST_ANSWERS: usize = 2000;

/// A chosen reshaping and what it gained on public vectors that had no part in the choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The map with its bounds.
    pub reshape: Reshape,
    /// The share of the percentile radius that was chosen.
    pub share: f64,
    /// What to expect.
    pub gain: Gain,
}

/// What reshaping gains over the same mechanism on centred vectors, on fresh public vectors. The model's own answers to the
/// unrandomised vectors count as right, so no labels are needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// What is compared.
    pub metric: Metric,
    /// Of the centred mechanism.
    pub centred: f64,
    /// The same with reshaping.
    pub reshaped: f64,
    /// How much better reshaping is; negative if it is worse.
    pub gain: f64,
    /// The standard error of the gain, over people and noise.
    pub standard_error: f64,
}

/// Fits balanced coordinates to a model, a public sample and a mechanism.
///
/// The sample is dealt at random into three parts, `people` vectors at a time: the first gives mean, covariance, Jacobians and percentiles; on the second, ranks, radii
/// and (for mechanisms on directions) the treatment of lengths are tried; the third says what is gained. `people` reports are
/// averaged for one answer.
///
/// # Errors
/// When the sample does not fit the model or is too small, the model does not react, or there is no such mechanism.
pub fn fit(
    model: &Model,
    reading: Reading,
    sample: &Rows,
    people: usize,
    choice: &MechanismChoice,
    rng: &mut dyn CryptoRng,
) -> Result<Fit, ReshapeError> {
    let needed = people.max(sample.dimension() + 1).saturating_mul(3);
    if sample.count() < needed {
        return Err(ReshapeError::TooFewVectors { needed, got: sample.count() });
    }
    let [first, second, third] = sample.thirds(people.max(1), rng)?;
    let trials = Trials::new(model, reading, second, people)?;
    let reaction = Reaction::of_model(model, &first, reading, rng)?;
    let centred = Reshape::centred(&first, choice.row)?;
    let geometry = Geometry::of(&centred.clip()?);
    let full = Reshape::balanced(&reaction, &first, choice.row)?;

    let mut search = Search { trials: &trials, choice, best: None };
    for rank in ranks(full.rank()) {
        let norm = geometry.norms(rank)[0];
        search.try_one(full.truncated(rank, &first, choice.row)?.with_norm(norm), FIRST_SHARE, rng)?;
    }
    if let Some((_, reshape, _)) = search.best.take() {
        for &norm in geometry.norms(reshape.rank()) {
            for share in SHARES {
                search.try_one(reshape.clone().with_norm(norm), share, rng)?;
            }
        }
    }
    let Some((_, reshape, share)) = search.best else { return Err(ReshapeError::NoVariation) };
    let mut reshape = reshape.with_share(share)?;
    let fresh = Trials::new(model, reading, third, people)?;
    let gain = fresh.gain([centred, reshape.clone()], choice, rng)?;
    reshape.source = describe(&reshape, sample.count(), share, people, choice, gain)?;
    Ok(Fit { reshape, share, gain })
}

/// The provenance of a fit, in words.
fn describe(
    reshape: &Reshape,
    vectors: usize,
    share: f64,
    people: usize,
    choice: &MechanismChoice,
    gain: Gain,
) -> Result<String, ReshapeError> {
    let mechanism = Reshaped::new(reshape.clone(), choice)?;
    Ok(format!(
        "{}; rank and {share} of the 90th percentile radius chosen on {vectors} public vectors for {} ({}), {people} people for \
         an answer; expected {} {:.4} instead of {:.4}, a gain of {:.4} with standard error {:.4}",
        reshape.source(),
        mechanism.mechanism().id(),
        mechanism.guarantee(),
        gain.metric.as_str(),
        gain.reshaped,
        gain.centred,
        gain.gain,
        gain.standard_error,
    ))
}

/// All small ranks, and larger ones about a quarter apart.
fn ranks(most: usize) -> Vec<usize> {
    let mut ranks = vec![1];
    while let Some(&last) = ranks.last().filter(|&&last| last < most) {
        ranks.push((last + 1 + last / 12 * 3).min(most));
    }
    ranks
}

/// The best found so far: what it lost, the map with the percentile radius, and the share of it.
struct Search<'a> {
    trials: &'a Trials<'a>,
    choice: &'a MechanismChoice,
    best: Option<(f64, Reshape, f64)>,
}

impl Search<'_> {
    fn try_one(&mut self, reshape: Reshape, share: f64, rng: &mut dyn CryptoRng) -> Result<(), ReshapeError> {
        let reshaped = Reshaped::new(reshape.with_share(share)?, self.choice)?;
        let mut losses = self.trials.losses(&reshaped, rng)?;
        for _ in 1..LEAST_ANSWERS.div_ceil(losses.len()).min(10) {
            losses.extend(self.trials.losses(&reshaped, rng)?);
        }
        let loss = losses.iter().sum::<f64>() / losses.len() as f64;
        if self.best.as_ref().is_none_or(|(least, ..)| loss < *least) {
            self.best = Some((loss, reshape, share));
        }
        Ok(())
    }
}

/// Public vectors with the model's own answers.
struct Trials<'a> {
    model: &'a Model,
    rows: Rows,
    answers: Answers,
    people: usize,
}

enum Answers {
    Labels(Vec<usize>),
    Values(Vec<f64>),
}

impl<'a> Trials<'a> {
    fn new(model: &'a Model, reading: Reading, rows: Rows, people: usize) -> Result<Self, ReshapeError> {
        let rows = rows.first(MOST_ANSWERS.saturating_mul(people));
        let answers = match reading {
            Reading::Class => {
                Answers::Labels(rows.iter().map(|row| model.predict(row)).collect::<Result<_, _>>()?)
            }
            Reading::Values => {
                let mut scores = vec![0.0; model.outputs()];
                let mut values = Vec::with_capacity(rows.count());
                for row in rows.iter() {
                    model.scores(row, &mut scores)?;
                    values.push(scores[0]);
                }
                Answers::Values(values)
            }
        };
        Ok(Self { model, rows, answers, people })
    }

    /// For each answer: 1 if it changed, or its squared change.
    fn losses(&self, reshaped: &Reshaped, rng: &mut dyn CryptoRng) -> Result<Vec<f64>, ReshapeError> {
        let targets = match &self.answers {
            Answers::Labels(labels) => Targets::Labels(labels),
            Answers::Values(values) => Targets::Values(values),
        };
        let scores = answer_scores(self.model, &self.rows, targets, reshaped, self.people, rng)?;
        Ok(match self.answers {
            Answers::Labels(_) => scores.iter().map(|right| 1.0 - right).collect(),
            Answers::Values(_) => scores,
        })
    }

    fn gain(
        &self,
        maps: [Reshape; 2],
        choice: &MechanismChoice,
        rng: &mut dyn CryptoRng,
    ) -> Result<Gain, ReshapeError> {
        let mut measured = Vec::with_capacity(2);
        for map in maps {
            measured.push(self.measure(&self.losses(&Reshaped::new(map, choice)?, rng)?));
        }
        let [(metric, centred, error), (_, reshaped, other_error)] = [measured[0], measured[1]];
        let gain = match metric {
            Metric::Accuracy => reshaped - centred,
            Metric::RootMeanSquaredError => centred - reshaped,
        };
        Ok(Gain { metric, centred, reshaped, gain, standard_error: error.hypot(other_error) })
    }

    /// The metric of these losses with its standard error over people and noise.
    fn measure(&self, losses: &[f64]) -> (Metric, f64, f64) {
        let count = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / count;
        let squares: f64 = losses.iter().map(|loss| (loss - mean).powi(2)).sum();
        let error = (squares / (count * (count - 1.0).max(1.0))).sqrt();
        match self.answers {
            Answers::Labels(_) => (Metric::Accuracy, 1.0 - mean, error),
            // The root's error is that of the mean times the root's slope.
            Answers::Values(_) => {
                let root = mean.sqrt();
                (Metric::RootMeanSquaredError, root, if root > 0.0 { error / (2.0 * root) } else { 0.0 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_few_and_reach_both_ends() {
        assert_eq!(ranks(1), [1]);
        assert_eq!(ranks(10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        let many = ranks(64);
        assert!(many.len() < 30 && many[0] == 1 && many.last() == Some(&64), "{many:?}");
        assert!(many.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
