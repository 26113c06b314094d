//! Estimates as a table: one row for each number that was estimated.

use super::Format;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use parquet::arrow::ArrowWriter;
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::sync::Arc;

/// One number.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Row<'a> {
    attribute: Option<&'a str>,
    /// The epoch, if it is about one.
    epoch: Option<u32>,
    /// The public field and its value, if it is about some of the people only.
    public_field: Option<&'a str>,
    public_value: Option<&'a str>,
    /// `value`, `category`, `distribution`, `range` or `quantile`.
    part: &'static str,
    /// The category, for parts that have some.
    label: Option<&'a str>,
    /// The ends of a bin or a range.
    from: Option<f64>,
    to: Option<f64>,
    /// The level of a quantile.
    level: Option<f64>,
    value: Option<f64>,
    standard_error: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    n: Option<u64>,
    method: Option<&'a str>,
    withheld: bool,
}

/// Numbers of one kind in an estimate.
struct Part {
    name: &'static str,
    /// Under which key they are listed, and where their method and their number of reports are.
    list: &'static str,
    method: &'static str,
    n: &'static str,
}

const VALUE: Part = Part { name: "value", list: "", method: "method", n: "n" };

const PARTS: [Part; 4] = [
    Part { name: "category", list: "estimates", ..VALUE },
    Part { name: "distribution", list: "distribution", ..OF_DISTRIBUTION },
    Part { name: "range", list: "ranges", ..OF_DISTRIBUTION },
    Part { name: "quantile", list: "quantiles", ..OF_DISTRIBUTION },
];

/// Distributions may be a little older than the rest.
const OF_DISTRIBUTION: Part = Part { method: "distribution_method", n: "distribution_n", ..VALUE };

/// Estimates, as they are answered, in a format.
pub(crate) fn estimates_table(estimates: &[Value], format: Format) -> io::Result<Vec<u8>> {
    let rows: Vec<Row<'_>> = estimates.iter().flat_map(rows).collect();
    match format {
        Format::Csv => {
            let mut writer = csv::Writer::from_writer(Vec::new());
            rows.iter().try_for_each(|row| writer.serialize(row)).map_err(io::Error::other)?;
            writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
        }
        Format::Jsonl => {
            let mut text = Vec::new();
            for row in &rows {
                serde_json::to_writer(&mut text, row)?;
                text.push(b'\n');
            }
            Ok(text)
        }
        Format::Parquet => parquet(&rows).map_err(io::Error::other),
    }
}

/// The rows of one attribute and slice.
fn rows(document: &Value) -> Vec<Row<'_>> {
    let centre = document.get("value").map(|_| row(document, &VALUE, document));
    let parts = PARTS.iter().flat_map(|part| {
        let list = document[part.list].as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().map(move |estimate| row(document, part, estimate))
    });
    let mut rows: Vec<Row<'_>> = centre.into_iter().chain(parts).collect();
    if rows.is_empty() {
        rows.push(row(document, &VALUE, &Value::Null));
    }
    rows
}

fn row<'a>(document: &'a Value, part: &Part, estimate: &'a Value) -> Row<'a> {
    let public = &document["public"];
    Row {
        attribute: document["attribute"].as_str(),
        epoch: document["epoch"].as_u64().and_then(|epoch| u32::try_from(epoch).ok()),
        public_field: public["field"].as_str(),
        public_value: public["value"].as_str(),
        part: part.name,
        label: estimate["label"].as_str(),
        from: estimate["from"].as_f64(),
        to: estimate["to"].as_f64(),
        level: estimate["level"].as_f64(),
        value: estimate["value"].as_f64().or(estimate["share"].as_f64()),
        standard_error: estimate["standard_error"].as_f64(),
        low: estimate["interval"][0].as_f64(),
        high: estimate["interval"][1].as_f64(),
        n: document[part.n].as_u64(),
        method: document[part.method].as_str(),
        withheld: document["withheld"] == true,
    }
}

fn parquet(rows: &[Row<'_>]) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let texts = |read: fn(&Row<'_>) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(read).collect::<StringArray>())
    };
    let numbers = |read: fn(&Row<'_>) -> Option<f64>| -> ArrayRef {
        Arc::new(rows.iter().map(read).collect::<Float64Array>())
    };
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("attribute", texts(|row| row.attribute.map(str::to_owned))),
        ("epoch", Arc::new(rows.iter().map(|row| row.epoch).collect::<UInt32Array>())),
        ("public_field", texts(|row| row.public_field.map(str::to_owned))),
        ("public_value", texts(|row| row.public_value.map(str::to_owned))),
        ("part", texts(|row| Some(row.part.to_owned()))),
        ("label", texts(|row| row.label.map(str::to_owned))),
        ("from", numbers(|row| row.from)),
        ("to", numbers(|row| row.to)),
        ("level", numbers(|row| row.level)),
        ("value", numbers(|row| row.value)),
        ("standard_error", numbers(|row| row.standard_error)),
        ("low", numbers(|row| row.low)),
        ("high", numbers(|row| row.high)),
        ("n", Arc::new(rows.iter().map(|row| row.n).collect::<UInt64Array>())),
        ("method", texts(|row| row.method.map(str::to_owned))),
        ("withheld", Arc::new(rows.iter().map(|row| Some(row.withheld)).collect::<BooleanArray>())),
    ];
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
    writer.write(&batch)?;
    writer.into_inner()
}
