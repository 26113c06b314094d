//! Values to reports.

mod under_policy;

use crate::arguments::{MechanismArguments, generator};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{
    Batch, Columns, Format, Problem, ReportWriter, Source, ValueColumn, batch_rows, check_other_file,
    is_standard_stream,
};
use clap::Args;
use privet::document;
use privet::{AnyMechanism, DomainSpec, Envelope, Generator, InputError, ReportBuffer, Values};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  One column of a csv file becomes reports; nothing else is copied:
    privet perturb --mechanism oue --domain categories:walk,bus,car --epsilon 1 \\
      --column transport --in people.csv --out reports.csv

  Values on standard input, one on each line, and reports on standard output:
    echo car | privet perturb --mechanism grr --domain categories:walk,bus,car --epsilon 1 \\
      --in - --out - --format lines

  Numbers between two public ends; what lies outside is refused, or moved with --clamp:
    privet perturb --mechanism optimal-piecewise --domain interval:0,120 --epsilon 2 \\
      --column age --in people.csv --out reports.csv --clamp

  Vectors, a row of an array for each person; those longer than 2 are shortened:
    privet perturb --mechanism privunit --domain vector:64 --epsilon 5 --radius 2 \\
      --in features.npy --out reports.parquet

  Under a policy, whose attributes and public fields are columns of the table:
    privet perturb --policy travel.toml --in people.csv --out reports.csv";

/// Turn a column of values into a column of reports
///
/// The output has one column, `report`: each is the version, a mark, the mechanism's fingerprint and the randomised
/// value, in hexadecimal digits (in parquet and arrow, in bytes). All reports have the same length. The file appears under its
/// name when it is complete. Memory does not grow with the number of rows.
///
/// With a policy, each row is a person: the columns that are called like its attributes are randomised as it says, those that are
/// called like its public fields are copied into the report, and other columns are not read. The reports are what a collector takes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("mechanism", |mechanism| mechanism.required(false).required_unless_present("policy")))]
pub(crate) struct Perturb {
    /// The policy under which the reports are made, in TOML or JSON, instead of a mechanism
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "mechanism", "domain", "epsilon", "delta", "bins", "radius", "column", "clamp", "keep",
    ])]
    policy: Option<PathBuf>,
    /// The day for which people report under a policy [default: today]
    #[arg(long, value_name = "DATE", requires = "policy")]
    day: Option<String>,
    #[command(flatten)]
    mechanism: MechanismArguments,
    /// The column that holds the values; lines and npy have none. Vectors are lists, or numbers with commas between them
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The table to read: .csv, .jsonl, .ndjson, .parquet, .arrow or .npy, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The table to write, or - for standard output
    #[arg(long = "out", value_name = "FILE")]
    out: PathBuf,
    /// Move values outside the domain to the nearest one inside, instead of refusing them
    #[arg(long)]
    clamp: bool,
    /// Public columns to copy. They are sent as they are: without any protection
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    keep: Vec<String>,
    /// The format of both files, whatever they are called
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["in_format", "out_format"])]
    format: Option<Format>,
    /// The format of the input, whatever it is called
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    in_format: Option<Format>,
    /// The format of the output, whatever it is called
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    out_format: Option<Format>,
    /// Draw from a generator that anybody can repeat. For tests: the reports are marked and protect nobody
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

impl Perturb {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.policy {
            Some(policy) => self.under_policy(policy, output),
            None => self.by_mechanism(output),
        }
    }

    fn by_mechanism(&self, output: Output) -> Result<(), Failure> {
        let chosen = self.mechanism.resolve()?;
        let mechanism = chosen.mechanism()?;
        self.check_flags(output)?;
        let in_format = Format::of(&self.input, self.in_format.or(self.format))?;
        let out_format = Format::of(&self.out, self.out_format.or(self.format))?;
        let batch_rows = batch_rows(mechanism.report_bytes());
        let columns = Columns { column: self.column.as_deref(), keep: &self.keep, batch_rows };
        let source = Source::open(&self.input, in_format, columns)?;
        let rng = generator(self.insecure_seed)?;
        let envelope = Envelope { fingerprint: mechanism.fingerprint(), insecure: rng.is_insecure() };
        let writer = ReportWriter::create(&self.out, out_format, envelope)?;
        let rows = self.perturb(&*mechanism, chosen.domain, source, rng, writer)?;
        if is_standard_stream(&self.out) {
            return Ok(());
        }
        let guarantee = mechanism.guarantee();
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": out_format.as_str(),
            "guarantee": document::guarantee(&guarantee),
            "fingerprint": mechanism.fingerprint().to_string(),
            "insecure": envelope.insecure,
        });
        output.print(&document, || format!("{rows} reports in {} ({guarantee}, each)", self.out.display()))
    }

    fn perturb(
        &self,
        mechanism: &dyn AnyMechanism,
        domain: DomainSpec,
        source: Source,
        mut rng: Generator,
        mut writer: ReportWriter,
    ) -> Result<u64, Failure> {
        let domain = Arc::new(domain);
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let mut progress = Progress::new("rows", None);
        let make = || ValueColumn::new(domain.clone(), self.clamp);
        let rows = source.for_each_batch(make, |batch| {
            reports.clear();
            let values = &batch.column.values;
            let drawn = if self.clamp {
                mechanism.randomize_batch_clamped(values, &mut rng, &mut reports)
            } else {
                mechanism.randomize_batch(values, &mut rng, &mut reports)
            };
            drawn.map_err(|error| self.refuse(&domain, &batch, error))?;
            progress.add(batch.rows as u64);
            if batch.is_cut { Ok(()) } else { writer.write(&reports, &batch.kept) }
        })?;
        if rows == 0 {
            return Err(Source::no_rows(&self.input));
        }
        writer.finish()?;
        Ok(rows)
    }

    /// Names the row of a value that the mechanism does not accept.
    fn refuse(&self, domain: &DomainSpec, batch: &Batch<ValueColumn>, error: InputError) -> Failure {
        let path = self.input.clone();
        let InputError::OutsideDomainAt { position, domain: name } = error else {
            let problem = Problem::Input { source: error, is_clampable: false };
            return Failure::Source { path, row: None, problem };
        };
        let is_clampable = !self.clamp && has_nearest(domain, &batch.column.values, position - 1);
        let problem = Problem::Input { source: InputError::OutsideDomain { domain: name }, is_clampable };
        Failure::Source { path, row: Some(batch.first_row + position - 1), problem }
    }

    fn check_flags(&self, output: Output) -> Result<(), Failure> {
        let wrong = |message: &str, hint| Err(Failure::Usage { message: message.to_owned(), hint });
        if output == Output::Json && is_standard_stream(&self.out) {
            return wrong("--json and --out - both need standard output", Some("name a file with --out"));
        }
        if self.column.as_ref().is_some_and(|column| self.keep.contains(column)) {
            return wrong(
                "--keep would copy the private column as it is",
                Some("keep columns that are public only"),
            );
        }
        if self.keep.iter().any(|name| name == "report") {
            return wrong("a kept column cannot be called report", Some("rename it before"));
        }
        check_other_file(&self.input, &self.out)
    }
}

/// Whether `--clamp` could move the value into the domain.
fn has_nearest(domain: &DomainSpec, values: &Values, position: u64) -> bool {
    if let Values::Vectors { .. } = values {
        return false;
    }
    if let Values::Points(points) = values {
        let point = points.get(position as usize);
        return point.is_some_and(|point| point.iter().all(|coordinate| !coordinate.is_nan()));
    }
    let Values::Numbers(numbers) = values else { return true };
    numbers.get(position as usize).is_some_and(|number| match domain {
        DomainSpec::Circle(_) => number.is_finite(),
        _ => !number.is_nan(),
    })
}
