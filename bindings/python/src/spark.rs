//! The workers' half of `privet.spark`: a batch of rows with randomness that a second run draws again, and counts that add up.

use crate::column::{chunks_of, integers_in};
use crate::policy::{Policy, PolicySummary, answers_of};
use crate::problem::{Class, Problem};
use crate::reports::Reports;
use crate::work::{rows_at_once, unlocked};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_schema::DataType;
use privet::policy::{Client, PolicySummary as Counted, ReportId};
use privet::{Envelope, Generator, ReportBuffer};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3_arrow::input::AnyArray;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What the key of a job is turned into, so that it cannot be the key of anything else.
const ROWS: &str = "privet 2026 rows of a distributed table: randomness";

/// The columns of a batch, as people write their values.
struct Rows {
    keys: Vec<Vec<u8>>,
    values: Vec<Vec<String>>,
    public: Vec<Vec<String>>,
}

/// The generator of each row.
///
/// The words depend on the values too. Noise that is used for two values of one row would give away how they differ; so would
/// it for two rows that share a key by mistake. With the values inside, each of them has words of its own.
struct RowGenerators([u8; blake3::KEY_LEN]);

impl RowGenerators {
    fn new(job_key: &[u8; 32], policy: &Policy, epoch: u32) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key(ROWS);
        hasher.update(job_key).update(policy.id().as_bytes()).update(&epoch.to_le_bytes());
        Self(hasher.finalize().into())
    }

    fn of_row<'a>(&self, key: &'a [u8], cells: impl Iterator<Item = &'a str>) -> Generator {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in std::iter::once(key).chain(cells.map(str::as_bytes)) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Generator::from_entropy(hasher.finalize().into())
    }
}

/// A report for each row of a batch. The same job key, row key, values, policy and epoch give the same report.
#[pyfunction]
pub(crate) fn perturb_rows(
    py: Python<'_>,
    policy: &Policy,
    keys: AnyArray,
    values: Vec<AnyArray>,
    public: Vec<AnyArray>,
    job_key: [u8; 32],
    on: &str,
) -> PyResult<Reports> {
    policy.refuse_permanent()?;
    let epoch = policy.epoch(on)?;
    let texts =
        |columns: Vec<AnyArray>| columns.into_iter().map(texts_of).collect::<Result<Vec<_>, Problem>>();
    let rows = Rows { keys: keys_of(keys)?, values: texts(values)?, public: texts(public)? };
    if rows.values.iter().chain(&rows.public).any(|column| column.len() != rows.keys.len()) {
        return Err(Problem::parameter("all columns must have one length").into());
    }
    let generators = RowGenerators::new(&job_key, policy, epoch);
    let body_bytes = policy.codec(false).report_bytes() - Envelope::HEADER_BYTES;
    let mut reports = ReportBuffer::new(body_bytes);
    let at_once = rows_at_once(body_bytes);
    for start in (0..rows.keys.len()).step_by(at_once) {
        let piece = start..(start + at_once).min(rows.keys.len());
        unlocked(py, || draw(policy, &rows, piece, &generators, epoch, &mut reports))?;
    }
    Ok(Reports::new(reports, policy.envelope(false)))
}

fn draw(
    policy: &Policy,
    rows: &Rows,
    piece: std::ops::Range<usize>,
    generators: &RowGenerators,
    epoch: u32,
    reports: &mut ReportBuffer,
) -> Result<(), Problem> {
    // No answer is permanent, so the secret behind permanent answers is not used.
    let client = Client::new([0; 32]);
    for row in piece {
        let private: Vec<&str> = rows.values.iter().map(|column| column[row].as_str()).collect();
        let open: Vec<&str> = rows.public.iter().map(|column| column[row].as_str()).collect();
        let cells = private.iter().chain(&open).copied();
        let mut rng = generators.of_row(&rows.keys[row], cells);
        let answers = answers_of(policy.resolved(), &private, &open);
        let report = client.perturb(policy.resolved(), &answers, epoch, &mut rng);
        let report = report.map_err(|error| Problem::from(error).at_row(row + 1))?;
        reports.push(&report[Envelope::HEADER_BYTES..])?;
    }
    Ok(())
}

fn missing(what: &str, position: usize) -> Problem {
    Problem::new(Class::Domain, "input-null", format!("{what} number {position} of a batch is missing"))
}

/// Refuses a column with a null.
fn without_nulls(chunk: &dyn Array, what: &str, first_row: usize) -> Result<(), Problem> {
    let nulls = chunk.logical_nulls();
    let null = nulls.and_then(|nulls| nulls.iter().position(|is_valid| !is_valid));
    null.map_or(Ok(()), |position| Err(missing(what, first_row + position + 1)))
}

/// The keys of rows: whole numbers of any width, texts or bytes. Two rows of a batch cannot have the same.
fn keys_of(array: AnyArray) -> Result<Vec<Vec<u8>>, Problem> {
    let wrong = || {
        Problem::new(Class::Domain, "input-wrong-kind", "row keys are whole numbers, texts or bytes")
            .with_hint("cast the column, or join several columns into a text")
    };
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for chunk in chunks_of(array)?.chunks() {
        without_nulls(chunk, "row key", keys.len())?;
        let marked = |mark: u8, bytes: &[u8]| [&[mark][..], bytes].concat();
        match chunk.data_type() {
            // Truth values are too few, and numbers beyond 63 bits are not read as themselves.
            DataType::Boolean | DataType::UInt64 => return Err(wrong()),
            DataType::Utf8 => {
                keys.extend(chunk.as_string::<i32>().iter().flatten().map(|one| marked(1, one.as_bytes())))
            }
            DataType::LargeUtf8 => {
                keys.extend(chunk.as_string::<i64>().iter().flatten().map(|one| marked(1, one.as_bytes())));
            }
            DataType::Binary => {
                keys.extend(chunk.as_binary::<i32>().iter().flatten().map(|one| marked(2, one)))
            }
            DataType::LargeBinary => {
                keys.extend(chunk.as_binary::<i64>().iter().flatten().map(|one| marked(2, one)))
            }
            _ => {
                let numbers = integers_in(chunk).ok_or_else(wrong)?;
                keys.extend(numbers.into_iter().map(|one| marked(0, &one.to_le_bytes())));
            }
        }
    }
    let different: HashSet<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    if different.len() < keys.len() {
        return Err(duplicate("two rows have the same key"));
    }
    Ok(keys)
}

fn duplicate(message: &str) -> Problem {
    Problem::new(Class::Report, "report-duplicate", message)
}

/// A column of values, as people write them; numbers are written so that they are read back as the same number.
fn texts_of(array: AnyArray) -> Result<Vec<String>, Problem> {
    let mut texts = Vec::new();
    for chunk in chunks_of(array)?.chunks() {
        without_nulls(chunk, "value", texts.len())?;
        texts.extend(texts_in(chunk)?);
    }
    Ok(texts)
}

fn texts_in(array: &dyn Array) -> Result<Vec<String>, Problem> {
    let wrong = || {
        let message = "values are texts, numbers, truth values or lists of numbers";
        Problem::new(Class::Domain, "input-wrong-kind", message)
    };
    let joined = |list: arrow_array::ArrayRef| -> Result<String, Problem> {
        without_nulls(&list, "coordinate", 0)?;
        Ok(texts_in(&list)?.join(","))
    };
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().iter().flatten().map(str::to_owned).collect()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().iter().flatten().map(str::to_owned).collect()),
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().values().iter().map(written).collect()),
        DataType::Float32 => Ok(array
            .as_primitive::<Float32Type>()
            .values()
            .iter()
            .map(|one| written(&f64::from(*one)))
            .collect()),
        DataType::List(_) => array.as_list::<i32>().iter().flatten().map(joined).collect(),
        DataType::LargeList(_) => array.as_list::<i64>().iter().flatten().map(joined).collect(),
        DataType::FixedSizeList(..) => array.as_fixed_size_list().iter().flatten().map(joined).collect(),
        _ => Ok(integers_in(array).ok_or_else(wrong)?.iter().map(i64::to_string).collect()),
    }
}

fn written(number: &f64) -> String {
    format!("{number:?}")
}

/// The count of one part of a table of reports: each id once.
#[pyclass(module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Part {
    counted: Counted,
    epochs: BTreeSet<u32>,
    /// The ids that were counted, with a hash of their reports.
    seen: HashMap<ReportId, u64>,
}

#[pymethods]
impl Part {
    #[new]
    fn new(policy: &Policy) -> Self {
        Self { counted: policy.tally().empty_summary(), epochs: BTreeSet::new(), seen: HashMap::new() }
    }

    /// Counts reports; with an epoch, those of this one. A report that was counted before is left out.
    #[pyo3(signature = (policy, reports, epoch=None))]
    fn add(
        &mut self,
        py: Python<'_>,
        policy: &Policy,
        reports: &Reports,
        epoch: Option<u32>,
    ) -> PyResult<()> {
        let codec = policy.codec(false);
        let buffer = reports.buffer().clone();
        let header = reports.envelope().header();
        unlocked(py, || {
            let sealed: Vec<Vec<u8>> = buffer.iter().map(|body| [&header[..], body].concat()).collect();
            let mut new = Vec::with_capacity(sealed.len());
            for bytes in &sealed {
                let report = codec.check(bytes)?;
                if epoch.is_some_and(|epoch| epoch != report.epoch()) {
                    continue;
                }
                let mut hash = [0; 8];
                hash.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
                let hash = u64::from_le_bytes(hash);
                match self.seen.insert(report.id(), hash) {
                    None => {
                        self.epochs.insert(report.epoch());
                        new.push(report);
                    }
                    Some(before) if before == hash => {}
                    Some(_) => return Err(duplicate("two different reports have the same id")),
                }
            }
            Ok(policy.tally().accumulate(&mut self.counted, new)?)
        })
    }

    /// Adds a part that was counted elsewhere.
    fn merge(&mut self, policy: &Policy, summary: &[u8], epochs: Vec<u32>) -> Result<(), Problem> {
        self.counted.merge(&policy.tally().summary_from_bytes(summary)?)?;
        self.epochs.extend(epochs);
        Ok(())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.counted.to_bytes())
    }

    #[getter]
    fn epochs(&self) -> Vec<u32> {
        self.epochs.iter().copied().collect()
    }

    /// What was counted, with the epoch that was asked for.
    #[pyo3(signature = (epoch=None))]
    fn summary(&self, epoch: Option<u32>) -> PolicySummary {
        PolicySummary::of_parts(self.counted.clone(), self.epochs.clone(), epoch)
    }
}
