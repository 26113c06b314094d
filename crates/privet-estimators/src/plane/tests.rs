use super::*;
use crate::Frequency;
use crate::statistics::chi_square_upper_tail;
use privet_core::{Epsilon, Generator, Interval, Mechanism, Rectangle, Target};

fn field() -> Rectangle {
    Rectangle::new([Interval::new(0.0, 1.0).unwrap(), Interval::new(0.0, 2.0).unwrap()]).unwrap()
}

fn window(epsilon: f64) -> SquareWindow {
    SquareWindow::with_lattice(field(), Epsilon::new(epsilon).unwrap(), [64, 64]).unwrap()
}

/// Two towns: 3 of 4 people in one cell of a 4 x 4 grid, the others in another one, at places that are not in its middle.
fn towns(people: usize) -> Vec<[f64; 2]> {
    let near = |index: usize| (index % 17) as f64 / 16.0;
    let town = |index: usize| {
        let corner = if index.is_multiple_of(4) { [0.75, 0.5] } else { [0.25, 1.0] };
        [corner[0] + 0.2 * near(index), corner[1] + 0.45 * near(index / 17)]
    };
    (0..people).map(town).collect()
}

fn summary_of(
    estimator: &PlaneEstimator,
    mechanism: &SquareWindow,
    places: &[[f64; 2]],
    seed: u64,
) -> CountSummary {
    let mut drawn = ReportBuffer::new(mechanism.report_bytes());
    mechanism.randomize_batch(places, &mut Generator::from_insecure_seed(seed), &mut drawn).unwrap();
    let mut summary = Estimator::empty_summary(estimator);
    let mut reports = ReportBuffer::new(mechanism.report_bytes() * estimator.places as usize);
    drawn.as_bytes().chunks_exact(reports.report_bytes()).for_each(|report| reports.push(report).unwrap());
    Estimator::accumulate(estimator, &mut summary, &reports).unwrap();
    summary
}

fn truth(places: &[[f64; 2]], side: usize) -> Vec<f64> {
    let mut shares = vec![0.0; side * side];
    for place in places {
        let [column, row] =
            [place[0], place[1] / 2.0].map(|share| ((share * side as f64) as usize).min(side - 1));
        shares[row * side + column] += 1.0 / places.len() as f64;
    }
    shares
}

#[test]
fn towns_are_found_and_intervals_cover() {
    let mechanism = window(4.0);
    let estimator = PlaneEstimator::new(Arc::new(mechanism.clone()), 4).unwrap();
    let people = towns(20_000);
    let shares = truth(&people, 4);
    let (mut covered, mut all) = (0, 0);
    for seed in 0..10 {
        let found =
            Estimator::estimate(&estimator, &summary_of(&estimator, &mechanism, &people, seed)).unwrap();
        assert!((found.cells.iter().map(|row| row.estimate.value).sum::<f64>() - 1.0).abs() < 1e-9);
        for (row, truth) in found.cells.iter().zip(&shares) {
            assert!(
                (row.estimate.value - truth).abs() < 0.08,
                "{}: {} {truth}",
                row.label,
                row.estimate.value
            );
            let holds = |[low, high]: [f64; 2]| *truth >= low - 1e-12 && *truth <= high + 1e-12;
            assert!(
                holds(row.simultaneous_interval),
                "{}: {truth} {:?}",
                row.label,
                row.simultaneous_interval
            );
            covered += usize::from(holds(row.estimate.interval));
            all += 1;
        }
    }
    // At 95 % each, 160 intervals of which those of one seed go together: 140 is far below.
    assert!(covered >= 140, "{covered} of {all}");
}

/// The noise of five places is drawn five times, but about a population five places of one person say no more than one: here all
/// five are the same.
#[test]
fn paths_count_people() {
    let mechanism = window(1.0);
    let single = PlaneEstimator::new(Arc::new(mechanism.clone()), 2).unwrap();
    let paths = PlaneEstimator::new(Arc::new(mechanism.clone()), 2).unwrap().for_paths(5);
    let people = towns(4000);
    let places: Vec<[f64; 2]> = people.iter().flat_map(|place| [*place; 5]).collect();
    let of_paths = summary_of(&paths, &mechanism, &places, 3);
    assert_eq!((of_paths.count(), of_paths.counts().iter().sum::<u64>()), (4000, 20_000));
    let of_people = summary_of(&single, &mechanism, &people, 3);
    for target in Target::ALL {
        // Of the weights alone: what a likelihood leaves open is no matter of paths.
        let request = Request { target, method: Method::Histogram, ..Request::default() };
        let all = paths.place_shares(&of_paths, &request).unwrap();
        let alone = single.place_shares(&of_people, &request).unwrap();
        let least = if target == Target::Population { 0.9 } else { 0.4 };
        for (path, person) in all.cells.iter().zip(&alone.cells) {
            // Up to what the weights differ by.
            assert!(path.estimate.standard_error > least * person.estimate.standard_error);
        }
    }
    let all = Estimator::estimate(&paths, &of_paths).unwrap();
    for (path, truth) in all.cells.iter().zip(truth(&people, 2)) {
        let [low, high] = path.simultaneous_interval;
        assert!((low..=high).contains(&truth), "{low} {truth} {high}");
    }
    assert!(Estimator::estimate(&single, &of_paths).is_err(), "another fingerprint");
}

/// Reports of people at one place against the law of its cell: chi-square over 16 blocks of groups, alpha = 1e-6.
#[test]
fn counters_follow_the_laws() {
    let mechanism = window(2.0);
    let estimator = PlaneEstimator::new(Arc::new(mechanism.clone()), 2).unwrap();
    let people: Vec<[f64; 2]> = (0..40_000)
        .map(|i| [(f64::from(i % 200) + 0.5) / 400.0, 1.0 + (f64::from(i / 200) + 0.5) / 200.0])
        .collect();
    let summary = summary_of(&estimator, &mechanism, &people, 5);
    let law = estimator.cell_laws().swap_remove(2);
    let block = |group: usize| (group / 32 / 8) * 4 + group % 32 / 8;
    let (mut counts, mut expected) = ([0.0; 16], [0.0; 16]);
    for (group, (count, mass)) in summary.counts().iter().zip(law.iter()).enumerate() {
        counts[block(group)] += *count as f64;
        expected[block(group)] += mass * 40_000.0;
    }
    let statistic = |expected: &[f64; 16]| -> f64 {
        counts.iter().zip(expected).map(|(count, mean)| (count - mean).powi(2) / mean).sum()
    };
    assert!(chi_square_upper_tail(statistic(&expected), 15) > 1e-6, "{}", statistic(&expected));
    // The control: the law of another cell.
    let other = estimator.cell_laws().swap_remove(0);
    let mut wrong = [0.0; 16];
    other.iter().enumerate().for_each(|(group, mass)| wrong[block(group)] += mass * 40_000.0);
    assert!(chi_square_upper_tail(statistic(&wrong), 15) < 1e-6);
}

#[test]
fn forged_reports_move_an_estimate_within_the_bounds() {
    let mechanism = window(2.0);
    let estimator = PlaneEstimator::new(Arc::new(mechanism.clone()), 2).unwrap();
    let summary = summary_of(&estimator, &mechanism, &towns(1000), 1);
    let robust = estimator.robust(&summary, Probability::new(0.1).unwrap()).unwrap();
    let Influence::Frequencies(influence) = estimator.influence(&summary).unwrap() else { panic!() };
    let found = Estimator::estimate(&estimator, &summary).unwrap();
    for ((row, influence), found) in robust.rows.iter().zip(influence).zip(&found.cells) {
        let [low, high] = row.bounds.unwrap();
        assert_eq!(row.value, found.estimate.value);
        // A hundred of a thousand reports, each of which moves the mean of the others by about its influence.
        assert!(high - low > 0.0 && high - low < 250.0 * influence, "{low} {high} {influence}");
    }
    let watch = crate::Watch::new(&estimator);
    let judged = watch.judge(&summary, &watch.empty_summary(), Probability::new(1e-6).unwrap()).unwrap();
    assert_eq!(judged.verdict, crate::Verdict::Plausible);
    let mut forged = ReportBuffer::new(mechanism.report_bytes());
    (0..1000).for_each(|_| forged.push(&[7, 0]).unwrap());
    let mut all = Estimator::empty_summary(&estimator);
    Estimator::accumulate(&estimator, &mut all, &forged).unwrap();
    let judged = watch.judge(&all, &watch.empty_summary(), Probability::new(1e-6).unwrap()).unwrap();
    assert_eq!(judged.verdict, crate::Verdict::Implausible);
}

#[test]
fn what_does_not_fit_is_refused() {
    let mechanism = window(1.0);
    for side in [0, 1, 17] {
        let refused = PlaneEstimator::new(Arc::new(mechanism.clone()), side).unwrap_err().to_string();
        assert!(refused.contains("2 to 16 cells"), "{refused}");
    }
    let estimator = mechanism.estimator();
    let empty = Estimator::empty_summary(&estimator);
    assert!(matches!(Estimator::estimate(&estimator, &empty), Err(EstimateError::TooFewReports { .. })));
    let step = Request::from(Consistency::Simplex);
    let summary = summary_of(&estimator, &mechanism, &towns(10), 1);
    assert!(matches!(estimator.answer(&summary, &step), Err(EstimateError::Step { .. })));
    let mut long = ReportBuffer::new(3);
    long.push(&[0; 3]).unwrap();
    let mut untouched = empty.clone();
    assert!(Estimator::accumulate(&estimator, &mut untouched, &long).is_err());
    assert_eq!(untouched, empty);
}

/// Everybody is where all cells meet, which leaves much open: a likelihood chooses otherwise each time. What varies by no more
/// than is stated appears to vary by 1.5 times as much in 40 repetitions with a probability below 1e-5.
#[test]
fn standard_errors_are_true_of_values_that_a_likelihood_chose() {
    const REPETITIONS: u64 = 40;
    let mechanism = window(8.0);
    let estimator = PlaneEstimator::new(Arc::new(mechanism.clone()), 2).unwrap();
    let people = vec![[0.5, 1.0]; 2000];
    let summaries: Vec<CountSummary> =
        (0..REPETITIONS).map(|seed| summary_of(&estimator, &mechanism, &people, seed)).collect();
    let ask = |method: Method| -> Vec<Vec<Frequency>> {
        let request = Request { method, ..Request::default() };
        summaries.iter().map(|summary| estimator.place_shares(summary, &request).unwrap().cells).collect()
    };
    let (chosen, middles) = (ask(Method::default()), ask(Method::Histogram));
    let mean = |of: &dyn Fn(usize) -> f64| (0..summaries.len()).map(of).sum::<f64>() / summaries.len() as f64;
    let varies = |cell: usize| {
        let value = |run: usize| chosen[run][cell].estimate.value;
        let middle = mean(&value);
        mean(&|run| (value(run) - middle).powi(2)).sqrt()
    };
    let stated = |runs: &[Vec<Frequency>], cell: usize| {
        mean(&|run| runs[run][cell].estimate.standard_error.powi(2)).sqrt()
    };
    assert!((0..4).all(|cell| varies(cell) < 1.5 * stated(&chosen, cell)));
    // Control: the standard error of the weights, which is that of the middle, is not true of the likeliest value.
    assert!((0..4).any(|cell| varies(cell) > 1.5 * stated(&middles, cell)));
}
