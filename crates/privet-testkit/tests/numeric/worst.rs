//! The worst and average errors of all mechanisms, by exact analysis, against the independent reference.

use super::{epsilon, with_delta};
use privet_core::{Build, DomainSpec};
use privet_mechanisms::analysis::{Analysis, AnyNumeric, Loss, Prior};
use privet_mechanisms::circle::*;
use privet_mechanisms::interval::*;
use privet_testkit::golden::{INTERVAL, lines};

/// Of the error itself. A window on a lattice of 65536 cells is a whole number of them.
const TOLERANCE: f64 = 1.5e-4;

fn check(name: &str, domains: &[&str], build: impl Fn(&DomainSpec, f64) -> Box<dyn AnyNumeric>) {
    let mut seen = 0;
    for (domain, value) in domains.iter().flat_map(|domain| [1.0, 4.0].map(|value| (*domain, value))) {
        let mechanism = build(&domain.parse().unwrap(), value);
        let analysis = Analysis::new(&*mechanism);
        for line in lines(INTERVAL, "error") {
            let is_own = line.field(1) == name && line.field(2) == domain;
            if !is_own || line.field(3).parse() != Ok(value) {
                continue;
            }
            let loss = if line.field(4) == "absolute" { Loss::Absolute } else { Loss::Squared };
            let got = match line.field(5) {
                "worst" => analysis.worst(loss).error,
                "average" => analysis.average(loss, &Prior::uniform()),
                _ => continue,
            };
            let expected: f64 = line.field(6).parse().unwrap();
            assert!((got - expected).abs() <= TOLERANCE * expected, "{line:?}: got {got}");
            seen += 1;
        }
    }
    assert!(seen >= 8, "the golden file lacks {name}");
}

macro_rules! compare {
    ($domains:expr; $($test:ident, $name:literal, $mechanism:ty;)*) => {
        $(#[test]
        fn $test() {
            check($name, $domains, |domain, value| {
                Box::new(<$mechanism>::build(domain, epsilon(value)).unwrap())
            });
        })*
    };
}

const INTERVALS: &[&str] = &["interval:0,1", "interval:-5,20"];
const CIRCLES: &[&str] = &["circle:6.283185307179586"];

compare! {
    INTERVALS;
    optimal_piecewise, "optimal-piecewise", OptimalPiecewise;
    optimal_piecewise_squared, "optimal-piecewise-squared", OptimalPiecewiseSquared;
    optimal_piecewise_unbiased, "optimal-piecewise-unbiased", OptimalPiecewiseUnbiased;
    piecewise, "piecewise", Piecewise;
    piecewise_compressed, "piecewise-compressed", PiecewiseCompressed;
    piecewise_truncated, "piecewise-truncated", PiecewiseTruncated;
    square_wave, "square-wave", SquareWave;
    square_wave_bounded, "square-wave-bounded", SquareWaveBounded;
    square_wave_compressed, "square-wave-compressed", SquareWaveCompressed;
    square_wave_truncated, "square-wave-truncated", SquareWaveTruncated;
    duchi, "duchi", Duchi;
    hybrid, "hybrid", Hybrid;
    laplace_bounded, "laplace-bounded", LaplaceBounded;
    staircase, "staircase", Staircase;
    laplace_truncated, "laplace-truncated", LaplaceTruncated;
}

compare! {
    CIRCLES;
    circle, "optimal-piecewise-circle", OptimalPiecewiseCircle;
    circle_squared, "optimal-piecewise-circle-squared", OptimalPiecewiseCircleSquared;
    square_wave_circle, "square-wave-circle", SquareWaveCircle;
}

#[test]
fn gaussian() {
    check("gaussian(delta=0.052)", INTERVALS, |domain, value| {
        let options = with_delta(value, 0.052).options;
        Box::new(Gaussian::build_with(domain, epsilon(value), &options).unwrap())
    });
}
