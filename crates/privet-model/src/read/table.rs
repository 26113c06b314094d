//! A forest as a table: one line for each node.

use crate::{Combination, Model, ModelError, Node, Tree, Trees};

const COLUMNS: &str = "tree,node,feature,threshold,left,right,p1";
/// What scikit-learn writes as the feature of a leaf.
const LEAF: i64 = -2;

fn refusal(reason: impl Into<String>) -> ModelError {
    ModelError::format("table of trees", reason)
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    let text = std::str::from_utf8(bytes).map_err(|_| refusal("it is not text"))?;
    let mut lines = text.lines();
    if lines.next().map(str::trim) != Some(COLUMNS) {
        return Err(refusal(format!("its first line must be {COLUMNS}")));
    }
    let mut forest: Vec<Vec<Node>> = Vec::new();
    let mut inputs = 1;
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let (tree, place, node) = node(line)
            .ok_or_else(|| refusal(format!("line {} does not have the columns {COLUMNS}", number + 2)))?;
        if let Node::Split { feature, .. } = node {
            inputs = inputs.max(feature.saturating_add(1));
        }
        if tree == forest.len() {
            forest.push(Vec::new());
        }
        let is_last = tree == forest.len().wrapping_sub(1);
        match forest.last_mut() {
            Some(nodes) if is_last && place == nodes.len() => nodes.push(node),
            _ => return Err(refusal(format!("line {}: trees and nodes count from 0 in order", number + 2))),
        }
    }
    let trees = forest.into_iter().map(Tree::new).collect::<Result<_, _>>()?;
    Trees::new(inputs, trees, Combination::Mean, vec![0.0], 0.5).map(Model::Trees)
}

/// The tree, the place in it, and the node that a line describes.
fn node(line: &str) -> Option<(usize, usize, Node)> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [tree, place, feature, threshold, left, right, p1] = fields[..] else { return None };
    let feature: i64 = feature.parse().ok()?;
    let node = if feature == LEAF {
        Node::Leaf { values: Box::new([p1.parse().ok()?]) }
    } else {
        Node::Split {
            feature: usize::try_from(feature).ok()?,
            threshold: threshold.parse().ok()?,
            below: left.parse().ok()?,
            above: right.parse().ok()?,
        }
    };
    Some((tree.parse().ok()?, place.parse().ok()?, node))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(lines: &str) -> Result<Model, ModelError> {
        read(format!("{COLUMNS}\n{lines}").as_bytes())
    }

    #[test]
    fn the_score_is_the_mean_of_p1() {
        let model =
            table("0,0,1,0.5,1,2,0.3\n0,1,-2,-2,-1,-1,0.25\n0,2,-2,-2,-1,-1,1\n1,0,-2,-2,-1,-1,0.5\n")
                .unwrap();
        let mut scores = [0.0];
        model.scores(&[0.0, 0.5], &mut scores).unwrap();
        assert_eq!((model.inputs(), scores), (2, [0.375]));
        assert_eq!(model.predict(&[0.0, 0.6]), Ok(1));
    }

    #[test]
    fn other_tables_are_refused() {
        for lines in [
            "0,0,1,0.5,1,2",
            "1,0,-2,0,-1,-1,0.5",
            "0,1,-2,0,-1,-1,0.5",
            "0,0,-3,0,-1,-1,0.5",
            "x,0,-2,0,0,0,0",
        ] {
            assert_eq!(table(lines).unwrap_err().code(), "model-format", "{lines}");
        }
        assert_eq!(table("0,0,1,0.5,1,2,0.3").unwrap_err().code(), "model-structure");
        assert_eq!(table("0,0,-2,0,0,0,NaN").unwrap_err().code(), "model-not-finite");
        assert_eq!(table("").unwrap_err().code(), "model-structure");
        assert_eq!(read(b"tree,node\n").unwrap_err().code(), "model-format");
    }
}
