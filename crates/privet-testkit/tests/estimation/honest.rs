//! Intervals for people who are not smooth: what once was wrong.
//!
//! Each test repeats a small collection from fixed seeds. A right interval of 95 % holds the truth in fewer than 22 of 30
//! repetitions with a probability of 3e-6.

use super::Collection;
use privet_core::{Estimate, Target};
use privet_estimators::numeric::{Method, Numbers};
use privet_estimators::{Populations, Request};

const REPETITIONS: u64 = 30;
const FEWEST: usize = 22;

/// Bins and ranges without a likelihood, which intervals do not depend on.
fn quick(bins: usize) -> Request {
    Request { bins, method: Method::Histogram, ..Request::default() }
}

fn numbers(collection: &Collection, people: &[f64], seed: u64, request: &Request) -> Numbers {
    collection.answer(people, seed, request).into_numbers().unwrap()
}

fn holds(estimate: &Estimate, truth: f64) -> bool {
    estimate.interval[0] - 1e-9 <= truth && truth <= estimate.interval[1] + 1e-9
}

/// How often the interval of the mean holds, and the mean of half of its length.
fn means(name: &str, epsilon: f64, people: &[f64]) -> (usize, f64) {
    let collection = Collection::new(name, "interval:0,1", epsilon);
    let truth = people.iter().sum::<f64>() / people.len() as f64;
    let runs: Vec<Estimate> =
        (1..=REPETITIONS).map(|seed| numbers(&collection, people, seed, &quick(2)).mean).collect();
    let half = runs.iter().map(|run| (run.interval[1] - run.interval[0]) / 2.0).sum::<f64>();
    for run in &runs {
        assert!(holds(run, run.value), "{name}: the value lies outside: {run:?}");
        // What people see is never a lone small number: noise and bias are in one margin.
        assert!(run.margin() >= (run.interval[1] - run.interval[0]) / 2.0 - 1e-12);
    }
    (runs.iter().filter(|run| holds(run, truth)).count(), half / REPETITIONS as f64)
}

/// 200 people at .7 and epsilon .1: reports know next to nothing, and the interval says so.
#[test]
fn few_reports_at_a_small_epsilon_know_nothing() {
    for name in ["square-wave", "staircase", "laplace", "optimal-piecewise"] {
        let (held, half) = means(name, 0.1, &[0.7; 200]);
        assert!(held >= FEWEST && half > 0.45, "{name}: {held}, {half}");
    }
}

#[test]
fn spiky_people_at_a_large_epsilon() {
    let spikes: Vec<f64> = (0..1000).map(|i| if i < 400 { 0.25 } else { 0.75 }).collect();
    let (held, half) = means("optimal-piecewise", 7.7, &spikes);
    assert!(held >= FEWEST && half < 0.02, "two spikes: {held}, {half}");
    for name in ["square-wave", "optimal-piecewise"] {
        let (held, _) = means(name, 4.0, &[0.5; 20_000]);
        assert!(held >= FEWEST, "{name}: {held}");
    }
}

/// Quantiles of the density of beta(5,2), by the middles of equal parts of its distribution function.
fn beta(n: usize) -> Vec<f64> {
    let cdf = |x: f64| x.powi(5) * (6.0 - 5.0 * x);
    let quantile = |level: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if cdf(middle) < level { low = middle } else { high = middle }
        }
        low
    };
    (0..n).map(|i| quantile((i as f64 + 0.5) / n as f64)).collect()
}

#[test]
fn pooled_coverage_of_means_bins_and_ranges() {
    for (name, epsilon, n) in [
        ("square-wave", 0.1, 200),
        ("square-wave", 0.5, 200),
        ("optimal-piecewise", 0.1, 200),
        ("laplace", 0.1, 50),
    ] {
        let (held, _) = means(name, epsilon, &beta(n));
        assert!(held >= FEWEST, "{name} {epsilon}: {held}");
    }
    let people = beta(200);
    let inside = |from: f64, to: f64| {
        people.iter().filter(|x| **x >= from && **x < to).count() as f64 / people.len() as f64
    };
    for name in ["square-wave", "hybrid", "laplace"] {
        let collection = Collection::new(name, "interval:0,1", 1.0);
        let request = Request { ranges: vec![[0.55, 0.85]], ..quick(5) };
        let mut held = [0; 2];
        for seed in 1..=REPETITIONS {
            let found = numbers(&collection, &people, seed, &request);
            held[0] += found.bins.iter().filter(|bin| holds(&bin.share, inside(bin.from, bin.to))).count();
            held[1] += usize::from(holds(&found.ranges[0].share, inside(0.55, 0.85)));
        }
        assert!(held[0] >= 5 * FEWEST && held[1] >= FEWEST, "{name}: {held:?}");
    }
}

/// Four of ten people at the lower end of the domain: the lower quartile is that end.
#[test]
fn quantiles_reach_an_atom_at_the_end() {
    let people: Vec<f64> =
        (0..2000).map(|i| if i < 800 { 0.0 } else { (i as f64 - 800.0) / 1200.0 }).collect();
    for name in ["square-wave", "piecewise", "optimal-piecewise", "laplace"] {
        let collection = Collection::new(name, "interval:0,1", 4.0);
        for seed in 1..=REPETITIONS {
            let found = numbers(&collection, &people, seed, &quick(5));
            let quartile = &found.quantiles[0].value;
            assert!(quartile.interval[0] == 0.0 && holds(quartile, 0.0), "{name}: {quartile:?}");
            let ordered = found.quantiles.windows(2).all(|pair| pair[0].value.value <= pair[1].value.value);
            assert!(ordered, "{name}: {:?}", found.quantiles);
        }
    }
}

/// Evenly spread angles and two opposite ones have no mean direction: in at most one of twenty repetitions one is told. A right
/// test tells one in more than 9 of 30 with a probability below 1e-5.
#[test]
fn no_direction_is_told_where_there_is_none() {
    let even: Vec<f64> = (0..2000).map(|i| 24.0 * f64::from(i) / 2000.0).collect();
    let opposite: Vec<f64> = (0..2000).map(|i| if i % 2 == 0 { 5.0 } else { 17.0 }).collect();
    for people in [even, opposite] {
        for name in ["optimal-piecewise-circle", "square-wave-circle"] {
            let collection = Collection::new(name, "circle:24", 4.0);
            let mut told = 0;
            for seed in 1..=REPETITIONS {
                let found = collection.answer(&people, seed, &quick(4)).into_angles().unwrap();
                told += usize::from(found.direction_told);
                let [low, high] = found.direction.interval;
                assert!(found.direction_told || (high - low - 24.0).abs() < 1e-9, "{:?}", found.direction);
                assert!((found.resultant_length.interval[0]..=1.0).contains(&found.resultant_length.value));
            }
            assert!(told <= 9, "{name}: {told}");
        }
    }
}

/// Many people who agree, at an epsilon at which little noise is left: their direction lies between those that are looked at, and the
/// length of their mean is one all the same.
#[test]
fn the_length_of_people_who_agree_reaches_one() {
    let collection = Collection::new("optimal-piecewise-circle-squared", "circle:1", 8.0);
    let people = vec![0.3; 200_000];
    let held = |seed: u64| {
        let found = collection.answer(&people, seed, &quick(4)).into_angles().unwrap();
        usize::from(holds(&found.resultant_length, 1.0))
    };
    // Of eight repetitions a right interval misses more than three with a probability of 4e-4.
    assert!((1..=8).map(held).sum::<usize>() >= 5);
}

/// A range on a circle lies between two angles; the same one twice could be nobody or everybody.
#[test]
fn a_range_of_one_angle_is_refused() {
    let collection = Collection::new("optimal-piecewise-circle", "circle:360", 2.0);
    let ask = |range: [f64; 2]| {
        let request = Request { ranges: vec![range], ..quick(4) };
        collection.estimator.answer(&collection.collect(&[10.0; 50], 1), &request)
    };
    assert!(ask([90.0, 90.0]).is_err());
    assert!(ask([90.0, 45.0]).is_ok() && ask([0.0, 360.0]).is_ok());
}

/// Whole ages at the ends of ranges: a range holds its lower end and not its upper one, but for the end of the domain.
#[test]
fn people_exactly_at_edges_are_counted_by_the_definition() {
    let people: Vec<f64> = (0..3000).map(|i| [18.0, 40.0, 65.0][i % 3]).collect();
    let collection = Collection::new("piecewise", "interval:0,120", 8.0);
    let ranges = vec![[18.0, 65.0], [0.0, 18.0], [65.0, 120.0], [0.0, 120.0]];
    let truths = [2.0 / 3.0, 0.0, 1.0 / 3.0, 1.0];
    let request = Request { ranges, ..quick(6) };
    // Bins of 20 years: 40 is the lower edge of the third one.
    let of_bins = [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 0.0];
    let mut held = [[0; 6]; 2];
    for seed in 1..=REPETITIONS {
        let found = numbers(&collection, &people, seed, &request);
        for (held, (range, truth)) in held[0].iter_mut().zip(found.ranges.iter().zip(truths)) {
            *held += usize::from(holds(&range.share, truth));
        }
        for (held, (bin, truth)) in held[1].iter_mut().zip(found.bins.iter().zip(of_bins)) {
            *held += usize::from(holds(&bin.share, truth));
        }
        let everybody = &found.ranges[3].share;
        assert!(everybody.interval[0] > 1.0 - 1e-12 && everybody.value == 1.0, "{everybody:?}");
    }
    assert!(held[0][..4].iter().chain(&held[1]).all(|held| *held >= FEWEST), "{held:?}");
}

/// The default distribution follows a narrow spike, and lies in its own interval.
#[test]
fn the_default_does_not_smooth_a_spike_away() {
    let people: Vec<f64> = (0..20_000)
        .map(|i| 0.5 + 0.02 * privet_estimators::statistics::normal_quantile((f64::from(i) + 0.5) / 20_000.0))
        .collect();
    let truth = people.iter().filter(|x| **x >= 0.45 && **x < 0.55).count() as f64 / 20_000.0;
    let collection = Collection::new("square-wave", "interval:0,1", 2.0);
    let request = Request { ranges: vec![[0.45, 0.55]], ..Request::default() };
    for seed in 1..=5 {
        let share = numbers(&collection, &people, seed, &request).ranges[0].share;
        assert!(holds(&share, truth) && holds(&share, share.value), "{share:?}");
        assert!((share.value - truth).abs() < 0.08, "{share:?} {truth}");
    }
}

/// Equal people, once as they are and once drawn anew each time: intervals about the population are longer, and hold for both.
#[test]
fn the_two_targets_differ_by_the_draw_of_people() {
    let collection = Collection::new("piecewise", "interval:0,1", 8.0);
    let people: Vec<f64> = (0..2000).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
    let about = |target: Target| numbers(&collection, &people, 1, &Request { target, ..quick(2) }).mean;
    let (reported, population) = (about(Target::Reported), about(Target::Population));
    assert!(
        (reported.value - population.value).abs() < reported.standard_error,
        "{reported:?} {population:?}"
    );
    // The standard deviation of the mean of 2000 fair coins is .0112.
    assert!((population.standard_error - 0.0112).abs() < 0.001, "{population:?}");
    assert!(reported.standard_error < 0.4 * population.standard_error, "{reported:?}");
    assert_eq!((reported.target, population.target), (Target::Reported, Target::Population));
}

/// Every second person was drawn to report: the estimate is about all of them.
#[test]
fn a_lottery_is_part_of_the_error() {
    let collection = Collection::new("piecewise", "interval:0,1", 8.0);
    let everybody: Vec<f64> = (0..4000).map(|i| f64::from(u8::from(i % 2 == 0))).collect();
    let mut held = 0;
    for seed in 1..=REPETITIONS {
        // A multiplicative shuffle, another one for each seed, of which the first half reports.
        let step = 2 * (97 + 31 * seed as usize) + 1;
        let drawn: Vec<f64> =
            (0..2000).map(|i| everybody[(i * step + (i * i) % 7 * seed as usize) % 4000]).collect();
        let request = Request { took_part: Some(4000), ..quick(2) };
        held += usize::from(holds(&numbers(&collection, &drawn, seed, &request).mean, 0.5));
        let alone = numbers(&collection, &drawn, seed, &quick(2)).mean;
        let of_all = numbers(&collection, &drawn, seed, &request).mean;
        assert!(of_all.standard_error > 1.5 * alone.standard_error);
    }
    assert!(held >= FEWEST, "{held}");
}

/// Smooth populations have shorter intervals, if one asks for them.
#[test]
fn smoothness_is_asked_for() {
    let collection = Collection::new("square-wave", "interval:0,1", 1.0);
    let people: Vec<f64> = (0..20_000).map(|i| (f64::from(i) + 0.5) / 20_000.0).collect();
    let share = |populations: Populations| {
        let request = Request { populations, ranges: vec![[0.3, 0.6]], ..quick(10) };
        numbers(&collection, &people, 3, &request).ranges[0].share
    };
    let (any, smooth) = (share(Populations::Any), share(Populations::Smooth { bins: 10 }));
    let length = |share: &Estimate| share.interval[1] - share.interval[0];
    assert!(length(&smooth) < 0.8 * length(&any), "{any:?} {smooth:?}");
    assert!(holds(&any, 0.3) && holds(&smooth, 0.3));
}
