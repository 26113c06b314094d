use super::{categories, epsilon, must_be_found, run_oracle};
use privet_core::{Mechanism, ReportBuffer};
use privet_mechanisms::categorical::{FrequencyOracle, OptimizedUnaryEncoding, SymmetricUnaryEncoding};
use privet_testkit::{Finding, Tampered, Words, check_support};

#[test]
fn optimized_passes_the_battery() {
    run_oracle(|domain, epsilon| OptimizedUnaryEncoding::new(domain, epsilon).unwrap(), 1e-6);
}

#[test]
fn symmetric_passes_the_battery() {
    run_oracle(|domain, epsilon| SymmetricUnaryEncoding::new(domain, epsilon).unwrap(), 1e-6);
}

/// The page's formulas.
#[test]
fn probabilities_are_those_of_the_page() {
    for value in [0.1f64, 1.0, 4.0] {
        let optimized = OptimizedUnaryEncoding::new(categories(9), epsilon(value)).unwrap().support();
        assert_eq!(optimized.own.to_f64(), 0.5);
        assert!((optimized.other.to_f64() * (1.0 + value.exp()) - 1.0).abs() < 1e-12);
        let symmetric = SymmetricUnaryEncoding::new(categories(9), epsilon(value)).unwrap().support();
        assert!((symmetric.other.to_f64() * (1.0 + (value / 2.0).exp()) - 1.0).abs() < 1e-12);
        assert!((symmetric.own.to_f64() + symmetric.other.to_f64() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn true_bits_never_cleared_are_found() {
    let inner = OptimizedUnaryEncoding::new(categories(5), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, mut report| {
        report.set(input as usize, true);
        report
    });
    must_be_found(&tampered);
}

/// An off-by-one at the end of the second word: bit 64 of 65.
#[test]
fn last_bit_never_randomised_is_found() {
    let inner = OptimizedUnaryEncoding::new(categories(65), epsilon(1.0)).unwrap();
    let tampered = Tampered::reports(inner, |_, input, mut report| {
        report.set(64, input == 64);
        report
    });
    assert!(matches!(check_support(&tampered, &[0, 64], 20_000), Err(Finding::Sampler { .. })));
    must_be_found(&tampered);
}

/// Many reports at once pass through counters that move on every 255 reports.
#[test]
fn tally_counts_every_report() {
    let mechanism = OptimizedUnaryEncoding::new(categories(70), epsilon(1.0)).unwrap();
    let mut reports = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(&vec![69; 1000], &mut Words::seeded(1), &mut reports).unwrap();
    let mut counts = vec![0; 70];
    mechanism.tally(&reports, &mut counts).unwrap();
    let slowly =
        |bit: usize| reports.iter().filter(|slot| mechanism.decode(slot).unwrap().get(bit)).count() as u64;
    assert_eq!(counts, (0..70).map(slowly).collect::<Vec<_>>());
}
