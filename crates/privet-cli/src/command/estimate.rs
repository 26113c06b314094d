//! Reports to estimates.

use crate::arguments::MechanismArguments;
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::progress::Progress;
use crate::table::{Batch, Columns, Format, Problem, ReportColumn, Source, batch_rows, replace_file};
use clap::Args;
use privet::registry::AnyEstimator;
use privet::{CountSummary, Envelope, Frequencies, Frequency, ReportBuffer, ReportError, Summary};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Shares of the categories, with standard errors and intervals:
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 --in reports.csv

  Count on two machines, then add up:
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 \\
      --in monday.csv --summary-out monday.summary
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 \\
      --in monday.summary,tuesday.summary --consistency norm-sub";

/// Estimate frequencies from reports
///
/// The first interval covers the truth of its own row in 95 of 100 repetitions, the simultaneous intervals cover the truths
/// of all rows at once. Memory does not grow with the number of reports.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Estimate {
    #[command(flatten)]
    mechanism: MechanismArguments,
    /// Tables of reports (.csv, .jsonl, .ndjson, .parquet), summaries (.summary), or - for standard input
    #[arg(long = "in", value_name = "FILE,..", value_delimiter = ',', required = true)]
    input: Vec<PathBuf>,
    /// The column that holds the reports
    #[arg(long, value_name = "NAME", default_value = "report")]
    column: String,
    /// The format of the tables, whatever they are called
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// What to do about negative estimates: none, non-negative, norm-sub, simplex, expectation-maximization
    #[arg(long, value_name = "STEP", default_value = "none")]
    consistency: String,
    /// Store what was counted, to be merged later
    #[arg(long, value_name = "FILE")]
    summary_out: Option<PathBuf>,
    /// Show the most frequent only
    #[arg(long, value_name = "COUNT")]
    top: Option<usize>,
    /// Read reports that were drawn from an insecure seed; the number does not matter
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "0")]
    insecure_seed: Option<u64>,
}

impl Estimate {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let step = super::parse_consistency(&self.consistency)?;
        let mechanism = self.mechanism.mechanism()?;
        let estimator = self.mechanism.estimator()?;
        if self.insecure_seed.is_some() && self.summary_out.is_some() {
            return Err(Failure::Usage {
                message: "a summary does not carry the mark of an insecure seed".into(),
                hint: Some("estimate from seeded reports without --summary-out"),
            });
        }
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let counter = Counter { estimator: &*estimator, envelope, report_bytes: mechanism.report_bytes() };
        let mut summary = estimator.empty_summary();
        let mut progress = Progress::new("reports", None);
        for path in &self.input {
            if path.extension().is_some_and(|extension| extension == "summary") {
                merge_file(&mut summary, path)?;
            } else {
                let format = Format::of(path, self.format)?;
                let batch_rows = batch_rows(counter.report_bytes);
                let columns = Columns { column: Some(&self.column), keep: &[], batch_rows };
                let source = Source::open(path, format, columns)?;
                counter.count(&mut summary, source, path, &mut progress)?;
            }
        }
        drop(progress);
        let frequencies = self.shown(estimator.estimate(&summary, step)?);
        if let Some(path) = &self.summary_out {
            replace_file(path, &summary.to_bytes())?;
        }
        let document = json!({
            "attribute": self.column,
            "n": frequencies.n,
            "method": frequencies.method,
            "guarantee": super::guarantee_json(&mechanism.guarantee()),
            "estimates": frequencies.rows.iter().map(|row| row_json(row, &frequencies)).collect::<Vec<_>>(),
        });
        output.print(&document, || page(&frequencies))
    }

    fn shown(&self, mut frequencies: Frequencies) -> Frequencies {
        if let Some(count) = self.top {
            frequencies.rows.sort_by(|a, b| b.estimate.value.total_cmp(&a.estimate.value));
            frequencies.rows.truncate(count);
        }
        frequencies
    }
}

/// Counts reports into a summary.
struct Counter<'a> {
    estimator: &'a dyn AnyEstimator,
    envelope: Envelope,
    report_bytes: usize,
}

impl Counter<'_> {
    fn count(
        &self,
        summary: &mut CountSummary,
        source: Source,
        path: &Path,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let make = || ReportColumn::new(self.envelope, self.report_bytes);
        source.for_each_batch(make, |batch| {
            progress.add(batch.rows as u64);
            self.estimator
                .accumulate(summary, &batch.column.reports)
                .map_err(|error| self.refuse(path, &batch, error))
        })?;
        Ok(())
    }

    /// Names the row of a report that cannot have been made by the mechanism.
    fn refuse(&self, path: &Path, batch: &Batch<ReportColumn>, error: ReportError) -> Failure {
        let row = self.first_bad(&batch.column.reports).map(|position| batch.first_row + position as u64);
        Failure::Source { path: path.to_owned(), row, problem: Problem::Report(error) }
    }

    /// The position of the first report that is refused, by halving: one by one, wide summaries would take minutes.
    fn first_bad(&self, reports: &ReportBuffer) -> Option<usize> {
        let is_good = |count: usize| {
            let mut some = ReportBuffer::new(reports.report_bytes());
            let copied = reports.iter().take(count).try_for_each(|report| some.push(report));
            copied.is_ok() && self.estimator.accumulate(&mut self.estimator.empty_summary(), &some).is_ok()
        };
        let (mut good, mut bad) = (0, reports.len());
        while good + 1 < bad {
            let middle = good.midpoint(bad);
            if is_good(middle) { good = middle } else { bad = middle }
        }
        (bad > 0).then_some(good)
    }
}

fn merge_file(summary: &mut CountSummary, path: &Path) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let merged = CountSummary::from_bytes(&bytes).and_then(|stored| summary.merge(&stored));
    merged.map_err(|error| Failure::Source { path: path.to_owned(), row: None, problem: error.into() })
}

fn row_json(row: &Frequency, all: &Frequencies) -> Value {
    json!({
        "label": row.label,
        "value": row.estimate.value,
        "standard_error": row.estimate.standard_error,
        "interval": row.estimate.interval,
        "simultaneous_interval": row.simultaneous_interval,
        "n": row.estimate.n,
        "method": all.method,
    })
}

fn page(frequencies: &Frequencies) -> String {
    let header = ["LABEL", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL", "SIMULTANEOUS 95 % INTERVAL"];
    let mut table = table_of_numbers(&header, 1);
    for row in &frequencies.rows {
        table.add_row([
            row.label.clone(),
            number(row.estimate.value),
            number(row.estimate.standard_error),
            interval(row.estimate.interval),
            interval(row.simultaneous_interval),
        ]);
    }
    format!("{}\n\n{} reports, {}", table.trim_fmt(), frequencies.n, frequencies.method)
}
