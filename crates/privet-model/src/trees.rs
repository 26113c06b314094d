//! Ensembles of decision trees.

use crate::ModelError;
use crate::error::{check_finite, check_length};

/// One place of a tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Asks for one input.
    Split {
        /// The input that is asked for.
        feature: usize,
        /// Rows with a value up to and including this go below.
        threshold: f64,
        /// Where they go.
        below: usize,
        /// Where the others go.
        above: usize,
    },
    /// Answers.
    Leaf {
        /// What it adds to each score.
        values: Box<[f64]>,
    },
}

/// A decision tree. Its root is the first node, and every other node has at most one parent.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree of these nodes.
    ///
    /// # Errors
    ///
    /// When there are none, a child is not there, a node has two parents, or a number is not finite.
    pub fn new(nodes: Vec<Node>) -> Result<Self, ModelError> {
        if nodes.is_empty() {
            return Err(ModelError::structure("a tree needs at least one node"));
        }
        // The root has no parent and nobody has two: then no way from the root comes back to itself.
        let mut has_parent = vec![false; nodes.len()];
        has_parent[0] = true;
        for (position, node) in nodes.iter().enumerate() {
            match node {
                Node::Leaf { values } => check_finite("leaf values", values)?,
                Node::Split { threshold, below, above, .. } => {
                    check_finite("thresholds", &[*threshold])?;
                    for child in [*below, *above] {
                        let taken = has_parent.get_mut(child).ok_or_else(|| {
                            ModelError::structure(format!(
                                "node {position} points to {child}, which is not there"
                            ))
                        })?;
                        if std::mem::replace(taken, true) {
                            return Err(ModelError::structure(format!(
                                "node {child} has two parents or is the root"
                            )));
                        }
                    }
                }
            }
        }
        Ok(Self { nodes })
    }

    /// The nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The values of the leaf that a row comes to. The row must be long enough for every feature asked.
    fn leaf(&self, row: &[f64]) -> &[f64] {
        let mut position = 0;
        loop {
            match &self.nodes[position] {
                Node::Leaf { values } => return values,
                Node::Split { feature, threshold, below, above } => {
                    position = if row[*feature] <= *threshold { *below } else { *above };
                }
            }
        }
    }
}

/// Where a threshold lies for a program that rounds its inputs to single precision before it compares them, as
/// scikit-learn does: the largest number whose rounded value is still at most the threshold. So comparing with it is
/// comparing the rounded number with the threshold, for every number.
pub fn threshold_in_single_precision(threshold: f64) -> f64 {
    let nearest = threshold as f32;
    let below = if f64::from(nearest) > threshold { nearest.next_down() } else { nearest };
    let above = below.next_up();
    if !below.is_finite() || !above.is_finite() {
        // No number beyond has a single-precision neighbour to be rounded to.
        return threshold;
    }
    // The middle of two neighbours has a few bits more than they have, and goes to the even one.
    let middle = f64::from(below).midpoint(f64::from(above));
    if middle as f32 == below { middle } else { middle.next_down() }
}

/// How the trees' leaves become a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// They are added up.
    Sum,
    /// They are averaged.
    Mean,
}

/// An ensemble of trees. Each score is a base value plus the sum or the mean of the leaves that the row comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Trees {
    inputs: usize,
    trees: Vec<Tree>,
    combination: Combination,
    base: Vec<f64>,
    threshold: f64,
    gives_values: bool,
}

impl Trees {
    /// An ensemble. `base` has one number for each score; a single score above `threshold` means class 1.
    ///
    /// # Errors
    ///
    /// When there is no tree, no input or no score, a tree asks for an input that is not there, a leaf has
    /// another number of values than there are scores, or a number is not finite.
    pub fn new(
        inputs: usize,
        trees: Vec<Tree>,
        combination: Combination,
        base: Vec<f64>,
        threshold: f64,
    ) -> Result<Self, ModelError> {
        if inputs == 0 || trees.is_empty() || base.is_empty() {
            return Err(ModelError::structure(
                "an ensemble needs at least one input, one tree and one score",
            ));
        }
        check_finite("base values", &base)?;
        check_finite("thresholds", &[threshold])?;
        for node in trees.iter().flat_map(Tree::nodes) {
            match node {
                Node::Leaf { values } => check_length("values in a leaf", base.len(), values.len())?,
                Node::Split { feature, .. } if *feature >= inputs => {
                    return Err(ModelError::structure(format!(
                        "a tree asks for input {feature}: there are {inputs}"
                    )));
                }
                Node::Split { .. } => {}
            }
        }
        Ok(Self { inputs, trees, combination, base, threshold, gives_values: false })
    }

    /// The same trees as a regression: their scores are values, and no labels are made of them.
    pub fn of_values(self) -> Self {
        Self { gives_values: true, ..self }
    }

    /// Whether the scores are values of a regression.
    pub fn gives_values(&self) -> bool {
        self.gives_values
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// How the leaves become a score.
    pub fn combination(&self) -> Combination {
        self.combination
    }

    /// What is added to each score.
    pub fn base(&self) -> &[f64] {
        &self.base
    }

    /// A single score above this means class 1.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// How many numbers a row has.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// How many scores there are.
    pub fn outputs(&self) -> usize {
        self.base.len()
    }

    /// The scores of a row.
    ///
    /// # Errors
    ///
    /// When the row or the room for the scores has the wrong length, or the row is not finite.
    pub fn scores(&self, row: &[f64], scores: &mut [f64]) -> Result<(), ModelError> {
        check_length("numbers in the row", self.inputs, row.len())?;
        check_length("room for scores", self.outputs(), scores.len())?;
        check_finite("the row's values", row)?;
        scores.fill(0.0);
        for tree in &self.trees {
            for (score, value) in scores.iter_mut().zip(tree.leaf(row)) {
                *score += value;
            }
        }
        let divisor = match self.combination {
            Combination::Sum => 1.0,
            Combination::Mean => self.trees.len() as f64,
        };
        for (score, base) in scores.iter_mut().zip(&self.base) {
            *score = base + *score / divisor;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(value: f64) -> Node {
        Node::Leaf { values: Box::new([value]) }
    }

    fn stump(threshold: f64, below: f64, above: f64) -> Tree {
        Tree::new(vec![Node::Split { feature: 1, threshold, below: 1, above: 2 }, leaf(below), leaf(above)])
            .unwrap()
    }

    fn score(combination: Combination, row: &[f64]) -> f64 {
        let trees = vec![stump(0.5, 1.0, 3.0), stump(2.0, 10.0, 20.0)];
        let mut scores = [0.0];
        Trees::new(2, trees, combination, vec![0.25], 0.5).unwrap().scores(row, &mut scores).unwrap();
        scores[0]
    }

    #[test]
    fn a_value_at_the_threshold_goes_below() {
        assert_eq!(score(Combination::Sum, &[9.0, 0.5]), 11.25);
        assert_eq!(score(Combination::Sum, &[9.0, 0.5f64.next_up()]), 13.25);
        assert_eq!(score(Combination::Mean, &[9.0, 3.0]), 11.75);
    }

    #[test]
    fn a_rounded_number_is_at_most_a_threshold_where_the_number_is_at_most_the_moved_one() {
        // Between two and four tenths as scikit-learn cuts them: 0.3 is at most this, its rounded value is not.
        let cut = f64::from(0.2f32).midpoint(f64::from(0.4f32));
        assert!(0.3 <= cut && 0.3 > threshold_in_single_precision(cut));
        let mut state = 7u64;
        let mut thresholds = vec![cut, 0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 1e-50, -1e-50, 1e-42, 3e38, -3e38];
        for _ in 0..2_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            thresholds.push((state >> 11) as f64 / (1u64 << 53) as f64 * 4.0 - 2.0);
        }
        for threshold in thresholds {
            let moved = threshold_in_single_precision(threshold);
            let is_below = |number: f64| f64::from(number as f32) <= threshold;
            assert!(is_below(moved) && !is_below(moved.next_up()), "{threshold:e}");
        }
        for huge in [f64::from(f32::MAX), 1e300, -1e300] {
            assert_eq!(threshold_in_single_precision(huge), huge);
        }
    }

    #[test]
    fn ways_that_come_back_are_refused() {
        let split = |below, above| Node::Split { feature: 0, threshold: 0.0, below, above };
        for nodes in [
            vec![],
            vec![split(1, 0), leaf(1.0)],
            vec![split(1, 1), leaf(1.0)],
            vec![split(1, 2), leaf(1.0)],
            vec![split(1, 2), split(3, 2), leaf(1.0), leaf(1.0)],
        ] {
            assert_eq!(Tree::new(nodes).unwrap_err().code(), "model-structure");
        }
        assert_eq!(Tree::new(vec![leaf(f64::NAN)]).unwrap_err().code(), "model-not-finite");
    }

    #[test]
    fn trees_must_fit_the_ensemble() {
        let make = |inputs, base| Trees::new(inputs, vec![stump(0.0, 0.0, 1.0)], Combination::Sum, base, 0.0);
        assert!(make(2, vec![0.0]).is_ok());
        assert_eq!(make(1, vec![0.0]).unwrap_err().code(), "model-structure");
        assert_eq!(make(2, vec![0.0, 0.0]).unwrap_err().code(), "model-length");
    }
}
