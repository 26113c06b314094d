//! Where people are: the shares of equal cells of a rectangle, from reports of places.

mod laws;
#[cfg(test)]
mod tests;

use crate::frequency::{CONFIDENCE, Frequencies, Frequency};
use crate::linear::{Fitter, Functional, Ground};
use crate::reading::PlacesReading;
use crate::registry::AnyEstimator;
use crate::robust::{RobustRow, taken_away, without};
use crate::statistics::normal_quantile;
use crate::summary::CountSummary;
use crate::{Answer, Consistency, HasEstimator, Influence, Reading, Request, Robust};
use laws::Laws;
use nalgebra::{DMatrix, DVector};
use privet_core::{
    Estimate, EstimateError, Estimator, Fingerprint, FingerprintBuilder, ParameterError, Probability,
    ReportBuffer, ReportError, Summary,
};
use privet_mechanisms::plane::{PlaneReports, PlaneWindow, SquareWindow};
use std::sync::{Arc, OnceLock};

/// Estimates the share of people in each cell of a grid from reports of a mechanism on places, or from paths: several such reports
/// of each person.
///
/// **The value** of a cell is that of the density under which the reports are likeliest, by expectation-maximisation on a grid of up
/// to 32 x 32 cells. It stops when further rounds hardly make the reports likelier, which leaves it smoother than the maximum.
///
/// **The interval** is that of a linear estimate from the same counters. It is widened by the bias that the estimated density allows,
/// as those of [`crate::NumberEstimator`] are, and need not lie around the value.
///
/// **Paths.** The share of a cell is that of all places of all people, each person counting alike. The places of one person belong
/// together, so the interval is that of as many reports as there are people, whatever the number of places: never too
/// short, and up to the root of that number too long where a person's places have nothing to do with each other.
///
/// The summary counts reports in at most 32 x 32 groups and does not depend on the cells that are asked for.
#[derive(Debug, Clone)]
pub struct PlaneEstimator {
    reports: Arc<dyn PlaneReports>,
    side: u32,
    places: u32,
    fingerprint: Fingerprint,
    laws: Arc<OnceLock<Laws>>,
}

/// Linear estimates of all cells.
struct Linear {
    fits: Vec<Functional>,
    variances: Vec<f64>,
    /// For each law of the fit and each group what a report there counts for.
    scaled: DMatrix<f64>,
}

const METHOD: &str = "expectation-maximisation on a grid, interval by linear estimate";

impl PlaneEstimator {
    /// The most cells along a side. Finer ones cannot be told apart at any usual epsilon.
    pub const MOST_CELLS_OF_A_SIDE: u32 = 16;
    /// How many cells lie along each side if nobody says so.
    pub const DEFAULT_CELLS_OF_A_SIDE: u32 = 8;

    /// The estimator of reports of single places, for `side` cells along each side of the rectangle.
    ///
    /// # Errors
    /// When there are fewer than 2 or more than 16 cells along a side.
    pub fn new(reports: Arc<dyn PlaneReports>, side: u32) -> Result<Self, ParameterError> {
        if !(2..=Self::MOST_CELLS_OF_A_SIDE).contains(&side) {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "reports of places are estimated on 2 to {} cells along each side: got {side}",
                    Self::MOST_CELLS_OF_A_SIDE
                ),
            });
        }
        let fingerprint = reports.reports_fingerprint();
        Ok(Self { reports, side, places: 1, fingerprint, laws: Arc::default() })
    }

    /// The estimator of paths: each report is that of `places` places, one after the other.
    #[must_use]
    pub fn for_paths(self, places: u32) -> Self {
        let inner = u64::from_le_bytes(self.reports.reports_fingerprint().to_bytes());
        let mut builder = FingerprintBuilder::new("path");
        builder.number(inner).number(u64::from(places));
        Self { places, fingerprint: builder.finish(), ..self }
    }

    /// The same for another number of cells along each side. Summaries fit both.
    ///
    /// # Errors
    /// As for [`PlaneEstimator::new`].
    pub fn on_cells(&self, side: u32) -> Result<Self, ParameterError> {
        let Self { places, fingerprint, .. } = *self;
        Ok(Self { places, fingerprint, ..Self::new(self.reports.clone(), side)? })
    }

    /// For each cell the probability of each group of reports.
    pub fn cell_laws(&self) -> Vec<Vec<f64>> {
        self.reports.cell_laws(self.side)
    }

    fn laws(&self) -> &Laws {
        self.laws.get_or_init(|| Laws::new(&*self.reports, self.side))
    }

    fn cells(&self) -> usize {
        (self.side * self.side) as usize
    }

    /// The counters, if this is a sound summary with at least one report.
    fn counts<'a>(&self, summary: &'a CountSummary) -> Result<&'a [u64], EstimateError> {
        let groups = self.reports.groups();
        let counts = summary.with_sums_of_mechanism(self.fingerprint, groups, groups)?;
        let places = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
        if places.is_none() || places != summary.count().checked_mul(u64::from(self.places)) {
            return Err(EstimateError::Damaged { reason: "the groups do not add up to the reports" });
        }
        Ok(counts)
    }

    /// Linear estimates around a density.
    fn linear(&self, counts: &[u64], people: u64, density: &[f64]) -> Linear {
        let laws = self.laws();
        let means = &laws.fine * DVector::from_column_slice(density);
        let mut scaled = laws.coarse.clone();
        for (mut row, mean) in scaled.row_iter_mut().zip(means.iter()) {
            row /= mean.max(f64::MIN_POSITIVE);
        }
        let total = counts.iter().map(|count| *count as f64).sum::<f64>();
        let shares = DVector::from_iterator(counts.len(), counts.iter().map(|count| *count as f64 / total));
        let fitter = Fitter::new(Ground {
            shares: density.to_vec(),
            classes: laws.classes.clone(),
            response: laws.fine.tr_mul(&scaled),
            information: laws.coarse.tr_mul(&scaled),
            observed: scaled.tr_mul(&shares),
            n: people as f64,
        });
        let target = |cell: usize| laws.inside(cell, self.side as usize);
        // Cells are alike, so one choice serves all.
        let ridge = fitter.best_ridge(&target(self.cells() / 2 + self.side as usize / 2));
        let fits: Vec<_> = (0..self.cells()).map(|cell| fitter.fit_with(&target(cell), ridge)).collect();
        let variance = |fit: &Functional| match self.places {
            1 => fit.variance,
            _ => fitter.variance_over_people(fit),
        };
        Linear { variances: fits.iter().map(variance).collect(), fits, scaled }
    }

    fn frequencies(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        let (counts, n) = (self.counts(summary)?, summary.count());
        let density = self.laws().likeliest(counts);
        let linear = self.linear(counts, n, &density);
        let values = self.laws().in_cells(&density, self.side as usize);
        let alpha = 1.0 - CONFIDENCE;
        let reaches = [alpha, alpha / self.cells() as f64].map(|alpha| normal_quantile(1.0 - alpha / 2.0));
        let row = |(cell, value): (usize, f64)| {
            let fit = &linear.fits[cell];
            let standard_error = linear.variances[cell].sqrt();
            let [interval, simultaneous_interval] = reaches.map(|reach| {
                let reach = reach * standard_error + fit.bias;
                [fit.value - reach, fit.value + reach].map(|end| end.clamp(0.0, 1.0))
            });
            let estimate = Estimate { value, standard_error, interval, n, method: METHOD };
            Frequency { label: cell.to_string(), estimate, simultaneous_interval }
        };
        let rows = values.into_iter().enumerate().map(row).collect();
        Ok(Frequencies { rows, n, method: METHOD.to_owned() })
    }

    /// For each cell what a place report in each group adds to its linear estimate, before the shift.
    fn weights(&self, linear: &Linear) -> Vec<Vec<f64>> {
        let of_fit = |fit: &Functional| (&linear.scaled * &fit.coefficients).as_slice().to_vec();
        linear.fits.iter().map(of_fit).collect()
    }
}

impl AnyEstimator for PlaneEstimator {
    fn empty_summary(&self) -> CountSummary {
        Estimator::empty_summary(self)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        Estimator::accumulate(self, summary, reports)
    }

    fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        match request.step {
            Consistency::None => self.frequencies(summary).map(Answer::Frequencies),
            step => Err(EstimateError::Step { step: step.as_str(), method: METHOD }),
        }
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Places(PlacesReading { reports: &*self.reports, places: self.places })
    }

    /// All places of one person's report may be exchanged. The weights are held fixed.
    fn influence(&self, summary: &CountSummary) -> Result<Influence, EstimateError> {
        let counts = self.counts(summary)?;
        let linear = self.linear(counts, summary.count(), &self.laws().likeliest(counts));
        let range = |weights: &Vec<f64>| {
            let ends = weights.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], weight| {
                [low.min(*weight), high.max(*weight)]
            });
            (ends[1] - ends[0]) / summary.count() as f64
        };
        Ok(Influence::Frequencies(self.weights(&linear).iter().map(range).collect()))
    }

    fn robust(&self, summary: &CountSummary, fakes: Probability) -> Result<Robust, EstimateError> {
        let counts = self.counts(summary)?;
        let taken = taken_away(summary.count(), fakes)? * u64::from(self.places);
        let density = self.laws().likeliest(counts);
        let linear = self.linear(counts, summary.count(), &density);
        let values = self.laws().in_cells(&density, self.side as usize);
        let row = |(cell, (weights, value)): (usize, (Vec<f64>, f64))| {
            let shift = linear.fits[cell].shift;
            let bounds = without(weights.into_iter().zip(counts.iter().copied()).collect(), taken);
            let label = cell.to_string();
            RobustRow { label, value, bounds: Some(bounds.map(|end| end + shift)) }
        };
        let rows = self.weights(&linear).into_iter().zip(values).enumerate().map(row).collect();
        Ok(Robust { rows, fakes: fakes.get(), method: "likeliest density" })
    }
}

impl Estimator for PlaneEstimator {
    type Summary = CountSummary;
    type Estimate = Frequencies;

    fn empty_summary(&self) -> CountSummary {
        CountSummary::empty(self.fingerprint, self.reports.groups())
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        let reading = PlacesReading { reports: &*self.reports, places: self.places };
        let mut counts = vec![0; self.reports.groups()];
        for report in reports.iter() {
            reading.each_group(report, |group| counts[group] += 1)?;
        }
        summary.add(self.fingerprint, reports, &counts)
    }

    fn estimate(&self, summary: &CountSummary) -> Result<Frequencies, EstimateError> {
        self.frequencies(summary)
    }
}

impl HasEstimator for SquareWindow {
    type Estimator = PlaneEstimator;

    /// On a grid of 8 x 8 cells.
    fn estimator(&self) -> PlaneEstimator {
        on_default_cells(self)
    }
}

impl HasEstimator for PlaneWindow {
    type Estimator = PlaneEstimator;

    /// On a grid of 8 x 8 cells.
    fn estimator(&self) -> PlaneEstimator {
        on_default_cells(self)
    }
}

fn on_default_cells<M: PlaneReports + Clone + 'static>(mechanism: &M) -> PlaneEstimator {
    PlaneEstimator {
        fingerprint: mechanism.reports_fingerprint(),
        reports: Arc::new(mechanism.clone()),
        side: PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE,
        places: 1,
        laws: Arc::default(),
    }
}
