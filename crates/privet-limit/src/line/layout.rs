//! Where the search looks: which inputs have dual numbers of their own, and at which reports G must not be negative.

/// A single input, or a stretch of inputs that share their numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Element {
    pub from: f64,
    /// The same as `from` for a single input.
    pub to: f64,
    /// Its weight, where a prior gives it.
    pub share: Option<f64>,
    /// Whether the mean report has a price here.
    pub has_slope: bool,
}

/// The weight, the price and the price of the bias of an element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dual {
    pub weight: f64,
    pub price: f64,
    pub slope: f64,
}

/// Elements and evenly spaced reports, in units of the domain.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub elements: Vec<Element>,
    /// Into how many equal cells the whole domain is cut. Not each of them is an element.
    pub cells: usize,
    pub reports: Vec<f64>,
    /// Whether the mirror image of every element and of every report is meant as well: then they fill the lower half only.
    pub is_mirrored: bool,
}

impl Element {
    pub(super) fn point(place: f64) -> Self {
        Self { from: place, to: place, share: None, has_slope: false }
    }

    pub(super) fn is_point(&self) -> bool {
        self.from == self.to
    }

    /// Whether it is an end of the domain that unbiased reports must reach. Its price may be below zero; elsewhere that would
    /// prove nothing.
    pub(super) fn is_tip(&self) -> bool {
        self.is_point() && self.has_slope
    }

    /// The sign of the price of the bias at a tip: only reports that are too far inside are a fault there.
    pub(super) fn outwards(&self) -> f64 {
        if self.from < 0.5 { -1.0 } else { 1.0 }
    }

    pub(super) fn image(&self) -> Self {
        Self { from: 1.0 - self.to, to: 1.0 - self.from, ..*self }
    }
}

impl Layout {
    /// How far the first report is from the last, mirror images aside.
    pub(super) fn range(&self) -> f64 {
        self.reports[self.reports.len() - 1] - self.reports[0]
    }

    /// How far the reports are from each other.
    pub(super) fn spacing(&self) -> f64 {
        self.reports[1] - self.reports[0]
    }

    /// All reports with their probabilities, in ascending order.
    pub(super) fn spread_out(&self, floor: &[f64]) -> (Vec<f64>, Vec<f64>) {
        if !self.is_mirrored {
            return (self.reports.clone(), floor.to_vec());
        }
        let images = self.reports.iter().rev().map(|report| 1.0 - report);
        let outputs = self.reports.iter().copied().chain(images).collect();
        let halves = floor.iter().chain(floor.iter().rev()).map(|share| share / 2.0);
        (outputs, halves.collect())
    }
}
