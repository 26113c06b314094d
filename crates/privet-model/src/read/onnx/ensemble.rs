//! Linear models and tree ensembles, which ONNX stores in one node.

use super::proto::NodeProto;
use super::{node, unsupported};
use crate::error::check_length;
use crate::{Combination, Linear, Model, ModelError, Node, Tree, Trees};
use nalgebra::{DMatrix, DVector};
use std::collections::HashMap;

pub(super) const KINDS: &[&str] =
    &["LinearClassifier", "LinearRegressor", "TreeEnsembleClassifier", "TreeEnsembleRegressor"];

/// One half, and what rounding weights to single precision can add to a sum of one half: the votes of ten trees, each
/// rounded up from a tenth, are still a tie.
const HALF: f64 = 0.5 + 1.0 / (1u64 << 25) as f64;

/// How many values all leaves may have together: a small file could otherwise ask for any amount of memory.
const LARGEST: usize = 1 << 27;

pub(super) fn read(node: &NodeProto, inputs: Option<usize>) -> Result<Model, ModelError> {
    let model = match node.op_type.as_str() {
        "LinearClassifier" => {
            node.require_text("post_transform", "NONE", &["NONE", "LOGISTIC", "SOFTMAX"])?;
            let linear = linear(node)?;
            match (labels(node), linear.outputs()) {
                (2, 1) => {}
                (classes, scores) if classes == scores && classes > 1 => {}
                (classes, scores) => {
                    return Err(
                        node.refuse(format!("{scores} scores do not choose between {classes} classes"))
                    );
                }
            }
            Model::Linear(linear)
        }
        "LinearRegressor" => {
            node.require_text("post_transform", "NONE", &["NONE"])?;
            Model::Linear(linear(node)?.of_values())
        }
        "TreeEnsembleClassifier" => {
            node.require_text("post_transform", "NONE", &["NONE", "LOGISTIC", "SOFTMAX"])?;
            Model::Trees(classifier(node, inputs)?)
        }
        "TreeEnsembleRegressor" => {
            node.require_text("post_transform", "NONE", &["NONE"])?;
            Model::Trees(regressor(node, inputs)?.of_values())
        }
        other => return Err(unsupported(other)),
    };
    if let Some(inputs) = inputs {
        check_length("inputs of the model", inputs, model.inputs())?;
    }
    Ok(model)
}

fn linear(node: &NodeProto) -> Result<Linear, ModelError> {
    let coefficients = node.floats("coefficients");
    let mut intercepts = node.floats("intercepts");
    if intercepts.is_empty() {
        let scores = if node.op_type == "LinearRegressor" {
            node::size(node.int("targets", 1))?
        } else {
            labels(node)
        };
        if scores > coefficients.len() {
            return Err(
                node.refuse(format!("{scores} scores need more than {} coefficients", coefficients.len()))
            );
        }
        intercepts = vec![0.0; scores];
    }
    let outputs = intercepts.len();
    if outputs == 0 || !coefficients.len().is_multiple_of(outputs) {
        return Err(node.refuse(format!(
            "{} coefficients are not a row for each of {outputs} scores",
            coefficients.len()
        )));
    }
    let weights = DMatrix::from_row_slice(outputs, coefficients.len() / outputs, &coefficients);
    let is_mirrored = outputs == 2 && weights.row(0) == -weights.row(1) && intercepts[0] == -intercepts[1];
    if is_mirrored && node.op_type == "LinearClassifier" {
        // Two classes as a margin and its negative: the margin says it all.
        return Linear::new(weights.rows(1, 1).into_owned(), DVector::from_element(1, intercepts[1]));
    }
    Linear::new(weights, DVector::from_vec(intercepts))
}

/// How many classes the node names.
fn labels(node: &NodeProto) -> usize {
    let count =
        |name| node.find(name).map_or(0, |attribute| attribute.ints.len().max(attribute.strings.len()));
    ["classlabels_ints", "classlabels_int64s", "classlabels_strings"]
        .into_iter()
        .map(count)
        .max()
        .unwrap_or(0)
}

fn classifier(node: &NodeProto, inputs: Option<usize>) -> Result<Trees, ModelError> {
    let ids = node.ints("class_ids");
    let weights = node.floats("class_weights");
    let classes = labels(node);
    // With two classes and weights for only one of them, there is one score; if it cannot be negative it is a
    // probability.
    if classes == 2 && ids.windows(2).all(|pair| pair[0] == pair[1]) {
        let threshold = if weights.iter().all(|weight| *weight >= 0.0) { HALF } else { 0.0 };
        return ensemble(node, inputs, "class", &vec![0; ids.len()], 1, Combination::Sum, threshold);
    }
    let ids = ids.iter().map(|id| node::size(*id)).collect::<Result<Vec<_>, _>>()?;
    ensemble(node, inputs, "class", &ids, classes, Combination::Sum, 0.0)
}

fn regressor(node: &NodeProto, inputs: Option<usize>) -> Result<Trees, ModelError> {
    node.require_text("aggregate_function", "SUM", &["SUM", "AVERAGE"])?;
    let is_mean = node.text("aggregate_function", "SUM") == "AVERAGE";
    let combination = if is_mean { Combination::Mean } else { Combination::Sum };
    let ids = node.ints("target_ids").iter().map(|id| node::size(*id)).collect::<Result<Vec<_>, _>>()?;
    ensemble(node, inputs, "target", &ids, node::size(node.int("n_targets", 1))?, combination, 0.0)
}

/// The trees, with the weights that the lists beginning with `prefix` give to scores (`ids`).
fn ensemble(
    node: &NodeProto,
    inputs: Option<usize>,
    prefix: &str,
    ids: &[usize],
    outputs: usize,
    combination: Combination,
    threshold: f64,
) -> Result<Trees, ModelError> {
    if outputs.saturating_mul(node.ints("nodes_nodeids").len()) > LARGEST {
        return Err(node.refuse(format!("more than {LARGEST} values of leaves are not read")));
    }
    let (mut forest, places) = splits(node, outputs)?;
    let weights = node.floats(&format!("{prefix}_weights"));
    let trees = node.ints(&format!("{prefix}_treeids"));
    let nodes = node.ints(&format!("{prefix}_nodeids"));
    for list in [weights.len(), trees.len(), nodes.len()] {
        check_length("weights of leaves", ids.len(), list)?;
    }
    for (((weight, tree), place), id) in weights.iter().zip(trees).zip(nodes).zip(ids) {
        let leaf =
            places.get(&(*tree, *place)).and_then(|(tree, place)| forest.get_mut(*tree)?.get_mut(*place));
        let Some(Node::Leaf { values }) = leaf else {
            return Err(node.refuse(format!("node {place} of tree {tree} has a weight, but is no leaf")));
        };
        *values.get_mut(*id).ok_or_else(|| node.refuse(format!("score {id} is not there")))? += weight;
    }
    let base = match node.floats("base_values") {
        base if base.is_empty() => vec![0.0; outputs],
        base => base,
    };
    check_length("base values", outputs, base.len())?;
    let features = forest.iter().flatten().filter_map(|node| match node {
        Node::Split { feature, .. } => feature.checked_add(1),
        Node::Leaf { .. } => None,
    });
    let inputs = inputs.unwrap_or(features.max().unwrap_or(1));
    let forest = forest.into_iter().map(Tree::new).collect::<Result<_, _>>()?;
    Trees::new(inputs, forest, combination, base, threshold)
}

/// Where a node of a file is: (tree, node) in the file to (tree, node) here.
type Places = HashMap<(i64, i64), (usize, usize)>;

/// The places of all nodes, in their order in the file.
fn places(node: &NodeProto, trees: &[i64], ids: &[i64]) -> Result<Places, ModelError> {
    let mut places = Places::new();
    let mut numbers: HashMap<i64, usize> = HashMap::new();
    let mut sizes: Vec<usize> = Vec::new();
    for (tree, id) in trees.iter().zip(ids) {
        let number = *numbers.entry(*tree).or_insert(sizes.len());
        if number == sizes.len() {
            sizes.push(0);
        }
        if places.insert((*tree, *id), (number, sizes[number])).is_some() {
            return Err(node.refuse(format!("node {id} of tree {tree} is there twice")));
        }
        sizes[number] += 1;
    }
    Ok(places)
}

/// The trees with leaves of zeros.
fn splits(node: &NodeProto, outputs: usize) -> Result<(Vec<Vec<Node>>, Places), ModelError> {
    let list = |name| {
        let list = node.ints(name);
        check_length("numbers for the nodes of trees", node.ints("nodes_nodeids").len(), list.len())?;
        Ok::<_, ModelError>(list)
    };
    let (trees, ids) = (list("nodes_treeids")?, list("nodes_nodeids")?);
    let places = places(node, trees, ids)?;
    let (features, yes, no) =
        (list("nodes_featureids")?, list("nodes_truenodeids")?, list("nodes_falsenodeids")?);
    let modes = node.find("nodes_modes").map_or(&[][..], |attribute| &attribute.strings);
    let values = node.floats("nodes_values");
    check_length("modes of nodes", ids.len(), modes.len())?;
    check_length("values of nodes", ids.len(), values.len())?;
    let mut forest: Vec<Vec<Node>> = Vec::new();
    for (at, (tree, id)) in trees.iter().zip(ids).enumerate() {
        let child = |id: i64| {
            places.get(&(*tree, id)).map(|(_, place)| *place).ok_or_else(|| {
                node.refuse(format!("tree {tree} has no node {id}, but a node that points to it"))
            })
        };
        let mode = String::from_utf8_lossy(&modes[at]);
        let made = if mode == "LEAF" {
            Node::Leaf { values: vec![0.0; outputs].into() }
        } else {
            let (yes, no) = (child(yes[at])?, child(no[at])?);
            let (threshold, below, above) = match mode.as_ref() {
                "BRANCH_LEQ" => (values[at], yes, no),
                "BRANCH_LT" => (values[at].next_down(), yes, no),
                "BRANCH_GT" => (values[at], no, yes),
                "BRANCH_GTE" => (values[at].next_down(), no, yes),
                other => {
                    return Err(node.refuse(format!(
                        "nodes are BRANCH_LEQ, BRANCH_LT, BRANCH_GT, BRANCH_GTE or LEAF: got {other}"
                    )));
                }
            };
            Node::Split { feature: node::size(features[at])?, threshold, below, above }
        };
        let (number, _) = places[&(*tree, *id)];
        if number == forest.len() {
            forest.push(Vec::new());
        }
        forest[number].push(made);
    }
    Ok((forest, places))
}
