//! Any mechanism, by its name or solved for before.

use crate::column::Column;
use crate::domain::Domain;
use crate::draw::draw;
use crate::estimator::{Estimator, Kind};
use crate::json::Document;
use crate::problem::Problem;
use crate::reports::Reports;
use crate::work::{generator, interruptible, unlocked};
use numpy::{PyArray1, PyReadonlyArray1};
use privet::advisor::Choice;
use privet::analysis::{Analysis, Loss, Prior, parts};
use privet::audit::{Sampling, lower_bound};
use privet::document;
use privet::limit::Solution;
use privet::limit::finite::LossMatrix;
use privet::plane::{PlaneErrors, PlanePrior};
use privet::registry::{self, AnyEstimator};
use privet::vector::OnVectors;
use privet::vector::mechanism::VectorMechanism;
use privet::{
    AnyMechanism, BuildOptions, Delta, DomainSpec, Envelope, Epsilon, Guarantee, ReportBuffer, ReportError,
};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::{Arc, OnceLock};

/// A mechanism with its parameters.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Mechanism {
    any: Arc<dyn AnyMechanism>,
    vector: Option<Arc<dyn VectorMechanism>>,
    recipe: Arc<Recipe>,
    estimator: OnceLock<Arc<dyn AnyEstimator>>,
}

/// What a mechanism and its estimator are made from.
#[derive(Debug)]
struct Recipe {
    source: Source,
    domain: DomainSpec,
    epsilon: Epsilon,
    options: BuildOptions,
}

#[derive(Debug)]
enum Source {
    Row(&'static registry::MechanismRow),
    Vector(&'static privet::vector::registry::Row, Option<f64>),
    Solved(Arc<Solution>),
}

impl Recipe {
    fn choice(&self) -> Result<Choice<'_>, Problem> {
        match &self.source {
            Source::Row(row) => Ok(Choice::Row(row)),
            Source::Solved(solution) => Ok(Choice::Solved(solution)),
            Source::Vector(..) => Err(Problem::parameter("this is not asked of mechanisms on vectors")),
        }
    }

    fn vector(&self) -> Result<Option<Arc<dyn VectorMechanism>>, Problem> {
        let Source::Vector(row, radius) = &self.source else { return Ok(None) };
        let built = match (&self.domain, radius) {
            (DomainSpec::Vectors(vectors), Some(radius)) => {
                row.build(&row.with_radius(vectors.dimension(), *radius)?, self.epsilon, &self.options)
            }
            (domain, _) => row.build_on(domain, self.epsilon, &self.options),
        };
        Ok(Some(Arc::from(built?)))
    }

    /// The mechanism as one on places, if it is one.
    fn plane(&self) -> Result<Option<Box<dyn PlaneErrors>>, Problem> {
        match (&self.source, &self.domain) {
            (Source::Row(_) | Source::Solved(_), DomainSpec::Rectangle(_)) => {
                Ok(self.choice()?.plane_errors(&self.domain, self.epsilon)?)
            }
            _ => Ok(None),
        }
    }

    fn mechanism(&self) -> Result<Arc<dyn AnyMechanism>, Problem> {
        Ok(Arc::from(self.choice()?.mechanism(&self.domain, self.epsilon, &self.options)?))
    }

    fn estimator(&self) -> Result<Arc<dyn AnyEstimator>, Problem> {
        Ok(Arc::from(self.choice()?.estimator(&self.domain, self.epsilon, &self.options)?))
    }
}

impl Mechanism {
    /// Solving can take seconds, so it can be interrupted.
    fn build(py: Python<'_>, recipe: Recipe) -> PyResult<Self> {
        let recipe = Arc::new(recipe);
        let theirs = recipe.clone();
        let (any, vector) = interruptible(py, move || match theirs.vector()? {
            Some(vector) => Ok((Arc::new(OnVectors(vector.clone())) as Arc<dyn AnyMechanism>, Some(vector))),
            None => Ok((theirs.mechanism()?, None)),
        })?;
        Ok(Self { any, vector, recipe, estimator: OnceLock::new() })
    }

    /// The channel on numbers or angles and all that is learned from its reports.
    fn estimates(&self, py: Python<'_>) -> PyResult<Arc<dyn AnyEstimator>> {
        if let Some(estimator) = self.estimator.get() {
            return Ok(estimator.clone());
        }
        let recipe = self.recipe.clone();
        let built = interruptible(py, move || recipe.estimator())?;
        Ok(self.estimator.get_or_init(|| built).clone())
    }

    /// The bytes of reports that this mechanism made.
    fn own(&self, reports: &Reports) -> Result<Arc<ReportBuffer>, Problem> {
        let envelope = Envelope { fingerprint: self.any.fingerprint(), ..reports.envelope() };
        envelope.open(&reports.envelope().header())?;
        let (expected, got) = (self.any.report_bytes(), reports.buffer().report_bytes());
        if expected == got {
            Ok(reports.buffer().clone())
        } else {
            Err(ReportError::Length { expected, got }.into())
        }
    }

    fn plane(&self) -> Result<Option<Box<dyn PlaneErrors>>, Problem> {
        match &self.recipe.source {
            Source::Vector(..) => Ok(None),
            _ => Ok(self.recipe.choice()?.plane_errors(&self.recipe.domain, self.recipe.epsilon)?),
        }
    }

    /// Asks the channel on numbers or angles, without the lock.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Analysis<'_>) -> Result<T, Problem> + Send,
    ) -> PyResult<T> {
        let estimator = self.estimates(py)?;
        unlocked(py, move || {
            let channel = estimator.numeric().ok_or_else(not_numbers)?;
            question(&Analysis::new(channel))
        })
    }
}

fn options(delta: Option<f64>, bins: Option<u32>) -> Result<BuildOptions, Problem> {
    Ok(BuildOptions { delta: delta.map(Delta::new).transpose()?, bins })
}

fn not_numbers() -> Problem {
    Problem::parameter("this is about numbers and angles")
}

fn loss_of(name: &str) -> Result<Loss, Problem> {
    name.parse().map_err(Problem::parameter)
}

#[pymethods]
impl Mechanism {
    #[new]
    #[pyo3(signature = (name, domain, epsilon, delta=None, bins=None, radius=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        domain: &Domain,
        epsilon: f64,
        delta: Option<f64>,
        bins: Option<u32>,
        radius: Option<f64>,
    ) -> PyResult<Self> {
        let epsilon = Epsilon::new(epsilon).map_err(Problem::from)?;
        let options = options(delta, bins)?;
        let on_vectors = privet::vector::registry::find(name);
        let source = match on_vectors {
            Ok(row) => Source::Vector(row, radius),
            Err(_) if radius.is_some() => return Err(Problem::parameter("a radius is about vectors").into()),
            Err(_) => Source::Row(registry::find_mechanism(name).map_err(Problem::from)?),
        };
        Self::build(py, Recipe { source, domain: domain.spec.clone(), epsilon, options })
    }

    /// The mechanism of a file that `optimize` wrote. Its certificate is checked by whoever asks for that.
    #[staticmethod]
    fn from_solution(py: Python<'_>, text: &str) -> PyResult<Self> {
        let solution = Solution::from_json(text)
            .map_err(|error| Problem::parameter(format!("this is no mechanism: {error}")))?;
        let (domain, epsilon) = (solution.problem.domain(), solution.problem.epsilon());
        let source = Source::Solved(Arc::new(solution));
        Self::build(py, Recipe { source, domain, epsilon, options: BuildOptions::default() })
    }

    #[getter]
    fn domain(&self) -> Domain {
        Domain { spec: self.recipe.domain.clone() }
    }

    #[getter]
    fn epsilon(&self) -> f64 {
        self.recipe.epsilon.get()
    }

    #[getter]
    fn info(&self) -> Document {
        Document(document::mechanism(&self.any.info()))
    }

    #[getter]
    fn guarantee(&self) -> Document {
        Document(document::guarantee(&self.any.guarantee()))
    }

    #[getter]
    fn fingerprint(&self) -> [u8; 8] {
        self.any.fingerprint().to_bytes()
    }

    #[getter]
    fn report_bits(&self) -> u32 {
        self.any.report_bits()
    }

    #[getter]
    fn report_bytes(&self) -> usize {
        self.any.report_bytes()
    }

    /// The largest log-ratio, from the integers that the sampler uses.
    fn exact_epsilon(&self, py: Python<'_>) -> PyResult<f64> {
        unlocked(py, || Ok(self.any.exact_epsilon()))
    }

    #[pyo3(signature = (column, insecure_seed=None, clamp=false, threads=None))]
    fn randomize(
        &self,
        py: Python<'_>,
        column: &Column,
        insecure_seed: Option<u64>,
        clamp: bool,
        threads: Option<usize>,
    ) -> PyResult<Reports> {
        let reports = draw(py, &self.any, column, insecure_seed, clamp, threads)?;
        let envelope = Envelope { fingerprint: self.any.fingerprint(), insecure: insecure_seed.is_some() };
        Ok(Reports::new(reports, envelope))
    }

    fn estimator(&self, py: Python<'_>) -> PyResult<Estimator> {
        let kind = match (&self.vector, self.recipe.plane()?) {
            (Some(vector), _) => Kind::of_vectors(vector.clone())?,
            (None, Some(plane)) => Kind::of_places(plane)?,
            (None, None) => Kind::Count(self.estimates(py)?),
        };
        Ok(Estimator::new(kind, self.any.fingerprint(), self.any.report_bytes()))
    }

    /// The parts of the channel, for a written input.
    #[pyo3(signature = (input=None))]
    fn pieces(&self, py: Python<'_>, input: Option<String>) -> PyResult<Document> {
        let pieces = unlocked(py, || Ok(self.any.pieces(input.as_deref())?))?;
        let piece = |piece: &privet::Piece| json!({ "what": piece.what, "outcomes": piece.outcomes, "mass": piece.mass });
        Ok(Document(pieces.iter().map(piece).collect()))
    }

    /// The law of the report of one number or angle: rows of from, to and mass.
    fn law(&self, py: Python<'_>, input: f64) -> PyResult<Vec<[f64; 3]>> {
        let estimator = self.estimates(py)?;
        unlocked(py, || {
            let channel = estimator.numeric().ok_or_else(not_numbers)?;
            let pieces = self.any.pieces(Some(&input.to_string()))?;
            let parts = parts::wrapped(parts::of_pieces(channel, input, &pieces), channel.space());
            Ok(parts.iter().map(|part| [part.from, part.to, part.mass]).collect())
        })
    }

    /// The probability that the report of `input` is at most each of the values.
    fn cdf<'py>(
        &self,
        py: Python<'py>,
        input: f64,
        values: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = values.as_array().to_vec();
        let shares = self.ask(py, move |analysis| {
            let law = analysis.law(input)?;
            Ok(values.iter().map(|value| law.cdf(*value)).collect::<Vec<f64>>())
        })?;
        Ok(PyArray1::from_vec(py, shares))
    }

    /// The error of the report of one number or angle.
    fn error_at(&self, py: Python<'_>, loss: &str, input: f64) -> PyResult<Document> {
        let loss = loss_of(loss)?;
        self.ask(py, move |analysis| Ok(error_json(&analysis.law(input)?.error(loss))))
    }

    /// The error of the number or angle with the largest one.
    fn worst_error(&self, py: Python<'_>, loss: &str) -> PyResult<Document> {
        let loss = loss_of(loss)?;
        self.ask(py, move |analysis| Ok(error_json(&analysis.worst(loss))))
    }

    /// The average error of numbers or angles from a prior over equal bins.
    #[pyo3(signature = (loss, prior=None))]
    fn average_error(&self, py: Python<'_>, loss: &str, prior: Option<Vec<f64>>) -> PyResult<Document> {
        let loss = loss_of(loss)?;
        let prior =
            prior.map_or(Ok(Prior::uniform()), |weights| Prior::new(&weights)).map_err(Problem::from)?;
        self.ask(py, move |analysis| {
            let average = analysis.average_error(loss, &prior);
            Ok(Document(json!({
                "error": average.error, "input": null, "bias": average.bias, "variance": average.variance,
            })))
        })
    }

    /// The mean distance between a place and its report: at a place, the worst, or the average.
    #[pyo3(signature = (which, place=None))]
    fn plane_error(&self, py: Python<'_>, which: &str, place: Option<[f64; 2]>) -> PyResult<Document> {
        let none = || Problem::parameter("this is about places");
        let plane = self.plane()?.ok_or_else(none)?;
        let (error, place) = unlocked(py, || match (which, place) {
            ("input", Some(place)) => Ok((plane.expected_loss(place)?, Some(place))),
            ("worst", None) => Ok(plane.worst_loss()).map(|(error, place)| (error, Some(place))),
            ("average", None) => Ok((plane.average_loss(&PlanePrior::uniform()), None)),
            _ => Err(Problem::parameter("an error is at an input, the worst or the average")),
        })?;
        Ok(Document(json!({ "error": error, "input": place, "bias": null, "variance": null })))
    }

    /// The expected loss of each category under a table of losses, where reports are categories.
    fn table_errors(&self, py: Python<'_>, losses: Vec<Vec<f64>>) -> PyResult<Vec<f64>> {
        let DomainSpec::Categories(categories) = &self.recipe.domain else {
            return Err(Problem::parameter("tables of losses are for categories").into());
        };
        let table = self.table(py, (0..categories.count()).map(|index| categories.label(index)).collect())?;
        let table = table.ok_or_else(|| {
            Problem::parameter("reports of this mechanism are no categories, so they have no loss")
        })?;
        let outputs: Vec<u32> = (0..categories.count()).collect();
        let wrong = |error: privet::limit::LimitError| Problem::parameter(error.to_string());
        let losses = LossMatrix::new(&losses).map_err(wrong)?;
        Ok(losses.expected_of(&table, &outputs).map_err(wrong)?)
    }

    /// The probability of each report for each written input, where reports are categories.
    fn table(&self, py: Python<'_>, inputs: Vec<String>) -> PyResult<Option<Vec<Vec<f64>>>> {
        unlocked(py, || Ok(self.any.table(&inputs)?))
    }

    /// What a mechanism on vectors does to them; `None` for all other mechanisms.
    #[getter]
    fn vector_facts(&self) -> Option<Document> {
        let vector = self.vector.as_ref()?;
        Some(Document(json!({
            "mean_squared_error": vector.mean_squared_error(),
            "is_unbiased": vector.is_unbiased(),
            "coordinate_variances": vector.coordinate_variances(),
        })))
    }

    /// The vectors that reports stand for, one after the other.
    fn decode_vectors<'py>(&self, py: Python<'py>, reports: &Reports) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let vector = self.vector.as_ref().ok_or_else(|| Problem::parameter("this is about vectors"))?;
        let buffer = self.own(reports)?;
        let decoded = unlocked(py, || {
            let mut all = Vec::with_capacity(buffer.len() * vector.dimension().get());
            for report in buffer.iter() {
                let codes: Vec<i32> =
                    report.as_chunks().0.iter().map(|code| i32::from_le_bytes(*code)).collect();
                all.extend(vector.read(&codes)?);
            }
            Ok(all)
        })?;
        Ok(PyArray1::from_vec(py, decoded))
    }

    /// The numbers or angles that reports stand for.
    fn decode_numbers<'py>(&self, py: Python<'py>, reports: &Reports) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let estimator = self.estimates(py)?;
        let buffer = self.own(reports)?;
        let decoded = unlocked(py, || {
            let channel = estimator.numeric().ok_or_else(not_numbers)?;
            let number = |report| Ok(channel.output_value(channel.decode(report)?.0));
            buffer.iter().map(number).collect::<Result<Vec<f64>, Problem>>()
        })?;
        Ok(PyArray1::from_vec(py, decoded))
    }

    /// The places that reports stand for, one after the other.
    fn decode_places<'py>(&self, py: Python<'py>, reports: &Reports) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let plane = self.plane()?.ok_or_else(|| Problem::parameter("this is about places"))?;
        let buffer = self.own(reports)?;
        let decoded = unlocked(py, || {
            let mut all = Vec::with_capacity(2 * buffer.len());
            for report in buffer.iter() {
                all.extend(plane.reported_place(report)?);
            }
            Ok(all)
        })?;
        Ok(PyArray1::from_vec(py, decoded))
    }

    /// Whether the mechanism keeps its promise: from its integers, and from draws.
    #[pyo3(signature = (samples, confidence))]
    fn audit(&self, py: Python<'_>, samples: u64, confidence: f64) -> PyResult<Document> {
        let sampling = Sampling::new(samples, confidence).map_err(Problem::from)?;
        let any = self.any.clone();
        let (claimed, asked) = (self.recipe.epsilon.get(), self.recipe.options.delta);
        let document = interruptible(py, move || {
            let mut rng = generator(None)?;
            let bound = lower_bound(&*any, sampling, &mut rng, &mut |_| {})?;
            let (exact, exact_delta) = match any.guarantee() {
                Guarantee::Pure { .. } => (any.exact_epsilon(), 0.0),
                other => (other.epsilon().get(), other.delta()),
            };
            let claimed_delta = match any.guarantee() {
                Guarantee::Pure { .. } => 0.0,
                _ => asked.map_or(0.0, |delta| delta.get()),
            };
            Ok(json!({
                "claimed_epsilon": claimed,
                "exact_epsilon": exact,
                "claimed_delta": claimed_delta,
                "exact_delta": exact_delta,
                "sampled_lower_bound": bound,
                "confidence": sampling.confidence,
                "samples": sampling.samples,
                "passed": exact <= claimed && exact_delta <= claimed_delta && bound <= claimed,
            }))
        })?;
        Ok(Document(document))
    }
}

fn error_json(report: &privet::analysis::ErrorReport) -> Document {
    Document(json!({
        "error": report.error,
        "input": report.input,
        "bias": report.bias,
        "variance": report.variance,
    }))
}

/// Every mechanism, in the order of the documentation.
#[pyfunction]
pub(crate) fn registry_rows() -> Document {
    let all = registry::mechanisms().map(|row| row.info);
    let vectors = privet::vector::registry::ROWS.iter().map(|row| row.info);
    Document(all.chain(vectors).map(|info| document::mechanism(&info)).collect())
}
