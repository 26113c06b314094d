//! Reports of vectors to the mean vector.

use super::{Estimate, misfit};
use crate::arguments::Chosen;
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::progress::Progress;
use crate::table::{Columns, Format, Problem, ReportColumn, Source, batch_rows, replace_file};
use privet::document;
use privet::vector::MeanVectorEstimator;
use privet::vector::mechanism::VectorMechanism;
use privet::{Envelope, Estimate as Number, Estimator, Summary};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// More coordinates than this are not shown as text.
const MOST_ROWS: usize = 64;

type VectorSummary = <MeanVectorEstimator as Estimator>::Summary;

impl Estimate {
    pub(super) fn of_vectors(&self, chosen: &Chosen, output: Output) -> Result<(), Failure> {
        self.refuse_flags_of_others(chosen)?;
        let mechanism: Arc<dyn VectorMechanism> = Arc::from(chosen.vector_mechanism()?);
        let estimator = MeanVectorEstimator::new(mechanism.clone())?;
        let mut summary = estimator.empty_summary();
        let mut progress = Progress::new("reports", None);
        for path in &self.input {
            if path.extension().is_some_and(|extension| extension == "summary") {
                merge_file(&mut summary, path)?;
            } else {
                self.add_file(&*mechanism, &estimator, &mut summary, path, &mut progress)?;
            }
        }
        drop(progress);
        let means = estimator.estimate(&summary)?;
        if let Some(path) = &self.summary_out {
            replace_file(path, &summary.to_bytes())?;
        }
        let document = json!({
            "attribute": self.column,
            "n": summary.count(),
            "method": means.first().map(|mean| mean.method),
            "guarantee": document::guarantee(&mechanism.guarantee()),
            "estimates": means.iter().enumerate().map(row_json).collect::<Vec<_>>(),
        });
        output.print(&document, || page(&means, summary.count()))
    }

    fn refuse_flags_of_others(&self, chosen: &Chosen) -> Result<(), Failure> {
        let given = [
            ("--consistency", self.consistency != "none"),
            ("--method", self.numbers.method.is_some()),
            ("--distribution-bins", self.numbers.distribution_bins.is_some()),
            ("--quantiles", self.numbers.quantiles.is_some()),
            ("--range", !self.numbers.range.is_empty()),
            ("--top", self.top.is_some()),
        ];
        if let Some((flag, _)) = given.iter().find(|(_, is_given)| *is_given) {
            let message = format!("{flag} is not about vectors: got {}", chosen.domain);
            return Err(misfit(message, "vectors have a mean for each coordinate"));
        }
        if self.insecure_seed.is_some() && self.summary_out.is_some() {
            let message = "a summary does not carry the mark of an insecure seed".to_owned();
            return Err(misfit(message, "estimate from seeded reports without --summary-out"));
        }
        Ok(())
    }

    fn add_file(
        &self,
        mechanism: &dyn VectorMechanism,
        estimator: &MeanVectorEstimator,
        summary: &mut VectorSummary,
        path: &Path,
        progress: &mut Progress,
    ) -> Result<(), Failure> {
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let report_bytes = mechanism.report_bytes();
        let columns = Columns { column: Some(&self.column), keep: &[], batch_rows: batch_rows(report_bytes) };
        let source = Source::open(path, Format::of(path, self.format)?, columns)?;
        let make = || ReportColumn::new(envelope, report_bytes);
        source.for_each_batch(make, |batch| {
            progress.add(batch.rows as u64);
            let added = estimator.accumulate(summary, &batch.column.reports);
            added.map_err(|error| Failure::Source {
                path: path.to_owned(),
                row: None,
                problem: Problem::Report(error),
            })
        })?;
        Ok(())
    }
}

fn merge_file(summary: &mut VectorSummary, path: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::File { action: "cannot read", path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(failed)?;
    let merged = VectorSummary::from_bytes(&bytes).and_then(|stored| summary.merge(&stored));
    merged.map_err(|error| Failure::Source { path: path.to_owned(), row: None, problem: error.into() })
}

fn row_json((coordinate, mean): (usize, &Number)) -> Value {
    json!({
        "coordinate": coordinate,
        "value": mean.value,
        "standard_error": mean.standard_error,
        "interval": mean.interval,
        "n": mean.n,
        "method": mean.method,
    })
}

fn page(means: &[Number], n: u64) -> String {
    let header = ["COORDINATE", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL"];
    let mut table = table_of_numbers(&header, 0);
    for (coordinate, mean) in means.iter().enumerate().take(MOST_ROWS) {
        let numbers = [number(mean.value), number(mean.standard_error), interval(mean.interval)];
        table.add_row([coordinate.to_string()].into_iter().chain(numbers));
    }
    let method = means.first().map(|mean| mean.method).unwrap_or_default();
    let note = if means.len() > MOST_ROWS {
        format!("; the first {MOST_ROWS} of {} coordinates, --json has them all", means.len())
    } else {
        String::new()
    };
    format!("{}\n\n{n} reports, {method}{note}", table.trim_fmt())
}
