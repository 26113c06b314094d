//! Reports on their way to a collector.

use super::connection::{Connection, ConnectionArguments, Reply, problem_code};
use super::device;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{BATCH_ROWS, Columns, Format, ReportColumn, Source};
use clap::Args;
use privet::policy::{DecimalEpsilon, PolicyId, ReportCodec, ResolvedPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Reports of many people, made by `privet perturb --policy`:
    privet collect submit --collector http://127.0.0.1:8080 --collection ID --in reports.csv

  One's own answers: randomised here, recorded in the ledger, and only then sent:
    echo '{\"commute\": \"bus\"}' | privet collect submit --collector http://127.0.0.1:8080 \\
      --collection ID --answers - --ledger my.ledger";

/// Send reports to a collector
///
/// Reports go in batches, and are stored when the command ends. Sending them again changes nothing, so a command that was
/// interrupted can simply be repeated.
///
/// With --answers, one person reports: the answers are checked, randomised and recorded with their cost in the ledger, and then
/// sent. Repeated in the same epoch, the same report is sent again, whatever the answers are. A secret beside the ledger keeps
/// permanent answers the same.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Submit {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// The id of the collection
    #[arg(long, value_name = "ID", value_parser = super::parse_id)]
    collection: PolicyId,
    /// A table of reports (.csv, .jsonl, .ndjson, .parquet, .arrow), or - for standard input
    #[arg(long = "in", value_name = "FILE", required_unless_present = "answers", conflicts_with = "answers")]
    input: Option<PathBuf>,
    /// The column that holds the reports
    #[arg(long, value_name = "NAME", default_value = "report")]
    column: String,
    /// The format of the table, whatever it is called
    #[arg(long, value_name = "FORMAT", conflicts_with = "answers")]
    format: Option<Format>,
    /// A person's answers as a JSON object, with the names of the policy, or - for standard input
    #[arg(long, value_name = "FILE", requires = "ledger")]
    answers: Option<PathBuf>,
    /// The person's own record of what was spent; it is made if there is none
    #[arg(long, value_name = "FILE", requires = "answers")]
    ledger: Option<PathBuf>,
    /// The most epsilon that the person ever spends on one origin [default: what policies allow]
    #[arg(long, value_name = "NUMBER", requires = "answers", value_parser = parse_limit)]
    limit: Option<DecimalEpsilon>,
}

fn parse_limit(text: &str) -> Result<DecimalEpsilon, String> {
    let number = text.parse().ok().and_then(DecimalEpsilon::new);
    number.ok_or_else(|| {
        "must be above 0 and at most 1000, with at most nine digits after the point".to_owned()
    })
}

/// The most bytes of one request.
const BODY_BYTES: usize = 1 << 20;

const BYTES: &str = "application/octet-stream";

impl Submit {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let mut connection = self.connection.open()?;
        let policy = self.policy(&mut connection)?;
        match (&self.input, &self.answers, &self.ledger) {
            (Some(input), _, _) => self.table(&mut connection, policy, input, output),
            (None, Some(answers), Some(ledger)) => {
                self.person(&mut connection, policy, answers, ledger, output)
            }
            _ => Err(Failure::Usage { message: "which reports?".into(), hint: Some("say it with --in") }),
        }
    }

    fn path(&self) -> String {
        format!("/v1/collections/{}", self.collection)
    }

    /// The policy that the collection's id is the hash of. A collector cannot hand out another one.
    fn policy(&self, connection: &mut Connection) -> Result<Arc<ResolvedPolicy>, Failure> {
        let shown: Value = connection.get(&self.path())?.json()?;
        if shown["token_key"].is_string() {
            return Err(Failure::Usage {
                message: "reports of this collection need one-time tokens, which this command does not send"
                    .into(),
                hint: None,
            });
        }
        let reply = connection.get(&format!("{}/policy", self.path()))?;
        let policy = ResolvedPolicy::from_json(reply.text()?).map_err(|_| super::not_understood())?;
        if policy.id() == self.collection { Ok(Arc::new(policy)) } else { Err(super::other_policy()) }
    }

    fn table(
        &self,
        connection: &mut Connection,
        policy: Arc<ResolvedPolicy>,
        input: &Path,
        output: Output,
    ) -> Result<(), Failure> {
        let envelope = contract::envelope(&policy, false);
        let codec = ReportCodec::new(policy);
        let body_bytes = contract::body_bytes(&codec);
        let batch_rows = (BODY_BYTES / codec.report_bytes()).clamp(1, BATCH_ROWS);
        let columns = Columns { column: Some(&self.column), keep: &[], batch_rows };
        let source = Source::open(input, Format::of(input, self.format)?, columns)?;
        let mut sent = Sent::default();
        let mut progress = Progress::new("reports", None);
        let path = format!("{}/reports", self.path());
        let rows = source.for_each_batch(
            || ReportColumn::new(envelope, body_bytes),
            |batch| {
                let reports: Vec<u8> = batch
                    .column
                    .reports
                    .iter()
                    .flat_map(|body| contract::whole_report(envelope, body))
                    .collect();
                let reply = connection.post(&path, BYTES, &reports)?;
                sent.add(&reply, batch.first_row, batch.rows as u64)?;
                progress.add(batch.rows as u64);
                Ok(())
            },
        )?;
        if rows == 0 {
            return Err(Source::no_rows(input));
        }
        output.print(&sent, || sent.page())?;
        sent.check()
    }

    fn person(
        &self,
        connection: &mut Connection,
        policy: Arc<ResolvedPolicy>,
        answers: &Path,
        ledger: &Path,
        output: Output,
    ) -> Result<(), Failure> {
        let own = device::report(&policy, answers, ledger, self.limit)?;
        let codec = ReportCodec::new(policy);
        let id = codec.decode(&own.report.bytes).map(|report| report.id());
        let id = id.map_err(|error| Failure::Data { message: error.to_string(), hint: None })?;
        let reply = connection.post(&format!("{}/reports", self.path()), BYTES, &own.report.bytes)?;
        let Counts { accepted, duplicates, .. } = reply.json()?;
        let document = json!({
            "report": id.to_string(),
            "repeated": own.report.is_repeated,
            "accepted": accepted,
            "duplicates": duplicates,
            "refused": 0,
            "spent_epsilon": own.spent,
        });
        output.print(&document, || {
            let how = if own.report.is_repeated { "was sent again" } else { "was sent" };
            format!("The report {id} {how}; epsilon {} is spent on this origin so far", own.spent)
        })
    }
}

/// What became of the reports of one request.
#[derive(Debug, Deserialize)]
struct Counts {
    accepted: u64,
    duplicates: u64,
    refused: u64,
    problems: Vec<Value>,
}

/// What became of all reports.
#[derive(Debug, Default, Serialize)]
struct Sent {
    accepted: u64,
    duplicates: u64,
    refused: u64,
    /// The first ones.
    problems: Vec<RowProblem>,
}

/// Why a report is not counted.
#[derive(Debug, Serialize)]
struct RowProblem {
    row: u64,
    code: String,
    detail: String,
}

const MOST_PROBLEMS: usize = 100;

impl Sent {
    /// Adds what became of a batch.
    fn add(&mut self, reply: &Reply, first_row: u64, rows: u64) -> Result<(), Failure> {
        let document = reply.document();
        let code = problem_code(&document).unwrap_or_default();
        let counts = match code {
            "reports-refused" => {
                let problems = document["problems"].as_array().cloned().unwrap_or_default();
                Counts { accepted: 0, duplicates: 0, refused: rows, problems }
            }
            // A single report is answered with its own problem.
            _ if rows == 1 && code.starts_with("report-") => {
                let mut problem = document.clone();
                problem["index"] = json!(0);
                Counts { accepted: 0, duplicates: 0, refused: 1, problems: vec![problem] }
            }
            _ => reply.json()?,
        };
        self.accepted += counts.accepted;
        self.duplicates += counts.duplicates;
        self.refused += counts.refused;
        let room = MOST_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(counts.problems.iter().take(room).map(|problem| RowProblem {
            row: first_row + problem["index"].as_u64().unwrap_or_default(),
            code: problem_code(problem).unwrap_or_default().to_owned(),
            detail: problem["detail"].as_str().unwrap_or_default().to_owned(),
        }));
        Ok(())
    }

    fn page(&self) -> String {
        format!(
            "{} reports accepted, {} there before, {} refused",
            self.accepted, self.duplicates, self.refused
        )
    }

    /// Reports that do not count are a failure.
    fn check(&self) -> Result<(), Failure> {
        let Some(first) = self.problems.first().filter(|_| self.refused > 0) else { return Ok(()) };
        Err(Failure::Data {
            message: format!(
                "{} reports were refused, the first one in row {}: {} [{}]",
                self.refused, first.row, first.detail, first.code
            ),
            hint: Some("--json names the rows"),
        })
    }
}
