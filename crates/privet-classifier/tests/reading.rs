//! Models that were read from something else: they are compared with it first, and ties are its own.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use nalgebra::{DMatrix, DVector};
use privet_classifier::{
    Asked, Classifier, ClassifierError, Disagreement, FunctionClassifier, Method, ModelClassifier, Options,
    Outside, ProductChannel, ReadClassifier, Reading, Record, Sensitive, quantify, read_records,
};
use privet_core::{BuildOptions, Epsilon, Generator};
use privet_model::{Combination, Linear, Model, Node, Tree, Trees, threshold_in_single_precision};
use std::num::NonZeroUsize;
use support::{product, proven};

/// A function of rows of this many numbers.
fn function(inputs: usize, label: impl Fn(&[f64]) -> usize + Send + Sync + 'static) -> Box<dyn Classifier> {
    let inputs = NonZeroUsize::new(inputs).unwrap();
    Box::new(FunctionClassifier::new(inputs, move |row: &[f64]| Ok::<_, ClassifierError>(label(row))))
}

fn linear(weights: &[&[f64]], intercepts: &[f64]) -> Model {
    let rows = weights.len();
    let matrix = DMatrix::from_row_iterator(rows, weights[0].len(), weights.concat());
    Model::Linear(Linear::new(matrix, DVector::from_row_slice(intercepts)).unwrap())
}

/// Class 1 where the first two numbers add up to more than one.
fn line() -> Model {
    linear(&[&[1.0, 1.0, 0.0]], &[-1.0])
}

fn leaf(values: &[f64]) -> Node {
    Node::Leaf { values: values.into() }
}

/// A tree with one cut.
fn stump(threshold: f64, below: &[f64], above: &[f64]) -> Tree {
    Tree::new(vec![Node::Split { feature: 0, threshold, below: 1, above: 2 }, leaf(below), leaf(above)])
        .unwrap()
}

fn forest(trees: Vec<Tree>, outputs: usize) -> Model {
    Model::Trees(Trees::new(1, trees, Combination::Mean, vec![0.0; outputs], 0.5).unwrap())
}

/// Five people of three numbers, of whom the first two are private.
fn compare(
    own: Box<dyn Classifier>,
    model: Model,
    epsilon: f64,
) -> (Reading, Vec<Record>, Sensitive, Vec<ProductChannel>) {
    let inputs = own.inputs();
    let sensitive = Sensitive::new((0..inputs.min(2)).collect(), &*own).unwrap();
    let people = [[0.9, 0.6, 0.1], [0.2, 0.3, 0.2], [0.5, 0.7, 0.3], [0.1, 0.1, 0.4], [0.35, 0.35, 0.5]];
    let rows = people.map(|row| row[..inputs].to_vec());
    let records = read_records(rows, &sensitive, Outside::Refuse).unwrap().records;
    let products = vec![product("optimal-piecewise", epsilon, &sensitive)];
    let asked = Asked { records: &records, sensitive: &sensitive, products: &products };
    let reading = Reading::compare(own, model, asked, &mut Generator::from_insecure_seed(1)).unwrap();
    (reading, records, sensitive, products)
}

fn refuted(own: Box<dyn Classifier>, model: Model) -> Disagreement {
    refuted_at(2.0, own, model)
}

fn refuted_at(epsilon: f64, own: Box<dyn Classifier>, model: Model) -> Disagreement {
    match compare(own, model, epsilon).0 {
        Reading::Refuted { disagreement, .. } => disagreement,
        Reading::Confirmed(_) => panic!("no difference was found"),
    }
}

fn confirmed(
    own: Box<dyn Classifier>,
    model: Model,
) -> (ReadClassifier, Vec<Record>, Sensitive, Vec<ProductChannel>) {
    match compare(own, model, 2.0) {
        (Reading::Confirmed(read), records, sensitive, products) => (read, records, sensitive, products),
        (Reading::Refuted { disagreement, .. }, ..) => panic!("{disagreement}"),
    }
}

#[test]
fn a_model_that_computes_the_same_is_proved_about() {
    let (read, records, sensitive, products) =
        confirmed(function(3, |row| usize::from(row[0] + row[1] - 1.0 > 0.0)), line());
    let itself = ModelClassifier::new(line());
    for record in &records {
        let [ours, its] = [&read as &dyn Classifier, &itself]
            .map(|classifier| proven(classifier, record, &sensitive, &products)[0].bound);
        assert_eq!((ours.method, ours.confidence), (Method::Linear, 1.0));
        assert!(
            ours.lower <= its.upper && its.lower <= ours.upper && ours.width() < 2e-5,
            "{ours:?} {its:?}"
        );
    }
}

#[test]
fn differences_are_found_wherever_they_are() {
    // Another label for everybody.
    let everywhere = refuted(function(3, |row| usize::from(row[0] + row[1] <= 1.0)), line());
    assert_eq!(everywhere.records, 5);
    // Only where reports of these people hardly ever come: of 4096 that are drawn at this epsilon, one in a hundred runs.
    let corner = |row: &[f64]| usize::from((row[0] + row[1] > 1.0) ^ (row[0] > 0.97 && row[1] > 0.9));
    let rare = refuted_at(14.0, function(3, corner), line());
    assert!(rare.records == 0 && rare.reports > 0, "{rare}");
    // A boundary that is moved by so little that no report is ever drawn there.
    let moved = refuted(function(3, |row| usize::from(row[0] + row[1] > 1.0 + 1e-8)), line());
    assert!(moved.records == 0 && moved.beside > 0, "{moved}");
    // Classes that the model does not have.
    assert!(refuted(function(3, |row| 2 * usize::from(row[0] + row[1] > 1.0)), line()).records > 0);
    assert!(everywhere.to_string().contains("another label than the classifier itself at"), "{everywhere}");
}

#[test]
fn a_vote_of_pairs_is_no_argmax() {
    // Rows of weights that tell the first class from the second, the first from the third, and the second from the third.
    let rows = [[2.0, -1.0, 0.0], [1.0, 1.0, -1.0], [-1.0, 2.0, -0.5]];
    let intercepts = [-0.3, -0.8, -0.2];
    let vote = move |row: &[f64]| {
        let side = |pair: usize| {
            rows[pair].iter().zip(row).map(|(weight, value)| weight * value).sum::<f64>() + intercepts[pair]
                > 0.0
        };
        let mut votes = [0; 3];
        for (pair, [first, second]) in [[0, 1], [0, 2], [1, 2]].into_iter().enumerate() {
            votes[if side(pair) { first } else { second }] += 1;
        }
        (0..3).max_by_key(|class| (votes[*class], 3 - class)).unwrap()
    };
    let weights: Vec<&[f64]> = rows.iter().map(<[f64; 3]>::as_slice).collect();
    assert!(refuted(function(3, vote), linear(&weights, &intercepts)).reports > 100);
}

#[test]
fn inputs_that_are_rounded_move_thresholds() {
    // The middle of 0.2 and 0.4 as scikit-learn has it.
    let cut = f64::from(0.2f32).midpoint(f64::from(0.4f32));
    let rounds = move || function(1, move |row| usize::from(f64::from(row[0] as f32) > cut));
    let tree = |threshold| forest(vec![stump(threshold, &[1.0, 0.0], &[0.0, 1.0])], 2);
    let plain = refuted(rounds(), tree(cut));
    assert!(plain.beside > 0 && plain.records == 0, "{plain}");
    let (read, ..) = confirmed(rounds(), tree(threshold_in_single_precision(cut)));
    assert!(!read.decides_ties(), "votes have no rounding");
    // A sliver that no report meets and no way between records crosses.
    let sliver =
        forest(vec![stump(0.61, &[1.0, 0.0], &[0.0, 1.0]), stump(0.61 + 1e-9, &[0.5, 0.5], &[2.0, 0.0])], 2);
    let unseen = refuted(function(1, |_| 0), sliver);
    assert!(unseen.records == 0 && unseen.reports == 0 && unseen.beside > 0, "{unseen}");
    // A tree that takes the threshold itself to the other side differs in one number.
    let strict = function(1, move |row| usize::from(row[0] >= cut));
    assert!(refuted(strict, tree(cut)).beside > 0);
}

/// The sums of two classes as a program adds them up, the second class first in ties if it is larger by rounding.
fn summed(order: [usize; 3]) -> Box<dyn Classifier> {
    function(1, move |row| {
        let shares = [if row[0] <= 0.3 { 0.1 } else { 0.4 }, if row[0] <= 0.5 { 0.8 } else { 0.9 }, 0.3];
        let second: f64 = order.iter().map(|tree| shares[*tree]).sum();
        let first: f64 = order.iter().map(|tree| 1.0 - shares[*tree]).sum();
        usize::from(second / 3.0 > first / 3.0)
    })
}

#[test]
fn ties_belong_to_what_was_read() {
    // From 0.3 to 0.5 the shares are 0.4, 0.8 and 0.3: a tie, which rounding decides, and in another order otherwise.
    let model = || {
        let pair = |share: f64| [1.0 - share, share];
        let trees = [(0.3, 0.1, 0.4), (0.5, 0.8, 0.9), (0.7, 0.3, 0.3)];
        forest(trees.map(|(cut, below, above)| stump(cut, &pair(below), &pair(above))).to_vec(), 2)
    };
    let mut masses = Vec::new();
    for order in [[0, 1, 2], [2, 0, 1], [2, 1, 0]] {
        let (read, records, sensitive, products) = confirmed(summed(order), model());
        assert!(read.decides_ties());
        let laws = products[0].laws(&records[0], &sensitive).unwrap();
        // The record at 0.9 has the second class, and so has everything above 0.5.
        let tied_is_second = read.labels(&[0.4]).unwrap() == [1];
        let truth = 1.0 - laws[0].cdf(if tied_is_second { 0.3 } else { 0.5 });
        let bound = proven(&read, &records[0], &sensitive, &products)[0].bound;
        assert!(bound.method == Method::Trees && bound.width() < 1e-9);
        assert!((bound.lower - truth).abs() < 1e-9, "{bound:?} is not {truth}");
        masses.push(bound.lower);
    }
    assert!(
        masses.iter().any(|mass| (mass - masses[0]).abs() > 0.01),
        "no order decides otherwise: {masses:?}"
    );
}

#[test]
fn a_report_on_the_boundary_of_a_line_is_left_open() {
    let sensitive = Sensitive::new(vec![0], &*function(1, |_| 0)).unwrap();
    let channel = |epsilon: f64| {
        let options = BuildOptions { delta: None, bins: Some(10) };
        ProductChannel::named(
            "grid-randomized-response",
            Epsilon::new(epsilon).unwrap(),
            &options,
            &sensitive,
        )
    };
    let products = [channel(2.0).unwrap()];
    let records = read_records([vec![0.9]], &sensitive, Outside::Refuse).unwrap().records;
    let laws = products[0].laws(&records[0], &sensitive).unwrap();
    // One of ten reports lies on the boundary. Both ways to round it are within the bound.
    let at = laws[0].value(4);
    let model = linear(&[&[1.0]], &[-at]);
    let asked = Asked { records: &records, sensitive: &sensitive, products: &products };
    let above = 1.0 - laws[0].cdf(at);
    for (own, truth) in [
        (function(1, move |row| usize::from(row[0] > at)), above),
        (function(1, move |row| usize::from(row[0] >= at)), above + laws[0].mass_of(4)),
    ] {
        let mut rng = Generator::from_insecure_seed(1);
        let Reading::Confirmed(read) = Reading::compare(own, model.clone(), asked, &mut rng).unwrap() else {
            panic!("rounding was taken for a difference")
        };
        let bound = proven(&read, &records[0], &sensitive, &products)[0].bound;
        assert!(bound.lower <= truth && truth <= bound.upper && bound.width() < 0.06, "{bound:?} {truth}");
    }
}

#[test]
fn small_weights_are_no_ties() {
    let own = function(3, |row| usize::from(1e-12 * (row[0] + row[1] - 1.0) > 0.0));
    let (read, records, sensitive, products) = confirmed(own, linear(&[&[1e-12, 1e-12, 0.0]], &[-1e-12]));
    let bound = proven(&read, &records[0], &sensitive, &products)[0].bound;
    let truth = proven(&ModelClassifier::new(line()), &records[0], &sensitive, &products)[0].bound;
    assert!(bound.width() < 1e-4 && bound.lower <= truth.upper && truth.lower <= bound.upper);
}

#[test]
fn drawn_reports_are_labelled_by_what_was_read() {
    // It agrees wherever it is compared, but not with reports that are asked about afterwards.
    let calls = std::sync::atomic::AtomicBool::new(false);
    let calls: &'static std::sync::atomic::AtomicBool = Box::leak(Box::new(calls));
    let own = function(3, |row| {
        let is_over = calls.load(std::sync::atomic::Ordering::Relaxed);
        usize::from(row[0] + row[1] > 1.0 && !is_over)
    });
    let (read, records, sensitive, products) = confirmed(own, line());
    calls.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut rng = Generator::from_insecure_seed(1);
    let rows = quantify(&read, &records[1], &sensitive, &products, &Options::default(), &mut rng).unwrap();
    assert_eq!(rows[0].empirical.unwrap().share, 1.0);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let own = || function(3, |_| 0);
    let sensitive = Sensitive::new(vec![0], &*own()).unwrap();
    let records = read_records([vec![0.5; 3]], &sensitive, Outside::Refuse).unwrap().records;
    let products = [product("optimal-piecewise", 1.0, &sensitive)];
    let code = |own: Box<dyn Classifier>, model: Model| {
        let asked = Asked { records: &records, sensitive: &sensitive, products: &products };
        Reading::compare(own, model, asked, &mut Generator::from_insecure_seed(1)).unwrap_err().code()
    };
    assert_eq!(code(own(), linear(&[&[1.0, 1.0]], &[0.0])), "classifier-arity");
    let Model::Linear(regression) = line() else { panic!("a line") };
    assert_eq!(code(own(), Model::Linear(regression.clone().of_values())), "classifier-model");
    // A regression is no classifier, read or not.
    let classifier = ModelClassifier::new(Model::Linear(regression.of_values()));
    let mut rng = Generator::from_insecure_seed(1);
    let refused = quantify(&classifier, &records[0], &sensitive, &products, &Options::default(), &mut rng);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the model is a regression: it gives values, and labels are asked for"
    );
    let count = std::sync::atomic::AtomicUsize::new(0);
    let moody = function(3, move |_| count.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    assert_eq!(code(moody, line()), "classifier-not-deterministic");
}
