//! Reading Apache Parquet.

use super::guard::guard;
use super::kept::KeptColumn;
use super::source::{Batch, Place, Rest, RowReader, Selection, open_file};
use super::{Cell, Column, Problem, is_standard_stream};
use crate::failure::Failure;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use std::path::Path;

pub(super) struct ParquetReader {
    batches: ParquetRecordBatchReader,
    column: String,
    keep: Vec<String>,
    place: Place,
}

impl ParquetReader {
    pub(super) fn open(path: &Path, selection: &Selection<'_>, place: Place) -> Result<Self, Failure> {
        if is_standard_stream(path) {
            return Err(Failure::Usage {
                message: "parquet cannot be read from standard input".into(),
                hint: Some("parquet is read from its end: give a file"),
            });
        }
        let file = open_file(path)?;
        if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
            return Err(place.whole(Problem::Empty));
        }
        let builder = decode(&place, || ParquetRecordBatchReaderBuilder::try_new(file))?;
        let roots = positions(builder.schema(), selection).map_err(|problem| place.whole(problem))?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), roots);
        let builder = builder.with_projection(mask).with_batch_size(selection.batch_rows);
        let batches = decode(&place, || builder.build())?;
        let (column, keep) = (selection.column.to_owned(), selection.keep.to_vec());
        Ok(Self { batches, column, keep, place })
    }
}

/// Moves the rows into the batch: the column's cells, and the columns to keep.
pub(super) fn push_rows<C: Column>(
    rows: &RecordBatch,
    column: &str,
    keep: &[String],
    batch: &mut Batch<C>,
    place: &Place,
) -> Result<(), Failure> {
    if let Some(cells) = rows.column_by_name(column) {
        push_cells(cells.as_ref(), batch, place)?;
    }
    let kept = |name: &String| {
        let cells = rows.column_by_name(name)?.clone();
        Some(KeptColumn { name: name.clone(), cells, is_json: false })
    };
    batch.kept = keep.iter().filter_map(kept).collect();
    Ok(())
}

impl RowReader for ParquetReader {
    fn fill<C: Column>(&mut self, batch: &mut Batch<C>) -> Result<Rest, Failure> {
        let next = || self.batches.next().transpose().map_err(ParquetError::from);
        let Some(rows) = decode(&self.place, next)? else { return Ok(Rest::Nothing) };
        push_rows(&rows, &self.column, &self.keep, batch, &self.place)?;
        Ok(Rest::More)
    }
}

/// Where the columns of interest are, the one to read first.
pub(super) fn positions(schema: &Schema, selection: &Selection<'_>) -> Result<Vec<usize>, Problem> {
    let names = std::iter::once(selection.column).chain(selection.keep.iter().map(String::as_str));
    let positions: Vec<usize> = names.map(|name| position(schema, name)).collect::<Result<_, _>>()?;
    check_type(schema, positions[0])?;
    Ok(positions)
}

fn position(schema: &Schema, name: &str) -> Result<usize, Problem> {
    let mut positions = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
    match (positions.next(), positions.next()) {
        (Some((position, _)), None) => Ok(position),
        (Some(_), Some(_)) => Err(Problem::DuplicateColumn { column: name.to_owned() }),
        (None, _) => Err(Problem::MissingColumn {
            column: name.to_owned(),
            available: schema.fields().iter().map(|field| field.name().clone()).collect(),
        }),
    }
}

fn check_type(schema: &Schema, position: usize) -> Result<(), Problem> {
    let field = schema.field(position);
    if is_readable(field.data_type()) {
        return Ok(());
    }
    Err(Problem::ColumnType { column: field.name().clone(), kind: field.data_type().to_string() })
}

fn is_readable(kind: &DataType) -> bool {
    use DataType::{
        Binary, BinaryView, Boolean, Dictionary, FixedSizeBinary, FixedSizeList, Float32, Float64,
        LargeBinary, LargeList, LargeUtf8, List, Utf8, Utf8View,
    };
    match kind {
        Dictionary(_, values) => is_readable(values),
        List(item) | LargeList(item) | FixedSizeList(item, _) => is_number(item.data_type()),
        Utf8 | LargeUtf8 | Utf8View | Boolean | Float32 | Float64 => true,
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => true,
        other => other.is_integer(),
    }
}

/// Whether cells of this type are numbers.
fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64)
}

/// Calls the decoder, and says of its errors and panics only that the file is damaged: its words could hold a value.
fn decode<T>(place: &Place, work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, Failure> {
    match guard(work) {
        Some(Ok(decoded)) => Ok(decoded),
        Some(Err(error)) if error.to_string().contains("Disabled feature") => {
            Err(place.whole(Problem::Compression))
        }
        _ => Err(place.whole(Problem::Damaged { format: "parquet" })),
    }
}

/// Gives all cells of an array to the column.
fn push_cells<C: Column>(array: &dyn Array, batch: &mut Batch<C>, place: &Place) -> Result<(), Failure> {
    match array.data_type() {
        DataType::List(_) => return push_lists(array.as_list::<i32>().iter(), batch, place),
        DataType::LargeList(_) => return push_lists(array.as_list::<i64>().iter(), batch, place),
        DataType::FixedSizeList(_, _) => {
            return push_lists(array.as_fixed_size_list().iter(), batch, place);
        }
        _ => {}
    }
    let mut result = Ok(());
    for_each_cell(array, &mut |cell| {
        result = batch.push(place, cell);
        result.is_ok()
    });
    result
}

/// Gives lists of numbers to the column, each as a vector. A number that is missing makes its list a missing one.
fn push_lists<C: Column>(
    lists: impl Iterator<Item = Option<ArrayRef>>,
    batch: &mut Batch<C>,
    place: &Place,
) -> Result<(), Failure> {
    let mut vector = Vec::new();
    for list in lists {
        vector.clear();
        let mut is_missing = list.is_none();
        if let Some(list) = &list {
            for_each_cell(list.as_ref(), &mut |cell| {
                match cell {
                    Cell::Number(number) => vector.push(number),
                    Cell::Whole(whole) => vector.push(whole as f64),
                    _ => is_missing = true,
                }
                true
            });
        }
        batch.push(place, if is_missing { Cell::Missing } else { Cell::Vector(&vector) })?;
    }
    Ok(())
}

/// Calls `take` with each cell until it returns false.
fn for_each_cell<'a, F: FnMut(Cell<'a>) -> bool + ?Sized>(array: &'a dyn Array, take: &mut F) {
    macro_rules! cells {
        ($array:expr, $cell:expr) => {{
            let cell = $cell;
            $array.iter().all(|value| take(value.map_or(Cell::Missing, cell)));
        }};
    }
    macro_rules! whole {
        ($kind:ty) => {
            cells!(array.as_primitive::<$kind>(), |value: <$kind as ArrowPrimitiveType>::Native| {
                Cell::Whole(value.into())
            })
        };
    }
    match array.data_type() {
        DataType::Utf8 => cells!(array.as_string::<i32>(), |text: &'a str| Cell::Text(text.as_bytes())),
        DataType::LargeUtf8 => cells!(array.as_string::<i64>(), |text: &'a str| Cell::Text(text.as_bytes())),
        DataType::Utf8View => cells!(array.as_string_view(), |text: &'a str| Cell::Text(text.as_bytes())),
        DataType::Binary => cells!(array.as_binary::<i32>(), Cell::Bytes),
        DataType::LargeBinary => cells!(array.as_binary::<i64>(), Cell::Bytes),
        DataType::BinaryView => cells!(array.as_binary_view(), Cell::Bytes),
        DataType::FixedSizeBinary(_) => cells!(array.as_fixed_size_binary(), Cell::Bytes),
        DataType::Boolean => cells!(array.as_boolean(), Cell::Boolean),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float32 => {
            cells!(array.as_primitive::<Float32Type>(), |value: f32| Cell::Number(value.into()))
        }
        DataType::Float64 => cells!(array.as_primitive::<Float64Type>(), Cell::Number),
        DataType::Dictionary(_, _) => for_each_dictionary_cell(array, take),
        _ => {}
    }
}

fn for_each_dictionary_cell<'a, F: FnMut(Cell<'a>) -> bool + ?Sized>(array: &'a dyn Array, take: &mut F) {
    let dictionary = array.as_any_dictionary();
    let mut values = Vec::with_capacity(dictionary.values().len());
    // Behind a pointer, because a dictionary's values could be a dictionary again as far as types can tell.
    let mut collect = |cell| {
        values.push(cell);
        true
    };
    for_each_cell(dictionary.values().as_ref(), &mut collect as &mut dyn FnMut(Cell<'a>) -> bool);
    // Keys of an empty dictionary cannot be normalised; all its cells are missing.
    let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    let cell = |(row, key): (usize, &usize)| {
        if array.is_null(row) { Cell::Missing } else { values.get(*key).copied().unwrap_or(Cell::Missing) }
    };
    keys.iter().enumerate().map(cell).all(take);
}
