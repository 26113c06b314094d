//! Paths in boxes.

use super::{Build, EPSILONS, METHODS, Trips, WINDOW, panel, random_paths, rectangle};
use crate::{Curve, Findings, ReproduceError, Setting};
use privet::trajectory::Path;
use privet::trajectory::method::{LinePart, RingPart, Split, TracsD};

const ERROR: &str = "average error (units of the space)";

pub(super) fn figure_6_4(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    let (mut beats_laplace, mut is_ordered) = (true, true);
    for (name, short, sides) in [("unit square", "a", [1.0, 1.0]), ("[0,2] x [0,10]", "b", [2.0, 10.0])] {
        let paths = random_paths(setting.effort.pick(50, 1000), 100, sides);
        let space = rectangle([0.0, sides[0]], [0.0, sides[1]])?;
        let curves = Trips { space, paths: &paths, trials: 1, rounding: None }.all_errors()?;
        let [d, c, strawman, laplace, window] = &curves;
        findings.measure(format!("tracs-fig64{short}-d"), 100.0 * d.mean() / strawman.mean());
        findings.measure(format!("tracs-fig64{short}-c"), 100.0 * c.mean() / strawman.mean());
        beats_laplace &= d.is_below(laplace, 0.0) && c.is_below(laplace, 0.0);
        is_ordered &= c.is_below(d, 0.0);
        for epsilon in EPSILONS {
            let less = 100.0 * (1.0 - window.at(epsilon) / c.at(epsilon));
            findings.entry("window below TraCS-C (%)", format!("{name}, epsilon {epsilon}"), less);
        }
        if short == "a" {
            findings.measure("tracs-fig64-cross-c", first_below(c, strawman));
            findings.measure("tracs-fig64-cross-d", first_below(d, strawman));
        }
        findings.panels.push(panel(name, ERROR, curves.into()));
    }
    findings.holds("tracs-fig64-laplace", beats_laplace);
    findings.holds("tracs-fig64-order", is_ordered);
    Ok(findings)
}

/// The first epsilon of the figure at which one curve is below another.
fn first_below(one: &Curve, other: &Curve) -> f64 {
    let found = EPSILONS.into_iter().find(|&epsilon| one.at(epsilon) < other.at(epsilon));
    found.unwrap_or(f64::INFINITY)
}

pub(super) fn figure_6_5(setting: &Setting) -> Result<Findings, ReproduceError> {
    let places = (1..=9).map(|step| [0.2 * f64::from(step), 1.0]).collect();
    let paths = [Path::new("short side", places)];
    let space = rectangle([0.0, 2.0], [0.0, 10.0])?;
    let trips = Trips { space, paths: &paths, trials: setting.effort.pick(200, 1000), rounding: None };
    let curves = trips.all_errors()?;
    let mut findings = Findings::default();
    findings.measure("tracs-fig65", 100.0 * curves[0].mean() / curves[1].mean());
    findings.panels.push(panel("", ERROR, curves.into()));
    Ok(findings)
}

pub(super) fn figure_d_5(setting: &Setting) -> Result<Findings, ReproduceError> {
    let paths = random_paths(setting.effort.pick(50, 1000), 100, [1.0, 1.0]);
    let trips = Trips { space: rectangle([0.0, 1.0], [0.0, 1.0])?, paths: &paths, trials: 1, rounding: None };
    let waves: Build = |trips, epsilon| {
        let parts = (RingPart::SquareWave, LinePart::SquareWave);
        Ok(Box::new(TracsD::with(trips.space.clone(), epsilon, Split::Paper, parts.0, parts.1)?))
    };
    let [ours, waves] = [trips.errors(METHODS[0])?, trips.errors(("TraCS-D with square waves", waves))?];
    let mut findings = Findings::default();
    findings.measure("tracs-d5-ratio", 100.0 * ours.mean() / waves.mean());
    findings.holds("tracs-d5-consistent", ours.is_below(&waves, 0.0));
    findings.panels.push(panel("", ERROR, vec![ours, waves, trips.errors(WINDOW)?]));
    Ok(findings)
}
