//! Estimates as a table: one row for each number that was estimated.

use super::Format;
use crate::estimates::JudgedDocument;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use parquet::arrow::ArrowWriter;
use privet_policy::document::{AttributeDocument, EstimateDocument, RowDocument, ShareDocument};
use serde::Serialize;
use std::io;
use std::sync::Arc;

/// One number. Columns are added at the end, so that programs which count them go on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
struct Row<'a> {
    attribute: &'a str,
    /// The epoch, if it is about one.
    epoch: Option<u32>,
    /// The public field and its value, if it is about some of the people only.
    public_field: Option<&'a str>,
    public_value: Option<&'a str>,
    /// `value`, `resultant_length` (of angles), `category` (also of cells and coordinates), `distribution`, `range` or `quantile`.
    part: &'static str,
    /// The category or the number of the cell, for parts that have some.
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
    bias_bound: Option<f64>,
    /// Which people it is about: `reported` or `population`.
    target: Option<&'a str>,
    /// The coordinate of a vector, counted from 0.
    coordinate: Option<u64>,
    /// The lower and the upper corner of a cell of places.
    from_x: Option<f64>,
    from_y: Option<f64>,
    to_x: Option<f64>,
    to_y: Option<f64>,
    /// The ends of the interval that holds for all rows of an attribute at once, for parts that have one.
    simultaneous_low: Option<f64>,
    simultaneous_high: Option<f64>,
    /// Angles: whether a mean direction can be told; if not, its value says nothing.
    direction_told: Option<bool>,
}

/// Estimates, as they are answered, in a format.
pub(crate) fn estimates_table(estimates: &[JudgedDocument], format: Format) -> io::Result<Vec<u8>> {
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
fn rows(document: &JudgedDocument) -> Vec<Row<'_>> {
    let of = Row::of_attribute(&document.estimate);
    let Some(answer) = &document.estimate.answer else { return vec![of] };
    let of = Row { target: Some(&answer.target), ..of };
    // Distributions may be a little older than the rest.
    let of_distribution =
        Row { n: document.distribution_n, method: answer.distribution_method.as_deref(), ..of.clone() };
    let centre = answer.value.map(|value| Row {
        value: Some(value),
        standard_error: answer.standard_error,
        bias_bound: answer.bias_bound,
        method: Some(&answer.method),
        direction_told: answer.direction_told,
        ..of.clone().between(answer.interval)
    });
    let length = answer
        .resultant_length
        .as_ref()
        .map(|length| Row { part: "resultant_length", ..of.clone().with_estimate(length) });
    let shares = |part: &'static str, rows: &'_ Option<Vec<ShareDocument>>| -> Vec<Row<'_>> {
        let rows = rows.iter().flatten();
        rows.map(|row| Row { part, ..of_distribution.clone().with_share(row) }).collect()
    };
    let categories = answer.estimates.iter().flatten().map(|row| of.clone().with_row(row));
    let quantiles = answer.quantiles.iter().flatten().map(|row| Row {
        part: "quantile",
        level: Some(row.level),
        ..of.clone().with_estimate(&row.estimate)
    });
    let parts = [shares("distribution", &answer.distribution), shares("range", &answer.ranges)];
    let centre = centre.into_iter().chain(length);
    centre.chain(categories).chain(parts.into_iter().flatten()).chain(quantiles).collect()
}

impl<'a> Row<'a> {
    /// What all rows of an attribute have in common.
    fn of_attribute(document: &'a AttributeDocument) -> Self {
        let public = document.public.as_ref();
        Self {
            attribute: &document.attribute,
            epoch: document.epoch,
            public_field: public.map(|public| public.field.as_str()),
            public_value: public.map(|public| public.value.as_str()),
            part: "value",
            n: Some(document.n),
            withheld: document.withheld,
            ..Self::default()
        }
    }

    fn between(self, interval: Option<[f64; 2]>) -> Self {
        let (low, high) = interval.map(|[low, high]| (low, high)).unzip();
        Self { low, high, ..self }
    }

    fn with_estimate(self, estimate: &'a EstimateDocument) -> Self {
        Self {
            value: Some(estimate.value),
            standard_error: Some(estimate.standard_error),
            bias_bound: Some(estimate.bias_bound),
            n: Some(estimate.n),
            method: Some(&estimate.method),
            ..self.between(Some(estimate.interval))
        }
    }

    fn with_row(self, row: &'a RowDocument) -> Self {
        let (from_x, from_y) = row.from.map(|[x, y]| (x, y)).unzip();
        let (to_x, to_y) = row.to.map(|[x, y]| (x, y)).unzip();
        let (simultaneous_low, simultaneous_high) =
            row.simultaneous_interval.map(|[low, high]| (low, high)).unzip();
        Self {
            part: "category",
            label: row.label.as_deref(),
            coordinate: row.coordinate.map(|coordinate| coordinate as u64),
            from_x,
            from_y,
            to_x,
            to_y,
            simultaneous_low,
            simultaneous_high,
            ..self.with_estimate(&row.estimate)
        }
    }

    fn with_share(self, share: &ShareDocument) -> Self {
        Self {
            from: Some(share.from),
            to: Some(share.to),
            value: Some(share.share),
            standard_error: Some(share.standard_error),
            bias_bound: Some(share.bias_bound),
            ..self.between(Some(share.interval))
        }
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
        ("attribute", texts(|row| Some(row.attribute.to_owned()))),
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
        ("bias_bound", numbers(|row| row.bias_bound)),
        ("target", texts(|row| row.target.map(str::to_owned))),
        ("coordinate", Arc::new(rows.iter().map(|row| row.coordinate).collect::<UInt64Array>())),
        ("from_x", numbers(|row| row.from_x)),
        ("from_y", numbers(|row| row.from_y)),
        ("to_x", numbers(|row| row.to_x)),
        ("to_y", numbers(|row| row.to_y)),
        ("simultaneous_low", numbers(|row| row.simultaneous_low)),
        ("simultaneous_high", numbers(|row| row.simultaneous_high)),
        ("direction_told", Arc::new(rows.iter().map(|row| row.direction_told).collect::<BooleanArray>())),
    ];
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    let batch = RecordBatch::try_from_iter_with_nullable(columns)?;
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None)?;
    writer.write(&batch)?;
    writer.into_inner()
}
