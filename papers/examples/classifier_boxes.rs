//! Finds the papers' boxes around the first two images of 7 x 7 pixels and prints them as `papers/classifier/boxes.csv`.
//!
//! There are 98 ends, and each is moved until no test passes: some millions of questions. One image takes more than seven minutes of one core
//! with a tau of .05, and with the papers' .01 each question is asked 25 times as often. So they are found once, for two images, and
//! `privet reproduce` checks what is stored.

use privet_core::Generator;
use privet_model::Model;
use privet_papers::data;
use std::error::Error;

use privet::classifier::paper::{Search, hyperrectangle};
use privet::classifier::{ModelClassifier, Outside, Record, Sensitive};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = data::folder().join("classifiers");
    let classifier = ModelClassifier::new(Model::read(&folder.join("cnn_mnist_7_7.onnx"))?);
    let sensitive = Sensitive::new((0..49).collect(), &classifier)?;
    let search = Search { tolerance: 0.05, error: 0.05, precision: 1e-2 };
    println!("image,pixel,lower,upper");
    for (image, row) in csv::Reader::from_path(folder.join("mnist_7x7.csv"))?.records().take(2).enumerate() {
        let row = row?;
        let pixels = row.iter().skip(2).map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let record = Record::new(pixels, &sensitive, Outside::Refuse)?;
        let mut rng = Generator::from_insecure_seed(78);
        let found = hyperrectangle(&classifier, &record, &sensitive, &search, &mut rng)?;
        for (pixel, [lower, upper]) in found.ends.iter().enumerate() {
            println!("{image},{pixel},{lower:.6},{upper:.6}");
        }
    }
    Ok(())
}
