use super::{categories, epsilon};
use privet_core::{Channel, Estimator, Mechanism, ReportBuffer};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{BloomParameters, CountMeanSketch, Rappor, SketchParameters};
use privet_testkit::{Battery, Tampered, Words, check_estimator, check_sampler, coverage};

const SMALL_BLOOM: BloomParameters = BloomParameters { cohorts: 4, bits: 8, hashes: 2 };
const SMALL_SKETCH: SketchParameters = SketchParameters { rows: 4, width: 8 };

#[test]
fn rappor_passes_the_battery() {
    for value in [0.1, 1.0, 4.0] {
        let mechanism = Rappor::with_parameters(categories(6), epsilon(value), SMALL_BLOOM).unwrap();
        let inputs: Vec<u32> = (0..6).collect();
        let battery =
            Battery { mechanism: &mechanism, inputs: &inputs, epsilon: epsilon(value), slack: 1e-6 };
        assert_eq!(battery.run(), Ok(()), "{mechanism:?}");
    }
}

#[test]
fn rappor_estimates_are_unbiased_and_vary_as_stated() {
    let parameters = BloomParameters { cohorts: 16, bits: 32, hashes: 2 };
    let mechanism = Rappor::with_parameters(categories(10), epsilon(4.0), parameters).unwrap();
    let people: Vec<u32> = (0..3000).map(|person| if person % 2 == 0 { 0 } else { person % 10 }).collect();
    assert_eq!(check_estimator(&mechanism, &people, 300), Ok(()));
}

#[test]
fn sketch_passes_the_battery() {
    for value in [0.1, 1.0, 4.0] {
        let mechanism =
            CountMeanSketch::with_parameters(categories(6), epsilon(value), SMALL_SKETCH).unwrap();
        let inputs: Vec<u32> = (0..6).collect();
        let battery =
            Battery { mechanism: &mechanism, inputs: &inputs, epsilon: epsilon(value), slack: 1e-6 };
        assert_eq!(battery.run(), Ok(()), "{mechanism:?}");
    }
}

#[test]
fn a_filter_with_a_bit_that_never_flips_is_found() {
    let inner = Rappor::with_parameters(categories(6), epsilon(1.0), SMALL_BLOOM).unwrap();
    let tampered = Tampered::reports(inner, |mechanism, input, mut report| {
        let set = mechanism.positions(report.cohort, input).contains(&7);
        report.bits.set(7, set);
        report
    });
    assert!(check_sampler(&tampered, &[0, 1, 2, 3, 4, 5], 20_000).is_err());
}

/// A million categories: the heavy ones are found, and errors are what the estimator says.
#[test]
fn a_million_categories_are_estimated_within_their_errors() {
    let mechanism = CountMeanSketch::new(categories(1_000_000), epsilon(4.0)).unwrap();
    let people: Vec<u32> = (0..100_000u32)
        .map(|person| if person % 4 == 0 { 999_999 } else { person.wrapping_mul(2_654_435_761) % 1_000_000 })
        .collect();
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&people, &mut Words::seeded(77), &mut reports).unwrap();
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    let frequencies = estimator.estimate(&summary).unwrap();
    let heavy = &frequencies.rows[999_999].estimate;
    assert!((heavy.value - 0.25).abs() < 5.0 * heavy.standard_error, "{heavy:?}");
    assert!(heavy.standard_error < 0.01);
    let z = |index: usize| {
        frequencies.rows[index].estimate.value / frequencies.rows[index].estimate.standard_error
    };
    let squares = (0..10_000).map(|index| z(index * 97).powi(2)).sum::<f64>() / 10_000.0;
    assert!((0.85..1.15).contains(&squares), "the stated errors are off by a factor of {}", squares.sqrt());
}

/// Neighbouring categories must not keep together in the hash rows, or their collisions would add up.
#[test]
fn consecutive_categories_are_estimated_within_their_errors() {
    let mechanism = CountMeanSketch::new(categories(1000), epsilon(8.0)).unwrap();
    let people: Vec<u32> = (0..256_000).map(|person| person % 128).collect();
    let all = coverage(&mechanism, &people, 0..1);
    // Collisions are a bias beside the standard error: a few of them, which the intervals know.
    assert!(all.marginal > 0.9 && all.simultaneous == 1 && all.largest_z < 8.0, "{all:?}");
}

/// At large epsilon who is in which cohort matters more than the flips.
#[test]
fn rappor_varies_as_stated_at_large_epsilon() {
    let parameters = BloomParameters { cohorts: 16, bits: 32, hashes: 2 };
    let mechanism = Rappor::with_parameters(categories(10), epsilon(16.0), parameters).unwrap();
    for people in [vec![0; 3000], (0..3000).map(|person| person % 10).collect()] {
        assert_eq!(check_estimator(&mechanism, &people, 300), Ok(()));
    }
}

/// Five reports cannot tell a thousand categories apart, and the estimator says so.
#[test]
fn too_few_reports_for_the_patterns_are_refused() {
    let mechanism = Rappor::new(categories(1000), epsilon(1.0)).unwrap();
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&[1, 2, 3, 4, 5], &mut Words::seeded(1), &mut reports).unwrap();
    let estimator = mechanism.estimator();
    let mut summary = estimator.empty_summary();
    estimator.accumulate(&mut summary, &reports).unwrap();
    assert_eq!(estimator.estimate(&summary).unwrap_err().code(), "estimate-not-identifiable");
}

#[test]
fn sizes_are_checked() {
    for parameters in [
        BloomParameters { cohorts: 3, ..SMALL_BLOOM },
        BloomParameters { hashes: 3, ..SMALL_BLOOM },
        BloomParameters { hashes: 0, ..SMALL_BLOOM },
        BloomParameters { bits: 2, ..SMALL_BLOOM },
    ] {
        assert!(Rappor::with_parameters(categories(6), epsilon(1.0), parameters).is_err(), "{parameters:?}");
    }
    let odd = SketchParameters { rows: 3, width: 8 };
    assert!(CountMeanSketch::with_parameters(categories(6), epsilon(1.0), odd).is_err());
    let mechanism = Rappor::new(categories(6), epsilon(1.0)).unwrap();
    assert!(mechanism.worst_ratio().is_at_most_exp(epsilon(1.0)));
}
