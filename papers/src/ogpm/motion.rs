//! Distributions and means of MotionSense: one acceleration and one angle for each moment.

use super::{MOTION_SENSE, OGPM, OGPM_CIRCLE, OGPM_U, PM, PM_C, ROOT, SW, SW_C};
use crate::channel::{CIRCLE, CUT_CIRCLE, Numeric, UNIT, circular_distance, domain, grid};
use crate::data::column;
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::numeric::metrics::{l1, wasserstein, wasserstein_circular};
use privet::numeric::{Distribution, Method};
use privet::registry::find_mechanism;
use privet::{AnyMechanism, Epsilon, Generator, ReportBuffer, Request, Values};
use std::f64::consts::PI;

/// Fifty edges: the bins of the printed numbers.
const PRINTED_BINS: usize = 49;
/// The bins of the text.
const BINS: usize = 50;
const ACCELERATION: &str = "acceleration";
const ROLL: &str = "roll angle";

/// The epsilons of both figures.
fn epsilons() -> Vec<f64> {
    grid(1.0, 8.0, 14)
}

/// A mechanism with the reports that it makes of one column.
struct Source {
    mechanism: Box<dyn AnyMechanism>,
    numeric: Numeric,
    rng: Generator,
}

/// The reports of one trial, as they are encoded and as numbers.
struct Trial {
    encoded: ReportBuffer,
    numbers: Vec<f64>,
}

impl Source {
    fn new(id: &str, space: &str, epsilon: f64) -> Result<Self, ReproduceError> {
        let mechanism = find_mechanism(id)?.build(&domain(space)?, Epsilon::new(epsilon)?)?;
        let numeric = Numeric::new(id, space, epsilon)?;
        Ok(Self { mechanism, numeric, rng: Generator::from_insecure_seed(516 + epsilon.to_bits()) })
    }

    fn trial(&mut self, values: &Values) -> Result<Trial, ReproduceError> {
        let mut encoded = ReportBuffer::new(self.mechanism.report_bytes());
        self.mechanism.randomize_batch(values, &mut self.rng, &mut encoded)?;
        let channel = self.numeric.channel()?;
        let number = |slot: &[u8]| Ok::<_, ReproduceError>(channel.output_value(channel.decode(slot)?.0));
        let numbers = encoded.iter().map(number).collect::<Result<_, _>>()?;
        Ok(Trial { encoded, numbers })
    }

    /// The distribution that explains a trial's reports best.
    fn likely(&self, trial: &Trial) -> Result<Distribution, ReproduceError> {
        let estimator = self.numeric.estimator();
        let mut summary = estimator.empty_summary();
        estimator.accumulate(&mut summary, &trial.encoded)?;
        let request = Request { method: Method::Smoothed, bins: BINS, ..Request::default() };
        Ok(estimator.distribution(&summary, &request)?)
    }
}

/// How many values fall into each of equal bins.
fn histogram(values: &[f64], width: f64, bins: usize) -> Vec<f64> {
    let mut counts = vec![0.0; bins];
    for value in values {
        let bin = (value / width * bins as f64).floor().clamp(0.0, bins as f64 - 1.0);
        counts[bin as usize] += 1.0;
    }
    counts
}

fn euclidean(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn shares(counts: &[f64]) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    counts.iter().map(|count| count / total).collect()
}

/// One column, and how its mechanisms are called.
struct Quantity {
    name: &'static str,
    values: Vec<f64>,
    width: f64,
    is_ring: bool,
    /// The paper's three mechanisms: label, id and domain.
    compared: [(&'static str, &'static str, &'static str); 3],
    /// Those whose reports are read by their likelihood.
    likely: &'static [(&'static str, &'static str, &'static str)],
}

fn quantities(setting: &Setting) -> Result<[Quantity; 2], ReproduceError> {
    let path = setting.path(MOTION_SENSE);
    Ok([
        Quantity {
            name: ACCELERATION,
            values: column(&path, "acc_x_norm01")?,
            width: 1.0,
            is_ring: false,
            compared: [("OGPM", OGPM, UNIT), ("PM-C", PM_C, UNIT), ("SW-C", SW_C, UNIT)],
            likely: &[("OGPM, EM", OGPM, UNIT), ("PM, EM", PM, UNIT), ("SW, EM", SW, UNIT)],
        },
        Quantity {
            name: ROLL,
            values: column(&path, "roll_mod_2pi")?,
            width: 2.0 * PI,
            is_ring: true,
            compared: [("OGPM", OGPM_CIRCLE, CIRCLE), ("PM-C", PM_C, CUT_CIRCLE), ("SW-C", SW_C, CUT_CIRCLE)],
            likely: &[
                ("OGPM, EM", OGPM_CIRCLE, CIRCLE),
                ("PM, EM", PM, CUT_CIRCLE),
                ("SW, EM", SW, CUT_CIRCLE),
            ],
        },
    ])
}

impl Quantity {
    /// The mean over trials of some numbers, for each epsilon.
    fn over_epsilons<const N: usize>(
        &self,
        id: &str,
        space: &str,
        trials: usize,
        numbers: impl Fn(&Source, &Trial) -> Result<[f64; N], ReproduceError> + Sync,
    ) -> Result<[Vec<[f64; 2]>; N], ReproduceError> {
        let values = Values::Numbers(self.values.clone());
        let mut lines = [const { Vec::new() }; N];
        for epsilon in epsilons() {
            let mut source = Source::new(id, space, epsilon)?;
            let mut sums = [0.0; N];
            for _ in 0..trials {
                let trial = source.trial(&values)?;
                for (sum, number) in sums.iter_mut().zip(numbers(&source, &trial)?) {
                    *sum += number / trials as f64;
                }
            }
            for (line, sum) in lines.iter_mut().zip(sums) {
                line.push([epsilon, sum]);
            }
        }
        Ok(lines)
    }

    /// The distance between two distributions over the bins of the text, along the line or around the circle.
    fn transport(&self, shares: &[f64], truth: &[f64]) -> f64 {
        let distance = if self.is_ring { wasserstein_circular } else { wasserstein };
        distance(shares, truth) * self.width
    }
}

pub(super) fn figure_5_16(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for quantity in quantities(setting)? {
        findings.panels.extend(distributions(setting, &quantity)?);
        if quantity.name == ACCELERATION {
            findings.measure("ogpm-ms-rows", quantity.values.len() as f64);
        }
    }
    let share = |panel: &Panel, rival: usize| 100.0 * panel.curves[0].mean() / panel.curves[rival].mean();
    let [acceleration, differences, _, roll, ..] = &findings.panels[..] else { return Ok(findings) };
    let outperforms =
        acceleration.curves[1..].iter().all(|rival| acceleration.curves[0].is_below(rival, 0.0));
    let measured = [
        ("ogpm-fig516-acc-pm", share(acceleration, 1)),
        ("ogpm-fig516-acc-sw", share(acceleration, 2)),
        ("ogpm-fig516-metric", share(differences, 1)),
        ("ogpm-fig516-roll-pm", share(roll, 1)),
        ("ogpm-fig516-roll-sw", share(roll, 2)),
    ];
    for (id, ours) in measured {
        findings.measure(id, ours);
    }
    findings.holds("ogpm-fig516-outperforms", outperforms);
    for panel in [2, 5] {
        let Some(Panel { name, curves, .. }) = findings.panels.get(panel) else { continue };
        // The three as they are read in print come first, then OGPM by its likelihood.
        let (share, name) = (100.0 * curves[3].mean() / curves[0].mean(), name.clone());
        findings.entry("OGPM by its likelihood, as a share of OGPM as it is (%)", name, share);
    }
    Ok(findings)
}

/// Three charts of one quantity: both metrics of the paper, and the distance that shares have to be carried.
fn distributions(setting: &Setting, quantity: &Quantity) -> Result<[Panel; 3], ReproduceError> {
    let Quantity { name, values, width, compared, likely, .. } = quantity;
    let printed_truth = histogram(values, *width, PRINTED_BINS);
    let truth = histogram(values, *width, BINS);
    let true_shares = shares(&truth);
    let mut curves = [const { Vec::new() }; 3];
    for (label, id, space) in compared {
        let lines = quantity.over_epsilons(id, space, setting.effort.pick(10, 500), |_, trial| {
            let counts = histogram(&trial.numbers, *width, BINS);
            Ok([
                euclidean(&histogram(&trial.numbers, *width, PRINTED_BINS), &printed_truth),
                l1(&counts, &truth),
                quantity.transport(&shares(&counts), &true_shares),
            ])
        })?;
        for (curves, line) in curves.iter_mut().zip(lines) {
            curves.push(Curve::line(*label, line));
        }
    }
    for (label, id, space) in *likely {
        let [line] = quantity.over_epsilons(id, space, setting.effort.pick(1, 20), |source, trial| {
            Ok([quantity.transport(source.likely(trial)?.shares(), &true_shares)])
        })?;
        curves[2].push(Curve::line(*label, line));
    }
    let [euclidean, sums, carried] = curves;
    let panel = |what: &str, y_name: &'static str, curves: Vec<Curve>| Panel {
        name: format!("{name}, {what}"),
        x_name: "epsilon",
        y_name,
        curves,
        ..Panel::default()
    };
    let unit = if quantity.is_ring {
        "Wasserstein distance (rad)"
    } else {
        "Wasserstein distance (share of the range)"
    };
    Ok([
        panel("Euclidean distance over 49 bins", "distance of histograms (counts)", euclidean),
        panel("sum of differences over 50 bins", "distance of histograms (counts)", sums),
        panel("Wasserstein distance", unit, carried),
    ])
}

pub(super) fn figure_5_17(setting: &Setting) -> Result<Findings, ReproduceError> {
    let [acceleration, roll] = quantities(setting)?;
    let mut findings = Findings::default();
    accelerations(setting, &acceleration, &mut findings)?;
    directions(setting, &roll, &mut findings)?;
    Ok(findings)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn accelerations(
    setting: &Setting,
    quantity: &Quantity,
    findings: &mut Findings,
) -> Result<(), ReproduceError> {
    let truth = mean(&quantity.values);
    let mut curves = Vec::new();
    let others = [("OGPM-U", OGPM_U, UNIT), ("PM", PM, UNIT), ("squared-error root", ROOT, UNIT)];
    for (label, id, space) in quantity.compared.into_iter().chain(others) {
        let trials = setting.effort.pick(20, 500);
        let [line] = quantity
            .over_epsilons(id, space, trials, |_, trial| Ok([(mean(&trial.numbers) - truth).abs()]))?;
        curves.push(Curve::line(label, line));
    }
    let [line] = quantity.over_epsilons(OGPM, UNIT, setting.effort.pick(1, 20), |source, trial| {
        Ok([(source.likely(trial)?.mean() - truth).abs()])
    })?;
    let [ogpm, pm_c, sw_c, unbiased, pm, _] = &curves[..] else { return Ok(()) };
    findings.measure("ogpm-fig517-acc-pm", 100.0 * ogpm.mean() / pm_c.mean());
    findings.measure("ogpm-fig517-acc-sw", 100.0 * ogpm.mean() / sw_c.mean());
    findings.entry(
        "mean error of PM as a share of OGPM (%)",
        "acceleration",
        100.0 * pm.mean() / ogpm.mean(),
    );
    findings.holds("ogpm-fig517-best", curves[1..].iter().all(|other| ogpm.mean() < other.mean()));
    findings
        .holds("ogpm-fig517-u", [1.0, 2.0].iter().all(|&epsilon| unbiased.at(epsilon) < ogpm.at(epsilon)));
    curves.push(Curve::line("OGPM, EM", line));
    let (name, y_name) = (ACCELERATION.to_owned(), "mean absolute error of the mean (share of the range)");
    findings.panels.push(Panel { name, x_name: "epsilon", y_name, curves, ..Panel::default() });
    Ok(())
}

/// The direction of the sum of all angles.
fn direction(angles: &[f64]) -> f64 {
    let sum = |part: fn(f64) -> f64| angles.iter().map(|angle| part(*angle)).sum::<f64>();
    sum(f64::sin).atan2(sum(f64::cos))
}

fn directions(setting: &Setting, quantity: &Quantity, findings: &mut Findings) -> Result<(), ReproduceError> {
    let truth = direction(&quantity.values);
    let mut curves = Vec::new();
    for (label, id, space) in quantity.compared {
        let trials = setting.effort.pick(20, 500);
        let [line] = quantity.over_epsilons(id, space, trials, |_, trial| {
            Ok([circular_distance(direction(&trial.numbers), truth)])
        })?;
        curves.push(Curve::line(label, line));
    }
    let [line] = quantity.over_epsilons(PM, CUT_CIRCLE, setting.effort.pick(1, 20), |source, trial| {
        Ok([circular_distance(likely_direction(&source.likely(trial)?), truth)])
    })?;
    let [ogpm, pm, sw] = &curves[..] else { return Ok(()) };
    findings.measure("ogpm-fig517-roll-pm", 100.0 * ogpm.mean() / pm.mean());
    findings.measure("ogpm-fig517-roll-sw", 100.0 * ogpm.mean() / sw.mean());
    findings.holds("ogpm-fig517-roll-order", sw.mean() < pm.mean());
    curves.push(Curve::line("PM, EM", line));
    let (name, y_name) = (ROLL.to_owned(), "mean circular distance of the directions (rad)");
    findings.panels.push(Panel { name, x_name: "epsilon", y_name, curves, ..Panel::default() });
    Ok(())
}

/// The direction of a distribution over bins of the cut circle.
fn likely_direction(distribution: &Distribution) -> f64 {
    let middle = |bin: usize| {
        let [from, to] = distribution.bin(bin);
        f64::midpoint(from, to)
    };
    let sum = |part: fn(f64) -> f64| -> f64 {
        distribution.shares().iter().enumerate().map(|(bin, share)| share * part(middle(bin))).sum()
    };
    sum(f64::sin).atan2(sum(f64::cos))
}
