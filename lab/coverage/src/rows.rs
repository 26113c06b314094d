//! Everything that was found, as rows of a table that can be read again.

use crate::cells::Cell;
use crate::run::Record;
use crate::verdict::MOST_POOLED;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// How one question of one cell did.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// The kind of people's values.
    pub family: String,
    /// The mechanism.
    pub mechanism: String,
    /// Its epsilon.
    pub epsilon: f64,
    /// How many people.
    pub n: u64,
    /// Which people.
    pub population: String,
    /// Whom the estimate is about.
    pub target: String,
    /// What was asked.
    pub question: String,
    /// What that is about, with others.
    pub kind: String,
    /// Whether intervals should not hold much too often either.
    pub is_sharp: bool,
    /// Coverage at first.
    pub first_coverage: f64,
    /// Coverage that decides.
    pub coverage: f64,
    /// Over how many repetitions.
    pub repetitions: u64,
    /// The mean of half of the lengths.
    pub half_width: f64,
    /// How much the values vary, over what was stated.
    pub deviation_ratio: f64,
    /// Whether the first run was too low, or the stated standard error looked too small.
    pub is_suspicious: bool,
    /// Whether the second run was, or nothing could be estimated.
    pub fails: bool,
    /// Why nothing could be estimated, if so.
    pub error: String,
    /// How long the whole cell took.
    pub seconds: f64,
}

impl Row {
    /// The cell and the question, in words.
    pub fn name(&self) -> String {
        let Self { family, mechanism, epsilon, n, population, target, question, .. } = self;
        format!("{family} {mechanism} epsilon {epsilon} n {n} {population} {target}: {question}")
    }
}

/// The rows of all records.
pub fn rows_of(cells: &[Cell], records: &[Record]) -> Vec<Row> {
    records.iter().flat_map(|record| of_record(&cells[record.cell], record)).collect()
}

fn of_record(cell: &Cell, record: &Record) -> Vec<Row> {
    let blank = Row {
        family: cell.family.to_owned(),
        mechanism: cell.mechanism.to_owned(),
        epsilon: cell.epsilon,
        n: cell.n,
        population: cell.population.clone(),
        target: cell.target.as_str().to_owned(),
        question: String::new(),
        kind: String::new(),
        is_sharp: false,
        first_coverage: 0.0,
        coverage: 0.0,
        repetitions: 0,
        half_width: 0.0,
        deviation_ratio: 0.0,
        is_suspicious: true,
        fails: true,
        error: String::new(),
        seconds: record.seconds,
    };
    match &record.outcomes {
        Err(error) => vec![Row { error: format!("{error:#}"), ..blank }],
        Ok(outcomes) => outcomes
            .iter()
            .map(|outcome| Row {
                question: outcome.question.name.clone(),
                kind: outcome.question.kind.to_owned(),
                is_sharp: outcome.question.is_sharp,
                first_coverage: outcome.first_coverage,
                coverage: outcome.coverage,
                repetitions: outcome.repetitions,
                half_width: outcome.half_width,
                deviation_ratio: outcome.deviation_ratio,
                is_suspicious: outcome.is_suspicious,
                fails: outcome.fails,
                ..blank.clone()
            })
            .collect(),
    }
}

/// Coverage of one kind of question over many cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Pooled {
    /// The family and the kind.
    pub name: String,
    /// Over all cells.
    pub coverage: f64,
    /// How many questions of cells.
    pub count: usize,
    /// Over those whose estimates have no bias and whose truths lie well inside, of many people.
    pub sharp_coverage: Option<f64>,
    /// How many those are.
    pub sharp_count: usize,
    /// The largest ratio of how much values vary to what was stated.
    pub deviation_ratio: f64,
}

impl Pooled {
    /// Whether intervals without bias hold much too often.
    pub fn fails(&self) -> bool {
        self.sharp_coverage.is_some_and(|coverage| coverage > MOST_POOLED)
    }
}

/// Pooled coverages by family and kind of question.
pub fn pooled(rows: &[Row]) -> Vec<Pooled> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.error.is_empty()) {
        groups.entry((&row.family, &row.kind)).or_default().push(row);
    }
    let mean = |rows: &[&Row]| rows.iter().map(|row| row.coverage).sum::<f64>() / rows.len().max(1) as f64;
    let one = |((family, kind), rows): ((&str, &str), Vec<&Row>)| {
        let sharp: Vec<&Row> = rows.iter().copied().filter(|row| row.is_sharp).collect();
        Pooled {
            name: format!("{family}: {kind}"),
            coverage: mean(&rows),
            count: rows.len(),
            sharp_coverage: (!sharp.is_empty()).then(|| mean(&sharp)),
            sharp_count: sharp.len(),
            deviation_ratio: rows.iter().map(|row| row.deviation_ratio).fold(0.0, f64::max),
        }
    };
    groups.into_iter().map(one).collect()
}

/// Writes rows as a table.
///
/// # Errors
/// When the file cannot be written.
pub fn write<T: Serialize>(file: &Path, rows: &[T]) -> Result<()> {
    let mut writer =
        csv::Writer::from_path(file).with_context(|| format!("cannot write {}", file.display()))?;
    rows.iter().try_for_each(|row| writer.serialize(row))?;
    Ok(writer.flush()?)
}

/// Reads rows of an earlier run.
///
/// # Errors
/// When the file is not there or is another one.
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let mut reader =
        csv::Reader::from_path(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(reader.deserialize().collect::<Result<Vec<T>, csv::Error>>()?)
}
