//! How places become reports.

mod budget;
mod disclosure;
mod laws;
mod part;
pub mod registry;
mod release;
pub mod rival;
mod solved_plane;
mod stream;
mod tracs_c;
mod tracs_d;
mod tracs_sphere;
mod window_2d;

pub use budget::PathBudget;
pub use disclosure::Disclosure;
pub use laws::ReportLaws;
pub use part::{LinePart, Part, RingPart};
pub use release::{PathPromise, Release, perturb_path};
pub use solved_plane::SolvedPlane;
pub use stream::{References, Stream};
pub use tracs_c::TracsC;
pub use tracs_d::{Split, TracsD};
pub use tracs_sphere::TracsSphere;
pub use window_2d::Window2d;

use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Guarantee};
use privet_mechanisms::plane::CrossingMasses;
use std::fmt::Debug;

/// Where a guarantee holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// For any two places of the space, with the epsilon that was asked for.
    WholeSpace,
    /// Not with the epsilon that was asked for, or not for all places.
    Not {
        /// What goes wrong.
        why: &'static str,
    },
}

/// Perturbs one place at a time.
pub trait LocationMethod: Debug + Send + Sync {
    /// The name that programs use.
    fn id(&self) -> &'static str;

    /// Where places and reports lie.
    fn space(&self) -> &Space;

    /// What one report promises about its place, for any two places of the space, or `None` where no finite epsilon holds.
    fn guarantee(&self) -> Option<Guarantee>;

    /// Whether the guarantee is the one that was asked for, and if not, why not.
    fn scope(&self) -> Scope;

    /// Whether the law of a report depends on the reference.
    fn reads_reference(&self) -> bool {
        false
    }

    /// Draws the report of a place. `reference` must be public: an earlier report or a fixed place.
    ///
    /// # Errors
    /// When the place or the reference lies outside the space. The error does not contain it.
    fn perturb(
        &self,
        place: &Place,
        reference: &Place,
        rng: &mut dyn CryptoRng,
    ) -> Result<Place, TrajectoryError>;

    /// The probability of a report, up to a factor that is the same for all places; of all draws that give the same report,
    /// where several do. A report that no draw gives has the probability of the nearest one that some draw does.
    ///
    /// `None` for methods whose law is not known exactly, in spaces with a region, where reports at its border stand for draws
    /// beyond it, and for places or references outside the space.
    fn likelihood(&self, place: &Place, reference: &Place, report: &Place) -> Option<f64>;

    /// The probability of each of the public places that a method chooses from, in their order, where it chooses from public places
    /// and looks at the private one alone; `None` otherwise.
    fn masses(&self, _place: &Place) -> Option<Vec<f64>> {
        None
    }

    /// What [`LocationMethod::likelihood`] says of a report at all crossings of lines with these inner coordinates, where it is a
    /// constant and a product and depends on no reference; `None` otherwise. It takes one step for each line instead of one for
    /// each crossing.
    fn crossing_likelihood(&self, _lines: [&[f64]; 2], _report: &Place) -> Option<CrossingMasses> {
        None
    }

    /// How likely groups of reports are from all places at once, good for functions of the place that change only at the lines
    /// of a grid of `shape` cells. Intervals that hold for every population need it.
    ///
    /// # Errors
    /// When it is not known, or every report has a law of its own; the error says why, and what to do instead.
    fn report_laws(
        &self,
        _references: References,
        _shape: [u32; 2],
    ) -> Result<ReportLaws<'_>, TrajectoryError> {
        let why = "it is not known how likely its reports are from every place";
        Err(TrajectoryError::NoIntervals {
            method: self.id(),
            why,
            instead: "report by window-2d or tracs-c",
        })
    }
}
