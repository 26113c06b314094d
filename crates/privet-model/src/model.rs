//! A model of any kind.

use crate::{Linear, ModelError, Network, Trees};

/// Scores that differ by no more than this are a tie, so that rounding does not decide between classes.
pub const TIE: f64 = 1e-9;

/// Something that gives a row of numbers a score for each class.
#[derive(Debug, Clone, PartialEq)]
pub enum Model {
    /// One affine map.
    Linear(Linear),
    /// An ensemble of decision trees.
    Trees(Trees),
    /// A chain of layers.
    Network(Network),
}

impl Model {
    /// How many numbers a row has.
    pub fn inputs(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.inputs(),
            Self::Trees(trees) => trees.inputs(),
            Self::Network(network) => network.inputs(),
        }
    }

    /// How many scores there are.
    pub fn outputs(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.outputs(),
            Self::Trees(trees) => trees.outputs(),
            Self::Network(network) => network.outputs(),
        }
    }

    /// How many classes there are. A single score tells two classes apart.
    pub fn classes(&self) -> usize {
        self.outputs().max(2)
    }

    /// The scores of a row: margins, logits, or sums or means of leaves.
    ///
    /// # Errors
    ///
    /// When the row or the room for the scores has the wrong length, or the row is not finite.
    pub fn scores(&self, row: &[f64], scores: &mut [f64]) -> Result<(), ModelError> {
        match self {
            Self::Linear(linear) => linear.scores(row, scores),
            Self::Trees(trees) => trees.scores(row, scores),
            Self::Network(network) => network.scores(row, scores),
        }
    }

    /// A single score above this (by more than [`TIE`]) means class 1: 0 for margins, a tree ensemble's own number.
    pub fn threshold(&self) -> f64 {
        match self {
            Self::Trees(trees) => trees.threshold(),
            Self::Linear(_) | Self::Network(_) => 0.0,
        }
    }

    /// Whether the scores are values of a regression. Then they have no classes.
    pub fn gives_values(&self) -> bool {
        match self {
            Self::Linear(linear) => linear.gives_values(),
            Self::Trees(trees) => trees.gives_values(),
            Self::Network(_) => false,
        }
    }

    /// The class that these scores mean. A single score: 1 if it is more than [`TIE`] above the threshold, otherwise 0.
    /// Several: the lowest class whose score is within [`TIE`] of the largest. So a class is certain where its score
    /// exceeds every other by more than [`TIE`].
    ///
    /// # Errors
    ///
    /// When there is another number of scores than the model gives, one of them is not a number, or they are values of a
    /// regression.
    pub fn label(&self, scores: &[f64]) -> Result<usize, ModelError> {
        if self.gives_values() {
            return Err(ModelError::Values);
        }
        crate::error::check_length("scores", self.outputs(), scores.len())?;
        if scores.iter().any(|score| score.is_nan()) {
            return Err(ModelError::NotFinite { what: "scores" });
        }
        if let [score] = scores {
            return Ok(usize::from(score - self.threshold() > TIE));
        }
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The largest itself is compared as a number: infinity less infinity is none.
        let wins = |score: &f64| *score == largest || largest - score <= TIE;
        Ok(scores.iter().position(wins).unwrap_or(0))
    }

    /// The class of a row.
    ///
    /// # Errors
    ///
    /// When the row has the wrong length or is not finite, a score is not a number, or scores are values of a regression.
    pub fn predict(&self, row: &[f64]) -> Result<usize, ModelError> {
        let mut scores = vec![0.0; self.outputs()];
        self.scores(row, &mut scores)?;
        self.label(&scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    fn linear(outputs: usize) -> Model {
        Model::Linear(Linear::new(DMatrix::zeros(outputs, 1), DVector::zeros(outputs)).unwrap())
    }

    #[test]
    fn ties_go_to_the_lowest_class() {
        let one = linear(1);
        assert_eq!((one.classes(), one.label(&[1e-9]), one.label(&[2e-9])), (2, Ok(0), Ok(1)));
        let three = linear(3);
        assert_eq!(three.label(&[1.0, 3.0, 3.0]), Ok(1));
        assert_eq!(three.label(&[1.0, 3.0, 3.0 + 1e-10]), Ok(1));
        assert_eq!(three.label(&[1.0, 3.0, 3.0 + 1e-8]), Ok(2));
        assert_eq!(three.label(&[f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY]), Ok(1));
    }

    #[test]
    fn a_value_has_no_class() {
        let Model::Linear(line) = linear(1) else { panic!("a line") };
        let regression = Model::Linear(line.of_values());
        assert_eq!(regression.predict(&[0.5]), Err(ModelError::Values));
        assert_eq!(regression.scores(&[0.5], &mut [0.0]), Ok(()));
    }

    #[test]
    fn what_is_no_number_has_no_class() {
        assert_eq!(linear(2).label(&[1.0, f64::NAN]), Err(ModelError::NotFinite { what: "scores" }));
        assert_eq!(linear(2).label(&[1.0]).unwrap_err().code(), "model-length");
    }
}
