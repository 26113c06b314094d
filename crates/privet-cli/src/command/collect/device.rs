//! One person's own report: a secret, a ledger, and answers that are not on the command line, where others could see them.

use crate::contract;
use crate::failure::Failure;
use crate::table::is_standard_stream;
use privet::policy::ledger::{FileLedger, Ledger, LedgerError};
use privet::policy::{Answers, Client, ClientError, DecimalEpsilon, PreparedReport, ResolvedPolicy};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// What is known about a person's report.
pub(super) struct OwnReport {
    pub(super) report: PreparedReport,
    /// What all reports to the origin cost so far.
    pub(super) spent: f64,
}

/// Makes the report of today, or finds it in the ledger.
pub(super) fn report(
    policy: &ResolvedPolicy,
    answers: &Path,
    ledger_path: &Path,
    limit: Option<DecimalEpsilon>,
) -> Result<OwnReport, Failure> {
    let answers = read_answers(policy, answers)?;
    // The ledger is locked first, so that two programs do not make two secrets.
    let mut ledger =
        FileLedger::open(ledger_path).and_then(Ledger::open).map_err(|error| refused(error.into()))?;
    let secret = read_secret(&secret_path(ledger_path), ledger.records().is_empty())?;
    let client = match limit {
        Some(limit) => Client::new(secret).with_origin_limit(limit),
        None => Client::new(secret),
    };
    let today = contract::day(None)?;
    let mut rng = privet::generator()?;
    let report = client.answer(policy, &answers, &mut ledger, &mut rng, today).map_err(refused)?;
    Ok(OwnReport { report, spent: ledger.spent_at(&policy.terms().origin).epsilon() })
}

fn refused(source: ClientError) -> Failure {
    Failure::Answer { path: None, row: None, source }
}

/// More than any answers have.
const MOST_BYTES: u64 = 1 << 20;

/// Answers from a JSON object. Errors do not repeat what it holds.
fn read_answers(policy: &ResolvedPolicy, path: &Path) -> Result<Answers, Failure> {
    let mut text = String::new();
    let read = if is_standard_stream(path) {
        std::io::stdin().take(MOST_BYTES).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
    };
    read.map_err(|source| Failure::File { action: "cannot read", path: path.to_owned(), source })?;
    let object: Map<String, Value> = serde_json::from_str(&text).map_err(|error| Failure::Data {
        message: format!(
            "{}: line {}, column {}: the answers are no JSON object",
            path.display(),
            error.line(),
            error.column()
        ),
        hint: Some("write {\"name\": \"value\", ..}, with the attributes and public fields of the policy"),
    })?;
    let is_public = |name: &str| policy.terms().public.iter().any(|field| field.name == name);
    Ok(object.iter().fold(Answers::new(), |answers, (name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if is_public(name) { answers.public(name, &text) } else { answers.value(name, &text) }
    }))
}

fn secret_path(ledger: &Path) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push(".secret");
    name.into()
}

/// The secret behind permanent answers; a new one only where nothing was ever answered.
fn read_secret(path: &Path, is_new: bool) -> Result<[u8; 32], Failure> {
    let failed = |source| Failure::File { action: "cannot use", path: path.to_owned(), source };
    match std::fs::read(path) {
        Ok(bytes) => bytes.try_into().map_err(|_| Failure::Data {
            message: format!("{} is no secret of a ledger: it must have 32 bytes", path.display()),
            hint: None,
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && is_new => {
            make_secret(path).map_err(failed)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let reason = "the secret beside it is gone, so permanent answers would be drawn again";
            Err(refused(LedgerError::Damaged { reason }.into()))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Draws a secret and stores it, wholly or not at all, for its owner only.
fn make_secret(path: &Path) -> std::io::Result<[u8; 32]> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(std::io::Error::other)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&secret)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    File::open(folder)?.sync_all()?;
    Ok(secret)
}
