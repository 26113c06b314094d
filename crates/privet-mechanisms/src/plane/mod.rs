//! Mechanisms on places in a rectangle.

mod analysis;
mod laws;
mod layout;
mod prior;
mod reports;
mod square_window;
mod window;

pub use laws::PlaneLaws;
pub use layout::PlaneLayout;
pub use prior::PlanePrior;
pub use reports::PlaneReports;
pub use square_window::{CrossingMasses, SquareWindow};
pub use window::PlaneWindow;

use privet_core::{InputError, ReportError};

/// What reports stand for, and how far they are from the truth, in Euclidean distances.
pub trait PlaneErrors: PlaneReports {
    /// The place that an encoded report stands for.
    ///
    /// # Errors
    /// When the report is none of this mechanism's.
    fn reported_place(&self, report: &[u8]) -> Result<[f64; 2], ReportError>;

    /// The expected distance between a place and what its report stands for.
    ///
    /// # Errors
    /// When the place lies outside the rectangle.
    fn expected_loss(&self, place: [f64; 2]) -> Result<f64, InputError>;

    /// The largest expected distance over all places, and where it occurs.
    fn worst_loss(&self) -> (f64, [f64; 2]);

    /// The expected distance when places come from a prior.
    fn average_loss(&self, prior: &PlanePrior) -> f64;
}
