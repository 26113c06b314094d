//! One place after the other.

use super::LocationMethod;
use crate::{Path, Place, TrajectoryError};
use privet_core::{Budget, CryptoRng};
use std::sync::Arc;

/// What the next place is seen from. Both are public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum References {
    /// The report before; for the first place a public dummy.
    PreviousReport {
        /// The dummy.
        start: Place,
    },
    /// The same place for all, for example the centre of a disc or a place chosen for the candidates of a city.
    Fixed(Place),
}

impl References {
    /// The previous report, starting from the middle of the method's space.
    pub fn previous(method: &dyn LocationMethod) -> Self {
        Self::PreviousReport { start: method.space().centre() }
    }
}

/// Reports the places of one path as they come. Memory does not grow with the path.
pub struct Stream<'a> {
    schedule: Schedule<'a>,
    reference: Place,
    follows_reports: bool,
    reported: u64,
}

enum Schedule<'a> {
    Same(&'a dyn LocationMethod),
    Each(&'a [Arc<dyn LocationMethod>]),
}

impl<'a> Stream<'a> {
    /// Every place by the same method.
    ///
    /// # Errors
    /// When the reference lies outside the space.
    pub fn new(method: &'a dyn LocationMethod, references: References) -> Result<Self, TrajectoryError> {
        Self::start(Schedule::Same(method), method, references)
    }

    /// The first place by the first method, and so on: see [`super::PathBudget::methods`].
    ///
    /// # Errors
    /// When there is no method, they have different spaces, or the reference lies outside.
    pub fn with_methods(
        methods: &'a [Arc<dyn LocationMethod>],
        references: References,
    ) -> Result<Self, TrajectoryError> {
        let first = methods.first().ok_or_else(|| TrajectoryError::incompatible("a path needs a method"))?;
        if methods.iter().any(|method| method.space() != first.space()) {
            return Err(TrajectoryError::incompatible("all places of a path must lie in the same space"));
        }
        Self::start(Schedule::Each(methods), first.as_ref(), references)
    }

    fn start(
        schedule: Schedule<'a>,
        method: &dyn LocationMethod,
        references: References,
    ) -> Result<Self, TrajectoryError> {
        let (reference, follows_reports) = match references {
            References::PreviousReport { start } => (start, true),
            References::Fixed(place) => (place, false),
        };
        method.space().check(&reference)?;
        Ok(Self { schedule, reference, follows_reports, reported: 0 })
    }

    /// Reports the next place. A place outside the space costs nothing and leaves everything as it was.
    ///
    /// # Errors
    /// When the place lies outside the space, or there is no budget for one more.
    pub fn report(&mut self, place: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        let method = match &self.schedule {
            Schedule::Same(method) => *method,
            Schedule::Each(methods) => {
                let method = usize::try_from(self.reported).ok().and_then(|index| methods.get(index));
                let planned = methods.len() as u64;
                method.ok_or(TrajectoryError::PathTooLong { planned })?.as_ref()
            }
        };
        let report = method.perturb(place, &self.reference, rng)?;
        self.reported += 1;
        if self.follows_reports {
            self.reference = report;
        }
        Ok(report)
    }

    /// How many places were reported.
    pub fn reported(&self) -> u64 {
        self.reported
    }

    /// The sum of what all reports promise: what the whole path has lost so far. Methods without a guarantee add nothing to
    /// it; see [`LocationMethod::scope`].
    ///
    /// # Errors
    /// When the sum is no guarantee any more.
    pub fn spent(&self) -> Result<Budget, TrajectoryError> {
        match &self.schedule {
            Schedule::Same(method) => {
                let times = u32::try_from(self.reported)
                    .map_err(|_| TrajectoryError::incompatible("a path has at most 2^32 places"))?;
                let repeated = |guarantee| Budget::repeated(guarantee, times);
                Ok(method.guarantee().map_or(Ok(Budget::empty()), repeated)?)
            }
            Schedule::Each(methods) => {
                let used = methods.iter().take(self.reported as usize);
                let guarantees = used.filter_map(|method| method.guarantee());
                Ok(guarantees.into_iter().try_fold(Budget::empty(), Budget::spend)?)
            }
        }
    }
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Stream({} places reported)", self.reported)
    }
}

/// Reports a whole path, starting from the middle of the space. An empty path stays empty; its number of places is visible.
///
/// # Errors
/// When a place lies outside the space; the error names its position. Nothing is reported then.
pub fn perturb_path(
    method: &dyn LocationMethod,
    path: &Path,
    rng: &mut dyn CryptoRng,
) -> Result<Path, TrajectoryError> {
    let outside = path.places.iter().position(|place| !method.space().contains(place));
    if let Some(position) = outside {
        method.space().check(&path.places[position]).map_err(|error| error.at(position as u64 + 1))?;
    }
    let mut stream = Stream::new(method, References::previous(method))?;
    let places = path.places.iter().map(|place| stream.report(place, rng));
    Ok(Path { id: path.id.clone(), places: places.collect::<Result<_, _>>()? })
}
