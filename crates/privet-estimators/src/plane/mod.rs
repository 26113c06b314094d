//! Where people are: the shares of equal cells of a rectangle, from reports of places.

mod brackets;
mod cells;
mod laws;
mod paths;
mod symmetry;
#[cfg(test)]
mod tests;

use crate::bounds::{Bracket, Counted, Kept, Purpose, Sampling};
use crate::numeric::Method;
use crate::reading::PlacesReading;
use crate::registry::AnyEstimator;
use crate::robust::{RobustRow, taken_away, without};
use crate::summary::{CountSummary, must_add_up};
use crate::{Answer, Consistency, HasEstimator, Influence, PlaceShares, Reading, Request, Robust};
use brackets::Brackets;
use cells::Cells;
use laws::Laws;
pub use paths::{PathQuestion, PathShares};
use privet_core::{
    EstimateError, Estimator, Fingerprint, FingerprintBuilder, ParameterError, Probability, ReportBuffer,
    ReportError, Summary,
};
use privet_mechanisms::plane::{PlaneReports, PlaneWindow, SquareWindow};
use std::sync::{Arc, OnceLock};

/// Estimates the share of people in each cell of a grid from reports of a mechanism on places, or from paths: several such reports
/// of each person.
///
/// **The value** of a cell is that of the density under which the reports are likeliest, by expectation-maximisation on a finer
/// grid, or the nearest end of the interval. The search stops when further rounds hardly make the reports likelier, which leaves
/// it smoother than the maximum. (With [`Method::Histogram`] it is the middle of what the weights say, which is quick.)
///
/// **The standard error** of the middle is that of the weights. The likelihood chooses from all that the weights leave open, so half
/// of that is added.
///
/// **The interval** holds for every population: it is that of weights of reports which bracket the cell (`bounds`). A cell
/// holds its lower and left lines; its upper and right ones only at the border of the rectangle.
///
/// **Paths.** The share of a cell is that of all places of all people, each person counting alike. The noise of each place is
/// drawn by itself; how people differ counts once for each person, whatever the number of places.
///
/// The summary counts reports in at most 32 x 32 groups and does not depend on the cells that are asked for.
#[derive(Debug, Clone)]
pub struct PlaneEstimator {
    reports: Arc<dyn PlaneReports>,
    side: u32,
    places: u32,
    fingerprint: Fingerprint,
    laws: Arc<OnceLock<Laws>>,
    brackets: Kept<Purpose, Brackets>,
}

const METHOD: &str = "likeliest density, interval by bracketing weights";
const QUICK_METHOD: &str = "bracketing weights";

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
        Ok(Self::on_grid(reports, side))
    }

    fn on_grid(reports: Arc<dyn PlaneReports>, side: u32) -> Self {
        let fingerprint = reports.reports_fingerprint();
        Self { reports, side, places: 1, fingerprint, laws: Arc::default(), brackets: Kept::default() }
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

    /// The counters, if this is a sound summary with at least one report.
    fn counts<'a>(&self, summary: &'a CountSummary) -> Result<&'a [u64], EstimateError> {
        let groups = self.reports.groups();
        let counts = summary.with_sums_of_mechanism(self.fingerprint, groups, groups)?;
        must_add_up(counts, summary.count().saturating_mul(u64::from(self.places)))?;
        Ok(counts)
    }

    fn brackets(&self, people: u64, sampling: Sampling) -> Arc<Brackets> {
        let purpose = Purpose::new(people as f64 * f64::from(self.places), sampling.share());
        self.brackets.get(purpose, |purpose| Brackets::new(&*self.reports, self.side, *purpose))
    }

    /// The shares of all cells.
    ///
    /// # Errors
    /// When there are no reports, or the summary is another mechanism's or damaged.
    pub fn place_shares(
        &self,
        summary: &CountSummary,
        request: &Request,
    ) -> Result<PlaceShares, EstimateError> {
        let (counts, n) = (self.counts(summary)?, summary.count());
        let total = counts.iter().map(|count| *count as f64).sum::<f64>();
        let shares: Vec<f64> = counts.iter().map(|count| *count as f64 / total).collect();
        let sampling = Sampling::new(request.target, n, request.took_part);
        let brackets = self.brackets(n, sampling);
        let counted =
            Counted { shares: &shares, people: n as f64, reports_of_one: f64::from(self.places), sampling };
        let is_quick = request.method == Method::Histogram;
        let values =
            (!is_quick).then(|| self.laws().in_cells(&self.laws().likeliest(counts), self.side as usize));
        let method = if is_quick { QUICK_METHOD } else { METHOD };
        let cells = Cells { count: brackets.of_cells.len(), n, method, target: request.target };
        let row = |(cell, bracket): (usize, &Bracket)| {
            cells.estimate(cell, &bracket.measure(&counted), values.as_ref().map(|values| values[cell]))
        };
        Ok(PlaceShares {
            rectangle: self.reports.rectangle(),
            side: self.side,
            cells: brackets.of_cells.iter().enumerate().map(row).collect(),
            n,
            method: method.to_owned(),
        })
    }

    /// For each cell the weights halfway between both sides of its bracket.
    fn weights(&self, summary: &CountSummary) -> Vec<Vec<f64>> {
        let sampling = Sampling::new(Request::default().target, summary.count(), None);
        let brackets = self.brackets(summary.count(), sampling);
        let middle = |bracket: &Bracket| {
            let both = bracket.upper.weights.iter().zip(&bracket.lower.weights);
            both.map(|(upper, lower)| (upper - lower) / 2.0).collect()
        };
        brackets.of_cells.iter().map(middle).collect()
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
            Consistency::None => self.place_shares(summary, request).map(Answer::Places),
            step => Err(EstimateError::Step { step: step.as_str(), method: METHOD }),
        }
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Places(PlacesReading { reports: &*self.reports, places: self.places })
    }

    /// All places of one person's report may be exchanged.
    fn influence(&self, summary: &CountSummary) -> Result<Influence, EstimateError> {
        self.counts(summary)?;
        let range = |weights: &Vec<f64>| {
            let ends = weights.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], weight| {
                [low.min(*weight), high.max(*weight)]
            });
            (ends[1] - ends[0]) / summary.count() as f64
        };
        Ok(Influence::Frequencies(self.weights(summary).iter().map(range).collect()))
    }

    fn robust(&self, summary: &CountSummary, fakes: Probability) -> Result<Robust, EstimateError> {
        let counts = self.counts(summary)?;
        let taken = taken_away(summary.count(), fakes)? * u64::from(self.places);
        let values = self.laws().in_cells(&self.laws().likeliest(counts), self.side as usize);
        let row = |(cell, (weights, value)): (usize, (Vec<f64>, f64))| {
            let bounds =
                |taken: u64| without(weights.iter().copied().zip(counts.iter().copied()).collect(), taken);
            RobustRow { label: cell.to_string(), value, bounds: Some(bounds(taken)), raw: Some(bounds(0)[0]) }
        };
        let rows = self.weights(summary).into_iter().zip(values).enumerate().map(row).collect();
        Ok(Robust { rows, fakes: fakes.get(), method: "likeliest density" })
    }
}

impl Estimator for PlaneEstimator {
    type Summary = CountSummary;
    type Estimate = PlaceShares;

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

    fn estimate(&self, summary: &CountSummary) -> Result<PlaceShares, EstimateError> {
        self.place_shares(summary, &Request::default())
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
    PlaneEstimator::on_grid(Arc::new(mechanism.clone()), PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE)
}
