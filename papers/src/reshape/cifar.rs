//! CIFAR-10 features of a ResNet-20 with four heads, clean and under two distribution shifts.
//!
//! The training features are public, the test features private. 64 dimensions; heads 64-10-32-10 with ReLU, GELU or Tanh, and a
//! linear one.

use super::study::{MECHANISMS, Recipe, Setting, StudyError, TestSet, all_rows, draw};
use super::table::Row;
use crate::data;
use nalgebra::{DMatrix, DVector};
use privet_core::{Epsilon, Generator};
use privet_model::array::{Array, read_npz};
use privet_model::{Activation, Layer, Linear, Model, ModelError, Network};
use privet_vector::reshape::{Ablation, Reading, Rows, Targets, answer_then_respond};
use std::path::Path;

/// The heads, by the names in the data.
pub const HEADS: [&str; 4] = ["relu", "linear", "gelu", "tanh"];
/// The test sets: clean, brighter, and with noise.
pub const TESTS: [&str; 3] = ["test", "test_brightness5", "test_gaussian5"];
/// How many training features are the public sample.
const PUBLIC: usize = 12_000;

/// The features and heads of the data folder.
#[derive(Debug)]
pub struct Features {
    /// Public features.
    pub public: Rows,
    /// Private features of each test set.
    pub tests: Vec<Rows>,
    /// The classes of the private features.
    pub labels: Vec<usize>,
}

fn array(folder: &Path, file: &str, name: &str) -> Result<Array, ModelError> {
    read_npz(&folder.join("cifar10_resnet20").join(file), name)
}

impl Features {
    /// Reads them from the folder of the data sets; of the test features `tests` or a few more, evenly over the table, which is
    /// sorted by class.
    ///
    /// # Errors
    /// When the files are not there or not what they should be.
    pub fn read(folder: &Path, tests: usize) -> Result<Self, StudyError> {
        let train = Rows::new(64, array(folder, "cifar10_features_train.npz", "train")?.into_values())?;
        let places = vec![(); train.count()];
        let (public, _) = draw(&train, &places, PUBLIC, &mut Generator::from_insecure_seed(20))?;
        let all = array(folder, "cifar10_features_test.npz", "labels")?.into_values();
        let step = (all.len() / tests.max(1)).max(1);
        let labels: Vec<usize> = all.iter().step_by(step).map(|label| *label as usize).collect();
        let read = |name: &&str| {
            let values = array(folder, "cifar10_features_test.npz", name)?.into_values();
            Ok(Rows::new(64, values.chunks(64).step_by(step).flatten().copied().collect())?)
        };
        Ok(Self { public, tests: TESTS.iter().map(read).collect::<Result<_, StudyError>>()?, labels })
    }

    /// A head as a model.
    ///
    /// # Errors
    /// When the file is not there or has no such head.
    pub fn head(folder: &Path, name: &str) -> Result<Model, StudyError> {
        let part = |part: &str| array(folder, "cifar10_heads.npz", &format!("{name}_{part}"));
        let matrix =
            |array: Array| DMatrix::from_row_slice(array.shape()[0], array.shape()[1], array.values());
        let vector = |array: Array| DVector::from_vec(array.into_values());
        let Some(activation) = Activation::named(name) else {
            return Ok(Model::Linear(Linear::new(matrix(part("w")?), vector(part("b")?))?));
        };
        let mut layers = Vec::new();
        for index in 0..3 {
            if index > 0 {
                layers.push(Layer::Activation(activation));
            }
            let weights = matrix(part(&format!("w{index}"))?);
            layers.push(Layer::Affine { weights, bias: vector(part(&format!("b{index}"))?) });
        }
        Ok(Model::Network(Network::from_layers(64, layers)?))
    }

    /// A test set by its place in [`TESTS`].
    pub fn test(&self, place: usize) -> TestSet<'_> {
        TestSet { name: TESTS[place], rows: &self.tests[place], targets: Targets::Labels(&self.labels) }
    }

    /// A head with the public sample.
    pub fn setting<'a>(
        &'a self,
        name: &'a str,
        model: &'a Model,
        people: usize,
        repetitions: usize,
    ) -> Setting<'a> {
        Setting { name, model, reading: Reading::Class, public: &self.public, people, repetitions }
    }
}

/// One measurement: head, people, mechanism, epsilon, recipe, test sets.
struct Job<'a> {
    head: usize,
    people: usize,
    mechanism: &'a str,
    epsilon: f64,
    recipe: Recipe,
    tests: Vec<usize>,
}

/// What is measured: every recipe for PrivUnit on every head and test set; every mechanism over all budgets, every part left out
/// and averages over ten people for the ReLU head under brightness.
fn jobs<'a>() -> Vec<Job<'a>> {
    let mut jobs = Vec::new();
    let recipes = [Recipe::Plain, Recipe::Centred, Recipe::Printed, Recipe::PrintedSafe, Recipe::Fitted];
    for head in 0..HEADS.len() {
        for epsilon in [5.0, 7.5] {
            for recipe in recipes {
                jobs.push(Job {
                    head,
                    people: 1,
                    mechanism: "privunit",
                    epsilon,
                    recipe,
                    tests: vec![0, 1, 2],
                });
            }
        }
    }
    for mechanism in MECHANISMS {
        for epsilon in [0.5, 1.0, 2.5, 5.0, 7.5, 10.0] {
            for recipe in [Recipe::Centred, Recipe::Printed, Recipe::Fitted] {
                let is_there = mechanism == "privunit" && [5.0, 7.5].contains(&epsilon);
                if !is_there {
                    jobs.push(Job { head: 0, people: 1, mechanism, epsilon, recipe, tests: vec![1] });
                }
            }
        }
    }
    for mechanism in ["laplace-vector", "privunit", "privunit-g"] {
        for epsilon in [5.0, 7.5] {
            for ablation in Ablation::ALL {
                let recipe = Recipe::Without(ablation);
                jobs.push(Job { head: 0, people: 1, mechanism, epsilon, recipe, tests: vec![1] });
            }
        }
        for epsilon in [0.5, 1.0, 2.5, 5.0] {
            for recipe in [Recipe::Centred, Recipe::Fitted] {
                jobs.push(Job { head: 0, people: 10, mechanism, epsilon, recipe, tests: vec![1] });
            }
        }
    }
    jobs
}

/// The whole study.
///
/// # Errors
/// When the data are not there or something does not fit together.
pub fn study(repetitions: usize) -> Result<Vec<Row>, StudyError> {
    let folder = data::folder();
    let features = Features::read(&folder, 10_000)?;
    let heads: Vec<Model> =
        HEADS.iter().map(|name| Features::head(&folder, name)).collect::<Result<_, _>>()?;
    let mut rows = honest(&features, &heads)?;
    rows.extend(all_rows(&jobs(), 21, |job, rng| {
        let setting = features.setting(HEADS[job.head], &heads[job.head], job.people, repetitions);
        let tests: Vec<_> = job.tests.iter().map(|&place| features.test(place)).collect();
        setting.measure(job.mechanism, job.epsilon, job.recipe, &tests, rng)
    })?);
    Ok(rows)
}

/// The honest baseline: the answer on the device, then randomised response.
fn honest(features: &Features, heads: &[Model]) -> Result<Vec<Row>, StudyError> {
    let mut rows = Vec::new();
    for (head, model) in HEADS.iter().zip(heads) {
        for (test, vectors) in TESTS.iter().zip(&features.tests) {
            for epsilon in [0.5, 1.0, 2.5, 5.0, 7.5, 10.0] {
                let value = answer_then_respond(model, vectors, &features.labels, Epsilon::new(epsilon)?)?;
                rows.push(Row::answered(test, head, epsilon, value));
            }
        }
    }
    Ok(rows)
}
