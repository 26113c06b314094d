use super::{categories, epsilon, must_be_found, run_oracle};
use privet_core::{Category, Channel};
use privet_mechanisms::categorical::{
    FrequencyOracle, GeneralizedRandomizedResponse, HadamardResponse, SubsetSelection,
};
use privet_testkit::Tampered;

#[test]
fn subset_selection_passes_the_battery() {
    run_oracle(|domain, epsilon| SubsetSelection::new(domain, epsilon).unwrap(), 1e-6);
}

#[test]
fn hadamard_response_passes_the_battery() {
    run_oracle(|domain, epsilon| HadamardResponse::new(domain, epsilon).unwrap(), 1e-6);
}

/// The page's formulas.
#[test]
fn subset_probabilities_are_those_of_the_page() {
    for (k, value) in [(5u32, 1.0f64), (16, 0.1), (100, 4.0)] {
        let mechanism = SubsetSelection::new(categories(k), epsilon(value)).unwrap();
        let size = f64::from(mechanism.subset_size());
        let inclusion = size * value.exp() / (size * value.exp() + f64::from(k) - size);
        assert!((mechanism.support().own.to_f64() / inclusion - 1.0).abs() < 1e-12);
    }
}

/// The variance of all categories together, of one report: each person holds one category and not the others.
fn total_variance(oracle: &impl FrequencyOracle) -> f64 {
    let support = oracle.support();
    let [own, other] = [support.own.to_f64(), support.other.to_f64()];
    let others = f64::from(oracle.categories().count()) - 1.0;
    (own * (1.0 - own) + others * other * (1.0 - other)) / support.own.minus(&support.other).to_f64().powi(2)
}

/// No size of a subset has less variance in all, so neither have single categories, which are the size of one.
#[test]
fn no_subset_of_another_size_is_better() {
    let total = |size: f64, k: f64, exp: f64| {
        let own = size * exp / (size * exp + k - size);
        let other = (own * (size - 1.0) + (1.0 - own) * size) / (k - 1.0);
        (own * (1.0 - own) + (k - 1.0) * other * (1.0 - other)) / (own - other).powi(2)
    };
    for k in [2u32, 3, 5, 8, 9, 16, 33] {
        for tenths in 1..=60 {
            let value = f64::from(tenths) / 10.0;
            let chosen = total_variance(&SubsetSelection::new(categories(k), epsilon(value)).unwrap());
            let single =
                total_variance(&GeneralizedRandomizedResponse::new(categories(k), epsilon(value)).unwrap());
            assert!(chosen <= single * (1.0 + 1e-9), "{k} {value}: {chosen} {single}");
            for size in 1..k {
                let size = total(f64::from(size), f64::from(k), value.exp());
                assert!(chosen <= size * (1.0 + 1e-9), "{k} {value}: {chosen} {size}");
            }
        }
    }
    // The page's numbers.
    let [subset, single] = [
        total_variance(&SubsetSelection::new(categories(8), epsilon(1.4)).unwrap()),
        total_variance(&GeneralizedRandomizedResponse::new(categories(8), epsilon(1.4)).unwrap()),
    ];
    assert!((subset / single - (1.0 - 0.054)).abs() < 5e-4, "{subset} {single}");
}

#[test]
fn hadamard_probabilities_are_those_of_the_page() {
    let mechanism = HadamardResponse::new(categories(5), epsilon(1.0)).unwrap();
    let exp = 1f64.exp();
    // Row 1 of order 8 is +1 at even indices.
    let high = mechanism.probability(&0, &Category(2)).to_f64();
    let low = mechanism.probability(&0, &Category(3)).to_f64();
    assert!((high - 2.0 * exp / (8.0 * (1.0 + exp))).abs() < 1e-15);
    assert!((low - 2.0 / (8.0 * (1.0 + exp))).abs() < 1e-15);
}

#[test]
fn a_subset_that_always_holds_the_truth_is_found() {
    let inner = SubsetSelection::new(categories(5), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, mut report| {
        if !report.get(input as usize) {
            let first = (0..5).find(|category| report.get(*category)).unwrap_or(0);
            report.set(first, false);
            report.set(input as usize, true);
        }
        report
    });
    must_be_found(&tampered);
}

#[test]
fn a_hadamard_index_that_is_never_mended_is_found() {
    let inner = HadamardResponse::new(categories(5), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, _, report| Category(report.0 & !1));
    must_be_found(&tampered);
}
