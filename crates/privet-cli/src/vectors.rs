//! Mechanisms on vectors, for verbs that work on any domain.

use crate::failure::Failure;
use clap::Args;
use privet::vector::mechanism::{ClipSet, VectorMechanism};
use privet::vector::registry;
pub(crate) use privet::vector::registry::Row;
use privet::vector::{VectorError, report_batch};
use privet::{
    AnyMechanism, BuildOptions, Dimension, DomainSpec, Epsilon, Fingerprint, Generator, Guarantee,
    InputError, MechanismInfo, ParameterError, Piece, ReportBuffer, ReportError, Values, Vectors, WorstInput,
};

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
    if names == ["all"] {
        let fits = |row: &&Row| options.delta.is_some() || row.info.guarantee != "approximate";
        return Ok(registry::ROWS.iter().filter(fits).collect());
    }
    names.iter().map(|name| find(name)).collect()
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

/// The clip set of a mechanism with every radius the same.
pub(crate) fn clip_of(row: &Row, dimension: Dimension, radius: f64) -> Result<ClipSet, ParameterError> {
    let count = dimension.get();
    match row.unit(dimension)? {
        ClipSet::L1Ball { .. } => ClipSet::l1_ball(dimension, radius),
        ClipSet::L2Ball { .. } => ClipSet::l2_ball(dimension, radius),
        ClipSet::Sphere { .. } => ClipSet::sphere(dimension, radius),
        ClipSet::Box { .. } => ClipSet::box_of(vec![radius; count]),
        ClipSet::Ellipsoid { centre, .. } => ClipSet::ellipsoid(centre, vec![radius; count]),
        _ => Err(ParameterError::Incompatible { reason: format!("{} has no radius", row.info.id) }),
    }
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
            row.build(&clip_of(row, vectors.dimension(), radius)?, epsilon, options)
        }
        _ => row.build_on(domain, epsilon, options),
    }
}

/// What a vector that cannot be randomised is refused with.
pub(crate) fn input_error(domain: Vectors, error: VectorError) -> InputError {
    match error {
        VectorError::Input(error) => error,
        _ => InputError::WrongKind { domain: domain.to_string() },
    }
}

/// A mechanism on vectors among those on other domains.
#[derive(Debug)]
pub(crate) struct OnVectors(pub(crate) Box<dyn VectorMechanism>);

impl OnVectors {
    fn domain(&self) -> Vectors {
        Vectors::new(self.0.dimension())
    }

    /// The integers of a report.
    fn codes(&self, report: &[u8]) -> Result<Vec<i32>, ReportError> {
        let expected = self.0.report_bytes();
        if report.len() != expected {
            return Err(ReportError::Length { expected, got: report.len() });
        }
        Ok(report.as_chunks().0.iter().map(|code| i32::from_le_bytes(*code)).collect())
    }
}

impl AnyMechanism for OnVectors {
    fn info(&self) -> MechanismInfo {
        self.0.info()
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint()
    }

    fn report_bits(&self) -> u32 {
        (8 * self.0.report_bytes()) as u32
    }

    fn report_bytes(&self) -> usize {
        self.0.report_bytes()
    }

    fn randomize_batch(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let drawn = report_batch(&*self.0, values, rng).map_err(|error| input_error(self.domain(), error))?;
        let (expected, got) = (self.0.report_bytes(), reports.report_bytes());
        let wrong = |_| InputError::Buffer { expected, got };
        drawn.iter().try_for_each(|report| reports.push(report)).map_err(wrong)
    }

    /// The clip set takes any vector, so there is nothing to move.
    fn randomize_batch_clamped(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.randomize_batch(values, rng, reports)
    }

    fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        self.0.read(&self.codes(report)?).map(|_| ())
    }

    fn pieces(&self, input: Option<&str>) -> Result<Vec<Piece>, InputError> {
        if let Some(text) = input {
            self.domain().parse_into(text, &mut Vec::new())?;
        }
        Ok(self.0.pieces())
    }

    fn table(&self, _inputs: &[String]) -> Result<Option<Vec<Vec<f64>>>, InputError> {
        Ok(None)
    }

    fn exact_epsilon(&self) -> f64 {
        self.0.guarantee().epsilon().get()
    }

    fn randomize_worst_input(
        &self,
        which: WorstInput,
        count: usize,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let [first, second] = self.0.worst_vectors();
        let vector = if which == WorstInput::First { first } else { second };
        let coordinates = vector.repeat(count);
        let values = Values::Vectors { dimension: self.0.dimension(), coordinates };
        self.randomize_batch(&values, rng, reports)
    }

    fn worst_log_ratio(&self, report: &[u8]) -> Result<f64, ReportError> {
        let [first, second] = self.0.worst_vectors();
        let ratio = self.0.log_ratio([&first, &second], &self.codes(report)?);
        ratio.map_err(|error| match error {
            VectorError::Report(error) => error,
            _ => ReportError::Impossible { reason: "no report of a vector" },
        })
    }
}
