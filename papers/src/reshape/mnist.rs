//! MNIST: an encoder to a few dimensions and a small head, trained together on the training images.
//!
//! Images are averaged over 2 x 2 pixels. A network 196-128-d-10-32-10 with ReLU is trained for six rounds; its first two layers
//! are the encoder, which a phone can run, and the others are the head, with the widths of the paper's. The encoded training
//! images are public, the encoded test images private.

use super::study::{MECHANISMS, Recipe, Setting, StudyError, TestSet, all_rows, draw};
use super::table::Row;
use crate::data;
use privet_core::{Epsilon, Generator};
use privet_model::array::read_npz;
use privet_model::train::{self, train};
use privet_model::{Activation, Model, Network};
use privet_vector::reshape::{Ablation, Reading, Rows, Targets, answer_then_respond};
use std::path::Path;

/// The dimensions of the representation.
pub const DIMENSIONS: [usize; 3] = [16, 32, 64];
/// How many training images are the public sample.
const PUBLIC: usize = 12_000;
/// The side of an averaged image.
const SIDE: usize = 14;
/// How many layers the encoder has: two affine ones with what follows them.
const ENCODER_LAYERS: usize = 4;

/// Images with their digits.
#[derive(Debug)]
pub struct Images {
    rows: Rows,
    labels: Vec<usize>,
}

/// Encoded images and the model that reads them.
#[derive(Debug)]
pub struct Encoded {
    /// The head.
    pub head: Model,
    /// Some of the training images.
    pub public: Rows,
    /// The test images.
    pub private: Rows,
    /// The digits of the test images.
    pub labels: Vec<usize>,
}

impl Images {
    /// The training or the test images in the folder of the data sets: `train` or `test`, the first `most` of them.
    ///
    /// # Errors
    /// When the file is not there or not what it should be.
    pub fn read(folder: &Path, part: &str, most: usize) -> Result<Self, StudyError> {
        let path = folder.join("mnist/mnist.npz");
        let pixels = read_npz(&path, &format!("{part}_images"))?.into_values();
        let images = pixels.chunks_exact(4 * SIDE * SIDE).take(most);
        let rows = Rows::new(SIDE * SIDE, images.flat_map(averaged).collect())?;
        let labels = read_npz(&path, &format!("{part}_labels"))?.into_values();
        let labels = labels.into_iter().take(most).map(|label| label as usize).collect();
        Ok(Self { rows, labels })
    }
}

/// The means of 2 x 2 pixels, from 0 to 1.
fn averaged(image: &[f64]) -> Vec<f64> {
    let pixel = |line: usize, column: usize| image[2 * SIDE * line + column];
    let mut means = Vec::with_capacity(SIDE * SIDE);
    for line in (0..2 * SIDE).step_by(2) {
        for column in (0..2 * SIDE).step_by(2) {
            let upper = pixel(line, column) + pixel(line, column + 1);
            let lower = pixel(line + 1, column) + pixel(line + 1, column + 1);
            means.push((upper + lower) / (4.0 * 255.0));
        }
    }
    means
}

impl Encoded {
    /// Trains encoder and head, and encodes the images.
    ///
    /// # Errors
    /// When the training fails.
    pub fn new(
        dimension: usize,
        training: &Images,
        tests: &Images,
        epochs: usize,
    ) -> Result<Self, StudyError> {
        let settings = train::Settings {
            hidden: vec![128, dimension, 10, 32],
            activation: Activation::Relu,
            epochs,
            batch: 128,
            rate: 0.002,
            seed: 30,
        };
        let values: Vec<f64> = training.rows.iter().flatten().copied().collect();
        let targets = train::Targets::Classes { labels: &training.labels, classes: 10 };
        let network = train(&values, SIDE * SIDE, targets, &settings)?;
        let (encoder, head) = network.layers().split_at(ENCODER_LAYERS);
        let encoder = Network::from_layers(SIDE * SIDE, encoder.to_vec())?;
        let head = Model::Network(Network::from_layers(dimension, head.to_vec())?);
        let mut rng = Generator::from_insecure_seed(31);
        let (public, _) = draw(&training.rows, &training.labels, PUBLIC, &mut rng)?;
        let encode = |images: &Rows| {
            let mut values = vec![0.0; images.count() * dimension];
            for (image, vector) in images.iter().zip(values.chunks_exact_mut(dimension)) {
                encoder.scores(image, vector)?;
            }
            Ok::<_, StudyError>(Rows::new(dimension, values)?)
        };
        Ok(Self {
            head,
            public: encode(&public)?,
            private: encode(&tests.rows)?,
            labels: tests.labels.clone(),
        })
    }

    /// The private images with their digits.
    pub fn test<'a>(&'a self, name: &'a str) -> TestSet<'a> {
        TestSet { name, rows: &self.private, targets: Targets::Labels(&self.labels) }
    }

    /// The head with the public sample.
    pub fn setting(&self, repetitions: usize) -> Setting<'_> {
        let (model, public) = (&self.head, &self.public);
        Setting { name: "relu", model, reading: Reading::Class, public, people: 1, repetitions }
    }
}

/// The whole study.
///
/// # Errors
/// When the data are not there or something does not fit together.
pub fn study(repetitions: usize) -> Result<Vec<Row>, StudyError> {
    let folder = data::folder();
    let (training, tests) =
        (Images::read(&folder, "train", usize::MAX)?, Images::read(&folder, "test", usize::MAX)?);
    let mut rows = Vec::new();
    for dimension in DIMENSIONS {
        let encoded = Encoded::new(dimension, &training, &tests, 6)?;
        let name = format!("mnist-{dimension}");
        rows.extend(honest(&encoded, &name)?);
        let (setting, test) = (encoded.setting(repetitions), encoded.test(&name));
        rows.extend(all_rows(&jobs(dimension == 32), 32, |&(mechanism, epsilon, recipe), rng| {
            setting.measure(mechanism, epsilon, recipe, &[test], rng)
        })?);
    }
    Ok(rows)
}

/// Every mechanism over all budgets, with parts left out at two of them; for the dimensions at the side, three mechanisms.
fn jobs<'a>(is_main: bool) -> Vec<(&'a str, f64, Recipe)> {
    let mut jobs = Vec::new();
    let main = ["laplace-vector", "privunit", "privunit-g"];
    for mechanism in MECHANISMS {
        if !is_main && !main.contains(&mechanism) {
            continue;
        }
        for epsilon in [0.5, 1.0, 2.5, 5.0, 7.5, 10.0] {
            for recipe in [Recipe::Centred, Recipe::Printed, Recipe::PrintedSafe, Recipe::Fitted] {
                jobs.push((mechanism, epsilon, recipe));
            }
            let is_ablated = is_main && main.contains(&mechanism) && [5.0, 7.5].contains(&epsilon);
            let ablations = Ablation::ALL.into_iter().filter(|_| is_ablated);
            jobs.extend(ablations.map(|ablation| (mechanism, epsilon, Recipe::Without(ablation))));
        }
    }
    jobs
}

/// The honest baseline: the answer on the device, then randomised response.
fn honest(encoded: &Encoded, name: &str) -> Result<Vec<Row>, StudyError> {
    let mut rows = Vec::new();
    for epsilon in [0.5, 1.0, 2.5, 5.0, 7.5, 10.0] {
        let value =
            answer_then_respond(&encoded.head, &encoded.private, &encoded.labels, Epsilon::new(epsilon)?)?;
        rows.push(Row::answered(name, "relu", epsilon, value));
    }
    Ok(rows)
}
