//! People in the rows of a table, and reports under a policy.

use super::Perturb;
use crate::arguments::generator;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{
    Batch, Cell, Column, Columns, Format, Problem, ReportWriter, Source, batch_rows, check_other_file,
    is_standard_stream,
};
use privet::policy::{Answers, Client, ClientError, ReportCodec, ResolvedPolicy};
use privet::{Budget, Envelope, Generator, ReportBuffer};
use serde_json::json;
use std::path::Path;

impl Perturb {
    pub(super) fn under_policy(&self, path: &Path, output: Output) -> Result<(), Failure> {
        let policy = contract::read_policy(path)?;
        refuse_permanent(&policy)?;
        refuse_pairs(&policy)?;
        self.check_flags(output)?;
        check_other_file(path, &self.out)?;
        let epoch = self.epoch(&policy)?;
        let codec = ReportCodec::new(policy.clone());
        let in_format = Format::of(&self.input, self.in_format.or(self.format))?;
        let out_format = Format::of(&self.out, self.out_format.or(self.format))?;
        let body_bytes = contract::body_bytes(&codec);
        let names = Names::of(&policy);
        let columns =
            Columns { column: Some(&names.first), keep: &names.others, batch_rows: batch_rows(body_bytes) };
        let source = Source::open(&self.input, in_format, columns)?;
        let rng = generator(self.insecure_seed)?;
        let envelope = contract::envelope(&policy, rng.is_insecure());
        let writer = ReportWriter::create(&self.out, out_format, envelope)?;
        let rows = self.reports(&policy, epoch, source, rng, writer, body_bytes)?;
        if is_standard_stream(&self.out) {
            return Ok(());
        }
        let statement = policy.statement();
        let cost = statement.per_report;
        let kind = guarantee_kind(&policy)?;
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": out_format.as_str(),
            "guarantee": { "kind": kind, "epsilon": cost.epsilon, "delta": cost.delta },
            "fingerprint": policy.id().fingerprint().to_string(),
            "policy": policy.id().to_string(),
            "epoch": epoch,
            "insecure": envelope.insecure,
        });
        output.print(&document, || {
            format!("{rows} reports in {} (epsilon {}, each)", self.out.display(), cost.epsilon)
        })
    }

    /// The epoch of the day that people report for.
    fn epoch(&self, policy: &ResolvedPolicy) -> Result<u32, Failure> {
        let today = contract::day(self.day.as_deref())?;
        let (opens, closes) = (policy.terms().opens, policy.terms().closes);
        policy.epoch_of(today).ok_or(Failure::Answer {
            path: None,
            row: None,
            source: ClientError::NotOpen { opens, closes, today },
        })
    }

    fn reports(
        &self,
        policy: &ResolvedPolicy,
        epoch: u32,
        source: Source,
        mut rng: Generator,
        mut writer: ReportWriter,
        body_bytes: usize,
    ) -> Result<u64, Failure> {
        // No answer is permanent, so the secret behind permanent answers is not used.
        let client = Client::new([0; 32]);
        let mut reports = ReportBuffer::new(body_bytes);
        let mut progress = Progress::new("rows", None);
        let rows = source.for_each_batch(TextColumn::default, |batch| {
            // Beside a row that cannot be read, the other columns are not complete.
            if batch.is_cut {
                return Ok(());
            }
            reports.clear();
            for row in 0..batch.rows {
                let refuse = |problem| Failure::Source {
                    path: self.input.clone(),
                    row: Some(batch.first_row + row as u64),
                    problem,
                };
                let answers = answers(policy, &batch, row).map_err(refuse)?;
                let report = client.perturb(policy, &answers, epoch, &mut rng).map_err(|source| {
                    let row = Some(batch.first_row + row as u64);
                    Failure::Answer { path: Some(self.input.clone()), row, source }
                })?;
                reports.push(&report[Envelope::HEADER_BYTES..])?;
            }
            progress.add(batch.rows as u64);
            writer.write(&reports, &[])
        })?;
        if rows == 0 {
            return Err(Source::no_rows(&self.input));
        }
        writer.finish()?;
        Ok(rows)
    }
}

/// Permanent answers are kept by each person's own device. One secret for a whole table would give all people with the same value
/// the same answer.
fn refuse_permanent(policy: &ResolvedPolicy) -> Result<(), Failure> {
    let permanent = policy.terms().attributes.iter().find(|attribute| attribute.epsilon_forever.is_some());
    permanent.map_or(Ok(()), |attribute| {
        Err(Failure::Usage {
            message: format!(
                "answers to {:?} are permanent, and a table does not hold each person's secret",
                attribute.name
            ),
            hint: Some("`privet collect submit --answers` keeps a person's secret and ledger"),
        })
    })
}

/// Whoever is drawn alone is not correlated with anybody, and estimates would state too small an error.
fn refuse_pairs(policy: &ResolvedPolicy) -> Result<(), Failure> {
    let in_pairs = policy.attributes().iter().find(|attribute| attribute.is_in_pairs());
    in_pairs.map_or(Ok(()), |attribute| {
        Err(Failure::Usage {
            message: format!("answers to {:?} are made by two devices together", attribute.terms().name),
            hint: Some("`privet joint simulate` is for tables"),
        })
    })
}

/// The columns of a policy: its attributes, then its public fields.
struct Names {
    first: String,
    others: Vec<String>,
}

impl Names {
    fn of(policy: &ResolvedPolicy) -> Self {
        let terms = policy.terms();
        let mut attributes = terms.attributes.iter().map(|attribute| attribute.name.clone());
        // A policy has at least one attribute.
        let first = attributes.next().unwrap_or_default();
        let others = attributes.chain(terms.public.iter().map(|field| field.name.clone())).collect();
        Self { first, others }
    }
}

/// A column as people write its values.
#[derive(Debug, Default)]
struct TextColumn {
    texts: Vec<String>,
}

impl Column for TextColumn {
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        self.texts.push(match cell {
            Cell::Missing | Cell::Text(b"") => return Err(Problem::MissingValue),
            Cell::Text(text) => std::str::from_utf8(text).map_err(|_| Problem::NotUtf8)?.to_owned(),
            Cell::Whole(whole) => whole.to_string(),
            Cell::Number(number) => number.to_string(),
            Cell::Boolean(value) => value.to_string(),
            Cell::Vector(_) | Cell::Bytes(_) => return Err(Problem::NestedValue),
        });
        Ok(())
    }
}

/// What one row says.
fn answers(policy: &ResolvedPolicy, batch: &Batch<TextColumn>, row: usize) -> Result<Answers, Problem> {
    let terms = policy.terms();
    let (names, fields) = (terms.attributes.iter().map(|one| &one.name), &terms.public);
    let mut answers = Answers::new();
    let mut others = batch.kept.iter();
    let mut next = || {
        let text = others.next().and_then(|column| column.text(row)).filter(|text| !text.is_empty());
        text.ok_or(Problem::MissingValue)
    };
    for (index, name) in names.enumerate() {
        answers = if index == 0 {
            answers.value(name, &batch.column.texts[row])
        } else {
            answers.value(name, &next()?)
        };
    }
    for field in fields {
        answers = answers.public(&field.name, &next()?);
    }
    Ok(answers)
}

/// The kind of guarantee that the answers of one report have together. It is the same for their sum and for the weakest of them.
fn guarantee_kind(policy: &ResolvedPolicy) -> Result<&'static str, Failure> {
    let spent = policy.attributes().iter().map(|attribute| Budget::empty().spend(attribute.guarantee()));
    let weakest = Budget::parallel(spent.collect::<Result<Vec<_>, _>>()?)?;
    Ok(weakest.total().map_or("pure", |guarantee| guarantee.kind()))
}
