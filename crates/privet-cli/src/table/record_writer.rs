//! Record batches on their way to a file of Parquet or Arrow.

use super::{Destination, Format, parquet_writer};
use crate::failure::Failure;
use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use std::path::Path;

/// Whether a format holds columns with types.
pub(super) fn is_typed(format: Format) -> bool {
    matches!(format, Format::Parquet | Format::Arrow)
}

/// A file whose columns are known.
pub(super) enum RecordWriter {
    Parquet(Box<ArrowWriter<Destination>>),
    Arrow(Box<FileWriter<Destination>>),
}

impl RecordWriter {
    pub(super) fn start(
        destination: Destination,
        format: Format,
        schema: SchemaRef,
        about: Option<(&'static str, String)>,
    ) -> Result<Self, ParquetError> {
        if format == Format::Arrow {
            let mut writer = FileWriter::try_new(destination, &schema)?;
            if let Some((key, text)) = about {
                writer.write_metadata(key, text);
            }
            return Ok(Self::Arrow(Box::new(writer)));
        }
        let mut writer = ArrowWriter::try_new(destination, schema, Some(parquet_writer::properties()))?;
        if let Some((key, text)) = about {
            writer.append_key_value_metadata(KeyValue::new(key.to_owned(), text));
        }
        Ok(Self::Parquet(Box::new(writer)))
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        match self {
            Self::Parquet(writer) => writer.write(batch),
            Self::Arrow(writer) => Ok(writer.write(batch)?),
        }
    }

    /// Writes what comes last.
    pub(super) fn finish(self) -> Result<Destination, ParquetError> {
        match self {
            Self::Parquet(writer) => writer.into_inner(),
            // Finishes the file, too.
            Self::Arrow(writer) => Ok(writer.into_inner()?),
        }
    }
}

pub(super) fn failed(path: &Path, error: ParquetError) -> Failure {
    Failure::File { action: "cannot write", path: path.to_owned(), source: std::io::Error::other(error) }
}
