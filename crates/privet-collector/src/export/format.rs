//! One table, three formats.

use crate::collection::Collection;
use arrow_array::builder::{FixedSizeBinaryBuilder, StringBuilder, UInt32Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::Arc;
use utoipa::ToSchema;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Comma-separated values; reports in hexadecimal digits.
    Csv,
    /// A JSON object in each line; reports in hexadecimal digits.
    Jsonl,
    /// Apache Parquet; reports as bytes of one length.
    Parquet,
}

impl Format {
    /// What clients are told.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv",
            Self::Jsonl => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

/// One report.
pub(super) struct Row<'a> {
    pub(super) epoch: u32,
    /// The value of each public field.
    pub(super) public: Vec<&'a str>,
    pub(super) report: &'a [u8],
}

/// Writes rows.
pub(super) struct TableWriter<W: Write + Send> {
    /// The public fields.
    names: Vec<String>,
    kind: Kind<W>,
}

enum Kind<W: Write + Send> {
    Csv(Box<csv::Writer<W>>),
    Jsonl(W),
    Parquet { writer: Box<ArrowWriter<W>>, columns: Box<Columns> },
}

/// The columns of rows that are not written yet.
struct Columns {
    epochs: UInt32Builder,
    public: Vec<StringBuilder>,
    reports: FixedSizeBinaryBuilder,
    rows: usize,
}

const ROWS_AT_ONCE: usize = 8192;
const ROW_GROUP_BYTES: usize = 8 << 20;

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
    io::Error::other(error)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |digit: u8| char::from_digit(u32::from(digit), 16).unwrap_or_default();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

impl<W: Write + Send> TableWriter<W> {
    pub(super) fn new(collection: &Collection, format: Format, destination: W) -> io::Result<Self> {
        let names: Vec<String> =
            collection.policy.terms().public.iter().map(|field| field.name.clone()).collect();
        let kind = match format {
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(destination);
                let heads = ["epoch"].into_iter().chain(names.iter().map(String::as_str)).chain(["report"]);
                writer.write_record(heads).map_err(failed)?;
                Kind::Csv(Box::new(writer))
            }
            Format::Jsonl => Kind::Jsonl(destination),
            Format::Parquet => {
                let length = i32::try_from(collection.codec.report_bytes()).map_err(failed)?;
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
                    .build();
                let writer = ArrowWriter::try_new(destination, schema(&names, length), Some(properties));
                let columns = Box::new(Columns::new(names.len(), length));
                Kind::Parquet { writer: Box::new(writer.map_err(failed)?), columns }
            }
        };
        Ok(Self { names, kind })
    }

    pub(super) fn push(&mut self, row: &Row<'_>) -> io::Result<()> {
        match &mut self.kind {
            Kind::Csv(writer) => {
                let (epoch, report) = (row.epoch.to_string(), hex(row.report));
                let cells = [epoch.as_str()].into_iter().chain(row.public.iter().copied());
                writer.write_record(cells.chain([report.as_str()])).map_err(failed)
            }
            Kind::Jsonl(destination) => {
                let mut object = Map::from_iter([("epoch".to_owned(), Value::from(row.epoch))]);
                object.extend(
                    self.names.iter().cloned().zip(row.public.iter().map(|value| Value::from(*value))),
                );
                object.insert("report".to_owned(), hex(row.report).into());
                writeln!(destination, "{}", Value::Object(object))
            }
            Kind::Parquet { writer, columns } => {
                columns.push(row)?;
                if columns.rows == ROWS_AT_ONCE { columns.write(writer, &self.names) } else { Ok(()) }
            }
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self.kind {
            Kind::Csv(mut writer) => writer.flush(),
            Kind::Jsonl(mut destination) => destination.flush(),
            Kind::Parquet { mut writer, mut columns } => {
                columns.write(&mut writer, &self.names)?;
                writer.into_inner().map_err(failed)?.flush()
            }
        }
    }
}

fn schema(names: &[String], report_bytes: i32) -> Arc<Schema> {
    let public = names.iter().map(|name| Field::new(name, DataType::Utf8, false));
    let mut fields = vec![Field::new("epoch", DataType::UInt32, false)];
    fields.extend(public);
    fields.push(Field::new("report", DataType::FixedSizeBinary(report_bytes), false));
    Arc::new(Schema::new(fields))
}

impl Columns {
    fn new(public: usize, report_bytes: i32) -> Self {
        Self {
            epochs: UInt32Builder::new(),
            public: (0..public).map(|_| StringBuilder::new()).collect(),
            reports: FixedSizeBinaryBuilder::new(report_bytes),
            rows: 0,
        }
    }

    fn push(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.epochs.append_value(row.epoch);
        self.public.iter_mut().zip(&row.public).for_each(|(column, value)| column.append_value(value));
        self.rows += 1;
        self.reports.append_value(row.report).map_err(failed)
    }

    fn write<W: Write + Send>(&mut self, writer: &mut ArrowWriter<W>, names: &[String]) -> io::Result<()> {
        let reports = self.reports.finish();
        let length = reports.value_length();
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.epochs.finish())];
        columns.extend(self.public.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
        columns.push(Arc::new(reports));
        self.rows = 0;
        let batch = RecordBatch::try_new(schema(names, length), columns).map_err(failed)?;
        writer.write(&batch).map_err(failed)
    }
}
