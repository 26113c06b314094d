//! Four data sets of one bit for each person.

use super::{Bits, DATA_SETS, NAMES, People, heuristic, independent, plan, variance};
use crate::data::column;
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::Generator;
use privet::joint::{BinaryStudy, Crowd, JointTable};

/// The epsilons of the figures.
const EPSILONS: [f64; 3] = [0.01, 0.1, 1.0];

fn read(setting: &Setting, bits: &Bits) -> Result<People, ReproduceError> {
    let values = column(&setting.path(bits.file), "value")?;
    let ones = values.iter().filter(|value| **value == 1.0).count() as u64;
    Ok(People { count: values.len() as u64, colluders: 0, ones })
}

pub(super) fn table_4_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for bits in &DATA_SETS {
        let people = read(setting, bits)?;
        let id = |what: &str| format!("jrr-t43-{}-{what}", bits.id);
        findings.measure(id("n"), people.count as f64);
        findings.measure(id("ones"), people.ones as f64);
        findings.measure(id("share"), people.ones as f64 / people.count as f64);
    }
    Ok(findings)
}

/// Errors of the estimated number of ones in repeated collections.
fn errors(
    table: JointTable,
    people: People,
    runs: usize,
    is_joint: bool,
    seed: u64,
) -> Result<Vec<f64>, ReproduceError> {
    let study = BinaryStudy::new(table, Crowd::new(people.count, 0)?, people.ones)?;
    let mut rng = Generator::from_insecure_seed(seed);
    let mut run = || {
        let reported = if is_joint {
            study.reported_ones(&mut rng)
        } else {
            study.reported_ones_independently(&mut rng)
        };
        study.estimate(reported) - people.ones as f64
    };
    Ok((0..runs).map(|_| run()).collect())
}

fn mean_square(errors: &[f64]) -> f64 {
    errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64
}

pub(super) fn figure_4_3(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let runs = setting.effort.pick(20, 1000);
    for epsilon in EPSILONS {
        let (joint, alone) = (heuristic(epsilon)?, independent(epsilon)?);
        let labels = [
            "RR, exact",
            "JRR, exact",
            "RR, simulated",
            "JRR, simulated",
            "planned, 1 % colluders",
            "planned, cap 2 epsilon",
        ];
        let mut curves = labels.map(|label| Curve::dots(label, Vec::new()));
        let mut ratios = Vec::new();
        for (place, bits) in (1u32..).zip(&DATA_SETS) {
            let people = read(setting, bits)?;
            let exact = [&alone, &joint].map(|table| variance(table, people.count, people.ones as f64));
            let seed = u64::from(place) + epsilon.to_bits();
            let simulated = [
                mean_square(&errors(alone, people, runs, false, seed)?),
                mean_square(&errors(joint, people, runs, true, seed)?),
            ];
            let colluding = People { colluders: people.count / 100, ..people };
            let planned = [
                plan(colluding, epsilon, None)?.variance,
                plan(people, epsilon, Some(2.0 * epsilon))?.variance,
            ];
            let heights = exact.into_iter().chain(simulated).chain(planned);
            for (curve, height) in curves.iter_mut().zip(heights) {
                curve.points.push([f64::from(place), height]);
            }
            let ratio = exact[1] / exact[0];
            ratios.push(ratio);
            findings.entry("JRR / RR, exact", format!("{}, epsilon {epsilon}", bits.name), ratio);
            findings.holds(format!("jrr-fig43-{}-{epsilon}", bits.id), ratio < 1.0);
        }
        if epsilon == EPSILONS[0] {
            let [kosarak, amazon, commerce, census] = ratios[..] else { continue };
            findings.holds("jrr-fig43-margin", kosarak.max(census) < amazon.min(commerce));
        }
        findings.panels.push(Panel {
            name: format!("epsilon {epsilon}"),
            x_name: "data set",
            x_labels: &NAMES,
            y_name: "mean squared error (people^2)",
            curves: curves.into(),
            ..Panel::default()
        });
    }
    Ok(findings)
}

/// The relative error of both counts, averaged, at each percentile.
fn percentiles(errors: &[f64], people: People) -> Vec<[f64; 2]> {
    let (ones, zeros) = (people.ones as f64, (people.count - people.ones) as f64);
    let relative = |error: &f64| error.abs() / 2.0 * (1.0 / ones + 1.0 / zeros);
    let mut sorted: Vec<f64> = errors.iter().map(relative).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100).clamp(1, sorted.len()) - 1];
    (1..=20).map(|step| [5.0 * step as f64, at(5 * step)]).collect()
}

pub(super) fn figure_4_4(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for epsilon in EPSILONS {
        for bits in &DATA_SETS {
            let people = read(setting, bits)?;
            let is_claimed = bits.id == "kosarak" && epsilon == 0.1;
            let runs = if is_claimed { 1000 } else { setting.effort.pick(200, 1000) };
            let line = |label: &str, table: JointTable, is_joint: bool, seed: u64| {
                let errors = errors(table, people, runs, is_joint, seed)?;
                Ok::<_, ReproduceError>(Curve::line(label, percentiles(&errors, people)))
            };
            let joint = line("JRR", heuristic(epsilon)?, true, 44)?;
            let alone = line("RR", independent(epsilon)?, false, 45)?;
            let capped = plan(people, epsilon, Some(2.0 * epsilon))?.table;
            let capped = line("planned, cap 2 epsilon", capped, true, 46)?;
            if is_claimed {
                findings.measure("jrr-fig44-jrr", joint.at(80.0));
                findings.measure("jrr-fig44-rr", alone.at(80.0));
                findings.entry(
                    "80th percentile, planned with a cap of 2 epsilon",
                    bits.name,
                    capped.at(80.0),
                );
            }
            findings.panels.push(Panel {
                name: format!("{}, epsilon {epsilon}", bits.name),
                x_name: "percentile of the runs (%)",
                y_name: "mean relative error of both counts",
                curves: vec![alone, joint, capped],
                ..Panel::default()
            });
        }
    }
    Ok(findings)
}
