//! Reports as Apache Parquet or Arrow.

use super::kept::KeptColumn;
use super::record_writer::{RecordWriter, failed};
use super::writer::REPORT;
use super::{Destination, Format};
use crate::failure::Failure;
use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema};
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use privet::{Envelope, ReportBuffer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A row group is in memory until it is complete.
const ROW_GROUP_BYTES: usize = 32 << 20;

/// How all tables are written.
pub(super) fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
        .build()
}

pub(crate) struct ParquetWriter {
    /// `None` once the first batch has said which columns there are.
    destination: Option<Destination>,
    writer: Option<RecordWriter>,
    format: Format,
    path: PathBuf,
    envelope: Envelope,
    scratch: Vec<u8>,
}

impl ParquetWriter {
    pub(super) fn new(destination: Destination, format: Format, path: &Path, envelope: Envelope) -> Self {
        Self {
            destination: Some(destination),
            writer: None,
            format,
            path: path.to_owned(),
            envelope,
            scratch: Vec::new(),
        }
    }

    pub(super) fn write(&mut self, reports: &ReportBuffer, kept: &[KeptColumn]) -> Result<(), Failure> {
        let batch = self.batch(reports, kept).map_err(|error| failed(&self.path, error.into()))?;
        if let Some(destination) = self.destination.take() {
            let writer = RecordWriter::start(destination, self.format, batch.schema(), None);
            self.writer = Some(writer.map_err(|error| failed(&self.path, error))?);
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.write(&batch).map_err(|error| failed(&self.path, error))
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let destination = match (self.writer.take(), self.destination.take()) {
            (Some(writer), _) => writer.finish().map_err(|error| failed(&self.path, error))?,
            (None, Some(destination)) => destination,
            (None, None) => return Ok(()),
        };
        destination.commit()
    }

    fn batch(&mut self, reports: &ReportBuffer, kept: &[KeptColumn]) -> Result<RecordBatch, ArrowError> {
        let size = Envelope::HEADER_BYTES + reports.report_bytes();
        let width = i32::try_from(size).map_err(|_| ArrowError::InvalidArgumentError("too wide".into()))?;
        let mut builder = FixedSizeBinaryBuilder::with_capacity(reports.len(), width);
        self.scratch.clear();
        self.scratch.extend_from_slice(&self.envelope.header());
        for report in reports.iter() {
            self.scratch.truncate(Envelope::HEADER_BYTES);
            self.scratch.extend_from_slice(report);
            builder.append_value(&self.scratch)?;
        }
        let sealed: ArrayRef = Arc::new(builder.finish());
        let mut fields = vec![Field::new(REPORT, sealed.data_type().clone(), false)];
        fields.extend(
            kept.iter().map(|column| Field::new(&column.name, column.cells.data_type().clone(), true)),
        );
        let columns = std::iter::once(sealed).chain(kept.iter().map(|column| column.cells.clone()));
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.collect())
    }
}
