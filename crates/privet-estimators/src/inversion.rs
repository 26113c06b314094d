//! Frequencies by inverting a channel's table.

use crate::bounds::Spread;
use crate::consistency::{Consistency, expectation_maximization};
use crate::frequency::{Basis, Frequencies, NOTHING, Raw};
use crate::summary::{CountSummary, must_add_up};
use crate::{FrequencyEstimation, HasEstimator, Reading, Request, TableReading};
use nalgebra::{DMatrix, DVector};
use privet_core::{
    Categories, EstimateError, Estimator, Fingerprint, Mechanism, ReportBuffer, ReportError, Summary,
};
use privet_mechanisms::categorical::{TableResponse, TableRule};
use std::cmp::Ordering;

/// Unbiased frequencies for a channel that is a table: the solution of `expected counts = table^T frequencies`; with more
/// reports than categories, by least squares.
///
/// The variance of frequency i over the draws of the reports is `(sum over y of b_iy^2 s_y - f_i) / n`, where b is the
/// (left) inverse, f the estimate and s the shares of reports; over draws and people it has f_i^2 in place of f_i.
#[derive(Debug, Clone)]
pub struct InversionEstimator<K: TableRule> {
    mechanism: TableResponse<K>,
    categories: Categories,
    fingerprint: Fingerprint,
    /// Entry (y, x) is the probability of report y under input x.
    forward: DMatrix<f64>,
    inverse: Option<DMatrix<f64>>,
}

impl<K: TableRule> InversionEstimator<K> {
    /// The estimator of the mechanism's reports.
    pub fn new(mechanism: TableResponse<K>) -> Self {
        let (inputs, reports) = (mechanism.rows().len(), mechanism.report_count() as usize);
        let scale = 2f64.powi(-64);
        let forward = DMatrix::from_fn(reports, inputs, |report, input| {
            mechanism.rows()[input].weights()[report] as f64 * scale
        });
        Self {
            categories: mechanism.domain().clone(),
            fingerprint: mechanism.fingerprint(),
            inverse: left_inverse(&forward),
            forward,
            mechanism,
        }
    }
}

/// What takes the shares of reports back to frequencies without bias, or nothing if the table has no such inverse in floating
/// point.
fn left_inverse(forward: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (reports, inputs) = forward.shape();
    let inverse = match reports.cmp(&inputs) {
        Ordering::Less => None,
        Ordering::Equal => forward.clone().try_inverse(),
        Ordering::Greater => least_squares(forward),
    }?;
    let is_inverse = (&inverse * forward - DMatrix::identity(inputs, inputs)).amax() < LARGEST_RESIDUE;
    is_inverse.then_some(inverse)
}

/// The product of a table and its inverse may differ from one by so much. A table that has no inverse may still seem to have one
/// in floating point, which this finds out.
const LARGEST_RESIDUE: f64 = 1e-6;

/// Reports count with their precision where all categories are held alike: a rare report varies less than a frequent one.
fn least_squares(forward: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let root =
        DVector::from_iterator(forward.nrows(), forward.row_iter().map(|row| row.mean().sqrt().recip()));
    let weigh = DMatrix::from_diagonal(&root);
    let decomposition = (&weigh * forward).qr();
    let solved = decomposition.r().solve_upper_triangular(&decomposition.q().transpose())?;
    Some(solved * weigh)
}

impl<K: TableRule> Estimator for InversionEstimator<K> {
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
        self.frequencies(summary, &Request::default())
    }
}

impl<K: TableRule> InversionEstimator<K> {
    /// The unbiased estimate of a category, and how it varies.
    fn raw(&self, inverse: &DMatrix<f64>, category: u32, shares: &DVector<f64>, people: u64) -> Raw {
        let weights = inverse.row(category as usize);
        let value = weights.iter().zip(shares.iter()).map(|(weight, share)| weight * share).sum::<f64>();
        let squares: f64 =
            weights.iter().zip(shares.iter()).map(|(weight, share)| weight * weight * share).sum();
        let central = |held: usize, power: i32| -> f64 {
            let own = f64::from(u8::from(held == category as usize));
            let law = self.forward.column(held);
            law.iter().zip(weights.iter()).map(|(p, weight)| p * (weight - own).powi(power)).sum()
        };
        let categories = 0..self.forward.ncols();
        let least = categories.clone().map(|held| central(held, 2)).fold(f64::INFINITY, f64::min);
        let ratios = categories.map(|held| central(held, 3) / central(held, 2).max(f64::MIN_POSITIVE));
        let skew = ratios.fold([0.0f64; 2], |[low, high], ratio| [low.max(-ratio), high.max(ratio)]);
        let of_people = (squares - value * value).max(least);
        let of_draws = (squares - value.clamp(0.0, 1.0)).max(least).min(of_people);
        let spread = Spread { of_draws, of_people };
        Raw { label: self.categories.label(category), value, spread, skew, people, others: NOTHING }
    }
}

impl<K: TableRule> FrequencyEstimation for InversionEstimator<K> {
    fn frequencies(&self, summary: &CountSummary, request: &Request) -> Result<Frequencies, EstimateError> {
        let counts = summary.of_mechanism(self.fingerprint, self.forward.nrows())?;
        must_add_up(counts, summary.count())?;
        let inverse = self.inverse.as_ref().ok_or(EstimateError::NotIdentifiable {
            reason: "the channel's table has fewer reports than categories, or no inverse in floating point",
        })?;
        let n = summary.count();
        let shares =
            DVector::from_iterator(counts.len(), counts.iter().map(|count| *count as f64 / n as f64));
        let size = self.forward.ncols();
        let raw = (0..size as u32).map(|category| self.raw(inverse, category, &shares, n)).collect();
        let basis = Basis { n, request, method: "matrix inversion", tests: size };
        let frequencies = Frequencies::new(raw, basis);
        if request.step != Consistency::ExpectationMaximization {
            return Ok(frequencies.projected(request.step));
        }
        let forward = |f: &[f64]| (&self.forward * DVector::from_column_slice(f)).as_slice().to_vec();
        let backward = |r: &[f64]| self.forward.tr_mul(&DVector::from_column_slice(r)).as_slice().to_vec();
        let values = expectation_maximization(summary.counts(), size, forward, backward)?;
        Ok(frequencies.with_values(values, request.step))
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Table(TableReading {
            categories: &self.categories,
            forward: &self.forward,
            inverse: self.inverse.as_ref(),
        })
    }
}

impl<K: TableRule> HasEstimator for TableResponse<K> {
    type Estimator = InversionEstimator<K>;
    fn estimator(&self) -> InversionEstimator<K> {
        InversionEstimator::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::sampling::WeightRow;
    use privet_core::{Epsilon, Generator};
    use privet_mechanisms::categorical::SolvedCategories;

    fn solved(rows: &[&[f64]]) -> SolvedCategories {
        let rows: Vec<_> = rows.iter().map(|row| WeightRow::from_relative(row).unwrap()).collect();
        let outputs = (0..rows[0].weights().len() as u32).collect();
        let categories = Categories::new(rows.len() as u32).unwrap();
        SolvedCategories::new(categories, outputs, rows, Epsilon::new(3.0).unwrap()).unwrap()
    }

    fn estimate(mechanism: &SolvedCategories) -> Result<Frequencies, EstimateError> {
        let people: Vec<u32> = (0..40_000).map(|person| u32::from(person % 4 == 0)).collect();
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let mut rng = Generator::from_insecure_seed(7);
        mechanism.randomize_batch(&people, &mut rng, &mut reports).unwrap();
        let estimator = mechanism.estimator();
        let mut summary = estimator.empty_summary();
        estimator.accumulate(&mut summary, &reports).unwrap();
        estimator.estimate(&summary)
    }

    #[test]
    fn more_reports_than_categories_tell_frequencies() {
        let frequencies = estimate(&solved(&[&[0.5, 0.2, 0.2, 0.1], &[0.1, 0.2, 0.3, 0.4]])).unwrap();
        for (row, truth) in frequencies.rows.iter().zip([0.75, 0.25]) {
            let z = (row.estimate.value - truth) / row.estimate.standard_error;
            assert!(z.abs() < 4.0, "{z}");
        }
    }

    #[test]
    fn splitting_a_report_at_random_changes_nothing() {
        // The third report is the second one again with a coin beside it: the precision must be that of two reports.
        let two = estimate(&solved(&[&[0.6, 0.4], &[0.2, 0.8]])).unwrap();
        let three = estimate(&solved(&[&[0.6, 0.1, 0.3], &[0.2, 0.2, 0.6]])).unwrap();
        let error = |found: &Frequencies| found.rows[0].estimate.standard_error;
        assert!((error(&two) / error(&three) - 1.0).abs() < 0.01, "{} {}", error(&two), error(&three));
    }

    #[test]
    fn categories_that_look_alike_cannot_be_told_apart() {
        let fewer: [&[f64]; 3] = [&[0.6, 0.4], &[0.5, 0.5], &[0.4, 0.6]];
        let twins: [&[f64]; 3] = [&[0.6, 0.3, 0.1], &[0.1, 0.3, 0.6], &[0.1, 0.3, 0.6]];
        let halfway: [&[f64]; 3] = [&[0.6, 0.3, 0.1], &[0.35, 0.3, 0.35], &[0.1, 0.3, 0.6]];
        for table in [fewer, twins, halfway] {
            let refused = estimate(&solved(&table));
            assert!(matches!(refused, Err(EstimateError::NotIdentifiable { .. })), "{table:?}");
        }
    }
}
