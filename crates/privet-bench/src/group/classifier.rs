//! What a classifier is worth for a record: a proof, beside what drawn reports take at least.

use crate::BenchError;
use crate::counting::fresh;
use crate::setting::{epsilon, fraction};
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use nalgebra::{DMatrix, DVector};
use privet::BuildOptions;
use privet::classifier::{
    Approach, Classifier, ModelClassifier, Options, Outside, ProductChannel, Record, Sensitive, quantify,
};
use privet::model::{Activation, Combination, Layer, Linear, Model, Network, Node, Tree, Trees};
use std::hint::black_box;

const FEATURES: usize = 8;

/// Two of the features are randomised.
const SENSITIVE: [usize; 2] = [0, 3];
const SAMPLES: usize = 2000;

type Make = fn() -> Result<Model, BenchError>;

pub(crate) fn tasks() -> Vec<Task> {
    let models: [(&str, Make); 3] =
        [("linear-model", linear), ("tree-ensemble", trees), ("neural-network", network)];
    let task = |(name, make): (&str, Make)| {
        Task::new(Group::Classifier, format!("{name}-proof"), move |patience| proof(make()?, patience))
    };
    models.map(task).into()
}

/// How many bounds per second are proved, beside how many a model could give from drawn reports if drawing them took no time. Drawing
/// itself uses all cores, so its ratio would not travel.
fn proof(model: Model, patience: Patience) -> Result<Measured, BenchError> {
    let classifier = ModelClassifier::new(model);
    let sensitive = Sensitive::new(SENSITIVE.to_vec(), &classifier)?;
    let values = (1..=FEATURES as u32).map(fraction).collect();
    let record = Record::new(values, &sensitive, Outside::Refuse)?;
    let product =
        ProductChannel::named("optimal-piecewise", epsilon()?, &BuildOptions::default(), &sensitive)?;
    let products = [product];
    let options = Options { approach: Approach::Proof, beside: 0, ..Options::default() };
    let rows: Vec<f64> = (0..(SAMPLES * FEATURES) as u32).map(fraction).collect();
    let mut rng = fresh();
    let timed = patience.take_turns(
        || {
            let (record, products) = (black_box(&record), black_box(&products));
            black_box(quantify(&classifier, record, &sensitive, products, &options, &mut rng)?);
            Ok::<_, BenchError>(1)
        },
        || {
            black_box(classifier.labels(black_box(&rows))?);
            Ok(1)
        },
    )?;
    Ok(timed.in_units(
        "bounds/s",
        format!("the model labels {SAMPLES} rows, as a bound from that many reports takes"),
    ))
}

/// Numbers between -1 and 1 that nobody would call regular.
fn weight(index: usize) -> f64 {
    2.0 * fraction(7 * index as u32 + 5) - 1.0
}

fn affine(outputs: usize, inputs: usize) -> Layer {
    let weights = DMatrix::from_fn(outputs, inputs, |row, column| weight(inputs * row + column));
    Layer::Affine { weights, bias: DVector::from_fn(outputs, |row, _| 0.1 * weight(row)) }
}

fn linear() -> Result<Model, BenchError> {
    let weights = DMatrix::from_fn(1, FEATURES, |_, column| weight(column));
    Ok(Model::Linear(Linear::new(weights, DVector::from_element(1, -0.2))?))
}

fn network() -> Result<Model, BenchError> {
    let relu = || Layer::Activation(Activation::Relu);
    let layers = vec![affine(16, FEATURES), relu(), affine(16, 16), relu(), affine(2, 16)];
    Ok(Model::Network(Network::from_layers(FEATURES, layers)?))
}

const TREES: usize = 50;
const DEPTH: u32 = 5;

fn trees() -> Result<Model, BenchError> {
    let all = (0..TREES).map(tree).collect::<Result<_, _>>()?;
    Ok(Model::Trees(Trees::new(FEATURES, all, Combination::Mean, vec![0.0], 0.0)?))
}

/// A full tree: the children of node i are 2 i + 1 and 2 i + 2.
fn tree(number: usize) -> Result<Tree, BenchError> {
    let inner = (1 << DEPTH) - 1;
    let node = |index: usize| {
        let seed = 64 * number + index;
        if index >= inner {
            return Node::Leaf { values: Box::new([weight(seed)]) };
        }
        let (below, above) = (2 * index + 1, 2 * index + 2);
        Node::Split { feature: (3 * seed) % FEATURES, threshold: fraction(seed as u32), below, above }
    };
    Ok(Tree::new((0..2 * inner + 1).map(node).collect())?)
}
