//! A person's side: paired, perturbed, reported.

use super::CollectionError;
use super::collector::send_report;
use crate::pairing::{Assignment, Mailbox, Meeting, PairingError};
use crate::relay::open_mailbox;
use crate::table::JointTable;
use crate::two_party::{self, RunError, RunLedger, Truthfulness};
use crate::wire::Link;
use privet_core::sampling::uniform_below;
use privet_core::{CryptoRng, Generator};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::thread;
use std::time::{Duration, Instant};

/// What all people of a collection know.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Where people are paired.
    pub meeting: Meeting,
    /// How long the pairing may take.
    pub patience: Duration,
    /// How two people perturb.
    pub table: JointTable,
    /// Who takes the reports. Must not be one of the helpers.
    pub collector: SocketAddr,
    /// Reports are sent at a random moment of so long a time. It should be much longer than the perturbing of all pairs
    /// takes; otherwise the collector can guess partners from the times of their reports.
    pub report_window: Duration,
}

/// How a person took part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a partner.
    Together {
        /// What the run with the partner took.
        duration: Duration,
        /// What this end sent to the partner.
        bytes_sent: u64,
    },
    /// Alone, as the odd one out.
    Odd,
    /// Alone, because there was no pairing or the partner was lost before anything was decided.
    Fallback(Reason),
}

/// Why a person perturbed alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// There was no pairing, or the partner did not come.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// The run with the partner failed early.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A truthfulness, and how it came about.
#[derive(Debug)]
pub struct Perturbed {
    /// Whether the person reports truthfully.
    pub truthfulness: Truthfulness,
    /// With whom.
    pub outcome: Outcome,
}

/// Takes part in a collection from beginning to end.
///
/// # Errors
/// When the person took part before, lost the partner too late to perturb alone, or cannot reach the collector.
pub fn take_part(
    setting: &Setting,
    value: bool,
    ledger: &mut dyn RunLedger,
    rng: &mut Generator,
) -> Result<Outcome, CollectionError> {
    let assignment = setting.meeting.submit(rng).and_then(|submission| submission.wait(setting.patience));
    let Perturbed { truthfulness, outcome } =
        perturb(&setting.meeting, &setting.table, assignment, ledger, rng)?;
    thread::sleep(random_part(setting.report_window, rng));
    let report = truthfulness.report(value);
    send_report(setting.collector, setting.meeting.run, setting.meeting.time_out, report, rng)
        .map_err(CollectionError::Collector)?;
    Ok(outcome)
}

/// Draws a person's truthfulness: with the partner, or alone where there is none.
///
/// # Errors
/// When the person took part before, or lost the partner too late to perturb alone.
pub fn perturb(
    meeting: &Meeting,
    table: &JointTable,
    assignment: Result<Assignment, PairingError>,
    ledger: &mut dyn RunLedger,
    rng: &mut impl CryptoRng,
) -> Result<Perturbed, CollectionError> {
    let reason = match assignment {
        Ok(Assignment::Mailbox(mailbox)) => match together(meeting, table, &mailbox, ledger, rng) {
            Ok(perturbed) => return Ok(perturbed),
            Err(Reason::Run(error)) if error.is_final() => return Err(CollectionError::LeftOut(error)),
            Err(reason) => Outcome::Fallback(reason),
        },
        Ok(Assignment::Alone) => Outcome::Odd,
        Err(error) => Outcome::Fallback(error.into()),
    };
    // Whoever reports alone has had their run, too: nobody reports twice.
    ledger.spend()?;
    let truthfulness = Truthfulness::draw_alone(table, rng);
    Ok(Perturbed { truthfulness, outcome: reason })
}

fn together(
    meeting: &Meeting,
    table: &JointTable,
    mailbox: &Mailbox,
    ledger: &mut dyn RunLedger,
    rng: &mut impl CryptoRng,
) -> Result<Perturbed, Reason> {
    let mut link = open_mailbox(meeting, mailbox, rng)?;
    let start = Instant::now();
    let truthfulness = two_party::run(mailbox.role(), table, &mut link, rng, ledger)?;
    let outcome = Outcome::Together { duration: start.elapsed(), bytes_sent: link.bytes_sent() };
    Ok(Perturbed { truthfulness, outcome })
}

/// A uniform part of a time, in microseconds.
fn random_part(whole: Duration, rng: &mut impl CryptoRng) -> Duration {
    let micros = u64::try_from(whole.as_micros()).unwrap_or(u64::MAX);
    NonZeroU64::new(micros).map_or(Duration::ZERO, |bound| Duration::from_micros(uniform_below(bound, rng)))
}
