//! Where a classifier keeps its answer: a proven box, and a picture for two sensitive features.

use crate::certified::Certifier;
use crate::classifier::ask;
use crate::record::{Record, Sensitive, check_fit};
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
        check_fit(classifier, sensitive, std::slice::from_ref(record))?;
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

/// A box inside the unit cube, around the record, in which every row certainly has the record's label: for each sensitive
/// feature a lower and an upper end. There are many such boxes that cannot grow; this is the largest of a few of them.
///
/// # Errors
/// When the classifier's structure is not known or has too many sensitive features, or the precision is not between 0 and 1.
pub fn certified_box(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    precision: f64,
) -> Result<Vec<[f64; 2]>, ClassifierError> {
    if !(precision > 0.0 && precision < 1.0) {
        let got = precision;
        return Err(ClassifierError::Option { option: "precision", allowed: "between 0 and 1", got });
    }
    check_fit(classifier, sensitive, std::slice::from_ref(record))?;
    let needs = "a model whose structure is known, and few sensitive features";
    let certifier =
        Certifier::new(classifier, sensitive).ok_or(ClassifierError::Method { method: "region", needs })?;
    let question = certifier.question(record)?;
    let is_same = |ends: &[[f64; 2]]| certifier.is_same_on(&question, ends);
    let around = |distance: f64| -> Vec<[f64; 2]> {
        let ends = |value: f64| [(value - distance).max(0.0), (value + distance).min(1.0)];
        record.sensitive(sensitive).map(ends).collect()
    };
    let radius = farthest([0.0, 1.0], precision, |distance| is_same(&around(distance)))?;
    let mut best: Option<(f64, Vec<[f64; 2]>)> = None;
    for start in [around(0.0), around(radius)] {
        for first_side in [0, 1] {
            let ends = grown(start.clone(), first_side, precision, is_same)?;
            let volume = ends.iter().map(|[from, to]| to - from).product();
            if best.as_ref().is_none_or(|(largest, _)| volume > *largest) {
                best = Some((volume, ends));
            }
        }
    }
    Ok(best.map(|(_, ends)| ends).unwrap_or_default())
}

/// Moves all ends of one side outwards, one after the other as far as the proof goes, and then those of the other side.
fn grown(
    mut ends: Vec<[f64; 2]>,
    first_side: usize,
    precision: f64,
    is_same: impl Fn(&[[f64; 2]]) -> Result<bool, ClassifierError>,
) -> Result<Vec<[f64; 2]>, ClassifierError> {
    for side in [first_side, 1 - first_side] {
        for feature in 0..ends.len() {
            let outermost = if side == 0 { 0.0 } else { 1.0 };
            let mut longer = ends.clone();
            ends[feature][side] = farthest([ends[feature][side], outermost], precision, |end| {
                longer[feature][side] = end;
                is_same(&longer)
            })?;
        }
    }
    Ok(ends)
}

/// How far one can go from the first number to the second: all the way, or by halving.
pub(crate) fn farthest(
    [mut inside, mut outside]: [f64; 2],
    precision: f64,
    mut holds: impl FnMut(f64) -> Result<bool, ClassifierError>,
) -> Result<f64, ClassifierError> {
    if holds(outside)? {
        return Ok(outside);
    }
    while (inside - outside).abs() > precision {
        let middle = inside.midpoint(outside);
        if holds(middle)? { inside = middle } else { outside = middle }
    }
    Ok(inside)
}
