//! Rows at which a model and what it was read from are compared.

use super::Asked;
use crate::ClassifierError;
use privet_core::Generator;
use privet_core::sampling::uniform_below;
use privet_model::{Node, Trees};
use std::num::NonZeroU64;

/// How many reports are drawn, and as many that are merely possible.
const REPORTS: usize = 4_096;
/// The laws of so many pairs of a record and a mechanism are used.
const MOST_LAWS: usize = 256;
/// So many ways across a boundary are taken, among reports and among records.
const MOST_WAYS: usize = 128;
/// So many thresholds of trees are looked at.
const MOST_THRESHOLDS: usize = 2_048;
/// So many rows look for the nodes of trees.
const MOST_WALKERS: usize = 512;
/// Halvings of the way across a boundary: what is left is a few units in the last place.
const HALVINGS: u32 = 48;
/// How far beside a boundary rows are compared, as a part of the way across.
const NUDGES: [f64; 5] = [0.0, 1e-12, 1e-9, 1e-6, 1e-3];

/// Of `count` things at most `most`, evenly spread.
fn spread(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(most);
    (0..taken).map(move |index| index * count / taken)
}

/// Rows laid one after the other.
pub(super) struct Reports {
    pub(super) rows: Vec<f64>,
    /// The record of each row.
    pub(super) owners: Vec<usize>,
}

impl Reports {
    /// Reports of records, drawn as they will be, and as many for which each possible number is as likely as any other: what hardly
    /// ever happens is part of a proof too.
    pub(super) fn draw(asked: Asked<'_>, rng: &mut Generator) -> Result<Self, ClassifierError> {
        let Asked { records, sensitive, products } = asked;
        let pairs = records.len() * products.len();
        let each = REPORTS.div_ceil(pairs.clamp(1, MOST_LAWS));
        let mut reports = Self { rows: Vec::new(), owners: Vec::new() };
        for pair in spread(pairs, MOST_LAWS) {
            let owner = pair / products.len();
            let laws = products[pair % products.len()].laws(&records[owner], sensitive)?;
            for index in 0..2 * each {
                let start = reports.rows.len();
                reports.rows.extend(records[owner].values());
                for (feature, law) in sensitive.features().iter().zip(&laws) {
                    let cells = NonZeroU64::new(law.cells().into()).unwrap_or(NonZeroU64::MIN);
                    reports.rows[start + feature] = if index < each {
                        law.draw(rng)
                    } else {
                        law.value(uniform_below(cells, rng) as u32)
                    };
                }
                reports.owners.push(owner);
            }
        }
        Ok(reports)
    }
}

/// Records and their reports.
pub(super) struct Table<'a> {
    pub(super) width: usize,
    pub(super) records: &'a [f64],
    pub(super) reports: &'a [f64],
    /// The record of each report.
    pub(super) owners: &'a [usize],
}

impl Table<'_> {
    fn record(&self, index: usize) -> &[f64] {
        &self.records[index * self.width..(index + 1) * self.width]
    }

    fn report(&self, index: usize) -> &[f64] {
        &self.reports[index * self.width..(index + 1) * self.width]
    }

    /// Ways between two rows with different labels: from records to their reports, and from one record to another.
    fn ways(&self, [of_records, of_reports]: [&[usize]; 2]) -> Vec<Way> {
        let changed: Vec<usize> = (0..of_reports.len())
            .filter(|report| of_reports[*report] != of_records[self.owners[*report]])
            .collect();
        let to_reports = spread(changed.len(), MOST_WAYS).map(|index| {
            let owner = self.owners[changed[index]];
            Way::new(self.record(owner), self.report(changed[index]), of_records[owner])
        });
        let neighbour = |record: usize| {
            let later = record + 1..of_records.len();
            later.chain(0..record).find(|other| of_records[*other] != of_records[record])
        };
        let to_records = spread(of_records.len(), MOST_WAYS).filter_map(|record| {
            let other = neighbour(record)?;
            Some(Way::new(self.record(record), self.record(other), of_records[record]))
        });
        to_reports.chain(to_records).collect()
    }
}

/// The straight way from a row to one with another label.
struct Way {
    from: Vec<f64>,
    to: Vec<f64>,
    /// The label at the beginning.
    label: usize,
    /// Which part of the way has that label at its beginning and another at its end.
    ends: [f64; 2],
}

impl Way {
    fn new(from: &[f64], to: &[f64], label: usize) -> Self {
        Self { from: from.to_vec(), to: to.to_vec(), label, ends: [0.0, 1.0] }
    }

    fn at(&self, part: f64) -> impl Iterator<Item = f64> {
        // The ends themselves are hit, and features that both rows share do not move.
        self.from.iter().zip(&self.to).map(move |(from, to)| match part {
            1.0 => *to,
            _ => from + part * (to - from),
        })
    }
}

/// Rows on both sides of the boundaries of what gives labels, found by halving.
pub(super) fn boundary(
    table: &Table<'_>,
    known: [&[usize]; 2],
    labels: impl Fn(&[f64]) -> Result<Vec<usize>, ClassifierError>,
) -> Result<Vec<f64>, ClassifierError> {
    let mut ways = table.ways(known);
    if ways.is_empty() {
        return Ok(Vec::new());
    }
    for _ in 0..HALVINGS {
        let middle = |way: &Way| way.ends[0].midpoint(way.ends[1]);
        let rows: Vec<f64> = ways.iter().flat_map(|way| way.at(middle(way))).collect();
        let answers = labels(&rows)?;
        for (way, label) in ways.iter_mut().zip(answers) {
            let side = usize::from(label != way.label);
            way.ends[side] = middle(way);
        }
    }
    let beside = |way: &Way| {
        let [before, after] = way.ends;
        NUDGES.iter().flat_map(move |nudge| [(before - nudge).max(0.0), (after + nudge).min(1.0)])
    };
    Ok(ways.iter().flat_map(|way| beside(way).flat_map(|part| way.at(part)).collect::<Vec<_>>()).collect())
}

/// Rows that come to a node of a tree, with the feature that it asks for at its threshold and just above.
pub(super) fn beside_thresholds(trees: &Trees, table: &Table<'_>) -> Vec<f64> {
    let records = spread(table.records.len() / table.width, MOST_WALKERS).map(|index| table.record(index));
    let reports = spread(table.owners.len(), MOST_WALKERS).map(|index| table.report(index));
    let walkers: Vec<&[f64]> = records.chain(reports).collect();
    let mut found: Vec<(usize, f64, &[f64])> = Vec::new();
    for tree in trees.trees() {
        let mut is_found = vec![false; tree.nodes().len()];
        for walker in &walkers {
            let mut position = 0;
            while let Node::Split { feature, threshold, below, above } = &tree.nodes()[position] {
                if !std::mem::replace(&mut is_found[position], true) {
                    found.push((*feature, *threshold, walker));
                }
                position = if walker[*feature] <= *threshold { *below } else { *above };
            }
        }
    }
    let mut rows = Vec::new();
    for index in spread(found.len(), MOST_THRESHOLDS) {
        let (feature, threshold, walker) = found[index];
        for value in [threshold, threshold.next_up()] {
            let start = rows.len();
            rows.extend(walker);
            rows[start + feature] = value;
        }
    }
    rows
}
