//! Why something at a collector did not work.

use crate::NoEntropy;
use privet_policy::ClientError;
use privet_policy::ledger::LedgerError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why something at a collector did not work. Never contains a private value or a token.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CollectError {
    /// An address or a bearer token that no request can be made with.
    #[error("the address {url:?} or the token cannot be used")]
    Address {
        /// The address.
        url: String,
    },
    /// Certificates to trust that are none.
    #[error("there is no certificate in PEM form")]
    NoCertificate,
    /// Nobody answered before patience ended.
    #[error("cannot reach {url}: {reason}")]
    Network {
        /// The address.
        url: String,
        /// What the system says.
        reason: String,
    },
    /// It was still busy when patience ended.
    #[error("{url} is busy: it answers with status {status}")]
    Busy {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// What the collector refuses, in its own words.
    #[error("the collector refuses: {detail}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The stable code of the problem.
        code: String,
        /// What is wrong.
        detail: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// An answer that makes no sense.
    #[error("what answers at this address is no collector, or one that this program does not understand")]
    NotUnderstood,
    /// The collector hands out another policy than the one whose hash the collection's id is.
    #[error("the collector answers with another policy")]
    OtherPolicy,
    /// Bytes that are no whole number of reports.
    #[error("reports of this collection have {expected} bytes each: got {got} bytes")]
    Length {
        /// The length of one report.
        expected: usize,
        /// The length of all bytes.
        got: usize,
    },
    /// A signature under a one-time token that is none.
    #[error("the one-time token was not signed with the collection's key")]
    Signature,
    /// A file that belongs to the person's ledger.
    #[error("cannot use {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file in the place of the secret that is none.
    #[error("{} is no secret of a ledger: it must have 32 bytes", path.display())]
    NotASecret {
        /// The file.
        path: PathBuf,
    },
    /// The answers make no report, or its record cannot be stored.
    #[error(transparent)]
    Answer(#[from] ClientError),
    /// There is no randomness.
    #[error(transparent)]
    Entropy(#[from] NoEntropy),
}

impl From<LedgerError> for CollectError {
    fn from(error: LedgerError) -> Self {
        Self::Answer(error.into())
    }
}

impl CollectError {
    /// A stable code for programs; for refusals that of the collector.
    pub fn code(&self) -> &str {
        match self {
            Self::Address { .. } => "collector-address",
            Self::NoCertificate => "collector-certificate",
            Self::Network { .. } => "network",
            Self::Busy { .. } => "collector-busy",
            Self::Refused { code, .. } => code,
            Self::NotUnderstood => "collector-not-understood",
            Self::OtherPolicy => "collector-other-policy",
            Self::Length { .. } => "report-length",
            Self::Signature => "token-signature",
            Self::File { .. } => "file",
            Self::NotASecret { .. } => "ledger-secret",
            Self::Answer(error) => error.code(),
            Self::Entropy(_) => "entropy",
        }
    }
}
