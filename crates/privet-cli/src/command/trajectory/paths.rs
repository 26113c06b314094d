//! Tables of locations.

use super::geo;
use super::refused;
use super::time::Clock;
use crate::failure::Failure;
use crate::table::{
    BATCH_ROWS, Batch, ColumnWriter, Columns, Format, KeptColumn, METADATA_KEY, NumberColumn, PointColumn,
    Problem, Source, points_metadata,
};
use clap::Args;
use privet::InputError;
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use std::collections::HashMap;
use std::path::Path as FilePath;

/// Which columns of a table are locations.
#[derive(Debug, Args)]
pub(super) struct PathArguments {
    /// The columns of the two coordinates, in the order of the space's, or the column of points (GeoParquet)
    #[arg(long, value_name = "A,B", default_value = "lon,lat")]
    columns: String,
    /// The column that says to which path a location belongs
    #[arg(long, value_name = "NAME", default_value = "trajectory_id")]
    path: String,
    /// There are no paths: every row is one of its own
    #[arg(long, conflicts_with = "path")]
    points: bool,
    /// Move locations outside the space to the nearest one inside, instead of refusing them
    #[arg(long)]
    pub(super) clamp: bool,
    /// The format of the tables, whatever they are called
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
}

/// Where a table has its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coordinates<'a> {
    /// In two columns of numbers.
    Two([&'a str; 2]),
    /// In one column of points, as GeoParquet has it.
    Points(&'a str),
}

/// The names of coordinates that come from points, in tables of text.
const TEXT_COLUMNS: [&str; 2] = ["lon", "lat"];

impl<'a> Coordinates<'a> {
    fn first(self) -> &'a str {
        match self {
            Self::Two([first, _]) => first,
            Self::Points(name) => name,
        }
    }

    /// Whether a column holds private coordinates.
    pub(super) fn contains(self, name: &str) -> bool {
        match self {
            Self::Two(names) => names.contains(&name),
            Self::Points(only) => only == name,
        }
    }

    /// The names of two columns for places, where they are written as numbers.
    pub(super) fn names(self) -> [&'a str; 2] {
        match self {
            Self::Two(names) => names,
            Self::Points(_) => TEXT_COLUMNS,
        }
    }

    /// Places as columns of a table in this format.
    pub(super) fn columns(self, format: Format, places: &[Place]) -> Vec<KeptColumn> {
        match self {
            Self::Points(name) if format == Format::Parquet => vec![KeptColumn::of_points(name, places)],
            _ => (0..2)
                .map(|axis| {
                    KeptColumn::of_numbers(self.names()[axis], places.iter().map(|place| place[axis]))
                })
                .collect(),
        }
    }

    /// A table of places in this format, which says what its points are.
    pub(super) fn writer(
        self,
        path: &FilePath,
        format: Format,
        is_in_degrees: bool,
    ) -> Result<ColumnWriter, Failure> {
        let writer = ColumnWriter::create(path, format)?;
        Ok(match self {
            Self::Points(name) => writer.about(METADATA_KEY, points_metadata(name, is_in_degrees)),
            Self::Two(_) => writer,
        })
    }
}

/// Some rows of a table.
pub(super) struct Rows {
    pub(super) first_row: u64,
    pub(super) places: Vec<Place>,
    /// Which path each row belongs to; `None` where there are no paths.
    pub(super) ids: Option<KeptColumn>,
    /// The other columns that were asked for.
    pub(super) kept: Vec<KeptColumn>,
}

impl Rows {
    pub(super) fn id(&self, row: usize) -> String {
        match &self.ids {
            Some(ids) => ids.text(row).unwrap_or_default().into_owned(),
            None => (self.first_row + row as u64).to_string(),
        }
    }
}

/// Which rows make a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Grouping<'a> {
    /// All with the same name, in the order of a time column, or of the table.
    Together { time: Option<&'a str> },
    /// Those next to each other with the same name, in the order of the table.
    Runs { time: Option<&'a str> },
}

impl<'a> Grouping<'a> {
    fn time(self) -> Option<&'a str> {
        match self {
            Self::Together { time } | Self::Runs { time } => time,
        }
    }
}

/// Accepts the places of a space, or all that are finite where there is none yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Admission<'a> {
    pub(super) space: Option<&'a Space>,
    pub(super) clamp: bool,
}

impl Admission<'_> {
    fn admit(&self, place: Place) -> Result<Place, Problem> {
        let is_finite = place.iter().all(|coordinate| coordinate.is_finite());
        let Some(space) = self.space else {
            let source = InputError::OutsideDomain { domain: "of finite coordinates".into() };
            return if is_finite { Ok(place) } else { Err(Problem::Input { source, is_clampable: false }) };
        };
        let place = if self.clamp { space.nearest(place) } else { place };
        let refuse = |source| Problem::Input { source, is_clampable: is_finite && !self.clamp };
        space.check(&place).map_err(refuse)?;
        Ok(place)
    }
}

impl PathArguments {
    /// Where the coordinates are.
    pub(super) fn coordinates(&self) -> Result<Coordinates<'_>, Failure> {
        match self.columns.split(',').collect::<Vec<_>>()[..] {
            [only] if !only.is_empty() => Ok(Coordinates::Points(only)),
            [first, second] if first != second => Ok(Coordinates::Two([first, second])),
            _ => Err(self.not_two_columns()),
        }
    }

    fn not_two_columns(&self) -> Failure {
        Failure::Usage {
            message: format!("two different columns hold the coordinates: got {:?}", self.columns),
            hint: Some("write --columns lon,lat, or --columns geometry for a column of points in Parquet"),
        }
    }

    /// The name of the column of paths.
    pub(super) fn path_column(&self) -> Option<&str> {
        (!self.points).then_some(self.path.as_str())
    }

    /// Reads a table in batches and gives them to `work`, with the columns of `keep`. Returns how many rows there were.
    pub(super) fn for_each(
        &self,
        input: &FilePath,
        keep: &[String],
        admission: Admission<'_>,
        work: impl FnMut(Rows) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let wanted = Wanted { path: self.path_column(), keep, admission };
        self.read_rows(input, wanted, work)
    }

    /// All places of a table, whatever paths they belong to.
    pub(super) fn read_places(
        &self,
        input: &FilePath,
        admission: Admission<'_>,
    ) -> Result<Vec<Place>, Failure> {
        let mut places = Vec::new();
        self.read_rows(input, Wanted { path: None, keep: &[], admission }, |rows| {
            places.extend(rows.places);
            Ok(())
        })?;
        Ok(places)
    }

    fn read_rows(
        &self,
        input: &FilePath,
        wanted: Wanted<'_>,
        mut work: impl FnMut(Rows) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        if geo::is_geographic(input) {
            return read_geographic(input, wanted, work);
        }
        let coordinates = self.coordinates()?;
        let mut names = Vec::new();
        if let Coordinates::Two([_, second]) = coordinates {
            names.push(second.to_owned());
        }
        names.extend(wanted.path.map(str::to_owned));
        names.extend_from_slice(wanted.keep);
        let columns = Columns { column: Some(coordinates.first()), keep: &names, batch_rows: BATCH_ROWS };
        let format = self.table_format(input)?;
        if matches!(coordinates, Coordinates::Points(_)) && format != Format::Parquet {
            return Err(self.not_two_columns());
        }
        let source = Source::open(input, format, columns)?;
        let rows = match coordinates {
            Coordinates::Points(_) => source.for_each_batch(PointColumn::default, |batch| {
                let Batch { first_row, column, kept, is_cut, .. } = batch;
                let places = column.points.into_iter();
                // The row that could not be read ends the reading with its own message.
                if is_cut { Ok(()) } else { work(wanted.rows(input, first_row, places, kept)?) }
            }),
            Coordinates::Two(_) => source.for_each_batch(NumberColumn::default, |batch| {
                let Batch { first_row, column, mut kept, is_cut, .. } = batch;
                if is_cut {
                    return Ok(());
                }
                let seconds = kept.remove(0);
                // What is no number lies in no space.
                let second = |row| seconds.number(row).unwrap_or(f64::NAN);
                let places = column.numbers.iter().enumerate().map(|(row, first)| [*first, second(row)]);
                work(wanted.rows(input, first_row, places, kept)?)
            }),
        }?;
        if rows == 0 { Err(Source::no_rows(input)) } else { Ok(rows) }
    }

    /// The format of a table of locations.
    pub(super) fn table_format(&self, path: &FilePath) -> Result<Format, Failure> {
        match Format::of(path, self.format)? {
            Format::Lines => Err(Failure::Usage {
                message: "a location has two columns, which lines do not have".into(),
                hint: Some("choose csv, jsonl or parquet"),
            }),
            format => Ok(format),
        }
    }

    /// Reads all paths of a table.
    pub(super) fn read(
        &self,
        input: &FilePath,
        grouping: Grouping<'_>,
        admission: Admission<'_>,
    ) -> Result<Vec<Path>, Failure> {
        let mut table = TimedPaths::new(input, grouping);
        let keep: Vec<String> = grouping.time().map(str::to_owned).into_iter().collect();
        self.for_each(input, &keep, admission, |rows| table.add(&rows))?;
        table.finish()
    }
}

/// What is read beside the places.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    path: Option<&'a str>,
    keep: &'a [String],
    admission: Admission<'a>,
}

impl Wanted<'_> {
    /// Admits the places of some rows. The column of paths, if it is wanted, comes first among the others.
    fn rows(
        &self,
        input: &FilePath,
        first_row: u64,
        places: impl Iterator<Item = Place>,
        mut others: Vec<KeptColumn>,
    ) -> Result<Rows, Failure> {
        let admit = |(row, place)| {
            let refuse = |problem| Failure::Source { path: input.to_owned(), row: Some(row), problem };
            self.admission.admit(place).map_err(refuse)
        };
        let places = (first_row..).zip(places).map(admit).collect::<Result<_, _>>()?;
        let ids = self.path.map(|_| others.remove(0));
        Ok(Rows { first_row, places, ids, kept: others })
    }
}

/// Reads a file as a whole; its locations count as rows.
fn read_geographic(
    input: &FilePath,
    wanted: Wanted<'_>,
    mut work: impl FnMut(Rows) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let located = geo::read(input, wanted.path)?;
    if located.is_empty() {
        return Err(Source::no_rows(input));
    }
    let ids = wanted
        .path
        .map(|name| KeptColumn::of_texts(name, located.iter().map(|located| Some(located.path.as_str()))));
    let column = |name: &String| {
        let texts: Vec<Option<String>> = located.iter().map(|located| located.property(name)).collect();
        if texts.iter().all(Option::is_none) {
            let problem = Problem::MissingColumn { column: name.clone(), available: Vec::new() };
            return Err(Failure::Source { path: input.to_owned(), row: None, problem });
        }
        Ok(KeptColumn::of_texts(name, texts.iter().map(Option::as_deref)))
    };
    let kept = wanted.keep.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let places = located.iter().map(|located| located.place);
    work(wanted.rows(input, 1, places, ids.into_iter().chain(kept).collect())?)?;
    Ok(located.len() as u64)
}

/// Paths whose places still have their times, as texts.
struct TimedPaths<'a> {
    input: &'a FilePath,
    grouping: Grouping<'a>,
    /// Where the path of a name is, where all its rows belong together.
    index: HashMap<String, usize>,
    paths: Vec<(String, Vec<(String, Place)>)>,
}

impl<'a> TimedPaths<'a> {
    fn new(input: &'a FilePath, grouping: Grouping<'a>) -> Self {
        Self { input, grouping, index: HashMap::new(), paths: Vec::new() }
    }

    fn add(&mut self, rows: &Rows) -> Result<(), Failure> {
        for (row, place) in rows.places.iter().enumerate() {
            let time = match rows.kept.first() {
                None => String::new(),
                Some(times) => {
                    let text = times.text(row).filter(|time| !time.is_empty());
                    text.ok_or_else(|| self.missing_time(rows.first_row + row as u64))?.into_owned()
                }
            };
            let index = self.path(rows.id(row));
            self.paths[index].1.push((time, *place));
        }
        Ok(())
    }

    /// Where the path of this name is, or begins.
    fn path(&mut self, id: String) -> usize {
        let next = self.paths.len();
        let found = match self.grouping {
            Grouping::Runs { .. } if self.paths.last().is_some_and(|(last, _)| *last == id) => next - 1,
            Grouping::Runs { .. } => next,
            Grouping::Together { .. } => *self.index.entry(id.clone()).or_insert(next),
        };
        if found == next {
            self.paths.push((id, Vec::new()));
        }
        found
    }

    fn missing_time(&self, row: u64) -> Failure {
        Failure::Source { path: self.input.to_owned(), row: Some(row), problem: Problem::MissingValue }
    }

    /// Paths in the order of time: of numbers or dates if all times are, and of texts otherwise. Places with the same time
    /// stay in the order of the table. Runs stay in the order of the table, and must have times that do.
    fn finish(self) -> Result<Vec<Path>, Failure> {
        let all = || self.paths.iter().flat_map(|(_, places)| places).map(|(time, _)| time.as_str());
        let clock = all().next().and_then(Clock::of);
        let clock = clock.filter(|clock| all().all(|time| clock.read(time).is_some()));
        let path = |(id, mut visits): (String, Vec<(String, Place)>)| {
            let places = |visits: Vec<(String, Place)>| visits.into_iter().map(|(_, place)| place).collect();
            let Some(clock) = clock else {
                if matches!(self.grouping, Grouping::Runs { time: Some(_) }) {
                    let problem = Problem::NotATime;
                    return Err(Failure::Source { path: self.input.to_owned(), row: None, problem });
                }
                visits.sort_by(|(one, _), (other, _)| one.cmp(other));
                return Ok(Path::new(id, places(visits)));
            };
            let timed = visits.iter().filter_map(|(time, place)| Some((clock.read(time)?, *place)));
            match self.grouping {
                Grouping::Together { .. } => Path::in_time(id, timed.collect()).map_err(refused),
                Grouping::Runs { .. } => {
                    let (times, places) = timed.unzip();
                    Ok(Path { times: Some(times), ..Path::new(id, places) })
                }
            }
        };
        self.paths.into_iter().map(path).collect()
    }
}
