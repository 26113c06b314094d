//! One person's part of a joint perturbation.

use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::{is_standard_stream, replace_file};
use clap::Args;
use privet::{Generator, Probability};
use privet_joint::JointTable;
use privet_joint::pairing::{Mailbox, Meeting};
use privet_joint::relay::open_mailbox;
use privet_joint::two_party::{FileLedger, Role, RunError, RunLedger, Truthfulness, run};
use privet_joint::wire::{RunId, Sealed, TcpLink, WireError};
use serde_json::json;
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  Two people who can reach each other, each with a value and a folder of their own:
    privet joint perturb --p 0.75 --rho -0.33 --collection census --listen 127.0.0.1:7300 \\
      --in value.txt --ledger ledger --out report.json
    privet joint perturb --p 0.75 --rho -0.33 --collection census --connect 127.0.0.1:7300 \\
      --in value.txt --ledger ledger --out report.json

  A partner that nobody knows, behind the mailbox that `joint pair` gave:
    privet joint perturb --p 0.75 --rho -0.33 --collection census --mailbox mailbox.bin \\
      --relay 192.0.2.1:7301 --in value.txt --ledger ledger --out report.json";

/// How often an end that waits for the other looks again.
const PAUSE: Duration = Duration::from_millis(10);

/// A value file holds one digit; more than this is another file.
const MAX_VALUE_BYTES: u64 = 64;

/// Perturb one person's 0 or 1 together with a partner
///
/// Two people draw whether each of them reports truthfully, by a two-party protocol in which each learns only their own
/// part. The report holds the perturbed value, p, rho and the role; it does not say who the partner is. Each person has
/// one run in each collection: the ledger's folder remembers it. If the run fails after an output could have left, the
/// person is left out of the collection. Honest-but-curious, and not audited.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PerturbArguments {
    /// The probability of a truthful report
    #[arg(long, value_name = "P")]
    p: f64,
    /// The correlation of the two
    #[arg(long, value_name = "RHO", allow_negative_numbers = true)]
    rho: f64,
    /// The name of the collection, the same for everybody
    #[arg(long, value_name = "NAME")]
    collection: String,
    #[command(flatten)]
    partner: Partner,
    /// The helper that carries the messages of mailboxes
    #[arg(long, value_name = "ADDRESS", requires = "mailbox", conflicts_with_all = ["listen", "connect", "alone"])]
    relay: Option<SocketAddr>,
    /// The file that holds the value, 0 or 1, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// A folder of this person alone, which is kept: it remembers the collections whose run is spent
    #[arg(long, value_name = "FOLDER")]
    ledger: PathBuf,
    /// The report to write, or - for standard output
    #[arg(long = "out", value_name = "FILE")]
    out: PathBuf,
    /// How many seconds the partner may take for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_out: u64,
    /// Draw from a generator that anybody can repeat. For tests: the report is marked and protects nobody
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// Where the partner is.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Partner {
    /// Wait for the partner at this address, as the first of the two
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Go to the partner who waits at this address, as the second of the two
    #[arg(long, value_name = "ADDRESS")]
    connect: Option<SocketAddr>,
    /// Meet the partner at the mailbox in this file
    #[arg(long, value_name = "FILE", requires = "relay")]
    mailbox: Option<PathBuf>,
    /// No partner: the one who is left over from an odd number
    #[arg(long)]
    alone: bool,
}

impl PerturbArguments {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        if output == Output::Json && is_standard_stream(&self.out) {
            let message = "--json and --out - both need standard output".to_owned();
            return Err(Failure::Usage { message, hint: Some("name a file with --out") });
        }
        let table = JointTable::new(Probability::new(self.p)?, self.rho).map_err(super::refused)?;
        let value = self.read_value()?;
        let mut rng = generator(self.insecure_seed)?;
        let mut ledger = FileLedger::new(&self.ledger, &self.collection);
        let (truthfulness, role) = self.draw(&table, &mut rng, &mut ledger)?;
        let report = json!({
            "value": u8::from(truthfulness.report(value)),
            "p": table.p(),
            "rho": table.rho(),
            "role": role,
            "collection": self.collection,
            "insecure": rng.is_insecure(),
        });
        drop(truthfulness);
        replace_file(&self.out, format!("{report}\n").as_bytes())?;
        if is_standard_stream(&self.out) {
            return Ok(());
        }
        let document =
            json!({ "out": self.out.display().to_string(), "role": role, "insecure": rng.is_insecure() });
        output.print(&document, || format!("a report in {} ({role})", self.out.display()))
    }

    fn read_value(&self) -> Result<bool, Failure> {
        let failed = |source| Failure::File { action: "cannot read", path: self.input.clone(), source };
        let mut text = String::new();
        if is_standard_stream(&self.input) {
            std::io::stdin().take(MAX_VALUE_BYTES).read_to_string(&mut text)
        } else {
            std::fs::File::open(&self.input)
                .and_then(|file| file.take(MAX_VALUE_BYTES).read_to_string(&mut text))
        }
        .map_err(failed)?;
        match text.trim() {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => {
                let message = format!("{}: the value must be 0 or 1", self.input.display());
                Err(Failure::Data { message, hint: None })
            }
        }
    }

    /// The person's truthfulness, and the role in words.
    fn draw(
        &self,
        table: &JointTable,
        rng: &mut Generator,
        ledger: &mut dyn RunLedger,
    ) -> Result<(Truthfulness, &'static str), Failure> {
        if self.partner.alone {
            // A second report of the same value would tell more than one.
            ledger.spend().map_err(|error| Failure::Data { message: error.to_string(), hint: None })?;
            return Ok((Truthfulness::draw_alone(table, rng), "alone"));
        }
        let (mut link, role) = self.meet(rng)?;
        let name = if role == Role::First { "first" } else { "second" };
        run(role, table, &mut link, rng, ledger)
            .map(|bit| (bit, name))
            .map_err(|error| self.unfinished(error))
    }

    fn meet(&self, rng: &mut Generator) -> Result<(Sealed<TcpLink>, Role), Failure> {
        let time_out = Duration::from_secs(self.time_out);
        let name = RunId::derive(self.collection.as_bytes());
        let (stream, role) = match (&self.partner, self.relay) {
            (Partner { listen: Some(address), .. }, _) => (accept(*address, time_out), Role::First),
            (Partner { connect: Some(address), .. }, _) => (connect(*address, time_out), Role::Second),
            (Partner { mailbox: Some(path), .. }, Some(relay)) => {
                let mailbox = read_mailbox(path)?;
                let meeting = Meeting { helpers: vec![relay], run: name, time_out };
                let opened = open_mailbox(&meeting, &mailbox, rng);
                let link = opened.map_err(|error| self.apart(&error.to_string()))?;
                return Ok((link, mailbox.role()));
            }
            _ => return Err(self.apart("nobody said where the partner is")),
        };
        let link = stream.and_then(|stream| TcpLink::from_stream(stream, name, time_out));
        let sealed = link.and_then(|link| Sealed::handshake(link, rng));
        Ok((sealed.map_err(|error| self.apart(&error.to_string()))?, role))
    }

    /// What to do when nothing was spent. A relay lets nobody sit down at a mailbox twice.
    fn again(&self) -> &'static str {
        match self.partner.mailbox {
            Some(_) => "nothing was spent: this person may be paired again",
            None => "nothing was spent: the two may try again",
        }
    }

    /// The two did not meet.
    fn apart(&self, message: &str) -> Failure {
        let message = format!("no connection to the partner: {message}");
        Failure::Data { message, hint: Some(self.again()) }
    }

    /// The two met, and there is no truthfulness.
    fn unfinished(&self, error: RunError) -> Failure {
        let hint = if error.is_final() {
            Some("leave this person out of the collection; a second run could tell a partner the value")
        } else {
            error.is_retryable().then(|| self.again())
        };
        Failure::Data { message: format!("the joint run failed: {error}"), hint }
    }
}

/// The mailbox that `joint pair` wrote.
fn read_mailbox(path: &PathBuf) -> Result<Mailbox, Failure> {
    let bytes = std::fs::read(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.clone(),
        source,
    })?;
    Mailbox::from_bytes(&bytes).map_err(|_| Failure::Data {
        message: format!("{} does not hold a mailbox", path.display()),
        hint: Some("`privet joint pair` writes one for each participant"),
    })
}

/// Waits for one connection.
fn accept(address: SocketAddr, time_out: Duration) -> Result<TcpStream, WireError> {
    let listener = TcpListener::bind(address)?;
    eprintln!("waiting for the partner at {}", listener.local_addr()?);
    listener.set_nonblocking(true)?;
    let stream = try_until(time_out, ErrorKind::WouldBlock, || listener.accept().map(|(stream, _)| stream))?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Connects to somebody who may not be there yet.
fn connect(address: SocketAddr, time_out: Duration) -> Result<TcpStream, WireError> {
    try_until(time_out, ErrorKind::ConnectionRefused, || TcpStream::connect_timeout(&address, time_out))
}

/// Tries again as long as it fails in this way and there is time.
fn try_until<T>(
    time_out: Duration,
    again: ErrorKind,
    mut action: impl FnMut() -> std::io::Result<T>,
) -> Result<T, WireError> {
    let deadline = Instant::now() + time_out;
    loop {
        match action() {
            Err(error) if error.kind() == again && Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(error) if error.kind() == again => return Err(WireError::TimedOut),
            outcome => return Ok(outcome?),
        }
    }
}
