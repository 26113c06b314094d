//! Bounds of every mechanism on an interval, held against reports that the mechanisms themselves draw.

#![allow(clippy::unwrap_used)]

use privet_classifier::{
    Bound, Classifier, Effort, Method, ModelClassifier, Options, Outside, ProductChannel, Record,
    ReportChannel, Sensitive, quantify,
};
use privet_core::{BuildOptions, Delta, DomainSpec, Epsilon, Generator, Interval, ReportBuffer, Values};
use privet_estimators::statistics::{BinomialCount, clopper_pearson};
use privet_limit::{Purpose, SolvedChannel};
use privet_mechanisms::lattice::{Aim, DecodedRows};
use privet_mechanisms::registry::{AnyMechanism, ROWS, Row};
use privet_model::{Combination, Linear, Model, Node, Tree, Trees};

/// A correct bound fails a comparison with this probability.
const ALPHA: f64 = 1e-6;
const SAMPLES: usize = 2000;

fn options_of(row: &Row) -> BuildOptions {
    let delta = row.info.id.starts_with("gaussian").then(|| Delta::new(0.05).unwrap());
    BuildOptions { delta, bins: None }
}

fn interval_rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| row.info.domain == "interval")
}

fn leaf(value: f64) -> Node {
    Node::Leaf { values: Box::new([value]) }
}

/// A tree of depth two on two features.
fn tree(features: [usize; 2], thresholds: [f64; 3], leaves: [f64; 4]) -> Tree {
    let split = |feature, threshold, below, above| Node::Split { feature, threshold, below, above };
    let [one, two] = features;
    Tree::new(vec![
        split(one, thresholds[0], 1, 2),
        split(two, thresholds[1], 3, 4),
        split(two, thresholds[2], 5, 6),
        leaf(leaves[0]),
        leaf(leaves[1]),
        leaf(leaves[2]),
        leaf(leaves[3]),
    ])
    .unwrap()
}

fn forest(features: usize) -> ModelClassifier {
    let trees = (0..7)
        .map(|index| {
            let at = |offset: usize| ((index * 3 + offset * 5) % 11) as f64 / 11.0;
            let values = [at(1), 1.0 - at(2), at(3), 1.0 - at(4)];
            tree([index % features, (index + 1) % features], [at(5), at(6), at(7)], values)
        })
        .collect();
    let trees = Trees::new(features, trees, Combination::Mean, vec![0.0], 0.47).unwrap();
    ModelClassifier::new(Model::Trees(trees))
}

fn linear(weights: &[f64], intercept: f64) -> ModelClassifier {
    let weights = nalgebra::DMatrix::from_row_slice(1, weights.len(), weights);
    let model = Linear::new(weights, nalgebra::DVector::from_element(1, intercept)).unwrap();
    ModelClassifier::new(Model::Linear(model))
}

/// How many of the reports that a mechanism draws have the label of the record.
fn drawn(
    classifier: &dyn Classifier,
    record: &[f64],
    mechanism: &dyn AnyMechanism,
    channel: &ReportChannel,
    rng: &mut Generator,
) -> BinomialCount {
    let mut rows = vec![0.0; SAMPLES * record.len()];
    for (feature, value) in record.iter().enumerate() {
        let mut reports = ReportBuffer::new(mechanism.report_bytes());
        mechanism.randomize_batch(&Values::Numbers(vec![*value; SAMPLES]), rng, &mut reports).unwrap();
        for (row, slot) in reports.iter().enumerate() {
            rows[row * record.len() + feature] = channel.read(slot).unwrap();
        }
    }
    let own = classifier.labels(record).unwrap()[0];
    let same = classifier.labels(&rows).unwrap().into_iter().filter(|label| *label == own).count();
    BinomialCount::new(same as u64, SAMPLES as u64).unwrap()
}

fn agrees(bound: &Bound, count: BinomialCount) -> bool {
    let interval = clopper_pearson(count, ALPHA);
    bound.lower <= interval.upper && interval.lower <= bound.upper
}

fn bound(classifier: &dyn Classifier, record: &[f64], product: ProductChannel) -> Bound {
    let sensitive = Sensitive::new((0..record.len()).collect(), classifier).unwrap();
    let record = Record::new(record.to_vec(), &sensitive, Outside::Refuse).unwrap();
    let effort = Effort { tolerance: 5e-4, ..Effort::default() };
    let options = Options { beside: 0, effort, ..Options::default() };
    let mut rng = Generator::from_insecure_seed(1);
    quantify(classifier, &record, &sensitive, &[product], &options, &mut rng).unwrap()[0].bound
}

#[test]
fn bounds_hold_for_the_reports_that_mechanisms_draw() {
    let cases: [(ModelClassifier, &[f64], Method); 6] = [
        (linear(&[1.0], -0.4), &[0.55], Method::Linear),
        (linear(&[1.0, -0.7], -0.1), &[0.8, 0.3], Method::Linear),
        (linear(&[1.0, -0.7, 0.4, 0.2], -0.371_39), &[0.8, 0.3, 0.6, 0.1], Method::Linear),
        (forest(1), &[0.3], Method::Trees),
        (forest(2), &[0.3, 0.9], Method::Trees),
        (forest(3), &[0.3, 0.9, 0.6], Method::Partition),
    ];
    let mut rng = Generator::from_insecure_seed(20_261_115);
    let domain = DomainSpec::Interval(Interval::new(0.0, 1.0).unwrap());
    let epsilon = Epsilon::new(2.0).unwrap();
    for row in interval_rows() {
        let options = options_of(row);
        let mechanism = row.build_with(&domain, epsilon, &options).unwrap();
        let channel = std::sync::Arc::new(ReportChannel::named(row.info.id, epsilon, &options).unwrap());
        for (classifier, record, method) in &cases {
            let product = ProductChannel::new(vec![channel.clone(); record.len()]).unwrap();
            let bound = bound(classifier, record, product);
            assert_eq!(bound.method, *method);
            assert!(bound.width() <= 6e-4, "{}: {bound:?}", row.info.id);
            let count = drawn(classifier, record, mechanism.as_ref(), &channel, &mut rng);
            assert!(agrees(&bound, count), "{} {method:?}: {bound:?} {count:?}", row.info.id);
        }
    }
}

/// The same comparison finds a channel of another epsilon.
#[test]
fn the_comparison_finds_bounds_of_another_channel() {
    let classifier = linear(&[1.0, -0.7], -0.1);
    let record = [0.8, 0.3];
    let domain = DomainSpec::Interval(Interval::new(0.0, 1.0).unwrap());
    let options = BuildOptions::default();
    let mut rng = Generator::from_insecure_seed(20_261_116);
    for name in ["optimal-piecewise", "laplace", "grid-exponential"] {
        let [own, other] = [2.0, 4.0].map(|epsilon| Epsilon::new(epsilon).unwrap());
        let row = privet_mechanisms::registry::find(name).unwrap();
        let mechanism = row.build_with(&domain, own, &options).unwrap();
        let channel = std::sync::Arc::new(ReportChannel::named(name, own, &options).unwrap());
        let wrong = std::sync::Arc::new(ReportChannel::named(name, other, &options).unwrap());
        let count = drawn(&classifier, &record, mechanism.as_ref(), &channel, &mut rng);
        let tampered = bound(&classifier, &record, ProductChannel::new(vec![wrong; 2]).unwrap());
        assert!(!agrees(&tampered, count), "{name}: {tampered:?} {count:?}");
    }
}

#[test]
fn a_mechanism_that_is_not_about_the_unit_interval_is_refused() {
    let epsilon = Epsilon::new(1.0).unwrap();
    for name in ["grr", "optimal-piecewise-circle", "no-such-thing"] {
        assert!(ReportChannel::named(name, epsilon, &BuildOptions::default()).is_err(), "{name}");
    }
    // Gaussian noise has no default delta.
    assert!(ReportChannel::named("gaussian", epsilon, &BuildOptions::default()).is_err());
}

/// A channel from a solver, and one on other numbers than the unit interval.
#[test]
fn solved_channels_work_where_they_are_on_the_unit_interval() {
    let numbers = [0.0, 0.25, 0.75, 1.0].map(DecodedRows::number_of).to_vec();
    let rows = DecodedRows::new(numbers, 2, Aim::Nearest, Epsilon::new(1.0).unwrap()).unwrap();
    let solved = |high: f64| {
        let domain = Interval::new(0.0, high).unwrap();
        SolvedChannel::Interval { purpose: Purpose::Other, domain, rows: rows.clone() }
    };
    assert!(ReportChannel::solved(&solved(2.0)).is_err());
    let channel = ReportChannel::solved(&solved(1.0)).unwrap();
    assert_eq!(channel.id(), "solved-interval");
    assert!(channel.epsilon() <= 1.0 && channel.epsilon() > 0.99);
    let law = channel.law(0.9).unwrap();
    // Two of four cells are in the window, which is at the upper end.
    let e = 1f64.exp();
    assert!((law.mass([0.5, 1.0]) - e / (e + 1.0)).abs() < 1e-9);
    let classifier = linear(&[1.0], -0.5);
    let product = ProductChannel::new(vec![std::sync::Arc::new(channel)]).unwrap();
    let bound = bound(&classifier, &[0.9], product);
    assert!((bound.lower - e / (e + 1.0)).abs() < 1e-9 && bound.width() < 1e-9);
}
