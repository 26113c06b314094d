use super::{categories, epsilon};
use privet_core::{Category, Channel, Mechanism};
use privet_mechanisms::categorical::OrderedExponential;
use privet_testkit::{Battery, Finding, Tampered, categorical_cases, check_sampler};

#[test]
fn passes_the_battery() {
    for (domain, value) in categorical_cases() {
        let inputs: Vec<u32> = (0..domain.count()).collect();
        let mechanism = OrderedExponential::new(domain, value).unwrap();
        let battery = Battery { mechanism: &mechanism, inputs: &inputs, epsilon: value, slack: 1e-9 };
        assert_eq!(battery.run(), Ok(()), "{mechanism:?}");
        // Inverting the table at small epsilon multiplies the noise so much that a small collection is no test of it.
        if value.get() >= 1.0 && inputs.len() <= 5 {
            assert_eq!(battery.run_categorical(), Ok(()), "{mechanism:?}");
        }
    }
}

/// The page's formula with the whole of epsilon as the scale: the usual half would lose half of the budget.
#[test]
fn the_scale_is_epsilon() {
    let mechanism = OrderedExponential::new(categories(5), epsilon(2.0)).unwrap();
    let weight = |distance: i32| (-2.0 * f64::from(distance) / 4.0).exp();
    let total: f64 = (0..5).map(weight).sum();
    for output in 0..5 {
        let expected = weight(output) / total;
        let got = mechanism.probability(&0, &Category(output as u32)).to_f64();
        assert!((got / expected - 1.0).abs() < 1e-9, "{output}");
    }
    // By symmetry either end may come first.
    assert_eq!(mechanism.worst_inputs().iter().sum::<u32>(), 4);
    assert_eq!(mechanism.worst_inputs()[0].abs_diff(mechanism.worst_inputs()[1]), 4);
}

#[test]
fn a_sampler_that_only_moves_up_is_found() {
    let inner = OrderedExponential::new(categories(5), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, report| Category(report.0.max(input)));
    assert!(matches!(check_sampler(&tampered, &[0, 2], 20_000), Err(Finding::Sampler { input: 1, .. })));
}

#[test]
fn extreme_parameters_are_still_private_or_refused() {
    for value in [1e-12, 1e-6, 20.0, 39.0, 100.0, 1e300] {
        for count in [2, 7, 200] {
            if let Ok(mechanism) = OrderedExponential::new(categories(count), epsilon(value)) {
                assert!(mechanism.guarantee().epsilon().get() <= value, "{value} {count}");
            }
        }
    }
    assert!(OrderedExponential::new(categories(5), epsilon(1e-300)).is_err());
    assert!(OrderedExponential::new(categories(5000), epsilon(1.0)).is_err());
}
