//! From dual numbers to a certificate.

use super::grid::Grid;
use super::{LineProblem, Objective};
use crate::certificate::{Cell, LineCertificate, Point, SCALE};
use crate::channels::{ChannelSolution, Prices, whole};

/// The certificate that the solver's prices make.
pub(super) fn certificate(problem: &LineProblem, grid: &Grid, solved: &ChannelSolution) -> LineCertificate {
    let mut certificate = LineCertificate {
        epsilon: problem.epsilon,
        loss: problem.loss,
        setting: problem.setting(),
        points: Vec::new(),
        cells: Vec::new(),
    };
    let normal = solved.normalised_prices();
    for (input, prices) in grid.inputs.iter().zip(&normal) {
        let is_end = *input == 0.0 || *input == 1.0;
        match problem.objective {
            Objective::Minimax if grid.is_mirrored => {
                let half = halved(*prices);
                certificate.points.push(point(*input, half));
                certificate.points.push(point(1.0 - input, Prices { slope: -half.slope, ..half }));
            }
            Objective::Minimax => certificate.points.push(point(*input, *prices)),
            Objective::Average(_) if is_end => certificate.points.push(point(*input, *prices)),
            Objective::Average(_) if prices.weight > 0.0 => certificate.cells.push(cell(*prices)),
            Objective::Average(_) => {
                // Where nobody is, a single input is as good as a cell.
                certificate.cells.push(Cell { weight: 0, price: 0, slope: 0 });
                if grid.is_unbiased {
                    certificate.points.push(point(*input, *prices));
                }
            }
        }
    }
    certificate
}

fn halved(prices: Prices) -> Prices {
    Prices { weight: prices.weight / 2.0, price: prices.price / 2.0, slope: prices.slope / 2.0 }
}

fn point(place: f64, prices: Prices) -> Point {
    Point {
        place: whole(place),
        weight: prices.whole_weight(),
        price: prices.whole_price(),
        slope: prices.whole_slope(),
    }
}

fn cell(prices: Prices) -> Cell {
    Cell { weight: prices.whole_weight(), price: prices.whole_price().max(0), slope: prices.whole_slope() }
}

/// G as the certificate has it, at many reports.
pub(super) struct Profile {
    reports: Vec<f64>,
    values: Vec<f64>,
    /// What all prices together promise.
    promised: f64,
}

/// How closely G is looked at.
const REPORTS: usize = 4096;

impl Profile {
    pub(super) fn of(grid: &Grid, certificate: &LineCertificate) -> Self {
        let (low, high) = (grid.outputs[0], grid.outputs[grid.outputs.len() - 1]);
        let even = (0..=REPORTS).map(|index| low + (high - low) * index as f64 / REPORTS as f64);
        let mut reports: Vec<f64> = even.chain(grid.outputs.iter().copied()).collect();
        reports.sort_by(f64::total_cmp);
        let prices = certificate.points.iter().map(|point| point.price);
        let promised =
            prices.chain(certificate.cells.iter().map(|cell| cell.price)).sum::<i64>() as f64 / SCALE;
        Self { values: certificate.sample(&reports), reports, promised }
    }

    /// What the deepest dip takes off the bound.
    fn dip(&self) -> f64 {
        -self.values.iter().copied().fold(0.0, f64::min)
    }

    /// What the deepest dip takes off the bound, as a share of it.
    pub(super) fn loss(&self) -> f64 {
        self.dip() / self.promised
    }

    /// About what the certificate proves.
    pub(super) fn bound(&self) -> f64 {
        self.promised - self.dip()
    }

    /// The lowest report of each dip that costs more than a share of the bound. Reports there make the next certificate
    /// better.
    pub(super) fn dips(&self, share: f64) -> Vec<f64> {
        let limit = -share * self.promised;
        let lowest = |index: usize| {
            let around = &self.values[index.saturating_sub(1)..(index + 2).min(self.values.len())];
            self.values[index] < limit && around.iter().all(|other| self.values[index] <= *other)
        };
        (0..self.values.len()).filter(|index| lowest(*index)).map(|index| self.reports[index]).collect()
    }

    /// Whether G is so high at a report that nothing would be gained by making it.
    pub(super) fn is_idle(&self, report: f64) -> bool {
        let index = self.reports.partition_point(|other| *other < report);
        self.values.get(index).is_some_and(|value| *value > IDLE * self.promised)
    }
}

/// Reports whose G is above this share of the bound are not made.
const IDLE: f64 = 0.05;
