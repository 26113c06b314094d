//! Methods that choose among public places, beside TraCS with rounded reports.

use super::{Build, METHODS, Reading, Trips, WINDOW, panel, random_paths, rectangle};
use crate::{Findings, ReproduceError, Setting, timing};
use privet::trajectory::Path;
use privet::trajectory::method::rival::{Atp, LSrr, NGram};
use privet::trajectory::rounding::{Grid, Rounding};
use privet::{Epsilon, Generator};

/// The rivals, as they can be had with what they promise.
pub(super) const RIVALS: [(&str, Build); 3] = [
    ("NGram (no guarantee)", |trips, epsilon| Ok(Box::new(NGram::new(trips.candidates()?, epsilon)?))),
    ("L-SRR (more than epsilon)", |trips, epsilon| Ok(Box::new(LSrr::new(trips.candidates()?, epsilon)?))),
    ("ATP (seen from reports)", |trips, epsilon| Ok(Box::new(Atp::new(trips.candidates()?, epsilon)?))),
];
/// What they are called in claims.
const IDS: [&str; 3] = ["n-gram", "l-srr", "atp"];

const ERROR: &str = "average error (units of the space)";

/// A grid of the unit square, and paths of its places.
pub(super) fn on_grid(side: u32, count: usize) -> Result<(Grid, Vec<Path>), ReproduceError> {
    let grid = Grid::new(rectangle([0.0, 1.0], [0.0, 1.0])?, [side, side])?;
    let paths = random_paths(count, 100, [1.0, 1.0]).iter().map(|path| grid.round_path(path)).collect();
    Ok((grid, paths))
}

pub(super) fn figure_6_8(setting: &Setting) -> Result<Findings, ReproduceError> {
    let mut findings = Findings::default();
    // Small lists are quick, and their ratios are close to what is printed.
    for (short, side, count) in
        [("a", 10, setting.effort.pick(100, 1000)), ("b", 60, setting.effort.pick(12, 100))]
    {
        let (grid, paths) = on_grid(side, count)?;
        let trips = Trips { space: grid.space().clone(), paths: &paths, trials: 1, rounding: Some(&grid) };
        let [d, c] = [trips.errors(METHODS[0])?, trips.errors(METHODS[1])?];
        let mut rivals = Vec::new();
        for (rival, id) in RIVALS.into_iter().zip(IDS) {
            let rival = trips.errors(rival)?;
            findings.measure(format!("tracs-fig68{short}-c-{id}"), 100.0 * c.mean() / rival.mean());
            findings.measure(format!("tracs-fig68{short}-d-{id}"), 100.0 * d.mean() / rival.mean());
            rivals.push(rival);
        }
        if short == "a" {
            findings.holds("tracs-fig68-c", rivals.iter().all(|rival| c.is_below(rival, 0.0)));
        }
        let mut curves = vec![d, c];
        curves.extend(rivals);
        curves.push(trips.errors(WINDOW)?);
        findings.panels.push(panel(&format!("{side} x {side} places"), ERROR, curves));
    }
    Ok(findings)
}

/// About as many places as Tokyo has: 88 x 88.
const SIDE: u32 = 88;

/// Milliseconds of one report, with a list as long as Tokyo's.
pub(super) fn milliseconds((_, build): (&str, Build)) -> Result<f64, ReproduceError> {
    let (grid, paths) = on_grid(SIDE, 1)?;
    let paths = [Path::new("one", paths[0].places[..20].to_vec())];
    let trips = Trips { space: grid.space().clone(), paths: &paths, trials: 1, rounding: Some(&grid) };
    let method = build(&trips, Epsilon::new(4.0)?)?;
    let mut rng = Generator::from_insecure_seed(65);
    let path = timing::milliseconds(1, || trips.reports(method.as_ref(), Reading::Plain, &mut rng))?;
    Ok(path / paths[0].places.len() as f64)
}
