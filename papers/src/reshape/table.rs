//! Rows of results, and files of them.

use super::StudyError;
use std::fmt::Write as _;
use std::path::Path;

/// One measured value.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The vectors that were randomised.
    pub data: String,
    /// The model that read them.
    pub model: String,
    /// The mechanism's id, or what stands in its place.
    pub mechanism: String,
    /// How vectors were reshaped.
    pub reshaped: String,
    /// The budget of one report.
    pub epsilon: f64,
    /// How many reports were averaged for one answer.
    pub people: usize,
    /// What was measured.
    pub metric: &'static str,
    /// The mean over the repetitions.
    pub value: f64,
    /// The standard error of the mean.
    pub standard_error: f64,
}

impl Row {
    /// The honest baseline: the model's answer on the device, then randomised response. It is exact.
    pub(super) fn answered(data: &str, model: &str, epsilon: f64, value: f64) -> Self {
        Self {
            data: data.to_owned(),
            model: model.to_owned(),
            mechanism: "answer-then-respond".to_owned(),
            reshaped: "none".to_owned(),
            epsilon,
            people: 1,
            metric: "accuracy",
            value,
            standard_error: 0.0,
        }
    }
}

/// Writes rows as a table.
///
/// # Errors
/// When the file cannot be written.
pub fn write_csv(path: &Path, rows: &[Row]) -> Result<(), StudyError> {
    let mut text = String::from("data,model,mechanism,reshaped,epsilon,people,metric,value,standard_error\n");
    for row in rows {
        let Row { data, model, mechanism, reshaped, epsilon, people, metric, value, standard_error } = row;
        let _ = writeln!(
            text,
            "{data},{model},{mechanism},{reshaped},{epsilon},{people},{metric},{value:.4},{standard_error:.4}"
        );
    }
    std::fs::write(path, text).map_err(|error| StudyError::File { path: path.display().to_string(), error })
}
