//! What must hold for every registered mechanism, whoever adds it.

use super::epsilon;
use privet_core::{DomainSpec, Generator, ReportBuffer, Summary};
use privet_estimators::Consistency;
use privet_mechanisms::registry::{ROWS, Row, WorstInput};

/// The rows of this battery; numbers, angles and places have their own.
fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| !matches!(row.info.domain, "interval" | "circle" | "rectangle"))
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

/// Another mechanism's summary takes no reports, gives no estimate and does not merge.
#[test]
fn foreign_summaries_are_refused() {
    for row in rows() {
        let domain = domains(row).pop().unwrap();
        let estimator_at = |value| {
            privet_estimators::registry::find(row.info.id).unwrap().build(&domain, epsilon(value)).unwrap()
        };
        let mechanism = row.build(&domain, epsilon(1.0)).unwrap();
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        let mut rng = Generator::from_insecure_seed(3);
        mechanism.randomize_worst_input(WorstInput::First, 3, &mut rng, &mut reports).unwrap();
        let (ours, theirs) = (estimator_at(1.0), estimator_at(2.0));
        let mut foreign = theirs.empty_summary();
        let before = foreign.clone();
        assert_eq!(ours.accumulate(&mut foreign, &reports).unwrap_err().code(), "report-foreign");
        assert_eq!(foreign, before);
        let mut own = ours.empty_summary();
        ours.accumulate(&mut own, &reports).unwrap();
        assert_eq!(theirs.estimate(&own, Consistency::None).unwrap_err().code(), "estimate-foreign");
        assert_eq!(foreign.merge(&own).unwrap_err().code(), "summary-foreign");
        let nothing = ours.estimate(&ours.empty_summary(), Consistency::None);
        assert_eq!(nothing.unwrap_err().code(), "estimate-too-few-reports");
    }
}

/// A stored summary with the right name and the wrong contents: an error, never a panic or a number.
#[test]
fn damaged_summaries_are_refused() {
    for row in rows() {
        let domain = domains(row).pop().unwrap();
        let estimator =
            privet_estimators::registry::find(row.info.id).unwrap().build(&domain, epsilon(1.0)).unwrap();
        let sound = estimator.empty_summary().to_bytes();
        let with = |counters: u64, reports: u64, value: u64| {
            let mut bytes = sound[..12].to_vec();
            bytes.extend_from_slice(&reports.to_le_bytes());
            bytes.extend_from_slice(&counters.to_le_bytes());
            (0..counters).for_each(|_| bytes.extend_from_slice(&value.to_le_bytes()));
            privet_estimators::CountSummary::from_bytes(&bytes).unwrap()
        };
        let counters = estimator.empty_summary().counts().len() as u64;
        for damaged in [with(0, 5, 1), with(counters + 1, 5, 1), with(counters, 5, u64::MAX)] {
            let refused = estimator.estimate(&damaged, Consistency::None).unwrap_err();
            assert_eq!(refused.code(), "estimate-damaged-summary", "{}", row.info.id);
        }
        let _ = estimator.estimate(&with(counters, u64::MAX, u64::MAX), Consistency::None);
    }
}

/// At an epsilon where both probabilities round to the same number the estimate is huge but finite, or refused.
#[test]
fn tiny_epsilons_give_no_infinite_estimates() {
    for row in rows() {
        let domain = domains(row).pop().unwrap();
        for value in [1e-18, 1e-17, 1e-16, 1e-12] {
            let Ok(mechanism) = row.build(&domain, epsilon(value)) else { continue };
            let estimator = privet_estimators::registry::find(row.info.id)
                .unwrap()
                .build(&domain, epsilon(value))
                .unwrap();
            let mut reports = ReportBuffer::new(mechanism.report_bytes());
            let mut rng = Generator::from_insecure_seed(4);
            mechanism.randomize_worst_input(WorstInput::First, 50, &mut rng, &mut reports).unwrap();
            let mut summary = estimator.empty_summary();
            estimator.accumulate(&mut summary, &reports).unwrap();
            if let Ok(frequencies) = estimator.estimate(&summary, Consistency::None) {
                assert!(
                    frequencies.rows.iter().all(|row| row.estimate.value.is_finite()),
                    "{} {value}",
                    row.info.id
                );
            }
        }
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
