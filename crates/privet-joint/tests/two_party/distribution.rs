//! The joint law of the two bits.

use crate::{ALPHA, draw, table};
use privet_estimators::statistics::chi_square_upper_tail;
use privet_joint::JointTable;

/// The probability that the table's law gives counts as far away as these, of (T1, T2) = 11, 10, 01, 00.
pub(crate) fn p_value(table: &JointTable, counts: [u64; 4]) -> f64 {
    let total: u64 = counts.iter().sum();
    let (mut statistic, mut possible) = (0.0, 0);
    for (count, weight) in counts.into_iter().zip(table.weights()) {
        let expected = total as f64 * weight as f64 / 2f64.powi(64);
        if weight == 0 {
            assert_eq!(count, 0, "an outcome that the table excludes");
        } else {
            statistic += (count as f64 - expected).powi(2) / expected;
            possible += 1;
        }
    }
    chi_square_upper_tail(statistic, possible - 1)
}

/// The place of an outcome in the counts.
pub(crate) fn place([first, second]: [bool; 2]) -> usize {
    2 * usize::from(!first) + usize::from(!second)
}

#[test]
fn real_runs_follow_the_table() {
    let joint = table(0.7, -0.3);
    let mut counts = [0; 4];
    for seed in 0..200 {
        counts[place(draw(&joint, 530_000 + seed))] += 1;
    }
    let got = p_value(&joint, counts);
    assert!(got > ALPHA, "{counts:?}: {got}");
    // The control: the same reports do not come from people who are likely to agree.
    let got = p_value(&table(0.7, 0.5), counts);
    assert!(got < ALPHA, "{counts:?}: {got}");
}
