//! The tables.

use super::study::Study;
use super::{BANK, EXPONENTIAL, IMAGES, LAPLACE, PM, STROKE, STROKE_LR, stroke};
use crate::data::{DataFile, column};
use crate::{Findings, Paper, ReproduceError, Setting, timing};
use privet::classifier::paper::{Hyperrectangle, Search};
use privet::classifier::{Approach, Classifier, Options, Record, certified_box, quantify};
use privet::{BuildOptions, Generator};

/// The columns of a table, without those that are no features.
fn features(setting: &Setting, file: DataFile, others: &[&str]) -> Result<Vec<String>, ReproduceError> {
    let path = setting.path(file);
    let problem = |error: csv::Error| ReproduceError::Data { path: path.clone(), problem: error.to_string() };
    let mut reader = csv::Reader::from_path(&path).map_err(problem)?;
    let header = reader.headers().map_err(problem)?;
    Ok(header.iter().filter(|name| !others.contains(name)).map(str::to_owned).collect())
}

pub(super) fn table_7_1(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut largest: f64 = 0.0;
    for (name, file, others) in [
        ("stroke", STROKE, ["stroke"].as_slice()),
        ("bank", BANK, &["Exited"]),
        ("mnist", IMAGES, &["image", "cnn_pred"]),
    ] {
        let features = features(setting, file, others)?;
        findings.measure(format!("classifier-dims-{name}"), features.len() as f64);
        if name == "mnist" {
            continue;
        }
        let mut most: f64 = 0.0;
        for feature in &features {
            let column = column(&setting.path(file), feature)?;
            most = column.into_iter().fold(most, f64::max);
        }
        findings.entry("largest value", name, most);
        largest = largest.max(most);
    }
    findings.measure("classifier-norm", largest);
    Ok(findings)
}

/// What is timed of each mechanism, as claims name it.
const PARTS: [&str; 3] = ["sampling", "inference", "theoretical"];
/// How many reports are drawn for one empirical share.
const REPORTS: usize = 2000;
/// The table does not say at which epsilon it was measured; ours do not depend on it.
const TIMED: f64 = 4.0;
/// What takes microseconds is done many times.
const OFTEN: u32 = 100;

pub(super) fn table_7_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let study = Study::read(setting, STROKE_LR, stroke::SENSITIVE)?;
    let record = study.record(&stroke::RECORD)?;
    let is_faster = |[drawing, asking, theory]: [f64; 3]| theory < drawing + asking;
    let mut is_printed_faster = true;
    for (name, mechanism) in [("pm", PM), ("exponential", EXPONENTIAL), ("laplace", LAPLACE)] {
        let printed = printed_times(name)?;
        is_printed_faster &= is_faster(printed);
        if mechanism == EXPONENTIAL {
            findings.holds("classifier-t72-exp-ratio", printed[2] / printed[0] < 0.001);
        }
        let ours = times(&mut findings, &study, &record, mechanism)?;
        for (part, time) in PARTS.into_iter().zip(ours) {
            findings.measure(format!("classifier-t72-{name}-{part}"), time);
        }
    }
    findings.holds("classifier-t72-faster", is_printed_faster);
    let search = |search| timing::milliseconds(1, || study.paper_box(&record, &search));
    findings.measure("classifier-t72-box", search(Search::default())?);
    findings.entry(
        BOX,
        "the paper's search, tau .05",
        search(Search { tolerance: 0.05, ..Search::default() })?,
    );
    let certified = || Ok(certified_box(&study.classifier, &record, &study.sensitive, stroke::PRECISION)?);
    findings.entry(BOX, "certified", timing::milliseconds(1, certified)?);
    Ok(findings)
}

const BOX: &str = "milliseconds for a box";

fn printed_times(mechanism: &str) -> Result<[f64; 3], ReproduceError> {
    let printed = |part: &str| Paper::Classifier.printed(&format!("classifier-t72-{mechanism}-{part}"));
    Ok([printed(PARTS[0])?, printed(PARTS[1])?, printed(PARTS[2])?])
}

/// Our milliseconds: drawing reports, asking for their labels, and the paper's value; beside them what drawing and the value both need
/// first, and a proof.
fn times(
    findings: &mut Findings,
    study: &Study,
    record: &Record,
    (label, id): (&str, &str),
) -> Result<[f64; 3], ReproduceError> {
    let Study { classifier, sensitive, .. } = study;
    let build = || study.products(id, &BuildOptions::default(), &[TIMED]);
    let products = build()?;
    let read = || Ok(products[0].laws(record, sensitive)?);
    let laws = read()?;
    let mut rng = Generator::from_insecure_seed(80);
    let draw = || {
        let mut rows = record.values().repeat(REPORTS);
        for row in rows.chunks_mut(record.values().len()) {
            for (feature, law) in sensitive.features().iter().zip(&laws) {
                row[*feature] = law.draw(&mut rng);
            }
        }
        Ok(rows)
    };
    let drawing = timing::milliseconds(1, draw)?;
    let rows = record.values().repeat(REPORTS);
    let asking = timing::milliseconds(1, || Ok(classifier.labels(&rows)?))?;
    let printed = Hyperrectangle { ends: stroke::PRINTED_LINEAR.to_vec() };
    let theory = timing::milliseconds(OFTEN, || Ok(printed.rho(&laws)))?;
    let options = Options { approach: Approach::Proof, beside: 0, ..Options::default() };
    let mut rng = Generator::from_insecure_seed(81);
    let prove = || Ok(quantify(classifier, record, sensitive, &products, &options, &mut rng)?);
    findings.entry("milliseconds for the channels", label, timing::milliseconds(1, build)?);
    findings.entry("milliseconds for the laws of the reports", label, timing::milliseconds(1, read)?);
    findings.entry("milliseconds for a proof", label, timing::milliseconds(1, prove)?);
    Ok([drawing, asking, theory])
}
