//! The list of mechanisms, with their types erased: values in columns, reports in bytes.
//!
//! A mechanism gets its place here by one line. Nothing else in Privet matches over mechanisms.

use crate::analysis::AnyNumeric;
use crate::categorical::FrequencyOracle;
use crate::plane::PlaneErrors;
use crate::{categorical, circle, interval, plane};
#[cfg(not(target_family = "wasm"))]
use privet_core::Category;
use privet_core::{
    Build, BuildOptions, Channel, Domain, DomainSpec, Epsilon, Fingerprint, Generator, Guarantee, InputError,
    Mechanism, MechanismInfo, ParameterError, Piece, ReportBuffer, ReportError, Values,
};
use std::fmt::Debug;

/// A mechanism behind one face, for programs that learn its name at run time.
pub trait AnyMechanism: Debug + Send + Sync {
    /// What is said about it.
    fn info(&self) -> MechanismInfo;

    /// What one report promises.
    fn guarantee(&self) -> Guarantee;

    /// The mechanism with all its parameters, in short.
    fn fingerprint(&self) -> Fingerprint;

    /// How many bits a report has.
    fn report_bits(&self) -> u32;

    /// How many bytes an encoded report has.
    fn report_bytes(&self) -> usize;

    /// Draws a report for each value of a column.
    ///
    /// # Errors
    /// When the column holds another kind, or a value outside the domain; nothing is drawn then.
    fn randomize_batch(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError>;

    /// As [`AnyMechanism::randomize_batch`], after moving values outside the domain to the nearest one inside.
    ///
    /// # Errors
    /// When the column holds another kind, or a value that has no nearest one.
    #[cfg(not(target_family = "wasm"))]
    fn randomize_batch_clamped(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError>;

    /// Refuses a report that this mechanism cannot have written.
    ///
    /// # Errors
    /// When the length is wrong or the content is impossible.
    fn check_report(&self, report: &[u8]) -> Result<(), ReportError>;

    /// The channel in a few numbers; with a written input, for that input.
    ///
    /// # Errors
    /// When the input lies outside the domain.
    fn pieces(&self, input: Option<&str>) -> Result<Vec<Piece>, InputError>;

    /// For mechanisms whose reports are the categories themselves: the probability of each report (columns) for each written
    /// input (rows). `None` for all others. Programs in browsers must be small, and do without what only audits ask for.
    ///
    /// # Errors
    /// When an input lies outside the domain.
    #[cfg(not(target_family = "wasm"))]
    fn table(&self, inputs: &[String]) -> Result<Option<Vec<Vec<f64>>>, InputError>;

    /// The exact worst log-ratio, rounded up, from the integers that the sampler uses.
    fn exact_epsilon(&self) -> f64;

    /// Draws `count` reports for the first or the second of the two inputs between which the worst ratio occurs.
    ///
    /// # Errors
    /// Never for a mechanism whose worst inputs are in its domain.
    #[cfg(not(target_family = "wasm"))]
    fn randomize_worst_input(
        &self,
        which: WorstInput,
        count: usize,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError>;

    /// How much likelier a report is under the first of the two worst inputs than under the second, as a logarithm.
    ///
    /// # Errors
    /// When the report is none of this mechanism's.
    #[cfg(not(target_family = "wasm"))]
    fn worst_log_ratio(&self, report: &[u8]) -> Result<f64, ReportError>;
}

/// One of the two inputs between which the worst ratio occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorstInput {
    /// The one under which the telling reports are likelier.
    First,
    /// The other one.
    Second,
}

impl<M: Channel> AnyMechanism for M {
    fn info(&self) -> MechanismInfo {
        M::INFO
    }

    fn guarantee(&self) -> Guarantee {
        Mechanism::guarantee(self)
    }

    fn fingerprint(&self) -> Fingerprint {
        Mechanism::fingerprint(self)
    }

    fn report_bits(&self) -> u32 {
        Mechanism::report_bits(self)
    }

    fn report_bytes(&self) -> usize {
        Mechanism::report_bytes(self)
    }

    fn randomize_batch(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        Mechanism::randomize_batch(self, column(self, values)?, rng, reports)
    }

    #[cfg(not(target_family = "wasm"))]
    fn randomize_batch_clamped(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let nearest: Vec<_> =
            column(self, values)?.iter().map(|value| self.domain().nearest(*value)).collect();
        Mechanism::randomize_batch(self, &nearest, rng, reports)
    }

    fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        self.decode(report).map(drop)
    }

    fn pieces(&self, input: Option<&str>) -> Result<Vec<Piece>, InputError> {
        let input = input.map(|text| self.domain().parse(text)).transpose()?;
        input.iter().try_for_each(|value| self.domain().check(value))?;
        Ok(Channel::pieces(self, input.as_ref()))
    }

    #[cfg(not(target_family = "wasm"))]
    fn table(&self, inputs: &[String]) -> Result<Option<Vec<Vec<f64>>>, InputError> {
        // Other reports are more than there are categories, or are written with more bits.
        let is_category = Mechanism::report_bits(self) == Category::bits(inputs.len() as u32);
        let all = self.all_reports(inputs.len()).filter(|all| is_category && all.len() == inputs.len());
        let Some(reports) = all else { return Ok(None) };
        let row = |text: &String| {
            let input = self.domain().parse(text)?;
            self.domain().check(&input)?;
            Ok(reports.iter().map(|report| self.probability(&input, report).to_f64()).collect())
        };
        inputs.iter().map(row).collect::<Result<_, _>>().map(Some)
    }

    fn exact_epsilon(&self) -> f64 {
        self.worst_ratio().log_rounded_up()
    }

    #[cfg(not(target_family = "wasm"))]
    fn randomize_worst_input(
        &self,
        which: WorstInput,
        count: usize,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let [first, second] = self.worst_inputs();
        let input = if which == WorstInput::First { first } else { second };
        Mechanism::randomize_batch(self, &vec![input; count], rng, reports)
    }

    #[cfg(not(target_family = "wasm"))]
    fn worst_log_ratio(&self, report: &[u8]) -> Result<f64, ReportError> {
        let report = self.decode(report)?;
        let ratio = self.likelihood_ratio(&self.worst_inputs(), &report);
        Ok(ratio.map_or(f64::INFINITY, |ratio| ratio.to_f64().ln()))
    }
}

fn column<'a, M: Mechanism>(
    mechanism: &M,
    values: &'a Values,
) -> Result<&'a [<M::Domain as Domain>::Value], InputError> {
    M::Domain::select(values).ok_or_else(|| InputError::WrongKind { domain: mechanism.domain().to_string() })
}

/// One line of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What is said about the mechanism.
    pub info: MechanismInfo,
    build: Builder,
    plane: Option<PlaneBuilder>,
    reader: Option<ReaderBuilder>,
}

/// How the reports of a mechanism are read one by one, without what it takes to estimate from many.
#[derive(Debug)]
pub enum Reader {
    /// They support categories.
    Support(Box<dyn FrequencyOracle>),
    /// They are numbers or angles.
    Numbers(Box<dyn AnyNumeric>),
}

/// Makes a mechanism.
pub type Builder = fn(&DomainSpec, Epsilon, &BuildOptions) -> Result<Box<dyn AnyMechanism>, ParameterError>;

/// Makes a mechanism on places, to ask it about its errors.
type PlaneBuilder = fn(&DomainSpec, Epsilon) -> Result<Box<dyn PlaneErrors>, ParameterError>;

/// Makes a mechanism, to read its reports.
type ReaderBuilder = fn(&DomainSpec, Epsilon, &BuildOptions) -> Result<Reader, ParameterError>;

impl Row {
    /// A row from another crate.
    pub const fn new(info: MechanismInfo, build: Builder) -> Self {
        Self { info, build, plane: None, reader: None }
    }

    /// The row of a mechanism type.
    const fn of<M: Channel + Build + 'static>() -> Self {
        Self {
            info: M::INFO,
            build: |domain, epsilon, options| {
                Ok(Box::new(M::build_with(domain, epsilon, options)?) as Box<dyn AnyMechanism>)
            },
            plane: None,
            reader: None,
        }
    }

    /// The row of a mechanism whose reports support categories.
    const fn supporting<M: Channel + Build + FrequencyOracle + 'static>() -> Self {
        let reader: ReaderBuilder = |domain, epsilon, options| {
            Ok(Reader::Support(Box::new(M::build_with(domain, epsilon, options)?)))
        };
        Self { reader: Some(reader), ..Self::of::<M>() }
    }

    /// The row of a mechanism on numbers or angles.
    const fn numeric<M: Channel + Build + AnyNumeric + 'static>() -> Self {
        let reader: ReaderBuilder = |domain, epsilon, options| {
            Ok(Reader::Numbers(Box::new(M::build_with(domain, epsilon, options)?)))
        };
        Self { reader: Some(reader), ..Self::of::<M>() }
    }

    /// The row of a mechanism on places.
    const fn on_plane<M: Channel + Build + PlaneErrors + 'static>() -> Self {
        let build: PlaneBuilder =
            |domain, epsilon| Ok(Box::new(M::build(domain, epsilon)?) as Box<dyn PlaneErrors>);
        // Nobody asks a browser about errors, and its programs must be small.
        let plane = if cfg!(target_family = "wasm") { None } else { Some(build) };
        Self { plane, ..Self::of::<M>() }
    }

    /// Builds the mechanism.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn build(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Box<dyn AnyMechanism>, ParameterError> {
        self.build_with(domain, epsilon, &BuildOptions::default())
    }

    /// Builds the mechanism with parameters that only some mechanisms take.
    ///
    /// # Errors
    /// When the parameters do not fit, or one is given that the mechanism does not take.
    pub fn build_with(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyMechanism>, ParameterError> {
        (self.build)(domain, epsilon, options)
    }

    /// How the mechanism's reports are read one by one; `None` where they are not.
    ///
    /// # Errors
    /// As for [`Row::build_with`].
    pub fn reader(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Option<Reader>, ParameterError> {
        self.reader.map(|build| build(domain, epsilon, options)).transpose()
    }

    /// The errors of a mechanism on places; `None` for all other mechanisms.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn plane_errors(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Option<Box<dyn PlaneErrors>>, ParameterError> {
        self.plane.map(|build| build(domain, epsilon)).transpose()
    }
}

/// Every mechanism, in the order of the documentation.
pub const ROWS: &[Row] = &[
    Row::supporting::<categorical::RandomizedResponse>(),
    Row::supporting::<categorical::GeneralizedRandomizedResponse>(),
    Row::supporting::<categorical::SymmetricUnaryEncoding>(),
    Row::supporting::<categorical::OptimizedUnaryEncoding>(),
    Row::supporting::<categorical::BinaryLocalHashing>(),
    Row::supporting::<categorical::OptimizedLocalHashing>(),
    Row::supporting::<categorical::SubsetSelection>(),
    Row::supporting::<categorical::HadamardResponse>(),
    Row::of::<categorical::OrderedExponential>(),
    Row::of::<categorical::Rappor>(),
    Row::of::<categorical::CountMeanSketch>(),
    Row::of::<categorical::PrefixTree>(),
    Row::numeric::<interval::OptimalPiecewise>(),
    Row::numeric::<interval::OptimalPiecewiseSquared>(),
    Row::numeric::<interval::OptimalPiecewiseUnbiased>(),
    Row::numeric::<interval::Piecewise>(),
    Row::numeric::<interval::PiecewiseCompressed>(),
    Row::numeric::<interval::PiecewiseTruncated>(),
    Row::numeric::<interval::SquareWave>(),
    Row::numeric::<interval::SquareWaveBounded>(),
    Row::numeric::<interval::SquareWaveCompressed>(),
    Row::numeric::<interval::SquareWaveTruncated>(),
    Row::numeric::<interval::Duchi>(),
    Row::numeric::<interval::Hybrid>(),
    Row::numeric::<interval::Laplace>(),
    Row::numeric::<interval::LaplaceTruncated>(),
    Row::numeric::<interval::LaplaceBounded>(),
    Row::numeric::<interval::Staircase>(),
    Row::numeric::<interval::Gaussian>(),
    Row::numeric::<interval::GaussianProbabilistic>(),
    Row::numeric::<interval::GridRandomizedResponse>(),
    Row::numeric::<interval::GridExponential>(),
    Row::numeric::<circle::OptimalPiecewiseCircle>(),
    Row::numeric::<circle::OptimalPiecewiseCircleSquared>(),
    Row::numeric::<circle::SquareWaveCircle>(),
    Row::numeric::<circle::Purkayastha>(),
    Row::numeric::<circle::SectorRandomizedResponse>(),
    Row::on_plane::<plane::SquareWindow>(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique() {
        let names: Vec<_> = ROWS
            .iter()
            .flat_map(|row| std::iter::once(row.info.id).chain(row.info.synonyms.iter().copied()))
            .collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }

    #[test]
    fn synonyms_lead_to_the_same_row() {
        assert_eq!(find("grr").unwrap().info.id, "generalized-randomized-response");
        assert!(matches!(find("nonsense"), Err(ParameterError::UnknownMechanism { .. })));
    }
}
