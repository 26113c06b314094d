//! Methods side by side.

use super::method::{CONSTANT, CellArguments, build, scope};
use super::paths::{Admission, Grouping, PathArguments};
use super::reference::ReferenceArguments;
use super::refused;
use super::rounding::{Places, RoundingArguments};
use super::space::{box_of, parse_space};
use crate::arguments::{generator, parse_epsilons};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::progress::Progress;
use crate::trials::Trials;
use clap::Args;
use privet::trajectory::estimate::geometric_median;
use privet::trajectory::method::{LocationMethod, References, Release};
use privet::trajectory::metric::{Hotspots, Metric, Score};
use privet::trajectory::rounding::Grid;
use privet::trajectory::space::{Shape, Space};
use privet::trajectory::{Path, Place, TrajectoryError};
use privet::{Generator, Rng};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

const EXAMPLES: &str = "\
Examples:
  Random paths in the unit square, 100 of 100 locations in each trial:
    privet trajectory evaluate --space rectangle:0,1,0,1 --method window-2d,tracs-c,tracs-d \\
      --epsilon 2,4,10

  The first hundred paths of a table, with distances in metres:
    privet trajectory evaluate --in paths.csv --columns lon,lat --paths 100 --trials 20 \\
      --space geographic:139.47,139.91,35.51,35.87 --method window-2d,tracs-c,grid-rr --epsilon 4

  The same with reports at public points of interest, and the start that suits them:
    privet trajectory evaluate --in paths.csv --space rectangle:139.4,140,35.5,35.9 \\
      --method tracs-c,tracs-d --epsilon 4 --round-to places.csv --start best --fixed-reference";

/// Cells on each side of the grid whose most visited ones are hotspots.
const HOTSPOT_CELLS: u32 = 32;
/// The share of cells that may be hotspots.
const HOTSPOT_SHARE: f64 = 0.2;
/// Reports within this share of the longest side are near enough, unless somebody says otherwise.
const NEAR: f64 = 0.1;

/// Compare methods on paths that you may read, or on random ones
///
/// Average error: the mean distance between a location and its report; every location counts the same. Path error: the same
/// with every path counting the same, as in the literature, where short paths weigh more. Range query: the share of reports
/// within a distance of their location. Hotspot difference: how many locations of a path are in a hotspot but not their
/// reports; hotspots are the most visited fifth of 32 x 32 cells. The row `constant` is what one would say of everybody
/// knowing only the population: its geometric median. Standard errors are those of the mean over trials. Trials run on all
/// cores; times are those of one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EvaluateArguments {
    /// The table of true paths: .csv, .jsonl, .ndjson, .parquet, .gpx or .geojson, or - for
    /// standard input [default: random paths]
    #[arg(long = "in", value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    table: PathArguments,
    /// The column to sort the locations of each path by, as numbers if all are, else as text; equal times stay in the order
    /// of the table [default: the order of the table]
    #[arg(long, value_name = "NAME")]
    time: Option<String>,
    #[arg(long, value_name = "SPACE", help = super::space::SPACES, long_help = concat_default())]
    space: Option<String>,
    /// Methods: window-2d, tracs-c, tracs-d, tracs-sphere, strawman, planar-laplace, grid-rr, grid-exponential, l-srr, atp,
    /// n-gram; constant is always there
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    method: Vec<String>,
    /// Epsilons of one location: a number, a list such as 2,4,10 or a range such as 1:8:0.5
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    cells: CellArguments,
    #[command(flatten)]
    rounding: RoundingArguments,
    #[command(flatten)]
    reference: ReferenceArguments,
    /// How many paths: the first ones of the table, or random ones [default: all of the table, 100 random ones]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    paths: Option<u32>,
    /// How many locations a random path has
    #[arg(long, value_name = "COUNT", default_value_t = 100, conflicts_with = "input",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    length: u32,
    /// How often everybody reports
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    trials: u32,
    /// The distance of the range query [default: a tenth of the space's longest side]
    #[arg(long, value_name = "DISTANCE", allow_hyphen_values = true)]
    within: Option<f64>,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

fn concat_default() -> String {
    format!("{} [default: the box around the table's locations]", super::space::SPACES)
}

/// One method at one epsilon.
#[derive(Debug, Serialize)]
struct Row {
    method: String,
    /// `None` for the constant, which reports nothing.
    epsilon: Option<f64>,
    average_error: f64,
    /// Of the average error; `None` after a single trial.
    standard_error: Option<f64>,
    /// The average error with every path counting the same.
    path_error: f64,
    range_query: f64,
    hotspot_difference: f64,
    nanoseconds_per_location: Option<f64>,
    scope: String,
}

/// What came out of one trial.
struct Trial {
    average_error: f64,
    path_error: f64,
    range_query: f64,
    hotspot_difference: f64,
    nanoseconds: f64,
}

/// Where true paths come from.
enum Truth {
    Table(Vec<Path>),
    Random { paths: u32, length: u32 },
}

impl EvaluateArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let epsilons = parse_epsilons(&self.epsilon)?;
        let (space, truth) = self.truth()?;
        let within = self.within(&space)?;
        let places = self.rounding.build(&space, &self.table)?;
        let references = self.reference.build(&space, places.as_ref())?;
        let contest = Contest { space, truth, within, places, references };
        let mut rng = generator(self.insecure_seed)?;
        let methods: Vec<&String> = self.method.iter().filter(|name| *name != CONSTANT).collect();
        let rounds = u64::from(self.trials) * (1 + methods.len() * epsilons.len()) as u64;
        let mut progress = Progress::new("trials", Some(rounds));
        let mut trials = |method: Option<&dyn LocationMethod>| {
            contest.row(method, Trials::new(self.trials, &mut rng, &mut progress))
        };
        let mut rows = vec![trials(None)?];
        for name in methods {
            for epsilon in &epsilons {
                let method = build(name, &contest.space, *epsilon, self.cells.cells)?;
                let mut row = trials(Some(&*method))?;
                (row.method, row.epsilon) = (name.clone(), Some(epsilon.get()));
                rows.push(row);
            }
        }
        drop(progress);
        output.print(&rows, || page(&rows))
    }

    fn truth(&self) -> Result<(Space, Truth), Failure> {
        let named = self.space.as_deref().map(parse_space).transpose()?;
        let Some(input) = &self.input else {
            let space = named.ok_or_else(|| Failure::Usage {
                message: "where do random paths lie?".into(),
                hint: Some("say it with --space rectangle:0,1,0,1, or read a table with --in"),
            })?;
            return Ok((space, Truth::Random { paths: self.paths.unwrap_or(100), length: self.length }));
        };
        let admission = Admission { space: named.as_ref(), clamp: self.table.clamp };
        let grouping = Grouping::Together { time: self.time.as_deref() };
        let mut paths = self.table.read(input, grouping, admission)?;
        let space = named.map_or_else(|| box_of(paths.iter()), Ok)?;
        paths.truncate(self.paths.map_or(usize::MAX, |count| count as usize));
        Ok((space, Truth::Table(paths)))
    }

    fn within(&self, space: &Space) -> Result<f64, Failure> {
        match self.within {
            Some(within) if within > 0.0 && within.is_finite() => Ok(within),
            Some(within) => Err(Failure::Usage {
                message: format!("the distance of a range query must be greater than 0: got {within}"),
                hint: None,
            }),
            None => Ok(match space.shape() {
                // Half a great circle is as far as one can get.
                Shape::Sphere(sphere) => NEAR * std::f64::consts::PI * sphere.radius(),
                _ => {
                    let [first, second] = space.inner_bounds()?.widths();
                    NEAR * first.max(second)
                }
            }),
        }
    }
}

struct Contest {
    space: Space,
    truth: Truth,
    within: f64,
    places: Option<Places>,
    references: References,
}

impl Contest {
    /// The row of a method, or of the constant if there is none.
    fn row(&self, method: Option<&dyn LocationMethod>, trials: Trials<'_>) -> Result<Row, Failure> {
        let outcomes = trials.run(|mut rng| self.trial(method, &mut rng))?;
        let score = |value: fn(&Trial) -> f64| Score::mean(&outcomes.iter().map(value).collect::<Vec<_>>());
        let mean = |value| score(value).map_or(f64::NAN, |score| score.value);
        let mut times: Vec<f64> = outcomes.iter().map(|trial| trial.nanoseconds).collect();
        // The median does not see when another program had the processor.
        times.sort_by(f64::total_cmp);
        Ok(Row {
            method: CONSTANT.to_owned(),
            epsilon: None,
            average_error: mean(|trial| trial.average_error),
            standard_error: score(|trial| trial.average_error).and_then(|score| score.standard_error),
            path_error: mean(|trial| trial.path_error),
            range_query: mean(|trial| trial.range_query),
            hotspot_difference: mean(|trial| trial.hotspot_difference),
            nanoseconds_per_location: method.and_then(|_| times.get(times.len() / 2).copied()),
            scope: method.map_or_else(|| "no report".to_owned(), scope),
        })
    }

    fn trial(&self, method: Option<&dyn LocationMethod>, rng: &mut Generator) -> Result<Trial, Failure> {
        let random;
        let paths = match &self.truth {
            Truth::Table(paths) => paths,
            Truth::Random { paths, length } => {
                random = random_paths(&self.space, *paths, *length, rng)?;
                &random
            }
        };
        let start = Instant::now();
        let reports = match method {
            Some(method) => {
                let report = |path: &Path| self.report(method, path, rng);
                paths.iter().map(report).collect::<Result<Vec<_>, _>>().map_err(refused)?
            }
            None => constant(&self.space, paths)?,
        };
        let nanoseconds = start.elapsed().as_nanos() as f64;
        let locations: usize = paths.iter().map(|path| path.places.len()).sum();
        let grid = Grid::new(self.space.clone(), [HOTSPOT_CELLS; 2]).map_err(refused)?;
        let hotspots = Hotspots::new(&grid, paths, HOTSPOT_SHARE).map_err(refused)?;
        let measure = |metric: Metric<'_>| {
            let score = metric.of_data_set(&self.space, paths, &reports).map_err(refused)?;
            let by_paths = score.map_or(f64::NAN, |score| score.over_paths.value);
            let over_places = score.and_then(|score| score.over_places);
            Ok::<_, Failure>((over_places.map_or(by_paths, |score| score.value), by_paths))
        };
        let (average_error, path_error) = measure(Metric::AverageError)?;
        Ok(Trial {
            average_error,
            path_error,
            range_query: measure(Metric::RangeQuery { within: self.within })?.0,
            hotspot_difference: measure(Metric::HotspotDifference(&hotspots))?.0,
            nanoseconds: nanoseconds / locations as f64,
        })
    }

    fn report(
        &self,
        method: &dyn LocationMethod,
        path: &Path,
        rng: &mut Generator,
    ) -> Result<Path, TrajectoryError> {
        let reports = Release::new(method).seen_from(self.references)?.report(path, rng)?;
        Ok(match &self.places {
            Some(places) => places.rounding().round_path(&reports),
            None => reports,
        })
    }
}

/// The geometric median of all places for every place; on a sphere, which has none, the middle of the space.
pub(super) fn constant(space: &Space, paths: &[Path]) -> Result<Vec<Path>, Failure> {
    let all: Vec<Place> = paths.iter().flat_map(|path| path.places.iter().copied()).collect();
    let place = match space.shape() {
        Shape::Sphere(_) => space.centre(),
        _ => geometric_median(space, &all).map_err(refused)?,
    };
    Ok(constant_paths(paths, place))
}

/// Paths of the same lengths that never leave a place.
pub(super) fn constant_paths(paths: &[Path], place: Place) -> Vec<Path> {
    let same = |path: &Path| Path::new(path.id.clone(), vec![place; path.places.len()]);
    paths.iter().map(same).collect()
}

fn random_paths(space: &Space, paths: u32, length: u32, rng: &mut Generator) -> Result<Vec<Path>, Failure> {
    let bounds = space.inner_bounds()?;
    let mut share = || (rng.next_u64() >> 11) as f64 / 2f64.powi(53);
    let mut place = || loop {
        let inner = bounds.point_at([share(), share()]);
        let is_kept = match space.shape() {
            Shape::Rectangle(_) => true,
            Shape::Disc(disc) => {
                let centre = disc.centre();
                (inner[0] - centre[0]).hypot(inner[1] - centre[1]) <= disc.radius()
            }
            // Circles of latitude are shorter towards the poles.
            Shape::Sphere(_) => share() < inner[1].to_radians().cos(),
        };
        if is_kept {
            return space.publish(inner);
        }
    };
    let mut path = |id: u32| Path::new(id.to_string(), (0..length).map(|_| place()).collect());
    Ok((0..paths).map(&mut path).collect())
}

fn page(rows: &[Row]) -> String {
    let header = [
        "METHOD",
        "EPSILON",
        "AVERAGE ERROR",
        "STANDARD ERROR",
        "PATH ERROR",
        "RANGE QUERY",
        "HOTSPOT DIFFERENCE",
        "NANOSECONDS PER LOCATION",
        "EPSILON-LDP",
    ];
    let mut table = table_of_numbers(&header, 1);
    if let Some(column) = table.column_mut(header.len() - 1) {
        column.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    for row in rows {
        table.add_row([
            row.method.clone(),
            or_dash(row.epsilon.map(|epsilon| epsilon.to_string())),
            number(row.average_error),
            or_dash(row.standard_error.map(number)),
            number(row.path_error),
            number(row.range_query),
            number(row.hotspot_difference),
            or_dash(row.nanoseconds_per_location.map(|time| format!("{time:.0}"))),
            row.scope.clone(),
        ]);
    }
    table.trim_fmt()
}
