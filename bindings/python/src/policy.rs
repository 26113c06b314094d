//! The contract between a collector and its people.

use crate::estimator::populations;
use crate::json::Document;
use crate::problem::{Class, Problem};
use crate::reports::Reports;
use crate::work::{generator, interruptible, rows_at_once, unlocked};
use privet::document::AttributeDocument;
use privet::policy::ledger::{FileLedger, Ledger};
use privet::policy::{
    Answers, Client, Date, DecimalEpsilon, PolicySummary as Counted, Repetition, ReportCodec, ReportId,
    ResolvedPolicy, Slice, Tally,
};
use privet::{Envelope, ReportBuffer, Request};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// More than any policy has; what is longer is refused without reading all of it.
const MOST_BYTES: usize = 65 << 20;

/// A policy in which everything is decided.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Policy {
    policy: Arc<ResolvedPolicy>,
    tally: Arc<Tally>,
}

fn day(text: &str) -> Result<Date, Problem> {
    text.parse().map_err(|_| Problem::parameter(format!("a day is written 2026-03-15: got {text:?}")))
}

/// A row of a table as a person's answers: the attributes' values, then the public ones.
pub(crate) fn answers_of(policy: &ResolvedPolicy, values: &[&str], public: &[&str]) -> Answers {
    let terms = policy.terms();
    let answers = terms.attributes.iter().zip(values);
    let answers = answers.fold(Answers::new(), |all, (attribute, value)| all.value(&attribute.name, value));
    terms.public.iter().zip(public).fold(answers, |all, (field, value)| all.public(&field.name, value))
}

impl Policy {
    pub(crate) fn resolved(&self) -> &ResolvedPolicy {
        &self.policy
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(crate) fn epoch(&self, on: &str) -> Result<u32, Problem> {
        let on = day(on)?;
        let terms = self.policy.terms();
        self.policy.epoch_of(on).ok_or_else(|| {
            let message =
                format!("the collection is open from {} to {}: got {on}", terms.opens, terms.closes);
            Problem::new(Class::Domain, "answer-not-open", message)
        })
    }

    /// One secret for a whole table would give all people with the same value the same permanent answer.
    pub(crate) fn refuse_permanent(&self) -> Result<(), Problem> {
        let mut attributes = self.policy.terms().attributes.iter();
        match attributes.find(|attribute| attribute.epsilon_forever.is_some()) {
            None => Ok(()),
            Some(attribute) => Err(Problem::parameter(format!(
                "answers to {:?} are permanent, and a table does not hold each person's secret",
                attribute.name
            ))),
        }
    }

    pub(crate) fn envelope(&self, insecure: bool) -> Envelope {
        Envelope { fingerprint: self.policy.id().fingerprint(), insecure }
    }

    pub(crate) fn codec(&self, insecure: bool) -> ReportCodec {
        let codec = ReportCodec::new(self.policy.clone());
        if insecure { codec.for_seeded_reports() } else { codec }
    }

    fn slices(&self, by: Option<&str>) -> Result<Vec<Slice>, Problem> {
        let Some(name) = by else { return Ok(vec![Slice::All]) };
        let fields = &self.policy.terms().public;
        let unknown = || Problem::parameter(format!("the policy has no public field {name:?}"));
        let field = fields.iter().position(|field| field.name == name).ok_or_else(unknown)?;
        Ok((0..fields[field].values.len()).map(|value| Slice::Public { field, value }).collect())
    }
}

#[pymethods]
impl Policy {
    /// A policy in TOML or JSON. Files of solved mechanisms are looked for in the folder.
    #[staticmethod]
    #[pyo3(signature = (text, folder=None))]
    fn read(py: Python<'_>, text: String, folder: Option<PathBuf>) -> PyResult<Self> {
        if text.len() > MOST_BYTES {
            return Err(Problem::parameter("this is too long for a policy").into());
        }
        let (policy, tally) = interruptible(py, move || {
            let mut read_file = |name: &str| match &folder {
                Some(folder) => std::fs::read_to_string(folder.join(name)).map_err(|error| error.to_string()),
                None => Err("a policy without a folder has no files".to_owned()),
            };
            let policy = ResolvedPolicy::read(&text, &mut read_file)?;
            let tally = Tally::new(policy.clone())?;
            Ok((policy, tally))
        })?;
        Ok(Self { policy, tally: Arc::new(tally) })
    }

    fn to_json(&self) -> &str {
        self.policy.to_json()
    }

    #[getter]
    pub(crate) fn id(&self) -> String {
        self.policy.id().to_string()
    }

    #[getter]
    fn fingerprint(&self) -> [u8; 8] {
        self.policy.id().fingerprint().to_bytes()
    }

    /// How many bytes a report has, its header included.
    #[getter]
    fn report_bytes(&self) -> usize {
        self.codec(false).report_bytes()
    }

    /// The number of a day's epoch.
    fn epoch_of(&self, on: &str) -> Result<u32, Problem> {
        self.epoch(on)
    }

    /// What the policy means for a person, as `privet policy show --json` says it.
    fn statement(&self) -> Result<Document, Problem> {
        let statement = serde_json::to_value(self.policy.statement());
        Ok(Document(statement.map_err(|error| Problem::parameter(error.to_string()))?))
    }

    /// The names of the attributes, and of the public fields.
    #[getter]
    fn columns(&self) -> (Vec<String>, Vec<String>) {
        let terms = self.policy.terms();
        (
            terms.attributes.iter().map(|attribute| attribute.name.clone()).collect(),
            terms.public.iter().map(|field| field.name.clone()).collect(),
        )
    }

    /// The written domain and the mechanism of each attribute.
    #[getter]
    fn attributes(&self) -> Document {
        let attribute = |one: &privet::policy::AttributeTerms| json!({ "name": one.name, "domain": one.domain, "mechanism": one.mechanism });
        Document(self.policy.terms().attributes.iter().map(attribute).collect())
    }

    /// Reports for the rows of a table, whose columns are in the order of `columns`, as people write their values.
    #[pyo3(signature = (values, public, on, insecure_seed=None))]
    fn perturb(
        &self,
        py: Python<'_>,
        values: Vec<Vec<String>>,
        public: Vec<Vec<String>>,
        on: &str,
        insecure_seed: Option<u64>,
    ) -> PyResult<Reports> {
        self.refuse_permanent()?;
        let epoch = self.epoch(on)?;
        let body_bytes = self.codec(false).report_bytes() - Envelope::HEADER_BYTES;
        let rows = values.first().map_or(0, Vec::len);
        if values.iter().chain(&public).any(|column| column.len() != rows) {
            return Err(Problem::parameter("all columns must have one length").into());
        }
        let mut rng = generator(insecure_seed)?;
        // No answer is permanent, so the secret behind permanent answers is not used.
        let client = Client::new([0; 32]);
        let mut reports = ReportBuffer::new(body_bytes);
        let at_once = rows_at_once(body_bytes);
        for start in (0..rows).step_by(at_once) {
            unlocked(py, || {
                for row in start..(start + at_once).min(rows) {
                    let cells = |columns: &'_ [Vec<String>]| -> Vec<String> {
                        columns.iter().map(|column| column[row].clone()).collect()
                    };
                    let (private, open) = (cells(&values), cells(&public));
                    let private: Vec<&str> = private.iter().map(String::as_str).collect();
                    let open: Vec<&str> = open.iter().map(String::as_str).collect();
                    let answers = answers_of(&self.policy, &private, &open);
                    let report = client.perturb(&self.policy, &answers, epoch, &mut rng);
                    let report = report.map_err(|error| Problem::from(error).at_row(row + 1))?;
                    reports.push(&report[Envelope::HEADER_BYTES..])?;
                }
                Ok(())
            })?;
        }
        Ok(Reports::new(reports, self.envelope(insecure_seed.is_some())))
    }

    /// A summary that will count the reports of an epoch, or all of them.
    #[pyo3(signature = (epoch=None))]
    fn empty_summary(&self, epoch: Option<u32>) -> PolicySummary {
        PolicySummary { epoch, ..PolicySummary::stored(self.tally.empty_summary()) }
    }

    /// Adds reports to a summary, each id once. After an error it holds some of them and must be thrown away.
    #[pyo3(signature = (sum, reports, insecure=false))]
    fn accumulate(
        &self,
        py: Python<'_>,
        sum: &mut PolicySummary,
        reports: &Reports,
        insecure: bool,
    ) -> PyResult<()> {
        let codec = self.codec(insecure);
        sum.insecure |= insecure;
        let buffer = reports.buffer().clone();
        let header = reports.envelope().header();
        let at_once = rows_at_once(buffer.report_bytes());
        for start in (0..buffer.len()).step_by(at_once) {
            let sum = &mut *sum;
            unlocked(py, || {
                let sealed: Vec<Vec<u8>> = buffer
                    .iter()
                    .skip(start)
                    .take(at_once)
                    .map(|body| [&header[..], body].concat())
                    .collect();
                let mut new = Vec::with_capacity(sealed.len());
                for bytes in &sealed {
                    let report = codec.check(bytes)?;
                    let is_asked = sum.epoch.is_none_or(|epoch| epoch == report.epoch());
                    if is_asked && sum.seen.ids.insert(report.id()) {
                        sum.seen.epochs.insert(report.epoch());
                        new.push(report);
                    }
                }
                Ok(self.tally.accumulate(&mut sum.counted, new)?)
            })?;
        }
        Ok(())
    }

    fn summary_from_bytes(&self, bytes: &[u8]) -> Result<PolicySummary, Problem> {
        Ok(PolicySummary::stored(self.tally.summary_from_bytes(bytes)?))
    }

    /// The estimates of all attributes, as `privet estimate --policy --json` gives them.
    #[pyo3(signature = (summary, by=None, step="none", target="reported", smooth=None))]
    fn estimates(
        &self,
        py: Python<'_>,
        summary: &PolicySummary,
        by: Option<&str>,
        step: &str,
        target: &str,
        smooth: Option<u32>,
    ) -> PyResult<Document> {
        let terms = self.policy.terms();
        let is_permanent = terms.attributes.iter().any(|attribute| attribute.epsilon_forever.is_some());
        if is_permanent && terms.answers == Repetition::EveryEpoch && summary.seen.epochs.len() > 1 {
            return Err(Problem::parameter("permanent answers cannot be added up over epochs").into());
        }
        let request = Request {
            step: step.parse().map_err(Problem::parameter)?,
            target: target.parse().map_err(Problem::parameter)?,
            populations: populations(smooth),
            ..Request::default()
        };
        self.tally.check_target(request.target, summary.seen.epochs.len()).map_err(Problem::from)?;
        let slices = self.slices(by)?;
        let (policy, tally) = (self.policy.clone(), self.tally.clone());
        let (counted, epoch) = (summary.counted.clone(), summary.epoch);
        let documents = interruptible(py, move || {
            let mut documents = Vec::new();
            for slice in slices {
                for attribute in 0..policy.attributes().len() {
                    let estimate = tally.estimate(&counted, attribute, slice, &request)?;
                    documents.push(AttributeDocument { epoch, ..estimate.document() }.to_json());
                }
            }
            Ok(documents)
        })?;
        Ok(Document(Value::Array(documents)))
    }

    /// One person's report of a day, through their ledger: the bytes, whether they were made before, and what the origin has
    /// been told in all.
    #[pyo3(signature = (ledger, secret, values, public, on, limit=None))]
    #[expect(clippy::too_many_arguments, reason = "one for each part of an answer")]
    fn answer<'py>(
        &self,
        py: Python<'py>,
        ledger: PathBuf,
        secret: [u8; 32],
        values: Vec<(String, String)>,
        public: Vec<(String, String)>,
        on: &str,
        limit: Option<f64>,
    ) -> PyResult<(Bound<'py, PyBytes>, bool, f64)> {
        let today = day(on)?;
        let answers = values.iter().fold(Answers::new(), |all, (name, value)| all.value(name, value));
        let answers = public.iter().fold(answers, |all, (name, value)| all.public(name, value));
        let client = Client::new(secret);
        let client = match limit {
            None => client,
            Some(limit) => client.with_origin_limit(DecimalEpsilon::new(limit).ok_or_else(|| {
                Problem::parameter(
                    "a limit is a decimal number above 0 with at most nine digits after the point",
                )
            })?),
        };
        let policy = self.policy.clone();
        let (report, spent) = unlocked(py, move || {
            let mut ledger = FileLedger::open(&ledger).and_then(Ledger::open)?;
            let mut rng = generator(None)?;
            let report = client.answer(&policy, &answers, &mut ledger, &mut rng, today)?;
            Ok((report, ledger.spent_at(&policy.terms().origin).epsilon()))
        })?;
        Ok((PyBytes::new(py, &report.bytes), report.is_repeated, spent))
    }
}

/// Whether a ledger has no records yet, so that a new secret may be made beside it.
#[pyfunction]
pub(crate) fn ledger_is_empty(path: PathBuf) -> Result<bool, Problem> {
    let ledger = FileLedger::open(Path::new(&path)).and_then(Ledger::open)?;
    Ok(ledger.records().is_empty())
}

/// Which reports were counted, so that none counts twice. Not part of what is stored.
#[derive(Debug, Clone, Default)]
struct Seen {
    ids: HashSet<ReportId>,
    epochs: BTreeSet<u32>,
}

/// What is kept of reports under a policy.
#[pyclass(module = "privet._privet")]
#[derive(Debug, Clone)]
pub(crate) struct PolicySummary {
    counted: Counted,
    seen: Seen,
    /// The only epoch whose reports were asked for. As what was seen, not part of what is stored.
    epoch: Option<u32>,
    insecure: bool,
}

impl PolicySummary {
    fn stored(counted: Counted) -> Self {
        Self { counted, seen: Seen::default(), epoch: None, insecure: false }
    }

    /// What was counted in parts, each of which has looked at its own ids.
    pub(crate) fn of_parts(counted: Counted, epochs: BTreeSet<u32>, epoch: Option<u32>) -> Self {
        Self { seen: Seen { ids: HashSet::new(), epochs }, epoch, ..Self::stored(counted) }
    }
}

#[pymethods]
impl PolicySummary {
    #[getter]
    fn n(&self) -> u64 {
        self.counted.reports()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Problem> {
        if self.insecure {
            let message = "a summary does not carry the mark of an insecure seed";
            return Err(Problem::new(Class::Summary, "report-insecure-seed", message));
        }
        Ok(PyBytes::new(py, &self.counted.to_bytes()))
    }

    fn merged(&self, other: &Self) -> Result<Self, Problem> {
        let mut sum = self.clone();
        if sum.seen.ids.iter().any(|id| other.seen.ids.contains(id)) {
            let message = "both summaries count a report with the same id";
            return Err(Problem::new(Class::Summary, "report-duplicate", message));
        }
        sum.counted.merge(&other.counted)?;
        sum.seen.ids.extend(other.seen.ids.iter().copied());
        sum.seen.epochs.extend(&other.seen.epochs);
        if sum.epoch != other.epoch {
            sum.epoch = None;
        }
        sum.insecure |= other.insecure;
        Ok(sum)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.counted.to_bytes() == other.counted.to_bytes()
    }
}
