//! The list of mechanisms on vectors, with their types erased.
//!
//! A mechanism gets its place here by one row. Nothing else matches over mechanisms.

use crate::PublicSample;
use crate::mechanism::{
    ClipSet, CoordinateLaplace, DiamondBall, GaussianRule, GaussianVector, InstanceOptimal, KnownDeviations,
    LaplaceRule, LaplaceVector, LinearTask, Plan, PrivUnit, PrivUnitG, RoundBall, SampledCoordinates,
    SharedBudget, ShiftedBall, TaskAwareLinear, VectorMechanism,
};
use nalgebra::{DMatrix, DVector};
use privet_core::{BuildOptions, Dimension, DomainSpec, Epsilon, MechanismInfo, ParameterError, Probability};

/// Makes a mechanism from its clip set.
type Builder = fn(&ClipSet, Epsilon, &BuildOptions) -> Result<Box<dyn VectorMechanism>, ParameterError>;

/// Chooses a clip set from a public sample: the one that holds this share of it.
type Fitter = fn(&PublicSample, Probability) -> Result<ClipSet, ParameterError>;

/// One line of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What is said about the mechanism.
    pub info: MechanismInfo,
    unit: fn(Dimension) -> Result<ClipSet, ParameterError>,
    fit: Fitter,
    build: Builder,
}

impl Row {
    /// The mechanism's clip set with every radius one and the centre at zero.
    ///
    /// # Errors
    /// Never for a dimension that is one.
    pub fn unit(&self, dimension: Dimension) -> Result<ClipSet, ParameterError> {
        (self.unit)(dimension)
    }

    /// The mechanism's clip set with every radius the same.
    ///
    /// # Errors
    /// When the radius is not usable.
    pub fn with_radius(&self, dimension: Dimension, radius: f64) -> Result<ClipSet, ParameterError> {
        let count = dimension.get();
        match self.unit(dimension)? {
            ClipSet::L1Ball { .. } => ClipSet::l1_ball(dimension, radius),
            ClipSet::L2Ball { .. } => ClipSet::l2_ball(dimension, radius),
            ClipSet::Sphere { .. } => ClipSet::sphere(dimension, radius),
            ClipSet::Box { .. } => ClipSet::box_of(vec![radius; count]),
            ClipSet::Ellipsoid { centre, .. } => ClipSet::ellipsoid(centre, vec![radius; count]),
            ClipSet::Image { .. } => {
                Err(ParameterError::Incompatible { reason: format!("{} has no radius", self.info.id) })
            }
        }
    }

    /// The mechanism's clip set that holds this share of a public sample.
    ///
    /// # Errors
    /// When the sample gives a radius of zero, because so many of its vectors are zero or the same.
    pub fn fit(&self, sample: &PublicSample, share: Probability) -> Result<ClipSet, ParameterError> {
        (self.fit)(sample, share)
    }

    /// Builds the mechanism on a clip set of its kind.
    ///
    /// # Errors
    /// When the set is of another kind, or the parameters do not fit, or one is given that the mechanism does not take.
    pub fn build(
        &self,
        clip: &ClipSet,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn VectorMechanism>, ParameterError> {
        options.refuse_unless(self.info.guarantee == "approximate", false)?;
        (self.build)(clip, epsilon, options)
    }

    /// Builds the mechanism on a written domain, `vector:64`, with its unit clip set.
    ///
    /// # Errors
    /// When the domain is another one, and as for [`Row::build`].
    pub fn build_on(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn VectorMechanism>, ParameterError> {
        let DomainSpec::Vectors(vectors) = domain else {
            return Err(ParameterError::WrongDomain {
                mechanism: self.info.id,
                expected: self.info.domain,
                got: domain.to_string(),
            });
        };
        self.build(&self.unit(vectors.dimension())?, epsilon, options)
    }
}

/// Every mechanism, in the order of the documentation.
pub const ROWS: &[Row] = &[
    Row {
        info: DiamondBall::INFO,
        unit: |dimension| ClipSet::l1_ball(dimension, 1.0),
        fit: |sample, share| ClipSet::l1_ball(sample.dimension(), l1_quantile(sample, share)),
        build: |clip, epsilon, _| match clip {
            ClipSet::L1Ball { dimension, radius } => boxed(LaplaceVector::new(*dimension, *radius, epsilon)),
            _ => wrong_set(&DiamondBall::INFO, "an L1 ball"),
        },
    },
    Row {
        info: RoundBall::INFO,
        unit: |dimension| ClipSet::l2_ball(dimension, 1.0),
        fit: |sample, share| ClipSet::l2_ball(sample.dimension(), l2_quantile(sample, share)),
        build: |clip, epsilon, options| match clip {
            ClipSet::L2Ball { dimension, radius } => {
                boxed(GaussianVector::new(*dimension, *radius, epsilon, options.delta))
            }
            _ => wrong_set(&RoundBall::INFO, "an L2 ball"),
        },
    },
    on_sphere(PrivUnit::INFO, |clip, epsilon, _| match clip {
        ClipSet::Sphere { dimension, radius } => boxed(PrivUnit::new(*dimension, *radius, epsilon)),
        _ => wrong_set(&PrivUnit::INFO, "a sphere"),
    }),
    on_sphere(PrivUnitG::INFO, |clip, epsilon, _| match clip {
        ClipSet::Sphere { dimension, radius } => boxed(PrivUnitG::new(*dimension, *radius, epsilon)),
        _ => wrong_set(&PrivUnitG::INFO, "a sphere"),
    }),
    on_sphere(PrivUnitG::NORMALIZED_INFO, |clip, epsilon, _| match clip {
        ClipSet::Sphere { dimension, radius } => boxed(PrivUnitG::normalized(*dimension, *radius, epsilon)),
        _ => wrong_set(&PrivUnitG::NORMALIZED_INFO, "a sphere"),
    }),
    on_box(SharedBudget::INFO, |clip, epsilon, _| match clip {
        ClipSet::Box { radii } => boxed(CoordinateLaplace::new(radii.clone(), epsilon)),
        _ => wrong_set(&SharedBudget::INFO, "a box"),
    }),
    on_box(SampledCoordinates::PIECEWISE_INFO, |clip, epsilon, _| match clip {
        ClipSet::Box { radii } => boxed(SampledCoordinates::piecewise(radii.clone(), epsilon)),
        _ => wrong_set(&SampledCoordinates::PIECEWISE_INFO, "a box"),
    }),
    on_box(SampledCoordinates::HYBRID_INFO, |clip, epsilon, _| match clip {
        ClipSet::Box { radii } => boxed(SampledCoordinates::hybrid(radii.clone(), epsilon)),
        _ => wrong_set(&SampledCoordinates::HYBRID_INFO, "a box"),
    }),
    on_box(SampledCoordinates::MINIMAX_INFO, |clip, epsilon, _| match clip {
        ClipSet::Box { radii } => boxed(SampledCoordinates::minimax_unbiased(radii.clone(), epsilon)),
        _ => wrong_set(&SampledCoordinates::MINIMAX_INFO, "a box"),
    }),
    Row {
        info: KnownDeviations::INFO,
        unit: unit_ellipsoid,
        fit: Plan::ellipsoid_of,
        build: |clip, epsilon, options| match clip {
            ClipSet::Ellipsoid { centre, radii } => {
                boxed(Plan::new(centre.clone(), radii.clone(), epsilon, options.delta))
            }
            _ => wrong_set(&KnownDeviations::INFO, "an ellipsoid"),
        },
    },
    Row {
        info: ShiftedBall::INFO,
        unit: unit_ellipsoid,
        fit: InstanceOptimal::ball_of,
        build: |clip, epsilon, options| match clip {
            ClipSet::Ellipsoid { centre, radii } if radii.iter().all(|radius| *radius == radii[0]) => {
                boxed(InstanceOptimal::new(centre.clone(), radii[0], epsilon, options.delta))
            }
            _ => wrong_set(&ShiftedBall::INFO, "an ellipsoid with equal half axes"),
        },
    },
    Row {
        info: TaskAwareLinear::INFO,
        unit: |dimension| ClipSet::l2_ball(dimension, 1.0),
        fit: |sample, share| ClipSet::l2_ball(sample.dimension(), l2_quantile(sample, share)),
        build: |clip, epsilon, _| match clip {
            ClipSet::L2Ball { dimension, radius } => boxed(whole_vector(*dimension, *radius, epsilon)),
            _ => wrong_set(&TaskAwareLinear::INFO, "an L2 ball"),
        },
    },
];

/// The row with this id or synonym.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Row, ParameterError> {
    ROWS.iter()
        .find(|row| row.info.id == name || row.info.synonyms.contains(&name))
        .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
}

const fn on_sphere(info: MechanismInfo, build: Builder) -> Row {
    Row {
        info,
        unit: |dimension| ClipSet::sphere(dimension, 1.0),
        fit: |sample, share| ClipSet::sphere(sample.dimension(), l2_quantile(sample, share)),
        build,
    }
}

const fn on_box(info: MechanismInfo, build: Builder) -> Row {
    Row {
        info,
        unit: |dimension| ClipSet::box_of(vec![1.0; dimension.get()]),
        fit: |sample, share| ClipSet::box_of(sample.coordinate_quantiles(share)),
        build,
    }
}

fn unit_ellipsoid(dimension: Dimension) -> Result<ClipSet, ParameterError> {
    ClipSet::ellipsoid(vec![0.0; dimension.get()], vec![1.0; dimension.get()])
}

/// The task-aware mechanism where the task is the vector itself, uniform in direction and as long as the radius. Whoever knows the
/// task makes it with [`TaskAwareLinear::fit`].
fn whole_vector(
    dimension: Dimension,
    radius: f64,
    epsilon: Epsilon,
) -> Result<TaskAwareLinear, ParameterError> {
    let count = dimension.get();
    let variance = radius * radius / dimension.as_f64();
    let task = LinearTask {
        mean: DVector::zeros(count),
        covariance: DMatrix::identity(count, count) * variance,
        weights: DMatrix::identity(count, count),
    };
    TaskAwareLinear::new(&task, dimension.as_f64().sqrt(), epsilon)
}

fn l1_quantile(sample: &PublicSample, share: Probability) -> f64 {
    sample.quantile(share, |vector| vector.iter().map(|coordinate| coordinate.abs()).sum())
}

fn l2_quantile(sample: &PublicSample, share: Probability) -> f64 {
    sample
        .quantile(share, |vector| vector.iter().map(|coordinate| coordinate * coordinate).sum::<f64>().sqrt())
}

fn boxed<M: VectorMechanism + 'static>(
    mechanism: Result<M, ParameterError>,
) -> Result<Box<dyn VectorMechanism>, ParameterError> {
    Ok(Box::new(mechanism?))
}

fn wrong_set(info: &MechanismInfo, expected: &str) -> Result<Box<dyn VectorMechanism>, ParameterError> {
    Err(ParameterError::Incompatible { reason: format!("{} clips to {expected}: got another set", info.id) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Delta, Generator};
    use std::collections::HashSet;

    fn options(row: &Row) -> BuildOptions {
        let delta = (row.info.guarantee == "approximate").then(|| Delta::new(1e-5).unwrap());
        BuildOptions { delta, ..BuildOptions::default() }
    }

    #[test]
    fn names_are_unique_also_among_mechanisms_on_other_domains() {
        let others = privet_mechanisms::registry::ROWS.iter().map(|row| row.info);
        let names: Vec<&str> = ROWS
            .iter()
            .map(|row| row.info)
            .chain(others)
            .flat_map(|info| std::iter::once(info.id).chain(info.synonyms.iter().copied()))
            .collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert_eq!(find("privunit2").unwrap().info.id, "privunit");
        assert!(find("nonsense").is_err());
    }

    #[test]
    fn every_row_builds_on_its_own_sets_and_on_no_other() {
        let coordinates: Vec<f64> = (0..90).map(|index| f64::from(index * 37 % 23) - 11.5).collect();
        let sample = PublicSample::new(3, &coordinates).unwrap();
        let domain: DomainSpec = "vector:3".parse().unwrap();
        let epsilon = Epsilon::new(2.0).unwrap();
        for row in ROWS {
            let id = row.info.id;
            let unit = row.build_on(&domain, epsilon, &options(row)).unwrap();
            assert_eq!(unit.info(), row.info, "{id}");
            let fitted =
                row.build(&row.fit(&sample, Probability::new(0.9).unwrap()).unwrap(), epsilon, &options(row));
            let fitted = fitted.unwrap();
            assert_ne!(fitted.fingerprint(), unit.fingerprint(), "{id}");
            let mut report = [0.0; 3];
            fitted.randomize(&[1.0, -2.0, 3.0], &mut report, &mut Generator::from_insecure_seed(1)).unwrap();
            assert!(fitted.mean_squared_error() > 0.0 && fitted.guarantee().epsilon() <= epsilon, "{id}");
            let kinds = ROWS.iter().filter(|other| {
                row.build(&other.unit(unit.dimension()).unwrap(), epsilon, &options(row)).is_ok()
            });
            assert!(kinds.count() < 6, "{id} takes any set");
            assert!(row.build_on(&"interval:0,1".parse().unwrap(), epsilon, &options(row)).is_err(), "{id}");
        }
    }

    #[test]
    fn deltas_are_neither_dropped_nor_made_up() {
        let domain: DomainSpec = "vector:3".parse().unwrap();
        let epsilon = Epsilon::new(2.0).unwrap();
        for row in ROWS {
            let takes = row.info.guarantee == "approximate";
            let given = BuildOptions { delta: Some(Delta::new(1e-5).unwrap()), bins: None };
            assert_eq!(row.build_on(&domain, epsilon, &given).is_ok(), takes, "{}", row.info.id);
            assert_eq!(
                row.build_on(&domain, epsilon, &BuildOptions::default()).is_ok(),
                !takes,
                "{}",
                row.info.id
            );
        }
    }

    #[test]
    fn samples_of_zeros_have_no_radius() {
        let zeros = PublicSample::new(2, &[0.0; 20]).unwrap();
        for row in ROWS {
            let message = row.fit(&zeros, Probability::new(0.9).unwrap()).unwrap_err().to_string();
            assert!(message.contains("a clip radius must be between"), "{}: {message}", row.info.id);
        }
    }
}
