//! Models as ONNX files: chains of layers, linear models, tree ensembles.
//!
//! A graph must be one chain from its input to the scores. What order-preserving steps come last (softmax, a last
//! sigmoid, normalisation) and what makes labels from scores is left out: scores are those before it.

mod chain;
mod ensemble;
mod node;
mod proto;
#[cfg(test)]
mod tests;

use crate::array::{Array, Element, decode};
use crate::{Model, ModelError};
use prost::Message;
use proto::{GraphProto, ModelProto, NodeProto, TensorProto, ValueProto};
use std::collections::HashMap;

/// All operators that may occur.
const SUPPORTED: &[&str] = &[
    "Add",
    "ArgMax",
    "ArrayFeatureExtractor",
    "AveragePool",
    "Cast",
    "Concat",
    "Constant",
    "Conv",
    "Flatten",
    "Gelu",
    "Gemm",
    "GlobalAveragePool",
    "Identity",
    "LinearClassifier",
    "LinearRegressor",
    "MatMul",
    "MaxPool",
    "Normalizer",
    "Relu",
    "Reshape",
    "Sigmoid",
    "Softmax",
    "Sub",
    "Tanh",
    "TreeEnsembleClassifier",
    "TreeEnsembleRegressor",
    "ZipMap",
    "Div, Erf, Add, Mul, Mul (as GELU)",
];
/// What may make labels and probabilities of the scores.
const AFTER: &[&str] =
    &["ArgMax", "ArrayFeatureExtractor", "Cast", "Flatten", "Identity", "Normalizer", "Reshape", "ZipMap"];

fn refusal(reason: impl Into<String>) -> ModelError {
    ModelError::format("ONNX model", reason)
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    let file = ModelProto::decode(bytes).map_err(|error| refusal(error.to_string()))?;
    let graph = file.graph.ok_or_else(|| refusal("it has no graph"))?;
    let (constants, nodes) = constants(&graph)?;
    let mut inputs = graph.input.iter().filter(|input| !constants.contains_key(input.name.as_str()));
    let (Some(input), None) = (inputs.next(), inputs.next()) else {
        return Err(refusal("it must have exactly one input"));
    };
    let shape = row_shape(input)?;
    let first = nodes.iter().position(|node| node.op_type != "Cast" && node.op_type != "Identity");
    match first.map(|first| (&nodes[..first], nodes[first], &nodes[first + 1..])) {
        None => Err(refusal("it has no operators")),
        Some((before, node, rest)) if ensemble::KINDS.contains(&node.op_type.as_str()) => {
            before.iter().filter(|node| node.op_type == "Cast").try_for_each(|node| check_cast(node))?;
            check_after(rest)?;
            let inputs = shape.and_then(|shape| crate::array::places(&shape));
            ensemble::read(node, inputs)
        }
        Some(_) => chain::read(&nodes, &constants, &input.name, shape).map(Model::Network),
    }
}

/// Refuses a cast that changes numbers by more than the rounding of a float.
fn check_cast(node: &NodeProto) -> Result<(), ModelError> {
    if matches!(node.int("to", 0), 1 | 11) { Ok(()) } else { Err(node.refuse("only to float or double")) }
}

/// Refuses what is no known way to make labels and probabilities of scores.
fn check_after(nodes: &[&NodeProto]) -> Result<(), ModelError> {
    for normalizer in nodes.iter().filter(|node| node.op_type == "Normalizer") {
        // Division by the largest score would turn the order round where all are negative.
        normalizer.require_text("norm", "MAX", &["L1", "L2"])?;
    }
    match nodes.iter().find(|node| !AFTER.contains(&node.op_type.as_str())) {
        None => Ok(()),
        Some(node) if SUPPORTED.contains(&node.op_type.as_str()) => Err(refusal(format!(
            "{} does not follow the one chain from the input to the scores",
            node.op_type
        ))),
        Some(node) => Err(unsupported(&node.op_type)),
    }
}

fn unsupported(operator: &str) -> ModelError {
    ModelError::Operator { operator: operator.to_owned(), supported: SUPPORTED }
}

type Constants<'a> = HashMap<&'a str, Array>;

/// The constants of a graph, and the nodes that are none.
fn constants(graph: &GraphProto) -> Result<(Constants<'_>, Vec<&NodeProto>), ModelError> {
    let mut constants = HashMap::new();
    for tensor in &graph.initializer {
        constants.insert(tensor.name.as_str(), array(tensor)?);
    }
    let mut nodes = Vec::new();
    for node in &graph.node {
        let constant = match (node.op_type.as_str(), node.input.as_slice()) {
            ("Constant", _) => {
                let tensor = node.attribute.iter().find_map(|attribute| attribute.t.as_ref());
                Some(array(tensor.ok_or_else(|| refusal("a Constant must be a tensor"))?)?)
            }
            ("Identity", [input]) => constants.get(input.as_str()).cloned(),
            _ => None,
        };
        match (constant, node.output.first()) {
            (Some(constant), Some(output)) => {
                constants.insert(output, constant);
            }
            _ => nodes.push(node),
        }
    }
    Ok((constants, nodes))
}

fn array(tensor: &TensorProto) -> Result<Array, ModelError> {
    let name = &tensor.name;
    if tensor.data_location != 0 {
        return Err(refusal(format!("the numbers of {name} are in another file, which is not read")));
    }
    let element = match tensor.data_type {
        1 => Element::F32,
        6 => Element::I32,
        7 => Element::I64,
        10 => Element::F16,
        11 => Element::F64,
        // Labels can be text; they are not needed.
        8 => return Array::new(vec![0], Vec::new()),
        other => {
            return Err(refusal(format!(
                "{name} must be of type float16, float, double, int32 or int64: got type {other}"
            )));
        }
    };
    let shape = tensor.dims.iter().map(|side| node::size(*side)).collect::<Result<_, _>>()?;
    let values = if tensor.raw_data.is_empty() {
        match element {
            Element::F32 => tensor.float_data.iter().map(|value| (*value).into()).collect(),
            Element::F64 => tensor.double_data.clone(),
            Element::I64 => tensor.int64_data.iter().map(|value| *value as f64).collect(),
            _ => tensor.int32_data.iter().map(|value| (*value).into()).collect(),
        }
    } else if tensor.raw_data.len().is_multiple_of(element.width()) {
        decode(element, &tensor.raw_data)
    } else {
        return Err(refusal(format!("the numbers of {name} are cut off")));
    };
    Array::new(shape, values)
}

/// The shape of one row of the input, if all its sides are known. The first side is the number of rows.
fn row_shape(input: &ValueProto) -> Result<Option<Vec<usize>>, ModelError> {
    let shape = input.r#type.as_ref().and_then(|kind| kind.tensor_type.as_ref()?.shape.as_ref());
    let Some((_, sides)) = shape.and_then(|shape| shape.dim.split_first()) else { return Ok(None) };
    if sides.is_empty() {
        return Ok(None);
    }
    sides.iter().map(|side| side.dim_value.map(node::size)).collect::<Option<Result<_, _>>>().transpose()
}
