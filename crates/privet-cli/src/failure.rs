//! Where errors become messages and exit codes.

use crate::table::Problem;
use privet::advisor::AdvisorError;
use privet::classifier::ClassifierError;
use privet::client::CollectError;
use privet::limit::LimitError;
use privet::model::ModelError;
use privet::policy::{ClientError, PolicyError, SubmissionError};
use privet::vector::VectorError;
use privet::vector::reshape::ReshapeError;
use privet::{EstimateError, InputError, MergeError, NoEntropy, ParameterError, ReportError};
use privet_collector::ServeError;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use thiserror::Error;

/// Everything that can end a command early. No variant holds a private value.
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
    /// A mechanism's name that nobody has, with the nearest one that somebody has.
    #[error("{source}")]
    UnknownMechanism { source: ParameterError, nearest: Option<&'static str> },
    /// A flag that does not fit, with what to do instead.
    #[error("{message}")]
    Usage { message: String, hint: Option<&'static str> },
    /// Input that cannot be read as what it should be. Never contains a raw value.
    #[error("{message}")]
    Data { message: String, hint: Option<&'static str> },
    /// A file, or one of its rows, that cannot be read as what it should be.
    #[error("{}{}: {problem}", path.display(), row_in_words(*row))]
    Source { path: PathBuf, row: Option<u64>, problem: Problem },
    /// A channel that could not be found.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A file that is no mechanism, or of which something was changed.
    #[error("{}: {source}", path.display())]
    MechanismFile { path: PathBuf, source: LimitError },
    /// A mechanism's file that claims more than it proves.
    #[error("{}: {source}", path.display())]
    Unproved { path: PathBuf, source: LimitError },
    /// A classifier, or a record for one, that cannot be used; the row is that of a table.
    #[error("{}{source}", place_in_words(path.as_deref(), *row))]
    Classifier { path: Option<PathBuf>, row: Option<u64>, source: ClassifierError },
    /// A model or an array that cannot be read or written.
    #[error("{}{source}", place_of(path, source))]
    Model { path: PathBuf, source: ModelError },
    /// A reshaping that cannot be made or used.
    #[error(transparent)]
    Reshape(ReshapeError),
    /// A policy that cannot be used.
    #[error("{}: {source}", path.display())]
    Policy { path: PathBuf, source: PolicyError },
    /// Answers that make no report; the row is that of a table.
    #[error("{}{source}", place_in_words(path.as_deref(), *row))]
    Answer { path: Option<PathBuf>, row: Option<u64>, source: ClientError },
    /// A report that was not made under the policy.
    #[error("{}{}: {source}", path.display(), row_in_words(Some(*row)))]
    Submission { path: PathBuf, row: u64, source: SubmissionError },
    /// A collector that does not run.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// What a collector refuses, or why it cannot be asked.
    #[error(transparent)]
    Collect(#[from] CollectError),
    #[error("stopped before anything was found")]
    Stopped,
    /// A mechanism or a program that does not keep its promise.
    #[error("the audit failed: {message}")]
    Audit { message: String },
    /// Tasks that take longer than in an earlier run, by more than the noise.
    #[error("slower by more than the noise: {tasks}")]
    Slower { tasks: String },
    /// Claims of the papers that were judged otherwise before.
    #[error("verdicts that are not the stored ones: {claims}")]
    Verdicts { claims: String },
    /// Figures that were left out for want of data; the others are written.
    #[error("skipped for want of data, looked for in {}: {figures}", privet_papers::data::folder().display())]
    MissingData { figures: String, how: String },
    #[error("{action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error("cannot write the output: {0}")]
    Output(#[from] std::io::Error),
}

impl From<AdvisorError> for Failure {
    fn from(error: AdvisorError) -> Self {
        match error {
            AdvisorError::Parameter(error) => Self::Parameter(error),
            other => Self::Usage { message: other.to_string(), hint: other.hint() },
        }
    }
}

impl From<VectorError> for Failure {
    fn from(error: VectorError) -> Self {
        match error {
            VectorError::Parameter(error) => Self::Parameter(error),
            VectorError::Input(error) => Self::Input(error),
            VectorError::Report(error) => Self::Report(error),
            other => Self::Usage { message: other.to_string(), hint: None },
        }
    }
}

impl From<ReshapeError> for Failure {
    fn from(error: ReshapeError) -> Self {
        match error {
            ReshapeError::Vector(error) => error.into(),
            other => Self::Reshape(other),
        }
    }
}

/// How a program ends that somebody stops from the keyboard.
pub(crate) const INTERRUPTED: u8 = 130;

fn limit_code(error: &LimitError) -> &'static str {
    match error {
        LimitError::Parameter(error) => error.code(),
        LimitError::Infeasible => "limit-infeasible",
        LimitError::Unbounded => "limit-unbounded",
        LimitError::Losses { .. } => "limit-losses",
        LimitError::Solver { .. } => "limit-solver",
        LimitError::TooLarge { .. } => "limit-too-large",
        LimitError::File { .. } => "mechanism-file",
        LimitError::Unproved { .. } => "unproved",
    }
}

fn place_in_words(path: Option<&Path>, row: Option<u64>) -> String {
    path.map(|path| format!("{}{}: ", path.display(), row_in_words(row))).unwrap_or_default()
}

/// The file, unless the message names it.
fn place_of(path: &Path, error: &ModelError) -> String {
    if matches!(error, ModelError::File { .. }) { String::new() } else { format!("{}: ", path.display()) }
}

fn row_in_words(row: Option<u64>) -> String {
    row.map(|row| format!(", row {row}")).unwrap_or_default()
}

/// Busy and broken collectors, wrong requests, and wrong reports.
fn collect_exit_code(error: &CollectError) -> u8 {
    match error {
        CollectError::Address { .. } => 2,
        CollectError::Refused { status: 400 | 401 | 403 | 404, .. } => 2,
        CollectError::Refused { status: 429 | 500.., .. } | CollectError::Busy { .. } => 74,
        CollectError::Network { .. } | CollectError::File { .. } | CollectError::Entropy(_) => 74,
        CollectError::Answer(ClientError::Ledger(_)) => 74,
        _ => 65,
    }
}

fn classifier_exit_code(error: &ClassifierError) -> u8 {
    match error {
        ClassifierError::Model(ModelError::File { .. }) => 74,
        ClassifierError::Parameter(_)
        | ClassifierError::NoSuchFeature { .. }
        | ClassifierError::Features { .. }
        | ClassifierError::Method { .. }
        | ClassifierError::Option { .. } => 2,
        _ => 65,
    }
}

fn classifier_hint(error: &ClassifierError, is_table: bool) -> Option<Cow<'static, str>> {
    let hint = match error {
        ClassifierError::Parameter(error) => return error.hint().map(Cow::from),
        ClassifierError::Arity { .. } if is_table => {
            "`--label` names columns of a table that are no features, `--columns` those that are"
        }
        ClassifierError::OutsideUnit { .. } => {
            "`--clamp` moves sensitive features to the nearest number in [0, 1]"
        }
        ClassifierError::Model(ModelError::Values) => {
            "a program that makes labels of its values can be asked with `--command`"
        }
        ClassifierError::OtherScale(_) => {
            "scale the feature to [0, 1] first, and ask a model that reads it so; a value that is meant as 0 or 1 can be given as such"
        }
        ClassifierError::Command { .. } | ClassifierError::LabelCount { .. } => {
            "a program reads rows of numbers with commas between them and writes one label, a whole number, per row"
        }
        _ => return None,
    };
    Some(hint.into())
}

impl From<ClassifierError> for Failure {
    fn from(source: ClassifierError) -> Self {
        Self::Classifier { path: None, row: None, source }
    }
}

impl Failure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Audit { .. } | Self::Unproved { .. } | Self::Slower { .. } | Self::Verdicts { .. } => 1,
            Self::Limit(LimitError::Solver { .. }) => 75,
            Self::Classifier { source, .. } => classifier_exit_code(source),
            Self::Parameter(_)
            | Self::Limit(_)
            | Self::UnknownMechanism { .. }
            | Self::Policy { .. }
            | Self::Usage { .. }
            | Self::Estimate(EstimateError::Step { .. }) => 2,
            Self::Answer { source: ClientError::Ledger(_), .. } => 74,
            Self::Input(_)
            | Self::Report(_)
            | Self::Merge(_)
            | Self::Data { .. }
            | Self::Source { .. }
            | Self::MechanismFile { .. }
            | Self::Answer { .. }
            | Self::Submission { .. }
            | Self::Estimate(EstimateError::Foreign { .. } | EstimateError::Damaged { .. }) => 65,
            Self::Reshape(ReshapeError::Setting { .. } | ReshapeError::Rank { .. }) => 2,
            Self::Model { source: ModelError::File { .. }, .. } => 74,
            Self::Model { .. } | Self::Reshape(_) => 65,
            Self::Collect(error) => collect_exit_code(error),
            Self::Serve(_) => 74,
            Self::File { .. } | Self::MissingData { .. } | Self::Output(_) | Self::Entropy(_) => 74,
            Self::Estimate(_) => 75,
            Self::Stopped => INTERRUPTED,
        }
    }

    /// A stable code for programs.
    fn code(&self) -> &str {
        match self {
            Self::Parameter(error) | Self::UnknownMechanism { source: error, .. } => error.code(),
            Self::Input(error) => error.code(),
            Self::Report(error) => error.code(),
            Self::Merge(error) => error.code(),
            Self::Estimate(error) => error.code(),
            Self::Source { problem, .. } => problem.code(),
            Self::Usage { .. } => "usage",
            Self::Data { .. } => "data",
            Self::Audit { .. } => "audit",
            Self::Slower { .. } => "slower",
            Self::Limit(error) => limit_code(error),
            Self::MechanismFile { .. } => "mechanism-file",
            Self::Unproved { .. } => "unproved",
            Self::Classifier { source, .. } => source.code(),
            Self::Model { source, .. } => source.code(),
            Self::Reshape(error) => error.code(),
            Self::Policy { source, .. } => source.code(),
            Self::Answer { source, .. } => source.code(),
            Self::Submission { source, .. } => source.code(),
            Self::Serve(_) => "serve",
            Self::Collect(error) => error.code(),
            Self::Stopped => "stopped",
            Self::Verdicts { .. } => "verdicts",
            Self::MissingData { .. } => "missing-data",
            Self::File { .. } => "file",
            Self::Output(_) => "output",
            Self::Entropy(_) => "entropy",
        }
    }

    fn hint(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Parameter(error) => error.hint().map(Cow::from),
            Self::UnknownMechanism { source, nearest: None } => source.hint().map(Cow::from),
            Self::UnknownMechanism { nearest: Some(name), .. } => {
                Some(format!("did you mean {name}? `privet mechanisms` lists them all").into())
            }
            Self::Report(error) => error.hint().map(Cow::from),
            Self::Limit(LimitError::Parameter(error)) => error.hint().map(Cow::from),
            Self::Limit(LimitError::Infeasible) => {
                Some("a wider --range or a larger epsilon may help".into())
            }
            Self::MechanismFile { .. } => Some(
                "mechanism files are written by `privet optimize --out`, and hold only as a whole".into(),
            ),
            Self::Source { problem, .. } => problem.hint(),
            Self::MissingData { how, .. } => Some(how.clone().into()),
            Self::Policy { source, .. } => source.hint(),
            Self::Collect(CollectError::Refused { hint, .. }) => hint.clone().map(Cow::from),
            Self::Collect(CollectError::Address { .. }) => {
                Some("an address is http://HOST:PORT or https://HOST".into())
            }
            Self::Reshape(error) => error.hint().map(Cow::from),
            Self::Usage { hint, .. } | Self::Data { hint, .. } => hint.map(Cow::from),
            Self::Classifier { source, row, .. } => classifier_hint(source, row.is_some()),
            _ => None,
        }
    }

    /// Says what was wrong and what to do, on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        // A reader that has seen enough, such as `head`, is not worth a message.
        if matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe) {
            return ExitCode::SUCCESS;
        }
        eprintln!("error: {self} [{}]", self.code());
        if let Some(hint) = self.hint() {
            eprintln!("hint: {hint}");
        }
        ExitCode::from(self.exit_code())
    }
}
