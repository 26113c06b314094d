//! Reports of vectors to the mean vector.

use super::{Estimate, merge_file};
use crate::arguments::Chosen;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Columns, Format, Problem, ReportColumn, Source, batch_rows};
use privet::vector::MeanVectorEstimator;
use privet::vector::mechanism::VectorMechanism;
use privet::{Answer, Envelope, Estimator, Guarantee, Request, VectorSummary};
use std::path::Path;
use std::sync::Arc;

impl Estimate {
    pub(super) fn of_vectors(
        &self,
        chosen: &Chosen,
        request: &Request,
    ) -> Result<(Guarantee, Answer), Failure> {
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
        let means = estimator.mean_vector(&summary, request.target)?;
        self.store(&summary)?;
        Ok((mechanism.guarantee(), Answer::Vector(means)))
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
