//! The tables.

use super::{BANK, IMAGES, STROKE};
use crate::data::{DataFile, column};
use crate::{Findings, ReproduceError, Setting};

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

/// Milliseconds of the printed table: drawing, asking, and the theoretical value, for PM, Exponential and Laplace.
const TIMES: [[f64; 3]; 3] = [[6.56, 1.38, 0.24], [859.83, 1.53, 0.94], [11.29, 1.53, 0.30]];

pub(super) fn table_7_2(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let [_, [drawing, _, theory], _] = TIMES;
    findings.holds("classifier-t72-exp-ratio", theory / drawing < 0.001);
    let is_faster = |[drawing, asking, theory]: &[f64; 3]| *theory < drawing + asking;
    findings.holds("classifier-t72-faster", TIMES.iter().all(is_faster));
    Ok(findings)
}
