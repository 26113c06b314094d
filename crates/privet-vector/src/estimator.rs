//! From reports to the mean vector.

use crate::VectorError;
use crate::mechanism::VectorMechanism;
use privet_core::{
    CryptoRng, EstimateError, Estimator, ParameterError, ReportBuffer, ReportError, Summary, Target, Values,
};
use privet_estimators::{FixedPointScale, MeanVector, VectorSummary};
use std::sync::Arc;

/// Estimates the mean vector of all people from their reports.
///
/// ```
/// use privet_core::{Dimension, Epsilon, Estimator, Generator, Values};
/// use privet_vector::mechanism::PrivUnit;
/// use privet_vector::{MeanVectorEstimator, report_batch};
/// use std::sync::Arc;
///
/// let dimension = Dimension::new(2)?;
/// let mechanism = Arc::new(PrivUnit::new(dimension, 1.0, Epsilon::new(4.0)?)?);
/// let vectors = Values::Vectors { dimension, coordinates: [0.6, -0.8].repeat(2000) };
/// let reports = report_batch(&*mechanism, &vectors, &mut Generator::from_insecure_seed(1))?;
///
/// let estimator = MeanVectorEstimator::new(mechanism)?;
/// let mut summary = estimator.empty_summary();
/// estimator.accumulate(&mut summary, &reports)?;
/// let means = estimator.estimate(&summary)?.coordinates;
/// assert!((means[0].value - 0.6).abs() < 5.0 * means[0].standard_error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeanVectorEstimator {
    mechanism: Arc<dyn VectorMechanism>,
    scale: FixedPointScale,
}

impl MeanVectorEstimator {
    /// The estimator with the parameters that made the reports.
    ///
    /// # Errors
    /// When the mechanism's reports have no finite bound.
    pub fn new(mechanism: Arc<dyn VectorMechanism>) -> Result<Self, ParameterError> {
        // Decoding may round past the bound by the last digit.
        let bound = mechanism.report_bound() * (1.0 + 1e-12);
        let scale = FixedPointScale::reaching(bound).ok_or_else(|| ParameterError::Incompatible {
            reason: format!("reports of {} have no finite bound", mechanism.id()),
        })?;
        Ok(Self { mechanism, scale })
    }
}

impl Estimator for MeanVectorEstimator {
    type Summary = VectorSummary;
    type Estimate = MeanVector;

    fn empty_summary(&self) -> VectorSummary {
        VectorSummary::empty(self.mechanism.fingerprint(), self.mechanism.dimension(), self.scale)
    }

    fn accumulate(&self, summary: &mut VectorSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let mut vectors = vec![0.0; reports.len() * self.mechanism.dimension().get()];
        let slots = vectors.chunks_exact_mut(self.mechanism.dimension().get());
        for (bytes, slot) in reports.iter().zip(slots) {
            self.mechanism.decode(&codes_of(&*self.mechanism, bytes)?, slot)?;
        }
        summary.add(&vectors)
    }

    /// About the people who reported.
    fn estimate(&self, summary: &VectorSummary) -> Result<MeanVector, EstimateError> {
        self.mean_vector(summary, Target::default())
    }
}

/// The intervals of a biased mechanism hold the mean of the reports, and say so.
const UNBIASED: &str = "mean of reports";
const BIASED: &str = "mean of biased reports: the interval is about the reports, not about the vectors";

impl MeanVectorEstimator {
    /// The mean vector of some people.
    ///
    /// # Errors
    /// When there are fewer than two reports, or the summary belongs to another mechanism.
    pub fn mean_vector(&self, summary: &VectorSummary, target: Target) -> Result<MeanVector, EstimateError> {
        let method = if self.mechanism.is_unbiased() { UNBIASED } else { BIASED };
        let noise = self.mechanism.coordinate_noise();
        let coordinates = summary.means(self.mechanism.fingerprint(), &noise, target, method)?;
        Ok(MeanVector { coordinates, n: summary.count() })
    }
}

/// The integers of an encoded report.
pub(crate) fn codes_of(mechanism: &dyn VectorMechanism, bytes: &[u8]) -> Result<Vec<i32>, ReportError> {
    let expected = mechanism.report_bytes();
    if bytes.len() != expected {
        return Err(ReportError::Length { expected, got: bytes.len() });
    }
    Ok(bytes.as_chunks().0.iter().map(|code| i32::from_le_bytes(*code)).collect())
}

/// Draws a report for each vector of a column, as bytes of one length.
///
/// # Errors
/// When the column holds other values or vectors of another dimension, or a coordinate is not a finite number; nothing is drawn then.
pub fn report_batch(
    mechanism: &dyn VectorMechanism,
    vectors: &Values,
    rng: &mut dyn CryptoRng,
) -> Result<ReportBuffer, VectorError> {
    let coordinates = mechanism.column(vectors)?;
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    let mut codes = vec![0; mechanism.code_count()];
    let rows = coordinates.chunks_exact(mechanism.dimension().get());
    for (vector, slot) in rows.clone().zip(reports.extend_slots(rows.len())) {
        mechanism.draw(vector, &mut codes, rng);
        slot.as_chunks_mut().0.iter_mut().zip(&codes).for_each(|(bytes, code)| *bytes = code.to_le_bytes());
    }
    Ok(reports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Generator};

    fn all() -> Vec<Arc<dyn VectorMechanism>> {
        let domain: DomainSpec = "vector:3".parse().unwrap();
        let build = |row: &registry::Row| {
            let delta = (row.info.guarantee == "approximate").then(|| Delta::new(1e-5).unwrap());
            let options = BuildOptions { delta, ..BuildOptions::default() };
            Arc::from(row.build_on(&domain, Epsilon::new(3.0).unwrap(), &options).unwrap())
        };
        registry::ROWS.iter().map(build).collect()
    }

    fn column(mechanism: &dyn VectorMechanism, copies: usize) -> Values {
        Values::Vectors { dimension: mechanism.dimension(), coordinates: [0.6, -0.8, 0.0].repeat(copies) }
    }

    #[test]
    fn estimates_find_the_clipped_mean_of_every_unbiased_mechanism() {
        for mechanism in all() {
            let mut rng = Generator::from_insecure_seed(51);
            let reports = report_batch(&*mechanism, &column(&*mechanism, 3000), &mut rng).unwrap();
            assert_eq!(reports.report_bytes(), mechanism.report_bytes());
            let estimator = MeanVectorEstimator::new(mechanism.clone()).unwrap();
            let mut summary = estimator.empty_summary();
            estimator.accumulate(&mut summary, &reports).unwrap();
            let mut truth = [0.6, -0.8, 0.0];
            mechanism.clip().apply(&mut truth);
            let means = estimator.estimate(&summary).unwrap().coordinates;
            for (mean, truth) in means.iter().zip(truth) {
                // Thirty-six coordinates together fail with probability 2e-5.
                let is_near = (mean.value - truth).abs() < 5.0 * mean.standard_error;
                assert!(is_near || !mechanism.is_unbiased(), "{}: {mean:?} {truth}", mechanism.id());
            }
            let stated = mechanism.mean_squared_error();
            let seen: f64 = means.iter().map(|mean| 3000.0 * mean.standard_error.powi(2)).sum();
            assert!(seen < 1.2 * stated, "{}: {seen} {stated}", mechanism.id());
        }
    }

    #[test]
    fn reports_of_other_parameters_and_broken_ones_are_refused() {
        let mechanisms = all();
        let mut rng = Generator::from_insecure_seed(52);
        let estimators: Vec<MeanVectorEstimator> =
            mechanisms.iter().map(|mechanism| MeanVectorEstimator::new(mechanism.clone()).unwrap()).collect();
        for (one, two) in estimators.iter().zip(estimators.iter().skip(1)) {
            let mut summary = one.empty_summary();
            let reports = report_batch(&*one.mechanism, &column(&*one.mechanism, 2), &mut rng).unwrap();
            one.accumulate(&mut summary, &reports).unwrap();
            assert!(matches!(two.estimate(&summary), Err(EstimateError::Foreign { .. })));
            assert!(summary.merge(&two.empty_summary()).is_err());
            let mut broken = ReportBuffer::new(one.mechanism.report_bytes());
            broken.push(&vec![0x80; one.mechanism.report_bytes()]).unwrap();
            let before = summary.clone();
            let outcome = one.accumulate(&mut summary, &broken);
            assert!(outcome.is_err() == (summary == before), "{}", one.mechanism.id());
            assert!(
                one.accumulate(&mut summary, &ReportBuffer::new(2)).is_ok(),
                "an empty buffer adds nothing"
            );
            let mut short = ReportBuffer::new(3);
            short.push(&[0; 3]).unwrap();
            assert!(matches!(one.accumulate(&mut summary, &short), Err(ReportError::Length { .. })));
        }
        let numbers = Values::Numbers(vec![1.0]);
        let error = report_batch(&*mechanisms[0], &numbers, &mut rng).unwrap_err();
        assert_eq!(error.code(), "input-wrong-kind");
    }
}
