//! Reports to estimates.

pub(super) mod question;
mod under_policy;
mod vectors;

use crate::arguments::{Chosen, MechanismArguments};
use crate::command::answers::page;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Batch, Columns, Format, Problem, ReportColumn, Source, batch_rows, replace_file};
use clap::Args;
use privet::document::AttributeDocument;
use privet::plane::PlaneReports;
use privet::registry::AnyEstimator;
use privet::{
    Answer, Consistency, CountSummary, DomainSpec, Envelope, Guarantee, PlaneEstimator, ReportBuffer,
    ReportError, Request, Summary, Target,
};
use question::NumberArguments;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  Shares of the categories, with margins and intervals:
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 --in reports.csv

  Count on two machines, then add up:
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 \\
      --in monday.csv --summary-out monday.summary
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 \\
      --in monday.summary,tuesday.summary --consistency norm-sub

  Numbers: the mean, the distribution, deciles and the share of adults:
    privet estimate --mechanism optimal-piecewise --domain interval:0,120 --epsilon 2 --in reports.csv \\
      --distribution-bins 24 --quantiles 0.1,0.5,0.9 --range 18,120

  What the reports say about everybody, if the people who reported were drawn at random:
    privet estimate --mechanism oue --domain categories:walk,bus,car --epsilon 1 --in reports.csv \\
      --target population

  All attributes of a policy, as a whole and by the values of a public field:
    privet estimate --policy travel.toml --in reports.csv
    privet estimate --policy travel.toml --in reports.csv --by region";

/// Estimate frequencies, means and distributions from reports
///
/// Categories and words: how often each is held. The first interval covers the truth of its own row in 95 of 100
/// repetitions, the simultaneous intervals cover the truths of all rows at once.
///
/// Numbers: the mean, the distribution over equal bins, quantiles, and shares of ranges. A bin or a range holds its lower end;
/// its upper end only where that is the end of the domain. Angles: the mean direction, or that none can be told, the
/// length of the mean of unit vectors (one if all angles are alike, zero if they cancel), and the distribution.
///
/// Intervals have 95 % confidence each, whatever the people are like: all at one value, or spread smoothly. They hold the
/// bias of the estimate as well as its noise, so the value need not be their middle. The margin is the distance
/// to the farther end. docs/INTERVALS.md says what is promised, and by which theorem.
///
/// Places: the shares of equal cells of the rectangle, by maximum likelihood on a grid. `trajectory estimate` reads paths.
///
/// Vectors: the mean of each coordinate, of vectors that were moved into the clip set.
///
/// Under a policy: each of its attributes. Reports with the same id count once, and nothing is shown of fewer reports than the
/// policy's minimum.
///
/// Memory does not grow with the number of reports, except under a policy for the ids.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("mechanism", |mechanism| mechanism.required(false).required_unless_present("policy")))]
pub(crate) struct Estimate {
    #[command(flatten)]
    contract: under_policy::PolicyArguments,
    #[command(flatten)]
    mechanism: MechanismArguments,
    /// Tables of reports (.csv, .jsonl, .ndjson, .parquet, .arrow), summaries (.summary), or - for standard input
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
    /// Which people the intervals are about: `reported`, those whose reports these are, uncertain by the noise of their
    /// reports alone; or `population`, everybody from whom they were drawn at random, uncertain also by who happened to
    /// report. Comparing groups or times needs `population`: docs/INTERVALS.md
    #[arg(long, value_name = "TARGET", default_value = "reported", value_parser = str::parse::<Target>)]
    target: Target,
    #[command(flatten)]
    numbers: NumberArguments,
    /// Store what was counted, to be merged later
    #[arg(long, value_name = "FILE")]
    summary_out: Option<PathBuf>,
    /// Show the most frequent categories or words only
    #[arg(long, value_name = "COUNT")]
    top: Option<usize>,
    /// Read reports that were drawn from an insecure seed; the number does not matter
    #[arg(long, value_name = "NUMBER", num_args = 0..=1, default_missing_value = "0")]
    insecure_seed: Option<u64>,
}

impl Estimate {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let step = super::parse_consistency(&self.consistency)?;
        match &self.contract.policy {
            Some(policy) => self.of_policy(policy, step, output),
            None => self.of_mechanism(step, output),
        }
    }

    fn of_mechanism(&self, step: Consistency, output: Output) -> Result<(), Failure> {
        let chosen = self.mechanism.resolve()?;
        let request = self.request(&chosen.domain, step)?;
        self.refuse_seeded_summary()?;
        let (guarantee, answer) = match &chosen.domain {
            DomainSpec::Vectors(_) => self.of_vectors(&chosen, &request)?,
            _ => self.of_values(&chosen, &request)?,
        };
        let document = AttributeDocument::of_mechanism(&self.column, &guarantee, &answer);
        output.print(&document, || page(&document))
    }

    fn of_values(&self, chosen: &Chosen, request: &Request) -> Result<(Guarantee, Answer), Failure> {
        let mechanism = chosen.mechanism()?;
        let estimator = match &chosen.domain {
            DomainSpec::Rectangle(_) => self.of_places(chosen)?,
            _ => chosen.estimator()?,
        };
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let counter = Counter { estimator: &*estimator, envelope, report_bytes: mechanism.report_bytes() };
        let summary = self.summary(&counter)?;
        let answer = self.shown(estimator.answer(&summary, request)?);
        self.store(&summary)?;
        Ok((mechanism.guarantee(), answer))
    }

    /// The estimator of places on as many cells as were asked for.
    fn of_places(&self, chosen: &Chosen) -> Result<Box<dyn AnyEstimator>, Failure> {
        let side = self.numbers.distribution_bins.unwrap_or(PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE);
        let reports: Arc<dyn PlaneReports> = Arc::from(chosen.plane_errors()? as Box<dyn PlaneReports>);
        Ok(Box::new(PlaneEstimator::new(reports, side)?))
    }

    fn refuse_seeded_summary(&self) -> Result<(), Failure> {
        if self.insecure_seed.is_some() && self.summary_out.is_some() {
            return Err(Failure::Usage {
                message: "a summary does not carry the mark of an insecure seed".into(),
                hint: Some("estimate from seeded reports without --summary-out"),
            });
        }
        Ok(())
    }

    /// Counts all reports and adds all summaries.
    fn summary(&self, counter: &Counter<'_>) -> Result<CountSummary, Failure> {
        let mut summary = counter.estimator.empty_summary();
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
        Ok(summary)
    }

    fn store(&self, summary: &impl Summary) -> Result<(), Failure> {
        match &self.summary_out {
            Some(path) => replace_file(path, &summary.to_bytes()),
            None => Ok(()),
        }
    }

    fn shown(&self, mut answer: Answer) -> Answer {
        if let (Some(count), Answer::Frequencies(frequencies)) = (self.top, &mut answer) {
            frequencies.rows.sort_by(|a, b| b.estimate.value.total_cmp(&a.estimate.value));
            frequencies.rows.truncate(count);
        }
        answer
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

fn merge_file(summary: &mut impl Summary, path: &Path) -> Result<(), Failure> {
    let bytes = std::fs::read(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let stored = Summary::from_bytes(&bytes);
    let merged = stored.and_then(|stored| summary.merge(&stored));
    merged.map_err(|error| Failure::Source { path: path.to_owned(), row: None, problem: error.into() })
}
