//! Do the intervals hold what they promise? Seeds are fixed; nothing is tried again.

use super::{categories, epsilon};
use privet_core::{Categories, Epsilon, Mechanism, ParameterError};
use privet_estimators::{FrequencyEstimation, HasEstimator};
use privet_mechanisms::categorical::{
    GeneralizedRandomizedResponse, HadamardResponse, OptimizedLocalHashing, OptimizedUnaryEncoding,
    OrderedExponential, SubsetSelection, SymmetricUnaryEncoding,
};
use privet_testkit::coverage;

/// People whose categories follow Zipf's law: category c is held by a share proportional to 1 / (c + 1).
fn zipf(people: usize, count: u32) -> Vec<u32> {
    let total: f64 = (1..=count).map(|rank| 1.0 / f64::from(rank)).sum();
    let mut bounds = Vec::new();
    let mut sum = 0.0;
    for rank in 1..=count {
        sum += 1.0 / f64::from(rank) / total;
        bounds.push(sum);
    }
    let place = |person: usize| (person as f64 + 0.5) / people as f64;
    (0..people).map(|person| bounds.partition_point(|bound| *bound < place(person)) as u32).collect()
}

fn run<M>(build: fn(Categories, Epsilon) -> Result<M, ParameterError>, people: usize, repetitions: u64)
where
    M: Mechanism<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation>,
{
    let mechanism = build(categories(128), epsilon(1.0)).unwrap();
    let people = zipf(people, 128);
    let first = coverage(&mechanism, &people, 0..1);
    assert!(first.largest_z < 5.0, "{mechanism:?} {first:?}");
    let all = coverage(&mechanism, &people, 1..repetitions + 1);
    println!("{}: {all:?}", M::INFO.id);
    if repetitions >= 200 {
        assert!((0.94..=0.96).contains(&all.marginal), "{mechanism:?} {all:?}");
        // A binomial(200, 0.95) falls below 172 with probability 1e-6.
        assert!(all.simultaneous >= 172, "{mechanism:?} {all:?}");
    } else {
        // Shares among 128 x 25 intervals, and a binomial(25, 0.95), at 1e-6.
        assert!((0.93..=0.97).contains(&all.marginal), "{mechanism:?} {all:?}");
        assert!(all.simultaneous >= 16, "{mechanism:?} {all:?}");
    }
}

#[test]
fn intervals_hold_on_a_small_collection() {
    run(OptimizedUnaryEncoding::new, 20_000, 25);
    run(OptimizedLocalHashing::new, 20_000, 25);
    run(GeneralizedRandomizedResponse::new, 20_000, 25);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn intervals_hold_on_a_million_rows_two_hundred_times() {
    run(GeneralizedRandomizedResponse::new, 1_000_000, 200);
    run(OptimizedUnaryEncoding::new, 1_000_000, 200);
    run(SymmetricUnaryEncoding::new, 1_000_000, 200);
    run(OptimizedLocalHashing::new, 1_000_000, 200);
    run(HadamardResponse::new, 1_000_000, 200);
    run(SubsetSelection::new, 1_000_000, 200);
}

/// Rare support: the intervals of categories that hardly any report supports are exact ones, and hold at once.
#[test]
fn simultaneous_intervals_hold_where_support_is_rare() {
    let cases = [(64, 8.0, 1000), (64, 10.0, 1000), (16, 6.0, 200)];
    for (count, value, people) in cases {
        let mechanism = GeneralizedRandomizedResponse::new(categories(count), epsilon(value)).unwrap();
        let all = coverage(&mechanism, &vec![0; people], 0..200);
        assert!(all.simultaneous >= 172, "{count} {value}: {all:?}");
    }
}

/// Inverting a table: a category without reports nearby is not known to be empty.
#[test]
fn inverted_intervals_do_not_collapse() {
    for (count, value, people) in [(100, 20.0, 2000), (20, 8.0, 200), (10, 4.0, 100)] {
        let mechanism = OrderedExponential::new(categories(count), epsilon(value)).unwrap();
        let people: Vec<u32> = (0..people).map(|person| person % count).collect();
        let all = coverage(&mechanism, &people, 0..200);
        assert!(all.marginal > 0.9, "{count} {value}: {all:?}");
    }
}
