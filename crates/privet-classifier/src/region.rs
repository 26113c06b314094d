//! A picture of what a classifier does with two sensitive features.

use crate::classifier::ask;
use crate::record::{Record, Sensitive};
use crate::statistical::label_of;
use crate::{Classifier, ClassifierError};

/// The labels on a grid over two sensitive features, the other features as in the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionMap {
    /// How many cells each side has.
    pub resolution: usize,
    /// The label of the middle of each cell; the first feature grows from row to row, the second along a row.
    pub labels: Vec<usize>,
    /// The label of the record.
    pub own: usize,
}

/// The most cells along a side.
const MOST: usize = 4096;

impl DecisionMap {
    /// Asks for the label of the middle of each of `resolution` times `resolution` cells of the unit square.
    ///
    /// # Errors
    /// When there are not two sensitive features, the resolution is not from 1 to 4096, or the classifier cannot be asked.
    pub fn new(
        classifier: &dyn Classifier,
        record: &Record,
        sensitive: &Sensitive,
        resolution: usize,
    ) -> Result<Self, ClassifierError> {
        let [first, second] = sensitive.features() else {
            return Err(ClassifierError::Method { method: "region", needs: "two sensitive features" });
        };
        if !(1..=MOST).contains(&resolution) {
            let got = resolution as f64;
            return Err(ClassifierError::Option { option: "resolution", allowed: "from 1 to 4096", got });
        }
        let middle = |cell: usize| (cell as f64 + 0.5) / resolution as f64;
        let mut labels = Vec::with_capacity(resolution * resolution);
        for row in 0..resolution {
            let mut rows = Vec::with_capacity(resolution * record.values().len());
            for column in 0..resolution {
                let start = rows.len();
                rows.extend(record.values());
                rows[start + first] = middle(row);
                rows[start + second] = middle(column);
            }
            labels.extend(ask(classifier, &rows)?);
        }
        Ok(Self { resolution, labels, own: label_of(classifier, record)? })
    }

    /// The share of cells with the record's label.
    pub fn same(&self) -> f64 {
        let same = self.labels.iter().filter(|label| **label == self.own).count();
        same as f64 / self.labels.len().max(1) as f64
    }
}
