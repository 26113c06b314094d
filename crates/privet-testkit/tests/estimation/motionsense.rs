//! The accelerometer and attitude columns of the data folder.

use super::Collection;
use privet_estimators::Request;
use privet_estimators::numeric::metrics::{l1, wasserstein, wasserstein_circular};
use privet_estimators::numeric::{Distribution, Method};
use std::path::PathBuf;

const BINS: usize = 50;

/// In how many trials smoothing is chosen by held-out likelihood.
const MOST_HELD_OUT: u64 = 20;

/// A column of the file, or `None` where the data are not installed. On a build server that is a failure.
fn column(name: &str) -> Option<Vec<f64>> {
    let folder = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join("motionsense/series.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        let message = format!("motionsense/series.csv is missing: {} cannot be read", path.display());
        assert!(std::env::var_os("CI").is_none(), "{message}");
        println!("{message}; set PRIVET_DATA to run this test");
        return None;
    };
    let mut lines = text.lines();
    let index = lines.next()?.split(',').position(|head| head == name)?;
    Some(lines.filter_map(|line| line.split(',').nth(index)?.parse().ok()).collect())
}

/// A column with its domain.
struct Data {
    domain: &'static str,
    kind: &'static str,
    values: Vec<f64>,
}

impl Data {
    fn acceleration() -> Option<Self> {
        Some(Self { domain: "interval:0,1", kind: "interval", values: column("acc_x_norm01")? })
    }

    fn roll() -> Option<Self> {
        Some(Self { domain: "circle:6.283185307179586", kind: "circle", values: column("roll_mod_2pi")? })
    }

    /// The mean Wasserstein-1 and L1 distances of each method over trials.
    fn distances(&self, name: &str, epsilon: f64, methods: &[Method], trials: u64) -> Vec<[f64; 2]> {
        let collection = Collection::new(name, self.domain, epsilon);
        let space = collection.estimator.numeric().unwrap().space();
        let truth = Distribution::of_values(space, &self.values, BINS);
        let mut sums = vec![[0.0; 2]; methods.len()];
        for seed in 0..trials {
            let summary = collection.collect(&self.values, seed);
            for (sum, method) in sums.iter_mut().zip(methods) {
                // The choice of smoothing takes long and varies little.
                let trials =
                    if *method == Method::SmoothedByHeldOut { trials.min(MOST_HELD_OUT) } else { trials };
                if seed >= trials {
                    continue;
                }
                let request = Request { method: *method, bins: BINS, ..Request::default() };
                let got = collection.estimator.distribution(&summary, &request).unwrap();
                let transport = if space.is_ring() { wasserstein_circular } else { wasserstein };
                sum[0] += transport(got.shares(), truth.shares()) / trials as f64;
                sum[1] += l1(got.shares(), truth.shares()) / trials as f64;
            }
        }
        sums
    }
}

#[test]
fn smoothed_likelihood_beats_the_raw_histogram() {
    let (Some(acceleration), Some(roll)) = (Data::acceleration(), Data::roll()) else {
        return;
    };
    assert_eq!((acceleration.values.len(), roll.values.len()), (6159, 6159));
    let cases = [
        (&acceleration, "optimal-piecewise"),
        (&acceleration, "piecewise"),
        (&acceleration, "square-wave"),
        (&roll, "optimal-piecewise-circle"),
    ];
    for (data, name) in cases {
        for epsilon in [1.0, 4.0] {
            let distances = data.distances(name, epsilon, &[Method::Smoothed, Method::Histogram], 3);
            for (measure, what) in ["Wasserstein-1", "L1"].iter().enumerate() {
                let (smoothed, raw) = (distances[0][measure], distances[1][measure]);
                assert!(smoothed < raw, "{name} {epsilon}: {what} {smoothed} against {raw}");
            }
        }
    }
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn the_whole_table() {
    const TRIALS: u64 = 200;
    let methods =
        [Method::Smoothed, Method::SmoothedByHeldOut, Method::ExpectationMaximization, Method::Histogram];
    println!(
        "| mechanism | epsilon | W1 ems | W1 ems-cv | W1 em | W1 histogram | L1 ems | L1 ems-cv | L1 em | L1 histogram |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for data in [Data::acceleration(), Data::roll()].into_iter().flatten() {
        let rows = privet_mechanisms::registry::ROWS.iter().filter(|row| row.info.domain == data.kind);
        for name in rows.map(|row| row.info.id).filter(|id| !id.starts_with("gaussian")) {
            for epsilon in 1..=8 {
                let epsilon = f64::from(epsilon);
                let distances = data.distances(name, epsilon, &methods, TRIALS);
                let cells = [0, 1].into_iter().flat_map(|measure| {
                    distances.iter().map(move |distance| format!("{:.4}", distance[measure]))
                });
                println!("| {name} | {epsilon} | {} |", cells.collect::<Vec<_>>().join(" | "));
                let [smoothed, .., raw] = distances.as_slice() else { continue };
                assert!(smoothed[0] < raw[0], "{name} {epsilon}: Wasserstein-1 {smoothed:?} against {raw:?}");
                assert!(
                    epsilon > 6.0 || smoothed[1] < raw[1],
                    "{name} {epsilon}: L1 {smoothed:?} against {raw:?}"
                );
            }
        }
    }
}
