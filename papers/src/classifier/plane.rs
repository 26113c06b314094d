//! Classifiers in the plane.

use super::NETWORK;
use super::stroke::region;
use super::study::Study;
use crate::{Findings, LabelMap, ReproduceError, Setting};
use nalgebra::{DMatrix, DVector};
use privet::Generator;
use privet::classifier::paper::{self, Search};
use privet::classifier::{Classifier, ClassifierError, DecisionMap, Record, certified_box};
use privet::model::{Activation, Layer, Model, Network};

/// The middle of the square.
const MIDDLE: [f64; 2] = [0.5, 0.5];
/// The parameters of the example.
const SEARCH: Search = Search { tolerance: 0.02, error: 0.05, precision: 1e-3 };
const NAMES: [&str; 2] = ["first feature", "second feature"];

fn study(setting: &Setting) -> Result<(Study, Record), ReproduceError> {
    let study = Study::read(setting, NETWORK, [0, 1])?;
    let record = study.record(&MIDDLE)?;
    Ok((study, record))
}

fn around(theta: f64) -> [f64; 2] {
    [0.5 - theta, 0.5 + theta]
}

fn paper_radius(study: &Study, record: &Record) -> Result<f64, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(72);
    Ok(paper::radius(&study.classifier, record, &study.sensitive, &SEARCH, &mut rng)?)
}

/// Whether the second class certainly wins within theta of the middle.
fn is_second(network: &Network, theta: f64) -> Result<bool, ReproduceError> {
    let [low, high] = around(theta);
    let bounds = network.difference_bounds(&[low; 2], &[high; 2], 1, 0);
    Ok(bounds.map_err(ClassifierError::from)?.0 > 0.0)
}

/// The largest radius for which [`is_second`] is proved.
fn certified_radius(model: Option<&Model>) -> Result<f64, ReproduceError> {
    let Some(Model::Network(network)) = model else { return Ok(f64::NAN) };
    let [mut inside, mut outside] = [0.0, 0.5];
    while outside - inside > 1e-6 {
        let middle = f64::midpoint(inside, outside);
        if is_second(network, middle)? { inside = middle } else { outside = middle }
    }
    Ok(inside)
}

pub(super) fn figure_7_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (study, record) = study(setting)?;
    let certified = certified_radius(study.classifier.structure())?;
    let found = paper_radius(&study, &record)?;
    let boxes = [
        ("certified radius", around(certified), around(certified)),
        ("radius of the paper's search", around(found), around(found)),
    ];
    let mut findings = Findings::default();
    findings.entry("radius", "certified", certified);
    findings.entry("radius", "the paper's search", found);
    let region = region(&study, &record, NAMES, &boxes)?;
    findings.maps.push(LabelMap { name: String::new(), region });
    Ok(findings)
}

pub(super) fn example_11(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (study, record) = study(setting)?;
    let mut findings = Findings::default();
    findings.measure("classifier-ex11-n", SEARCH.samples() as f64);
    findings.measure("classifier-ex11-theta", paper_radius(&study, &record)?);
    let map = DecisionMap::new(&study.classifier, &record, &study.sensitive, 500)?;
    // The box of radius .2 has the cells from three to seven tenths.
    let inside = |cell: usize| (150..350).contains(&(cell / 500)) && (150..350).contains(&(cell % 500));
    let other = map.labels.iter().enumerate().filter(|(cell, label)| inside(*cell) && **label != map.own);
    findings.measure("classifier-ex11-certain", other.count() as f64 / 200f64.powi(2));
    Ok(findings)
}

pub(super) fn figure_7_4(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (study, record) = study(setting)?;
    let mut rng = Generator::from_insecure_seed(73);
    let found = paper::hyperrectangle(&study.classifier, &record, &study.sensitive, &SEARCH, &mut rng)?;
    let certified = certified_box(&study.classifier, &record, &study.sensitive, 1e-6)?;
    let mut findings = Findings::default();
    super::stroke::box_entries(&mut findings, "network", &found);
    for (name, boxes) in [
        (
            "boxes",
            [
                ("certified box", certified[0], certified[1]),
                ("box of the paper's search", found.ends[0], found.ends[1]),
            ],
        ),
        (
            "radius .2",
            [
                ("radius .2", around(0.2), around(0.2)),
                ("the printed [.4,.6] x [.4,.6]", around(0.1), around(0.1)),
            ],
        ),
    ] {
        let region = region(&study, &record, NAMES, &boxes)?;
        findings.maps.push(LabelMap { name: name.to_owned(), region });
    }
    Ok(findings)
}

pub(super) fn example_13(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    findings.measure("classifier-ex13-box", around(0.2)[0]);
    Ok(findings)
}

/// The distance from (-1,-1) at which both discriminants are equal, the same in all directions.
pub(super) fn example_14(_: &Setting) -> Result<Findings, ReproduceError> {
    let first = |[u, v]: [f64; 2]| -0.5 * (u * u + v * v) + 0.5f64.ln();
    let second = |[u, v]: [f64; 2]| {
        -0.5 * (0.5 * (u - 1.0).powi(2) + 0.5 * (v - 1.0).powi(2)) - 0.5 * 4f64.ln() + 0.5f64.ln()
    };
    let radius = |angle: f64| {
        let at = |radius: f64| [-1.0 + radius * angle.cos(), -1.0 + radius * angle.sin()];
        let (mut inside, mut outside) = (0.0, 10.0);
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if first(at(middle)) > second(at(middle)) { inside = middle } else { outside = middle }
        }
        inside
    };
    let radii: Vec<f64> = (0..8).map(|turn| radius(f64::from(turn))).collect();
    let largest = radii.iter().copied().fold(0.0, f64::max);
    let is_circle = radii.iter().all(|radius| largest - radius < 1e-9);
    let mut findings = Findings::default();
    findings.measure("classifier-ex14-radius", if is_circle { largest } else { f64::NAN });
    Ok(findings)
}

/// The network with the printed weights.
fn printed_network() -> Result<Network, ClassifierError> {
    let affine = |weights: [f64; 4], bias: [f64; 2]| Layer::Affine {
        weights: DMatrix::from_row_slice(2, 2, &weights),
        bias: DVector::from_row_slice(&bias),
    };
    let layers = vec![
        affine([-1.86, -2.09, 0.12, -0.46], [3.71, -0.08]),
        Layer::Activation(Activation::Relu),
        affine([-3.05, 0.40, 4.02, -0.22], [0.94, -0.58]),
    ];
    Ok(Network::from_layers(2, layers)?)
}

pub(super) fn example_15(setting: &Setting) -> Result<Findings, ReproduceError> {
    let (study, _) = study(setting)?;
    let network = printed_network()?;
    let mut findings = Findings::default();
    findings.holds("classifier-ex15-robust", is_second(&network, 0.1)?);
    let printed = Model::Network(network);
    // The classes of the paper are counted from one.
    findings.measure(
        "classifier-ex15-class",
        1.0 + printed.predict(&MIDDLE).map_err(ClassifierError::from)? as f64,
    );
    findings.entry("certified radius", "printed weights", certified_radius(Some(&printed))?);
    findings.entry(
        "certified radius",
        "network of Figure 7.2",
        certified_radius(study.classifier.structure())?,
    );
    let [mut ours, mut theirs] = [[f64::NAN; 2]; 2];
    if let Some(model) = study.classifier.structure() {
        model.scores(&MIDDLE, &mut ours).map_err(ClassifierError::from)?;
    }
    printed.scores(&MIDDLE, &mut theirs).map_err(ClassifierError::from)?;
    for place in [0, 1] {
        findings.entry(format!("output {}", place + 1), "printed weights", theirs[place]);
        findings.entry(format!("output {}", place + 1), "network of Figure 7.2", ours[place]);
    }
    // The printed weights have two digits.
    let is_same = [0, 1].into_iter().all(|place| (ours[place] - theirs[place]).abs() < 0.1);
    findings.holds("classifier-ex15-same", is_same);
    Ok(findings)
}
