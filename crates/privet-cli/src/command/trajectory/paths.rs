//! Tables of locations.

use super::geo;
use crate::failure::Failure;
use crate::table::{BATCH_ROWS, Columns, Format, KeptColumn, NumberColumn, Problem, Source};
use clap::Args;
use privet::InputError;
use privet::trajectory::space::Space;
use privet::trajectory::{Path, Place};
use std::collections::HashMap;
use std::path::{Path as FilePath, PathBuf};

/// Which columns of a table are locations.
#[derive(Debug, Args)]
pub(super) struct PathArguments {
    /// The columns of the two coordinates, in the order of the space's
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
    /// Those next to each other with the same name.
    Runs,
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
    /// The names of the two coordinates.
    pub(super) fn coordinates(&self) -> Result<[&str; 2], Failure> {
        match self.columns.split_once(',') {
            Some((first, second)) if first != second && !second.contains(',') => Ok([first, second]),
            _ => Err(Failure::Usage {
                message: format!("two different columns hold the coordinates: got {:?}", self.columns),
                hint: Some("write --columns lon,lat"),
            }),
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
        mut work: impl FnMut(Rows) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        if geo::is_geographic(input) {
            return self.read_geographic(input, keep, admission, work);
        }
        let [first, second] = self.coordinates()?;
        let mut names = vec![second.to_owned()];
        names.extend(self.path_column().map(str::to_owned));
        names.extend_from_slice(keep);
        let columns = Columns { column: Some(first), keep: &names, batch_rows: BATCH_ROWS };
        let format = self.table_format(input)?;
        let source = Source::open(input, format, columns)?;
        let rows = source.for_each_batch(NumberColumn::default, |batch| {
            // The row that could not be read ends the reading with its own message.
            if batch.is_cut {
                return Ok(());
            }
            let refuse = |row: usize, problem| Failure::Source {
                path: input.to_owned(),
                row: Some(batch.first_row + row as u64),
                problem,
            };
            let mut kept = batch.kept.into_iter();
            let seconds = kept.next();
            let mut places = Vec::with_capacity(batch.rows);
            for (row, first) in batch.column.numbers.iter().enumerate() {
                // What is no number lies in no space.
                let second = seconds.as_ref().and_then(|column| column.number(row)).unwrap_or(f64::NAN);
                places.push(admission.admit([*first, second]).map_err(|problem| refuse(row, problem))?);
            }
            let ids = if self.points { None } else { kept.next() };
            work(Rows { first_row: batch.first_row, places, ids, kept: kept.collect() })
        })?;
        if rows == 0 { Err(Source::no_rows(input)) } else { Ok(rows) }
    }

    /// The same for a file that is read as a whole; its locations count as rows.
    fn read_geographic(
        &self,
        input: &FilePath,
        keep: &[String],
        admission: Admission<'_>,
        mut work: impl FnMut(Rows) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let located = geo::read(input, self.path_column())?;
        let refuse = |row, problem| Failure::Source { path: input.to_owned(), row: Some(row), problem };
        let mut places = Vec::with_capacity(located.len());
        for (row, located) in (1..).zip(&located) {
            places.push(admission.admit(located.place).map_err(|problem| refuse(row, problem))?);
        }
        if places.is_empty() {
            return Err(Source::no_rows(input));
        }
        let ids = self.path_column().map(|name| {
            KeptColumn::of_texts(name, located.iter().map(|located| Some(located.path.as_str())))
        });
        let column = |name: &String| {
            let texts: Vec<Option<String>> = located.iter().map(|located| located.property(name)).collect();
            if texts.iter().all(Option::is_none) {
                let problem = Problem::MissingColumn { column: name.clone(), available: Vec::new() };
                return Err(Failure::Source { path: input.to_owned(), row: None, problem });
            }
            Ok(KeptColumn::of_texts(name, texts.iter().map(Option::as_deref)))
        };
        let kept = keep.iter().map(column).collect::<Result<_, _>>()?;
        work(Rows { first_row: 1, places, ids, kept })?;
        Ok(located.len() as u64)
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
        let Grouping::Together { time } = grouping else { return self.read_runs(input, admission) };
        let mut table = TimedPaths::new(input);
        let keep: Vec<String> = time.map(str::to_owned).into_iter().collect();
        self.for_each(input, &keep, admission, |rows| table.add(&rows))?;
        Ok(table.sorted())
    }

    fn read_runs(&self, input: &FilePath, admission: Admission<'_>) -> Result<Vec<Path>, Failure> {
        let mut paths: Vec<Path> = Vec::new();
        self.for_each(input, &[], admission, |rows| {
            for (row, place) in rows.places.iter().enumerate() {
                let id = rows.id(row);
                match paths.last_mut() {
                    Some(path) if path.id == id => path.places.push(*place),
                    _ => paths.push(Path::new(id, vec![*place])),
                }
            }
            Ok(())
        })?;
        Ok(paths)
    }
}

/// Paths whose places still have their times.
struct TimedPaths {
    input: PathBuf,
    index: HashMap<String, usize>,
    paths: Vec<(String, Vec<(String, Place)>)>,
}

impl TimedPaths {
    fn new(input: &FilePath) -> Self {
        Self { input: input.to_owned(), index: HashMap::new(), paths: Vec::new() }
    }

    fn add(&mut self, rows: &Rows) -> Result<(), Failure> {
        for (row, place) in rows.places.iter().enumerate() {
            let id = rows.id(row);
            let time = match rows.kept.first() {
                None => String::new(),
                Some(times) => times.text(row).filter(|time| !time.is_empty()).map_or_else(
                    || Err(self.missing_time(rows.first_row + row as u64)),
                    |time| Ok(time.into_owned()),
                )?,
            };
            let index = *self.index.entry(id).or_insert_with_key(|id| {
                self.paths.push((id.clone(), Vec::new()));
                self.paths.len() - 1
            });
            self.paths[index].1.push((time, *place));
        }
        Ok(())
    }

    fn missing_time(&self, row: u64) -> Failure {
        Failure::Source { path: self.input.clone(), row: Some(row), problem: Problem::MissingValue }
    }

    /// In the order of time: of numbers if all times are, and of texts otherwise, such as 2012-04-08 00:03:35. Places with
    /// the same time stay in the order of the table.
    fn sorted(self) -> Vec<Path> {
        let number = |time: &String| time.trim().parse::<f64>().ok().filter(|time| time.is_finite());
        let mut all = self.paths.iter().flat_map(|(_, places)| places);
        let are_numbers = all.all(|(time, _)| number(time).is_some());
        let sort = |(id, mut places): (String, Vec<(String, Place)>)| {
            if are_numbers {
                places.sort_by(|(one, _), (other, _)| {
                    number(one).unwrap_or_default().total_cmp(&number(other).unwrap_or_default())
                });
            } else {
                places.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
            Path::new(id, places.into_iter().map(|(_, place)| place).collect())
        };
        self.paths.into_iter().map(sort).collect()
    }
}
