//! Mechanisms with so few reports that all of them can be asked about: the truth is a finite sum.

#![allow(clippy::unwrap_used)]

use nalgebra::{DMatrix, DVector};
use privet_classifier::{
    Classifier, Method, ModelClassifier, Options, Outside, ProductChannel, Record, ReportLaw, Sensitive,
    quantify,
};
use privet_core::{BuildOptions, Epsilon, Generator, Rng};
use privet_model::{Activation, Combination, Layer, Linear, Model, Network, Node, Tree, Trees};

/// A number between -1 and 1.
fn number(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / 2f64.powi(52) - 1.0
}

fn matrix(rng: &mut Generator, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| number(rng))
}

fn linear(rng: &mut Generator, inputs: usize, outputs: usize) -> Model {
    let intercepts = DVector::from_fn(outputs, |_, _| number(rng) / 2.0);
    Model::Linear(Linear::new(matrix(rng, outputs, inputs), intercepts).unwrap())
}

fn network(rng: &mut Generator, inputs: usize, outputs: usize) -> Model {
    let mut affine = |rows: usize, columns: usize| {
        let bias = DVector::from_fn(rows, |_, _| number(rng) / 2.0);
        Layer::Affine { weights: matrix(rng, rows, columns), bias }
    };
    let layers = vec![affine(5, inputs), Layer::Activation(Activation::Relu), affine(outputs, 5)];
    Model::Network(Network::from_layers(inputs, layers).unwrap())
}

/// Trees of depth three whose leaves are eighths, so that ties occur, and thresholds are twentieths: some reports lie on them.
fn trees(rng: &mut Generator, inputs: usize, outputs: usize) -> Model {
    let mut tree = |_: usize| {
        let mut nodes: Vec<Node> = (0..7)
            .map(|place| Node::Split {
                feature: (rng.next_u64() % inputs as u64) as usize,
                threshold: (rng.next_u64() % 21) as f64 / 20.0,
                below: 2 * place + 1,
                above: 2 * place + 2,
            })
            .collect();
        let leaf = |rng: &mut Generator| (0..outputs).map(|_| (rng.next_u64() % 9) as f64 / 8.0).collect();
        nodes.extend((0..8).map(|_| Node::Leaf { values: leaf(rng) }));
        Tree::new(nodes).unwrap()
    };
    let all = (0..6).map(&mut tree).collect();
    Model::Trees(Trees::new(inputs, all, Combination::Mean, vec![0.0; outputs], 0.5).unwrap())
}

/// The sum of the probabilities of all reports with the record's label.
fn enumerated(classifier: &ModelClassifier, record: &[f64], laws: &[ReportLaw<'_>]) -> f64 {
    let own = classifier.labels(record).unwrap()[0];
    let mut cells = vec![0; laws.len()];
    let mut sum = 0.0;
    loop {
        let mut row = record.to_vec();
        for (feature, (law, cell)) in laws.iter().zip(&cells).enumerate() {
            row[feature] = law.value(*cell);
        }
        if classifier.labels(&row).unwrap()[0] == own {
            sum += laws.iter().zip(&cells).map(|(law, cell)| law.mass_of(*cell)).product::<f64>();
        }
        let Some(next) = (0..cells.len()).find(|place| cells[*place] + 1 < laws[*place].cells()) else {
            return sum;
        };
        cells[..next].fill(0);
        cells[next] += 1;
    }
}

/// The first features are sensitive, and one more is not.
fn check(model: Model, sensitive: usize, rng: &mut Generator) -> Method {
    let classifier = ModelClassifier::new(model);
    let features = Sensitive::new((0..sensitive).collect(), &classifier).unwrap();
    let values: Vec<f64> = (0..=sensitive).map(|_| number(rng).abs()).collect();
    let record = Record::new(values.clone(), &features, Outside::Refuse).unwrap();
    let options = BuildOptions { bins: Some(20), delta: None };
    let product =
        ProductChannel::named("grid-exponential", Epsilon::new(3.0).unwrap(), &options, &features).unwrap();
    let truth = enumerated(&classifier, &values, &product.laws(&record, &features).unwrap());
    let options = Options { beside: 0, ..Options::default() };
    let bound = quantify(&classifier, &record, &features, &[product], &options, rng).unwrap()[0].bound;
    let truth = truth.min(1.0);
    assert!(bound.lower <= truth && truth <= bound.upper, "{sensitive} {bound:?} {truth}");
    // A single report of three features carries about .003; a grid of sums leaves some of them undecided.
    let widest = if sensitive > 2 && bound.method == Method::Linear { 5e-3 } else { 1.1e-5 };
    assert!(bound.width() <= widest, "{sensitive} {bound:?} {truth}");
    bound.method
}

#[test]
fn bounds_contain_the_sum_over_all_reports() {
    let rng = &mut Generator::from_insecure_seed(2026);
    for round in 0..9 {
        for sensitive in 1..=3 {
            let inputs = sensitive + 1;
            let outputs = [1, 2, 3][round % 3];
            let model = trees(rng, inputs, outputs);
            let wanted = if sensitive < 3 { Method::Trees } else { Method::Partition };
            assert_eq!(check(model, sensitive, rng), wanted);
            let model = network(rng, inputs, outputs);
            assert_eq!(check(model, sensitive, rng), Method::Partition);
            if outputs < 3 || sensitive < 3 {
                let model = linear(rng, inputs, outputs);
                assert_eq!(check(model, sensitive, rng), Method::Linear);
            }
        }
    }
}
