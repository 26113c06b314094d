//! The figures of two cities, as the command measures them.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;
use std::io::Read;
use std::path::PathBuf;

/// Copies a file of the data folder, uncompressed, or says that it is not installed. On a build server that is a failure.
fn copy(folder: &Folder, name: &str, to: &str) -> bool {
    let data = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = data.join("trajectories").join(name);
    let Ok(mut bytes) = std::fs::read(&path) else {
        let message = format!("{name} is missing: {} cannot be read", path.display());
        assert!(std::env::var_os("CI").is_none(), "{message}");
        println!("{message}; set PRIVET_DATA to run this test");
        return false;
    };
    if name.ends_with(".gz") {
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
        bytes = text;
    }
    folder.write(to, bytes);
    true
}

/// The rows of `trajectory evaluate` on the first hundred paths.
fn evaluate(folder: &Folder, space: &str, flags: &str) -> Value {
    let line = format!(
        "trajectory evaluate --in paths.csv --paths 100 --space {space} --epsilon 4 --insecure-seed 1 --json {flags}"
    );
    let ending = folder.run(&line);
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    serde_json::from_str(&ending.stdout).unwrap()
}

fn error(rows: &Value, method: &str, key: &str) -> f64 {
    let row = rows.as_array().unwrap().iter().find(|row| row["method"] == method).unwrap();
    row[key].as_f64().unwrap()
}

fn is_within_three_percent(measured: f64, published: f64) -> bool {
    (measured / published - 1.0).abs() < 0.03
}

#[test]
fn tokyo_has_the_published_errors() {
    let folder = Folder::new();
    if !copy(&folder, "tky.csv", "paths.csv") || !copy(&folder, "tky_locations.csv", "poi.csv") {
        return;
    }
    let space = "rectangle:139.47087765,139.908359,35.51076909,35.86407116 --clamp";
    // 11 227 locations for each trial: the standard error is below .0003.
    let raw = evaluate(&folder, space, "--method tracs-c,window-2d --trials 8");
    let published = error(&raw, "tracs-c", "path_error");
    assert!(is_within_three_percent(published, 0.0936), "{raw}");
    assert!(error(&raw, "window-2d", "average_error") < error(&raw, "tracs-c", "average_error"));
    assert!((error(&raw, "constant", "average_error") - 0.072).abs() < 0.001, "{raw}");
    let rounded = evaluate(&folder, space, "--method tracs-c --trials 8 --round-to poi.csv");
    assert!(is_within_three_percent(error(&rounded, "tracs-c", "path_error"), 0.0906), "{rounded}");
}

/// The 753 locations are few: the published figures, .1192 and .1189 after rounding, are means of five trials with a standard
/// error of .003. Neither reading is within 3 % of both, so all four numbers are held against a simulation of its own.
#[test]
fn chicago_has_the_errors_of_an_independent_simulation() {
    let folder = Folder::new();
    if !copy(&folder, "chi.csv.gz", "paths.csv") || !copy(&folder, "chi_locations.csv", "poi.csv") {
        return;
    }
    let space = "rectangle:-87.9952,-87.50765,41.60015,41.99822 --clamp";
    let raw = evaluate(&folder, space, "--method tracs-c,window-2d --trials 150");
    let rounded = evaluate(&folder, space, "--method tracs-c --trials 150 --round-to poi.csv");
    assert!(error(&raw, "window-2d", "average_error") < error(&raw, "tracs-c", "average_error"));
    let readings = [
        (&raw, "average_error", 0.1188),
        (&raw, "path_error", 0.1230),
        (&rounded, "average_error", 0.1120),
        (&rounded, "path_error", 0.1177),
    ];
    for (rows, key, simulated) in readings {
        let measured = error(rows, "tracs-c", key);
        assert!((measured / simulated - 1.0).abs() < 0.015, "{key} {measured} {simulated}");
    }
}
