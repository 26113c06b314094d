//! Frequencies by inverting a channel's matrix.

use crate::consistency::{Consistency, expectation_maximization};
use crate::frequency::{Frequencies, Raw};
use crate::summary::CountSummary;
use crate::{FrequencyEstimation, HasEstimator};
use nalgebra::{DMatrix, DVector};
use privet_core::{
    Categories, EstimateError, Estimator, Fingerprint, Mechanism, ReportBuffer, ReportError, Summary,
};
use privet_mechanisms::categorical::OrderedExponential;

/// Unbiased frequencies for a channel that is a square table: the solution of `expected counts = table^T frequencies`.
///
/// The variance of frequency i over the draws of the reports is `(sum over y of b_iy^2 s_y - f_i) / n`, where b is the
/// inverse, f the estimate moved to the simplex, and s the shares of reports that f makes expected. The intervals are
/// normal ones: they need at least some ten reports for each category.
#[derive(Debug, Clone)]
pub struct InversionEstimator {
    mechanism: OrderedExponential,
    categories: Categories,
    fingerprint: Fingerprint,
    /// Entry (y, x) is the probability of report y under input x.
    forward: DMatrix<f64>,
    inverse: Option<DMatrix<f64>>,
}

impl InversionEstimator {
    /// The estimator of the mechanism's reports.
    pub fn new(mechanism: OrderedExponential) -> Self {
        let size = mechanism.rows().len();
        let scale = 2f64.powi(-64);
        let forward = DMatrix::from_fn(size, size, |report, input| {
            mechanism.rows()[input].weights()[report] as f64 * scale
        });
        Self {
            categories: mechanism.domain().clone(),
            fingerprint: mechanism.fingerprint(),
            inverse: forward.clone().try_inverse(),
            forward,
            mechanism,
        }
    }
}

impl Estimator for InversionEstimator {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.fingerprint, self.forward.nrows())
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let mut counts = vec![0; self.forward.nrows()];
        for slot in reports.iter() {
            counts[self.mechanism.decode(slot)?.0 as usize] += 1;
        }
        summary.add(self.fingerprint, reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        let counts = summary.of_mechanism(self.fingerprint, self.forward.nrows())?;
        let inverse = self.inverse.as_ref().ok_or(EstimateError::NotIdentifiable {
            reason: "the channel's table has no inverse in floating point at this epsilon",
        })?;
        let n = summary.count();
        let shares =
            DVector::from_iterator(counts.len(), counts.iter().map(|count| *count as f64 / n as f64));
        let values = inverse * &shares;
        let mut plausible = values.as_slice().to_vec();
        Consistency::Simplex.project(&mut plausible);
        let expected = &self.forward * DVector::from_column_slice(&plausible);
        let raw = (0u32..).zip(values.iter()).map(|(category, value)| {
            let second: f64 =
                inverse.row(category as usize).iter().zip(expected.iter()).map(|(b, s)| b * b * s).sum();
            Raw {
                label: self.categories.label(category),
                value: *value,
                variance: (second - plausible[category as usize]) / n as f64,
            }
        });
        Ok(Frequencies::new(raw.collect(), n, "matrix inversion", counts.len()))
    }
}

impl FrequencyEstimation for InversionEstimator {
    fn estimate_consistently(
        &self,
        summary: &CountSummary,
        step: Consistency,
    ) -> Result<Frequencies, EstimateError> {
        let frequencies = self.estimate(summary)?;
        if step != Consistency::ExpectationMaximization {
            return Ok(frequencies.projected(step));
        }
        let size = self.forward.ncols();
        let forward = |f: &[f64]| (&self.forward * DVector::from_column_slice(f)).as_slice().to_vec();
        let backward = |r: &[f64]| self.forward.tr_mul(&DVector::from_column_slice(r)).as_slice().to_vec();
        let values = expectation_maximization(summary.counts(), size, forward, backward)?;
        Ok(frequencies.with_values(values, step))
    }
}

impl HasEstimator for OrderedExponential {
    type Estimator = InversionEstimator;
    fn estimator(&self) -> InversionEstimator {
        InversionEstimator::new(self.clone())
    }
}
