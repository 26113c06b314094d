//! Reports to the population's density, and to a reading of each report.

use super::budget::BudgetArguments;
use super::evaluate::constant_paths;
use super::method::MethodArguments;
use super::paths::{Admission, Grouping, PathArguments};
use super::reference::ReferenceArguments;
use super::refused;
use super::space::{is_in_degrees, parse_space};
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::progress::Waiting;
use crate::table::{KeptColumn, is_standard_stream};
use clap::Args;
use privet::trajectory::estimate::{Density, Evidence, Motion, PathQuestion, ShareIntervals};
use privet::trajectory::metric::Metric;
use privet::trajectory::rounding::{Grid, Rounding};
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use privet::{Frequency, Target};
use serde::Serialize;
use std::path::{Path as FilePath, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Where the population is, and where each report probably comes from:
    privet trajectory estimate --in reports.csv --space rectangle:139.4,140,35.5,35.9 \\
      --method window-2d --epsilon 4 --density density.csv --out readings.csv

  How far the readings are from the truth, on data that you may read:
    privet trajectory estimate --in reports.csv --truth paths.csv --space rectangle:139.4,140,35.5,35.9 \\
      --method window-2d --epsilon 4";

/// Rows that people see.
const SHOWN: usize = 10;

/// Estimate where the population is, and read each report in that light
///
/// All of this is post-processing of reports: it costs no privacy. The density is the one under which all reports are most
/// likely, by expectation-maximisation on a grid. The reading of a report is the geometric median of where it may come from;
/// with --smooth also the reports before and after it in its path count, by a public model of motion. The table must be in
/// the order in which `trajectory perturb` wrote it, with the same --budget, --count and start. In a polygon it must hold
/// reports that were not moved (`trajectory perturb --unmoved`). The constant is the geometric median of the density.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EstimateArguments {
    #[command(flatten)]
    method: MethodArguments,
    /// The table of reports: .csv, .jsonl, .ndjson or .parquet, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    #[command(flatten)]
    table: PathArguments,
    #[command(flatten)]
    budget: BudgetArguments,
    #[command(flatten)]
    reference: ReferenceArguments,
    /// How many cells each side of the grid of the density has
    #[arg(long, value_name = "COUNT", default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=256))]
    grid: u32,
    /// Read paths as a whole: people mostly move about this far between two locations, in units of the space (metres in a
    /// geographic one)
    #[arg(long, value_name = "DISTANCE", conflicts_with = "points")]
    smooth: Option<f64>,
    /// The column of times, numbers or dates, in the order of the table
    #[arg(long, value_name = "NAME", requires = "gap")]
    time: Option<String>,
    /// The time in which people move as far as --smooth says (seconds for dates); as far as the square root of any other gap
    #[arg(long, value_name = "TIME", requires = "time", requires = "smooth")]
    gap: Option<f64>,
    /// How likely it is to move to anywhere instead
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.1, requires = "smooth")]
    jump: f64,
    /// Also show the shares of a coarser grid with this many cells on each side, which must divide --grid, with 95 %
    /// intervals. They hold for every population: wherever people are, the truth lies in the interval of a cell in at
    /// least 95 of 100 collections, and in the simultaneous intervals of all cells at once. Each path counts alike, however
    /// many locations it has. With tracs-d, strawman and atp they need --fixed-reference
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(ShareIntervals::MOST_CELLS_OF_A_SIDE)))]
    intervals: Option<u32>,
    /// Whom the intervals are about: reported, the people who reported, or population, that which they were drawn from
    #[arg(long, value_name = "TARGET", default_value = "reported", requires = "intervals", value_parser = str::parse::<Target>)]
    target: Target,
    /// The table of readings to write, one for each report, or - for standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The table of the density to write: the middle of each cell and its share
    #[arg(long, value_name = "FILE")]
    density: Option<PathBuf>,
    /// A table of true locations with the same rows, to compare with
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct Document {
    reports: usize,
    paths: usize,
    grid: [u32; 2],
    /// The geometric median of the density.
    constant: Place,
    /// The cells with the largest shares.
    cells: Vec<CellShare>,
    #[serde(skip)]
    target: Target,
    /// Shares of a coarser grid, where they were asked for.
    intervals: Option<Vec<CoarseShare>>,
    /// Mean distances to the truth, where it is known.
    average_error: Option<Errors>,
}

#[derive(Debug, Serialize)]
struct CellShare {
    place: Place,
    share: f64,
}

/// The share of a cell of the coarser grid, with the middle of the cell.
#[derive(Debug, Serialize)]
struct CoarseShare {
    place: Place,
    share: f64,
    standard_error: f64,
    bias_bound: f64,
    interval: [f64; 2],
    simultaneous_interval: [f64; 2],
    target: &'static str,
}

#[derive(Debug, Serialize)]
struct Errors {
    reports: f64,
    readings: f64,
    constant: f64,
}

impl EstimateArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let to_stdout = self.out.as_deref().is_some_and(is_standard_stream);
        if output == Output::Json && to_stdout {
            let message = "--json and --out - both need standard output".to_owned();
            return Err(Failure::Usage { message, hint: Some("name a file with --out") });
        }
        let space = parse_space(&self.method.space)?;
        let whole = space.without_region();
        let methods = self.budget.methods(&self.method, &whole)?;
        let method = methods.only().ok_or_else(|| Failure::Usage {
            message: "reports of different epsilons cannot be read together".into(),
            hint: Some("estimate from reports without --weights"),
        })?;
        let references = self.reference.build(&space, None)?;
        // What cannot be done is refused before long work begins.
        let motion = self.smooth.map(|reach| self.motion(reach)).transpose()?;
        let intervals = self.intervals.map(|cells| ShareIntervals::new(method, references, [cells; 2]));
        let intervals = intervals.transpose().map_err(refused)?;
        // With --count some of the locations of a path may have been chosen at random.
        let question = PathQuestion { target: self.target, is_drawn: self.budget.count.is_some() };
        let reports = self.read(&self.input, self.time.as_deref(), &whole)?;
        let grid = [self.grid; 2];
        if let Some(intervals) = &intervals {
            intervals.check(grid, &reports, question).map_err(refused)?;
        }
        let truth =
            self.truth.as_deref().map(|truth| self.read_truth(truth, &reports, &space)).transpose()?;
        let waiting = Waiting::on("estimating the density".to_owned());
        let evidence = Evidence::gather_within(&space, method, references, &reports, grid);
        let evidence = evidence.map_err(refused)?;
        let density = evidence.density();
        waiting.say("reading the reports".to_owned());
        let readings = match &motion {
            None => evidence.medians(&density),
            Some(motion) => evidence.smooth(&density, motion),
        };
        let shares = |intervals: ShareIntervals<'_>| {
            waiting.say("looking for intervals".to_owned());
            let found = intervals.estimate(&evidence, &reports, question).map_err(refused)?;
            coarse_shares(evidence.space(), &found, intervals.shape())
        };
        let intervals = intervals.map(shares).transpose()?;
        drop(waiting);
        self.write(&density, &readings)?;
        if to_stdout {
            return Ok(());
        }
        let constant = density.geometric_median();
        let errors = |truth: Vec<Path>| Errors::of(&space, &truth, [&reports, &readings], constant);
        let document = Document {
            reports: evidence.reports(),
            paths: reports.len(),
            grid: density.grid().shape(),
            constant,
            cells: largest_cells(&density),
            target: self.target,
            intervals,
            average_error: truth.map(errors).transpose()?,
        };
        output.print(&document, || page(&document))
    }

    fn motion(&self, reach: f64) -> Result<Motion, Failure> {
        let motion = Motion::new(reach, self.jump).map_err(refused)?;
        self.gap.map_or(Ok(motion), |gap| motion.in_time(gap).map_err(refused))
    }

    fn read(&self, path: &FilePath, time: Option<&str>, space: &Space) -> Result<Vec<Path>, Failure> {
        let admission = Admission { space: Some(space), clamp: self.table.clamp };
        self.table.read(path, Grouping::Runs { time }, admission)
    }

    fn read_truth(&self, path: &FilePath, reports: &[Path], space: &Space) -> Result<Vec<Path>, Failure> {
        let truth = self.read(path, None, space)?;
        let is_same =
            |(one, other): (&Path, &Path)| one.places.len() == other.places.len() && one.id == other.id;
        if truth.len() == reports.len() && truth.iter().zip(reports).all(is_same) {
            return Ok(truth);
        }
        Err(Failure::Data {
            message: format!(
                "{} does not have the same paths in the same order as the reports",
                path.display()
            ),
            hint: Some("the truth is the table that was given to `trajectory perturb`"),
        })
    }

    fn write(&self, density: &Density, readings: &[Path]) -> Result<(), Failure> {
        if let Some(out) = &self.out {
            let places: Vec<Place> = readings.iter().flat_map(|path| path.places.iter().copied()).collect();
            let mut columns = Vec::new();
            if let Some(name) = self.table.path_column() {
                let ids = readings.iter().flat_map(|path| vec![Some(path.id.as_str()); path.places.len()]);
                columns.push(KeptColumn::of_texts(name, ids));
            }
            self.write_table(out, density.grid().space(), columns, &places, None)?;
        }
        if let Some(out) = &self.density {
            let places: Vec<Place> =
                (0..density.shares().len()).filter_map(|cell| density.grid().place(cell)).collect();
            let shares = KeptColumn::of_numbers("share", density.shares().iter().copied());
            self.write_table(out, density.grid().space(), Vec::new(), &places, Some(shares))?;
        }
        Ok(())
    }

    /// Places, with the columns before and after them.
    fn write_table(
        &self,
        path: &FilePath,
        space: &Space,
        mut columns: Vec<KeptColumn>,
        places: &[Place],
        last: Option<KeptColumn>,
    ) -> Result<(), Failure> {
        let (coordinates, format) = (self.table.coordinates()?, self.table.table_format(path)?);
        columns.extend(coordinates.columns(format, places));
        columns.extend(last);
        let mut writer = coordinates.writer(path, format, is_in_degrees(space))?;
        writer.write(&columns)?;
        writer.finish()
    }
}

impl Errors {
    fn of(
        space: &Space,
        truth: &[Path],
        [reports, readings]: [&[Path]; 2],
        constant: Place,
    ) -> Result<Self, Failure> {
        let error = |read: &[Path]| average_error(space, truth, read);
        let constant = error(&constant_paths(truth, constant))?;
        Ok(Self { reports: error(reports)?, readings: error(readings)?, constant })
    }
}

/// Every location counts the same.
fn average_error(space: &Space, truth: &[Path], read: &[Path]) -> Result<f64, Failure> {
    let score = Metric::AverageError.of_data_set(space, truth, read).map_err(refused)?;
    Ok(score.and_then(|score| score.over_places).map_or(f64::NAN, |score| score.value))
}

fn largest_cells(density: &Density) -> Vec<CellShare> {
    let grid: &Grid = density.grid();
    let cell = |(index, share): (usize, &f64)| Some(CellShare { place: grid.place(index)?, share: *share });
    let mut cells: Vec<CellShare> = density.shares().iter().enumerate().filter_map(cell).collect();
    cells.sort_by(|one, other| other.share.total_cmp(&one.share));
    cells.truncate(SHOWN);
    cells
}

/// The shares of a coarser grid, with the middles of its cells.
fn coarse_shares(space: &Space, found: &[Frequency], shape: [u32; 2]) -> Result<Vec<CoarseShare>, Failure> {
    let grid = Grid::new(space.clone(), shape).map_err(refused)?;
    let coarse = |(index, row): (usize, &Frequency)| {
        Some(CoarseShare {
            place: grid.place(index)?,
            share: row.estimate.value,
            standard_error: row.estimate.standard_error,
            bias_bound: row.estimate.bias_bound,
            interval: row.estimate.interval,
            simultaneous_interval: row.simultaneous_interval,
            target: row.estimate.target.as_str(),
        })
    };
    Ok(found.iter().enumerate().filter_map(coarse).collect())
}

fn page(document: &Document) -> String {
    let [first, second] = document.constant.map(number);
    let [columns, rows] = document.grid;
    let mut text = format!(
        "{} reports of {} paths, read on {columns} x {rows} cells\nconstant: {first}, {second}\n",
        document.reports, document.paths
    );
    if let Some(errors) = &document.average_error {
        let mut table = table_of_numbers(&["", "AVERAGE ERROR"], 1);
        let rows =
            [("reports", errors.reports), ("readings", errors.readings), ("constant", errors.constant)];
        for (name, error) in rows {
            table.add_row([name.to_owned(), number(error)]);
        }
        text += &format!("\n{table}\n");
    }
    let mut table = table_of_numbers(&["FIRST COORDINATE", "SECOND COORDINATE", "SHARE"], 0);
    for CellShare { place, share } in &document.cells {
        table.add_row([number(place[0]), number(place[1]), number(*share)]);
    }
    text += &format!("\nThe cells where most people are:\n{table}\n");
    if let Some(shares) = &document.intervals {
        let names = ["FIRST COORDINATE", "SECOND COORDINATE", "SHARE", "95 % INTERVAL", "ALL CELLS AT ONCE"];
        let mut table = table_of_numbers(&names, 0);
        for CoarseShare { place, share, interval: ends, simultaneous_interval, .. } in shares {
            let ends = [interval(*ends), interval(*simultaneous_interval)];
            table.add_row([number(place[0]), number(place[1]), number(*share)].into_iter().chain(ends));
        }
        let whom = document.target.describe();
        text += &format!("\nThe coarser grid, {whom}, each path counting alike:\n{table}\n");
    }
    text
}
