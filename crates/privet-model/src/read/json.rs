//! Linear models and tree ensembles as JSON.

use crate::{Combination, Linear, Model, ModelError, Node, Tree, Trees};
use nalgebra::{DMatrix, DVector};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Linear {
        coef: Coefficients,
        intercept: OneOrMany,
    },
    Trees {
        inputs: usize,
        trees: Vec<Vec<JsonNode>>,
        combination: JsonCombination,
        base: Vec<f64>,
        threshold: f64,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Coefficients {
    One(Vec<f64>),
    Many(Vec<Vec<f64>>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(f64),
    Many(Vec<f64>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum JsonCombination {
    Sum,
    Mean,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JsonNode {
    Split { feature: usize, threshold: f64, below: usize, above: usize },
    Leaf { values: Vec<f64> },
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| ModelError::format("JSON model", error.to_string()))?;
    let file = serde_json::from_value(value).map_err(|_| {
        ModelError::format(
            "JSON model",
            "it needs coef and intercept, or inputs, trees, combination, base and threshold",
        )
    })?;
    match file {
        File::Linear { coef, intercept } => linear(coef, intercept).map(Model::Linear),
        File::Trees { inputs, trees, combination, base, threshold } => {
            let trees = trees.into_iter().map(tree).collect::<Result<_, _>>()?;
            let combination = match combination {
                JsonCombination::Sum => Combination::Sum,
                JsonCombination::Mean => Combination::Mean,
            };
            Trees::new(inputs, trees, combination, base, threshold).map(Model::Trees)
        }
    }
}

fn linear(coef: Coefficients, intercept: OneOrMany) -> Result<Linear, ModelError> {
    let rows = match coef {
        Coefficients::One(row) => vec![row],
        Coefficients::Many(rows) => rows,
    };
    let intercepts = match intercept {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    };
    let inputs = rows.first().map_or(0, Vec::len);
    for row in &rows {
        crate::error::check_length("coefficients of a score", inputs, row.len())?;
    }
    let weights = DMatrix::from_row_iterator(rows.len(), inputs, rows.into_iter().flatten());
    Linear::new(weights, DVector::from_vec(intercepts))
}

fn tree(nodes: Vec<JsonNode>) -> Result<Tree, ModelError> {
    let node = |node| match node {
        JsonNode::Split { feature, threshold, below, above } => {
            Node::Split { feature, threshold, below, above }
        }
        JsonNode::Leaf { values } => Node::Leaf { values: values.into() },
    };
    Tree::new(nodes.into_iter().map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_models_of_one_and_many_scores() {
        let one = read(br#"{"features": ["a"], "coef": [2.0, -1.0], "intercept": 0.5}"#).unwrap();
        assert_eq!((one.inputs(), one.outputs(), one.predict(&[0.0, 0.4]).unwrap()), (2, 1, 1));
        let many = read(br#"{"coef": [[1, 0], [0, 1], [1, 1]], "intercept": [0, 0, -1]}"#).unwrap();
        assert_eq!((many.outputs(), many.predict(&[2.0, 3.0]).unwrap()), (3, 2));
    }

    #[test]
    fn trees_are_read_as_written() {
        let text = br#"{"inputs": 1, "combination": "mean", "base": [0.0], "threshold": 0.5, "trees":
            [[{"feature": 0, "threshold": 1.5, "below": 1, "above": 2}, {"values": [0.2]}, {"values": [0.9]}]]}"#;
        let model = read(text).unwrap();
        assert_eq!((model.predict(&[1.5]).unwrap(), model.predict(&[1.6]).unwrap()), (0, 1));
    }

    #[test]
    fn other_json_is_refused() {
        for (text, code) in [
            ("{", "model-format"),
            (r#"{"coef": [1.0]}"#, "model-format"),
            (r#"{"coef": [[1, 2], [3]], "intercept": [0, 0]}"#, "model-length"),
            (r#"{"coef": [], "intercept": 0}"#, "model-structure"),
            (r#"{"coef": [[]], "intercept": [0]}"#, "model-structure"),
            (r#"{"coef": [1, 2], "intercept": [0, 0]}"#, "model-length"),
        ] {
            assert_eq!(read(text.as_bytes()).unwrap_err().code(), code, "{text}");
        }
    }
}
