//! The models of the data folder: what is read computes what its makers computed.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_model::array::read_npz;
use privet_model::train::{Settings, Targets, train};
use privet_model::{Activation, Linear, Model, Network};
use std::path::PathBuf;

/// A file of the data folder, or `None` where the data are not installed. On a build server that is a failure.
fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join(name);
    if path.is_file() {
        return Some(path);
    }
    let message = format!("{name} is missing: {} cannot be read", path.display());
    assert!(std::env::var_os("CI").is_none(), "{message}");
    println!("{message}; set PRIVET_DATA to run this test");
    None
}

fn model(name: &str) -> Option<Model> {
    data(&format!("classifiers/{name}")).map(|path| Model::read(&path).unwrap())
}

/// The numbers of a table below its first line.
fn rows(name: &str) -> Option<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(data(&format!("classifiers/{name}"))?).unwrap();
    let row = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect();
    Some(text.lines().skip(1).map(row).collect())
}

fn scores(model: &Model, row: &[f64]) -> Vec<f64> {
    let mut scores = vec![0.0; model.outputs()];
    model.scores(row, &mut scores).unwrap();
    scores
}

fn network(model: Model) -> Network {
    match model {
        Model::Network(network) => network,
        other => panic!("a network: got {other:?}"),
    }
}

#[test]
fn the_two_dimensional_example_has_its_logits() {
    let Some(model) = model("ffnn_2d.onnx") else { return };
    let logits = scores(&model, &[0.5, 0.5]);
    assert!((logits[0] + 1.5723).abs() < 5e-5 && (logits[1] - 2.1893).abs() < 5e-5, "{logits:?}");
}

#[test]
fn the_convolutional_network_knows_its_digits() {
    let (Some(model), Some(rows)) = (model("cnn_mnist_7_7.onnx"), rows("mnist_7x7.csv")) else { return };
    assert_eq!((model.inputs(), model.outputs(), rows.len()), (49, 10, 10));
    let network = network(model.clone());
    for row in &rows {
        let image = &row[2..];
        let label = model.predict(image).unwrap();
        assert_eq!(label as f64, row[1]);
        // A box around the image that is too small to change the answer, and bounds that prove it.
        let low: Vec<f64> = image.iter().map(|value| value - 1e-3).collect();
        let high: Vec<f64> = image.iter().map(|value| value + 1e-3).collect();
        let other = (label + 1) % 10;
        let (least, most) = network.difference_bounds(&low, &high, label, other).unwrap();
        let logits = scores(&model, image);
        assert!(
            0.0 < least && least <= logits[label] - logits[other] && logits[label] - logits[other] <= most
        );
    }
}

#[test]
fn forests_as_tables_and_as_onnx_agree() {
    let compare = |table: &str, onnx: &str, data: &str, inputs: usize| {
        let (Some(table), Some(onnx), Some(rows)) = (model(table), model(onnx), rows(data)) else { return };
        assert_eq!((table.inputs(), onnx.inputs()), (inputs, inputs));
        let agree = |row: &&Vec<f64>| table.predict(&row[..inputs]) == onnx.predict(&row[..inputs]);
        let agreeing = rows.iter().filter(agree).count();
        assert!(agreeing * 1000 >= rows.len() * 999, "{agreeing} of {}", rows.len());
    };
    compare("stroke_rf_trees.csv.gz", "stroke_rf.onnx.gz", "stroke.csv", 6);
    compare("bank_rf_retrained_trees.csv.gz", "bank_rf_retrained.onnx.gz", "bank_rf_units.csv", 9);
}

#[test]
fn linear_models_as_json_and_as_onnx_agree() {
    let compare = |name: &str, data: &str, inputs: usize| {
        let (json, onnx) = (model(&format!("{name}.json")), model(&format!("{name}.onnx")));
        let (Some(json), Some(onnx), Some(rows)) = (json, onnx, rows(data)) else { return };
        for row in &rows {
            let (json, onnx) = (scores(&json, &row[..inputs]), scores(&onnx, &row[..inputs]));
            assert!(
                json.len() == 1 && onnx.len() == 1 && (json[0] - onnx[0]).abs() < 1e-5,
                "{json:?} {onnx:?}"
            );
        }
    };
    compare("stroke_lr", "stroke.csv", 6);
    compare("bank_lr", "bank.csv", 9);
}

#[test]
fn features_and_heads_are_read_from_npz() {
    let file = |name| data(&format!("cifar10_resnet20/{name}"));
    let (Some(heads), Some(test)) = (file("cifar10_heads.npz"), file("cifar10_features_test.npz")) else {
        return;
    };
    let read = |name| read_npz(&heads, name).unwrap();
    let weights = nalgebra::DMatrix::from_row_slice(10, 64, read("linear_w").values());
    let model = Model::Linear(Linear::new(weights, read("linear_b").into_values().into()).unwrap());
    let (features, labels) = (read_npz(&test, "test").unwrap(), read_npz(&test, "labels").unwrap());
    assert_eq!((features.shape(), labels.shape()), ([10_000, 64].as_slice(), [10_000].as_slice()));
    let right = |(row, label): &(&[f64], &f64)| model.predict(row).unwrap() as f64 == **label;
    let right = features.values().chunks(64).zip(labels.values()).filter(right).count();
    assert!((8_795..=8_805).contains(&right), "the page says .880: got {right}");
    let missing = read_npz(&heads, "none").unwrap_err().to_string();
    assert!(missing.contains("no array none") && missing.contains("linear_w"), "{missing}");
}

/// Digits of 7 x 7 in [0, 1], and their labels.
fn digits(part: &str) -> Option<(Vec<f64>, Vec<usize>)> {
    let path = data("mnist/mnist_7x7_sum16.npz")?;
    let images = read_npz(&path, &format!("{part}_sum16")).unwrap();
    let labels = read_npz(&path, &format!("{part}_labels")).unwrap();
    let rows = images.values().iter().map(|sum| sum / 4080.0).collect();
    Some((rows, labels.values().iter().map(|label| *label as usize).collect()))
}

fn accuracy(model: &Model, rows: &[f64], labels: &[usize]) -> f64 {
    let right = rows.chunks(49).zip(labels).filter(|(row, label)| model.predict(row) == Ok(**label)).count();
    right as f64 / labels.len() as f64
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn the_convolutional_network_has_the_accuracy_of_its_page() {
    let (Some(model), Some((rows, labels))) = (model("cnn_mnist_7_7.onnx"), digits("test")) else { return };
    let accuracy = accuracy(&model, &rows, &labels);
    assert!((accuracy - 0.9571).abs() < 2e-4, "{accuracy}");
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn a_perceptron_learns_digits() {
    let (Some((rows, labels)), Some((test, truth))) = (digits("train"), digits("test")) else { return };
    let settings = Settings {
        hidden: vec![64, 64],
        activation: Activation::Relu,
        epochs: 5,
        batch: 128,
        rate: 0.004,
        seed: 1,
    };
    let targets = Targets::Classes { labels: &labels, classes: 10 };
    let model = Model::Network(train(&rows, 49, targets, &settings).unwrap());
    let accuracy = accuracy(&model, &test, &truth);
    assert!(accuracy > 0.945, "{accuracy}");
}
