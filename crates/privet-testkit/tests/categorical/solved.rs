use super::{categories, epsilon};
use privet_core::sampling::WeightRow;
use privet_core::{Category, Epsilon, ExpLowerBound, Mechanism};
use privet_mechanisms::categorical::SolvedCategories;
use privet_testkit::{Battery, Finding, Tampered, check_sampler};

/// A table as solvers make them: every row has the high weight of its own stretch of reports, and what is left over goes to the
/// next one. Reports are as many as wanted, so that tables are wide, square and narrow.
fn windows(count: u32, reports: u32, epsilon: Epsilon) -> SolvedCategories {
    let total = 1u128 << 64;
    let low = (2f64.powi(65) / (f64::from(reports) * (epsilon.get().exp() + 1.0))) as u64;
    let high = ExpLowerBound::of(epsilon).largest_weight(low);
    let row = |input: u32| {
        let mut weights = vec![low; reports as usize];
        let mut left = total - u128::from(low) * u128::from(reports);
        let first = input * reports / count;
        for report in (0..reports).map(|step| (first + step) % reports) {
            let more = left.min(u128::from(high - low)) as u64;
            weights[report as usize] += more;
            left -= u128::from(more);
        }
        WeightRow::new(weights).unwrap()
    };
    let outputs = (0..reports).map(|report| 3 * report).collect();
    SolvedCategories::new(categories(count), outputs, (0..count).map(row).collect(), epsilon).unwrap()
}

const SIZES: [[u32; 2]; 6] = [[2, 2], [2, 7], [3, 3], [5, 12], [5, 3], [16, 16]];

#[test]
fn passes_the_battery() {
    for [count, reports] in SIZES {
        for value in [0.1, 1.0, 4.0].map(epsilon) {
            let mechanism = windows(count, reports, value);
            let inputs: Vec<u32> = (0..count).collect();
            let battery = Battery { mechanism: &mechanism, inputs: &inputs, epsilon: value, slack: 1e-9 };
            assert_eq!(battery.run(), Ok(()), "{mechanism:?}");
            // Frequencies can only be told where reports are as many as categories, and at epsilons that leave some signal.
            if value.get() >= 1.0 && count <= reports.min(5) {
                assert_eq!(battery.run_categorical(), Ok(()), "{mechanism:?}, {reports} reports");
            }
        }
    }
}

#[test]
fn reports_beyond_the_table_are_refused() {
    let mechanism = windows(5, 12, epsilon(1.0));
    assert_eq!((mechanism.report_bits(), mechanism.report_count()), (4, 12));
    assert_eq!(mechanism.decode(&[11]).unwrap(), Category(11));
    assert!(mechanism.decode(&[12]).is_err());
}

#[test]
fn a_sampler_that_never_makes_the_last_report_is_found() {
    let tampered = Tampered::reports(windows(5, 12, epsilon(1.0)), |_, _, report| Category(report.0.min(10)));
    assert!(matches!(check_sampler(&tampered, &[0, 2], 20_000), Err(Finding::Sampler { input: 0, .. })));
}

#[test]
fn a_sampler_with_another_row_is_found() {
    let tampered =
        Tampered::reports(windows(5, 12, epsilon(1.0)), |_, _, report| Category((report.0 + 1) % 12));
    assert!(matches!(check_sampler(&tampered, &[0, 2], 20_000), Err(Finding::Sampler { .. })));
}
