//! One person's device: a ledger and the secret beside it.

use super::error::CollectError;
use super::token::{TokenKey, TokenRequest};
use crate::{Generator, generator};
use privet_policy::ledger::{FileLedger, Ledger, LedgerError};
use privet_policy::{Answers, Client, Date, DecimalEpsilon, PreparedReport, ReportId, ResolvedPolicy};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// One person's device. The ledger is a file, locked as long as this value lives; the secret behind permanent answers and one-time
/// tokens is in a file beside it that ends in `.secret`.
#[derive(Debug)]
pub struct Device {
    client: Client,
    ledger: Ledger<FileLedger>,
    rng: Generator,
}

impl Device {
    /// Opens a ledger and its secret, or makes both.
    ///
    /// # Errors
    /// When they cannot be read or made, another program uses them, or the secret of a ledger that holds answers is gone.
    pub fn open(ledger: &Path) -> Result<Self, CollectError> {
        let secret_file = secret_path(ledger);
        // The ledger is locked first, so that two programs do not make two secrets.
        let ledger = FileLedger::open(ledger).and_then(Ledger::open)?;
        let secret = read_secret(&secret_file, ledger.records().is_empty())?;
        Ok(Self { client: Client::new(secret), ledger, rng: generator()? })
    }

    /// Never spends more than this on any one origin, over all its collections and all time.
    #[must_use]
    pub fn with_origin_limit(self, limit: DecimalEpsilon) -> Self {
        Self { client: self.client.with_origin_limit(limit), ..self }
    }

    /// Makes the report of a day's epoch and records it with its cost, or finds it in the ledger. See [`Client::answer`].
    ///
    /// # Errors
    /// When the answers make no report, a budget would be exceeded, or the record cannot be stored.
    pub fn prepare(
        &mut self,
        policy: &ResolvedPolicy,
        answers: &Answers,
        today: Date,
    ) -> Result<PreparedReport, CollectError> {
        Ok(self.client.answer(policy, answers, &mut self.ledger, &mut self.rng, today)?)
    }

    /// The token of a report. It follows from the secret, the report and the key: whenever a program was interrupted between drawing the
    /// token, having it signed and sending it, the same token is asked for and sent again, so it is neither lost nor spent twice. Other
    /// keys give other tokens, because blinding two of them alike would link them.
    ///
    /// # Errors
    /// When the key cannot be used.
    pub fn token_request(
        &self,
        policy: &ResolvedPolicy,
        report: ReportId,
        key: &TokenKey,
    ) -> Result<TokenRequest, CollectError> {
        let name = [&policy.id().to_bytes(), report.to_string().as_bytes(), key.pem().as_bytes()].concat();
        key.request(&mut self.client.generator_for("privet 2026 one-time token of a report", &name))
    }

    /// The ledger: what was answered and spent.
    pub fn ledger(&self) -> &Ledger<FileLedger> {
        &self.ledger
    }
}

fn secret_path(ledger: &Path) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(".secret");
    name.into()
}

/// The secret behind permanent answers; a new one only where nothing was ever answered.
fn read_secret(path: &Path, is_new: bool) -> Result<[u8; 32], CollectError> {
    let failed = |source| CollectError::File { path: path.to_owned(), source };
    match std::fs::read(path) {
        Ok(bytes) => bytes.try_into().map_err(|_| CollectError::NotASecret { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound && is_new => make_secret(path).map_err(failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let reason = "the secret beside it is gone, so permanent answers would be drawn again";
            Err(LedgerError::Damaged { reason }.into())
        }
        Err(error) => Err(failed(error)),
    }
}

/// Draws a secret and stores it, wholly or not at all, for its owner only.
fn make_secret(path: &Path) -> io::Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&secret)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(secret)
}
