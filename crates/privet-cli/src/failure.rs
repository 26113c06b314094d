//! Where errors become messages and exit codes.

use privet::{EstimateError, InputError, MergeError, NoEntropy, ParameterError, ReportError};
use std::path::PathBuf;
use std::process::ExitCode;
use thiserror::Error;

/// Everything that can end a command early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(transparent)]
    Merge(#[from] MergeError),
    #[error(transparent)]
    Estimate(#[from] EstimateError),
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
    /// A flag that does not fit, with what to do instead.
    #[error("{message}")]
    Usage { message: String, hint: Option<&'static str> },
    /// Input that cannot be read as what it should be. Never contains a raw value.
    #[error("{message}")]
    Data { message: String, hint: Option<&'static str> },
    #[error("{action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Parameter(_) | Self::Usage { .. } => 2,
            Self::Input(_) | Self::Report(_) | Self::Merge(_) | Self::Data { .. } => 65,
            Self::File { .. } | Self::Output(_) | Self::Entropy(_) => 74,
            Self::Estimate(_) => 75,
        }
    }

    fn hint(&self) -> Option<&str> {
        match self {
            Self::Parameter(error) => error.hint(),
            Self::Report(error) => error.hint(),
            Self::Usage { hint, .. } | Self::Data { hint, .. } => *hint,
            _ => None,
        }
    }

    /// Says what was wrong and what to do, on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        eprintln!("error: {self}");
        if let Some(hint) = self.hint() {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(self.exit_code())
    }
}
