//! Reports on their way to a collector.

use super::answers::read_answers;
use super::connection::ConnectionArguments;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{BATCH_ROWS, Columns, Format, ReportColumn, Source};
use clap::Args;
use privet::client::{Collection, Collector, Device, Sent};
use privet::policy::{DecimalEpsilon, PolicyId, ReportCodec};
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Reports of many people, made by `privet perturb --policy`:
    privet collect submit --collector http://127.0.0.1:8080 --collection ID --in reports.csv

  One's own answers: randomised here, recorded in the ledger, and only then sent:
    echo '{\"commute\": \"bus\"}' | privet collect submit --collector http://127.0.0.1:8080 \\
      --collection ID --answers - --ledger my.ledger

  Where each report needs a one-time token, for those who may have tokens signed:
    privet collect submit --collector http://127.0.0.1:8080 --collection ID --in reports.csv \\
      --token manage.token";

/// Send reports to a collector
///
/// Reports go in batches, and are stored when the command ends. Sending them again changes nothing, so a command that was
/// interrupted can simply be repeated.
///
/// With --answers, one person reports: the answers are checked, randomised and recorded with their cost in the ledger, and then
/// sent. Repeated in the same epoch, the same report is sent again, whatever the answers are. A secret beside the ledger keeps
/// permanent answers the same.
///
/// If the collection asks for one-time tokens, each report gets one: drawn and blinded here, signed by the collector, which does not see
/// it, and sent with the report. Signing needs the token of those who manage the collector.
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

/// The most bytes of reports that are read before they are sent.
const BATCH_BYTES: usize = 1 << 20;

impl Submit {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let mut collector = self.connection.open()?;
        let collection = collector.collection(self.collection)?;
        match (&self.input, &self.answers, &self.ledger) {
            (Some(input), _, _) => self.table(&mut collector, &collection, input, output),
            (None, Some(answers), Some(ledger)) => {
                self.person(&mut collector, &collection, answers, ledger, output)
            }
            _ => Err(Failure::Usage { message: "which reports?".into(), hint: Some("say it with --in") }),
        }
    }

    fn table(
        &self,
        collector: &mut Collector,
        collection: &Collection,
        input: &Path,
        output: Output,
    ) -> Result<(), Failure> {
        let envelope = contract::envelope(collection.policy(), false);
        let codec = ReportCodec::new(Arc::clone(collection.policy()));
        let body_bytes = contract::body_bytes(&codec);
        let batch_rows = (BATCH_BYTES / codec.report_bytes()).clamp(1, BATCH_ROWS);
        let columns = Columns { column: Some(&self.column), keep: &[], batch_rows };
        let source = Source::open(input, Format::of(input, self.format)?, columns)?;
        let mut sent = SentRows::default();
        let mut progress = Progress::new("reports", None);
        let rows = source.for_each_batch(
            || ReportColumn::new(envelope, body_bytes),
            |batch| {
                let reports: Vec<u8> = batch
                    .column
                    .reports
                    .iter()
                    .flat_map(|body| contract::whole_report(envelope, body))
                    .collect();
                sent.add(collector.submit(collection, &reports)?, batch.first_row);
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
        collector: &mut Collector,
        collection: &Collection,
        answers: &Path,
        ledger: &Path,
        output: Output,
    ) -> Result<(), Failure> {
        let answers = read_answers(collection.policy(), answers)?;
        let mut device = Device::open(ledger)?;
        if let Some(limit) = self.limit {
            device = device.with_origin_limit(limit);
        }
        let sent = collector.answer(collection, &mut device, &answers, contract::day(None)?)?;
        let document = json!({
            "report": sent.report.to_string(),
            "repeated": sent.is_repeated,
            "accepted": u64::from(!sent.is_duplicate),
            "duplicates": u64::from(sent.is_duplicate),
            "refused": 0,
            "spent_epsilon": sent.spent_epsilon,
        });
        output.print(&document, || {
            let how = if sent.is_repeated { "was sent again" } else { "was sent" };
            format!(
                "The report {} {how}; epsilon {} is spent on this origin so far",
                sent.report, sent.spent_epsilon
            )
        })
    }
}

/// What became of all reports.
#[derive(Debug, Default, Serialize)]
struct SentRows {
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

impl SentRows {
    /// Adds what became of a batch.
    fn add(&mut self, sent: Sent, first_row: u64) {
        self.accepted += sent.accepted;
        self.duplicates += sent.duplicates;
        self.refused += sent.refused;
        let room = MOST_PROBLEMS.saturating_sub(self.problems.len());
        self.problems.extend(sent.problems.into_iter().take(room).map(|problem| RowProblem {
            row: first_row + problem.index,
            code: problem.code,
            detail: problem.detail,
        }));
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
