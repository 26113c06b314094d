//! Mechanisms on vectors, for verbs that work on any domain.

use crate::failure::Failure;
use clap::Args;
use privet::vector::mechanism::VectorMechanism;
use privet::vector::registry;
pub(crate) use privet::vector::registry::Row;
use privet::{BuildOptions, DomainSpec, Epsilon, ParameterError};

/// Whether a domain flag is about vectors. The rest of it is checked where it is read.
pub(crate) fn is_vector_domain(domain: &str) -> bool {
    domain.split(':').next() == Some("vector")
}

/// How far vectors reach.
#[derive(Debug, Args)]
#[command(next_help_heading = "Vectors")]
pub(crate) struct RadiusArguments {
    /// The radius of the mechanism's clip set, for vector:64: longer vectors are shortened [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) radius: Option<f64>,
}

impl RadiusArguments {
    /// Refuses a radius where there are no vectors.
    pub(crate) fn refuse_elsewhere(&self) -> Result<(), Failure> {
        match self.radius {
            None => Ok(()),
            Some(_) => Err(Failure::Usage {
                message: "--radius is about vectors".into(),
                hint: Some("it fits domains such as vector:64"),
            }),
        }
    }
}

/// The mechanism on vectors of this name.
pub(crate) fn find(name: &str) -> Result<&'static Row, Failure> {
    registry::find(name).map_err(|source| match privet::registry::find_mechanism(name) {
        Ok(row) => Failure::Usage {
            message: format!("{} works on another domain ({}), not on vectors", row.info.id, row.info.domain),
            hint: Some("`privet mechanisms` lists those for vectors, such as privunit and laplace-vector"),
        },
        Err(_) => Failure::UnknownMechanism { source, nearest: None },
    })
}

/// Several by name; `all` stands for every one that can be made with these options.
pub(crate) fn find_all(names: &[String], options: &BuildOptions) -> Result<Vec<&'static Row>, Failure> {
    if is_all(names) {
        let fits = |row: &&Row| options.delta.is_some() || row.info.guarantee != "approximate";
        return Ok(registry::ROWS.iter().filter(fits).collect());
    }
    names.iter().map(|name| find(name)).collect()
}

/// Whether every mechanism is asked for.
pub(crate) fn is_all(names: &[String]) -> bool {
    names == ["all"]
}

/// The options that a mechanism takes, where several share one command.
pub(crate) fn taken(row: &Row, options: &BuildOptions) -> BuildOptions {
    BuildOptions { delta: options.delta.filter(|_| row.info.guarantee == "approximate"), ..*options }
}

/// Refuses a delta that no mechanism takes: a setting must not be dropped silently.
pub(crate) fn check_taken(rows: &[&'static Row], options: &BuildOptions) -> Result<(), Failure> {
    if options.delta.is_some() && rows.iter().all(|row| row.info.guarantee != "approximate") {
        return Err(Failure::Usage { message: "none of these mechanisms takes --delta".into(), hint: None });
    }
    Ok(())
}

/// The mechanism on a written domain.
pub(crate) fn build(
    row: &Row,
    domain: &DomainSpec,
    radius: Option<f64>,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Box<dyn VectorMechanism>, ParameterError> {
    match (domain, radius) {
        (DomainSpec::Vectors(vectors), Some(radius)) => {
            row.build(&row.with_radius(vectors.dimension(), radius)?, epsilon, options)
        }
        _ => row.build_on(domain, epsilon, options),
    }
}
