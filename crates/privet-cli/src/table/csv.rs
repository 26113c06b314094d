//! Comma-separated values.

use super::kept::Keeper;
use super::source::{Batch, Place, Rest, RowReader, Selection, finish, open_file};
use super::{Cell, Column, Problem};
use crate::failure::Failure;
use csv::{ByteRecord, ErrorKind};
use std::io::Read;
use std::path::Path;

const BUFFER_BYTES: usize = 1 << 17;

pub(super) struct CsvReader {
    reader: csv::Reader<Box<dyn Read + Send>>,
    record: ByteRecord,
    columns: usize,
    column: usize,
    keep: Vec<usize>,
    keeper: Keeper,
    place: Place,
}

impl CsvReader {
    pub(super) fn new(
        stream: Box<dyn Read + Send>,
        selection: &Selection<'_>,
        place: Place,
    ) -> Result<Self, Failure> {
        let mut reader = csv::ReaderBuilder::new().buffer_capacity(BUFFER_BYTES).from_reader(stream);
        let header = reader.byte_headers().map_err(|error| refuse(&place, 0, error))?.clone();
        if header.is_empty() {
            return Err(place.whole(Problem::Empty));
        }
        let position = |name: &str| position(&header, name).map_err(|problem| place.whole(problem));
        let column = position(selection.column)?;
        let keep = selection.keep.iter().map(|name| position(name)).collect::<Result<_, _>>()?;
        let keeper = Keeper::new(selection.keep, false);
        Ok(Self { reader, record: ByteRecord::new(), columns: header.len(), column, keep, keeper, place })
    }

    /// Refuses an empty line in a table of one column. The parser passes over empty lines, but here an empty line is a
    /// person whose value is missing.
    fn check_for_empty_lines(&self, row: u64) -> Result<(), Failure> {
        let started = self.record.position().map_or(0, csv::Position::line);
        let lines = self.reader.position().line() - started;
        if lines > 1 {
            let inside = self.record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
            if lines > 1 + inside {
                return Err(self.place.row(row, Problem::MissingValue));
            }
        }
        Ok(())
    }

    fn keep_cells(&mut self, row: u64) -> Result<(), Failure> {
        for (index, column) in self.keep.iter().enumerate() {
            let cell = std::str::from_utf8(&self.record[*column])
                .map_err(|_| self.place.row(row, Problem::NotUtf8))?;
            self.keeper.push(index, Some(cell));
        }
        Ok(())
    }
}

impl RowReader for CsvReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        while !batch.is_full() {
            let row = batch.next_row();
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {}
                Ok(false) => {
                    finish(batch, &mut self.keeper);
                    return Ok(Rest::Nothing);
                }
                Err(error) => return Err(refuse(&self.place, row, error)),
            }
            if self.columns == 1 {
                self.check_for_empty_lines(row)?;
            }
            batch.push(&self.place, Cell::Text(&self.record[self.column]))?;
            if !self.keep.is_empty() {
                self.keep_cells(row)?;
            }
        }
        finish(batch, &mut self.keeper);
        Ok(Rest::More)
    }
}

/// The names of all columns.
pub(crate) fn csv_header(path: &Path) -> Result<Vec<String>, Failure> {
    let place = Place::of(path);
    let mut reader = csv::Reader::from_reader(open_file(path)?);
    let header = reader.byte_headers().map_err(|error| refuse(&place, 0, error))?;
    if header.is_empty() {
        return Err(place.whole(Problem::Empty));
    }
    Ok(header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn position(header: &ByteRecord, name: &str) -> Result<usize, Problem> {
    let mut positions = header.iter().enumerate().filter(|(_, column)| *column == name.as_bytes());
    match (positions.next(), positions.next()) {
        (Some((position, _)), None) => Ok(position),
        (Some(_), Some(_)) => Err(Problem::DuplicateColumn { column: name.to_owned() }),
        (None, _) => Err(Problem::MissingColumn {
            column: name.to_owned(),
            available: header.iter().map(|column| String::from_utf8_lossy(column).into_owned()).collect(),
        }),
    }
}

/// The parser's own messages are not passed on: they could hold a value.
fn refuse(place: &Place, row: u64, error: csv::Error) -> Failure {
    match error.into_kind() {
        ErrorKind::Io(error) => place.unreadable(error),
        ErrorKind::UnequalLengths { expected_len: expected, len: got, .. } => {
            place.row(row, Problem::CellCount { expected, got })
        }
        _ => place.row(row, Problem::Damaged { format: "csv" }),
    }
}
