use super::{categories, epsilon, must_be_found, run_oracle};
use privet_core::{Category, Channel, Mechanism};
use privet_mechanisms::categorical::{GeneralizedRandomizedResponse, RandomizedResponse};
use privet_testkit::{Battery, Finding, Tampered, check_estimator, check_sampler, check_support};

#[test]
fn generalized_passes_the_battery() {
    run_oracle(|domain, epsilon| GeneralizedRandomizedResponse::new(domain, epsilon).unwrap(), 1e-6);
}

#[test]
fn binary_passes_the_battery() {
    for value in [0.1, 1.0, 4.0] {
        let mechanism = RandomizedResponse::new(categories(2), epsilon(value)).unwrap();
        let battery =
            Battery { mechanism: &mechanism, inputs: &[0, 1], epsilon: epsilon(value), slack: 1e-6 };
        assert_eq!(battery.run_oracle(), Ok(()));
    }
    assert!(RandomizedResponse::new(categories(3), epsilon(1.0)).is_err());
}

/// The page's formulas.
#[test]
fn probabilities_are_those_of_the_page() {
    for k in [2u32, 16, 1000] {
        for value in [0.1f64, 1.0, 4.0] {
            let mechanism = GeneralizedRandomizedResponse::new(categories(k), epsilon(value)).unwrap();
            let low = 1.0 / (value.exp() + f64::from(k) - 1.0);
            let own = mechanism.probability(&1, &Category(1)).to_f64();
            let other = mechanism.probability(&1, &Category(0)).to_f64();
            assert!((own / (value.exp() * low) - 1.0).abs() < 1e-12);
            assert!((other / low - 1.0).abs() < 1e-12);
        }
    }
}

/// The widest weights: the slack that the page admits.
#[test]
fn slack_is_as_the_page_says() {
    let slack = |k: u32, value: f64| {
        let mechanism = GeneralizedRandomizedResponse::new(categories(k), epsilon(value)).unwrap();
        value - mechanism.guarantee().epsilon().get()
    };
    assert!((0.0..1e-11).contains(&slack(10_000, 0.1)));
    assert!((0.0..0.05).contains(&slack(1 << 30, 0.1)) && slack(1 << 30, 0.1) > 0.01);
}

#[test]
fn last_category_never_randomised_is_found() {
    let inner = GeneralizedRandomizedResponse::new(categories(5), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |mechanism, input, report| {
        if input == mechanism.domain().count() - 1 { Category(input) } else { report }
    });
    assert!(matches!(check_sampler(&tampered, &[0, 4], 20_000), Err(Finding::Sampler { input: 1, .. })));
    assert!(matches!(check_support(&tampered, &[0, 4], 20_000), Err(Finding::Sampler { input: 1, .. })));
    must_be_found(&tampered);
}

#[test]
fn last_category_never_reported_is_found() {
    let inner = GeneralizedRandomizedResponse::new(categories(65), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(
        inner,
        |_, input, report| if report.0 == 64 { Category(input.min(63)) } else { report },
    );
    must_be_found(&tampered);
}

#[test]
fn a_sampler_without_noise_is_found_by_the_estimator_too() {
    let inner = GeneralizedRandomizedResponse::new(categories(3), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, _| Category(input));
    let people: Vec<u32> = (0..300).map(|person| person % 3).collect();
    assert!(check_estimator(&tampered, &people, 100).is_err());
    must_be_found(&tampered);
}

/// A report that cannot be read, or a marker in it that reveals the input, does not survive the codec check.
#[test]
fn a_report_beyond_the_outcomes_is_found() {
    let inner = GeneralizedRandomizedResponse::new(categories(5), epsilon(1.0)).unwrap();
    let tampered =
        Tampered::reports(inner, |_, input, report| if input == 0 { Category(200) } else { report });
    must_be_found(&tampered);
}
