//! Locations to reports.

use super::method::{MethodArguments, scope};
use super::paths::{Admission, Coordinates, PathArguments, Rows};
use super::reference::ReferenceArguments;
use super::refused;
use super::rounding::{Places, RoundingArguments};
use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Format, is_standard_stream};
use clap::Args;
use privet::Generator;
use privet::trajectory::Place;
use privet::trajectory::method::{LocationMethod, References, Stream};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Every location of a table becomes a report; only the column of paths is copied:
    privet trajectory perturb --in paths.csv --out reports.csv --columns lon,lat \\
      --space rectangle:139.4,140,35.5,35.9 --method window-2d --epsilon 4

  From Parquet to Parquet, with public times beside the reports; what lies outside the city is moved to its border:
    privet trajectory perturb --in paths.parquet --out reports.parquet --keep time --clamp \\
      --space geographic:139.47,139.91,35.51,35.87 --method tracs-c --epsilon 4";

/// What GeoParquet usually calls its points.
const GEOMETRY: &str = "geometry";

/// Turn locations into reports
///
/// The output has the columns of the two coordinates, which now hold reports, the column of paths, and those that are kept.
/// Epsilon is that of one location. Rows next to each other with the same name are a path: where a method looks from a
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
    rounding: RoundingArguments,
    #[command(flatten)]
    reference: ReferenceArguments,
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
        let method = self.method.build()?;
        let places = self.rounding.build(method.space(), &self.table)?;
        let references = self.reference.build(method.space(), places.as_ref())?;
        let rng = generator(self.insecure_seed)?;
        let is_insecure = rng.is_insecure();
        let out_format = self.table.table_format(&self.out)?;
        let reporter = Reporter { method: &*method, references, places: places.as_ref(), rng, last: None };
        let rows = self.perturb(reporter, out_format)?;
        if is_standard_stream(&self.out) {
            return Ok(());
        }
        let guarantee = method.guarantee();
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": out_format.as_str(),
            "method": self.method.method,
            "guarantee": guarantee.as_ref().map(crate::command::guarantee_json),
            "scope": scope(&*method),
            "insecure": is_insecure,
        });
        output.print(&document, || {
            let promise = guarantee.map_or("no guarantee".to_owned(), |guarantee| guarantee.to_string());
            let (out, scope) = (self.out.display(), scope(&*method));
            format!("{rows} reports in {out} ({promise}, each location; epsilon-LDP: {scope})")
        })
    }

    /// Where the coordinates of reports go.
    fn written(&self) -> Result<Coordinates<'_>, Failure> {
        if self.geometry { Ok(Coordinates::Points(GEOMETRY)) } else { self.table.coordinates() }
    }

    fn perturb(&self, mut reporter: Reporter<'_>, format: Format) -> Result<u64, Failure> {
        let written = self.written()?;
        let space = reporter.method.space();
        let mut writer = written.writer(&self.out, format, space)?;
        let admission = Admission { space: Some(space), clamp: self.table.clamp };
        let mut progress = Progress::new("locations", None);
        let path_column = self.table.path_column();
        let keep: Vec<String> =
            self.keep.iter().filter(|name| Some(name.as_str()) != path_column).cloned().collect();
        let rows = self.table.for_each(&self.input, &keep, admission, |rows| {
            let reports = reporter.report(&rows)?;
            progress.add(reports.len() as u64);
            let mut columns = written.columns(format, &reports);
            columns.splice(0..0, rows.ids);
            columns.extend(rows.kept);
            writer.write(&columns)
        })?;
        writer.finish()?;
        Ok(rows)
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
        let is_taken = |name: &String| written.contains(name);
        if self.keep.iter().any(is_taken) {
            return wrong("two columns of the output would have the same name", Some("keep other columns"));
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
}

impl<'a> Reporter<'a> {
    fn report(&mut self, rows: &Rows) -> Result<Vec<Place>, Failure> {
        let mut reports = Vec::with_capacity(rows.places.len());
        for (row, place) in rows.places.iter().enumerate() {
            let mut stream = self.stream(rows, row)?;
            let report = stream.1.report(place, &mut self.rng).map_err(refused)?;
            self.last = Some(stream);
            reports.push(match self.places {
                Some(places) => places.rounding().round(&report),
                None => report,
            });
        }
        Ok(reports)
    }

    /// The path of a row, and what comes next in it.
    fn stream(&mut self, rows: &Rows, row: usize) -> Result<(String, Stream<'a>), Failure> {
        // Where no report looks at the one before, it does not matter which path it belongs to.
        let is_same = match (&self.last, &rows.ids) {
            (Some(_), _) if !self.method.reads_reference() => true,
            (Some((last, _)), Some(ids)) => ids.text(row).unwrap_or_default() == last.as_str(),
            _ => false,
        };
        let kept = if is_same { self.last.take() } else { None };
        match kept {
            Some(same) => Ok(same),
            None => Ok((rows.id(row), Stream::new(self.method, self.references).map_err(refused)?)),
        }
    }
}
