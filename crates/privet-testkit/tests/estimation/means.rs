//! Bias and stated variance against repeated collections.

use super::{Collection, two_kinds};
use privet_core::Estimate;
use privet_estimators::Request;
use privet_estimators::statistics::{chi_square_upper_tail, normal_quantile};
use privet_testkit::ALPHA;

const REPETITIONS: u64 = 100;

fn bins(count: usize) -> Request {
    Request { bins: count, quantiles: Vec::new(), ..Request::default() }
}

fn means(collection: &Collection, people: &[f64]) -> Vec<Estimate> {
    let mean = |seed| collection.answer(people, seed, &bins(2)).into_numbers().unwrap().mean;
    (0..REPETITIONS).map(mean).collect()
}

/// Unbiased channels: the mean of the reports, with the spread that is stated.
#[test]
fn unbiased_means_are_right_and_vary_as_stated() {
    for name in ["piecewise", "duchi", "hybrid", "optimal-piecewise-unbiased"] {
        let collection = Collection::new(name, "interval:-5,20", 1.0);
        let people: Vec<f64> = two_kinds(1000).iter().map(|unit| -5.0 + 25.0 * unit).collect();
        let truth = people.iter().sum::<f64>() / 1000.0;
        let runs = means(&collection, &people);
        assert!(runs.iter().all(|run| run.bias_bound < 0.1 * run.standard_error), "{name}: {:?}", runs[0]);
        let n = REPETITIONS as f64;
        let mean = runs.iter().map(|run| run.value).sum::<f64>() / n;
        let variance = runs.iter().map(|run| run.standard_error.powi(2)).sum::<f64>() / n;
        let z = (mean - truth) / (variance / n).sqrt();
        assert!(z.abs() < normal_quantile(1.0 - ALPHA / 4.0), "{name}: z = {z}");
        let statistic = runs.iter().map(|run| (run.value - truth).powi(2)).sum::<f64>() / variance;
        let above = chi_square_upper_tail(statistic, REPETITIONS);
        assert!(above.min(1.0 - above) > ALPHA / 4.0, "{name}: {} times the stated variance", statistic / n);
    }
}

/// Biased channels: the mean report is wrong for this population, the estimate is not, beyond what its interval says.
#[test]
fn biased_channels_have_their_bias_in_the_interval() {
    for (name, widest) in [("square-wave", 0.12), ("piecewise-compressed", 0.12), ("optimal-piecewise", 0.2)]
    {
        let collection = Collection::new(name, "interval:0,1", 1.0);
        let people = two_kinds(2000);
        let truth = people.iter().sum::<f64>() / 2000.0;
        let runs = means(&collection, &people);
        let held = runs.iter().filter(|run| (run.interval[0]..=run.interval[1]).contains(&truth)).count();
        assert!(held as f64 >= 0.93 * REPETITIONS as f64, "{name}: {held} of {REPETITIONS}");
        let width =
            runs.iter().map(|run| run.interval[1] - run.interval[0]).sum::<f64>() / REPETITIONS as f64;
        assert!(width < widest, "{name}: {width}");
    }
}

/// Everybody at one end: a window that does not move there cannot tell how far from the end people are.
#[test]
fn what_cannot_be_told_apart_widens_the_interval() {
    let collection = Collection::new("optimal-piecewise", "interval:0,1", 1.0);
    for at in [0.0, 0.18] {
        let answer = collection.answer(&vec![at; 50_000], 7, &bins(10)).into_numbers().unwrap();
        let [low, high] = answer.mean.interval;
        assert!(low <= at && at <= high, "{at}: {:?}", answer.mean);
        assert!(high - low > 0.1, "{:?}", answer.mean);
    }
}

#[test]
fn directions_and_their_spread() {
    let collection = Collection::new("optimal-piecewise-circle", "circle:24", 1.0);
    // Around midnight: the linear mean would be noon.
    let people: Vec<f64> = (0..4000).map(|i| (21.5 + 5.0 * f64::from(i) / 4000.0) % 24.0).collect();
    let half = 2.5 / 24.0 * std::f64::consts::TAU;
    let length = half.sin() / half;
    let mut held = [0; 2];
    for seed in 0..100 {
        let angles = collection.answer(&people, seed, &bins(24)).into_angles().unwrap();
        let inside = |estimate: Estimate, truth: f64| {
            usize::from((estimate.interval[0]..=estimate.interval[1]).contains(&truth))
        };
        // The interval of a direction may pass zero.
        let direction = angles.direction;
        held[0] += inside(direction, 0.0).max(inside(direction, 24.0));
        held[1] += inside(angles.resultant_length, length);
        assert!((direction.interval[1] - direction.interval[0]) < 4.0, "{direction:?}");
    }
    assert!(held.iter().all(|held| *held >= 90), "{held:?} of 100");
}
