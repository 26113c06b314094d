//! Summaries that no honest collection gives: estimates stay numbers, and in their intervals.

use super::Collection;
use privet_core::{Estimate, EstimateError, Summary, Target};
use privet_estimators::numeric::Method;
use privet_estimators::{Answer, CountSummary, Request};

/// A summary with these counters.
fn forged(collection: &Collection, n: u64, fill: impl Fn(usize) -> u64) -> CountSummary {
    let empty = collection.estimator.empty_summary();
    let mut bytes = empty.to_bytes();
    bytes[12..20].copy_from_slice(&n.to_le_bytes());
    for index in 0..empty.counts().len() {
        bytes[28 + 8 * index..36 + 8 * index].copy_from_slice(&fill(index).to_le_bytes());
    }
    CountSummary::from_bytes(&bytes).unwrap()
}

fn check(estimate: &Estimate, name: &str) {
    let Estimate { value, standard_error, bias_bound, interval: [low, high], .. } = *estimate;
    assert!(
        [value, standard_error, bias_bound, low, high].iter().all(|number| number.is_finite()),
        "{name}: {estimate:?}"
    );
    assert!(low <= value && value <= high, "{name}: {estimate:?}");
    assert!(standard_error >= 0.0 && bias_bound >= 0.0, "{name}: {estimate:?}");
}

fn check_all(answer: &Answer, name: &str) {
    let shares =
        |rows: &[privet_estimators::numeric::RangeShare]| rows.iter().for_each(|row| check(&row.share, name));
    match answer {
        Answer::Numbers(numbers) => {
            check(&numbers.mean, name);
            shares(&numbers.bins);
            shares(&numbers.ranges);
            numbers.quantiles.iter().for_each(|quantile| check(&quantile.value, name));
        }
        Answer::Angles(angles) => {
            check(&angles.direction, name);
            check(&angles.resultant_length, name);
            shares(&angles.bins);
        }
        Answer::Frequencies(frequencies) => frequencies.rows.iter().for_each(|row| {
            check(&row.estimate, name);
            let [low, high] = row.simultaneous_interval;
            assert!(low <= row.estimate.interval[0] && high >= row.estimate.interval[1], "{name}: {row:?}");
        }),
        _ => panic!("{name}"),
    }
}

const KINDS: [(&str, &str); 9] = [
    ("square-wave", "interval:0,1"),
    ("optimal-piecewise", "interval:-5,7"),
    ("laplace", "interval:0,1"),
    ("duchi", "interval:0,1"),
    ("grid-randomized-response", "interval:0,1"),
    ("optimal-piecewise-circle", "circle:24"),
    ("sector-randomized-response", "circle:360"),
    ("generalized-randomized-response", "categories:5"),
    ("ordered-exponential", "categories:5"),
];

fn requests() -> [Request; 3] {
    [
        (Target::Reported, 1, Method::default()),
        (Target::Population, 7, Method::ExpectationMaximization),
        (Target::Reported, 300, Method::Histogram),
    ]
    .map(|(target, bins, method)| Request { target, bins, method, ..Request::default() })
}

#[test]
fn one_report_or_all_reports_alike() {
    for (name, domain) in KINDS {
        for epsilon in [0.1, 8.0] {
            let collection = Collection::new(name, domain, epsilon);
            // The last two counters of numbers are sums, not groups of reports.
            let groups = collection.estimator.empty_summary().counts().len() - 2;
            for n in [1, 1000] {
                for place in [0, groups / 2, groups - 1] {
                    let summary = forged(&collection, n, |index| if index == place { n } else { 0 });
                    for request in requests() {
                        let answer = collection.estimator.answer(&summary, &request);
                        let context = format!("{name} {epsilon} {n} {place}");
                        check_all(&answer.expect(&context), &context);
                    }
                }
            }
        }
    }
}

/// More reports than floating-point numbers can tell apart.
#[test]
fn numbers_of_reports_beyond_two_to_the_53() {
    for (name, domain) in KINDS {
        let collection = Collection::new(name, domain, 1.0);
        let counters = collection.estimator.empty_summary().counts().len();
        // The last two counters of numbers are sums, not groups of reports.
        let groups = if domain.starts_with("categories") { counters } else { counters - 2 };
        let each = (1u64 << 60) / groups as u64;
        let summary = forged(&collection, each * groups as u64, |_| each);
        let answer = collection.estimator.answer(&summary, &Request::default()).unwrap();
        check_all(&answer, name);
    }
}

#[test]
fn nothing_is_too_few_and_nonsense_is_refused() {
    for (name, domain) in KINDS {
        let collection = Collection::new(name, domain, 1.0);
        let empty = collection.estimator.empty_summary();
        let refused = collection.estimator.answer(&empty, &Request::default());
        assert!(matches!(refused, Err(EstimateError::TooFewReports { .. })), "{name}: {refused:?}");
    }
    let collection = Collection::new("square-wave", "interval:0,1", 1.0);
    // Reports that are in no group at all.
    let summary = forged(&collection, 10, |_| 0);
    let refused = collection.estimator.answer(&summary, &Request::default());
    assert!(matches!(refused, Err(EstimateError::Damaged { .. })), "{refused:?}");
    let summary = collection.collect(&[0.5; 100], 1);
    for request in [
        Request { ranges: vec![[0.6, 0.4]], ..Request::default() },
        Request { ranges: vec![[-1.0, 0.4]], ..Request::default() },
        Request { ranges: vec![[f64::NAN, 0.4]], ..Request::default() },
        Request { quantiles: vec![1.5], ..Request::default() },
        Request { bins: 0, ..Request::default() },
        Request { bins: 5000, ..Request::default() },
        Request { populations: privet_estimators::Populations::Smooth { bins: 1 }, ..Request::default() },
    ] {
        let refused = collection.estimator.answer(&summary, &request);
        assert!(matches!(refused, Err(EstimateError::NotIdentifiable { .. })), "{request:?} {refused:?}");
    }
}

/// Thousands of bins that the channel cannot tell apart: each has the interval of a wider one.
#[test]
fn bins_finer_than_the_channel() {
    let collection = Collection::new("optimal-piecewise", "interval:0,1", 0.5);
    let summary = collection.collect(&[0.31; 500], 2);
    let answer =
        collection.estimator.answer(&summary, &Request { bins: 4096, ..Request::default() }).unwrap();
    check_all(&answer, "fine bins");
    let bins = answer.into_numbers().unwrap().bins;
    assert!(bins.iter().all(|bin| bin.share.interval[0] == 0.0));
    let own = bins.iter().find(|bin| bin.from <= 0.31 && 0.31 < bin.to).unwrap();
    assert!(own.share.interval[1] > 0.5, "everybody may be in it: {own:?}");
}
