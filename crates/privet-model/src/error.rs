//! What can go wrong with a model.

use thiserror::Error;

/// Why there is no model, or why it gives no answer. Nothing in it says what a row contains.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A file cannot be read or written.
    #[error("{path} cannot be read or written: {reason}")]
    File {
        /// The file.
        path: String,
        /// What the operating system says.
        reason: String,
    },
    /// A file is not what its name says.
    #[error("this is no {format} that can be used: {reason}")]
    Format {
        /// The format that was expected.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// An ONNX graph has an operator that is not known here.
    #[error("operator {operator} is not supported; supported are {}", supported.join(", "))]
    Operator {
        /// The operator.
        operator: String,
        /// Those that may occur.
        supported: &'static [&'static str],
    },
    /// A list has the wrong length.
    #[error("{what}: expected {expected}, got {got}")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// How many there must be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// A number is infinite or not a number.
    #[error("{what} must be finite numbers")]
    NotFinite {
        /// What the numbers are.
        what: &'static str,
    },
    /// Parts of a model do not fit together.
    #[error("the parts of the model do not fit: {reason}")]
    Structure {
        /// What does not fit.
        reason: String,
    },
    /// A regression was asked for a label.
    #[error("the model is a regression: it gives values, and labels are asked for")]
    Values,
    /// A box has a lower end above its upper end.
    #[error("a box needs low <= high: input {input} has not")]
    EmptyBox {
        /// The input, counted from 0.
        input: usize,
    },
    /// A setting is outside of what it may be.
    #[error("{what} must be {allowed}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// What it may be.
        allowed: &'static str,
    },
}

impl ModelError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "model-file",
            Self::Format { .. } => "model-format",
            Self::Operator { .. } => "model-operator",
            Self::Length { .. } => "model-length",
            Self::NotFinite { .. } => "model-not-finite",
            Self::Structure { .. } => "model-structure",
            Self::Values => "model-values",
            Self::EmptyBox { .. } => "model-empty-box",
            Self::Setting { .. } => "model-setting",
        }
    }

    pub(crate) fn structure(reason: impl Into<String>) -> Self {
        Self::Structure { reason: reason.into() }
    }

    pub(crate) fn format(format: &'static str, reason: impl Into<String>) -> Self {
        Self::Format { format, reason: reason.into() }
    }

    pub(crate) fn file(path: &std::path::Path, reason: &impl ToString) -> Self {
        Self::File { path: path.display().to_string(), reason: reason.to_string() }
    }
}

pub(crate) fn check_length(what: &'static str, expected: usize, got: usize) -> Result<(), ModelError> {
    if expected == got { Ok(()) } else { Err(ModelError::Length { what, expected, got }) }
}

pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), ModelError> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(ModelError::NotFinite { what }) }
}
