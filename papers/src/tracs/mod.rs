//! Trajectories in continuous space: chapter 6 and appendix D.

mod cities;
mod continuous;
mod directions;
mod grids;
mod theorems;

use crate::channel::curve;
use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::Figure;
use crate::{Curve, Panel, ReproduceError};
use privet::trajectory::method::rival::PlanarLaplace;
use privet::trajectory::method::{LocationMethod, References, Release, TracsC, TracsD, Window2d};
use privet::trajectory::metric::Metric;
use privet::trajectory::rounding::Rounding;
use privet::trajectory::space::Space;
use privet::trajectory::{Path, TrajectoryError};
use privet::{Epsilon, Generator, Interval, Rectangle};
use privet_core::Rng;

/// The epsilons of the figures.
const EPSILONS: [f64; 5] = [2.0, 4.0, 6.0, 8.0, 10.0];
/// The sectors of the strawman.
const SECTORS: u32 = 6;

/// Makes a method.
type Build = fn(Space, Epsilon) -> Result<Box<dyn LocationMethod>, TrajectoryError>;

/// The methods of the continuous figures, ours last.
const METHODS: [(&str, Build); 5] = [
    ("TraCS-D", |space, epsilon| Ok(Box::new(TracsD::new(space, epsilon)?))),
    ("TraCS-C", |space, epsilon| Ok(Box::new(TracsC::new(space, epsilon)?))),
    ("strawman, correct", |space, epsilon| Ok(Box::new(TracsD::strawman(space, epsilon, SECTORS)?))),
    ("planar Laplace", |space, epsilon| Ok(Box::new(PlanarLaplace::new(space, epsilon)?))),
    ("window in the plane", |space, epsilon| Ok(Box::new(Window2d::new(space, epsilon)?))),
];

fn rectangle(first: [f64; 2], second: [f64; 2]) -> Result<Space, ReproduceError> {
    let sides = [Interval::new(first[0], first[1])?, Interval::new(second[0], second[1])?];
    Ok(Space::rectangle(Rectangle::new(sides)?))
}

/// A number from 0 to 1.
fn unit(rng: &mut Generator) -> f64 {
    (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}

/// Paths of uniform places.
fn random_paths(count: usize, length: usize, sides: [f64; 2]) -> Vec<Path> {
    let mut rng = Generator::from_insecure_seed(60);
    let mut path = |index: usize| {
        let places = (0..length).map(|_| sides.map(|side| side * unit(&mut rng))).collect();
        Path::new(index.to_string(), places)
    };
    (0..count).map(&mut path).collect()
}

/// Paths, how often they are reported, and what reports are rounded to.
struct Trips<'a> {
    space: Space,
    paths: &'a [Path],
    trials: usize,
    rounding: Option<&'a dyn Rounding>,
}

impl Trips<'_> {
    /// The reports of all paths, once, seen from the lower corner first.
    fn reports(&self, method: &dyn LocationMethod, rng: &mut Generator) -> Result<Vec<Path>, ReproduceError> {
        let start = self.space.lower_corner();
        let release = Release::new(method).seen_from(References::PreviousReport { start })?;
        let reports =
            self.paths.iter().map(|path| release.report(path, rng)).collect::<Result<Vec<_>, _>>()?;
        Ok(match self.rounding {
            Some(rounding) => reports.iter().map(|path| rounding.round_path(path)).collect(),
            None => reports,
        })
    }

    /// A score, where every path counts the same, over all trials.
    fn score(&self, build: Build, epsilon: f64, metric: Metric) -> Result<f64, ReproduceError> {
        let method = build(self.space.clone(), Epsilon::new(epsilon)?)?;
        let mut rng = Generator::from_insecure_seed(61);
        let mut sum = 0.0;
        for _ in 0..self.trials {
            let reports = self.reports(method.as_ref(), &mut rng)?;
            let score = metric.of_data_set(&self.space, self.paths, &reports)?;
            sum += score.map_or(f64::NAN, |score| score.over_paths.value);
        }
        Ok(sum / self.trials as f64)
    }

    /// The average error by epsilon.
    fn errors(&self, label: &str, build: Build) -> Result<Curve, ReproduceError> {
        curve(label, &EPSILONS, |epsilon| self.score(build, epsilon, Metric::AverageError))
    }

    /// The average errors of [`METHODS`].
    fn all_errors(&self) -> Result<[Curve; 5], ReproduceError> {
        let [d, c, strawman, laplace, window] = METHODS.map(|(label, build)| self.errors(label, build));
        Ok([d?, c?, strawman?, laplace?, window?])
    }
}

fn panel(name: &str, y_name: &'static str, curves: Vec<Curve>) -> Panel {
    Panel { name: name.to_owned(), x_name: "epsilon of one place", y_name, curves, ..Panel::default() }
}

const SOURCE: &str = "the paths and places of github.com/ZhengYeah/TraCS (experiments/discrete_space) as csv, with the columns \
                      trajectory_id, lat, lon and location_id";
const TKY: DataFile = DataFile { path: "trajectories/tky.csv", source: SOURCE };
const CHI: DataFile = DataFile { path: "trajectories/chi.csv.gz", source: SOURCE };
const TKY_PLACES: DataFile = DataFile { path: "trajectories/tky_locations.csv", source: SOURCE };
const CHI_PLACES: DataFile = DataFile { path: "trajectories/chi_locations.csv", source: SOURCE };

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("example 10", "A sector for a direction", directions::example_10),
    Figure::new("6.2", "Sectors for a direction (epsilon 4 and 6)", directions::figure_6_2),
    Figure::new("6.4", "Average error of random paths", continuous::figure_6_4)
        .noting(
            "The printed ratios belong to a strawman that lies with probability 1/(k-1+E) in all, which keeps no epsilon; with a correct \
             one it is worse than both at every epsilon. One window in the plane with the whole epsilon is 19 to 55 % below TraCS-C.",
        )
        .taking(30),
    Figure::new("6.5", "Nine places along the short side of a long box", continuous::figure_6_5)
        .noting("The printed ratio counts the dummy start as a tenth place without error.")
        .taking(10),
    Figure::new("6.6", "Error of directions", directions::figure_6_6),
    Figure::new("6.7", "Average error of two cities", cities::figure_6_7)
        .noting(
            "The paths of the published evaluation are sorted by latitude, not by time. Distances are in degrees, as printed.",
        )
        .needing(&[TKY, CHI])
        .taking(40),
    Figure::new("table 6.2", "Times of one report", theorems::table_6_2)
        .noting("Another machine and language: times have no verdict; what is said about the table is checked from the table."),
    Figure::new("6.9", "Public places of two cities", cities::figure_6_9)
        .noting("Rivals on public places have no guarantee for the whole space; only TraCS and the window are drawn.")
        .needing(&[TKY, CHI, TKY_PLACES, CHI_PLACES])
        .taking(60),
    Figure::new("6.10", "Range queries and hotspots of Chicago", cities::figure_6_10)
        .noting(
            "The printed numbers belong to paths 100 to 199 and to the difference of totals. One place said of everybody, without any \
             report, answers more range queries than any method does on average. At the border of the fifth with most visits 62 places \
             have three each, and the paper does not say which of them count: ours are drawn. By other rules TraCS-D has 4.1 to \
             4.5, and with the first ones of the list 4.31, which is no longer within .2 of the printed 4.1.",
        )
        .needing(&[CHI, CHI_PLACES])
        .taking(20),
    Figure::new("D.1", "The exponential mechanism on a grid, as printed", grids::figure_d_1)
        .noting("With the printed factor 2 only half of epsilon is spent."),
    Figure::new("D.2", "The density of TraCS-C at a corner", grids::figure_d_2),
    Figure::new("D.3", "Error of the exponential mechanism at (.1, .1)", grids::figure_d_3),
    Figure::new("D.4", "Size and probability of the dominant sector", directions::figure_d_4),
    Figure::new("D.5", "TraCS-D with square waves", continuous::figure_d_5)
        .noting("In the unit square the ratio is 92 %, and at epsilon 2 the square wave is better.")
        .taking(20),
    Figure::new("D.6", "A place on a disc (epsilon 5)", directions::figure_d_6),
    Figure::new("D.7", "Places for each path", cities::figure_d_7).needing(&[TKY, CHI]),
    Figure::new(TEXT, "Theorems and sentences of the text", theorems::theorems).taking(30),
];
