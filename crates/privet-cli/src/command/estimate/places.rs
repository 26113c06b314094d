//! Reports of places to the shares of equal cells.

use super::{Estimate, misfit};
use crate::arguments::Chosen;
use crate::command::trajectory::estimate::{CoarseShare, coarse_shares};
use crate::command::{guarantee_json, trajectory};
use crate::failure::Failure;
use crate::output::{Output, interval, number, table_of_numbers};
use crate::progress::{Progress, Waiting};
use crate::table::{Columns, Format, Problem, ReportColumn, Source, batch_rows};
use privet::plane::PlaneErrors;
use privet::trajectory::estimate::Evidence;
use privet::trajectory::method::{LocationMethod, References};
use privet::trajectory::{Path, Place};
use privet::{AnyMechanism, Envelope, EstimateError, Rectangle};
use serde_json::{Value, json};

/// How many cells each side has, unless somebody says so.
const DEFAULT_CELLS: u32 = 8;
/// The density is estimated on at least so many cells for each side, whatever is shown.
const FINE_CELLS: u32 = 32;
/// The fewest reports with which an estimate has an interval.
const FEWEST: usize = 2;
/// Half the width of a 95 % interval of a normal estimate, in standard errors.
const HALF_WIDTH: f64 = 1.96;
const METHOD: &str = "expectation-maximization on a grid, intervals by a bootstrap";

impl Estimate {
    pub(super) fn of_places(
        &self,
        chosen: &Chosen,
        rectangle: Rectangle,
        output: Output,
    ) -> Result<(), Failure> {
        self.refuse_other_flags(chosen)?;
        let mechanism = chosen.mechanism()?;
        let (plane, method) = (chosen.plane_errors()?, chosen.location_method(rectangle)?);
        let places = self.places(&*mechanism, &*plane)?;
        let n = places.len();
        let cells = self.numbers.distribution_bins.unwrap_or(DEFAULT_CELLS);
        let shares = estimated(&*method, places, cells)?;
        let rows: Vec<Value> = shares.iter().map(|share| row_json(share, n)).collect();
        let document = json!({
            "attribute": self.column,
            "n": n,
            "method": METHOD,
            "guarantee": guarantee_json(&mechanism.guarantee()),
            "estimates": rows,
        });
        output.print(&document, || page(&shares, n))
    }

    fn refuse_other_flags(&self, chosen: &Chosen) -> Result<(), Failure> {
        let is_summary = |path: &std::path::PathBuf| path.extension().is_some_and(|name| name == "summary");
        let given = [
            ("--consistency", self.consistency != "none"),
            ("--method", self.numbers.method.is_some()),
            ("--quantiles", self.numbers.quantiles.is_some()),
            ("--range", !self.numbers.range.is_empty()),
            ("--top", self.top.is_some()),
            ("--summary-out", self.summary_out.is_some()),
            ("a summary", self.input.iter().any(is_summary)),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) => Err(misfit(
                format!("{flag} is not about places: got {}", chosen.domain),
                "places have shares of --distribution-bins cells on each side",
            )),
            None => Ok(()),
        }
    }

    /// What all reports stand for.
    fn places(&self, mechanism: &dyn AnyMechanism, plane: &dyn PlaneErrors) -> Result<Vec<Place>, Failure> {
        let envelope =
            Envelope { fingerprint: mechanism.fingerprint(), insecure: self.insecure_seed.is_some() };
        let report_bytes = mechanism.report_bytes();
        let mut places = Vec::new();
        let mut progress = Progress::new("reports", None);
        for path in &self.input {
            let batch_rows = batch_rows(report_bytes);
            let columns = Columns { column: Some(&self.column), keep: &[], batch_rows };
            let source = Source::open(path, Format::of(path, self.format)?, columns)?;
            source.for_each_batch(
                || ReportColumn::new(envelope, report_bytes),
                |batch| {
                    progress.add(batch.rows as u64);
                    for (row, report) in (batch.first_row..).zip(batch.column.reports.iter()) {
                        let refuse = |error| Failure::Source {
                            path: path.clone(),
                            row: Some(row),
                            problem: Problem::Report(error),
                        };
                        places.push(plane.reported_place(report).map_err(refuse)?);
                    }
                    Ok(())
                },
            )?;
        }
        Ok(places)
    }
}

/// The shares of the cells. Every report is of another person.
fn estimated(
    method: &dyn LocationMethod,
    places: Vec<Place>,
    cells: u32,
) -> Result<Vec<CoarseShare>, Failure> {
    if places.len() < FEWEST {
        let (needed, got) = (FEWEST as u64, places.len() as u64);
        return Err(EstimateError::TooFewReports { needed, got }.into());
    }
    let waiting = Waiting::on("estimating the density".to_owned());
    let alone = |place: Place| Path::new("", vec![place]);
    let reports: Vec<Path> = places.into_iter().map(alone).collect();
    let side = cells * FINE_CELLS.div_ceil(cells);
    let references = References::previous(method);
    let evidence = Evidence::gather(method, references, &reports, [side; 2]).map_err(trajectory::refused)?;
    let density = evidence.density();
    waiting.say("drawing reports again".to_owned());
    coarse_shares(&evidence, &density, cells)
}

fn standard_error([low, high]: [f64; 2]) -> f64 {
    (high - low) / (2.0 * HALF_WIDTH)
}

fn row_json(CoarseShare { place, share, interval }: &CoarseShare, n: usize) -> Value {
    json!({
        "place": place,
        "value": share,
        "standard_error": standard_error(*interval),
        "interval": interval,
        "n": n,
        "method": METHOD,
    })
}

fn page(shares: &[CoarseShare], n: usize) -> String {
    let header = ["FIRST COORDINATE", "SECOND COORDINATE", "ESTIMATE", "STANDARD ERROR", "95 % INTERVAL"];
    let mut table = table_of_numbers(&header, 0);
    for CoarseShare { place, share, interval: ends } in shares {
        let numbers = [place[0], place[1], *share, standard_error(*ends)].map(number);
        table.add_row(numbers.into_iter().chain([interval(*ends)]));
    }
    format!("{}\n\n{n} reports, {METHOD}; coordinates are those of the middle of a cell", table.trim_fmt())
}
