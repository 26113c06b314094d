//! Runs the studies of reshaping and writes their tables.
//!
//! ```text
//! cargo run --release -p privet-papers --example reshape_studies -- cifar|mnist|household [--seeds N]
//! cargo run --release -p privet-papers --example reshape_studies -- speed
//! ```

use nalgebra::DMatrix;
use privet_papers::reshape::{cifar, household, mnist, write_csv};
use privet_vector::registry::find;
use privet_vector::reshape::{Reaction, Reading, Reshape, ReshapeError, Rows};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds =
        arguments.iter().position(|word| word == "--seeds").and_then(|place| arguments.get(place + 1));
    let Ok(seeds) = seeds.map_or(Ok(20), |number| number.parse::<usize>()) else {
        eprintln!("error: --seeds needs a whole number");
        return ExitCode::from(2);
    };
    let study = arguments.first().map_or("", String::as_str);
    if study == "speed" {
        return match fit_time() {
            Ok(milliseconds) => {
                println!("a fit on 500 Jacobians of 10 x 64 takes {milliseconds:.1} ms");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        };
    }
    let rows = match study {
        "cifar" => cifar::study(seeds),
        "mnist" => mnist::study(seeds),
        "household" => household::study(seeds),
        _ => {
            eprintln!("error: say cifar, mnist, household or speed");
            return ExitCode::from(2);
        }
    };
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("reshape").join(format!("{study}.csv"));
    match rows.and_then(|rows| write_csv(&path, &rows)) {
        Ok(()) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The best of ten fits of balanced coordinates to stacked Jacobians and as many public vectors, in milliseconds.
fn fit_time() -> Result<f64, ReshapeError> {
    let (points, outputs, dimension) = (500, 10, 64);
    let number = |row: usize, column: usize| ((row * 31 + column * column * 17 + row * column) as f64).sin();
    let stacked = DMatrix::from_fn(points * outputs, dimension, number);
    let values = (0..points * dimension).map(|place| number(place / dimension, place % dimension)).collect();
    let (sample, row) = (Rows::new(dimension, values)?, find("privunit")?);
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        let reaction = Reaction::of_jacobians(&stacked, outputs, Reading::Class)?;
        Reshape::balanced(&reaction, &sample, row)?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}
