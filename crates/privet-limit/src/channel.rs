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

/// A channel behind each of the faces that programs need.
struct Faces {
    mechanism: Box<dyn AnyMechanism>,
    /// For all but places.
    estimator: Box<dyn AnyEstimator>,
    /// For channels on numbers or angles.
    numeric: Option<Box<dyn AnyNumeric>>,
}

impl Faces {
    fn of<K: LatticeRule>(mechanism: LatticeMechanism<K>) -> Self {
        Self {
            estimator: Box::new(mechanism.estimator()),
            numeric: Some(Box::new(mechanism.clone())),
            mechanism: Box::new(mechanism),
        }
    }

    fn of_rows<K>(domain: Interval, rows: &DecodedRows) -> Result<Self, ParameterError>
    where
        K: LatticeRule<Domain = Interval, Rows = DecodedRows>,
    {
        Ok(Self::of(LatticeMechanism::<K>::with_rows(domain, rows.clone())?))
    }
}

impl SolvedChannel {
    fn faces(&self) -> Result<Faces, ParameterError> {
        match self {
            Self::Interval { purpose, domain, rows } => match purpose {
                Purpose::MinimaxAbsolute => Faces::of_rows::<LeastWorstAbsolute>(*domain, rows),
                Purpose::MinimaxSquared => Faces::of_rows::<LeastWorstSquared>(*domain, rows),
                Purpose::MinimaxUnbiased => Faces::of_rows::<LeastWorstVariance>(*domain, rows),
                Purpose::Other => Faces::of_rows::<FoundOnInterval>(*domain, rows),
            },
            Self::Circle { loss: Loss::Absolute, domain, epsilon } => {
                Ok(Faces::of(OptimalPiecewiseCircle::new(*domain, *epsilon)?))
            }
            Self::Circle { loss: Loss::Squared, domain, epsilon } => {
                Ok(Faces::of(OptimalPiecewiseCircleSquared::new(*domain, *epsilon)?))
            }
            Self::Categories(table) => Ok(Faces {
                estimator: Box::new(table.estimator()),
                numeric: None,
                mechanism: Box::new(table.clone()),
            }),
            Self::Rectangle(window) => Ok(Faces {
                estimator: Box::new(window.estimator()),
                numeric: None,
                mechanism: Box::new(window.as_ref().clone()),
            }),
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
        Ok(self.faces()?.mechanism)
    }

    /// Its estimator, for the collector; of places on 8 x 8 cells.
    ///
    /// # Errors
    /// When the integers do not make one.
    pub fn estimator(&self) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        Ok(self.faces()?.estimator)
    }

    /// The channel for analysis, if it is on numbers or angles.
    ///
    /// # Errors
    /// When the integers do not make one.
    pub fn numeric(&self) -> Result<Option<Box<dyn AnyNumeric>>, ParameterError> {
        Ok(self.faces()?.numeric)
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
