//! Runs the studies of reshaping and writes their tables.
//!
//! ```text
//! cargo run --release -p privet-papers --example reshape_studies -- cifar|mnist|household [--seeds N]
//! ```

use privet_papers::reshape::{cifar, household, mnist, write_csv};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds =
        arguments.iter().position(|word| word == "--seeds").and_then(|place| arguments.get(place + 1));
    let Ok(seeds) = seeds.map_or(Ok(20), |number| number.parse::<usize>()) else {
        eprintln!("error: --seeds needs a whole number");
        return ExitCode::from(2);
    };
    let study = arguments.first().map_or("", String::as_str);
    let rows = match study {
        "cifar" => cifar::study(seeds),
        "mnist" => mnist::study(seeds),
        "household" => household::study(seeds),
        _ => {
            eprintln!("error: say cifar, mnist or household");
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
