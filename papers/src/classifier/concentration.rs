//! How close reports stay to the number itself.

use super::{EXPONENTIAL, K_RR, LAPLACE_UNCUT, PM, SW, told};
use crate::channel::{curve, grid};
use crate::{Curve, Findings, Panel, ReproduceError, Setting};
use privet::classifier::ReportChannel;
use privet::classifier::paper::{ExtendedGaussian, concentration};
use privet::{BuildOptions, Delta, Epsilon};

/// Where the reports come from.
const INPUT: f64 = 0.5;
/// Grid points at exactly this distance count, whatever rounding says.
const SLACK: f64 = 1e-9;
const BEST: &str = "best channel, at its worst place";
const STAYS: &str = "probability of a report within theta";

const MECHANISMS: [(&str, &str); 5] = [PM, SW, EXPONENTIAL, K_RR, LAPLACE_UNCUT];

fn channel(id: &str, epsilon: f64) -> Result<ReportChannel, ReproduceError> {
    Ok(ReportChannel::named(id, Epsilon::new(epsilon)?, &BuildOptions::default())?)
}

fn stays(channel: &ReportChannel, theta: f64) -> Result<f64, ReproduceError> {
    Ok(concentration(&channel.law(INPUT)?, INPUT, theta + SLACK))
}

/// The smallest epsilon for which a report stays within .3 with probability .8.
pub(super) fn smallest_epsilon(id: &str) -> Result<f64, ReproduceError> {
    let (mut small, mut large) = (0.5, 10.0);
    for _ in 0..20 {
        let middle = f64::midpoint(small, large);
        if stays(&channel(id, middle)?, 0.3)? >= 0.8 { large = middle } else { small = middle }
    }
    Ok(large)
}

/// The best worst case over all values: randomised response on the fewest points such that each value has one within theta.
fn best_worst_case(epsilon: f64, theta: f64) -> f64 {
    told((0.5 / theta - SLACK).ceil() as u32, epsilon)
}

pub(super) fn figure_7_1(_: &Setting) -> Result<Findings, ReproduceError> {
    let noise = channel(LAPLACE_UNCUT.1, 2.0)?;
    let law = noise.law(INPUT)?;
    // Reports lie on a lattice with a power of two in a unit: densities are those of whole steps, and lines lead from one to the next.
    let width = 1.0 / 64.0;
    let step = |x: f64| (law.cdf(x + width / 2.0) - law.cdf(x - width / 2.0)) / width;
    let density = |x: f64| {
        let (left, share) = ((x / width).floor() * width, (x / width).rem_euclid(1.0));
        step(left) * (1.0 - share) + step(left + width) * share
    };
    // Both have a point at the input, where the peak is.
    let area = |label: String, [low, high]: [f64; 2], parts: u32| {
        let places = grid(low, high, parts).into_iter();
        Curve::area(label, places.map(|x| [x, density(x)]).collect())
    };
    let inside = format!("within .3 of .5: {:.1} %", 100.0 * stays(&noise, 0.3)?);
    let curves = vec![
        area("Laplace noise, epsilon 2".to_owned(), [INPUT - 2.0, INPUT + 2.0], 128),
        area(inside, [INPUT - 0.3, INPUT + 0.3], 60),
    ];
    let mut findings = Findings::default();
    let (x_name, y_name) = ("report", "density");
    findings.panels.push(Panel {
        name: "density".to_owned(),
        x_name,
        y_name,
        is_linear: true,
        curves,
        ..Panel::default()
    });
    let epsilons = grid(0.5, 8.0, 30);
    let line =
        |(label, id): (&str, &str)| curve(label, &epsilons, |epsilon| stays(&channel(id, epsilon)?, 0.3));
    let best = curve(BEST, &epsilons, |epsilon| Ok(best_worst_case(epsilon, 0.3)))?;
    let curves = vec![line(LAPLACE_UNCUT)?, line(PM)?, best];
    let name = "by epsilon".to_owned();
    findings.panels.push(Panel {
        name,
        x_name: "epsilon",
        y_name: STAYS,
        is_linear: true,
        curves,
        ..Panel::default()
    });
    findings.measure("classifier-fig71-p", stays(&noise, 0.3)?);
    findings.measure("classifier-fig71-eps", smallest_epsilon(LAPLACE_UNCUT.1)?);
    Ok(findings)
}

/// The curves of all mechanisms by theta: those of [`MECHANISMS`], then Gaussian noise, and the worst cases of PM and of the best
/// channel.
fn by_theta(epsilon: f64, thetas: &[f64]) -> Result<Vec<Curve>, ReproduceError> {
    let mut curves = Vec::new();
    for (label, id) in MECHANISMS {
        let channel = channel(id, epsilon)?;
        curves.push(curve(label, thetas, |theta| stays(&channel, theta))?);
    }
    let noise = ExtendedGaussian::new(Epsilon::new(epsilon)?, Delta::new(0.1)?)?;
    curves.push(curve("Gaussian (theorem 18, delta .1)", thetas, |theta| {
        Ok(noise.mass(INPUT, [INPUT - theta, INPUT + theta]))
    })?);
    let pm = channel(PM.1, epsilon)?;
    let at_end = pm.law(0.0)?;
    curves.push(curve("PM at 0, its worst place", thetas, |theta| Ok(concentration(&at_end, 0.0, theta)))?);
    curves.push(curve(BEST, thetas, |theta| Ok(best_worst_case(epsilon, theta)))?);
    Ok(curves)
}

pub(super) fn figure_7_3(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    for epsilon in [2.0, 4.0, 6.0] {
        let (name, x_name) = (format!("epsilon {epsilon}"), "theta");
        let curves = by_theta(epsilon, &grid(0.1, 0.5, 80))?;
        findings.panels.push(Panel {
            name,
            x_name,
            y_name: STAYS,
            is_linear: true,
            curves,
            ..Panel::default()
        });
    }
    let at = |(_, id): (&str, &str)| stays(&channel(id, 2.0)?, 0.3);
    findings.measure("classifier-conc-laplace", at(LAPLACE_UNCUT)?);
    findings.measure("classifier-conc-pm", at(PM)?);
    let (e, points) = (2f64.exp(), 100.0);
    let printed = (e + 2.0 * 0.3 * points - 1.0) / (points - 1.0 + e);
    findings.measure_corrected("classifier-conc-krr", printed, at(K_RR)?);
    Ok(findings)
}

pub(super) fn example_12(_: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let mut is_best = true;
    for epsilon in [2.0, 4.0, 6.0] {
        let curves = by_theta(epsilon, &grid(0.1, 0.5, 16))?;
        let [pm, others @ .., _, _] = curves.as_slice() else { continue };
        // Wide regions hold every report of several mechanisms.
        is_best &= others.iter().all(|other| other.is_below(pm, SLACK));
        if epsilon == 2.0 {
            let heights: Vec<f64> = others.iter().chain([pm]).map(|curve| curve.at(0.1)).collect();
            let largest = heights.iter().copied().fold(0.0, f64::max);
            findings.holds("classifier-ex12-sw", heights[0] == largest);
            findings.entry("within .1 at epsilon 2", "PM", pm.at(0.1));
            findings.entry("within .1 at epsilon 2", "SW", heights[0]);
        }
    }
    findings.holds("classifier-ex12-pm", is_best);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At theta .3 two points are enough, at .25 as well, and just below that three are needed.
    #[test]
    fn the_best_worst_case_counts_points() {
        assert_eq!(best_worst_case(2.0, 0.3), told(2, 2.0));
        assert_eq!(best_worst_case(2.0, 0.25), told(2, 2.0));
        assert_eq!(best_worst_case(2.0, 0.24), told(3, 2.0));
        assert_eq!(best_worst_case(2.0, 0.5), 1.0);
    }
}
