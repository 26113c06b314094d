//! Trajectories in continuous space: chapter 6 and appendix D.

mod chicago;
mod cities;
mod continuous;
mod directions;
mod grids;
mod promises;
mod rivals;
mod theorems;

use crate::channel::curve;
use crate::claims::TEXT;
use crate::data::DataFile;
use crate::figure::Figure;
use crate::{Curve, Effort, Panel, ReproduceError};
use privet::trajectory::estimate::Evidence;
use privet::trajectory::method::rival::{Candidates, PlanarLaplace};
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

/// Makes a method for the space and the public places of a figure.
type Build = fn(&Trips, Epsilon) -> Result<Box<dyn LocationMethod>, TrajectoryError>;

/// The methods of the continuous figures, ours last.
const METHODS: [(&str, Build); 5] = [
    ("TraCS-D", |trips, epsilon| Ok(Box::new(TracsD::new(trips.space.clone(), epsilon)?))),
    ("TraCS-C", |trips, epsilon| Ok(Box::new(TracsC::new(trips.space.clone(), epsilon)?))),
    ("strawman, correct", |trips, epsilon| {
        Ok(Box::new(TracsD::strawman(trips.space.clone(), epsilon, SECTORS)?))
    }),
    ("planar Laplace", |trips, epsilon| Ok(Box::new(PlanarLaplace::new(trips.space.clone(), epsilon)?))),
    WINDOW,
];

/// One window in the plane with the whole epsilon.
const WINDOW: (&str, Build) =
    ("window in the plane", |trips, epsilon| Ok(Box::new(Window2d::new(trips.space.clone(), epsilon)?)));

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

/// How reports are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As they are.
    Plain,
    /// As the place with the least expected distance, given the density of all people, which is estimated from the same reports
    /// on a square of cells with this side.
    Posterior { cells: u32 },
}

impl Trips<'_> {
    /// The public places as a list to choose from.
    fn candidates(&self) -> Result<Candidates, TrajectoryError> {
        let of = |rounding: &&dyn Rounding| {
            (0..rounding.count()).filter_map(|index| rounding.place(index)).collect::<Vec<_>>()
        };
        Candidates::new(self.space.clone(), self.rounding.as_ref().map(of).unwrap_or_default())
    }

    /// The first report of a path is seen from the lower corner.
    fn references(&self) -> References {
        References::PreviousReport { start: self.space.lower_corner() }
    }

    fn rounded(&self, paths: Vec<Path>) -> Vec<Path> {
        match self.rounding {
            Some(rounding) => paths.iter().map(|path| rounding.round_path(path)).collect(),
            None => paths,
        }
    }

    /// The reports of all paths, once.
    fn reports(
        &self,
        method: &dyn LocationMethod,
        reading: Reading,
        rng: &mut Generator,
    ) -> Result<Vec<Path>, ReproduceError> {
        let release = Release::new(method).seen_from(self.references())?;
        let reports =
            self.paths.iter().map(|path| release.report(path, rng)).collect::<Result<Vec<_>, _>>()?;
        let Reading::Posterior { cells } = reading else { return Ok(self.rounded(reports)) };
        let evidence = Evidence::gather(method, self.references(), &reports, [cells; 2])?;
        Ok(self.rounded(evidence.medians(&evidence.density())))
    }

    /// The average error, where every path counts the same, over all trials.
    fn error(&self, build: Build, epsilon: f64, reading: Reading) -> Result<f64, ReproduceError> {
        let method = build(self, Epsilon::new(epsilon)?)?;
        let mut rng = Generator::from_insecure_seed(61);
        let mut sum = 0.0;
        for _ in 0..self.trials {
            let reports = self.reports(method.as_ref(), reading, &mut rng)?;
            sum += self.average_error(&reports)?;
        }
        Ok(sum / self.trials as f64)
    }

    fn average_error(&self, reports: &[Path]) -> Result<f64, ReproduceError> {
        let score = Metric::AverageError.of_data_set(&self.space, self.paths, reports)?;
        Ok(score.map_or(f64::NAN, |score| score.over_paths.value))
    }

    /// The average error by epsilon.
    fn errors(&self, (label, build): (&str, Build)) -> Result<Curve, ReproduceError> {
        curve(label, &EPSILONS, |epsilon| self.error(build, epsilon, Reading::Plain))
    }

    /// The average error of the window by epsilon, when the collector reads its reports with everybody's density.
    fn posterior_errors(&self, effort: Effort) -> Result<Curve, ReproduceError> {
        let reading = Reading::Posterior { cells: effort.pick(32, 48) };
        let label = "window, read with the density";
        curve(label, &EPSILONS, |epsilon| self.error(WINDOW.1, epsilon, reading))
    }

    /// The average errors of [`METHODS`].
    fn all_errors(&self) -> Result<[Curve; 5], ReproduceError> {
        let [d, c, strawman, laplace, window] = METHODS.map(|method| self.errors(method));
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

/// What curves of rivals must not be read without.
const PROMISES: &str = "The rivals do not promise the same. NGram reports only places within reach of the private one, so that a report \
                        rules out others; the groups of L-SRR have sizes that depend on the private place, so that it spends more than epsilon. \
                        ATP keeps epsilon here because its sectors are seen from public reports.";

/// The figures, tables and examples, in the order of the paper.
pub(crate) const FIGURES: &[Figure] = &[
    Figure::new("table 6.1", "What the rivals keep (10 x 10 places)", promises::table_6_1)
        .noting(
            "The table lists NGram, L-SRR and ATP as locally private, and 6.3.2 and D.2.10 give all of them one epsilon. The groups of L-SRR \
             already differ by e^epsilon and have sizes that depend on the private place, so that it tells more. A report of NGram rules out \
             places, at any epsilon: it has no curve. ATP takes the direction from the private place before, so that two reports tell about \
             it and only one is paid for; seen from a public place it keeps epsilon.",
        )
        .taking(10),
    Figure::new("example 10", "A sector for a direction", directions::example_10),
    Figure::new("6.2", "Sectors for a direction (epsilon 4 and 6)", directions::figure_6_2)
        .noting("For squared error the best window is wider: that of the root. For the distance itself no channel is better than the window."),
    Figure::new("6.4", "Average error of random paths", continuous::figure_6_4)
        .noting(
            "The printed ratios belong to a strawman that lies with probability 1/(k-1+E) in all, which does not keep epsilon; with a correct \
             one it is worse than both at every epsilon. In the unit square one window in the plane with the whole epsilon is a fifth below TraCS-C at epsilon 2 and more than half at 8.",
        )
        .taking(30),
    Figure::new("6.5", "Nine places along the short side of a long box", continuous::figure_6_5)
        .noting("The printed ratio counts the dummy start as a tenth place without error.")
        .taking(10),
    Figure::new("6.6", "Error of directions", directions::figure_6_6)
        .noting(
            "No channel on the circle is below TraCS-D here. Reading a sector as its middle takes a part off the strawman's error at no cost. \
             The printed curve of the strawman belongs to one that lies too seldom and does not keep epsilon.",
        )
        .taking(10),
    Figure::new("6.7", "Average error of two cities", cities::figure_6_7)
        .noting(
            "The paths of the published evaluation are sorted by latitude, not by time. Distances are in degrees, as printed.",
        )
        .needing(&[TKY, CHI])
        .taking(40),
    Figure::new("6.8", "Random paths of places on a grid", rivals::figure_6_8).noting(PROMISES).taking(60),
    Figure::new("table 6.2", "Times of one report", theorems::table_6_2)
        .noting(
            "Another machine and language: times have no verdict; what is said about the table is checked \
             from the table. Ours are for a grid of 88 x 88 places, about as many as Tokyo has.",
        ),
    Figure::new("6.9", "Public places of two cities", cities::figure_6_9)
        .noting(PROMISES)
        .needing(&[TKY, CHI, TKY_PLACES, CHI_PLACES])
        .taking(300),
    Figure::new("6.10", "Range queries and hotspots of Chicago", chicago::figure_6_10)
        .noting(
            "The text names the first hundred paths and counts visits of hotspots lost one by one. The printed hotspots, and the range \
             queries of TraCS-D, belong to paths 100 to 199 and to the difference of totals; both are drawn. One place said of everybody, without any \
             report, answers as many range queries as TraCS-D does on average. At the border of the fifth with most visits 62 places \
             have three each, and the paper does not say which of them count: here each is as much of a hotspot as there is room for \
             all of them. With all or none of them the numbers of TraCS are 4.4 to 4.5 or 3.6; the order of the methods stays.",
        )
        .needing(&[CHI, CHI_PLACES])
        .taking(20),
    Figure::new("D.1", "The exponential mechanism on a grid, as printed", grids::figure_d_1)
        .noting("With the printed factor 2 only half of epsilon is spent; calibrated, the exact worst ratio is e^epsilon."),
    Figure::new("D.2", "The density of TraCS-C at a corner (epsilon 4)", grids::figure_d_2)
        .noting("The second chart is how far reports are from the corner, with one window in the plane and the exponential mechanism with the same epsilon."),
    Figure::new("D.3", "Error of the exponential mechanism at (.1, .1)", grids::figure_d_3)
        .noting("The fine grid is no worse at any epsilon. Calibrated, the exponential mechanism is far better than as printed, and one window in the plane is better than both and than TraCS-C."),
    Figure::new("D.4", "Size and probability of the dominant sector", directions::figure_d_4)
        .noting("The window of the squared-error root is larger and more probable."),
    Figure::new("D.5", "TraCS-D with square waves", continuous::figure_d_5)
        .noting("In the unit square the ratio is 92 %, and at epsilon 2 the square wave is better.")
        .taking(20),
    Figure::new("D.6", "A place on a disc (epsilon 5)", directions::figure_d_6)
        .noting("With the squared-error root both windows are wider and lower. One window in the plane is for rectangles, so it has no curve here."),
    Figure::new("D.7", "One epsilon for a whole path", cities::figure_d_7)
        .noting(
            "A path has epsilon times 113 (Tokyo) or 13 (Chicago), divided evenly by its own length, so that the curve mixes budgets: \
             short paths spend far more on each place than long ones. Those of Chicago are paths 100 to 199, to which the 13 belongs; the first \
             hundred have 7.5 places on average. With equal lengths every place has the epsilon of the axis. The \
             rivals end at epsilon 20 to 40 and are left out.",
        )
        .needing(&[TKY, CHI, TKY_PLACES, CHI_PLACES])
        .taking(60),
    Figure::new(TEXT, "Theorems and sentences of the text", theorems::theorems).taking(30),
];
