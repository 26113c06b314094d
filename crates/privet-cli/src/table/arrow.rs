//! Reading files of Apache Arrow.

use super::guard::guard;
use super::parquet_reader::{positions, push_rows};
use super::source::{Batch, Place, Rest, RowReader, Selection, open_file};
use super::{Column, Problem, is_standard_stream};
use crate::failure::Failure;
use arrow_ipc::reader::FileReader;
use arrow_schema::ArrowError;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

pub(super) struct ArrowReader {
    batches: FileReader<BufReader<File>>,
    column: String,
    keep: Vec<String>,
    place: Place,
}

impl ArrowReader {
    pub(super) fn open(path: &Path, selection: &Selection<'_>, place: Place) -> Result<Self, Failure> {
        if is_standard_stream(path) {
            return Err(Failure::Usage {
                message: "arrow cannot be read from standard input".into(),
                hint: Some("arrow files are read from their end: give a file"),
            });
        }
        let file = open_file(path)?;
        if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            return Err(place.whole(Problem::Empty));
        }
        let batches = decode(&place, || FileReader::try_new(BufReader::new(file), None))?;
        positions(&batches.schema(), selection).map_err(|problem| place.whole(problem))?;
        let (column, keep) = (selection.column.to_owned(), selection.keep.to_vec());
        Ok(Self { batches, column, keep, place })
    }
}

impl RowReader for ArrowReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        let Some(rows) = decode(&self.place, || self.batches.next().transpose())? else {
            return Ok(Rest::Nothing);
        };
        push_rows(&rows, &self.column, &self.keep, batch, &self.place)?;
        Ok(Rest::More)
    }
}

/// Calls the decoder, and says of its errors and panics only that the file is damaged: its words could hold a value.
fn decode<T>(place: &Place, work: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, Failure> {
    match guard(work) {
        Some(Ok(decoded)) => Ok(decoded),
        Some(Err(error)) if error.to_string().contains("feature") => Err(place.whole(Problem::Compression)),
        _ => Err(place.whole(Problem::Damaged { format: "arrow" })),
    }
}
