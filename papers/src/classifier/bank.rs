//! A record of the bank, where a tenth of all records is sent as it is.

use super::study::{Known, Study, panel};
use super::{BANK_LR, BANK_RF, EPSILONS, EXPONENTIAL, LAPLACE, LAPLACE_UNCUT, PM};
use crate::channel::curve;
use crate::{Curve, Findings, ReproduceError, Setting};
use privet::classifier::paper::{ExtendedGaussian, Hyperrectangle, Search};
use privet::classifier::{Classifier, Options, Record};
use privet::{Budget, BuildOptions, Delta, Epsilon, Generator, Guarantee};
use privet_core::Rng;
use std::f64::consts::TAU;

/// Age and salary.
pub(super) const SENSITIVE: [usize; 2] = [1, 6];
/// The failure probability of all mechanisms.
pub(super) const DELTA: f64 = 0.1;
/// Age 22, salary 101 348, in the units of logistic regression and in those of the forest.
const RECORD: [f64; 9] = [0.619, 0.22, 0.2, 0.0, 0.25, 1.0, 0.506_744_4, 0.4, 0.464];
const RECORD_RF: [f64; 9] = [619.0, 0.22, 2.0, 0.0, 1.0, 1.0, 0.506_744_4, 2.0, 464.0];
/// What the paper prints for logistic regression.
const PRINTED: [[f64; 2]; 2] = [[0.0, 0.72], [0.0, 1.0]];

pub(super) fn figure_7_6(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (name, file, values) in [("logistic regression", BANK_LR, RECORD), ("forest", BANK_RF, RECORD_RF)] {
        let study = Study::read(setting, file, SENSITIVE)?.with_indicator(DELTA)?;
        let record = study.record(&values)?;
        let found = study.paper_box(&record, &Search::default())?;
        super::stroke::box_entries(&mut findings, name, &found);
        let mut known: Vec<Known> = Vec::new();
        for mechanism in [PM, EXPONENTIAL, LAPLACE] {
            known.push(study.known(&record, mechanism, &Options::default())?);
        }
        let drawn = setting.effort.pick(5_000, 20_000);
        let gaussian = curve("Gaussian (theorem 18), drawn", &EPSILONS, |epsilon| {
            gaussian_share(&study, std::slice::from_ref(&record), drawn, epsilon)
        })?;
        let is_lowest = known.iter().all(|one| gaussian.is_below(&one.certified, 0.0));
        let claim = if file == BANK_LR { "classifier-fig76-gauss" } else { "classifier-fig76-gauss-rf" };
        findings.holds(claim, is_lowest);
        let shown = if file == BANK_LR {
            findings.measure("classifier-fig76-lr-age", found.ends[0][1]);
            findings.measure("classifier-fig76-lr-sal", found.ends[1][1]);
            ("rho of the printed box", Hyperrectangle { ends: PRINTED.to_vec() })
        } else {
            ("rho of the box that is found", found)
        };
        let mut rhos = Vec::new();
        for (mechanism, Known { certified, .. }) in [PM, EXPONENTIAL, LAPLACE_UNCUT].into_iter().zip(&known) {
            rhos.extend([certified.clone(), study.rho(&record, &shown.1, mechanism)?]);
        }
        if file == BANK_LR {
            // If reports outside were failures, no label could be kept more often than reports stay inside.
            let whole = Hyperrectangle { ends: vec![[0.0, 1.0]; 2] };
            let inside = study.rho(&record, &whole, LAPLACE_UNCUT)?;
            let kept = &known[2].certified;
            findings.holds("classifier-laplace-outside", kept.is_below(&inside, 0.0));
            for epsilon in [1.0, 8.0] {
                let place = format!("epsilon {epsilon}");
                findings.entry("Laplace reports inside [0,1]", &place, inside.at(epsilon));
                findings.entry("label kept with Laplace, cut", &place, kept.at(epsilon));
            }
        }
        rhos.push(gaussian_rho(&study, &record, &shown.1)?);
        findings.panels.push(panel(format!("{name}, {}", shown.0), rhos));
        let mut curves: Vec<Curve> =
            known.into_iter().flat_map(|Known { certified, drawn }| [certified, drawn]).collect();
        curves.extend([gaussian, tighter(&study, &record, "gaussian-probabilistic")?]);
        curves.extend([tighter(&study, &record, "gaussian")?, study.answer_alone()]);
        findings.panels.push(panel(name, curves));
    }
    findings.measure("classifier-fig76-delta", delta_of_two(DELTA)?);
    Ok(findings)
}

/// The failure probability of two independent mechanisms (theorem 16).
pub(super) fn delta_of_two(delta: f64) -> Result<f64, ReproduceError> {
    let one = Guarantee::Probabilistic { epsilon: Epsilon::new(1.0)?, delta: Delta::new(delta)? };
    let both = Budget::repeated(one, 2)?.total();
    Ok(both.map_or(f64::NAN, |guarantee| guarantee.delta()))
}

/// Gaussian noise with no more deviation than its promise needs, where both features together keep delta.
fn tighter(study: &Study, record: &Record, id: &str) -> Result<Curve, ReproduceError> {
    let (label, each) = match id {
        "gaussian" => ("Gaussian (analytic)", DELTA / 2.0),
        _ => ("Gaussian (exact probabilistic)", 1.0 - (1.0 - DELTA).sqrt()),
    };
    let parameters = BuildOptions { delta: Some(Delta::new(each)?), bins: None };
    let products = study.products(id, &parameters, &EPSILONS)?;
    let options = Options { beside: 0, ..Options::default() };
    Ok(study.known_of(record, label, &products, &options)?.certified)
}

fn gaussian_rho(study: &Study, record: &Record, found: &Hyperrectangle) -> Result<Curve, ReproduceError> {
    curve("Gaussian (theorem 18), rho of the paper", &EPSILONS, |epsilon| {
        let noise = ExtendedGaussian::new(Epsilon::new(epsilon)?, Delta::new(DELTA)?)?;
        Ok(found.rho_of_gaussian(record, &study.sensitive, &noise))
    })
}

/// The share of drawn reports with Gaussian noise (theorem 18), cut to [0,1], that have the labels of their records.
pub(super) fn gaussian_share(
    study: &Study,
    records: &[Record],
    each: usize,
    epsilon: f64,
) -> Result<f64, ReproduceError> {
    let deviation = ExtendedGaussian::new(Epsilon::new(epsilon)?, Delta::new(DELTA)?)?.deviation();
    let mut rng = Generator::from_insecure_seed(74);
    let mut same = 0;
    for record in records {
        let own = study.classifier.labels(record.values())?;
        let mut rows = record.values().repeat(each);
        for row in rows.chunks_mut(record.values().len()) {
            for feature in study.sensitive.features() {
                row[*feature] = (row[*feature] + deviation * normal(&mut rng)).clamp(0.0, 1.0);
            }
        }
        let labels = study.classifier.labels(&rows)?;
        same += labels.into_iter().filter(|label| own.contains(label)).count();
    }
    Ok(same as f64 / (records.len() * each) as f64)
}

/// A number from the standard normal law (Box and Muller).
fn normal(rng: &mut Generator) -> f64 {
    let mut unit = || ((rng.next_u64() >> 11) as f64 + 0.5) / 2f64.powi(53);
    (-2.0 * unit().ln()).sqrt() * (TAU * unit()).cos()
}
