//! One attribute of a cross-table.

use crate::numeric::groups::Groups;
use crate::numeric::side_of_numbers;
use crate::reading::{Reading, TableReading};
use crate::registry::AnyEstimator;
use nalgebra::DMatrix;
use privet_core::{Categories, Fingerprint, ParameterError, ReportBuffer, ReportError, Summary};
use privet_mechanisms::analysis::AnyNumeric;
use privet_mechanisms::categorical::FrequencyOracle;

/// One of the two attributes.
#[derive(Debug, Clone, Copy)]
pub struct CrossSide<'a> {
    /// What reads its reports.
    pub estimator: &'a dyn AnyEstimator,
    /// For numbers and angles: into how many equal bins the domain is cut. Categories are taken as they are.
    pub bins: usize,
}

/// Reports on numbers are counted in so many groups at most.
const GROUPS: u32 = 64;

/// What the reports of one attribute say about its columns (categories or bins). A report counts in one or several groups.
pub(crate) struct Side {
    /// Entry (g, c): how often a report counts in group g if the person is in column c.
    pub(crate) expected: DMatrix<f64>,
    pub(crate) columns: Vec<Column>,
}

/// A linear estimate of whether a person is in a column: the sum of the weights of the groups that the report counts in, plus
/// a shift.
pub(crate) struct Column {
    pub(crate) weights: Vec<f64>,
    pub(crate) shift: f64,
    /// Its mean and the mean of its square for people at each place (a category, or a point of the domain).
    pub(crate) means: Vec<f64>,
    pub(crate) squares: Vec<f64>,
    /// What it should be there: one inside and zero outside; a range where places with the same law lie on both sides.
    pub(crate) truths: Vec<[f64; 2]>,
    /// How the people of this column are spread over the places.
    pub(crate) people: Vec<f64>,
}

impl CrossSide<'_> {
    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.estimator.empty_summary().fingerprint()
    }

    /// The names of the columns: categories, or the ends of bins.
    pub(super) fn labels(&self) -> Result<Vec<String>, ParameterError> {
        let of_categories =
            |categories: &Categories| (0..categories.count()).map(|c| categories.label(c)).collect();
        match self.estimator.reading() {
            Reading::Support(oracle) => Ok(of_categories(oracle.categories())),
            Reading::Table(TableReading { categories, inverse: Some(_), .. }) => {
                Ok(of_categories(categories))
            }
            Reading::Numbers(channel) if self.bins > 0 => {
                let edge = |bin: usize| channel.space().from_unit(bin as f64 / self.bins as f64);
                Ok((0..self.bins).map(|bin| format!("{} to {}", edge(bin), edge(bin + 1))).collect())
            }
            _ => {
                let reason = "a side of a cross-table is an attribute with categories, or with numbers or angles in at \
                              least one bin; Bloom filters, sketches, words, places by mechanisms of their own and tables without an inverse are none";
                Err(ParameterError::Incompatible { reason: reason.to_owned() })
            }
        }
    }

    /// How many groups reports count in.
    pub(super) fn groups(&self) -> usize {
        match self.estimator.reading() {
            Reading::Support(oracle) => oracle.categories().count() as usize,
            Reading::Table(table) => table.forward.nrows(),
            Reading::Numbers(channel) => groups_of(channel).count(),
            Reading::Bloom(_) | Reading::Sketch(_) | Reading::Places(_) | Reading::Words => 0,
        }
    }

    /// Puts the groups that a report counts in into `groups`.
    pub(super) fn read(&self, report: &[u8], groups: &mut Vec<usize>) -> Result<(), ReportError> {
        groups.clear();
        match self.estimator.reading() {
            Reading::Support(oracle) => {
                let mut one = ReportBuffer::new(oracle.oracle_report_bytes());
                one.push(report)?;
                let mut counts = vec![0; oracle.categories().count() as usize];
                oracle.tally(&one, &mut counts)?;
                groups.extend(
                    counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(group, _)| group),
                );
            }
            Reading::Table(table) => groups.push(table.decode(report)?),
            Reading::Numbers(channel) => groups.push(groups_of(channel).group(channel.decode(report)?.0)),
            Reading::Bloom(_) | Reading::Sketch(_) | Reading::Places(_) | Reading::Words => {}
        }
        Ok(())
    }

    /// What the reports say, given how many count in each group.
    pub(super) fn side(&self, counts: &[f64]) -> Side {
        match self.estimator.reading() {
            Reading::Support(oracle) => Side::of_oracle(oracle),
            Reading::Table(table) => Side::of_table(&table),
            Reading::Numbers(channel) => side_of_numbers(channel, groups_of(channel), self.bins, counts),
            Reading::Bloom(_) | Reading::Sketch(_) | Reading::Places(_) | Reading::Words => {
                Side { expected: DMatrix::zeros(0, 0), columns: Vec::new() }
            }
        }
    }
}

fn groups_of(channel: &dyn AnyNumeric) -> Groups {
    Groups::at_most(channel.output_cells(), GROUPS)
}

impl Side {
    /// A category's estimate is `(1 - other) / (own - other)` if the report supports it and `-other / (own - other)` if not.
    fn of_oracle(oracle: &dyn FrequencyOracle) -> Self {
        let support = oracle.support();
        let (own, other) = (support.own.to_f64(), support.other.to_f64());
        let difference = support.own.minus(&support.other).to_f64();
        let size = oracle.categories().count() as usize;
        let column = |category: usize| {
            let noise = |p: f64| p * (1.0 - p) / (difference * difference);
            let square = |held: f64| if held > 0.0 { 1.0 + noise(own) } else { noise(other) };
            let held = indicator(category, size);
            let weights = held.iter().map(|held| held / difference).collect();
            Column::exact(weights, -other / difference, held.iter().map(|held| square(*held)).collect(), held)
        };
        let expected = DMatrix::from_fn(size, size, |group, held| if group == held { own } else { other });
        Self { expected, columns: (0..size).map(column).collect() }
    }

    /// A category's estimate is its row of the inverse.
    fn of_table(table: &TableReading<'_>) -> Self {
        let size = table.forward.ncols();
        let column = |category: usize| {
            let weights: Vec<f64> =
                table.inverse.map_or(Vec::new(), |inverse| inverse.row(category).iter().copied().collect());
            let square = |held: usize| {
                table.forward.column(held).iter().zip(&weights).map(|(p, weight)| p * weight * weight).sum()
            };
            let squares = (0..size).map(square).collect();
            Column::exact(weights, 0.0, squares, indicator(category, size))
        };
        Self { expected: table.forward.clone(), columns: (0..size).map(column).collect() }
    }
}

impl Column {
    /// A column whose estimate has no bias, and whose places are the categories.
    fn exact(weights: Vec<f64>, shift: f64, squares: Vec<f64>, held: Vec<f64>) -> Self {
        let truths = held.iter().map(|held| [*held; 2]).collect();
        Self { weights, shift, squares, truths, people: held.clone(), means: held }
    }
}

fn indicator(index: usize, size: usize) -> Vec<f64> {
    (0..size).map(|other| f64::from(u8::from(other == index))).collect()
}
