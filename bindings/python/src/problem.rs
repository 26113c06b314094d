//! What goes wrong in Rust, as exceptions of Python.
//!
//! The classes live in `privet.errors`, because each has two parents. Every exception carries the stable code and, where there
//! is one, the hint of the error that it stands for.

use privet::advisor::AdvisorError;
use privet::audit::AuditError;
use privet::policy::ledger::LedgerError;
use privet::policy::{ClientError, PolicyError, SubmissionError, TallyError};
use privet::vector::VectorError;
use privet::{EstimateError, InputError, MergeError, NoEntropy, ParameterError, ReportError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The class of an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Parameter,
    Domain,
    Report,
    Summary,
    Estimate,
    Budget,
    Storage,
    Internal,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Parameter => "ParameterError",
            Self::Domain => "DomainError",
            Self::Report => "ReportError",
            Self::Summary => "SummaryError",
            Self::Estimate => "EstimateError",
            Self::Budget => "BudgetError",
            Self::Storage => "StorageError",
            Self::Internal => "InternalError",
        }
    }
}

/// An exception that is not raised yet.
#[derive(Debug)]
pub(crate) struct Problem {
    class: Class,
    code: String,
    message: String,
    hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(class: Class, code: &str, message: impl Into<String>) -> Self {
        Self { class, code: code.to_owned(), message: message.into(), hint: None }
    }

    /// A wrong parameter that only Python can pass.
    pub(crate) fn parameter(message: impl Into<String>) -> Self {
        Self::new(Class::Parameter, "parameter-incompatible", message)
    }

    /// Rust stopped where it never should.
    pub(crate) fn panicked() -> Self {
        Self::new(Class::Internal, "internal", "an internal check failed; please report this")
    }

    /// The same, said of one row of a table.
    pub(crate) fn at_row(self, row: usize) -> Self {
        Self { message: format!("row {row}: {}", self.message), ..self }
    }

    /// What to do about it.
    pub(crate) fn with_hint(self, hint: &str) -> Self {
        self.hint(Some(hint))
    }

    fn hint(self, hint: Option<impl Into<String>>) -> Self {
        Self { hint: hint.map(Into::into), ..self }
    }
}

impl From<Problem> for PyErr {
    fn from(problem: Problem) -> Self {
        Python::attach(|py| match exception(py, &problem) {
            Ok(exception) => Self::from_value(exception),
            Err(error) => error,
        })
    }
}

fn exception<'py>(py: Python<'py>, problem: &Problem) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import("privet.errors")?.getattr(problem.class.name())?;
    let keywords = PyDict::new(py);
    keywords.set_item("code", &problem.code)?;
    keywords.set_item("hint", &problem.hint)?;
    class.call((&problem.message,), Some(&keywords))
}

impl From<ParameterError> for Problem {
    fn from(error: ParameterError) -> Self {
        Self::new(Class::Parameter, error.code(), error.to_string()).hint(error.hint())
    }
}

impl From<InputError> for Problem {
    fn from(error: InputError) -> Self {
        Self::new(Class::Domain, error.code(), error.to_string())
    }
}

impl From<ReportError> for Problem {
    fn from(error: ReportError) -> Self {
        let hint = match &error {
            // The hints of the command name its flags.
            ReportError::InsecureSeed => {
                Some("seeded reports are for tests; `insecure=True` reads them".to_owned())
            }
            ReportError::Mark => Some("leave out `insecure=True` to read it".to_owned()),
            other => other.hint().map(str::to_owned),
        };
        Self::new(Class::Report, error.code(), error.to_string()).hint(hint)
    }
}

impl From<MergeError> for Problem {
    fn from(error: MergeError) -> Self {
        Self::new(Class::Summary, error.code(), error.to_string())
    }
}

impl From<EstimateError> for Problem {
    fn from(error: EstimateError) -> Self {
        // A summary that cannot be right is wrong input, not too little of it.
        let class =
            if matches!(error, EstimateError::Damaged { .. }) { Class::Summary } else { Class::Estimate };
        Self::new(class, error.code(), error.to_string())
    }
}

impl From<AuditError> for Problem {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Input(error) => error.into(),
            AuditError::Report(error) => error.into(),
        }
    }
}

impl From<NoEntropy> for Problem {
    fn from(error: NoEntropy) -> Self {
        Self::new(Class::Storage, "entropy", error.to_string())
    }
}

impl From<VectorError> for Problem {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Parameter(error) => error.into(),
            VectorError::Input(error) => error.into(),
            VectorError::Report(error) => error.into(),
            other => Self::parameter(other.to_string()),
        }
    }
}

impl From<AdvisorError> for Problem {
    fn from(error: AdvisorError) -> Self {
        let hint = error.hint();
        match error {
            AdvisorError::Parameter(error) => error.into(),
            other => Self::parameter(other.to_string()).hint(hint),
        }
    }
}

impl From<PolicyError> for Problem {
    fn from(error: PolicyError) -> Self {
        Self::new(Class::Parameter, error.code(), error.to_string()).hint(error.hint())
    }
}

impl From<LedgerError> for Problem {
    fn from(error: LedgerError) -> Self {
        Self::new(Class::Storage, error.code(), error.to_string())
    }
}

impl From<ClientError> for Problem {
    fn from(error: ClientError) -> Self {
        let class = match &error {
            ClientError::Ledger(_) => Class::Storage,
            ClientError::PolicyBudget { .. }
            | ClientError::OriginLimit { .. }
            | ClientError::AnsweredBefore => Class::Budget,
            _ => Class::Domain,
        };
        Self::new(class, error.code(), error.to_string())
    }
}

impl From<SubmissionError> for Problem {
    fn from(error: SubmissionError) -> Self {
        Self::new(Class::Report, error.code(), error.to_string())
    }
}

impl From<TallyError> for Problem {
    fn from(error: TallyError) -> Self {
        Self::new(Class::Summary, error.code(), error.to_string())
    }
}
