//! A forest as a function of two features: constant between its thresholds, so that many questions are answered by looking up.

use privet::classifier::{Classifier, ClassifierError, Record, Sensitive};
use privet::model::{Combination, Model, Node, Tree, Trees};

/// The labels of a forest where all features but two are those of a record.
#[derive(Debug)]
pub(super) struct Steps {
    inputs: usize,
    features: [usize; 2],
    /// Numbers up to and including a threshold lie below it.
    thresholds: [Vec<f64>; 2],
    /// The second feature grows along a row.
    labels: Vec<usize>,
}

/// A leaf that a record may come to, and from where: above the first end and up to the second along both features.
struct Reached {
    ends: [[f64; 2]; 2],
    value: f64,
}

impl Steps {
    /// `None` for another model than a forest with one score, or another number of sensitive features than two.
    pub(super) fn new(model: &Model, record: &Record, sensitive: &Sensitive) -> Option<Self> {
        let (Model::Trees(trees), [first, second]) = (model, sensitive.features()) else { return None };
        let features = [*first, *second];
        let mut leaves = Vec::new();
        for tree in trees.trees() {
            reach(tree, 0, [[f64::NEG_INFINITY, f64::INFINITY]; 2], (record.values(), features), &mut leaves);
        }
        let thresholds = [0, 1].map(|axis| {
            let ends = leaves.iter().flat_map(|leaf| leaf.ends[axis]).filter(|end| end.is_finite());
            let mut ends: Vec<f64> = ends.collect();
            ends.sort_by(f64::total_cmp);
            ends.dedup();
            ends
        });
        let labels = labels(model, trees, &sums(&leaves, &thresholds))?;
        Some(Self { inputs: trees.inputs(), features, thresholds, labels })
    }
}

/// Follows all ways that stay inside the ends.
fn reach(
    tree: &Tree,
    position: usize,
    ends: [[f64; 2]; 2],
    known: (&[f64], [usize; 2]),
    leaves: &mut Vec<Reached>,
) {
    let (values, features) = known;
    match &tree.nodes()[position] {
        Node::Leaf { values } => leaves.push(Reached { ends, value: values.first().copied().unwrap_or(0.0) }),
        Node::Split { feature, threshold, below, above } => {
            let Some(axis) = features.iter().position(|one| one == feature) else {
                let next = if values[*feature] <= *threshold { *below } else { *above };
                return reach(tree, next, ends, known, leaves);
            };
            let [mut lower, mut upper] = [ends, ends];
            lower[axis][1] = lower[axis][1].min(*threshold);
            upper[axis][0] = upper[axis][0].max(*threshold);
            for (next, ends) in [(*below, lower), (*above, upper)] {
                if ends[axis][0] < ends[axis][1] {
                    reach(tree, next, ends, known, leaves);
                }
            }
        }
    }
}

/// The sum of leaves in each cell, from their differences at corners.
fn sums(leaves: &[Reached], thresholds: &[Vec<f64>; 2]) -> Vec<f64> {
    let [rows, columns] = [0, 1].map(|axis| thresholds[axis].len() + 1);
    let mut sums = vec![0.0; (rows + 1) * (columns + 1)];
    let place = |axis: usize, end: f64| {
        if end == f64::NEG_INFINITY { 0 } else { thresholds[axis].partition_point(|one| *one < end) + 1 }
    };
    for Reached { ends, value } in leaves {
        let [[top, bottom], [left, right]] = [0, 1].map(|axis| ends[axis].map(|end| place(axis, end)));
        for (row, column, sign) in
            [(top, left, 1.0), (top, right, -1.0), (bottom, left, -1.0), (bottom, right, 1.0)]
        {
            sums[row * (columns + 1) + column] += sign * value;
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let at = row * (columns + 1) + column;
            let above = if row > 0 { sums[at - columns - 1] } else { 0.0 };
            let left = if column > 0 { sums[at - 1] } else { 0.0 };
            let corner = if row > 0 && column > 0 { sums[at - columns - 2] } else { 0.0 };
            sums[at] += above + left - corner;
        }
    }
    sums.chunks(columns + 1).take(rows).flat_map(|row| &row[..columns]).copied().collect()
}

fn labels(model: &Model, trees: &Trees, sums: &[f64]) -> Option<Vec<usize>> {
    let [base] = trees.base() else { return None };
    let divisor = match trees.combination() {
        Combination::Sum => 1.0,
        Combination::Mean => trees.trees().len() as f64,
    };
    sums.iter().map(|sum| model.label(&[base + sum / divisor]).ok()).collect()
}

impl Classifier for Steps {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn labels(&self, rows: &[f64]) -> Result<Vec<usize>, ClassifierError> {
        let label = |row: &[f64]| {
            let place = |axis: usize| {
                self.thresholds[axis].partition_point(|threshold| *threshold < row[self.features[axis]])
            };
            self.labels[place(0) * (self.thresholds[1].len() + 1) + place(1)]
        };
        Ok(rows.chunks(self.inputs).map(label).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::classifier::{ModelClassifier, Outside};

    fn leaf(value: f64) -> Node {
        Node::Leaf { values: Box::new([value]) }
    }

    fn split(feature: usize, threshold: f64, below: usize, above: usize) -> Node {
        Node::Split { feature, threshold, below, above }
    }

    /// Two trees on three features, one of which is known.
    fn forest() -> Model {
        let first = vec![
            split(0, 0.4, 1, 2),
            split(2, 0.7, 3, 4),
            split(1, 0.5, 5, 6),
            leaf(0.1),
            leaf(0.9),
            leaf(0.8),
            leaf(0.3),
        ];
        let second = vec![split(2, 0.2, 1, 2), leaf(0.6), split(1, 0.5, 3, 4), leaf(0.7), leaf(0.2)];
        let trees = [first, second].map(|nodes| Tree::new(nodes).unwrap()).to_vec();
        Model::Trees(Trees::new(3, trees, Combination::Mean, vec![0.0], 0.5).unwrap())
    }

    #[test]
    fn labels_are_those_of_the_forest() {
        let classifier = ModelClassifier::new(forest());
        let sensitive = Sensitive::new(vec![2, 0], &classifier).unwrap();
        for known in [0.5, 0.6] {
            let record = Record::new(vec![0.3, known, 0.3], &sensitive, Outside::Refuse).unwrap();
            let steps = Steps::new(&forest(), &record, &sensitive).unwrap();
            // The thresholds themselves, and numbers beside them.
            let places = [0.0, 0.2, 0.2 + 1e-12, 0.4, 0.41, 0.5, 0.7, 0.71, 1.0];
            let rows: Vec<f64> =
                places.iter().flat_map(|x| places.iter().flat_map(move |y| [*y, known, *x])).collect();
            let found = steps.labels(&rows).unwrap();
            assert_eq!(found, classifier.labels(&rows).unwrap());
            assert!(found.contains(&0) && found.contains(&1));
        }
    }
}
