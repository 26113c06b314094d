//! One value on each line.

use super::source::{Batch, Place, Rest, RowReader};
use super::{Cell, Column, Problem};
use crate::failure::Failure;
use std::io::{BufRead, BufReader, Read};

const BUFFER_BYTES: usize = 1 << 17;

/// A longer line is no row of a table.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Reads lines into one buffer.
pub(super) struct LineReader {
    stream: BufReader<Box<dyn Read + Send>>,
    line: Vec<u8>,
}

impl LineReader {
    pub(super) fn new(stream: Box<dyn Read + Send>) -> Self {
        Self { stream: BufReader::with_capacity(BUFFER_BYTES, stream), line: Vec::new() }
    }

    /// The next line without its end, or `None` after the last one.
    pub(super) fn next_line(&mut self, place: &Place, row: u64) -> Result<Option<&[u8]>, Failure> {
        self.line.clear();
        let mut limited = (&mut self.stream).take(MAX_LINE_BYTES);
        let length = limited.read_until(b'\n', &mut self.line).map_err(|error| place.unreadable(error))?;
        if length == 0 {
            return Ok(None);
        }
        let line = match self.line.as_slice() {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
            _ if length as u64 == MAX_LINE_BYTES => {
                return Err(place.row(row, Problem::LongLine { limit: MAX_LINE_BYTES }));
            }
            line => line,
        };
        Ok(Some(line))
    }
}

pub(super) struct LinesReader {
    lines: LineReader,
    place: Place,
}

impl LinesReader {
    pub(super) fn new(stream: Box<dyn Read + Send>, place: Place) -> Self {
        Self { lines: LineReader::new(stream), place }
    }
}

impl RowReader for LinesReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        while !batch.is_full() {
            match self.lines.next_line(&self.place, batch.next_row())? {
                Some(line) => batch.push(&self.place, Cell::Text(line))?,
                None => return Ok(Rest::Nothing),
            }
        }
        Ok(Rest::More)
    }
}
