//! What must hold for every registered mechanism, whoever adds it.

use super::epsilon;
use privet_core::{DomainSpec, Generator, ReportBuffer};
use privet_mechanisms::registry::{ROWS, Row, WorstInput};

/// The rows of this battery; numbers and angles have their own.
fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| !matches!(row.info.domain, "interval" | "circle"))
}

/// The domains on which a mechanism is tried.
fn domains(row: &Row) -> Vec<DomainSpec> {
    let written: &[&str] = match row.info.domain {
        "binary" => &["binary"],
        "words" => &["words:8"],
        _ => &["binary", "categories:16", "categories:128"],
    };
    written.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn the_exact_epsilon_never_exceeds_the_claimed_one() {
    for row in rows() {
        for domain in domains(row) {
            for value in [0.1, 1.0, 4.0] {
                let mechanism = row.build(&domain, epsilon(value)).unwrap();
                let exact = mechanism.exact_epsilon();
                assert!(exact <= value, "{} {domain} {value}: {exact}", row.info.id);
                assert!(exact > value - 1e-6, "{} {domain} {value}: {exact}", row.info.id);
                assert_eq!(mechanism.guarantee().epsilon().get(), exact);
            }
        }
    }
}

/// Epsilons at the ends of what a number can be: refused, or private all the same.
#[test]
fn extreme_epsilons_are_private_or_refused() {
    for row in rows() {
        for domain in domains(row) {
            for value in
                [f64::MIN_POSITIVE, 1e-300, 1e-18, 1e-15, 1e-9, 20.0, 44.0, 45.0, 100.0, 700.0, f64::MAX]
            {
                match row.build(&domain, epsilon(value)) {
                    Ok(mechanism) => {
                        assert!(mechanism.exact_epsilon() <= value, "{} {domain} {value}", row.info.id);
                        let mut reports = ReportBuffer::new(mechanism.report_bytes());
                        let mut rng = Generator::from_insecure_seed(1);
                        mechanism
                            .randomize_worst_input(WorstInput::First, 3, &mut rng, &mut reports)
                            .unwrap();
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
    }
}

#[test]
fn different_parameters_have_different_fingerprints() {
    let mut seen = std::collections::HashSet::new();
    for row in rows() {
        for domain in domains(row) {
            for value in [0.1, 1.0, 4.0] {
                let mechanism = row.build(&domain, epsilon(value)).unwrap();
                assert!(seen.insert(mechanism.fingerprint()), "{} {domain} {value}", row.info.id);
            }
        }
    }
}

#[test]
fn worst_inputs_reach_the_worst_ratio() {
    for row in rows() {
        let domain = domains(row).pop().unwrap();
        let mechanism = row.build(&domain, epsilon(1.0)).unwrap();
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let mut rng = Generator::from_insecure_seed(2);
        mechanism.randomize_worst_input(WorstInput::First, 3000, &mut rng, &mut reports).unwrap();
        let largest =
            reports.iter().map(|slot| mechanism.worst_log_ratio(slot).unwrap()).fold(f64::MIN, f64::max);
        assert!((largest - mechanism.exact_epsilon()).abs() < 1e-12, "{} {largest}", row.info.id);
    }
}

/// Bytes that no device sends: an error, never a panic, and never a count.
#[test]
fn arbitrary_reports_never_panic() {
    let mut word = 1u64;
    for row in rows() {
        let domain = domains(row).pop().unwrap();
        let mechanism = row.build(&domain, epsilon(1.0)).unwrap();
        let estimator =
            privet_estimators::registry::find(row.info.id).unwrap().build(&domain, epsilon(1.0)).unwrap();
        for length in (0..mechanism.report_bytes() + 3).chain([10_000]) {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (word >> 56) as u8
                })
                .collect();
            let _ = mechanism.worst_log_ratio(&bytes);
            let mut reports = ReportBuffer::new(length);
            let mut summary = estimator.empty_summary();
            let empty = summary.clone();
            if length > 0
                && reports.push(&bytes).is_ok()
                && estimator.accumulate(&mut summary, &reports).is_err()
            {
                assert_eq!(summary, empty);
            }
        }
    }
}
