//! Tables in files: one column of values or reports is read or written, in batches, whatever the format.

mod arrow;
mod cell;
mod column_writer;
mod csv;
mod destination;
mod guard;
mod hex;
mod jsonl;
mod kept;
mod lines;
mod npy;
mod parquet_reader;
mod parquet_writer;
mod points;
mod problem;
mod record_writer;
mod source;
mod text_writer;
mod vectors;
mod writer;

pub(crate) use cell::{Cell, Column, NumberColumn, ReportColumn, ValueColumn};
pub(crate) use column_writer::ColumnWriter;
pub(crate) use csv::csv_header;
pub(crate) use destination::{Destination, check_other_file, replace_file};
pub(crate) use guard::keep_guarded_panics_quiet;
pub(crate) use kept::KeptColumn;
pub(crate) use npy::read as read_array;
pub(crate) use points::{METADATA_KEY, PointColumn, metadata as points_metadata};
pub(crate) use problem::Problem;
pub(crate) use source::{Batch, Columns, Source};
pub(crate) use vectors::{read_numbers, read_vectors, write_vectors};
pub(crate) use writer::ReportWriter;

use crate::failure::Failure;
use clap::ValueEnum;
use std::path::Path;

/// How many rows are in memory at a time, at most.
pub(crate) const BATCH_ROWS: usize = 1 << 16;

/// How many bytes of reports are in memory at a time, about.
const BATCH_BYTES: usize = 4 << 20;

/// How many rows are in memory at a time, for reports of this length: some have a bit for each of a million categories.
pub(crate) fn batch_rows(report_bytes: usize) -> usize {
    (BATCH_BYTES / report_bytes.max(1)).clamp(16, BATCH_ROWS)
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Comma-separated values with a header
    Csv,
    /// One JSON object on each line
    Jsonl,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow, as a file
    Arrow,
    /// An array of NumPy, a row for each vector
    Npy,
    /// One value on each line, without a header
    Lines,
}

impl Format {
    /// The format that was asked for, or the one that the name of the file says.
    pub(crate) fn of(path: &Path, asked: Option<Self>) -> Result<Self, Failure> {
        if let Some(format) = asked {
            return Ok(format);
        }
        if is_standard_stream(path) {
            return Ok(Self::Csv);
        }
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self::Csv),
            Some("jsonl" | "ndjson") => Ok(Self::Jsonl),
            Some("parquet") => Ok(Self::Parquet),
            Some("arrow" | "feather") => Ok(Self::Arrow),
            Some("npy") => Ok(Self::Npy),
            _ => Err(Failure::Usage {
                message: format!("cannot tell the format of {} from its name", path.display()),
                hint: Some(
                    "name it .csv, .jsonl, .ndjson, .parquet, .arrow or .npy, or say the format with a flag",
                ),
            }),
        }
    }

    /// The name for messages.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Npy => "npy",
            Self::Lines => "lines",
        }
    }
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}
