//! All attributes of a policy at once.

use super::Estimate;
use crate::command::answers::Answered;
use crate::contract;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Batch, Columns, Format, Problem, ReportColumn, Source, batch_rows};
use clap::Args;
use privet::document::AttributeDocument;
use privet::policy::{
    Attribute, AttributeKind, PolicySummary, Repetition, ReportCodec, ReportId, ResolvedPolicy, Slice, Tally,
    TallyError,
};
use privet::{Consistency, DomainSpec, Envelope};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// What is asked about reports under a policy.
#[derive(Debug, Args)]
pub(super) struct PolicyArguments {
    /// The policy under which the reports were made, in TOML or JSON, instead of a mechanism
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "mechanism", "domain", "epsilon", "delta", "bins", "radius", "method", "distribution_bins", "quantiles", "range",
        "summary_out", "top",
    ])]
    pub(super) policy: Option<PathBuf>,
    /// A public field of the policy: one estimate for each of its values
    #[arg(long, value_name = "FIELD", requires = "policy")]
    by: Option<String>,
    /// Only reports of this epoch of the policy, counted from 0
    #[arg(long, value_name = "NUMBER", requires = "policy")]
    epoch: Option<u32>,
}

impl Estimate {
    pub(super) fn of_policy(&self, path: &Path, step: Consistency, output: Output) -> Result<(), Failure> {
        let policy = contract::read_policy(path)?;
        self.refuse_smooth_unless(policy.attributes().iter().filter_map(domain))?;
        let tally = Tally::new(policy.clone())?;
        let slices = self.slices(&tally)?;
        let counted = self.count(&tally)?;
        self.refuse_mixed_epochs(&policy, &counted.epochs)?;
        let request = self.request_of_any(step);
        tally.check_target(request.target, counted.epochs.len())?;
        let mut estimates = Vec::new();
        for slice in slices {
            for attribute in 0..policy.attributes().len() {
                let estimate = tally.estimate(&counted.summary, attribute, slice, &request)?;
                let epoch = self.contract.epoch;
                estimates.push(AttributeDocument { epoch, ..estimate.document() });
            }
        }
        let answered = Answered {
            collection: policy.id().to_string(),
            name: policy.terms().name.clone(),
            reports: counted.summary.reports(),
            minimum_reports: policy.terms().minimum_reports,
            estimates,
        };
        output.print(&answered, || answered.page())
    }

    fn slices(&self, tally: &Tally) -> Result<Vec<Slice>, Failure> {
        let Some(name) = &self.contract.by else { return Ok(vec![Slice::All]) };
        let fields = &tally.policy().terms().public;
        let Some(field) = fields.iter().position(|field| field.name == *name) else {
            let message = format!("the policy has no public field {name:?}");
            return Err(Failure::Usage { message, hint: Some("`privet policy show` lists them") });
        };
        Ok((0..fields[field].values.len()).map(|value| Slice::Public { field, value }).collect())
    }

    fn count(&self, tally: &Tally) -> Result<Counted, Failure> {
        let insecure = self.insecure_seed.is_some();
        let codec = ReportCodec::new(tally.policy().clone());
        let counter = Counter {
            tally,
            codec: if insecure { codec.for_seeded_reports() } else { codec },
            envelope: contract::envelope(tally.policy(), insecure),
            epoch: self.contract.epoch,
        };
        let body_bytes = contract::body_bytes(&counter.codec);
        let mut counted =
            Counted { summary: tally.empty_summary(), known: HashSet::new(), epochs: BTreeSet::new() };
        let mut progress = Progress::new("reports", None);
        for path in &self.input {
            let format = Format::of(path, self.format)?;
            let columns =
                Columns { column: Some(&self.column), keep: &[], batch_rows: batch_rows(body_bytes) };
            let source = Source::open(path, format, columns)?;
            source.for_each_batch(
                || ReportColumn::new(counter.envelope, body_bytes),
                |batch| {
                    progress.add(batch.rows as u64);
                    counter.add(&mut counted, path, &batch)
                },
            )?;
        }
        Ok(counted)
    }

    /// The permanent noise of one person does not average out over epochs.
    fn refuse_mixed_epochs(&self, policy: &ResolvedPolicy, epochs: &BTreeSet<u32>) -> Result<(), Failure> {
        let terms = policy.terms();
        let is_permanent = terms.attributes.iter().any(|attribute| attribute.epsilon_forever.is_some());
        if is_permanent && terms.answers == Repetition::EveryEpoch && epochs.len() > 1 {
            return Err(Failure::Usage {
                message: format!(
                    "permanent answers cannot be added up over epochs: there are {}",
                    epochs.len()
                ),
                hint: Some("say one of them with --epoch"),
            });
        }
        Ok(())
    }
}

/// The domain of an attribute that is no place.
fn domain(attribute: &Attribute) -> Option<&DomainSpec> {
    match attribute.kind() {
        AttributeKind::Value(domain) => Some(domain),
        _ => None,
    }
}

/// What was counted so far.
struct Counted {
    summary: PolicySummary,
    known: HashSet<ReportId>,
    epochs: BTreeSet<u32>,
}

struct Counter<'a> {
    tally: &'a Tally,
    codec: ReportCodec,
    envelope: Envelope,
    epoch: Option<u32>,
}

impl Counter<'_> {
    /// Counts the reports of a batch that were not counted before.
    fn add(&self, counted: &mut Counted, path: &Path, batch: &Batch<ReportColumn>) -> Result<(), Failure> {
        let reports: Vec<Vec<u8>> =
            batch.column.reports.iter().map(|body| contract::whole_report(self.envelope, body)).collect();
        let mut new = Vec::with_capacity(reports.len());
        for (row, bytes) in (batch.first_row..).zip(&reports) {
            let report = self.codec.check(bytes).map_err(|source| Failure::Submission {
                path: path.to_owned(),
                row,
                source,
            })?;
            let is_asked = self.epoch.is_none_or(|epoch| epoch == report.epoch());
            if is_asked && counted.known.insert(report.id()) {
                counted.epochs.insert(report.epoch());
                new.push(report);
            }
        }
        self.tally.accumulate(&mut counted.summary, new).map_err(|error| match error {
            TallyError::Merge(error) => {
                Failure::Source { path: path.to_owned(), row: None, problem: Problem::Merge(error) }
            }
            // Every report was checked before.
            other => Failure::Data { message: other.to_string(), hint: None },
        })
    }
}
