//! Whole files of vectors.

use super::cell::push_vector;
use super::{
    BATCH_ROWS, Cell, Column, ColumnWriter, Columns, Format, KeptColumn, NumberColumn, Problem, Source, npy,
};
use crate::failure::Failure;
use arrow_array::{FixedSizeListArray, Float64Array};
use arrow_schema::{DataType, Field};
use privet::model::array::Array;
use privet::vector::reshape::Rows;
use privet::{Dimension, InputError, Vectors};
use std::path::Path;
use std::sync::Arc;

/// Vectors one after the other; the first one says how many coordinates all have.
#[derive(Debug, Default)]
struct VectorColumn {
    domain: Option<Vectors>,
    coordinates: Vec<f64>,
}

impl Column for VectorColumn {
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        if matches!(cell, Cell::Missing | Cell::Text(b"")) {
            return Err(Problem::MissingValue);
        }
        let domain = match self.domain {
            Some(domain) => domain,
            None => *self.domain.insert(Vectors::new(dimension_of(cell)?)),
        };
        push_vector(&domain, cell, &mut self.coordinates).map_err(|source| match source {
            InputError::Dimension { expected, got } => Problem::Width { expected, got },
            source => Problem::Input { source, is_clampable: false },
        })
    }
}

fn dimension_of(cell: Cell<'_>) -> Result<Dimension, Problem> {
    let count = match cell {
        Cell::Vector(vector) => vector.len(),
        Cell::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|_| Problem::NotUtf8)?;
            text.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty()).count()
        }
        _ => 1,
    };
    let dimension = u32::try_from(count).ok().and_then(|count| Dimension::new(count).ok());
    dimension.ok_or(Problem::Shape { expected: "between 1 and 65536 numbers in each row" })
}

/// The vectors of a file: an array, a column of lists, or a column for each coordinate.
pub(crate) fn read_vectors(path: &Path, columns: &[String]) -> Result<Rows, Failure> {
    let format = Format::of(path, None)?;
    if let [first, others @ ..] = columns
        && !others.is_empty()
    {
        return read_coordinates(path, format, first, others);
    }
    let columns = Columns { column: columns.first().map(String::as_str), keep: &[], batch_rows: BATCH_ROWS };
    let mut all = VectorColumn::default();
    let source = Source::open(path, format, columns)?;
    source.for_each_batch(VectorColumn::default, |batch| {
        let (first_row, part) = (batch.first_row, batch.column);
        if let (Some(all), Some(part)) = (all.domain, part.domain)
            && all != part
        {
            let problem = Problem::Width { expected: all.dimension().get(), got: part.dimension().get() };
            return Err(Failure::Source { path: path.to_owned(), row: Some(first_row), problem });
        }
        all.domain = all.domain.or(part.domain);
        all.coordinates.extend_from_slice(&part.coordinates);
        Ok(())
    })?;
    rows(path, all.domain.map_or(1, |domain| domain.dimension().get()), all.coordinates)
}

fn read_coordinates(path: &Path, format: Format, first: &str, others: &[String]) -> Result<Rows, Failure> {
    let columns = Columns { column: Some(first), keep: others, batch_rows: BATCH_ROWS };
    let mut coordinates = Vec::new();
    let source = Source::open(path, format, columns)?;
    source.for_each_batch(NumberColumn::default, |batch| {
        if batch.is_cut {
            return Ok(());
        }
        for (row, first) in batch.column.numbers.iter().enumerate() {
            let refuse = |problem| Failure::Source {
                path: path.to_owned(),
                row: Some(batch.first_row + row as u64),
                problem,
            };
            coordinates.push(*first);
            for column in &batch.kept {
                let is_there = column.text(row).is_some_and(|text| !text.is_empty());
                let missing = || refuse(if is_there { Problem::NotFinite } else { Problem::MissingValue });
                coordinates.push(column.number(row).ok_or_else(missing)?);
            }
            let vector = &coordinates[coordinates.len() - 1 - others.len()..];
            if vector.iter().any(|coordinate| !coordinate.is_finite()) {
                return Err(refuse(Problem::NotFinite));
            }
        }
        Ok(())
    })?;
    rows(path, 1 + others.len(), coordinates)
}

fn rows(path: &Path, dimension: usize, coordinates: Vec<f64>) -> Result<Rows, Failure> {
    if coordinates.is_empty() {
        return Err(Source::no_rows(path));
    }
    Ok(Rows::new(dimension, coordinates)?)
}

/// The numbers of a file: an array of as many, or a column.
pub(crate) fn read_numbers(path: &Path, column: &str) -> Result<Vec<f64>, Failure> {
    let columns = Columns { column: Some(column), keep: &[], batch_rows: BATCH_ROWS };
    let source = Source::open(path, Format::of(path, None)?, columns)?;
    let mut numbers = Vec::new();
    source.for_each_batch(NumberColumn::default, |batch| {
        numbers.extend_from_slice(&batch.column.numbers);
        Ok(())
    })?;
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(numbers),
        Some(position) => Err(Failure::Source {
            path: path.to_owned(),
            row: Some(position as u64 + 1),
            problem: Problem::NotFinite,
        }),
    }
}

/// Writes vectors as an array, or as one column of lists; text has them with commas between their numbers. What the file says
/// about itself has room in Parquet and Arrow only.
pub(crate) fn write_vectors(
    path: &Path,
    name: &str,
    vectors: &Rows,
    about: (&'static str, String),
) -> Result<(), Failure> {
    let format = Format::of(path, None)?;
    let (count, dimension) = (vectors.count(), vectors.dimension());
    if format == Format::Npy {
        let values = vectors.iter().flatten().copied().collect();
        let array = Array::new(vec![count, dimension], values);
        let array = array.map_err(|source| Failure::Model { path: path.to_owned(), source })?;
        return npy::write(path, &array);
    }
    let mut writer = ColumnWriter::create(path, format)?.about(about.0, about.1);
    let mut rest = vectors.iter();
    loop {
        let batch: Vec<&[f64]> = rest.by_ref().take(BATCH_ROWS).collect();
        if batch.is_empty() {
            return writer.finish();
        }
        writer.write(&[column(name, format, dimension, &batch)])?;
    }
}

fn column(name: &str, format: Format, dimension: usize, vectors: &[&[f64]]) -> KeptColumn {
    let written = |vector: &&[f64]| vector.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    match format {
        Format::Parquet | Format::Arrow => {
            let numbers = vectors.iter().flat_map(|vector| vector.iter().copied());
            let item = Arc::new(Field::new("item", DataType::Float64, false));
            let numbers = Arc::new(Float64Array::from_iter_values(numbers));
            let cells = FixedSizeListArray::new(item, dimension as i32, numbers, None);
            KeptColumn { name: name.to_owned(), cells: Arc::new(cells), is_json: false }
        }
        Format::Jsonl => {
            let lists: Vec<String> = vectors.iter().map(|vector| format!("[{}]", written(vector))).collect();
            let texts = KeptColumn::of_texts(name, lists.iter().map(|list| Some(list.as_str())));
            KeptColumn { is_json: true, ..texts }
        }
        Format::Csv | Format::Lines | Format::Npy => {
            let texts: Vec<String> = vectors.iter().map(written).collect();
            KeptColumn::of_texts(name, texts.iter().map(|text| Some(text.as_str())))
        }
    }
}
