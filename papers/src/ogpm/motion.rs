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
/// How often the paper repeats everything.
const PAPER_TRIALS: f64 = 500.0;
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

/// What trials give, by epsilon.
struct Line {
    points: Vec<[f64; 2]>,
    /// The variance of the mean over the epsilons in one trial.
    variance: f64,
}

impl Line {
    fn curve(&self, label: &str) -> Curve {
        Curve::line(label, self.points.clone())
    }
}

/// The mean of one line as a share of another (%), and the standard error that it has in as many trials as the paper has.
fn share_of(ours: &Line, rival: &Line) -> [f64; 2] {
    let [one, other] = [ours, rival].map(|line| line.curve("").mean());
    let squared = ours.variance / one.powi(2) + rival.variance / other.powi(2);
    let share = 100.0 * one / other;
    [share, share * (squared / PAPER_TRIALS).sqrt()]
}

impl Quantity {
    /// The mean over trials of some numbers, for each epsilon.
    fn over_epsilons<const N: usize>(
        &self,
        id: &str,
        space: &str,
        trials: usize,
        numbers: impl Fn(&Source, &Trial) -> Result<[f64; N], ReproduceError> + Sync,
    ) -> Result<[Line; N], ReproduceError> {
        let values = Values::Numbers(self.values.clone());
        let epsilons = epsilons();
        let mut lines = [const { Line { points: Vec::new(), variance: 0.0 } }; N];
        for &epsilon in &epsilons {
            let mut source = Source::new(id, space, epsilon)?;
            let mut drawn = [const { Vec::new() }; N];
            for _ in 0..trials {
                let trial = source.trial(&values)?;
                drawn.iter_mut().zip(numbers(&source, &trial)?).for_each(|(all, number)| all.push(number));
            }
            for (line, all) in lines.iter_mut().zip(drawn) {
                let height = mean(&all);
                line.points.push([epsilon, height]);
                let squares: f64 = all.iter().map(|number| (number - height).powi(2)).sum();
                line.variance += squares / (trials as f64 - 1.0) / (epsilons.len() as f64).powi(2);
            }
        }
        Ok(lines)
    }

    /// How claims call it.
    fn short(&self) -> &'static str {
        if self.is_ring { "roll" } else { "acc" }
    }

    /// Measures the ratios of mean errors that Figure 5.17 prints.
    fn mean_claims(&self, [ogpm, pm, sw]: [&Line; 3], findings: &mut Findings) {
        for (rival, name) in [(pm, "pm"), (sw, "sw")] {
            let (id, [share, error]) =
                (format!("ogpm-fig517-{}-{name}", self.short()), share_of(ogpm, rival));
            findings.entry("standard error of the ratio in 500 trials (points)", id.clone(), error);
            findings.measure(id, share);
        }
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
        let panels = distributions(setting, &quantity, &mut findings)?;
        findings.panels.extend(panels);
        if quantity.name == ACCELERATION {
            findings.measure("ogpm-ms-rows", quantity.values.len() as f64);
        }
    }
    let [acceleration, ..] = &findings.panels[..] else { return Ok(findings) };
    let outperforms =
        acceleration.curves[1..].iter().all(|rival| acceleration.curves[0].is_below(rival, 0.0));
    findings.holds("ogpm-fig516-outperforms", outperforms);
    for panel in [2, 5] {
        let Some(Panel { name, curves, .. }) = findings.panels.get(panel) else { continue };
        // The three as they are read in print come first, then OGPM by its likelihood.
        let (share, name) = (100.0 * curves[3].mean() / curves[0].mean(), name.clone());
        findings.entry("OGPM by its likelihood, as a share of OGPM as it is (%)", name, share);
    }
    Ok(findings)
}

/// The printed ratios, with the sum of differences over 50 bins that the text states and with the Euclidean distance over 49 bins.
fn distribution_claims(quantity: &Quantity, lines: &[[Line; 3]], findings: &mut Findings) {
    let [ogpm, pm, sw] = lines else { return };
    for (rival, name) in [(pm, "pm"), (sw, "sw")] {
        let id = format!("ogpm-fig516-{}-{name}", quantity.short());
        let [euclidean, euclidean_error] = share_of(&ogpm[0], &rival[0]);
        let [sums, sums_error] = share_of(&ogpm[1], &rival[1]);
        for (distance, error) in [("sum of differences", sums_error), ("Euclidean", euclidean_error)] {
            let series = format!("standard error of the ratio in 500 trials, {distance} (points)");
            findings.entry(series, id.clone(), error);
        }
        findings.measure_corrected(id, sums, euclidean);
    }
}

/// Three charts of one quantity: both metrics of the paper, and the distance that shares have to be carried.
fn distributions(
    setting: &Setting,
    quantity: &Quantity,
    findings: &mut Findings,
) -> Result<[Panel; 3], ReproduceError> {
    let Quantity { name, values, width, compared, likely, .. } = quantity;
    let printed_truth = histogram(values, *width, PRINTED_BINS);
    let truth = histogram(values, *width, BINS);
    let true_shares = shares(&truth);
    let mut curves = [const { Vec::new() }; 3];
    let mut compared_lines = Vec::new();
    for (label, id, space) in compared {
        let lines = quantity.over_epsilons(id, space, setting.effort.pick(100, 500), |_, trial| {
            let counts = histogram(&trial.numbers, *width, BINS);
            Ok([
                euclidean(&histogram(&trial.numbers, *width, PRINTED_BINS), &printed_truth),
                l1(&counts, &truth),
                quantity.transport(&shares(&counts), &true_shares),
            ])
        })?;
        for (curves, line) in curves.iter_mut().zip(&lines) {
            curves.push(line.curve(label));
        }
        compared_lines.push(lines);
    }
    distribution_claims(quantity, &compared_lines, findings);
    for (label, id, space) in *likely {
        let [line] = quantity.over_epsilons(id, space, setting.effort.pick(1, 20), |source, trial| {
            Ok([quantity.transport(source.likely(trial)?.shares(), &true_shares)])
        })?;
        curves[2].push(line.curve(label));
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
    let mut lines = Vec::new();
    let others = [("OGPM-U", OGPM_U, UNIT), ("PM", PM, UNIT), ("squared-error root", ROOT, UNIT)];
    let mechanisms: Vec<_> = quantity.compared.into_iter().chain(others).collect();
    for (index, (_, id, space)) in mechanisms.iter().enumerate() {
        // Only the compared ones have printed numbers.
        let is_compared = index < quantity.compared.len();
        let trials = setting.effort.pick(if is_compared { 100 } else { 20 }, 500);
        let [line] = quantity
            .over_epsilons(id, space, trials, |_, trial| Ok([(mean(&trial.numbers) - truth).abs()]))?;
        lines.push(line);
    }
    let [likely] = quantity.over_epsilons(OGPM, UNIT, setting.effort.pick(1, 20), |source, trial| {
        Ok([(source.likely(trial)?.mean() - truth).abs()])
    })?;
    if let [ogpm, pm_c, sw_c, ..] = &lines[..] {
        quantity.mean_claims([ogpm, pm_c, sw_c], findings);
    }
    let mut curves: Vec<Curve> =
        lines.iter().zip(&mechanisms).map(|(line, (label, ..))| line.curve(label)).collect();
    let [ogpm, _, _, unbiased, pm, _] = &curves[..] else { return Ok(()) };
    findings.entry(
        "mean error of PM as a share of OGPM (%)",
        "acceleration",
        100.0 * pm.mean() / ogpm.mean(),
    );
    findings.holds("ogpm-fig517-best", curves[1..].iter().all(|other| ogpm.mean() < other.mean()));
    findings
        .holds("ogpm-fig517-u", [1.0, 2.0].iter().all(|&epsilon| unbiased.at(epsilon) < ogpm.at(epsilon)));
    curves.push(likely.curve("OGPM, EM"));
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
    let mut lines = Vec::new();
    for (_, id, space) in quantity.compared {
        let trials = setting.effort.pick(100, 500);
        let [line] = quantity.over_epsilons(id, space, trials, |_, trial| {
            Ok([circular_distance(direction(&trial.numbers), truth)])
        })?;
        lines.push(line);
    }
    let [likely] = quantity.over_epsilons(PM, CUT_CIRCLE, setting.effort.pick(1, 20), |source, trial| {
        Ok([circular_distance(likely_direction(&source.likely(trial)?), truth)])
    })?;
    if let [ogpm, pm, sw] = &lines[..] {
        quantity.mean_claims([ogpm, pm, sw], findings);
    }
    let mut curves: Vec<Curve> =
        lines.iter().zip(quantity.compared).map(|(line, (label, ..))| line.curve(label)).collect();
    let [_, pm, sw] = &curves[..] else { return Ok(()) };
    findings.holds("ogpm-fig517-roll-order", sw.mean() < pm.mean());
    curves.push(likely.curve("PM, EM"));
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
