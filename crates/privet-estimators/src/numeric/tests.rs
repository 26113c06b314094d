use super::groups::Groups;
use super::likelihood::Likelihood;
use super::operator::Operator;
use super::*;
use crate::{CountSummary, Request};
use privet_core::{Epsilon, Estimator, Generator, Interval, Mechanism, ReportBuffer};
use privet_mechanisms::analysis::{AnyNumeric, bin_rows};
use privet_mechanisms::interval::{Laplace, OptimalPiecewise};
use privet_mechanisms::lattice::Calibration;
use std::sync::Arc;

fn ogpm(epsilon: f64) -> OptimalPiecewise {
    OptimalPiecewise::new(Interval::new(0.0, 1.0).unwrap(), Epsilon::new(epsilon).unwrap()).unwrap()
}

/// The same on a lattice that can be written out as a table.
fn coarse(epsilon: f64) -> OptimalPiecewise {
    let calibration =
        Calibration { input_cells: Some(500), ..Calibration::new(Epsilon::new(epsilon).unwrap()) };
    OptimalPiecewise::calibrate(Interval::new(0.0, 1.0).unwrap(), &calibration).unwrap()
}

/// People of two kinds, around .3 and around .7.
fn people(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| (if i % 3 == 0 { 0.7 } else { 0.3 }) + 0.1 * ((i as f64 * 0.754_877_666).fract() - 0.5))
        .collect()
}

fn collected(mechanism: &OptimalPiecewise, people: &[f64], seed: u64) -> CountSummary {
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(people, &mut Generator::from_insecure_seed(seed), &mut reports).unwrap();
    let estimator = NumberEstimator::new(Arc::new(mechanism.clone()));
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    summary
}

/// The operator as a table, from the rows of every cell.
fn dense(channel: &dyn AnyNumeric, groups: Groups, bins: usize) -> Vec<Vec<f64>> {
    let column = |rows: &Vec<(u32, f64)>| {
        let mut masses = vec![0.0; groups.count()];
        for (node, share) in rows {
            for run in channel.runs(*node) {
                for cell in run.first..run.first + run.count {
                    masses[groups.group(cell)] += share * run.weight as f64 / channel.row_total() as f64;
                }
            }
        }
        masses
    };
    bin_rows(channel, bins).iter().map(column).collect()
}

/// Both directions of the operator against the table: densities of single bins, and sums over groups.
fn check_operator(channel: &dyn AnyNumeric, bins: usize) {
    let groups = Groups::of(channel.output_cells());
    let table = dense(channel, groups, bins);
    let operator = Operator::of_bins(channel, groups, bins);
    let mut density = Vec::new();
    let values: Vec<f64> = (0..groups.count()).map(|group| (group as f64 * 0.618).fract()).collect();
    let mut sums = Vec::new();
    operator.backward(&mut values.clone(), &mut sums);
    for (bin, column) in table.iter().enumerate() {
        assert!((column.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut shares = vec![0.0; bins];
        shares[bin] = 1.0;
        operator.forward(&shares, &mut density);
        for (group, mass) in column.iter().enumerate() {
            let got = density[group] * f64::from(groups.size(group));
            // Levels are sums of jumps, so in the tails of noise their rounding shows.
            assert!((got - mass).abs() < 1e-10 * mass + 1e-15, "{bin} {group}: {got} {mass}");
        }
        let of_group = |group: usize| column[group] * values[group] / f64::from(groups.size(group));
        let expected: f64 = (0..groups.count()).map(of_group).sum();
        assert!((sums[bin] / expected - 1.0).abs() < 1e-9, "{bin}: {} {expected}", sums[bin]);
    }
}

/// Windows jump here and there, noise everywhere; columns are summed side by side in eights.
#[test]
fn the_operator_is_the_table() {
    check_operator(&coarse(1.5), 7);
    let calibration = Calibration { input_cells: Some(500), ..Calibration::new(Epsilon::new(1.0).unwrap()) };
    let noise = Laplace::calibrate(Interval::new(0.0, 1.0).unwrap(), &calibration).unwrap();
    check_operator(&noise, 19);
}

/// What one summary leaves behind does not reach the answer of another one.
#[test]
fn an_estimator_that_remembers_gives_the_same_answers() {
    let mechanism = coarse(1.0);
    let summaries = [1, 2].map(|seed| collected(&mechanism, &people(500), seed));
    let new = || NumberEstimator::new(Arc::new(mechanism.clone()));
    let used = new();
    for summary in [0, 0, 1, 0].map(|index: usize| &summaries[index]) {
        let answer = |estimator: &NumberEstimator| estimator.answer(summary, &Request::default()).unwrap();
        assert_eq!(answer(&used), answer(&new()));
    }
}

#[test]
fn rounds_are_those_of_dense_expectation_maximisation() {
    let mechanism = coarse(1.0);
    let summary = collected(&mechanism, &people(5000), 1);
    let groups = Groups::of(AnyNumeric::output_cells(&mechanism));
    let counts: Vec<f64> = summary.counts()[..groups.count()].iter().map(|count| *count as f64).collect();
    let table = dense(&mechanism, groups, 10);
    let operator = Operator::of_bins(&mechanism, groups, 10);
    let likelihood = Likelihood::new(&operator, &counts);
    let mut shares = vec![0.1; 10];
    let mut by_hand = shares.clone();
    for _ in 0..30 {
        shares = likelihood.step(&shares);
        let means: Vec<f64> =
            (0..counts.len()).map(|g| (0..10).map(|b| by_hand[b] * table[b][g]).sum()).collect();
        by_hand = (0..10)
            .map(|b| {
                by_hand[b] * (0..counts.len()).map(|g| counts[g] * table[b][g] / means[g]).sum::<f64>()
                    / 5000.0
            })
            .collect();
        assert!(shares.iter().zip(&by_hand).all(|(a, b)| (a - b).abs() < 1e-10));
    }
}

#[test]
fn the_likelihood_never_falls() {
    for epsilon in [0.5, 2.0, 6.0] {
        let mechanism = ogpm(epsilon);
        let summary = collected(&mechanism, &people(3000), 2);
        let groups = Groups::of(AnyNumeric::output_cells(&mechanism));
        let counts: Vec<f64> = summary.counts()[..groups.count()].iter().map(|count| *count as f64).collect();
        let operator = Operator::of_bins(&mechanism, groups, 64);
        let likelihood = Likelihood::new(&operator, &counts);
        let mut shares = vec![1.0 / 64.0; 64];
        let mut before = likelihood.log(&shares);
        for cycle in 0..200 {
            shares = likelihood.cycle(&shares).next;
            let after = likelihood.log(&shares);
            assert!(
                after >= before - 1e-9 * before.abs(),
                "epsilon {epsilon}, cycle {cycle}: {before} {after}"
            );
            before = after;
        }
    }
}

#[test]
fn every_method_finds_the_two_kinds() {
    let mechanism = ogpm(4.0);
    let people = people(20_000);
    let summary = collected(&mechanism, &people, 3);
    let estimator = NumberEstimator::new(Arc::new(mechanism));
    let truth = Distribution::of_values(estimator.channel().space(), &people, 20);
    for method in Method::ALL {
        let got = estimator.distribution(&summary, method, 20).unwrap();
        let distance = metrics::wasserstein(got.shares(), truth.shares());
        let limit = if method == Method::Histogram { 0.2 } else { 0.04 };
        assert!(distance < limit, "{}: {distance}", method.as_str());
        assert!((got.shares().iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn timings() {
    for epsilon in [1.0, 4.0] {
        let mechanism = ogpm(epsilon);
        let summary = collected(&mechanism, &people(100_000), 4);
        let estimator = NumberEstimator::new(Arc::new(mechanism));
        for bins in [50, 1024] {
            for method in Method::ALL {
                let start = std::time::Instant::now();
                estimator.distribution(&summary, method, bins).unwrap();
                println!("epsilon {epsilon}, {bins} bins, {}: {:?}", method.as_str(), start.elapsed());
            }
            let start = std::time::Instant::now();
            estimator.answer(&summary, &Request { bins, ..Request::default() }).unwrap();
            println!("epsilon {epsilon}, {bins} bins, whole answer: {:?}", start.elapsed());
        }
    }
}

/// Everybody is at the upper end, so half of the estimates are cut off there and their mean is too low. No estimate may say that it
/// has less bias, whether or not it was cut off itself.
#[test]
fn the_bias_of_a_mean_that_is_cut_off_is_told() {
    let mechanism = Laplace::new(Interval::new(0.0, 2.0).unwrap(), Epsilon::new(0.5).unwrap()).unwrap();
    let estimator = NumberEstimator::new(Arc::new(mechanism.clone()));
    let request = Request { bins: 1, method: Method::Histogram, quantiles: Vec::new(), ..Request::default() };
    let means = |value: f64, people: usize| -> Vec<privet_core::Estimate> {
        let of_seed = |seed: u64| {
            let mut reports = ReportBuffer::new(mechanism.report_bytes());
            let mut rng = Generator::from_insecure_seed(seed);
            mechanism.randomize_batch(&vec![value; people], &mut rng, &mut reports).unwrap();
            let mut summary = estimator.empty_summary();
            estimator.accumulate(&mut summary, &reports).unwrap();
            estimator.answer(&summary, &request).unwrap().into_numbers().unwrap().mean
        };
        (1..=300).map(of_seed).collect()
    };
    let at_the_end = means(2.0, 60);
    let bias = 2.0 - at_the_end.iter().map(|mean| mean.value).sum::<f64>() / 300.0;
    let deviation = at_the_end.iter().map(|mean| mean.standard_error).sum::<f64>() / 300.0;
    // A normal law loses phi(0) = .399 deviations on average; four deviations of the mean of 300 allow for the draws.
    let error = 4.0 * 0.6 * deviation / 300f64.sqrt();
    assert!((bias / deviation - 0.399).abs() < error / deviation, "{bias} {deviation}");
    for mean in at_the_end.iter().filter(|mean| mean.interval[1] == 2.0) {
        assert!(mean.bias_bound >= bias - error, "{mean:?} {bias}");
        assert!(mean.bias_bound <= 2.0, "{mean:?}");
    }
    // Far from both ends nothing is cut off: what is left is the bias of the weights.
    let inside = means(1.0, 20_000);
    assert!(inside.iter().all(|mean| mean.bias_bound < 0.2 * mean.standard_error), "{:?}", inside[0]);
}
