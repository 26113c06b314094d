//! Public columns that are passed on as they are.

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrayRef, Float64Array, StringArray};
use arrow_schema::DataType;
use std::borrow::Cow;
use std::sync::Arc;

/// Some rows of a column.
#[derive(Debug, Clone)]
pub(crate) struct KeptColumn {
    pub(crate) name: String,
    pub(crate) cells: ArrayRef,
    /// Whether the cells are JSON and not the text itself.
    pub(crate) is_json: bool,
}

impl KeptColumn {
    /// A column of numbers.
    pub(crate) fn of_numbers(name: &str, numbers: impl IntoIterator<Item = f64>) -> Self {
        let cells = Arc::new(Float64Array::from_iter_values(numbers));
        Self { name: name.to_owned(), cells, is_json: false }
    }

    /// A column of texts, some of which may be missing.
    pub(crate) fn of_texts<'a>(name: &str, texts: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let cells = Arc::new(StringArray::from_iter(texts));
        Self { name: name.to_owned(), cells, is_json: false }
    }

    /// A cell as a number, or `None` where it is missing or none.
    pub(crate) fn number(&self, row: usize) -> Option<f64> {
        if let Some(numbers) = self.cells.as_primitive_opt::<Float64Type>() {
            return numbers.is_valid(row).then(|| numbers.value(row));
        }
        self.text(row)?.trim().parse().ok()
    }

    /// A cell's text, or `None` where it is missing.
    pub(crate) fn text(&self, row: usize) -> Option<Cow<'_, str>> {
        let text = written(&self.cells, row)?;
        if !self.is_json {
            return Some(text);
        }
        // A JSON text is the text itself; anything else is written as JSON writes it.
        Some(serde_json::from_str::<String>(&text).map_or(text, Cow::from))
    }

    /// A cell as JSON.
    pub(super) fn json(&self, row: usize) -> Cow<'_, str> {
        let Some(text) = written(&self.cells, row) else { return "null".into() };
        let is_text =
            matches!(self.cells.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        if self.is_json || !is_text {
            return text;
        }
        serde_json::Value::from(text.into_owned()).to_string().into()
    }
}

/// Whether csv and jsonl can hold a column of this type.
pub(super) fn has_text(kind: &DataType) -> bool {
    use DataType::{Boolean, Float32, Float64, LargeUtf8, Utf8, Utf8View};
    kind.is_integer() || matches!(kind, Utf8 | LargeUtf8 | Utf8View | Boolean | Float32 | Float64)
}

fn written(cells: &ArrayRef, row: usize) -> Option<Cow<'_, str>> {
    macro_rules! number {
        ($kind:ty) => {
            cells.as_primitive::<$kind>().value(row).to_string().into()
        };
    }
    if cells.is_null(row) {
        return None;
    }
    Some(match cells.data_type() {
        DataType::Utf8 => cells.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => cells.as_string::<i64>().value(row).into(),
        DataType::Utf8View => cells.as_string_view().value(row).into(),
        DataType::Boolean => cells.as_boolean().value(row).to_string().into(),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        _ => return None,
    })
}

/// Collects the text cells of the columns to keep.
pub(super) struct Keeper {
    names: Vec<String>,
    is_json: bool,
    cells: Vec<StringBuilder>,
}

impl Keeper {
    pub(super) fn new(names: &[String], is_json: bool) -> Self {
        let cells = names.iter().map(|_| StringBuilder::new()).collect();
        Self { names: names.to_vec(), is_json, cells }
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds a cell to the column with this index.
    pub(super) fn push(&mut self, column: usize, cell: Option<&str>) {
        if let Some(cells) = self.cells.get_mut(column) {
            cells.append_option(cell);
        }
    }

    /// What was collected; the next batch starts empty.
    pub(super) fn take(&mut self) -> Vec<KeptColumn> {
        let column = |(name, cells): (&String, &mut StringBuilder)| KeptColumn {
            name: name.clone(),
            cells: Arc::new(cells.finish()),
            is_json: self.is_json,
        };
        self.names.iter().zip(&mut self.cells).map(column).collect()
    }
}
