//! Multilayer perceptrons as safetensors files, as PyTorch names their tensors.

use crate::array::{Element, decode};
use crate::network::{Activation, Layer, Network};
use crate::{Model, ModelError};
use nalgebra::{DMatrix, DVector};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use std::collections::BTreeMap;

fn refusal(reason: impl Into<String>) -> ModelError {
    ModelError::format("safetensors model", reason)
}

#[derive(Default)]
struct Parts<'a> {
    weight: Option<TensorView<'a>>,
    bias: Option<TensorView<'a>>,
}

pub(super) fn read(bytes: &[u8]) -> Result<Model, ModelError> {
    let damaged = |error: safetensors::SafeTensorError| refusal(error.to_string());
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(damaged)?;
    let file = SafeTensors::deserialize(bytes).map_err(damaged)?;
    let mut parts: BTreeMap<Vec<Piece>, Parts<'_>> = BTreeMap::new();
    for (name, tensor) in file.tensors() {
        let (layer, part) = name.rsplit_once('.').unwrap_or(("", &name));
        let entry = parts.entry(pieces(layer)).or_default();
        match part {
            "weight" => entry.weight = Some(tensor),
            "bias" => entry.bias = Some(tensor),
            _ => return Err(refusal(format!("tensors are called .weight or .bias, got {name}"))),
        }
    }
    let activation = metadata.metadata().as_ref().and_then(|metadata| metadata.get("activation"));
    let mut layers = Vec::new();
    for parts in parts.into_values() {
        if !layers.is_empty() {
            let activation = activation.and_then(|name| Activation::named(name)).ok_or_else(|| {
                refusal("its metadata must say the activation between layers: relu, gelu, tanh or sigmoid")
            })?;
            layers.push(Layer::Activation(activation));
        }
        layers.push(affine(parts)?);
    }
    let Some(Layer::Affine { weights, .. }) = layers.first() else { return Err(refusal("it has no layers")) };
    Network::from_layers(weights.ncols(), layers).map(Model::Network)
}

fn affine(parts: Parts<'_>) -> Result<Layer, ModelError> {
    let weight = parts.weight.ok_or_else(|| refusal("a bias has no weight beside it"))?;
    let [outputs, inputs] = *weight.shape() else {
        return Err(refusal("weights must be matrices (out x in)"));
    };
    let values = numbers(&weight)?;
    if values.is_empty() {
        return Err(refusal("weights must not be empty"));
    }
    let bias = match parts.bias {
        Some(bias) => DVector::from_vec(numbers(&bias)?),
        None => DVector::zeros(outputs),
    };
    Ok(Layer::Affine { weights: DMatrix::from_row_slice(outputs, inputs, &values), bias })
}

fn numbers(tensor: &TensorView<'_>) -> Result<Vec<f64>, ModelError> {
    let element = match tensor.dtype() {
        Dtype::F16 => Element::F16,
        Dtype::F32 => Element::F32,
        Dtype::F64 => Element::F64,
        other => return Err(refusal(format!("numbers are F16, F32 or F64, got {other:?}"))),
    };
    Ok(decode(element, tensor.data()))
}

/// A piece of a name; numbers are compared as numbers, so that layer 10 comes after layer 2.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Piece {
    Number(u64),
    Text(String),
}

fn pieces(name: &str) -> Vec<Piece> {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let mut pieces = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_digit(letter) != is_digit(first)).unwrap_or(rest.len());
        let (piece, following) = rest.split_at(end);
        pieces.push(piece.parse().map_or_else(|_| Piece::Text(piece.to_owned()), Piece::Number));
        rest = following;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn file(tensors: &[(&str, Vec<usize>, &[f32])], activation: Option<&str>) -> Vec<u8> {
        let bytes: Vec<Vec<u8>> = tensors
            .iter()
            .map(|(_, _, values)| values.iter().flat_map(|value| value.to_le_bytes()).collect())
            .collect();
        let views = tensors.iter().zip(&bytes).map(|((name, shape, _), bytes)| {
            (*name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap())
        });
        let metadata = activation.map(|name| HashMap::from([("activation".to_owned(), name.to_owned())]));
        safetensors::serialize(views, metadata).unwrap()
    }

    /// Three layers whose names do not sort as text.
    fn perceptron(activation: Option<&str>) -> Vec<u8> {
        let tensors: [(&str, Vec<usize>, &[f32]); 4] = [
            ("net.10.weight", vec![1, 2], &[1.0, -1.0]),
            ("net.2.weight", vec![2, 2], &[1.0, 2.0, 3.0, 4.0]),
            ("net.0.weight", vec![2, 1], &[1.0, -1.0]),
            ("net.0.bias", vec![2], &[0.5, 0.5]),
        ];
        file(&tensors, activation)
    }

    #[test]
    fn layers_come_in_the_order_of_their_numbers() {
        let model = read(&perceptron(Some("relu"))).unwrap();
        let mut scores = [0.0];
        model.scores(&[2.0], &mut scores).unwrap();
        // (2.5, 0), then (2.5, 7.5), then -5.
        assert_eq!(scores, [-5.0]);
    }

    #[test]
    fn other_files_are_refused() {
        let said = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert!(said(&perceptron(None)).contains("must say the activation"));
        assert!(said(&file(&[("a.scale", vec![1], &[1.0])], None)).contains("got a.scale"));
        assert!(said(&file(&[("a.bias", vec![1], &[1.0])], None)).contains("no weight"));
        assert!(said(&file(&[("a.weight", vec![1], &[1.0])], None)).contains("matrices"));
        assert!(said(&file(&[], None)).contains("no layers"));
    }

    proptest! {
        #[test]
        fn damaged_files_never_panic(bytes: Vec<u8>, cut in 0usize..1000, at in 0usize..1000, byte: u8) {
            let _ = read(&bytes);
            let mut whole = perceptron(Some("tanh"));
            let length = whole.len();
            prop_assert!(read(&whole[..cut % length]).is_err());
            whole[at % length] = byte;
            let _ = read(&whole);
        }
    }
}
