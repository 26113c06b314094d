//! One error type per stage of a value's way through the house.
//!
//! Messages say what was wrong, what is allowed and, where it is public, what was received. No error
//! ever holds a private input: an [`InputError`] knows the domain and the position in a batch only.

use thiserror::Error;

/// A parameter, a domain or a policy that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// Epsilon is not a finite number above zero.
    #[error("epsilon must be finite and greater than 0: got {got}")]
    Epsilon {
        /// What was received.
        got: f64,
    },
    /// Delta is outside [0, 1).
    #[error("delta must be at least 0 and below 1: got {got}")]
    Delta {
        /// What was received.
        got: f64,
    },
    /// A probability is outside [0, 1].
    #[error("a probability must be between 0 and 1: got {got}")]
    Probability {
        /// What was received.
        got: f64,
    },
    /// Fewer than two, or more categories than a mechanism can hold.
    #[error("the number of categories must be {}: got {got}", range(*min, *max))]
    CategoryCount {
        /// The smallest number allowed.
        min: u64,
        /// The largest number allowed.
        max: u64,
        /// What was received.
        got: u64,
    },
    /// The same label names two categories.
    #[error("category labels must differ: {label:?} is given twice")]
    DuplicateLabel {
        /// The label; labels are public.
        label: String,
    },
    /// A category label is empty.
    #[error("category labels must not be empty")]
    EmptyLabel,
    /// The ends of an interval are not finite or not in order.
    #[error("an interval needs finite ends with low below high: got {low} and {high}")]
    Interval {
        /// The lower end received.
        low: f64,
        /// The upper end received.
        high: f64,
    },
    /// The period of a circle is not a finite number above zero.
    #[error("the period of a circle must be finite and greater than 0: got {got}")]
    Period {
        /// What was received.
        got: f64,
    },
    /// A rectangle in which some distances would not be numbers.
    #[error("a rectangle needs a finite diagonal: got the widths {} and {}", widths[0], widths[1])]
    Rectangle {
        /// The widths received.
        widths: [f64; 2],
    },
    /// A word length outside what reports can carry.
    #[error("the longest word must have between 1 and {max} bytes: got {got}")]
    WordLength {
        /// The largest length allowed.
        max: u32,
        /// What was received.
        got: u32,
    },
    /// A number of coordinates outside what vectors can have.
    #[error("a vector must have between 1 and {max} coordinates: got {got}")]
    Dimension {
        /// The largest number allowed.
        max: u32,
        /// What was received.
        got: u64,
    },
    /// Epsilon is so small that 64-bit weights cannot express the channel.
    #[error("epsilon {got} is too small: the integer weights of this channel cannot tell its inputs apart")]
    EpsilonTooSmall {
        /// What was received.
        got: f64,
    },
    /// The mechanism does not work on this kind of domain.
    #[error("{mechanism} works on {expected}: got {got}")]
    WrongDomain {
        /// The mechanism's id.
        mechanism: &'static str,
        /// The kind of domain that it takes.
        expected: &'static str,
        /// The domain received, in its written form.
        got: String,
    },
    /// A written domain that cannot be read.
    #[error("cannot read the domain {got:?}: {reason}")]
    DomainSyntax {
        /// What was received.
        got: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No mechanism has this id or synonym.
    #[error("there is no mechanism called {got:?}")]
    UnknownMechanism {
        /// What was received.
        got: String,
    },
    /// Two parameters do not fit together.
    #[error("{reason}")]
    Incompatible {
        /// What does not fit, and what is allowed.
        reason: String,
    },
}

/// A range in words.
fn range(min: u64, max: u64) -> String {
    if min == max { min.to_string() } else { format!("between {min} and {max}") }
}

impl ParameterError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Epsilon { .. } => "parameter-epsilon",
            Self::Delta { .. } => "parameter-delta",
            Self::Probability { .. } => "parameter-probability",
            Self::CategoryCount { .. } => "parameter-category-count",
            Self::DuplicateLabel { .. } => "parameter-duplicate-label",
            Self::EmptyLabel => "parameter-empty-label",
            Self::Interval { .. } => "parameter-interval",
            Self::Period { .. } => "parameter-period",
            Self::Rectangle { .. } => "parameter-rectangle",
            Self::WordLength { .. } => "parameter-word-length",
            Self::Dimension { .. } => "parameter-dimension",
            Self::EpsilonTooSmall { .. } => "parameter-epsilon-too-small",
            Self::WrongDomain { .. } => "parameter-wrong-domain",
            Self::DomainSyntax { .. } => "parameter-domain-syntax",
            Self::UnknownMechanism { .. } => "parameter-unknown-mechanism",
            Self::Incompatible { .. } => "parameter-incompatible",
        }
    }

    /// What to do about it, where that is not obvious.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Epsilon { .. } => {
                Some("common choices lie between 0.5 (strong) and 8 (weak); there is no default")
            }
            Self::CategoryCount { max: 2, .. } => {
                Some("generalized-randomized-response takes any number of categories")
            }
            Self::UnknownMechanism { .. } => Some("`privet mechanisms` lists them"),
            Self::DomainSyntax { .. } => Some(
                "write binary, categories:128, categories:red,green,blue, words:12, interval:0,1, circle:360, rectangle:0,1,0,1 or vector:64",
            ),
            _ => None,
        }
    }
}

/// A private value that the mechanism does not accept. Never contains the value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InputError {
    /// The value lies outside the domain.
    #[error("the value lies outside the domain {domain}")]
    OutsideDomain {
        /// The public domain.
        domain: String,
    },
    /// A value of a batch lies outside the domain.
    #[error("value number {position} lies outside the domain {domain}")]
    OutsideDomainAt {
        /// Position in the batch, counted from 1.
        position: u64,
        /// The public domain.
        domain: String,
    },
    /// A vector with another number of coordinates. Nothing about what they are.
    #[error("a vector of this domain has {expected} coordinates: got {got}")]
    Dimension {
        /// The domain's number.
        expected: usize,
        /// The vector's.
        got: usize,
    },
    /// More places than a path of the domain has, or none. Nothing about where they are.
    #[error("a path has between 1 and {most} places, with a semicolon between two of them")]
    Places {
        /// The most places.
        most: u32,
    },
    /// A buffer for reports of another length. Nothing about the values.
    #[error("the buffer holds reports of {got} bytes, but this mechanism's have {expected}")]
    Buffer {
        /// The mechanism's fixed length.
        expected: usize,
        /// The buffer's.
        got: usize,
    },
    /// Values of another kind than the domain's.
    #[error("the domain {domain} does not take values of this kind")]
    WrongKind {
        /// The public domain.
        domain: String,
    },
}

impl InputError {
    /// The same error, said of one value of a batch; `position` counts from 1.
    pub fn at(self, position: u64) -> Self {
        match self {
            Self::OutsideDomain { domain } => Self::OutsideDomainAt { position, domain },
            other => other,
        }
    }

    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OutsideDomain { .. } | Self::OutsideDomainAt { .. } => "input-outside-domain",
            Self::Dimension { .. } => "input-dimension",
            Self::Places { .. } => "input-places",
            Self::Buffer { .. } => "input-buffer",
            Self::WrongKind { .. } => "input-wrong-kind",
        }
    }
}

/// A report that the collector does not accept. Reports are public, so it says what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The report has the wrong length.
    #[error("a report of this mechanism has {expected} bytes: got {got}")]
    Length {
        /// The fixed length.
        expected: usize,
        /// What was received.
        got: usize,
    },
    /// The report holds a value that the mechanism cannot produce.
    #[error("the report holds a value that this mechanism cannot produce: {reason}")]
    Impossible {
        /// Which part is impossible.
        reason: &'static str,
    },
    /// The report was made with other parameters.
    #[error("the report was made by the mechanism {got}, not by {expected}")]
    Foreign {
        /// The fingerprint of this mechanism.
        expected: String,
        /// The fingerprint in the report.
        got: String,
    },
    /// The report is written in a version that this program does not know.
    #[error("reports of version {got} are not known here: this program reads version {expected}")]
    Version {
        /// The version that this program writes.
        expected: u8,
        /// What was received.
        got: u8,
    },
    /// The text form of a report is not hexadecimal.
    #[error("a report is written in hexadecimal digits")]
    Text,
    /// The report is not marked as seeded, but seeded ones were asked for.
    #[error("the report was not drawn from an insecure seed")]
    Mark,
    /// The report was drawn from a fixed seed and protects nobody.
    #[error("the report was drawn from an insecure seed")]
    InsecureSeed,
}

impl ReportError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "report-length",
            Self::Impossible { .. } => "report-impossible",
            Self::Foreign { .. } => "report-foreign",
            Self::Version { .. } => "report-version",
            Self::Text => "report-text",
            Self::Mark => "report-mark",
            Self::InsecureSeed => "report-insecure-seed",
        }
    }

    /// What to do about it, where that is not obvious.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Foreign { .. } => Some("use the mechanism, domain and epsilon that made the reports"),
            Self::Mark => Some("leave out `--insecure-seed` to read it"),
            Self::InsecureSeed => {
                Some("seeded reports are for tests; `--insecure-seed` on both sides reads them")
            }
            _ => None,
        }
    }
}

/// Two summaries that must not be added up, or stored bytes that are no summary.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The summaries belong to different mechanisms.
    #[error("cannot merge a summary of the mechanism {got} into one of {expected}")]
    Foreign {
        /// Fingerprint of the receiving summary.
        expected: String,
        /// Fingerprint of the other summary.
        got: String,
    },
    /// A counter would exceed 64 bits.
    #[error("a counter of the summary would exceed 64 bits")]
    Overflow,
    /// A summary of reports that were never added.
    #[error("only reports that were added can be taken out of a summary")]
    Underflow,
    /// Stored bytes that do not hold a summary of this mechanism.
    #[error("these bytes are not a summary of this mechanism: {reason}")]
    Malformed {
        /// What is wrong.
        reason: &'static str,
    },
}

impl MergeError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Foreign { .. } => "summary-foreign",
            Self::Overflow => "summary-overflow",
            Self::Underflow => "summary-underflow",
            Self::Malformed { .. } => "summary-malformed",
        }
    }
}

/// Reports from which nothing can be estimated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EstimateError {
    /// Fewer reports than the estimator needs.
    #[error("an estimate needs at least {needed} reports: got {got}")]
    TooFewReports {
        /// The smallest number that suffices.
        needed: u64,
        /// How many there are.
        got: u64,
    },
    /// The candidates cannot be told apart from these reports.
    #[error("the candidates cannot be told apart: {reason}")]
    NotIdentifiable {
        /// Why not.
        reason: &'static str,
    },
    /// A summary of the right mechanism whose counters cannot be right.
    #[error("the summary is damaged: {reason}")]
    Damaged {
        /// What cannot be right.
        reason: &'static str,
    },
    /// The maximum was not reached within the allowed number of rounds.
    #[error("the likelihood was not maximised within {rounds} rounds")]
    NotConverged {
        /// How many rounds were made.
        rounds: usize,
    },
    /// A consistency step that does not fit the method.
    #[error("the step {step} does not fit estimates by {method}")]
    Step {
        /// The step.
        step: &'static str,
        /// The method.
        method: &'static str,
    },
    /// The summary was made by another mechanism.
    #[error("the summary was made by the mechanism {got}, not by {expected}")]
    Foreign {
        /// Fingerprint of the estimator's mechanism.
        expected: String,
        /// Fingerprint in the summary.
        got: String,
    },
}

impl EstimateError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooFewReports { .. } => "estimate-too-few-reports",
            Self::NotIdentifiable { .. } => "estimate-not-identifiable",
            Self::Damaged { .. } => "estimate-damaged-summary",
            Self::NotConverged { .. } => "estimate-not-converged",
            Self::Step { .. } => "estimate-step",
            Self::Foreign { .. } => "estimate-foreign",
        }
    }
}
