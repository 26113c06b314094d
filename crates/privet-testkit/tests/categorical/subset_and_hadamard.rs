use super::{categories, epsilon, must_be_found, run_oracle};
use privet_core::{Category, Channel};
use privet_mechanisms::categorical::{FrequencyOracle, HadamardResponse, SubsetSelection};
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
