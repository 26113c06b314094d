//! What a model is worth when it is fed with randomised vectors.

use super::rows::Rows;
use super::{ReshapeError, Reshaped};
use privet_core::{CryptoRng, Epsilon};
use privet_model::Model;

/// What the model should say.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// A class for each vector.
    Labels(&'a [usize]),
    /// A number for each vector; it is compared with the model's first score.
    Values(&'a [f64]),
}

/// How right a model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// The share of right classes.
    Accuracy,
    /// The root of the mean squared difference of numbers.
    RootMeanSquaredError,
}

impl Metric {
    /// What it is called in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::RootMeanSquaredError => "rmse",
        }
    }
}

/// How an evaluation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation {
    /// How often all vectors are randomised anew; at least two.
    pub repetitions: usize,
    /// How many people's reports are averaged for one answer: people who follow each other, and who have one class where classes
    /// are asked.
    pub people: usize,
}

/// A measured value with its standard error over the repetitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// What was measured.
    pub metric: Metric,
    /// The mean over the repetitions.
    pub value: f64,
    /// Its standard error. It says how exact the mean is for these vectors, not how other vectors differ.
    pub standard_error: f64,
}

/// Randomises all vectors, lets the model answer, and compares with the targets.
///
/// # Errors
/// When vectors, targets and model do not fit, there are fewer than two repetitions, or too few vectors for one answer.
pub fn evaluate(
    model: &Model,
    rows: &Rows,
    targets: Targets,
    reshaped: &Reshaped,
    evaluation: Evaluation,
    rng: &mut dyn CryptoRng,
) -> Result<Measured, ReshapeError> {
    if evaluation.repetitions < 2 {
        return Err(ReshapeError::Setting { what: "the number of repetitions", allowed: "at least 2" });
    }
    let count = evaluation.repetitions as f64;
    let mut values = Vec::with_capacity(evaluation.repetitions);
    for _ in 0..evaluation.repetitions {
        let scores = answer_scores(model, rows, targets, reshaped, evaluation.people, rng)?;
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        values.push(match targets {
            Targets::Labels(_) => mean,
            Targets::Values(_) => mean.sqrt(),
        });
    }
    let value = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|one| (one - value).powi(2)).sum::<f64>() / (count - 1.0);
    let metric = match targets {
        Targets::Labels(_) => Metric::Accuracy,
        Targets::Values(_) => Metric::RootMeanSquaredError,
    };
    Ok(Measured { metric, value, standard_error: (variance / count).sqrt() })
}

/// The honest baseline: the accuracy when each person runs the model and sends its class through k-ary randomised response. It is
/// exact, so there is no standard error.
///
/// # Errors
/// When vectors, labels and model do not fit.
pub fn answer_then_respond(
    model: &Model,
    rows: &Rows,
    labels: &[usize],
    epsilon: Epsilon,
) -> Result<f64, ReshapeError> {
    ReshapeError::check_count("labels", rows.count(), labels.len())?;
    let mut right = 0;
    for (row, label) in rows.iter().zip(labels) {
        right += usize::from(model.predict(row)? == *label);
    }
    let accuracy = right as f64 / labels.len() as f64;
    let others = (model.classes() - 1) as f64;
    // Divided by e^epsilon, which may be too large for a number.
    let odds = (-epsilon.get()).exp();
    Ok((accuracy + (1.0 - accuracy) * odds) / (1.0 + others * odds))
}

/// For each answer of one repetition: whether it is right (1 or 0), or its squared error.
pub(super) fn answer_scores(
    model: &Model,
    rows: &Rows,
    targets: Targets,
    reshaped: &Reshaped,
    people: usize,
    rng: &mut dyn CryptoRng,
) -> Result<Vec<f64>, ReshapeError> {
    ReshapeError::check_count("coordinates of vectors", model.inputs(), rows.dimension())?;
    let groups = groups(rows.count(), targets, people)?;
    let mut report = vec![0.0; reshaped.report_len()];
    let mut vector = vec![0.0; rows.dimension()];
    let mut scores = vec![0.0; model.outputs()];
    let mut answers = Vec::with_capacity(groups.len());
    for group in groups {
        let mut mean = vec![0.0; report.len()];
        for &person in &group {
            reshaped.randomize(rows.row(person), &mut report, rng)?;
            mean.iter_mut().zip(&report).for_each(|(sum, value)| *sum += value / group.len() as f64);
        }
        reshaped.restore(&mean, &mut vector)?;
        model.scores(&vector, &mut scores)?;
        answers.push(match targets {
            Targets::Labels(labels) => f64::from(u8::from(model.label(&scores)? == labels[group[0]])),
            Targets::Values(values) => {
                let target = group.iter().map(|&person| values[person]).sum::<f64>() / group.len() as f64;
                (scores[0] - target).powi(2)
            }
        });
    }
    Ok(answers)
}

/// People in their order, as many at a time as one answer is averaged from; those who are left over give none.
fn groups(count: usize, targets: Targets, people: usize) -> Result<Vec<Vec<usize>>, ReshapeError> {
    let targets_count = match targets {
        Targets::Labels(labels) => labels.len(),
        Targets::Values(values) => values.len(),
    };
    ReshapeError::check_count("targets", count, targets_count)?;
    if people == 0 {
        return Err(ReshapeError::Setting {
            what: "the number of people for one answer",
            allowed: "at least 1",
        });
    }
    let mut order: Vec<usize> = (0..count).collect();
    let class = |person: usize| match targets {
        Targets::Labels(labels) => labels[person],
        Targets::Values(_) => 0,
    };
    order.sort_by_key(|&person| class(person));
    let classes = order.chunk_by(|&first, &second| class(first) == class(second));
    let groups: Vec<_> =
        classes.flat_map(|class| class.chunks_exact(people)).map(<[usize]>::to_vec).collect();
    if groups.is_empty() {
        return Err(ReshapeError::TooFewVectors { needed: people, got: count });
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_one_class_and_their_size() {
        let labels = [0, 1, 0, 1, 1, 0, 0, 1, 1];
        let made = groups(9, Targets::Labels(&labels), 2).unwrap();
        assert_eq!(made.len(), 4);
        assert!(made.iter().all(|group| group.len() == 2 && labels[group[0]] == labels[group[1]]));
        assert_eq!(made.concat(), [0, 2, 5, 6, 1, 3, 4, 7]);
        assert_eq!(groups(9, Targets::Values(&[0.0; 9]), 4).unwrap(), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert!(groups(9, Targets::Labels(&labels), 6).is_err());
        assert!(groups(9, Targets::Labels(&labels), 0).is_err());
        assert!(groups(8, Targets::Labels(&labels), 1).is_err());
    }
}
