//! Reading: a thread reads batches of rows while the caller works on the batch before.

use super::arrow::ArrowReader;
use super::csv::CsvReader;
use super::jsonl::JsonlReader;
use super::kept::{Keeper, KeptColumn};
use super::lines::LinesReader;
use super::npy::NpyReader;
use super::parquet_reader::ParquetReader;
use super::{Cell, Column, Format, Problem, is_standard_stream};
use crate::failure::Failure;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Batches that wait between the two threads.
const WAITING_BATCHES: usize = 2;

/// Some rows of a table.
pub(crate) struct Batch<C> {
    /// The number of the first row; the first row of a table is row 1.
    pub(crate) first_row: u64,
    pub(crate) rows: usize,
    limit: usize,
    pub(crate) column: C,
    pub(crate) kept: Vec<KeptColumn>,
    /// Whether the row after these could not be read. Then `kept` is not complete, and nothing may be written.
    pub(crate) is_cut: bool,
}

impl<C: Column> Batch<C> {
    /// Adds a row's cell.
    #[inline]
    pub(super) fn push(&mut self, place: &Place, cell: Cell<'_>) -> Result<(), Failure> {
        match self.column.push(cell) {
            Ok(()) => {
                self.rows += 1;
                Ok(())
            }
            Err(problem) => Err(place.row(self.next_row(), problem)),
        }
    }

    pub(super) fn next_row(&self) -> u64 {
        self.first_row + self.rows as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= self.limit
    }
}

/// Whether a reader has more rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    More,
    Nothing,
}

/// Reads rows in one format.
pub(super) trait RowReader: Send {
    /// Adds rows to the batch until it is full or there are no more.
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure>;
}

/// Where rows come from, for messages.
#[derive(Debug, Clone)]
pub(super) struct Place(PathBuf);

impl Place {
    pub(super) fn of(path: &Path) -> Self {
        Self(if is_standard_stream(path) { "standard input".into() } else { path.to_owned() })
    }

    pub(super) fn row(&self, row: u64, problem: Problem) -> Failure {
        Failure::Source { path: self.0.clone(), row: Some(row), problem }
    }

    pub(super) fn whole(&self, problem: Problem) -> Failure {
        Failure::Source { path: self.0.clone(), row: None, problem }
    }

    pub(super) fn unreadable(&self, source: std::io::Error) -> Failure {
        Failure::File { action: "cannot read", path: self.0.clone(), source }
    }
}

enum Reader {
    Csv(CsvReader),
    Jsonl(JsonlReader),
    Lines(LinesReader),
    Parquet(ParquetReader),
    Arrow(ArrowReader),
    Npy(NpyReader),
}

/// A table that is open for reading.
pub(crate) struct Source {
    place: Place,
    reader: Reader,
    batch_rows: usize,
}

/// Which columns to read, and how much of them at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns<'a> {
    /// What becomes values or reports; tables in any format but lines and npy need it.
    pub(crate) column: Option<&'a str>,
    /// What is passed on as it is.
    pub(crate) keep: &'a [String],
    pub(crate) batch_rows: usize,
}

/// The same, once it is known that there is a column.
pub(super) struct Selection<'a> {
    pub(super) column: &'a str,
    pub(super) keep: &'a [String],
    pub(super) batch_rows: usize,
}

impl Source {
    /// Opens a table.
    pub(crate) fn open(path: &Path, format: Format, columns: Columns<'_>) -> Result<Self, Failure> {
        let Columns { column, keep, batch_rows } = columns;
        let place = Place::of(path);
        if matches!(format, Format::Lines | Format::Npy) {
            if !keep.is_empty() {
                let what = if format == Format::Npy { "arrays" } else { "lines" };
                let message = format!("{what} have no columns to keep");
                return Err(Failure::Usage { message, hint: None });
            }
            let reader = match format {
                Format::Npy => Reader::Npy(NpyReader::open(path, place.clone())?),
                _ => Reader::Lines(LinesReader::new(stream(path)?, place.clone())),
            };
            return Ok(Self { place, reader, batch_rows });
        }
        let column = column.ok_or_else(|| Failure::Usage {
            message: "which column holds the values?".into(),
            hint: Some("say it with --column"),
        })?;
        let selection = Selection { column, keep, batch_rows };
        let reader = match format {
            Format::Parquet => Reader::Parquet(ParquetReader::open(path, &selection, place.clone())?),
            Format::Arrow => Reader::Arrow(ArrowReader::open(path, &selection, place.clone())?),
            Format::Jsonl => Reader::Jsonl(JsonlReader::new(stream(path)?, &selection, place.clone())),
            Format::Csv | Format::Lines | Format::Npy => {
                Reader::Csv(CsvReader::new(stream(path)?, &selection, place.clone())?)
            }
        };
        Ok(Self { place, reader, batch_rows })
    }

    /// Reads all rows on a thread of their own and gives them to `work`, batch by batch, in order. Returns how many
    /// there were.
    pub(crate) fn for_each_batch<C: Column>(
        mut self,
        make: impl Fn() -> C + Send,
        mut work: impl FnMut(Batch<C>) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let place = self.place.clone();
        std::thread::scope(|scope| {
            let (sender, batches): (_, Receiver<Batch<C>>) = sync_channel(WAITING_BATCHES);
            let make = move |first_row| Batch {
                first_row,
                rows: 0,
                limit: self.batch_rows,
                column: make(),
                kept: Vec::new(),
                is_cut: false,
            };
            let reading = scope.spawn(move || match &mut self.reader {
                Reader::Csv(reader) => read_all(reader, &make, &sender),
                Reader::Jsonl(reader) => read_all(reader, &make, &sender),
                Reader::Lines(reader) => read_all(reader, &make, &sender),
                Reader::Parquet(reader) => read_all(reader, &make, &sender),
                Reader::Arrow(reader) => read_all(reader, &make, &sender),
                Reader::Npy(reader) => read_all(reader, &make, &sender),
            });
            // The reader ends as soon as nobody takes its batches: when this loop is left early, `batches` is dropped.
            for batch in batches {
                work(batch)?;
            }
            reading.join().unwrap_or_else(|_| Err(place.whole(Problem::Damaged { format: "readable" })))
        })
    }

    /// The failure of a file without rows.
    pub(crate) fn no_rows(path: &Path) -> Failure {
        Failure::Source { path: path.to_owned(), row: None, problem: Problem::NoRows }
    }
}

fn read_all<C: Column>(
    reader: &mut impl RowReader,
    make: &impl Fn(u64) -> Batch<C>,
    sender: &SyncSender<Batch<C>>,
) -> Result<u64, Failure> {
    let mut first_row = 1;
    loop {
        let mut batch = make(first_row);
        let rest = reader.fill(&mut batch);
        first_row = batch.next_row();
        batch.is_cut = rest.is_err();
        // Rows before a bad one go on their way first, so that the first bad row is the one that is reported.
        if batch.rows > 0 && sender.send(batch).is_err() {
            return Ok(first_row - 1);
        }
        if rest? == Rest::Nothing {
            return Ok(first_row - 1);
        }
    }
}

fn stream(path: &Path) -> Result<Box<dyn Read + Send>, Failure> {
    if is_standard_stream(path) { Ok(Box::new(std::io::stdin())) } else { Ok(Box::new(open_file(path)?)) }
}

/// Opens a file for reading.
pub(super) fn open_file(path: &Path) -> Result<File, Failure> {
    let failed = |source| Failure::File { action: "cannot open", path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // Opening a folder succeeds and only reading it fails, with a message that does not name it.
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// Moves what was kept to the batch.
pub(super) fn finish<C>(batch: &mut Batch<C>, keeper: &mut Keeper) {
    batch.kept = keeper.take();
}
