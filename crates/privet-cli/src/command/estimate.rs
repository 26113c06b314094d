//! Reports to estimates.

mod places;
mod under_policy;
mod vectors;

use crate::arguments::{MechanismArguments, parse_named};
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::progress::Progress;
use crate::table::{Batch, Columns, Format, Problem, ReportColumn, Source, batch_rows, replace_file};
use clap::Args;
use privet::analysis::Space;
use privet::document;
use privet::numeric::{Angles, Numbers, RangeShare};
use privet::registry::AnyEstimator;
use privet::{
    Answer, Consistency, CountSummary, Domain, DomainSpec, Envelope, Estimate as Number, EstimateError,
    Frequencies, Frequency, ReportBuffer, ReportError, Request, Summary,
};
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
      --in monday.summary,tuesday.summary --consistency norm-sub

  Numbers: the mean, the distribution, deciles and the share of adults:
    privet estimate --mechanism optimal-piecewise --domain interval:0,120 --epsilon 2 --in reports.csv \\
      --distribution-bins 24 --quantiles 0.1,0.5,0.9 --range 18,120

  All attributes of a policy, as a whole and by the values of a public field:
    privet estimate --policy travel.toml --in reports.csv
    privet estimate --policy travel.toml --in reports.csv --by region";

/// Estimate frequencies, means and distributions from reports
///
/// Categories and words: how often each is held. The first interval covers the truth of its own row in 95 of 100
/// repetitions, the simultaneous intervals cover the truths of all rows at once.
///
/// Numbers: the mean, the distribution over equal bins, quantiles, and shares of ranges. Angles: the mean direction, the
/// length of the mean of unit vectors (one if all angles are alike, zero if they cancel), and the distribution. Intervals
/// have 95 % confidence each and include the bias of the estimate, so they need not lie around the value.
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
        let domain = &chosen.domain;
        if let DomainSpec::Rectangle(rectangle) = domain {
            return self.of_places(&chosen, *rectangle, output);
        }
        if let DomainSpec::Vectors(_) = domain {
            return self.of_vectors(&chosen, output);
        }
        let mechanism = chosen.mechanism()?;
        let estimator = chosen.estimator()?;
        let question = self.numbers.question(domain)?;
        if question.is_some() && self.top.is_some() {
            return Err(Failure::Usage {
                message: format!("--top is about categories: got {domain}"),
                hint: None,
            });
        }
        self.refuse_seeded_summary()?;
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let counter = Counter { estimator: &*estimator, envelope, report_bytes: mechanism.report_bytes() };
        let summary = self.summary(&counter)?;
        let guarantee = document::guarantee(&mechanism.guarantee());
        let Some(question) = question else {
            let frequencies = self.shown(estimator.estimate(&summary, step)?);
            self.store(&summary)?;
            let rows: Vec<_> = frequencies.rows.iter().map(|row| row_json(row, &frequencies)).collect();
            let document = json!({
                "attribute": self.column,
                "n": frequencies.n,
                "method": frequencies.method,
                "guarantee": guarantee,
                "estimates": rows,
            });
            return output.print(&document, || page(&frequencies));
        };
        let learned = learn(&*estimator, &summary, step, &question)?;
        self.store(&summary)?;
        output.print(&learned.json(&self.column, &guarantee), || learned.page())
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

    fn store(&self, summary: &CountSummary) -> Result<(), Failure> {
        match &self.summary_out {
            Some(path) => replace_file(path, &summary.to_bytes()),
            None => Ok(()),
        }
    }

    fn shown(&self, mut frequencies: Frequencies) -> Frequencies {
        if let Some(count) = self.top {
            frequencies.rows.sort_by(|a, b| b.estimate.value.total_cmp(&a.estimate.value));
            frequencies.rows.truncate(count);
        }
        frequencies
    }
}

/// What is asked about numbers and angles.
#[derive(Debug, Args)]
#[command(next_help_heading = "Numbers and angles")]
struct NumberArguments {
    /// How the distribution is estimated: em (maximum likelihood), ems (the same, smoothed), ems-cv (smoothing chosen by
    /// held-out likelihood), least-squares, or histogram (the reports as they are) [default: ems]
    #[arg(long, value_name = "METHOD", hide_possible_values = true, value_parser = METHODS)]
    method: Option<String>,
    /// How many equal bins the distribution has, up to 4096; smoothing works on 50 or more, whatever is shown [default: 50].
    /// Places: how many cells each side has, from 2 to 16 [default: 8]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    distribution_bins: Option<u32>,
    /// Levels of quantiles, from 0 to 1; numbers only [default: 0.25,0.5,0.75]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    quantiles: Option<String>,
    /// A range of values whose share is asked for; may be given several times. A range of angles may pass zero
    #[arg(long, value_name = "FROM,TO", allow_hyphen_values = true)]
    range: Vec<String>,
}

/// The ways to estimate a distribution.
pub(super) const METHODS: [&str; 5] = ["em", "ems", "ems-cv", "least-squares", "histogram"];

/// How many bins a distribution has, unless somebody says so.
pub(super) const DEFAULT_BINS: usize = 50;

/// What is asked about numbers and angles, checked.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) method: String,
    pub(super) bins: usize,
    pub(super) quantiles: Vec<f64>,
    pub(super) ranges: Vec<[f64; 2]>,
}

impl NumberArguments {
    /// The question, if the domain is about numbers or angles. Flags that do not fit the domain are refused.
    fn question(&self, domain: &DomainSpec) -> Result<Option<Question>, Failure> {
        let given = [
            ("--method", self.method.is_some()),
            ("--distribution-bins", self.distribution_bins.is_some()),
            ("--quantiles", self.quantiles.is_some()),
            ("--range", !self.range.is_empty()),
        ];
        if !matches!(domain, DomainSpec::Interval(_) | DomainSpec::Circle(_)) {
            return match given.iter().find(|(_, is_given)| *is_given) {
                Some((flag, _)) => {
                    Err(misfit(format!("{flag} is about numbers and angles: got {domain}"), NUMBERS))
                }
                None => Ok(None),
            };
        }
        if self.quantiles.is_some() && matches!(domain, DomainSpec::Circle(_)) {
            let message = format!("quantiles need numbers with an order, and angles have none: got {domain}");
            return Err(misfit(message, "ask for the shares of ranges with --range"));
        }
        let ranges = self.range.iter().map(|text| parse_range(text, domain));
        Ok(Some(Question {
            method: self.method.clone().unwrap_or_else(|| "ems".to_owned()),
            bins: self.distribution_bins.map_or(DEFAULT_BINS, |bins| bins as usize),
            quantiles: parse_levels(self.quantiles.as_deref().unwrap_or("0.25,0.5,0.75"))?,
            ranges: ranges.collect::<Result<_, _>>()?,
        }))
    }
}

const NUMBERS: &str = "it fits domains such as interval:0,1 and circle:360";

fn misfit(message: String, hint: &'static str) -> Failure {
    Failure::Usage { message, hint: Some(hint) }
}

fn parse_levels(text: &str) -> Result<Vec<f64>, Failure> {
    let level = |text: &str| match parse_named("a quantile's level", text)? {
        level if (0.0..=1.0).contains(&level) => Ok(level),
        level => Err(misfit(
            format!("a quantile's level must be between 0 and 1: got {level}"),
            "the median is 0.5",
        )),
    };
    text.split(',').map(level).collect()
}

fn parse_range(text: &str, domain: &DomainSpec) -> Result<[f64; 2], Failure> {
    let wrong = |reason: &str| {
        misfit(format!("cannot read the range {text:?}: {reason}"), "a range is FROM,TO, such as 18,65")
    };
    let (from, to) = text.split_once(',').ok_or_else(|| wrong("it needs two ends"))?;
    let range = [parse_named("an end of a range", from)?, parse_named("an end of a range", to)?];
    let is_inside = match domain {
        DomainSpec::Interval(interval) => range.iter().all(|end| interval.contains(end)),
        DomainSpec::Circle(circle) => range.iter().all(|end| (0.0..=circle.period()).contains(end)),
        _ => false,
    };
    match range {
        _ if !is_inside => Err(wrong(&format!("its ends must lie in {domain}"))),
        [from, to] if from > to && !matches!(domain, DomainSpec::Circle(_)) => {
            Err(wrong("it ends before it begins"))
        }
        range => Ok(range),
    }
}

/// What was learned about numbers or angles.
#[derive(Debug)]
pub(super) struct Learned {
    /// The mean, or the mean direction.
    pub(super) centre: Number,
    /// Angles: the length of the mean of unit vectors.
    resultant_length: Option<Number>,
    pub(super) distribution: Vec<Share>,
    ranges: Vec<Share>,
    quantiles: Vec<(f64, Number)>,
    n: u64,
    method: &'static str,
}

/// The share of people in a range of values.
#[derive(Debug)]
pub(super) struct Share {
    from: f64,
    to: f64,
    pub(super) share: Number,
}

fn shares(rows: &[RangeShare]) -> Vec<Share> {
    rows.iter().map(|row| Share { from: row.from, to: row.to, share: row.share }).collect()
}

/// Asks an estimator of numbers or angles.
pub(super) fn learn(
    estimator: &dyn AnyEstimator,
    summary: &CountSummary,
    step: Consistency,
    question: &Question,
) -> Result<Learned, Failure> {
    let method = question.method.parse().map_err(|message| Failure::Usage { message, hint: None })?;
    let parts = question.parts_of_a_bin();
    // Bins that are made of finer ones are asked for as ranges, before those that somebody wants to know.
    let bins = estimator.numeric().filter(|_| parts > 1).map(|channel| question.edges(channel.space()));
    let request = Request {
        step,
        method,
        bins: question.bins * parts,
        quantiles: question.quantiles.clone(),
        ranges: bins.into_iter().flatten().chain(question.ranges.iter().copied()).collect(),
    };
    let (mut learned, bins) = match estimator.answer(summary, &request)? {
        Answer::Numbers(numbers) => of_numbers(&numbers),
        Answer::Angles(angles) => of_angles(&angles),
        Answer::Frequencies(_) | Answer::Vector(_) => {
            return Err(EstimateError::Step { step: step.as_str(), method: "categories or words" }.into());
        }
    };
    let asked = learned.ranges.split_off(learned.ranges.len() - question.ranges.len());
    let coarse = std::mem::replace(&mut learned.ranges, asked);
    learned.distribution = if parts > 1 { coarse } else { bins };
    Ok(learned)
}

/// What was learned about numbers, and the bins.
fn of_numbers(numbers: &Numbers) -> (Learned, Vec<Share>) {
    let learned = Learned {
        centre: numbers.mean,
        resultant_length: None,
        distribution: Vec::new(),
        ranges: shares(&numbers.ranges),
        quantiles: numbers.quantiles.iter().map(|quantile| (quantile.level, quantile.value)).collect(),
        n: numbers.n,
        method: numbers.method.as_str(),
    };
    (learned, shares(&numbers.bins))
}

/// What was learned about angles, and the bins.
fn of_angles(angles: &Angles) -> (Learned, Vec<Share>) {
    let learned = Learned {
        centre: angles.direction,
        resultant_length: Some(angles.resultant_length),
        distribution: Vec::new(),
        ranges: shares(&angles.ranges),
        quantiles: Vec::new(),
        n: angles.n,
        method: angles.method.as_str(),
    };
    (learned, shares(&angles.bins))
}

impl Question {
    /// Into how many parts a bin is cut for the estimate. Smoothing makes neighbouring bins alike, so wide ones would be
    /// smoothed beyond recognition.
    fn parts_of_a_bin(&self) -> usize {
        if self.method.starts_with("ems") { DEFAULT_BINS.div_ceil(self.bins) } else { 1 }
    }

    /// The ends of the bins.
    fn edges(&self, space: Space) -> Vec<[f64; 2]> {
        let edge = |index: usize| space.from_unit(index as f64 / self.bins as f64);
        (0..self.bins).map(|bin| [edge(bin), edge(bin + 1)]).collect()
    }
}

impl Learned {
    fn json(&self, attribute: &str, guarantee: &Value) -> Value {
        let mut document = json!({
            "attribute": attribute,
            "value": self.centre.value,
            "standard_error": self.centre.standard_error,
            "interval": self.centre.interval,
            "n": self.n,
            "method": self.centre.method,
            "guarantee": guarantee,
            "distribution_method": self.method,
            "distribution": self.distribution.iter().map(share_json).collect::<Vec<_>>(),
            "ranges": self.ranges.iter().map(share_json).collect::<Vec<_>>(),
        });
        match &self.resultant_length {
            Some(length) => document["resultant_length"] = estimate_json(length),
            None => document["quantiles"] = self.quantiles.iter().map(quantile_json).collect(),
        }
        document
    }

    fn page(&self) -> String {
        let mut table = table_of_numbers(&["WHAT", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL"], 1);
        let mut add = |what: String, estimate: &Number| {
            let cells =
                [number(estimate.value), number(estimate.standard_error), interval(estimate.interval)];
            table.add_row([what].into_iter().chain(cells));
        };
        add(if self.resultant_length.is_some() { "mean direction" } else { "mean" }.into(), &self.centre);
        self.resultant_length.iter().for_each(|length| add("resultant length".into(), length));
        self.quantiles.iter().for_each(|(level, value)| add(format!("quantile {level}"), value));
        for Share { from, to, share } in &self.ranges {
            add(format!("share from {from} to {to}"), share);
        }
        let header = ["FROM", "TO", "SHARE", "STANDARD ERROR", "95 % INTERVAL"];
        let mut bins = table_of_numbers(&header, 0);
        for Share { from, to, share } in &self.distribution {
            let ends = [number(*from), number(*to), number(share.value), number(share.standard_error)];
            bins.add_row(ends.into_iter().chain([interval(share.interval)]));
        }
        let how = format!("{} reports, {}; distribution by {}", self.n, self.centre.method, self.method);
        format!("{}\n\n{}\n\n{how}", table.trim_fmt(), bins.trim_fmt())
    }
}

fn estimate_json(estimate: &Number) -> Value {
    json!({
        "value": estimate.value,
        "standard_error": estimate.standard_error,
        "interval": estimate.interval,
    })
}

fn quantile_json((level, estimate): &(f64, Number)) -> Value {
    let mut row = estimate_json(estimate);
    row["level"] = json!(level);
    row
}

fn share_json(row: &Share) -> Value {
    json!({
        "from": row.from,
        "to": row.to,
        "share": row.share.value,
        "standard_error": row.share.standard_error,
        "interval": row.share.interval,
    })
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
