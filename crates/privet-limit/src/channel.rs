//! Channels that a solver found, whatever their domain.

use privet_core::{Circle, DomainSpec, Epsilon, Interval, Mechanism, ParameterError};
use privet_estimators::HasEstimator;
use privet_estimators::registry::AnyEstimator;
use privet_mechanisms::analysis::{AnyNumeric, Loss};
use privet_mechanisms::categorical::SolvedCategories;
use privet_mechanisms::circle::{OptimalPiecewiseCircle, OptimalPiecewiseCircleSquared};
use privet_mechanisms::interval::{
    FoundOnInterval, LeastWorstAbsolute, LeastWorstSquared, LeastWorstVariance,
};
use privet_mechanisms::lattice::{DecodedRows, LatticeMechanism, LatticeRule};
use privet_mechanisms::plane::PlaneWindow;
use privet_mechanisms::registry::AnyMechanism;

/// What a channel on an interval was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The smallest worst absolute error.
    MinimaxAbsolute,
    /// The smallest worst squared error.
    MinimaxSquared,
    /// The smallest worst variance without bias.
    MinimaxUnbiased,
    /// Something else, for example a prior.
    Other,
}

/// A channel that a solver found.
#[derive(Debug, Clone)]
pub enum SolvedChannel {
    /// On numbers.
    Interval {
        /// What it was made for.
        purpose: Purpose,
        /// Where values come from.
        domain: Interval,
        /// The integers.
        rows: DecodedRows,
    },
    /// On angles: a window whose length is known in closed form.
    Circle {
        /// For which loss.
        loss: Loss,
        /// Where values come from.
        domain: Circle,
        /// What it keeps.
        epsilon: Epsilon,
    },
    /// On categories.
    Categories(SolvedCategories),
    /// In a rectangle.
    Rectangle(Box<PlaneWindow>),
}

/// One of the faces that programs need of a channel. Each is made by itself: a device that only draws does not need what estimates.
trait Face {
    type Made;

    /// On numbers or angles.
    fn of<K: LatticeRule>(mechanism: LatticeMechanism<K>) -> Self::Made;

    fn of_table(table: &SolvedCategories) -> Self::Made;

    fn of_window(window: &PlaneWindow) -> Self::Made;

    fn of_rows<K>(domain: Interval, rows: &DecodedRows) -> Result<Self::Made, ParameterError>
    where
        K: LatticeRule<Domain = Interval, Rows = DecodedRows>,
    {
        Ok(Self::of(LatticeMechanism::<K>::with_rows(domain, rows.clone())?))
    }
}

/// For the device.
struct AsMechanism;

impl Face for AsMechanism {
    type Made = Box<dyn AnyMechanism>;

    fn of<K: LatticeRule>(mechanism: LatticeMechanism<K>) -> Self::Made {
        Box::new(mechanism)
    }

    fn of_table(table: &SolvedCategories) -> Self::Made {
        Box::new(table.clone())
    }

    fn of_window(window: &PlaneWindow) -> Self::Made {
        Box::new(window.clone())
    }
}

/// For the collector.
struct AsEstimator;

impl Face for AsEstimator {
    type Made = Box<dyn AnyEstimator>;

    fn of<K: LatticeRule>(mechanism: LatticeMechanism<K>) -> Self::Made {
        Box::new(mechanism.estimator())
    }

    fn of_table(table: &SolvedCategories) -> Self::Made {
        Box::new(table.estimator())
    }

    fn of_window(window: &PlaneWindow) -> Self::Made {
        Box::new(window.estimator())
    }
}

/// For analysis, of numbers and angles only.
struct AsNumeric;

impl Face for AsNumeric {
    type Made = Option<Box<dyn AnyNumeric>>;

    fn of<K: LatticeRule>(mechanism: LatticeMechanism<K>) -> Self::Made {
        Some(Box::new(mechanism))
    }

    fn of_table(_: &SolvedCategories) -> Self::Made {
        None
    }

    fn of_window(_: &PlaneWindow) -> Self::Made {
        None
    }
}

impl SolvedChannel {
    fn face<F: Face>(&self) -> Result<F::Made, ParameterError> {
        match self {
            Self::Interval { purpose, domain, rows } => match purpose {
                Purpose::MinimaxAbsolute => F::of_rows::<LeastWorstAbsolute>(*domain, rows),
                Purpose::MinimaxSquared => F::of_rows::<LeastWorstSquared>(*domain, rows),
                Purpose::MinimaxUnbiased => F::of_rows::<LeastWorstVariance>(*domain, rows),
                Purpose::Other => F::of_rows::<FoundOnInterval>(*domain, rows),
            },
            Self::Circle { loss: Loss::Absolute, domain, epsilon } => {
                Ok(F::of(OptimalPiecewiseCircle::new(*domain, *epsilon)?))
            }
            Self::Circle { loss: Loss::Squared, domain, epsilon } => {
                Ok(F::of(OptimalPiecewiseCircleSquared::new(*domain, *epsilon)?))
            }
            Self::Categories(table) => Ok(F::of_table(table)),
            Self::Rectangle(window) => Ok(F::of_window(window)),
        }
    }

    /// Where values come from.
    pub fn domain(&self) -> DomainSpec {
        match self {
            Self::Interval { domain, .. } => DomainSpec::Interval(*domain),
            Self::Circle { domain, .. } => DomainSpec::Circle(*domain),
            Self::Categories(table) => DomainSpec::Categories(table.domain().clone()),
            Self::Rectangle(window) => DomainSpec::Rectangle(*window.domain()),
        }
    }

    /// The mechanism, for the device.
    ///
    /// # Errors
    /// When the integers do not make one.
    pub fn mechanism(&self) -> Result<Box<dyn AnyMechanism>, ParameterError> {
        self.face::<AsMechanism>()
    }

    /// Its estimator, for the collector; of places on 8 x 8 cells.
    ///
    /// # Errors
    /// When the integers do not make one.
    pub fn estimator(&self) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        self.face::<AsEstimator>()
    }

    /// The channel for analysis, if it is on numbers or angles.
    ///
    /// # Errors
    /// When the integers do not make one.
    pub fn numeric(&self) -> Result<Option<Box<dyn AnyNumeric>>, ParameterError> {
        self.face::<AsNumeric>()
    }

    /// What it is called.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Interval { purpose, .. } => match purpose {
                Purpose::MinimaxAbsolute => LeastWorstAbsolute::INFO.id,
                Purpose::MinimaxSquared => LeastWorstSquared::INFO.id,
                Purpose::MinimaxUnbiased => LeastWorstVariance::INFO.id,
                Purpose::Other => FoundOnInterval::INFO.id,
            },
            Self::Circle { loss: Loss::Absolute, .. } => OptimalPiecewiseCircle::INFO.id,
            Self::Circle { loss: Loss::Squared, .. } => OptimalPiecewiseCircleSquared::INFO.id,
            Self::Rectangle(_) => PlaneWindow::INFO.id,
            Self::Categories(_) => SolvedCategories::INFO.id,
        }
    }
}
