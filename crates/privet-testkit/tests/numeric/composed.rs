//! Mechanisms made of others: polar coordinates and the privacy indicator.

use super::{coarse, epsilon, inputs, turn, unit};
use privet_core::{Categories, Category, Channel, Delta, Domain, Fraction, Mechanism};
use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
use privet_mechanisms::interval::*;
use privet_mechanisms::polar::{Polar, PolarAbsolute, PolarDomain, PolarSquared};
use privet_mechanisms::wrapper::{Indicator, Truthful};
use privet_testkit::{Finding, Tampered, check_codec, check_randomness, check_sampler};
use std::f64::consts::TAU;

#[test]
fn the_polar_budget_is_the_known_one() {
    let domain = PolarDomain { radius: unit(), angle: turn() };
    let whole = epsilon(1.0 + TAU);
    let absolute = Polar::<PolarAbsolute>::new(domain, whole).unwrap();
    let squared = Polar::<PolarSquared>::new(domain, whole).unwrap();
    for (budget, radius, angle) in
        [(absolute.budget(), 1.298548, 5.984638), (squared.budget(), 1.529773, 5.753413)]
    {
        assert!((budget.radius.get() - radius).abs() < 1e-4, "{budget:?}");
        assert!((budget.angle.get() - angle).abs() < 1e-4, "{budget:?}");
    }
    for stated in [absolute.guarantee(), squared.guarantee()] {
        assert!(stated.epsilon() <= whole && stated.epsilon().get() > whole.get() - 1e-9);
    }
}

#[test]
fn polar_reports() {
    let domain = PolarDomain { radius: unit(), angle: turn() };
    let inputs = [[0.0, 0.0], [0.3, 1.0], [1.0, 6.2]];
    for value in [0.1, 1.0, 8.0] {
        let mechanism = Polar::<PolarAbsolute>::new(domain, epsilon(value)).unwrap();
        assert_eq!(check_codec(&mechanism, &inputs), Ok(()));
        assert_eq!(check_randomness(&mechanism, &inputs), Ok(()));
        let [first, second] = mechanism.worst_inputs();
        let mut rng = privet_core::Generator::from_insecure_seed(3);
        let largest = (0..2000)
            .map(|_| mechanism.randomize(&first, &mut rng).unwrap())
            .filter_map(|report| mechanism.likelihood_ratio(&[first, second], &report))
            .max();
        assert_eq!(largest, Some(mechanism.worst_ratio()));
        assert!(mechanism.randomize(&[0.5, TAU], &mut rng).is_err());
        assert!(mechanism.randomize(&[1.5, 0.0], &mut rng).is_err());
    }
    assert_eq!(domain.parse("0.5, 1").unwrap(), [0.5, 1.0]);
    assert!(domain.parse("0.5").is_err());
}

/// The exposed mass between the worst pair of inputs, over all reports.
fn hockey_stick<M: Channel>(
    mechanism: &M,
    inputs: &[<M::Domain as Domain>::Value],
    factor: &Fraction,
) -> Fraction {
    let reports = mechanism.all_reports(1 << 13).unwrap();
    let pair = |one, other| {
        reports.iter().fold(Fraction::whole(0), |sum, report| {
            let bound = factor * &mechanism.probability(other, report);
            (&sum + &mechanism.probability(one, report).minus(&bound)).reduced()
        })
    };
    let pairs = inputs.iter().flat_map(|one| inputs.iter().map(move |other| (one, other)));
    pairs.map(|(one, other)| pair(one, other)).max().unwrap()
}

fn check_indicator<M: Truthful + Clone>(inner: M, inputs: &[<M::Domain as Domain>::Value], delta: f64) {
    let ratio = inner.worst_ratio();
    let indicator = Indicator::new(inner, Delta::new(delta).unwrap()).unwrap();
    assert_eq!(check_codec(&indicator, inputs), Ok(()));
    assert_eq!(check_randomness(&indicator, inputs), Ok(()));
    assert_eq!(check_sampler(&indicator, inputs, 20_000), Ok(()));
    // The standard guarantee holds with delta and is tight.
    let exact = hockey_stick(&indicator, inputs, &ratio).to_f64();
    assert!(exact <= indicator.guarantee().delta() * (1.0 + 1e-12), "{exact}");
    assert!(exact > delta * (1.0 - 1e-9), "{exact}");
    // The probabilistic one does not: the true report is exposed.
    let exposed = indicator.exposed(&inputs[0]).to_f64();
    assert!(exposed > delta, "{exposed}");
    assert!(indicator.worst_ratio() > ratio);
    // A sampler that forgets its input and its randomness.
    let tampered = Tampered::reports(indicator, |mechanism, _, report| {
        let mut rng = privet_core::Generator::from_insecure_seed(9);
        mechanism.randomize(&mechanism.worst_inputs()[0], &mut rng).unwrap_or(report)
    });
    assert!(matches!(check_sampler(&tampered, inputs, 20_000), Err(Finding::Sampler { .. })));
}

#[test]
fn the_indicator_keeps_the_standard_guarantee_only() {
    let response = |count, value| {
        GeneralizedRandomizedResponse::new(Categories::new(count).unwrap(), epsilon(value)).unwrap()
    };
    check_indicator(response(2, 1.0), &[0, 1], 0.1);
    check_indicator(response(5, 1.0), &[0, 1, 2, 3, 4], 0.1);
    let window = coarse::<AbsoluteError>(unit(), 1.0, 16);
    let all = inputs(&window, unit());
    check_indicator(window, &all, 0.05);
    let grid = coarse::<ResponseOnPoints>(unit(), 2.0, 20);
    let all = inputs(&grid, unit());
    check_indicator(grid, &all, 0.05);
}

#[test]
fn theorem_17_fails_for_two_categories() {
    let two = GeneralizedRandomizedResponse::new(Categories::new(2).unwrap(), epsilon(1.0)).unwrap();
    let indicator = Indicator::new(two, Delta::new(0.1).unwrap()).unwrap();
    let exposed = indicator.exposed(&0).to_f64();
    assert!((exposed - 0.75795).abs() < 1e-5, "{exposed}");
    // And the log-ratio of that report is indeed above epsilon.
    let ratio = indicator.likelihood_ratio(&[0, 1], &Category(0)).unwrap();
    assert!((ratio.to_f64().ln() - 1.1415).abs() < 1e-4);
}
