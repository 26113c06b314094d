//! Made-up crowds: everything is exact.

use super::{People, heuristic, independent, plan, search, variance};
use crate::channel::{curve, grid};
use crate::figure::Spacing;
use crate::{Curve, Findings, Panel, ReproduceError, Setting};

/// The epsilons of the figures.
const EPSILONS: [f64; 7] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];
const CROWDS: [u64; 3] = [10_000, 40_000, 80_000];

/// The mean absolute value of a normal number with deviation one.
fn mean_of_normal() -> f64 {
    (2.0 / std::f64::consts::PI).sqrt()
}

pub(super) fn figure_4_5(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for people in CROWDS {
        let line = |label: String, share: f64, is_joint: bool| {
            let ones = share * people as f64;
            curve(&label, &EPSILONS, |epsilon| {
                let table = if is_joint { heuristic(epsilon)? } else { independent(epsilon)? };
                Ok(variance(&table, people, ones))
            })
        };
        let mut curves = vec![line("RR".to_owned(), 0.5, false)?];
        for share in [0.01, 0.1, 0.45, 1.0] {
            curves.push(line(format!("JRR, n1/n = {share}"), share, true)?);
        }
        let crowd = People { count: people, colluders: 5, ones: people / 100 };
        curves.push(curve("planned, cap 2 epsilon, n1/n = 0.01", &EPSILONS, |epsilon| {
            Ok(plan(crowd, epsilon, Some(2.0 * epsilon))?.variance)
        })?);
        if let ([alone, .., all, _], true) = (&curves[..], people == CROWDS[0]) {
            for (claim, epsilon) in [("jrr-fig45-001", 0.01), ("jrr-fig45-01", 0.1)] {
                findings.measure(claim, 100.0 * all.at(epsilon) / alone.at(epsilon));
            }
        }
        findings.panels.push(panel(format!("{people} people"), "mean squared error (people^2)", curves));
    }
    findings.panels.push(search::panel()?);
    findings.measure("jrr-grid-loss", search::mean_loss(0.001)?);
    Ok(findings)
}

fn panel(name: String, y_name: &'static str, curves: Vec<Curve>) -> Panel {
    Panel { name, x_name: "epsilon", x_spacing: Spacing::Logarithmic, y_name, curves, ..Panel::default() }
}

pub(super) fn figure_4_6(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for people in CROWDS {
        let mut curves = Vec::new();
        for share in [0.01, 0.1] {
            let ones = share * people as f64;
            let factor = mean_of_normal() / 2.0 * (1.0 / ones + 1.0 / (people as f64 - ones));
            let [alone, joint] = [("RR", false), ("JRR", true)].map(|(label, is_joint)| {
                curve(&format!("{label}, n1/n = {share}"), &EPSILONS, |epsilon| {
                    let table = if is_joint { heuristic(epsilon)? } else { independent(epsilon)? };
                    Ok(variance(&table, people, ones).sqrt() * factor)
                })
            });
            let (alone, joint) = (alone?, joint?);
            if share == 0.01 {
                findings.measure(format!("jrr-fig46-{people}"), 100.0 * joint.mean() / alone.mean());
            }
            curves.extend([alone, joint]);
            let crowd = People { count: people, colluders: 5, ones: ones as u64 };
            curves.push(curve(&format!("planned, cap 2 epsilon, n1/n = {share}"), &EPSILONS, |epsilon| {
                Ok(plan(crowd, epsilon, Some(2.0 * epsilon))?.variance.sqrt() * factor)
            })?);
        }
        let name = format!("{people} people");
        findings.panels.push(panel(name, "mean relative error of both counts", curves));
    }
    Ok(findings)
}

pub(super) fn figure_b_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let crowd = People { count: 10_000, colluders: 0, ones: 100 };
    findings.measure("jrr-heuristic-p", plan(crowd, 1.0, None)?.p);
    let (joint, alone) = (heuristic(1.0)?, independent(1.0)?);
    let mut shares = Vec::new();
    for people in [1000, 10_000, 80_000] {
        let places = grid(0.0, 1.0, 100);
        let line = |label: &str, height: &dyn Fn(f64) -> Result<f64, ReproduceError>| {
            curve(label, &places, |share| height((share * people as f64).round()))
        };
        let curves = vec![
            line("RR", &|ones| Ok(variance(&alone, people, ones)))?,
            line("JRR, heuristic", &|ones| Ok(variance(&joint, people, ones)))?,
            line("planned for this number of ones", &|ones| {
                Ok(plan(People { count: people, colluders: 0, ones: ones as u64 }, 1.0, None)?.variance)
            })?,
        ];
        let is_better =
            |ones: &u64| variance(&joint, people, *ones as f64) < variance(&alone, people, *ones as f64);
        let share = (0..=people).filter(is_better).count() as f64 / (people + 1) as f64;
        findings.entry("share of n1 with less variance", format!("{people} people"), share);
        shares.push(share);
        let (x_name, y_name) =
            ("share of people who hold a one", "variance of the number of ones (people^2)");
        findings.panels.push(Panel {
            name: format!("{people} people"),
            x_name,
            y_name,
            curves,
            ..Panel::default()
        });
    }
    let grows = shares.windows(2).all(|pair| pair[0] < pair[1]);
    findings.holds("jrr-b1-advantage", grows && shares.iter().all(|share| *share > 0.95));
    Ok(findings)
}
