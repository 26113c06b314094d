//! Where the data sets are.

use crate::ReproduceError;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of the data sets: the environment variable `PRIVET_DATA`, or `shared/data` beside the workspace.
pub fn folder() -> PathBuf {
    std::env::var_os("PRIVET_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from)
}

/// A file that a figure needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFile {
    /// Where it lies in the folder of the data sets.
    pub path: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

impl DataFile {
    /// How somebody without it gets it.
    pub fn how_to_get(&self) -> String {
        format!("{}; put it at {} in the folder that PRIVET_DATA names", self.source, self.path)
    }
}

/// The numbers of one column of a table with a header. A file whose name ends with `.gz` is compressed.
///
/// # Errors
/// When the file cannot be read, has no such column, or has something else than numbers in it.
pub(crate) fn column(path: &Path, name: &str) -> Result<Vec<f64>, ReproduceError> {
    let problem = |problem: String| ReproduceError::Data { path: path.to_owned(), problem };
    let file = std::fs::File::open(path).map_err(|error| problem(error.to_string()))?;
    let is_compressed = path.extension().is_some_and(|ending| ending == "gz");
    let text: Box<dyn Read> =
        if is_compressed { Box::new(flate2::read::GzDecoder::new(file)) } else { Box::new(file) };
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|error| problem(error.to_string()))?;
    let index = header.iter().position(|column| column == name);
    let index = index.ok_or_else(|| problem(format!("it has no column {name}")))?;
    let number = |(row, record): (usize, csv::Result<csv::StringRecord>)| {
        let record = record.map_err(|error| problem(error.to_string()))?;
        let value = record.get(index).and_then(|text| text.parse().ok());
        value.ok_or_else(|| problem(format!("row {}: no number in column {name}", row + 1)))
    };
    reader.records().enumerate().map(number).collect()
}
