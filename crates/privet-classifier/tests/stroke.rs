//! The stroke models of the papers. The numbers to be met were found with numpy, from the densities and the tables alone.

#![allow(clippy::unwrap_used)]

mod support;

use privet_classifier::paper::{self, Search};
use privet_classifier::{
    About, Case, Classifier, DecisionMap, Goal, Method, ModelClassifier, Options, Outside, Record, Sensitive,
    certified_box, quantify_all, read_records, smallest_epsilons, statement,
};
use privet_core::{BuildOptions, Delta, Epsilon, Generator};
use support::{assert_near, model, product, products, proven, stroke, table};

const EPSILONS: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

#[test]
fn logistic_regression_is_exact_for_every_mechanism() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    // Continuous laws are met more closely than a grid of other points.
    let wanted = [
        ("optimal-piecewise", [0.5756, 0.7655, 0.9138, 0.9883], 2e-4),
        ("grid-randomized-response", [0.3746, 0.4019, 0.5850, 0.9792], 2e-4),
        ("grid-randomized-response", [0.373, 0.400, 0.584, 0.979], 2e-3),
        ("square-wave-bounded", [0.579, 0.725, 0.844, 0.920], 2e-3),
        ("laplace-truncated", [0.572, 0.631, 0.729, 0.852], 2e-3),
    ];
    for (name, probabilities, tolerance) in wanted {
        let rows = proven(&classifier, &record, &sensitive, &products(&[name], &EPSILONS, &sensitive));
        for (row, probability) in rows.iter().zip(probabilities) {
            assert_near(&row.bound, probability, tolerance);
            assert!(row.bound.width() <= 2e-5 && row.bound.method == Method::Linear, "{row:?}");
            assert_eq!(row.bound.confidence, 1.0);
        }
    }
}

#[test]
fn the_forest_is_exact_with_ties_as_class_zero() {
    let Some(classifier) = model("stroke_rf_trees.csv.gz") else { return };
    let (record, sensitive) = stroke(&classifier);
    let rows =
        proven(&classifier, &record, &sensitive, &products(&["optimal-piecewise"], &EPSILONS, &sensitive));
    for (row, probability) in rows.iter().zip([0.62219, 0.76452, 0.90715, 0.98496]) {
        // Ties carry 0.0107 of the mass at epsilon 1: counted the other way this fails.
        assert_near(&row.bound, probability, 5e-4);
        assert!(row.bound.width() < 1e-9 && row.bound.method == Method::Trees);
    }
}

#[test]
fn the_total_is_twice_the_epsilon_of_one_feature() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (_, sensitive) = stroke(&classifier);
    let total = product("optimal-piecewise", 1.5, &sensitive).total();
    assert_eq!(total.kind(), "pure");
    assert!(total.epsilon().get() <= 3.0 && total.epsilon().get() > 3.0 - 1e-6);
}

/// With a tolerance of .05 the papers' box reaches below .6511, also where bmi is high, and their value is above the truth.
#[test]
fn the_printed_value_exceeds_the_truth() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    let rng = &mut Generator::from_insecure_seed(5);
    let search = Search { tolerance: 0.05, ..Search::default() };
    let found = paper::hyperrectangle(&classifier, &record, &sensitive, &search, rng).unwrap();
    let [[low, high], [left, right]] = found.ends[..] else { unreachable!("two features") };
    assert!([1.0 - high, left, 1.0 - right].iter().all(|room| *room < 5e-3), "{found:?}");
    assert!((low - 0.6287).abs() < 3e-3, "{low}");
    let product = product("optimal-piecewise", 1.0, &sensitive);
    let rho = found.rho(&product.laws(&record, &sensitive).unwrap());
    let again = &mut Generator::from_insecure_seed(5);
    let records = std::slice::from_ref(&record);
    let products = std::slice::from_ref(&product);
    assert_eq!(paper::rhos(&classifier, records, &sensitive, products, &search, again).unwrap(), [[rho]]);
    let truth = proven(&classifier, &record, &sensitive, products)[0].bound;
    assert!((rho - 0.590).abs() < 0.005 && rho > truth.upper + 0.005, "{rho} {truth:?}");
}

/// The exact region of the issue, and a box of the forest whose corners and edges are asked about.
#[test]
fn boxes_are_proved() {
    let Some(linear) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&linear);
    let ends = certified_box(&linear, &record, &sensitive, 1e-6).unwrap();
    assert!((ends[0][0] - 0.6511159).abs() < 2e-6 && ends[0][1] == 1.0 && ends[1] == [0.0, 1.0], "{ends:?}");
    let Some(forest) = model("stroke_rf_trees.csv.gz") else { return };
    let ends = certified_box(&forest, &record, &sensitive, 1e-6).unwrap();
    assert!(ends[0][0] < 0.79 && 0.79 < ends[0][1] && ends[1][0] < 0.48 && 0.48 < ends[1][1], "{ends:?}");
    let along = |[from, to]: [f64; 2], step: u32| from + (to - from) * f64::from(step) / 40.0;
    let inside = |age: u32, bmi: u32| {
        let mut row = record.values().to_vec();
        (row[0], row[5]) = (along(ends[0], age), along(ends[1], bmi));
        forest.labels(&row).unwrap()[0]
    };
    assert!((0..=40).all(|age| (0..=40).all(|bmi| inside(age, bmi) == 1)));
    assert!(certified_box(&forest, &record, &sensitive, 0.0).is_err());
}

/// Everybody in the table; a few have a bmi above 1.
fn people(classifier: &ModelClassifier, count: usize) -> Option<(Vec<Record>, Sensitive)> {
    let (_, sensitive) = stroke(classifier);
    let rows: Vec<Vec<f64>> = table("stroke.csv")?.into_iter().map(|row| row[..6].to_vec()).collect();
    let refused = read_records(rows.clone(), &sensitive, Outside::Refuse).unwrap_err();
    assert_eq!((refused.0.is_some(), refused.1.code()), (true, "classifier-outside-unit"));
    let records = read_records(rows.into_iter().take(count), &sensitive, Outside::Clamp).unwrap().records;
    Some((records, sensitive))
}

#[test]
fn a_table_of_people_is_each_of_them() {
    for name in ["stroke_rf_trees.csv.gz", "stroke_lr.json"] {
        let Some(classifier) = model(name) else { return };
        let Some((records, sensitive)) = people(&classifier, 12) else { return };
        let products = products(&["optimal-piecewise", "grid-exponential"], &[2.0, 6.0], &sensitive);
        let options = Options { beside: 6_000, confidence: 1.0 - 1e-6, ..Options::default() };
        let rng = &mut Generator::from_insecure_seed(6);
        let rows = quantify_all(&classifier, &records, &sensitive, &products, &options, rng).unwrap();
        for (row, product) in rows.iter().zip(&products) {
            let each: Vec<_> = records
                .iter()
                .map(|record| proven(&classifier, record, &sensitive, std::slice::from_ref(product))[0].bound)
                .collect();
            assert_eq!(row.bounds, each);
            let mean = each.iter().map(|bound| bound.lower).sum::<f64>() / 12.0;
            let smallest = each.iter().map(|bound| bound.lower).fold(1.0, f64::min);
            assert!((row.average().lower - mean).abs() < 1e-12 && row.worst().lower == smallest);
            assert!(row.for_share(0.5).lower >= smallest && row.for_share(1.0) == row.worst());
            let drawn = row.empirical.unwrap().bound;
            assert!(drawn.lower <= row.average().lower && row.average().upper <= drawn.upper);
        }
    }
}

/// Average and worst case of everybody, five mechanisms, fifteen epsilons.
#[test]
#[ignore = "full size: cargo xtask prove"]
fn everybody_five_mechanisms_fifteen_epsilons() {
    let Some(classifier) = model("stroke_rf_trees.csv.gz") else { return };
    let Some((records, sensitive)) = people(&classifier, usize::MAX) else { return };
    assert_eq!(records.len(), 1000);
    let epsilons: Vec<f64> = (1..=15).map(|step| f64::from(step) / 2.0).collect();
    let names = [
        "optimal-piecewise",
        "square-wave-bounded",
        "laplace-truncated",
        "grid-randomized-response",
        "grid-exponential",
    ];
    let products = products(&names, &epsilons, &sensitive);
    let rng = &mut Generator::from_insecure_seed(6);
    let rows = quantify_all(&classifier, &records, &sensitive, &products, &Options::default(), rng).unwrap();
    assert_eq!(rows.len(), 75);
    for row in &rows {
        assert!(row.worst().lower < row.average().lower && row.average().width() < 1e-9);
    }
}

/// Eight epsilons and every mechanism on an interval, for one record of the forest.
#[test]
#[ignore = "full size: cargo xtask prove"]
fn every_mechanism_and_eight_epsilons_of_one_record() {
    let Some(classifier) = model("stroke_rf_trees.csv.gz") else { return };
    let (record, sensitive) = stroke(&classifier);
    let delta = BuildOptions { delta: Some(Delta::new(0.05).unwrap()), bins: None };
    for row in privet_mechanisms::registry::ROWS.iter().filter(|row| row.info.domain == "interval") {
        let options = if row.info.id.starts_with("gaussian") { delta } else { BuildOptions::default() };
        let products: Vec<_> = (1..=8)
            .map(|epsilon| {
                let epsilon = Epsilon::new(f64::from(epsilon)).unwrap();
                privet_classifier::ProductChannel::named(row.info.id, epsilon, &options, &sensitive).unwrap()
            })
            .collect();
        for row in proven(&classifier, &record, &sensitive, &products) {
            assert!(row.bound.width() < 1e-9);
        }
    }
}

#[test]
fn advice_names_the_smallest_epsilon_that_is_certain() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    let products = products(&["laplace-truncated", "optimal-piecewise"], &[1.0, 2.0, 4.0, 8.0], &sensitive);
    let options = Options { beside: 0, ..Options::default() };
    let rng = &mut Generator::from_insecure_seed(6);
    let records = [record];
    let rows = quantify_all(&classifier, &records, &sensitive, &products, &options, rng).unwrap();
    let advice = smallest_epsilons(&rows, Goal::Everyone, 0.75);
    let named: Vec<_> = advice.iter().map(|one| (one.mechanism, one.epsilon)).collect();
    assert_eq!(named, [("optimal-piecewise", 2.0), ("laplace-truncated", 8.0)]);
    assert!(smallest_epsilons(&rows, Goal::Share(0.95), 0.999).is_empty());
}

/// Age decides and bmi hardly matters, so age costs nearly everything and should get nearly all of the budget.
#[test]
fn advice_finds_the_feature_that_costs_most() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    let case = Case {
        classifier: &classifier,
        records: &[record],
        sensitive: &sensitive,
        mechanism: "optimal-piecewise",
        parameters: BuildOptions::default(),
        goal: Goal::Average,
        options: Options::default(),
    };
    let rng = &mut Generator::from_insecure_seed(6);
    let costs = case.feature_costs(Epsilon::new(2.0).unwrap(), rng).unwrap();
    assert_eq!((costs[0].feature, costs[1].feature), (0, 5));
    assert!(costs[0].alone.upper < 0.8 && costs[1].alone.lower > 0.999);
    assert_eq!(costs[0].without, Some(costs[1].alone));
    let split = case.split(Epsilon::new(4.0).unwrap(), rng).unwrap();
    assert!((split.epsilons.iter().sum::<f64>() - 4.0).abs() < 1e-12);
    assert!(split.epsilons[0] > 3.5 && split.bound.lower > split.equal.upper + 0.1, "{split:?}");
}

#[test]
fn a_statement_names_what_is_promised_and_what_is_certain() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    let product = product("optimal-piecewise", 1.0, &sensitive);
    let row = proven(&classifier, &record, &sensitive, std::slice::from_ref(&product)).remove(0);
    let names = ["age".to_owned(), "bmi".to_owned()];
    let text = statement(&product, &sensitive, &row, About::OneRecord, &names);
    for part in [
        "2 of its 6 features are randomised: age by optimal-piecewise (epsilon = ",
        "at most 7.389 times",
        "The other 4 features are sent as they are",
        "For this record",
        "between 0.575",
        "proved from the model",
    ] {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
    assert!(!text.contains("0.79") && !text.contains("0.48"), "{text}");
}

#[test]
fn a_map_shows_the_region() {
    let Some(classifier) = model("stroke_lr.json") else { return };
    let (record, sensitive) = stroke(&classifier);
    let map = DecisionMap::new(&classifier, &record, &sensitive, 100).unwrap();
    // Along bmi 0.005 the label changes at age .6243, along bmi .995 at .651.
    let changes = |column: usize| (0..100).find(|row| map.labels[row * 100 + column] == map.own).unwrap();
    assert_eq!((map.own, changes(0), changes(99)), (1, 62, 65));
    assert!((map.same() - 0.3623).abs() < 0.01);
    assert!(DecisionMap::new(&classifier, &record, &sensitive, 0).is_err());
    let one = Sensitive::new(vec![0], &classifier).unwrap();
    assert!(DecisionMap::new(&classifier, &record, &one, 10).is_err());
}
