//! How many pieces an optimal density has, and its closed form.

use super::OGPM;
use crate::channel::{Numeric, UNIT, curve, grid};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::analysis::Loss;
use privet::limit::generalised::{Density, Generalised};
use privet::{Epsilon, Generator, Interval};
use privet_core::Rng;

/// The papers' problem with inputs and outputs in [0, 1].
pub(super) fn on_unit(pieces: usize, power: f64, epsilon: f64) -> Result<Generalised, ReproduceError> {
    let unit = Interval::new(0.0, 1.0)?;
    Ok(Generalised::new(pieces, power, unit, unit, Epsilon::new(epsilon)?)?)
}

fn density_at_three_tenths(pieces: usize) -> Result<Density, ReproduceError> {
    Ok(on_unit(pieces, 1.0, 1.0)?.minimax().at(0.3)?)
}

pub(super) fn figure_5_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut curves = Vec::new();
    for pieces in [4, 5] {
        let merged = density_at_three_tenths(pieces)?.merged();
        let line = merged.iter().flat_map(|step| [[step.from, step.density], [step.to, step.density]]);
        curves.push(Curve::area(format!("{pieces} pieces, merged"), line.collect()));
    }
    let (x_name, y_name) = ("report", "density (per unit of the report)");
    findings.panels.push(Panel { x_name, y_name, curves, ..Panel::default() });
    findings.panels.push(beside_the_best()?);
    let problems = setting.effort.pick(25, 10_000);
    findings.measure("ogpm-mc-absolute", helpful_pieces(problems, 1.0)?);
    findings.measure("ogpm-mc-squared", helpful_pieces(problems, 2.0)?);
    Ok(findings)
}

/// The three pieces and the best channel, as shares of the reports: many of the latter are the ends themselves, which have no density.
fn beside_the_best() -> Result<Panel, ReproduceError> {
    let places = grid(0.0, 1.0, 500);
    let line = |label: &str, id: &str| {
        let channel = Numeric::new(id, UNIT, 1.0)?;
        let analysis = channel.analysis()?;
        let law = analysis.law(0.3)?;
        curve(label, &places, |report| Ok(law.cdf(report)))
    };
    Ok(Panel {
        name: "beside the best channel".to_owned(),
        x_name: "report",
        y_name: "share of the reports up to this one",
        is_linear: true,
        curves: vec![
            line("three pieces", OGPM)?,
            line("best channel for the worst case", "minimax-absolute")?,
        ],
        ..Panel::default()
    })
}

/// In how many random problems a fourth piece makes the error smaller.
fn helpful_pieces(problems: usize, power: f64) -> Result<f64, ReproduceError> {
    const SAME: f64 = 1e-9;
    let mut rng = Generator::from_insecure_seed(52);
    let mut helped = 0.0;
    for _ in 0..problems {
        let (epsilon, x) = (between(&mut rng, 0.01, 10.0), between(&mut rng, 0.0, 1.0));
        let error =
            |pieces| Ok::<_, ReproduceError>(on_unit(pieces, power, epsilon)?.point_optimum(x)?.error);
        if error(4)? < error(3)? * (1.0 - SAME) {
            helped += 1.0;
        }
    }
    Ok(helped)
}

/// A number between two others.
fn between(rng: &mut Generator, low: f64, high: f64) -> f64 {
    low + (high - low) * (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

pub(super) fn example_4(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for pieces in [4, 5] {
        let merged = density_at_three_tenths(pieces)?.merged().len();
        findings.measure(format!("ogpm-ex4-{pieces}pieces"), merged as f64);
    }
    Ok(findings)
}

pub(super) fn example_5(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut rng = Generator::from_insecure_seed(55);
    let epsilons: Result<Vec<Epsilon>, _> =
        (0..50).map(|_| Epsilon::new(between(&mut rng, 0.1, 5.0))).collect();
    let line = on_unit(3, 1.0, 1.0)?.recover(&epsilons?)?.density;
    let mut findings = Findings::default();
    findings.measure("ogpm-ex5-slope", line.slope);
    findings.measure("ogpm-ex5-offset", line.intercept);
    findings.holds("ogpm-ex5-error", line.largest_residual <= 0.01);
    findings.entry("largest error of the regression", "50 epsilons", line.largest_residual);
    Ok(findings)
}

pub(super) fn example_8(_: &Setting) -> Result<Findings, ReproduceError> {
    let optimum = on_unit(3, 1.0, 1.0)?.point_optimum(0.2)?;
    let mut findings = Findings::default();
    findings.measure("ogpm-ex8-p", optimum.density.peak());
    findings.measure("ogpm-ex8-error", optimum.error);
    findings.measure("ogpm-ex8-ogpm-error", Numeric::new(OGPM, UNIT, 1.0)?.error_at(0.2, Loss::Absolute)?);
    Ok(findings)
}
