//! Summaries, and what is learned from them.

use crate::json::Document;
use crate::problem::{Class, Problem};
use crate::reports::Reports;
use crate::work::{interruptible, rows_at_once, threads_for, unlocked};
use privet::document::AnswerDocument;
use privet::plane::PlaneReports;
use privet::registry::AnyEstimator;
use privet::vector::MeanVectorEstimator;
use privet::vector::mechanism::VectorMechanism;
use privet::{
    Answer, CountSummary, Envelope, Estimator as _, Fingerprint, PlaneEstimator, Populations, ReportBuffer,
    Request, Summary as _, VectorSummary,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;
use std::sync::Arc;
use std::thread;

/// What reports of a mechanism are counted into.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Count(Arc<dyn AnyEstimator>),
    Places(Arc<PlaneEstimator>),
    Vector(Arc<MeanVectorEstimator>),
}

impl Kind {
    pub(crate) fn of_vectors(mechanism: Arc<dyn VectorMechanism>) -> Result<Self, Problem> {
        Ok(Self::Vector(Arc::new(MeanVectorEstimator::new(mechanism)?)))
    }

    pub(crate) fn of_places(mechanism: Box<dyn PlaneReports>) -> Result<Self, Problem> {
        let cells = PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE;
        Ok(Self::Places(Arc::new(PlaneEstimator::new(Arc::from(mechanism), cells)?)))
    }

    fn empty(&self) -> Counted {
        match self {
            Self::Count(estimator) => Counted::Count(estimator.empty_summary()),
            Self::Places(estimator) => Counted::Count(AnyEstimator::empty_summary(&**estimator)),
            Self::Vector(estimator) => Counted::Vector(estimator.empty_summary()),
        }
    }

    fn accumulate(&self, counted: &mut Counted, reports: &ReportBuffer) -> Result<(), Problem> {
        match (self, counted) {
            (Self::Count(estimator), Counted::Count(summary)) => Ok(estimator.accumulate(summary, reports)?),
            (Self::Places(estimator), Counted::Count(summary)) => {
                Ok(AnyEstimator::accumulate(&**estimator, summary, reports)?)
            }
            (Self::Vector(estimator), Counted::Vector(summary)) => {
                Ok(estimator.accumulate(summary, reports)?)
            }
            _ => Err(other_kind()),
        }
    }
}

fn other_kind() -> Problem {
    Problem::new(Class::Summary, "summary-foreign", "this is a summary of another kind of mechanism")
}

/// The counters of a summary.
#[derive(Debug, Clone, PartialEq)]
enum Counted {
    Count(CountSummary),
    Vector(VectorSummary),
}

impl Counted {
    fn merge(&mut self, other: &Self) -> Result<(), Problem> {
        match (self, other) {
            (Self::Count(one), Self::Count(other)) => Ok(one.merge(other)?),
            (Self::Vector(one), Self::Vector(other)) => Ok(one.merge(other)?),
            _ => Err(other_kind()),
        }
    }

    fn count(&self) -> u64 {
        match self {
            Self::Count(summary) => summary.count(),
            Self::Vector(summary) => summary.count(),
        }
    }
}

/// What a collector keeps of the reports.
#[pyclass(frozen, eq, module = "privet._privet")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Summary {
    counted: Counted,
    insecure: bool,
}

#[pymethods]
impl Summary {
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> Result<Self, Problem> {
        // Both kinds know their own first bytes; the error of the more usual one is the clearer one.
        let counted = match VectorSummary::from_bytes(bytes) {
            Ok(summary) => Counted::Vector(summary),
            Err(_) => Counted::Count(CountSummary::from_bytes(bytes)?),
        };
        Ok(Self { counted, insecure: false })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Problem> {
        if self.insecure {
            let message = "a summary does not carry the mark of an insecure seed";
            return Err(Problem::new(Class::Summary, "report-insecure-seed", message)
                .with_hint("estimate from seeded reports without storing their summary"));
        }
        let bytes = match &self.counted {
            Counted::Count(summary) => summary.to_bytes(),
            Counted::Vector(summary) => summary.to_bytes(),
        };
        Ok(PyBytes::new(py, &bytes))
    }

    /// This summary with another one added.
    fn merged(&self, other: &Self) -> Result<Self, Problem> {
        let mut sum = self.clone();
        sum.counted.merge(&other.counted)?;
        sum.insecure |= other.insecure;
        Ok(sum)
    }

    #[getter]
    fn n(&self) -> u64 {
        self.counted.count()
    }

    #[getter]
    fn insecure(&self) -> bool {
        self.insecure
    }

    #[getter]
    fn fingerprint(&self) -> [u8; Fingerprint::BYTES] {
        match &self.counted {
            Counted::Count(summary) => summary.fingerprint().to_bytes(),
            Counted::Vector(summary) => summary.fingerprint().to_bytes(),
        }
    }

    /// The counters; a summary of vectors has none.
    #[getter]
    fn counts(&self) -> Option<Vec<u64>> {
        match &self.counted {
            Counted::Count(summary) => Some(summary.counts().to_vec()),
            Counted::Vector(_) => None,
        }
    }
}

/// What is asked of a summary.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Question {
    step: String,
    method: String,
    bins: usize,
    quantiles: Vec<f64>,
    ranges: Vec<[f64; 2]>,
    /// Places: how many cells lie along each side.
    cells: Option<u32>,
    target: String,
    smooth: Option<u32>,
}

impl Question {
    fn request(&self) -> Result<Request, Problem> {
        Ok(Request {
            step: self.step.parse().map_err(Problem::parameter)?,
            method: self.method.parse().map_err(Problem::parameter)?,
            bins: self.bins,
            quantiles: self.quantiles.clone(),
            ranges: self.ranges.clone(),
            target: self.target.parse().map_err(Problem::parameter)?,
            populations: populations(self.smooth),
            ..Request::default()
        })
    }
}

/// Those for which intervals must hold: all of them, unless smooth ones are named.
pub(crate) fn populations(smooth: Option<u32>) -> Populations {
    smooth.map_or(Populations::Any, |bins| Populations::Smooth { bins })
}

/// Reads reports with the parameters that made them.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Estimator {
    kind: Kind,
    fingerprint: Fingerprint,
    report_bytes: usize,
}

impl Estimator {
    pub(crate) fn new(kind: Kind, fingerprint: Fingerprint, report_bytes: usize) -> Self {
        Self { kind, fingerprint, report_bytes }
    }

    /// Refuses reports of another mechanism, and seeded ones unless they are asked for.
    fn check(&self, reports: &Reports, insecure: bool) -> Result<(), Problem> {
        let expected = Envelope { fingerprint: self.fingerprint, insecure };
        expected.open(&reports.envelope().header())?;
        let (expected, got) = (self.report_bytes, reports.buffer().report_bytes());
        if expected == got { Ok(()) } else { Err(privet::ReportError::Length { expected, got }.into()) }
    }
}

#[pymethods]
impl Estimator {
    fn empty_summary(&self) -> Summary {
        Summary { counted: self.kind.empty(), insecure: false }
    }

    /// The summary with reports added, in pieces between which Ctrl-C is heard. Any number of threads gives the same summary.
    #[pyo3(signature = (summary, reports, insecure=false, threads=None))]
    fn accumulate(
        &self,
        py: Python<'_>,
        summary: &Summary,
        reports: &Reports,
        insecure: bool,
        threads: Option<usize>,
    ) -> PyResult<Summary> {
        self.check(reports, insecure)?;
        let mut sum = summary.clone();
        sum.insecure |= insecure;
        let (buffer, width) = (reports.buffer().clone(), self.report_bytes);
        let at_once = rows_at_once(width);
        let threads = threads_for(buffer.len(), at_once, threads);
        let bytes = buffer.as_bytes();
        for round in bytes.chunks(threads * at_once * width) {
            let parts: Vec<&[u8]> = round.chunks(at_once * width).collect();
            unlocked(py, || {
                for part in count_parts(&self.kind, &parts, width)? {
                    sum.counted.merge(&part)?;
                }
                Ok(())
            })?;
        }
        Ok(sum)
    }

    /// What is learned, as every surface writes it, and how many reports it rests on.
    fn answer(&self, py: Python<'_>, summary: &Summary, question: Question) -> PyResult<Document> {
        let request = question.request()?;
        let (kind, counted) = (self.kind.clone(), summary.counted.clone());
        let answer = interruptible(py, move || match (kind, counted) {
            (Kind::Count(estimator), Counted::Count(summary)) => Ok(estimator.answer(&summary, &request)?),
            (Kind::Places(estimator), Counted::Count(summary)) => {
                let estimator = on_cells(estimator, question.cells)?;
                Ok(estimator.answer(&summary, &request)?)
            }
            (Kind::Vector(estimator), Counted::Vector(summary)) => {
                Ok(Answer::Vector(estimator.mean_vector(&summary, request.target)?))
            }
            _ => Err(other_kind()),
        })?;
        Ok(Document(answer_json(&answer)))
    }
}

/// The estimator for so many cells along each side. That of the usual number remembers what it has worked out.
fn on_cells(estimator: Arc<PlaneEstimator>, cells: Option<u32>) -> Result<Arc<PlaneEstimator>, Problem> {
    match cells.unwrap_or(PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE) {
        PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE => Ok(estimator),
        cells => Ok(Arc::new(estimator.on_cells(cells)?)),
    }
}

fn answer_json(answer: &Answer) -> Value {
    let mut document = serde_json::to_value(AnswerDocument::from(answer)).unwrap_or_default();
    document["n"] = answer.n().into();
    document
}

/// One summary for each part.
fn count_parts(kind: &Kind, parts: &[&[u8]], width: usize) -> Result<Vec<Counted>, Problem> {
    let count = |part: &[u8]| {
        let mut counted = kind.empty();
        kind.accumulate(&mut counted, &ReportBuffer::from_bytes(width, part.to_vec())?)?;
        Ok(counted)
    };
    if let [only] = parts {
        return Ok(vec![count(only)?]);
    }
    thread::scope(|scope| {
        let threads: Vec<_> = parts.iter().map(|part| scope.spawn(|| count(part))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
