//! Columns of numbers and kept columns on their way to a file.

use super::kept::KeptColumn;
use super::record_writer::{RecordWriter, failed, is_typed};
use super::text_writer::{push_csv, push_json_cell};
use super::writer::check_text;
use super::{Destination, Format, is_standard_stream};
use crate::failure::Failure;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::errors::ParquetError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes a table of columns, batch by batch. The file appears when [`ColumnWriter::finish`] succeeds.
pub(crate) struct ColumnWriter {
    path: PathBuf,
    format: Format,
    /// What a file says about itself, under which key, where there is room for it.
    about: Option<(&'static str, String)>,
    /// `None` once the first batch has said which columns there are.
    destination: Option<Destination>,
    table: Option<Table>,
    buffer: Vec<u8>,
}

enum Table {
    Text(Destination),
    Records(RecordWriter),
}

impl ColumnWriter {
    pub(crate) fn create(path: &Path, format: Format) -> Result<Self, Failure> {
        if is_typed(format) && is_standard_stream(path) {
            return Err(Failure::Usage {
                message: format!("{} cannot be written to standard output", format.as_str()),
                hint: Some("name a file, or choose csv or jsonl"),
            });
        }
        if format == Format::Npy {
            return Err(Failure::Usage {
                message: "npy holds vectors of numbers only".into(),
                hint: Some("name the file .csv, .jsonl, .parquet or .arrow"),
            });
        }
        let destination = Some(Destination::create(path)?);
        Ok(Self { path: path.to_owned(), format, about: None, destination, table: None, buffer: Vec::new() })
    }

    /// Says something about the table as a whole, for which text has no room.
    pub(crate) fn about(mut self, key: &'static str, text: String) -> Self {
        self.about = Some((key, text));
        self
    }

    /// Writes some rows. All batches must have the same columns.
    pub(crate) fn write(&mut self, columns: &[KeptColumn]) -> Result<(), Failure> {
        if let Some(destination) = self.destination.take() {
            self.table = Some(self.start(destination, columns)?);
        }
        match &mut self.table {
            Some(Table::Records(writer)) => {
                let cells = columns.iter().map(|column| column.cells.clone()).collect();
                let batch = RecordBatch::try_new(schema(columns), cells).map_err(ParquetError::from);
                let written = batch.and_then(|batch| writer.write(&batch));
                written.map_err(|error| failed(&self.path, error))
            }
            Some(Table::Text(destination)) => {
                let rows = columns.first().map_or(0, |column| column.cells.len());
                (0..rows).for_each(|row| push_row(&mut self.buffer, self.format, columns, row));
                let written = destination.write_all(&self.buffer);
                self.buffer.clear();
                written.map_err(|source| destination.failed(source))
            }
            None => Ok(()),
        }
    }

    fn start(&mut self, destination: Destination, columns: &[KeptColumn]) -> Result<Table, Failure> {
        if is_typed(self.format) {
            let writer = RecordWriter::start(destination, self.format, schema(columns), self.about.take());
            return Ok(Table::Records(writer.map_err(|error| failed(&self.path, error))?));
        }
        check_text(columns)?;
        if self.format == Format::Csv {
            push_header(&mut self.buffer, columns);
        }
        Ok(Table::Text(destination))
    }

    /// Completes the file and makes it appear.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let destination = match (self.table, self.destination) {
            (Some(Table::Records(writer)), _) => {
                writer.finish().map_err(|error| failed(&self.path, error))?
            }
            (Some(Table::Text(destination)), _) | (None, Some(destination)) => destination,
            (None, None) => return Ok(()),
        };
        destination.commit()
    }
}

fn schema(columns: &[KeptColumn]) -> Arc<Schema> {
    let field = |column: &KeptColumn| Field::new(&column.name, column.cells.data_type().clone(), true);
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

fn push_header(line: &mut Vec<u8>, columns: &[KeptColumn]) {
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            line.push(b',');
        }
        push_csv(line, &column.name);
    }
    line.push(b'\n');
}

fn push_row(line: &mut Vec<u8>, format: Format, columns: &[KeptColumn], row: usize) {
    let is_json = format == Format::Jsonl;
    for (index, column) in columns.iter().enumerate() {
        match (is_json, index) {
            (true, 0) => line.push(b'{'),
            (false, 0) => {}
            _ => line.push(b','),
        }
        if is_json {
            push_json_cell(line, column, row);
        } else {
            push_csv(line, &column.text(row).unwrap_or_default());
        }
    }
    line.extend_from_slice(if is_json { b"}\n" } else { b"\n" });
}
