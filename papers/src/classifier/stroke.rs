//! Records of the stroke data.

use super::study::{Known, Study, panel};
use super::{EXPONENTIAL, K_RR, LAPLACE, LAPLACE_UNCUT, PM, STROKE_LR, STROKE_RF, SW};
use crate::data::DataFile;
use crate::{Curve, Findings, LabelMap, ReproduceError, Setting};
use privet::classifier::paper::{Hyperrectangle, Search};
use privet::classifier::{DecisionMap, Options, Record, certified_box};
use privet_plot::{LabelledBox, Region};

/// Age and BMI.
pub(super) const SENSITIVE: [usize; 2] = [0, 5];
/// Age 79, BMI 24.
pub(super) const RECORD: [f64; 6] = [0.79, 1.0, 0.0, 1.0, 0.5804, 0.48];
/// The first of the table: age 67, BMI 36.6.
const FIRST: [f64; 6] = [0.67, 0.0, 1.0, 1.0, 0.7623, 0.732];

/// The box that the paper prints for logistic regression.
pub(super) const PRINTED_LINEAR: [[f64; 2]; 2] = [[0.63, 1.0], [0.0, 1.0]];

const CLASSIFIERS: [(&str, DataFile, [[f64; 2]; 2]); 2] =
    [("logistic regression", STROKE_LR, PRINTED_LINEAR), ("forest", STROKE_RF, [[0.5, 1.0], [0.0, 0.62]])];

/// How fine boxes are that are proved.
pub(super) const PRECISION: f64 = 1e-6;

pub(super) fn figure_7_5(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (name, file, printed) in CLASSIFIERS {
        let study = Study::read(setting, file, SENSITIVE)?;
        let record = study.record(&RECORD)?;
        let printed = Hyperrectangle { ends: printed.to_vec() };
        let options = Options::default();
        let [pm, exponential, laplace] =
            [PM, EXPONENTIAL, LAPLACE].map(|mechanism| study.known(&record, mechanism, &options));
        let [pm, exponential, laplace] = [pm?, exponential?, laplace?];
        let rhos = [PM, EXPONENTIAL, LAPLACE_UNCUT].map(|mechanism| study.rho(&record, &printed, mechanism));
        let [rho, rho_exponential, rho_laplace] = rhos;
        let (rho, rho_exponential, rho_laplace) = (rho?, rho_exponential?, rho_laplace?);
        let found = study.paper_box(&record, &Search::default())?;
        box_entries(&mut findings, name, &found);
        if file == STROKE_LR {
            linear_claims(
                &mut findings,
                &found,
                [&pm, &exponential, &laplace].map(|one| &one.certified),
                &rho,
            );
            distribution_claims(&mut findings, &study, &record)?;
        } else {
            findings.measure("classifier-fig75-rf-age", found.ends[0][0]);
            findings.measure("classifier-fig75-rf-bmi", found.ends[1][1]);
        }
        findings.panels.push(panel(
            format!("{name}, rho of the printed box"),
            vec![
                pm.certified.clone(),
                rho,
                exponential.certified.clone(),
                rho_exponential,
                laplace.certified.clone(),
                rho_laplace,
            ],
        ));
        let mut curves = Vec::new();
        for Known { certified, drawn } in [pm, exponential, laplace] {
            curves.extend([certified, drawn]);
        }
        curves.push(study.answer_alone());
        findings.panels.push(panel(name, curves));
    }
    findings.measure("classifier-emp-n", Options::default().beside as f64);
    Ok(findings)
}

/// The ends of a box as a table.
pub(super) fn box_entries(findings: &mut Findings, name: &str, found: &Hyperrectangle) {
    for (feature, [from, to]) in ["first", "second"].into_iter().zip(&found.ends) {
        findings.entry(
            format!("box of the paper's search, {name}"),
            format!("{feature} feature, lower"),
            *from,
        );
        findings.entry(
            format!("box of the paper's search, {name}"),
            format!("{feature} feature, upper"),
            *to,
        );
    }
}

fn linear_claims(findings: &mut Findings, found: &Hyperrectangle, certified: [&Curve; 3], rho: &Curve) {
    let [age, bmi] = [found.ends[0], found.ends[1]];
    findings.measure("classifier-fig75-lr-age", age[0]);
    findings.measure("classifier-fig75-lr-age-hi", age[1]);
    findings.measure("classifier-fig75-lr-bmi-lo", bmi[0]);
    findings.measure("classifier-fig75-lr-bmi-hi", bmi[1]);
    let [pm, exponential, laplace] = certified;
    findings
        .holds("classifier-fig75-order", laplace.is_below(exponential, 0.0) && exponential.is_below(pm, 0.0));
    for [epsilon, _, upper] in &pm.band {
        if [1.0, 2.0, 4.0, 8.0].contains(epsilon) {
            findings.holds(format!("classifier-fig75-lr-below-{epsilon}"), rho.at(*epsilon) <= *upper);
        }
    }
}

/// The distribution function of the report of the age.
fn distribution_claims(
    findings: &mut Findings,
    study: &Study,
    record: &Record,
) -> Result<(), ReproduceError> {
    for (id, epsilon) in [("classifier-cdf-outside", 2.0), ("classifier-cdf-inside", 1.0)] {
        let products = study.products(PM.1, &privet::BuildOptions::default(), &[epsilon])?;
        let laws = products[0].laws(record, &study.sensitive)?;
        findings.measure(id, laws[0].cdf(0.63));
    }
    Ok(())
}

pub(super) fn figure_e_1(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut crosses = true;
    for (name, file, _) in CLASSIFIERS {
        let study = Study::read(setting, file, SENSITIVE)?;
        let record = study.record(&FIRST)?;
        let found = study.paper_box(&record, &Search::default())?;
        box_entries(&mut findings, name, &found);
        let mut curves = Vec::new();
        for mechanism in [SW, K_RR] {
            let Known { certified, drawn } = study.known(&record, mechanism, &Options::default())?;
            curves.extend([certified, drawn, study.rho(&record, &found, mechanism)?]);
        }
        let [square, response] = [&curves[0], &curves[3]];
        let is_better = |epsilon: f64| response.at(epsilon) > square.at(epsilon);
        crosses &= is_better(7.0) && is_better(8.0) && !is_better(6.0);
        curves.push(study.known(&record, PM, &Options::default())?.certified);
        curves.push(study.answer_alone());
        findings.panels.push(panel(name, curves));
    }
    findings.holds("classifier-e1-cross", crosses);
    Ok(findings)
}

pub(super) fn figure_e_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (name, file, printed) in CLASSIFIERS {
        let study = Study::read(setting, file, SENSITIVE)?;
        let record = study.record(&RECORD)?;
        let certified = certified_box(&study.classifier, &record, &study.sensitive, PRECISION)?;
        let boxes = [("certified box", certified[0], certified[1]), ("printed box", printed[0], printed[1])];
        let region = region(&study, &record, ["age / 100", "BMI / 50"], &boxes)?;
        for (label, first, second) in boxes {
            let inside = |cell: usize, ends: [f64; 2]| {
                let middle = (cell as f64 + 0.5) / region.resolution as f64;
                ends[0] <= middle && middle <= ends[1]
            };
            let classes = region.classes.iter().enumerate();
            let own: Vec<usize> = classes
                .filter(|(cell, _)| {
                    inside(cell / region.resolution, first) && inside(cell % region.resolution, second)
                })
                .map(|(_, class)| *class)
                .collect();
            let other = own.iter().filter(|class| **class != region.own).count();
            findings.entry(
                format!("share of the other class, {name}"),
                label,
                other as f64 / own.len() as f64,
            );
        }
        findings.maps.push(LabelMap { name: name.to_owned(), region });
    }
    Ok(findings)
}

/// The labels around a record, with boxes.
pub(super) fn region(
    study: &Study,
    record: &Record,
    names: [&str; 2],
    boxes: &[(&str, [f64; 2], [f64; 2])],
) -> Result<Region, ReproduceError> {
    let map = DecisionMap::new(&study.classifier, record, &study.sensitive, 200)?;
    let place: Vec<f64> =
        study.sensitive.features().iter().map(|feature| record.values()[*feature]).collect();
    let labels: Vec<&str> = boxes.iter().map(|(label, ..)| *label).collect();
    Ok(Region {
        title: String::new(),
        description: format!(
            "The classes by {} and {}, with the {}.",
            names[0],
            names[1],
            labels.join(" and the ")
        ),
        names: names.map(str::to_owned),
        resolution: map.resolution,
        classes: map.labels,
        own: map.own,
        record: [place[0], place[1]],
        boxes: boxes
            .iter()
            .map(|(label, first, second)| LabelledBox { label: (*label).to_owned(), ends: [*first, *second] })
            .collect(),
    })
}
