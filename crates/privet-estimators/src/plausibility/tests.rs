use super::*;
use crate::registry as estimators;
use crate::testing::Case;
use privet_core::{Category, Values};

const ALPHA: f64 = 1e-6;

fn case(id: &str, epsilon: f64) -> Case {
    Case::small(id, epsilon)
}

/// People who are as far from even as can be: all alike, or half at either end.
fn people(info: &privet_core::MechanismInfo, n: usize, extreme: bool) -> Values {
    let toggled = |i: usize| !extreme && i % 2 == 1;
    match info.domain {
        "interval" => Values::Numbers((0..n).map(|i| if toggled(i) { -1.0 } else { 1.0 }).collect()),
        "rectangle" => {
            Values::Points((0..n).map(|i| if toggled(i) { [1.0, 2.0] } else { [0.0; 2] }).collect())
        }
        "circle" => Values::Numbers((0..n).map(|i| if toggled(i) { 6.0 } else { 18.0 }).collect()),
        "words" => {
            let words = privet_core::Words::new(2).unwrap();
            Values::Words(vec![privet_core::Domain::parse(&words, "hi").unwrap(); n])
        }
        _ => Values::Categories((0..n).map(|i| u32::from(toggled(i))).collect()),
    }
}

fn judge(case: &Case, reports: &ReportBuffer) -> Plausibility {
    let watch = Watch::new(&*case.estimator);
    let (summary, mut watched) = (case.summary(reports), watch.empty_summary());
    watch.accumulate(&mut watched, reports).unwrap();
    watch.judge(&summary, &watched, Probability::new(ALPHA).unwrap()).unwrap()
}

fn honest(case: &Case, n: usize, extreme: bool, seed: u64) -> ReportBuffer {
    case.reports(&people(&case.mechanism.info(), n, extreme), seed)
}

/// Error rate 1e-6 for each of the mechanisms and both populations.
#[test]
fn honest_reports_of_every_mechanism_are_plausible() {
    for (seed, row) in (1u64..).zip(estimators::ROWS) {
        let case = case(row.id, 1.0);
        for extreme in [true, false] {
            let found = judge(&case, &honest(&case, 3000, extreme, seed));
            assert_eq!(found.verdict, Verdict::Plausible, "{}: {found:?}", row.id);
        }
    }
}

/// Adds the same forged report for a share of everybody.
fn forged(case: &Case, n: usize, forgeries: usize, mut forge: impl FnMut(usize) -> Vec<u8>) -> Plausibility {
    let mut reports = honest(case, n - forgeries, false, 99);
    (0..forgeries).for_each(|i| reports.push(&forge(i)).unwrap());
    judge(case, &reports)
}

#[test]
fn clumsy_forgeries_are_seen() {
    let ones = forged(&case("oue", 1.0), 4000, 200, |_| vec![255, 255, 15]);
    assert!(ones.verdict == Verdict::Implausible && ones.explanation.contains("ones"), "{ones:?}");
    let none = forged(&case("sue", 1.0), 4000, 600, |_| vec![0; 3]);
    assert!(none.verdict == Verdict::Implausible && none.explanation.contains("ones"), "{none:?}");
    let seed = forged(&case("olh", 1.0), 4000, 200, |_| [[7; 8].as_slice(), &[0]].concat());
    assert!(seed.verdict == Verdict::Implausible && seed.explanation.contains("seeds"), "{seed:?}");
    let index = forged(&case("hr", 1.0), 4000, 400, |_| vec![0]);
    assert!(index.verdict == Verdict::Implausible && index.explanation.contains("every"), "{index:?}");
    let flood = forged(&case("grr", 1.0), 4000, 2000, |_| vec![3]);
    assert!(flood.verdict == Verdict::Implausible && flood.explanation.contains("support of"), "{flood:?}");
    let row = forged(&case("rappor", 1.0), 4000, 400, |_| vec![0; 18]);
    assert_eq!(row.verdict, Verdict::Implausible, "{row:?}");
    let table = forged(&case("ordered-exponential", 1.0), 4000, 2000, |_| vec![9]);
    assert!(table.verdict == Verdict::Implausible && table.explanation.contains("report 9"), "{table:?}");
}

#[test]
fn impossible_shapes_of_numbers_are_seen() {
    for id in ["laplace", "piecewise", "square-wave", "optimal-piecewise-circle"] {
        let case = case(id, 1.0);
        let last = {
            let Reading::Numbers(channel) = case.estimator.reading() else { panic!() };
            channel.output_cells() - 1
        };
        let bytes = case.mechanism.report_bytes();
        let found = forged(&case, 4000, 600, |_| {
            let mut slot = vec![0; bytes];
            Category(last).write(&mut slot);
            slot
        });
        assert_eq!(found.verdict, Verdict::Implausible, "{id}: {found:?}");
    }
}

/// A comb: every second one of the 64 parts is avoided. No part by itself is out of bounds, the shape is.
#[test]
fn a_comb_is_only_seen_by_its_shape() {
    let case = case("square-wave", 4.0);
    let Reading::Numbers(channel) = case.estimator.reading() else { panic!() };
    let reports = honest(&case, 6000, false, 5);
    let mut kept = ReportBuffer::new(reports.report_bytes());
    for report in reports.iter() {
        let part = u64::from(channel.decode(report).unwrap().0) * 64 / u64::from(channel.output_cells());
        if part % 2 == 0 {
            kept.push(report).unwrap();
        }
    }
    let found = judge(&case, &kept);
    assert!(found.verdict == Verdict::Implausible && found.explanation.starts_with("shape"), "{found:?}");
}

/// What cannot be seen: people who lie about their value.
#[test]
fn lying_about_the_value_is_plausible() {
    let case = case("oue", 1.0);
    let everybody_says_zero = honest(&case, 4000, true, 3);
    assert_eq!(judge(&case, &everybody_says_zero).verdict, Verdict::Plausible);
}

#[test]
fn strangers_are_refused() {
    let (one, two) = (case("oue", 1.0), case("oue", 2.0));
    let (watch, other) = (Watch::new(&*one.estimator), Watch::new(&*two.estimator));
    let reports = honest(&one, 10, true, 1);
    let mut summary = one.summary(&reports);
    assert!(watch.accumulate(&mut other.empty_summary(), &reports).is_err());
    assert!(watch.accumulate(&mut summary, &reports).is_err());
    let alpha = Probability::new(0.01).unwrap();
    assert!(watch.judge(&summary, &other.empty_summary(), alpha).is_err());
    assert!(watch.judge(&summary, &watch.empty_summary(), alpha).is_ok());
    assert!(watch.judge(&one.estimator.empty_summary(), &watch.empty_summary(), alpha).is_err());
    assert!(watch.accumulate(&mut watch.empty_summary(), &ReportBuffer::new(2)).is_err());
}
