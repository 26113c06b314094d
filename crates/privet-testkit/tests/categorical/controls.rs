//! Every check of the battery must be able to fail.

use super::{categories, epsilon};
use privet_core::{Category, InputError, Mechanism, ReportBuffer};
use privet_mechanisms::categorical::{GeneralizedRandomizedResponse, OptimizedLocalHashing};
use privet_testkit::{
    Finding, Tampered, Tampering, Words, check_codec, check_estimator, check_privacy, check_randomness,
    check_sampler,
};

const INPUTS: [u32; 4] = [0, 1, 2, 3];

fn honest() -> GeneralizedRandomizedResponse {
    GeneralizedRandomizedResponse::new(categories(4), epsilon(1.0)).unwrap()
}

#[test]
fn a_larger_epsilon_than_claimed_is_found() {
    let found = check_privacy(&honest(), &INPUTS, epsilon(1.0f64.next_down()), 1e-6);
    assert!(matches!(found, Err(Finding::Privacy { .. })), "{found:?}");
}

#[test]
fn a_wasted_budget_is_found() {
    let found = check_privacy(&honest(), &INPUTS, epsilon(1.001), 1e-6);
    assert!(matches!(found, Err(Finding::Slack { .. })), "{found:?}");
}

#[test]
fn probabilities_that_do_not_add_up_are_found() {
    let tampered = Tampered::new(honest(), Tampering::DoubledProbability(|input| *input == 2));
    assert_eq!(check_privacy(&tampered, &INPUTS, epsilon(1.0), 1e-6), Err(Finding::Total { input: 2 }));
}

#[test]
fn a_misstated_worst_ratio_is_found() {
    let tampered = Tampered::new(honest(), Tampering::HalvedRatio);
    assert_eq!(check_privacy(&tampered, &INPUTS, epsilon(1.0), 1e-6), Err(Finding::StatedRatio));
}

#[test]
fn randomness_that_depends_on_the_input_is_found() {
    let tampered = Tampered::new(honest(), Tampering::ExtraWord(|input| *input == 3));
    assert_eq!(check_randomness(&tampered, &INPUTS), Err(Finding::RandomnessTaken { input: 3 }));
}

#[test]
fn a_batch_in_another_order_is_found() {
    let tampered = Tampered::new(honest(), Tampering::ReversedBatch);
    assert_eq!(check_codec(&tampered, &INPUTS), Err(Finding::Batch));
}

#[test]
fn a_report_that_has_probability_zero_is_found() {
    let tampered = Tampered::reports(honest(), |_, _, _| Category(9));
    assert_eq!(check_sampler(&tampered, &INPUTS, 1000), Err(Finding::Impossible { input: 0 }));
}

/// Twice the noise in every report, by perturbing half of the reports once more: unbiasedness goes, and the spread grows.
#[test]
fn estimates_that_vary_otherwise_than_stated_are_found() {
    let tampered = Tampered::reports(honest(), |_, _, report| Category(report.0 / 2 * 2));
    let people: Vec<u32> = (0..400).map(|person| person % 4).collect();
    assert!(check_estimator(&tampered, &people, 200).is_err());
    assert_eq!(check_estimator(&honest(), &people, 200), Ok(()));
}

/// Whether a buffer of the wrong width is refused must not depend on the input.
#[test]
fn buffers_of_another_width_are_refused() {
    let mechanism = OptimizedLocalHashing::new(categories(128), epsilon(1.0)).unwrap();
    for width in [1, 4, 8, 20] {
        let mut reports = ReportBuffer::new(width);
        for input in [3, 100] {
            let refused = mechanism.randomize_batch(&[input], &mut Words::seeded(1), &mut reports);
            assert_eq!(refused, Err(InputError::Buffer { expected: 9, got: width }));
        }
        assert!(reports.is_empty());
        let report = mechanism.randomize(&3, &mut Words::seeded(1)).unwrap();
        // A slot of another length is never read as a report.
        let mut slot = vec![0; width];
        mechanism.encode(&report, &mut slot);
        assert!(mechanism.decode(&slot).is_err());
    }
}
