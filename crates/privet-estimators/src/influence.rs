//! How much one report can do.

use crate::reading::Reading;
use crate::summary::CountSummary;
use privet_core::{EstimateError, Summary};

/// The largest change that exchanging one of the reports can make to an estimate, whatever the reports are: from the
/// coefficients with which reports enter it. Consistency steps are not part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Influence {
    /// On the frequency of each category, in the order of the estimate.
    Frequencies(Vec<f64>),
    /// On the mean. Where the channel is biased the coefficients are fitted to the reports; they are held fixed.
    Mean(f64),
}

impl Influence {
    /// The largest of all.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Frequencies(rows) => rows.iter().copied().fold(0.0, f64::max),
            Self::Mean(mean) => *mean,
        }
    }

    /// A report that supports a category adds `1 / (n (own - other))` more to its frequency than one that does not; report
    /// y of a table adds `b_iy / n` to that of category i.
    pub(crate) fn of_frequencies(
        reading: Reading<'_>,
        summary: &CountSummary,
    ) -> Result<Self, EstimateError> {
        if summary.count() == 0 {
            return Err(EstimateError::TooFewReports { needed: 1, got: 0 });
        }
        let n = summary.count() as f64;
        let refused = |method| EstimateError::Step { step: "influence", method };
        let (count, range) = match reading {
            Reading::Support(oracle) => {
                let support = oracle.support();
                (oracle.categories().count() as usize, 1.0 / support.own.minus(&support.other).to_f64())
            }
            Reading::Table(table) => {
                let inverse = table.inverse.ok_or(refused("a table without an inverse"))?;
                let rows = inverse.row_iter().map(|row| (row.max() - row.min()) / n);
                return Ok(Self::Frequencies(rows.collect()));
            }
            // One bucket of the row, less what falls there by chance.
            Reading::Sketch { rows, categories } => {
                (categories as usize, 1.0 / ((rows.set - rows.unset) * (1.0 - 1.0 / rows.bits as f64)))
            }
            Reading::Bloom(_) => return Err(refused("least squares over Bloom patterns")),
            Reading::Words => return Err(refused("a prefix tree")),
            Reading::Numbers(_) => return Err(refused("distributions of numbers or angles")),
        };
        Ok(Self::Frequencies(vec![range / n; count]))
    }
}
