use super::*;
use crate::statistics::{BinomialCount, binomial_lower_tail};
use crate::testing::Case;
use privet_core::{Generator, Rng, Values};

/// How many standard errors the intervals are widened by, so that a right one fails with a probability below 1e-7 instead of
/// .05: over all cells of a test that stays below 1e-6.
const WIDER: f64 = 3.4;

fn side(case: &Case, bins: usize) -> CrossSide<'_> {
    CrossSide { estimator: &*case.estimator, bins }
}

fn estimator(cases: &[Case; 2], bins: usize) -> CrossTableEstimator<'_> {
    let [first, second] = cases.each_ref().map(|case| side(case, bins));
    CrossTableEstimator::new(first, second).unwrap()
}

fn collected(cases: &[Case; 2], people: [&Values; 2], seed: u64) -> CrossSummary {
    let cross = estimator(cases, 3);
    let mut summary = cross.empty_summary();
    let first = cases[0].reports(people[0], 2 * seed);
    let second = cases[1].reports(people[1], 2 * seed + 1);
    cross.accumulate(&mut summary, &first, &second).unwrap();
    summary
}

/// People in cells of a table, in random order.
fn cells(table: &[&[usize]], seed: u64) -> Vec<(u32, u32)> {
    let mut people: Vec<(u32, u32)> = (0u32..)
        .zip(table)
        .flat_map(|(row, counts)| {
            (0u32..).zip(*counts).flat_map(move |(column, count)| vec![(row, column); *count])
        })
        .collect();
    let mut rng = Generator::from_insecure_seed(seed);
    people.sort_by_cached_key(|_| rng.next_u64());
    people
}

fn categories(people: &[(u32, u32)]) -> [Values; 2] {
    let (rows, columns) = people.iter().copied().unzip();
    [Values::Categories(rows), Values::Categories(columns)]
}

fn wide_interval(cell: &CrossCell) -> std::ops::RangeInclusive<f64> {
    let ([low, high], reach) = (cell.share.interval, WIDER * cell.share.standard_error);
    low - reach..=high + reach
}

const CORRELATED: [&[usize]; 3] = [&[6000, 500, 500, 0], &[500, 4000, 500, 500], &[0, 500, 500, 6500]];

#[test]
fn correlated_categories_are_found_and_shuffled_ones_are_not() {
    for ids in [["grr", "oue"], ["olh", "ordered-exponential"], ["subset-selection", "hr"]] {
        let cases = [Case::new(ids[0], "categories:3", 2.0), Case::new(ids[1], "categories:4", 2.0)];
        let people = cells(&CORRELATED, 1);
        let [first, second] = categories(&people);
        let table = estimator(&cases, 1)
            .estimate(&collected(&cases, [&first, &second], 1), Target::Reported)
            .unwrap();
        let values = table.cells.iter().flatten().map(|cell| cell.share.value);
        assert!((values.sum::<f64>() - 1.0).abs() < 1e-6);
        let truth = |i: usize, j: usize| CORRELATED[i][j] as f64 / 20_000.0;
        let product = |i: usize, j: usize| {
            (0..4).map(|j| truth(i, j)).sum::<f64>() * (0..3).map(|i| truth(i, j)).sum::<f64>()
        };
        for (i, row) in table.cells.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                assert!(wide_interval(cell).contains(&truth(i, j)), "{ids:?} {i} {j}: {cell:?}");
                assert!((cell.share.value - truth(i, j)).abs() < 6.0 * cell.share.standard_error);
            }
        }
        // The same reports with the second ones given to other people: the table is the product of its margins.
        let shuffled = categories(&cells(&CORRELATED, 2))[1].clone();
        let apart = estimator(&cases, 1)
            .estimate(&collected(&cases, [&first, &shuffled], 1), Target::Reported)
            .unwrap();
        for (i, row) in apart.cells.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                assert!(wide_interval(cell).contains(&product(i, j)), "{ids:?} {i} {j}: {cell:?}");
            }
        }
        assert!(!wide_interval(&apart.cells[0][0]).contains(&truth(0, 0)), "{:?}", apart.cells[0][0]);
        assert!(!wide_interval(&table.cells[0][0]).contains(&product(0, 0)), "{:?}", table.cells[0][0]);
    }
}

/// Error rate 1e-6; intervals of a third of the width must fail.
#[test]
fn intervals_cover_as_often_as_they_say() {
    const REPETITIONS: u64 = 150;
    let cases = [Case::new("grr", "categories:2", 1.5), Case::new("oue", "categories:2", 1.5)];
    let people = categories(&cells(&[&[400, 100], &[200, 300]], 3));
    let (mut covered, mut third) = (0, 0);
    for seed in 0..REPETITIONS {
        let summary = collected(&cases, [&people[0], &people[1]], 100 + seed);
        let cell = estimator(&cases, 1).estimate(&summary, Target::Reported).unwrap().cells[0][0];
        let [low, high] = cell.share.interval;
        let middle = f64::midpoint(low, high);
        covered += u64::from((low..=high).contains(&0.4));
        third += u64::from((middle - 0.4).abs() <= (high - low) / 6.0);
    }
    let tail = |count| binomial_lower_tail(BinomialCount::new(count, REPETITIONS).unwrap(), 0.95);
    assert!(tail(covered) > 1e-6, "{covered}");
    assert!(tail(third) < 1e-6, "{third}");
    // Not much wider than need be either: standard errors are those of the draws.
    assert!(covered < REPETITIONS, "{covered}");
}

#[test]
fn numbers_go_with_categories_and_with_numbers() {
    let people = cells(&[&[5000, 1000, 0], &[1000, 5000, 1000], &[0, 1000, 6000]], 4);
    // Bin b of the second attribute is b - 1 to b on [0, 3], anywhere in it.
    let number = |(person, (_, column)): (usize, &(u32, u32))| {
        f64::from(*column) + (person as f64 * 0.618_033_988).fract()
    };
    let numbers = Values::Numbers(people.iter().enumerate().map(number).collect());
    let other =
        |(person, (row, _)): (usize, &(u32, u32))| f64::from(*row) + (person as f64 * 0.414_213_562).fract();
    let others = Values::Numbers(people.iter().enumerate().map(other).collect());
    let truth = [[0.25, 0.05, 0.0], [0.05, 0.25, 0.05], [0.0, 0.05, 0.3]];
    let oue = || Case::new("oue", "categories:3", 3.0);
    let wave = |id| Case::new(id, "interval:0,3", 3.0);
    for (cases, first) in [
        ([oue(), wave("square-wave")], &categories(&people)[0]),
        ([wave("piecewise"), wave("optimal-piecewise")], &others),
    ] {
        let table = estimator(&cases, 3)
            .estimate(&collected(&cases, [first, &numbers], 5), Target::Reported)
            .unwrap();
        let mut width = 0.0;
        for (i, row) in table.cells.iter().enumerate() {
            for (j, cell) in row.iter().enumerate() {
                assert!(wide_interval(cell).contains(&truth[i][j]), "{i} {j}: {cell:?}");
                assert!((cell.share.value - truth[i][j]).abs() < 0.1, "{i} {j}: {cell:?}");
                width += (cell.share.interval[1] - cell.share.interval[0]) / 9.0;
            }
        }
        // The intervals say something: the diagonal is told from the corners.
        let (diagonal, corner) = (table.cells[2][2].share.interval, table.cells[0][2].share.interval);
        assert!(diagonal[0] > corner[1], "{diagonal:?} {corner:?} {width}");
        assert_eq!(table.columns[1], "1 to 2");
    }
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let cases = [Case::new("grr", "categories:3", 1.0), Case::new("oue", "categories:4", 1.0)];
    let cross = estimator(&cases, 1);
    let [three, four] = [3, 4].map(|n| Values::Categories((0..n).collect()));
    let (first, second) = (cases[0].reports(&three, 1), cases[1].reports(&four, 1));
    let mut summary = cross.empty_summary();
    assert!(matches!(cross.accumulate(&mut summary, &first, &second), Err(ReportError::Impossible { .. })));
    let swapped = [Case::new("oue", "categories:4", 1.0), Case::new("grr", "categories:3", 1.0)];
    let second = cases[1].reports(&three, 1);
    assert!(estimator(&swapped, 1).accumulate(&mut summary, &second, &first).is_err());
    assert_eq!(summary, cross.empty_summary());
    assert!(matches!(cross.estimate(&summary, Target::Reported), Err(EstimateError::TooFewReports { .. })));
    cross.accumulate(&mut summary, &first, &second).unwrap();
    assert!(matches!(
        estimator(&swapped, 1).estimate(&summary, Target::Reported),
        Err(EstimateError::Foreign { .. })
    ));
    let (bloom, numbers) = (&Case::small("rappor", 1.0), &Case::small("piecewise", 1.0));
    for (one, two) in [(side(bloom, 3), side(numbers, 3)), (side(numbers, 0), side(numbers, 3))] {
        assert!(matches!(CrossTableEstimator::new(one, two), Err(ParameterError::Incompatible { .. })));
    }
    assert!(CrossTableEstimator::new(side(numbers, 100), side(numbers, 100)).is_err());
}

/// Summaries of parts add up to the summary of the whole, through bytes.
#[test]
fn parts_add_up() {
    let cases = [Case::new("grr", "categories:3", 1.0), Case::small("duchi", 1.0)];
    let [first, _] = categories(&cells(&CORRELATED, 1)[..200]);
    let numbers = Values::Numbers((0..200).map(|i| f64::from(i) / 100.0 - 1.0).collect());
    let cross = estimator(&cases, 2);
    let (one, two) = (cases[0].reports(&first, 1), cases[1].reports(&numbers, 2));
    let mut whole = cross.empty_summary();
    cross.accumulate(&mut whole, &one, &two).unwrap();
    let mut parts = cross.empty_summary();
    for range in [0..70, 70..200] {
        let part = |reports: &ReportBuffer| {
            let mut part = ReportBuffer::new(reports.report_bytes());
            range.clone().for_each(|i| part.push(reports.iter().nth(i).unwrap()).unwrap());
            part
        };
        let mut summary = cross.empty_summary();
        cross.accumulate(&mut summary, &part(&one), &part(&two)).unwrap();
        parts.merge(&CountSummary::from_bytes(&summary.to_bytes()).unwrap()).unwrap();
    }
    assert_eq!(parts, whole);
    // Every pair of a category and one of two reports is in one cell; the last row and column count everybody.
    assert_eq!(whole.counts().len(), 4 * 3);
    assert_eq!(whole.counts()[11], 200);
}
