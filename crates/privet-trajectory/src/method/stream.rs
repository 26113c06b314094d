//! One place after the other.

use super::LocationMethod;
use crate::{Place, TrajectoryError};
use privet_core::{Budget, CryptoRng, Guarantee};
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
    /// The previous report, starting from the middle of the method's space. A corner, as in the papers, or any other public
    /// place is [`References::PreviousReport`] with [`crate::space::Space::lower_corner`] or that place as its start.
    pub fn previous(method: &dyn LocationMethod) -> Self {
        Self::PreviousReport { start: method.space().centre() }
    }

    /// What the first place is seen from.
    pub fn first(&self) -> Place {
        match self {
            Self::PreviousReport { start } => *start,
            Self::Fixed(place) => *place,
        }
    }
}

impl References {
    /// The one place that all reports are seen from, for what needs the same law for all.
    ///
    /// # Errors
    /// When each report is seen from the one before.
    pub(super) fn need_fixed(self, method: &'static str) -> Result<Place, TrajectoryError> {
        match self {
            Self::Fixed(place) => Ok(place),
            Self::PreviousReport { .. } => Err(TrajectoryError::NoIntervals {
                method,
                why: "each is seen from the one before, so each has a law of its own",
                instead: "report from a fixed reference, or by window-2d or tracs-c",
            }),
        }
    }
}

/// Reports the places of one path as they come. Memory does not grow with the path.
pub struct Stream<'a> {
    schedule: Schedule<'a>,
    reference: Place,
    follows_reports: bool,
    reported: u64,
}

/// Which method reports which place of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Schedule<'a> {
    Same(&'a dyn LocationMethod),
    Each(&'a [Arc<dyn LocationMethod>]),
}

impl<'a> Schedule<'a> {
    /// The first place by the first method, and so on.
    pub(super) fn each(methods: &'a [Arc<dyn LocationMethod>]) -> Result<Self, TrajectoryError> {
        let first = methods.first().ok_or_else(|| TrajectoryError::incompatible("a path needs a method"))?;
        if methods.iter().any(|method| method.space() != first.space()) {
            return Err(TrajectoryError::incompatible("all places of a path must lie in the same space"));
        }
        Ok(Self::Each(methods))
    }

    /// The method of the place at an index.
    pub(super) fn method(&self, index: u64) -> Result<&'a dyn LocationMethod, TrajectoryError> {
        match self {
            Self::Same(method) => Ok(*method),
            Self::Each(methods) => {
                let method = usize::try_from(index).ok().and_then(|index| methods.get(index));
                method
                    .map(AsRef::as_ref)
                    .ok_or(TrajectoryError::PathTooLong { planned: methods.len() as u64 })
            }
        }
    }

    /// The sum of what this many reports promise; methods without a guarantee add nothing.
    pub(super) fn spent(&self, reports: u64) -> Result<Budget, TrajectoryError> {
        match self {
            Self::Same(method) => {
                let times = u32::try_from(reports).map_err(|_| too_long())?;
                let repeated = |guarantee| Budget::repeated(guarantee, times);
                Ok(method.guarantee().map_or(Ok(Budget::empty()), repeated)?)
            }
            Self::Each(methods) => {
                let used = methods.iter().take(usize::try_from(reports).unwrap_or(usize::MAX));
                let guarantees: Vec<Guarantee> = used.filter_map(|method| method.guarantee()).collect();
                // Equal ones together, so that their sum is rounded once and equal parts are not above their whole.
                let mut budget = Budget::empty();
                for run in guarantees.chunk_by(|one, other| one == other) {
                    let times = u32::try_from(run.len()).map_err(|_| too_long())?;
                    budget = Budget::repeated(run[0], times)?
                        .total()
                        .map_or(Ok(budget), |all| budget.spend(all))?;
                }
                Ok(budget)
            }
        }
    }
}

fn too_long() -> TrajectoryError {
    TrajectoryError::incompatible("a path has at most 2^32 places")
}

impl<'a> Stream<'a> {
    /// Every place by the same method.
    ///
    /// # Errors
    /// When the reference lies outside the space.
    pub fn new(method: &'a dyn LocationMethod, references: References) -> Result<Self, TrajectoryError> {
        Self::of(Schedule::Same(method), references)
    }

    /// The first place by the first method, and so on: see [`super::PathBudget::methods`].
    ///
    /// # Errors
    /// When there is no method, they have different spaces, or the reference lies outside.
    pub fn with_methods(
        methods: &'a [Arc<dyn LocationMethod>],
        references: References,
    ) -> Result<Self, TrajectoryError> {
        Self::of(Schedule::each(methods)?, references)
    }

    pub(super) fn of(schedule: Schedule<'a>, references: References) -> Result<Self, TrajectoryError> {
        let (reference, follows_reports) =
            (references.first(), matches!(references, References::PreviousReport { .. }));
        schedule.method(0)?.space().check(&reference)?;
        Ok(Self { schedule, reference, follows_reports, reported: 0 })
    }

    /// Reports the next place. A place outside the space costs nothing and leaves everything as it was.
    ///
    /// # Errors
    /// When the place lies outside the space, or there is no budget for one more.
    pub fn report(&mut self, place: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        let method = self.schedule.method(self.reported)?;
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
        self.schedule.spent(self.reported)
    }
}

impl std::fmt::Debug for Stream<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Stream({} places reported)", self.reported)
    }
}
