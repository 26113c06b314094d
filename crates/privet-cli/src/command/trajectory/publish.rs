//! Whole paths on their way to a file, where a path shows less than its table does.

use super::paths::{Coordinates, Rows};
use super::refused;
use super::rounding::Places;
use super::time::Clock;
use crate::failure::Failure;
use crate::table::{BATCH_ROWS, ColumnWriter, Format, KeptColumn, Problem};
use privet::Generator;
use privet::trajectory::method::Release;
use privet::trajectory::{Path, Place};
use std::path::Path as FilePath;

/// Where reports go, and under which names.
pub(super) struct Target<'a> {
    pub(super) writer: ColumnWriter,
    pub(super) written: Coordinates<'a>,
    pub(super) format: Format,
    pub(super) path_column: Option<&'a str>,
    pub(super) time_column: Option<&'a str>,
}

/// Collects rows into paths, and publishes paths when there are enough of them. Memory grows with the longest path only.
pub(super) struct Publisher<'a> {
    release: Release<'a>,
    places: Option<&'a Places>,
    rng: Generator,
    target: Target<'a>,
    /// How the table writes its times; the first one says it.
    clock: Option<Clock>,
    /// Paths that are complete, except for the last one, and how many locations they have.
    waiting: Vec<Collected>,
    locations: usize,
    published: u64,
    /// How many reports the longest path has.
    longest: u64,
}

struct Collected {
    id: String,
    visits: Vec<(f64, Place)>,
}

impl<'a> Publisher<'a> {
    pub(super) fn new(
        release: Release<'a>,
        places: Option<&'a Places>,
        rng: Generator,
        target: Target<'a>,
    ) -> Self {
        let waiting = Vec::new();
        Self { release, places, rng, target, clock: None, waiting, locations: 0, published: 0, longest: 0 }
    }

    /// Adds rows; times, if there are any, are the first of the other columns.
    pub(super) fn add(&mut self, input: &FilePath, rows: &Rows) -> Result<(), Failure> {
        for (row, place) in rows.places.iter().enumerate() {
            let time = match self.target.time_column {
                None => 0.0,
                Some(_) => self.time(rows, row).map_err(|problem| Failure::Source {
                    path: input.to_owned(),
                    row: Some(rows.first_row + row as u64),
                    problem,
                })?,
            };
            let id = rows.id(row);
            match self.waiting.last_mut() {
                Some(last) if last.id == id => last.visits.push((time, *place)),
                _ => {
                    if self.locations >= BATCH_ROWS {
                        self.publish()?;
                    }
                    self.waiting.push(Collected { id, visits: vec![(time, *place)] });
                }
            }
            self.locations += 1;
        }
        Ok(())
    }

    fn time(&mut self, rows: &Rows, row: usize) -> Result<f64, Problem> {
        let text = rows.kept.first().and_then(|times| times.text(row)).filter(|text| !text.is_empty());
        let text = text.ok_or(Problem::MissingValue)?;
        if self.clock.is_none() {
            self.clock = Clock::of(&text);
        }
        self.clock.and_then(|clock| clock.read(&text)).ok_or(Problem::NotATime)
    }

    fn publish(&mut self) -> Result<(), Failure> {
        let is_timed = self.target.time_column.is_some();
        let path = |Collected { id, visits }: Collected| {
            if is_timed {
                return Path::in_time(id, visits);
            }
            Ok(Path::new(id, visits.into_iter().map(|(_, place)| place).collect()))
        };
        let paths = self.waiting.drain(..).map(path).collect::<Result<Vec<_>, _>>().map_err(refused)?;
        self.locations = 0;
        let mut reports = self.release.report_all(&paths, &mut self.rng).map_err(refused)?;
        if let Some(places) = self.places {
            reports.iter_mut().for_each(|path| *path = places.rounding().round_path(path));
        }
        self.write(&reports)
    }

    fn write(&mut self, reports: &[Path]) -> Result<(), Failure> {
        let Target { writer, written, format, path_column, time_column } = &mut self.target;
        let places: Vec<Place> = reports.iter().flat_map(|path| path.places.iter().copied()).collect();
        self.published += places.len() as u64;
        let lengths = reports.iter().map(|path| path.places.len() as u64);
        self.longest = self.longest.max(lengths.max().unwrap_or_default());
        let mut columns = Vec::new();
        if let Some(name) = path_column {
            let ids = reports.iter().flat_map(|path| vec![Some(path.id.as_str()); path.places.len()]);
            columns.push(KeptColumn::of_texts(name, ids));
        }
        columns.extend(written.columns(*format, &places));
        if let (Some(name), Some(clock)) = (time_column, self.clock) {
            let times = reports.iter().flat_map(|path| path.times.iter().flatten().copied());
            columns.push(match clock {
                Clock::Numbers => KeptColumn::of_numbers(name, times),
                Clock::Dates => {
                    let texts: Vec<String> = times.map(|time| clock.write(time)).collect();
                    KeptColumn::of_texts(name, texts.iter().map(|text| Some(text.as_str())))
                }
            });
        }
        writer.write(&columns)
    }

    /// Publishes what is left and completes the file. Returns how many reports it has, and how many of the longest path.
    pub(super) fn finish(mut self) -> Result<(u64, u64), Failure> {
        self.publish()?;
        self.target.writer.finish()?;
        Ok((self.published, self.longest))
    }
}
