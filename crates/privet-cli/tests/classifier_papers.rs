//! The papers' models from the command line. The numbers to be met were found with numpy, from densities and tables alone.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;
use std::path::PathBuf;

const STROKE: &str = "--record .79,1,0,1,.5804,.48 --sensitive 0,5";

/// The folder of models, or `None` where the data are not installed. On a build server that is a failure.
fn models() -> Option<String> {
    let data = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = data.join("classifiers");
    if let (true, Ok(path)) = (path.join("stroke_lr.json").exists(), path.canonicalize()) {
        return Some(path.display().to_string());
    }
    let message = format!("{} cannot be read", path.display());
    assert!(std::env::var_os("CI").is_none(), "{message}");
    println!("{message}; set PRIVET_DATA to run this test");
    None
}

fn rows(line: &str) -> Vec<Value> {
    let ending = Folder::new().run(&format!("classifier quantify {line} --insecure-seed 1 --json"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    serde_json::from_str(&ending.stdout).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn assert_rows(rows: &[Value], wanted: &[f64], tolerance: f64, widest: f64) {
    assert_eq!(rows.len(), wanted.len());
    for (row, wanted) in rows.iter().zip(wanted) {
        let [lower, upper] = ["lower", "upper"].map(|key| number(&row[key]));
        assert!((lower - wanted).abs() < tolerance && (upper - wanted).abs() < tolerance, "{wanted}: {row}");
        assert!((0.0..=widest).contains(&(upper - lower)), "{row}");
    }
}

#[test]
fn stroke_by_logistic_regression() {
    let Some(models) = models() else { return };
    for file in ["stroke_lr.json", "stroke_lr.onnx"] {
        let rows = rows(&format!(
            "--model {models}/{file} {STROKE} --epsilon 1,2,4,8 --queries 0 \
             --mechanism optimal-piecewise,grid-randomized-response,square-wave-bounded,laplace-truncated"
        ));
        let wanted = [
            [0.576, 0.765, 0.913, 0.989],
            [0.373, 0.400, 0.584, 0.979],
            [0.579, 0.725, 0.844, 0.920],
            [0.572, 0.631, 0.729, 0.852],
        ];
        assert_rows(&rows, &wanted.concat(), 2e-3, 2e-5);
    }
    let line = format!("--model {models}/stroke_lr.json {STROKE} --mechanism ogpm --epsilon 1");
    let row = rows(&format!("{line} --method paper --tau .05")).remove(0);
    // A test of the papers draws 2951 points, so the end of their box is not the same every time.
    assert!((number(&row["paper"]) - 0.590).abs() < 0.012 && row["paper_exceeds_upper"] == true, "{row}");
    let region = Folder::new()
        .json(&format!("classifier region --model {models}/stroke_lr.json {STROKE} --resolution 20"));
    let ends = &region["certified_box"];
    assert!((number(&ends[0][0]) - 0.6511).abs() < 1e-4 && number(&ends[0][1]) == 1.0, "{region}");
    assert_eq!((number(&ends[1][0]), number(&ends[1][1])), (0.0, 1.0));
}

#[test]
fn stroke_by_a_forest() {
    let Some(models) = models() else { return };
    let line = format!("{STROKE} --mechanism optimal-piecewise --epsilon 1,2,4,8 --queries 0");
    for file in ["stroke_rf_trees.csv.gz", "stroke_rf.onnx.gz"] {
        let rows = rows(&format!("--model {models}/{file} {line}"));
        assert_rows(&rows, &[0.6222, 0.7645, 0.9071, 0.9850], 1e-3, 2e-3);
    }
}

#[test]
fn the_network_in_the_plane_is_certified_to_a_millionth() {
    let Some(models) = models() else { return };
    let line = format!("--model {models}/ffnn_2d.onnx --record .5,.5 --sensitive all");
    let found = rows(&format!(
        "{line} --mechanism ogpm,laplace-truncated --epsilon 1,4 --tolerance .000001 --queries 0"
    ));
    for row in &found {
        assert!(number(&row["upper"]) - number(&row["lower"]) <= 1e-6 && row["confidence"] == 1.0, "{row}");
    }
    // The region that it proves has no other label on its edges.
    let region = Folder::new().json(&format!("classifier region {line} --resolution 20"));
    assert!(region["certified_box"].is_array(), "{region}");
}

/// All pixels of an image: few questions here, all of them below.
fn image(models: &str, queries: u32) -> Vec<Value> {
    rows(&format!(
        "--model {models}/cnn_mnist_7_7.onnx --data {models}/mnist_7x7.csv --label image,cnn_pred --rows 1 \
         --sensitive all --mechanism optimal-piecewise --epsilon 1:10:1 --queries {queries}"
    ))
}

fn holds(row: &Value, truth: f64) -> bool {
    number(&row["lower"]) <= truth && truth <= number(&row["upper"])
}

#[test]
fn an_image_has_a_band() {
    let Some(models) = models() else { return };
    let rows = image(&models, 5_000);
    for (index, truth) in [(3, 0.734), (5, 0.942), (7, 0.981)] {
        assert!(holds(&rows[index], truth), "{}", rows[index]);
        assert!((number(&rows[index]["total"]["epsilon"]) - 49.0 * (index + 1) as f64).abs() < 1e-3);
    }
    assert_eq!(rows[0]["queries"], 5_000);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn an_image_has_a_narrow_band() {
    let Some(models) = models() else { return };
    let rows = image(&models, 200_000);
    for (index, truth) in [(3, 0.734), (5, 0.942), (7, 0.981)] {
        assert!(holds(&rows[index], truth), "{}", rows[index]);
    }
    for row in &rows {
        assert!(number(&row["upper"]) - number(&row["lower"]) <= 0.03, "{row}");
        assert!(row["queries"].as_u64().unwrap() <= 200_000, "{row}");
    }
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn everybody_has_a_mean_and_a_worst_case() {
    let Some(models) = models() else { return };
    let rows = rows(&format!(
        "--model {models}/stroke_rf.onnx.gz --data {models}/stroke.csv --label stroke --clamp --sensitive age,bmi \
         --epsilon 1:8:0.5 --mechanism \
         optimal-piecewise,square-wave-bounded,laplace-truncated,grid-randomized-response,grid-exponential"
    ));
    assert_eq!(rows.len(), 75);
    for row in &rows {
        assert_eq!(row["table"]["records"], 1000);
        assert!(number(&row["table"]["worst"][1]) < number(&row["lower"]), "{row}");
        assert!(number(&row["upper"]) - number(&row["lower"]) < 1e-9, "{row}");
    }
}
