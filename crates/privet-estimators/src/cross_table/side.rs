//! One attribute of a cross-table.

use crate::bounds::Purpose;
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

/// Weights of what a report shows about a column: their means for a person are at least, and at most, whether the person is in
/// it. For categories both are the same.
pub(crate) struct Column {
    shown: Shown,
    pub(crate) upper: Vec<f64>,
    pub(crate) lower: Vec<f64>,
}

/// What a report shows about a column.
enum Shown {
    /// Which of the groups it counts in: just one.
    Group,
    /// Whether it supports one of so many categories: no and yes.
    Support { category: usize, of: usize },
}

impl Column {
    /// For reports that count in one group each.
    pub(crate) fn of_groups(upper: Vec<f64>, lower: Vec<f64>) -> Self {
        Self { shown: Shown::Group, upper, lower }
    }

    /// A function of what a report shows, as weights of its groups; the last one is that of every report.
    pub(super) fn linear(&self, of_shown: Vec<f64>) -> Vec<f64> {
        match self.shown {
            Shown::Group => of_shown.into_iter().chain([0.0]).collect(),
            Shown::Support { category, of } => {
                let mut weights = vec![0.0; of + 1];
                weights[category] = of_shown[1] - of_shown[0];
                weights[of] = of_shown[0];
                weights
            }
        }
    }
}

impl CrossSide<'_> {
    pub(super) fn fingerprint(&self) -> Fingerprint {
        self.estimator.empty_summary().fingerprint()
    }

    /// How many columns there are, before anything is made of them.
    pub(super) fn columns(&self) -> usize {
        match self.estimator.reading() {
            Reading::Support(oracle) => oracle.categories().count() as usize,
            Reading::Table(table) => table.forward.ncols(),
            Reading::Numbers(_) => self.bins,
            Reading::Bloom(_) | Reading::Sketch(_) | Reading::Places(_) | Reading::Words => 0,
        }
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

    /// What the reports say, for about so many people.
    pub(super) fn side(&self, purpose: Purpose) -> Side {
        match self.estimator.reading() {
            Reading::Support(oracle) => Side::of_oracle(oracle),
            Reading::Table(table) => Side::of_table(&table),
            Reading::Numbers(channel) => side_of_numbers(channel, groups_of(channel), self.bins, purpose),
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
        let weights = [-other / difference, (1.0 - other) / difference].to_vec();
        let column = |category: usize| Column {
            shown: Shown::Support { category, of: size },
            upper: weights.clone(),
            lower: weights.clone(),
        };
        let expected = DMatrix::from_fn(size, size, |group, held| if group == held { own } else { other });
        Self { expected, columns: (0..size).map(column).collect() }
    }

    /// A category's estimate is its row of the inverse.
    fn of_table(table: &TableReading<'_>) -> Self {
        let column = |category: usize| {
            let weights: Vec<f64> =
                table.inverse.map_or(Vec::new(), |inverse| inverse.row(category).iter().copied().collect());
            Column::of_groups(weights.clone(), weights)
        };
        Self { expected: table.forward.clone(), columns: (0..table.forward.ncols()).map(column).collect() }
    }
}
