//! What the text says without a figure.

use super::PM;
use super::bank::delta_of_two;
use super::concentration::smallest_epsilon;
use crate::channel::{Numeric, UNIT};
use crate::{Findings, ReproduceError, Setting};
use privet::analysis::Loss;
use privet::categorical::GeneralizedRandomizedResponse;
use privet::classifier::paper::{ExtendedGaussian, Search, hyperrectangle};
use privet::classifier::{
    ClassifierError, Counted, ModelClassifier, Options, Outside, ProductChannel, Record, Sensitive, quantify,
};
use privet::interval::theorem_18_deviation;
use privet::model::{Combination, Model, Node, Tree, Trees};
use privet::wrapper::Indicator;
use privet::{BuildOptions, Categories, Delta, Epsilon, Generator};

pub(super) fn theorems(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    findings.measure("classifier-app2-eps", smallest_epsilon(PM.1)?);
    sliver_claims(&mut findings)?;
    findings.measure("classifier-thm16", delta_of_two(0.1)?);
    let response = GeneralizedRandomizedResponse::new(Categories::new(2)?, Epsilon::new(1.0)?)?;
    let indicator = Indicator::new(response, Delta::new(0.1)?)?;
    findings.measure("classifier-thm17", indicator.exposed(&0).to_f64());
    gaussian_claims(&mut findings)?;
    Ok(findings)
}

/// A classifier of one number that has another label on some ranges.
fn ranges(ranges: &[[f64; 2]]) -> Result<ModelClassifier, ClassifierError> {
    let leaf = |value| Node::Leaf { values: Box::new([value]) };
    let split = |threshold, below, above| Node::Split { feature: 0, threshold, below, above };
    let mut trees = Vec::new();
    for [from, to] in ranges {
        let nodes = vec![split(*from, 1, 2), leaf(0.0), split(*to, 3, 4), leaf(1.0), leaf(0.0)];
        trees.push(Tree::new(nodes)?);
    }
    Ok(ModelClassifier::new(Model::Trees(Trees::new(1, trees, Combination::Sum, vec![0.0], 0.5)?)))
}

/// Wrong on a hundredth of the unit interval: inside the window on both sides of the record, and half beyond it on one side.
const SLIVERS: [(&str, &[[f64; 2]]); 2] =
    [("both sides of .5", &[[0.4945, 0.4995], [0.5005, 0.5055]]), ("[.505,.515]", &[[0.505, 0.515]])];

/// What the paper calls a lower bound, and how often it tests for it with one error rate.
fn sliver_claims(findings: &mut Findings) -> Result<(), ReproduceError> {
    let mut rng = Generator::from_insecure_seed(77);
    let search = Search { tolerance: 0.025, ..Search::default() };
    for (place, (name, wrong)) in SLIVERS.into_iter().enumerate() {
        let classifier = ranges(wrong)?;
        let sensitive = Sensitive::new(vec![0], &classifier)?;
        let record = middle(&sensitive)?;
        let product = ProductChannel::named(PM.1, Epsilon::new(8.0)?, &BuildOptions::default(), &sensitive)?;
        let options = Options { beside: 0, ..Options::default() };
        let rows =
            quantify(&classifier, &record, &sensitive, std::slice::from_ref(&product), &options, &mut rng)?;
        let found = hyperrectangle(&classifier, &record, &sensitive, &search, &mut rng)?;
        let rho = found.rho(&product.laws(&record, &sensitive)?);
        findings.entry("rho of the paper times .99, a hundredth wrong", name, 0.99 * rho);
        findings.entry("true probability, a hundredth wrong", name, rows[0].bound.upper);
        if place == 0 {
            findings.measure("classifier-rho-bound", rows[0].bound.upper);
        }
    }
    let far = ranges(&[[0.7, 1.0]])?;
    let sensitive = Sensitive::new(vec![0], &far)?;
    let counted = Counted::new(&far);
    hyperrectangle(&counted, &middle(&sensitive)?, &sensitive, &search, &mut rng)?;
    let tests = counted.queries() as f64 / search.samples() as f64;
    findings.entry("questions in points of one test", "label changes at .7", tests);
    findings.holds("classifier-rho-search", tests < 2.0);
    Ok(())
}

fn middle(sensitive: &Sensitive) -> Result<Record, ReproduceError> {
    Ok(Record::new(vec![0.5], sensitive, Outside::Refuse)?)
}

fn gaussian_claims(findings: &mut Findings) -> Result<(), ReproduceError> {
    let (epsilon, delta) = (Epsilon::new(1.0)?, Delta::new(0.052)?);
    let printed = theorem_18_deviation(epsilon, delta);
    findings.measure("classifier-thm18-sigma", printed);
    let parameters = BuildOptions { delta: Some(delta), bins: None };
    let deviation = |id: &str| {
        Ok::<_, ReproduceError>(
            Numeric::with(id, UNIT, 1.0, &parameters)?.error_at(0.5, Loss::Squared)?.sqrt(),
        )
    };
    let exact = deviation("gaussian-probabilistic")?;
    findings.entry("deviation at epsilon 1, delta .052", "theorem 18", printed);
    findings.entry("deviation at epsilon 1, delta .052", "exact, probabilistic", exact);
    findings.entry("deviation at epsilon 1, delta .052", "exact, standard", deviation("gaussian")?);
    findings.measure("classifier-thm18-loose", printed / exact);
    findings.measure("classifier-tail", 1.0 / std::f64::consts::TAU.sqrt());
    let noise = ExtendedGaussian::new(epsilon, delta)?;
    findings.measure("classifier-tail-true", noise.mass(0.0, [0.0, f64::INFINITY]));
    Ok(())
}
