//! Secret pairing: the roles of a helper and of a participant.

use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use clap::{Args, Subcommand, ValueEnum};
use privet_joint::pairing::{
    Assignment, HelperTask, Meeting, Method, PairingError, PairingReport, RELAY, serve, tolerated_collusion,
};
use privet_joint::two_party::Role;
use privet_joint::wire::RunId;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  Three helpers, each on a machine of its own; the first one also carries the messages of mailboxes:
    privet joint pair helper --collection census --index 0 --participants 1000 \\
      --helpers 192.0.2.1:7301,192.0.2.2:7301,192.0.2.3:7301
    privet joint pair helper --collection census --index 1 --participants 1000 \\
      --helpers 192.0.2.1:7301,192.0.2.2:7301,192.0.2.3:7301
    privet joint pair helper --collection census --index 2 --participants 1000 \\
      --helpers 192.0.2.1:7301,192.0.2.2:7301,192.0.2.3:7301

  A participant, who then meets the partner with `privet joint perturb --mailbox`:
    privet joint pair participant --collection census --out mailbox.bin \\
      --helpers 192.0.2.1:7301,192.0.2.2:7301,192.0.2.3:7301";

/// Pair people at random so that nobody knows who is paired with whom
///
/// Three or more helpers shuffle secret shares of the participants' tokens. Each participant learns a mailbox that it shares
/// with its unknown partner, or that it is alone, if the number of people is odd. Fewer than half of the helpers may put
/// together what they know; two of three know the whole pairing. The first helper is the relay and sees who shares a mailbox,
/// so it must not be the collector or collude with it. Honest-but-curious, and not audited.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PairArguments {
    #[command(subcommand)]
    role: RoleArguments,
}

#[derive(Debug, Subcommand)]
enum RoleArguments {
    Helper(HelperArguments),
    Participant(ParticipantArguments),
}

/// What helpers and participants must agree on.
#[derive(Debug, Args)]
struct MeetingArguments {
    /// The name of the collection, the same for everybody
    #[arg(long, value_name = "NAME")]
    collection: String,
    /// Where the helpers listen, in their order; the first one is the relay
    #[arg(long, value_name = "ADDRESS,..", value_delimiter = ',', required = true)]
    helpers: Vec<SocketAddr>,
    /// How many seconds an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_out: u64,
    /// Draw from a generator that anybody can repeat. For tests: the pairing is then no secret
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// Shuffle shares with the other helpers, tell the participants, and relay if this is the first helper
///
/// The helper ends when everybody has been told and, if it is the relay, all mailboxes have been used, or when the time to
/// linger is over.
#[derive(Debug, Args)]
struct HelperArguments {
    #[command(flatten)]
    meeting: MeetingArguments,
    /// This helper's place in the list, from 0
    #[arg(long, value_name = "PLACE")]
    index: usize,
    /// Begin when so many participants are there
    #[arg(long, value_name = "COUNT")]
    participants: usize,
    /// Or begin after so many seconds, with those who are there
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    window: u64,
    /// Tell the participants, and relay, for so many seconds at most
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    linger: u64,
    /// How the shares are brought into a random order
    #[arg(long, value_enum, default_value = "shuffle")]
    method: MethodArgument,
}

/// How shares are brought into a random order.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum MethodArgument {
    /// A shuffle in linear time, for three or more helpers
    Shuffle,
    /// The oblivious bitonic sort of the dissertation, for three helpers
    Sort,
}

impl MethodArgument {
    /// As it is written on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shuffle => "shuffle",
            Self::Sort => "sort",
        }
    }
}

impl From<MethodArgument> for Method {
    fn from(argument: MethodArgument) -> Self {
        match argument {
            MethodArgument::Shuffle => Self::Shuffle,
            MethodArgument::Sort => Self::Sort,
        }
    }
}

/// Be paired: learn a mailbox, or that nobody is left
#[derive(Debug, Args)]
struct ParticipantArguments {
    #[command(flatten)]
    meeting: MeetingArguments,
    /// Where to write the mailbox. The file opens it: keep it like a password
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How many seconds the pairing may take
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    patience: u64,
}

impl PairArguments {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.role {
            RoleArguments::Helper(role) => role.run(output),
            RoleArguments::Participant(role) => role.run(output),
        }
    }
}

impl MeetingArguments {
    fn meeting(&self) -> Meeting {
        Meeting {
            helpers: self.helpers.clone(),
            run: RunId::derive(self.collection.as_bytes()),
            time_out: Duration::from_secs(self.time_out),
        }
    }
}

impl HelperArguments {
    fn run(&self, output: Output) -> Result<(), Failure> {
        let meeting = self.meeting.meeting();
        let helpers = meeting.helpers.len();
        let Some(address) = meeting.helpers.get(self.index).copied() else {
            return Err(failed(PairingError::HelperPlace { helpers, got: self.index }));
        };
        let rng = generator(self.meeting.insecure_seed)?;
        let listener = TcpListener::bind(address).map_err(|error| Failure::Usage {
            message: format!("cannot listen at {address}: {error}"),
            hint: Some("the helper listens at its own place in --helpers; is another program there?"),
        })?;
        let task = HelperTask {
            meeting,
            index: self.index,
            method: self.method.into(),
            participants: self.participants,
            window: Duration::from_secs(self.window),
            linger: Duration::from_secs(self.linger),
        };
        eprintln!("helper {} of {helpers} waits for participants at {address}", self.index);
        let never = AtomicBool::new(false);
        let report = serve(task, listener, rng, &never, announce).map_err(failed)?;
        let document = json!({
            "role": "helper",
            "index": self.index,
            "is_relay": self.index == RELAY,
            "participants": report.participants,
            "pairs": report.participants / 2,
            "alone": report.participants % 2,
            "incomplete": report.incomplete,
            "milliseconds": report.duration.as_secs_f64() * 1e3,
            "bytes_sent": report.bytes_sent,
            "tolerated_collusion": tolerated_collusion(helpers),
        });
        output.print(&document, || page(&report, helpers))
    }
}

/// Says that the list is there, while the helper goes on.
fn announce(report: PairingReport) {
    eprintln!("{} participants are paired; telling them where", report.participants);
}

fn page(report: &PairingReport, helpers: usize) -> String {
    let incomplete = match report.incomplete {
        0 => String::new(),
        count => format!("; {count} were left out because not all helpers had their shares"),
    };
    format!(
        "{} participants: {} pairs, {} alone{incomplete}\nshuffled in {:.1} ms with {} bytes sent to the other helpers\n\
         the pairing is secret if at most {} of the {helpers} helpers share what they know, and the relay does not collude \
         with the collector",
        report.participants,
        report.participants / 2,
        report.participants % 2,
        report.duration.as_secs_f64() * 1e3,
        report.bytes_sent,
        tolerated_collusion(helpers),
    )
}

impl ParticipantArguments {
    fn run(&self, output: Output) -> Result<(), Failure> {
        // Before the pairing, so that a mailbox is not lost for want of a place to write it.
        let mut file = create_secret(&self.out)?;
        let outcome = self.pair();
        let Ok(Assignment::Mailbox(mailbox)) = outcome else {
            // The file is empty; if it cannot be removed, that is all there is to it.
            let _ = std::fs::remove_file(&self.out);
            let document = json!({ "role": "participant", "assignment": "alone" });
            let alone = "alone: nobody is left to be paired with; perturb with --alone";
            return outcome.and_then(|_| output.print(&document, || alone.to_owned()));
        };
        let written = file.write_all(&mailbox.to_bytes()).and_then(|()| file.sync_all());
        written.map_err(|source| unwritable(&self.out, source))?;
        let place = if mailbox.role() == Role::First { "first" } else { "second" };
        let id: String = mailbox.id().as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let document = json!({
            "role": "participant",
            "assignment": "mailbox",
            "mailbox": id,
            "place": place,
            "relay": self.meeting.helpers[RELAY].to_string(),
            "out": self.out.display().to_string(),
        });
        output.print(&document, || format!("mailbox {id}, as the {place}, in {}", self.out.display()))
    }

    fn pair(&self) -> Result<Assignment, Failure> {
        let mut rng = generator(self.meeting.insecure_seed)?;
        let submission = self.meeting.meeting().submit(&mut rng).map_err(failed)?;
        eprintln!("the helpers have the shares; waiting for the pairing");
        submission.wait(Duration::from_secs(self.patience)).map_err(failed)
    }
}

/// A new file that only its owner can read.
fn create_secret(path: &Path) -> Result<File, Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| unwritable(path, source))
}

fn unwritable(path: &Path, source: std::io::Error) -> Failure {
    Failure::File { action: "cannot write", path: path.to_owned(), source }
}

/// A pairing that failed, as a failure with an exit code.
pub(super) fn failed(error: PairingError) -> Failure {
    let message = error.to_string();
    match error {
        PairingError::HelperCount { .. }
        | PairingError::SortHelperCount { .. }
        | PairingError::HelperPlace { .. }
        | PairingError::ParticipantCount { .. } => Failure::Usage { message, hint: None },
        PairingError::TokenMissing
        | PairingError::ListsDiffer { .. }
        | PairingError::BrokenCommitment { .. } => Failure::Data {
            message,
            hint: Some("do not use this pairing; begin again with another --collection"),
        },
        _ => Failure::Data { message, hint: Some("nothing was spent: pair again, or perturb with --alone") },
    }
}
