//! What the tests on the data folder share.

// Not every test file uses all of it, and helpers may fail as tests may.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use privet_classifier::{
    Bound, Classifier, ModelClassifier, Options, Outside, ProductChannel, Record, Row, Sensitive, quantify,
};
use privet_core::{BuildOptions, Epsilon, Generator};
use privet_model::Model;
use std::path::PathBuf;

/// The path of a file, or `None` where the data are not installed. On a build server that is a failure.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("classifiers").join(name);
    if path.exists() {
        return Some(path);
    }
    let message = format!("{name} is missing: {} cannot be read", path.display());
    assert!(std::env::var_os("CI").is_none(), "{message}");
    println!("{message}; set PRIVET_DATA to run this test");
    None
}

pub fn model(name: &str) -> Option<ModelClassifier> {
    Some(ModelClassifier::new(Model::read(&data(name)?).unwrap()))
}

/// The rows of a table of numbers, without its head.
pub fn table(name: &str) -> Option<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(data(name)?).unwrap();
    let row = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect();
    Some(text.lines().skip(1).map(row).collect())
}

/// The record of the papers, with age and bmi sensitive.
pub fn stroke(classifier: &dyn Classifier) -> (Record, Sensitive) {
    let sensitive = Sensitive::new(vec![0, 5], classifier).unwrap();
    let record = Record::new(vec![0.79, 1.0, 0.0, 1.0, 0.5804, 0.48], &sensitive, Outside::Refuse).unwrap();
    (record, sensitive)
}

pub fn product(name: &str, epsilon: f64, sensitive: &Sensitive) -> ProductChannel {
    let epsilon = Epsilon::new(epsilon).unwrap();
    ProductChannel::named(name, epsilon, &BuildOptions::default(), sensitive).unwrap()
}

pub fn products(names: &[&str], epsilons: &[f64], sensitive: &Sensitive) -> Vec<ProductChannel> {
    names.iter().flat_map(|name| epsilons.iter().map(|epsilon| product(name, *epsilon, sensitive))).collect()
}

/// The rows of a proof, with no reports drawn beside it.
pub fn proven(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    products: &[ProductChannel],
) -> Vec<Row> {
    let options = Options { beside: 0, ..Options::default() };
    quantify(classifier, record, sensitive, products, &options, &mut Generator::from_insecure_seed(1))
        .unwrap()
}

/// Whether both sides are within a tolerance of a number.
pub fn assert_near(bound: &Bound, wanted: f64, tolerance: f64) {
    assert!(
        bound.lower <= bound.upper
            && (bound.lower - wanted).abs() <= tolerance
            && (bound.upper - wanted).abs() <= tolerance,
        "{bound:?} is not {wanted}"
    );
}
