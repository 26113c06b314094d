//! Locations to reports.

use super::budget::{BudgetArguments, TimeArguments};
use super::method::{MethodArguments, scope};
use super::paths::{Admission, Coordinates, PathArguments, Rows};
use super::publish::{Publisher, Target};
use super::reference::ReferenceArguments;
use super::refused;
use super::rounding::{Places, RoundingArguments};
use super::space::{is_in_degrees, parse_space};
use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Format, is_standard_stream};
use clap::Args;
use privet::document;
use privet::trajectory::Place;
use privet::trajectory::method::{Disclosure, LocationMethod, PathPromise, References, Stream};
use privet::trajectory::space::Space;
use privet::{Generator, Guarantee};
use serde_json::json;
use std::borrow::Cow;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Every location of a table becomes a report; only the column of paths is copied:
    privet trajectory perturb --in paths.csv --out reports.csv --columns lon,lat \\
      --space rectangle:139.4,140,35.5,35.9 --method window-2d --epsilon 4

  From Parquet to Parquet, with public times beside the reports; what lies outside the city is moved to its border:
    privet trajectory perturb --in paths.parquet --out reports.parquet --keep time --clamp \\
      --space geographic:139.47,139.91,35.51,35.87 --method tracs-c --epsilon 4

  An epsilon for the whole path, and 48 reports of everybody, one for each half hour of a day:
    privet trajectory perturb --in paths.csv --out reports.csv --space polygon:city.geojson \\
      --method window-2d --epsilon 96 --budget per-path --count 48 \\
      --time utc_time --time-grid 1800 --time-start 2012-04-08";

/// What GeoParquet usually calls its points.
const GEOMETRY: &str = "geometry";

/// Turn locations into reports
///
/// The output has the columns of the two coordinates, which now hold reports, the column of paths, and those that are kept.
/// Epsilon is that of one location, unless --budget says otherwise; the answer says what a whole path loses, and what others
/// see of it besides. Rows next to each other with the same name are a path: where a method looks from a
/// reference, that is the report before in the path, and the public start at first. Rows stay in the order of the table. The
/// file appears under its name when it is complete. Memory does not grow with the number of rows.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PerturbArguments {
    #[command(flatten)]
    method: MethodArguments,
    /// The table to read: .csv, .jsonl, .ndjson, .parquet, .gpx or .geojson, or - for standard input. The last two are read as
    /// a whole: longitude first, each track, route or feature a path
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The table to write, or - for standard output
    #[arg(long = "out", value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    table: PathArguments,
    /// Write the reports to Parquet as one column of points, `geometry`, as GeoParquet does
    #[arg(long)]
    geometry: bool,
    #[command(flatten)]
    budget: BudgetArguments,
    #[command(flatten)]
    times: TimeArguments,
    #[command(flatten)]
    rounding: RoundingArguments,
    #[command(flatten)]
    reference: ReferenceArguments,
    /// Leave reports outside a polygon where they are, instead of moving them to its border: only such reports can be
    /// estimated from
    #[arg(long)]
    unmoved: bool,
    /// Public columns to copy. They are sent as they are: without any protection
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    keep: Vec<String>,
    /// Draw from a generator that anybody can repeat. For tests: the reports protect nobody
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

impl PerturbArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        self.check_flags(output)?;
        let space = parse_space(&self.method.space)?;
        let drawn_in = if self.unmoved { space.without_region() } else { space.clone() };
        let methods = self.budget.methods(&self.method, &drawn_in)?;
        let places = self.rounding.build(&space, &self.table)?;
        let references = self.reference.build(&space, places.as_ref())?;
        let disclosure = self.times.disclosure(self.budget.places()?)?;
        let release = methods.release()?.seen_from(references).map_err(refused)?;
        let release = release.disclosing(disclosure).map_err(refused)?;
        let rng = generator(self.insecure_seed)?;
        let is_insecure = rng.is_insecure();
        let admission = Admission { space: Some(&space), clamp: self.table.clamp };
        let target = self.target(&space)?;
        let format = target.format;
        let first = methods.first()?;
        let (rows, longest) = if disclosure == Disclosure::Everything {
            let reporter =
                Reporter { method: first, references, places: places.as_ref(), rng, last: None, longest: 0 };
            self.perturb_rows(reporter, target, admission)?
        } else {
            self.perturb_paths(Publisher::new(release, places.as_ref(), rng, target), admission)?
        };
        if is_standard_stream(&self.out) {
            return Ok(());
        }
        let promise = release.promise(longest).map_err(refused)?;
        let json = |guarantee: Option<Guarantee>| guarantee.as_ref().map(document::guarantee);
        let each = methods.only().and_then(LocationMethod::guarantee);
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": format.as_str(),
            "method": self.method.method,
            "guarantee": json(each),
            "path": { "reports": promise.reports, "guarantee": json(promise.whole) },
            "visible": disclosure.statement(),
            "scope": scope(first),
            "insecure": is_insecure,
        });
        output.print(&document, || {
            let promise = PathPromise { each, ..promise };
            format!("{rows} reports in {}\n{promise}\nepsilon-LDP: {}", self.out.display(), scope(first))
        })
    }

    /// Where the coordinates of reports go.
    fn written(&self) -> Result<Coordinates<'_>, Failure> {
        if self.geometry { Ok(Coordinates::Points(GEOMETRY)) } else { self.table.coordinates() }
    }

    fn target(&self, space: &Space) -> Result<Target<'_>, Failure> {
        let (written, format) = (self.written()?, self.table.table_format(&self.out)?);
        Ok(Target {
            writer: written.writer(&self.out, format, is_in_degrees(space))?,
            written,
            format,
            path_column: self.table.path_column(),
            time_column: self.times.time.as_deref(),
        })
    }

    /// Row by row. Returns how many there were, and how many the longest path had.
    fn perturb_rows(
        &self,
        mut reporter: Reporter<'_>,
        mut target: Target<'_>,
        admission: Admission<'_>,
    ) -> Result<(u64, u64), Failure> {
        let mut progress = Progress::new("locations", None);
        let is_kept = |name: &&String| Some(name.as_str()) != target.path_column;
        let keep: Vec<String> = self.keep.iter().filter(is_kept).cloned().collect();
        let rows = self.table.for_each(&self.input, &keep, admission, |rows| {
            let reports = reporter.report(&rows)?;
            progress.add(reports.len() as u64);
            let mut columns = target.written.columns(target.format, &reports);
            columns.splice(0..0, rows.ids);
            columns.extend(rows.kept);
            target.writer.write(&columns)
        })?;
        target.writer.finish()?;
        Ok((rows, reporter.longest))
    }

    /// Path by path. Returns how many reports there are, and how many the longest path has.
    fn perturb_paths(
        &self,
        mut publisher: Publisher<'_>,
        admission: Admission<'_>,
    ) -> Result<(u64, u64), Failure> {
        let mut progress = Progress::new("locations", None);
        let times: Vec<String> = self.times.time.iter().cloned().collect();
        self.table.for_each(&self.input, &times, admission, |rows| {
            progress.add(rows.places.len() as u64);
            publisher.add(&self.input, &rows)
        })?;
        publisher.finish()
    }

    fn check_flags(&self, output: Output) -> Result<(), Failure> {
        let wrong = |message: &str, hint| Err(Failure::Usage { message: message.to_owned(), hint });
        if output == Output::Json && is_standard_stream(&self.out) {
            return wrong("--json and --out - both need standard output", Some("name a file with --out"));
        }
        let coordinates = self.table.coordinates()?;
        let is_private = |name: &str| coordinates.contains(name);
        if self.keep.iter().any(|name| is_private(name)) || self.table.path_column().is_some_and(is_private) {
            return wrong("a private column would be copied as it is", Some("keep public columns only"));
        }
        if self.geometry && self.table.table_format(&self.out)? != Format::Parquet {
            return wrong("--geometry writes points, which only parquet holds", Some("name a .parquet file"));
        }
        let written = self.written()?;
        if self.keep.iter().any(|name| written.contains(name)) {
            return wrong("two columns of the output would have the same name", Some("keep other columns"));
        }
        let shows_less = self.budget.places()?.is_some() || self.times.time.is_some();
        if shows_less && !self.keep.is_empty() {
            return wrong(
                "kept columns would show which locations a path had",
                Some("with --count or --time-grid only paths, reports and the times of the grid are written"),
            );
        }
        let same = |one: &PathBuf, other: &PathBuf| one.canonicalize().ok() == other.canonicalize().ok();
        if !is_standard_stream(&self.out) && self.out.exists() && same(&self.input, &self.out) {
            return wrong("the reports would replace the locations: --in and --out are the same file", None);
        }
        Ok(())
    }
}

/// Reports rows as they come, path after path.
struct Reporter<'a> {
    method: &'a dyn LocationMethod,
    references: References,
    places: Option<&'a Places>,
    rng: Generator,
    /// The path of the last row, and what comes next in it.
    last: Option<(String, Stream<'a>)>,
    /// How many reports the longest path has.
    longest: u64,
}

impl<'a> Reporter<'a> {
    fn report(&mut self, rows: &Rows) -> Result<Vec<Place>, Failure> {
        let mut reports = Vec::with_capacity(rows.places.len());
        for (row, place) in rows.places.iter().enumerate() {
            let (id, mut stream) = self.stream(rows, row)?;
            let report = stream.report(place, &mut self.rng).map_err(refused)?;
            self.longest = self.longest.max(stream.reported());
            self.last = Some((id, stream));
            reports.push(match self.places {
                Some(places) => places.rounding().round(&report),
                None => report,
            });
        }
        Ok(reports)
    }

    /// The path of a row, and what comes next in it.
    fn stream(&mut self, rows: &Rows, row: usize) -> Result<(String, Stream<'a>), Failure> {
        let id = rows.ids.as_ref().map(|ids| ids.text(row).unwrap_or_default());
        match (self.last.take(), id) {
            (Some(last), Some(id)) if last.0 == id => Ok(last),
            (_, id) => {
                let stream = Stream::new(self.method, self.references).map_err(refused)?;
                Ok((id.map(Cow::into_owned).unwrap_or_default(), stream))
            }
        }
    }
}
