//! The heuristic choice of p and rho, with colluders.

use super::{People, average_epsilon, heuristic, independent, plan, table, truth, variance};
use crate::channel::{curve, grid};
use crate::{Curve, Findings, Heat, Panel, ReproduceError, Setting};
use privet::joint::Choice;
use privet_plot::HeatCell;

const PEOPLE: u64 = 10_000;

/// The correlations of figure 4.1 end here.
const MOST_RHO: f64 = 0.4;
/// The smallest p of figure 4.1: towards one half the variance grows without end.
const LEAST_P: f64 = 0.6;

/// The variance of each table that keeps epsilon 1 on average without colluders.
fn variances(ones: f64) -> Result<Heat, ReproduceError> {
    let mut cells = Vec::new();
    for across in grid(LEAST_P, truth(1.0), 40).windows(2) {
        let p = f64::midpoint(across[0], across[1]);
        for upwards in grid(1.0 - 1.0 / p, MOST_RHO, 50).windows(2) {
            let value = variance(&table(p, f64::midpoint(upwards[0], upwards[1]))?, PEOPLE, ones);
            cells.push(HeatCell { across: [across[0], across[1]], upwards: [upwards[0], upwards[1]], value });
        }
    }
    Ok(Heat { label: "variance (people^2)".to_owned(), cells })
}

pub(super) fn figure_4_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let (s, others) = (truth(1.0), (PEOPLE - 1) as f64);
    let floor = |p: f64| 1.0 - 1.0 / p;
    let places = grid(LEAST_P, s, 50);
    let exposed = |label: &str, epsilon: f64| {
        let ratio = f64::exp(epsilon);
        let border = |p: f64| ((p - ratio * (1.0 - p)) / (p * (1.0 + ratio))).max(floor(p));
        Curve::line(label, places.iter().map(|&p| [p, border(p)]).collect())
    };
    // The largest p that keeps epsilon on average at each correlation.
    let border = |label: &str, colluders: f64| {
        let largest = |rho: f64| {
            if rho <= 0.0 {
                others * s / (others - colluders * rho)
            } else {
                1.0 - others * (1.0 - s) / (others - colluders * rho)
            }
        };
        let points = grid(-0.4, MOST_RHO, 80).into_iter().map(|rho| [largest(rho), rho]);
        Curve::line(label, points.filter(|[p, rho]| *rho >= floor(*p)).collect())
    };
    let people = |colluders: u64| People { count: PEOPLE, colluders, ones: 100 };
    let mut findings = Findings::default();
    let mut crosses = Vec::new();
    for (label, colluders, cap) in [
        ("best, no colluders", 0, None),
        ("best, 500 colluders", 500, None),
        ("best with a cap of 2", 500, Some(2.0)),
    ] {
        let plan = plan(people(colluders), 1.0, cap)?;
        findings.entry("variance", label, plan.variance);
        crosses.push(Curve::crosses(label, vec![[plan.p, plan.rho]]));
    }
    findings.entry("variance", "independent", variance(&independent(1.0)?, PEOPLE, 100.0));
    crosses.push(Curve::crosses("independent", vec![[s, 0.0]]));
    let mut curves = vec![
        Curve::line("smallest rho, 1 - 1/p", places.iter().map(|&p| [p, floor(p)]).collect()),
        border("keeps 1, no colluders", 0.0),
        border("keeps 1, 500 colluders", 500.0),
        exposed("exposed pair loses 2", 2.0),
        exposed("exposed pair loses 4", 4.0),
    ];
    curves.extend(crosses);
    let heat = Some(variances(100.0)?);
    findings.panels.push(Panel { x_name: "p", y_name: "rho", curves, heat, ..Panel::default() });
    findings.holds("jrr-fig41-shrinks", feasible(500)? < feasible(0)?);
    Ok(findings)
}

/// How many points of a grid keep epsilon 1 on average.
fn feasible(colluders: u64) -> Result<usize, ReproduceError> {
    let mut count = 0;
    for p in grid(0.55, 0.8, 50) {
        for rho in grid(1.0 - 1.0 / p, 0.5, 50) {
            count += usize::from(average_epsilon(&table(p, rho)?, PEOPLE, colluders)? <= 1.0 + 1e-9);
        }
    }
    Ok(count)
}

pub(super) fn figure_4_2(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for (claim, share) in [("jrr-heuristic-limit-01", 0.1), ("jrr-heuristic-limit-09", 0.9)] {
        let ones = (share * PEOPLE as f64) as u64;
        let colluders = grid(0.0, 2500.0, setting.effort.pick(25, 100));
        let name = format!("n1/n = {share}");
        let curves = by_colluders(&colluders, ones)?;
        let (x_name, y_name) = ("colluders", "variance of the number of ones (people^2)");
        findings.panels.push(Panel { name, x_name, y_name, curves, ..Panel::default() });
        findings.measure(claim, last_joint(ones)? as f64 / PEOPLE as f64);
    }
    findings.panels.push(by_ones(500)?);
    findings.measure("jrr-heuristic-epsilon", average_epsilon(&heuristic(1.0)?, PEOPLE, 1000)?);
    findings.holds("jrr-corner", is_corner_best()?);
    Ok(findings)
}

fn by_colluders(colluders: &[f64], ones: u64) -> Result<Vec<Curve>, ReproduceError> {
    let people = |m: f64| People { count: PEOPLE, colluders: m as u64, ones };
    let fixed =
        |label: &str, height: f64| Curve::line(label, colluders.iter().map(|&m| [m, height]).collect());
    Ok(vec![
        curve("optimum", colluders, |m| Ok(plan(people(m), 1.0, None)?.variance))?,
        curve("heuristic that keeps epsilon", colluders, |m| corner_variance(m, ones as f64))?,
        fixed("heuristic that ignores colluders", variance(&heuristic(1.0)?, PEOPLE, ones as f64)),
        fixed("independent", variance(&independent(1.0)?, PEOPLE, ones as f64)),
        curve("optimum with a cap of 2", colluders, |m| Ok(plan(people(m), 1.0, Some(2.0))?.variance))?,
    ])
}

fn by_ones(colluders: u64) -> Result<Panel, ReproduceError> {
    let ones = grid(0.0, PEOPLE as f64, 100);
    let (joint, alone) = (heuristic(1.0)?, independent(1.0)?);
    let curves = vec![
        curve("optimum", &ones, |ones| {
            Ok(plan(People { count: PEOPLE, colluders, ones: ones as u64 }, 1.0, None)?.variance)
        })?,
        curve("heuristic that ignores colluders", &ones, |ones| Ok(variance(&joint, PEOPLE, ones)))?,
        curve("independent", &ones, |ones| Ok(variance(&alone, PEOPLE, ones)))?,
    ];
    let (x_name, y_name) = ("people who hold a one", "variance of the number of ones (people^2)");
    Ok(Panel { name: format!("{colluders} colluders"), x_name, y_name, curves, ..Panel::default() })
}

/// The variance at rho = 1 - 1/p with the p that keeps epsilon 1 on average.
fn corner_variance(colluders: f64, ones: f64) -> Result<f64, ReproduceError> {
    let others = (PEOPLE - 1) as f64;
    let p = (others * truth(1.0) - colluders) / (others - colluders);
    Ok(variance(&table(p, 1.0 - 1.0 / p)?, PEOPLE, ones))
}

/// The most colluders with whom a negative correlation is still best.
fn last_joint(ones: u64) -> Result<u64, ReproduceError> {
    let (mut joint, mut alone) = (0, PEOPLE / 2);
    while alone - joint > 1 {
        let colluders = joint.midpoint(alone);
        let choice = plan(People { count: PEOPLE, colluders, ones }, 1.0, None)?.choice;
        if choice == Choice::Negative { joint = colluders } else { alone = colluders }
    }
    Ok(joint)
}

/// Whether nothing on a grid is better than the closed form.
fn is_corner_best() -> Result<bool, ReproduceError> {
    let people = People { count: PEOPLE, colluders: 500, ones: 1000 };
    let best = plan(people, 1.0, None)?.variance;
    for p in grid(0.6, 0.75, 100) {
        for rho in grid(1.0 - 1.0 / p, 0.2, 100) {
            let table = table(p, rho)?;
            let keeps = average_epsilon(&table, PEOPLE, people.colluders)? <= 1.0;
            if keeps && variance(&table, PEOPLE, people.ones as f64) < best * (1.0 - 1e-9) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
