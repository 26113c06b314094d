//! Reports on their way to a file.

use super::kept::{KeptColumn, has_text};
use super::parquet_writer::ParquetWriter;
use super::record_writer::is_typed;
use super::text_writer::TextWriter;
use super::{Destination, Format, is_standard_stream};
use crate::failure::Failure;
use privet::{Envelope, ReportBuffer};
use std::path::Path;

/// The name of the column that holds the reports.
pub(super) const REPORT: &str = "report";

/// Writes reports in any format. The file appears when [`ReportWriter::finish`] succeeds.
pub(crate) enum ReportWriter {
    Text(TextWriter),
    Parquet(Box<ParquetWriter>),
}

impl ReportWriter {
    pub(crate) fn create(path: &Path, format: Format, envelope: Envelope) -> Result<Self, Failure> {
        if format == Format::Npy {
            return Err(Failure::Usage {
                message: "npy has no room for a report's header".into(),
                hint: Some("name the file .parquet or .arrow; `privet vector perturb` writes arrays"),
            });
        }
        if is_typed(format) {
            if is_standard_stream(path) {
                return Err(Failure::Usage {
                    message: format!("{} cannot be written to standard output", format.as_str()),
                    hint: Some("name a file, or choose csv, jsonl or lines"),
                });
            }
            let writer = ParquetWriter::new(Destination::create(path)?, format, path, envelope);
            return Ok(Self::Parquet(Box::new(writer)));
        }
        Ok(Self::Text(TextWriter::new(Destination::create(path)?, format, envelope)))
    }

    /// Writes some reports with the kept columns beside them.
    pub(crate) fn write(&mut self, reports: &ReportBuffer, kept: &[KeptColumn]) -> Result<(), Failure> {
        match self {
            Self::Text(writer) => {
                check_text(kept)?;
                writer.write(reports, kept)
            }
            Self::Parquet(writer) => writer.write(reports, kept),
        }
    }

    /// Completes the file and makes it appear.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Text(writer) => writer.finish(),
            Self::Parquet(writer) => writer.finish(),
        }
    }
}

/// Refuses columns that text cannot hold.
pub(super) fn check_text(kept: &[KeptColumn]) -> Result<(), Failure> {
    match kept.iter().find(|column| !has_text(column.cells.data_type())) {
        None => Ok(()),
        Some(column) => Err(Failure::Data {
            message: format!(
                "the column {:?} holds {}, which text cannot hold",
                column.name,
                column.cells.data_type()
            ),
            hint: Some("write parquet to keep it as it is"),
        }),
    }
}
