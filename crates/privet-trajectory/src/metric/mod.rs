//! How far reports are from the truth: for one path, and for many with standard errors.
//!
//! Distances are those of the space: Euclidean, metres in a geographic box, along great circles on a sphere. Each place is
//! compared with its own report; a public dummy start is no place.

mod curve;
mod hotspots;
mod score;

pub use curve::{dynamic_time_warping, frechet};
pub use hotspots::Hotspots;
pub use score::{DataSetScore, Score};

use crate::space::Space;
use crate::{Path, Place, TrajectoryError};

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub enum Metric<'a> {
    /// The mean distance between a place and its report.
    AverageError,
    /// The share of places whose report is no further away than this.
    RangeQuery {
        /// In the units of the space's distances.
        within: f64,
    },
    /// The number of places in hotspots whose report is in none.
    HotspotDifference(&'a Hotspots<'a>),
    /// The smallest sum of distances over all ways to walk both paths together.
    DynamicTimeWarping,
    /// The shortest leash that allows to walk both paths together, from place to place.
    Frechet,
}

impl Metric<'_> {
    /// Compares one path with its reports. `None` for an empty path, which has no distance to anything; its hotspot
    /// difference is zero.
    ///
    /// # Errors
    /// When a place or a report is not finite, or, where each place is compared with its own report, there are more of one
    /// than of the other.
    pub fn of_path(
        &self,
        space: &Space,
        places: &[Place],
        reports: &[Place],
    ) -> Result<Option<Score>, TrajectoryError> {
        check_finite(space, places)?;
        check_finite(space, reports)?;
        if let Some(losses) = self.losses(space, places, reports)? {
            let is_sum = matches!(self, Self::HotspotDifference(_));
            return Ok(if is_sum { Some(Score::sum(&losses)) } else { Score::mean(&losses) });
        }
        let distance = if matches!(self, Self::Frechet) { frechet } else { dynamic_time_warping };
        Ok(distance(space, places, reports).map(|value| Score {
            value,
            standard_error: None,
            count: places.len(),
        }))
    }

    /// Compares many paths with their reports. Paths without a score of their own are left out. `None` if that leaves nothing.
    ///
    /// # Errors
    /// As for [`Metric::of_path`], and when there are more paths of one kind than of the other.
    pub fn of_data_set(
        &self,
        space: &Space,
        paths: &[Path],
        reports: &[Path],
    ) -> Result<Option<DataSetScore>, TrajectoryError> {
        check_counts("paths", paths.len(), reports.len())?;
        let mut scores = Vec::with_capacity(paths.len());
        for (path, report) in paths.iter().zip(reports) {
            scores.extend(self.of_path(space, &path.places, &report.places)?);
        }
        let is_mean_of_places = matches!(self, Self::AverageError | Self::RangeQuery { .. });
        Ok(DataSetScore::of(&scores, is_mean_of_places))
    }

    /// One number for each place, for metrics that are sums of them.
    fn losses(
        &self,
        space: &Space,
        places: &[Place],
        reports: &[Place],
    ) -> Result<Option<Vec<f64>>, TrajectoryError> {
        let loss: &dyn Fn(&Place, &Place) -> f64 = match self {
            Self::AverageError => &|place, report| space.distance(place, report),
            Self::RangeQuery { within } => {
                &|place, report| f64::from(u8::from(space.distance(place, report) <= *within))
            }
            Self::HotspotDifference(hotspots) => {
                &|place, report| f64::from(u8::from(hotspots.contains(place) && !hotspots.contains(report)))
            }
            Self::DynamicTimeWarping | Self::Frechet => return Ok(None),
        };
        check_counts("places", places.len(), reports.len())?;
        Ok(Some(places.iter().zip(reports).map(|(place, report)| loss(place, report)).collect()))
    }
}

fn check_finite(space: &Space, places: &[Place]) -> Result<(), TrajectoryError> {
    let is_finite = |place: &Place| place.iter().all(|coordinate| coordinate.is_finite());
    match places.iter().position(|place| !is_finite(place)) {
        None => Ok(()),
        Some(position) => {
            let error = privet_core::InputError::OutsideDomain { domain: space.to_string() };
            Err(error.at(position as u64 + 1).into())
        }
    }
}

fn check_counts(what: &str, places: usize, reports: usize) -> Result<(), TrajectoryError> {
    if places == reports {
        return Ok(());
    }
    Err(TrajectoryError::incompatible(format!(
        "{what} and reports belong together one by one: got {places} and {reports}"
    )))
}
