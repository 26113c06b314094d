//! Columns of private values, from numpy, Arrow or lists. Python's half has looked at the types already.

use crate::domain::Domain;
use crate::problem::{Class, Problem};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray};
use arrow_schema::DataType;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use privet::domain::Word;
use privet::{Categories, DomainSpec, InputError, Values};
use pyo3::prelude::*;
use pyo3_arrow::PyChunkedArray;
use pyo3_arrow::input::AnyArray;
use std::ops::Range;

/// What a category that the domain does not have is called: above the largest number of categories.
const NO_CATEGORY: u32 = u32::MAX;

/// Values that a mechanism can be asked to randomise. Never shows them.
#[pyclass(frozen, module = "privet._privet")]
#[derive(Debug)]
pub(crate) struct Column {
    source: Source,
    /// How many numbers of the source are one value.
    width: usize,
    domain: DomainSpec,
}

#[derive(Debug)]
enum Source {
    /// Indices, words, or numbers that had to be read one by one.
    Owned(Values),
    /// Numbers that stay where they are.
    Numbers(Py<PyArray1<f64>>),
}

impl Column {
    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        match &self.source {
            Source::Owned(Values::Numbers(numbers)) => numbers.len() / self.width,
            Source::Owned(values) => values.len(),
            Source::Numbers(array) => array.bind(py).len().unwrap_or_default() / self.width,
        }
    }

    /// How many bytes a value takes.
    pub(crate) fn bytes_of_a_value(&self) -> usize {
        8 * self.width
    }

    /// A copy of some of the values, so that nobody can change them while they are drawn from.
    pub(crate) fn take(&self, py: Python<'_>, rows: Range<usize>) -> PyResult<Values> {
        let gone = || wrong_kind(&self.domain);
        let numbers = rows.start * self.width..rows.end * self.width;
        Ok(match &self.source {
            Source::Owned(Values::Categories(indices)) => {
                Values::Categories(indices.get(rows).ok_or_else(gone)?.to_vec())
            }
            Source::Owned(Values::Words(words)) => Values::Words(words.get(rows).ok_or_else(gone)?.to_vec()),
            Source::Owned(Values::Numbers(all)) => self.of_numbers(all.get(numbers).ok_or_else(gone)?),
            Source::Owned(_) => return Err(gone().into()),
            Source::Numbers(array) => {
                let array = array.bind(py).try_readonly()?;
                self.of_numbers(array.as_slice()?.get(numbers).ok_or_else(gone)?)
            }
        })
    }

    fn of_numbers(&self, numbers: &[f64]) -> Values {
        match &self.domain {
            DomainSpec::Rectangle(_) => Values::Points(numbers.as_chunks().0.to_vec()),
            DomainSpec::Vectors(domain) => {
                Values::Vectors { dimension: domain.dimension(), coordinates: numbers.to_vec() }
            }
            _ => Values::Numbers(numbers.to_vec()),
        }
    }

    fn owned(domain: &Domain, values: Values) -> Self {
        Self { source: Source::Owned(values), width: width_of(&domain.spec), domain: domain.spec.clone() }
    }
}

#[pymethods]
impl Column {
    /// Numbers in memory without gaps: values, or the coordinates of points or vectors one after the other.
    #[staticmethod]
    fn of_numbers_in(domain: &Domain, numbers: Bound<'_, PyArray1<f64>>) -> Result<Self, Problem> {
        let width = width_of(&domain.spec);
        let count = numbers.len().unwrap_or_default();
        if width == 0 || count % width != 0 {
            return Err(wrong_kind(&domain.spec));
        }
        Ok(Self { source: Source::Numbers(numbers.unbind()), width, domain: domain.spec.clone() })
    }

    /// Categories called by whole numbers; with `clamp`, those below the first are moved to it.
    #[staticmethod]
    fn of_integers(
        domain: &Domain,
        integers: PyReadonlyArray1<'_, i64>,
        clamp: bool,
    ) -> Result<Self, Problem> {
        let categories = categories_of(&domain.spec)?;
        let integers = integers.as_slice().map_err(|_| wrong_kind(&domain.spec))?;
        let indices = integers.iter().map(|number| index_of(categories, *number, clamp)).collect();
        Ok(Self::owned(domain, Values::Categories(indices)))
    }

    /// Categories called by their names, or words.
    #[staticmethod]
    fn of_texts(domain: &Domain, texts: Vec<String>) -> Result<Self, Problem> {
        let texts = texts.iter().map(|text| Some(text.as_str()));
        Ok(Self::owned(domain, of_texts(&domain.spec, texts)?))
    }

    /// Anything that speaks Arrow. Nulls are left out if `skip_nulls`, and refused otherwise.
    #[staticmethod]
    fn of_arrow(domain: &Domain, array: AnyArray, skip_nulls: bool, clamp: bool) -> Result<Self, Problem> {
        let mut values = match &domain.spec {
            DomainSpec::Categories(_) => Values::Categories(Vec::new()),
            DomainSpec::Words(_) => Values::Words(Vec::new()),
            _ => Values::Numbers(Vec::new()),
        };
        let mut first_row = 0;
        for chunk in chunks_of(array)?.chunks() {
            let nulls = chunk.logical_nulls().filter(|nulls| nulls.null_count() > 0);
            if let Some(nulls) = nulls.as_ref().filter(|_| !skip_nulls) {
                let position = nulls.iter().position(|is_valid| !is_valid).unwrap_or_default();
                return Err(null_at(first_row + position + 1));
            }
            first_row += chunk.len();
            let read = match &domain.spec {
                DomainSpec::Categories(categories) => {
                    Values::Categories(indices_in(chunk, categories, clamp)?)
                }
                DomainSpec::Words(_) => of_texts(&domain.spec, texts_in(chunk, &domain.spec)?.into_iter())?,
                spec => Values::Numbers(numbers_in(chunk, spec)?),
            };
            append(&mut values, read);
        }
        Ok(Self::owned(domain, values))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.len(py)
    }
}

/// The parts of anything that speaks Arrow.
pub(crate) fn chunks_of(array: AnyArray) -> Result<PyChunkedArray, Problem> {
    let unreadable = |_| Problem::new(Class::Domain, "input-wrong-kind", "this Arrow column cannot be read");
    array.into_chunked_array().map_err(unreadable)
}

/// How many numbers a value of the domain has; none where values are no numbers.
fn width_of(domain: &DomainSpec) -> usize {
    match domain {
        DomainSpec::Rectangle(_) => 2,
        DomainSpec::Vectors(vectors) => vectors.dimension().get(),
        _ => 1,
    }
}

fn wrong_kind(domain: &DomainSpec) -> Problem {
    InputError::WrongKind { domain: domain.to_string() }.into()
}

fn null_at(position: usize) -> Problem {
    Problem::new(Class::Domain, "input-null", format!("value number {position} is missing"))
        .with_hint("`nulls=\"skip\"` leaves missing values out")
}

fn categories_of(domain: &DomainSpec) -> Result<&Categories, Problem> {
    match domain {
        DomainSpec::Categories(categories) => Ok(categories),
        other => Err(wrong_kind(other)),
    }
}

/// A category is called by its label, and a label that is a whole number may be passed as one.
fn index_of(categories: &Categories, number: i64, clamp: bool) -> u32 {
    if categories.has_labels() {
        return categories.index_of(&number.to_string()).unwrap_or(NO_CATEGORY);
    }
    u32::try_from(number).unwrap_or(if clamp && number < 0 { 0 } else { NO_CATEGORY })
}

fn of_texts<'a>(
    domain: &DomainSpec,
    texts: impl Iterator<Item = Option<&'a str>>,
) -> Result<Values, Problem> {
    let texts = texts.flatten();
    match domain {
        DomainSpec::Categories(categories) => {
            let index = |text| categories.index_of(text).unwrap_or(NO_CATEGORY);
            Ok(Values::Categories(texts.map(index).collect()))
        }
        // The empty word is in no domain.
        DomainSpec::Words(_) => {
            Ok(Values::Words(texts.map(|text| Word::new(text).unwrap_or_default()).collect()))
        }
        other => Err(wrong_kind(other)),
    }
}

fn append(values: &mut Values, more: Values) {
    match (values, more) {
        (Values::Categories(values), Values::Categories(more)) => values.extend(more),
        (Values::Words(values), Values::Words(more)) => values.extend(more),
        (Values::Numbers(values), Values::Numbers(more)) => values.extend(more),
        _ => {}
    }
}

fn texts_in<'a>(array: &'a dyn Array, domain: &DomainSpec) -> Result<Vec<Option<&'a str>>, Problem> {
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().iter().collect()),
        DataType::LargeUtf8 => Ok(array.as_string::<i64>().iter().collect()),
        DataType::Utf8View => Ok(array.as_string_view().iter().collect()),
        _ => Err(wrong_kind(domain)),
    }
}

fn indices_in(array: &dyn Array, categories: &Categories, clamp: bool) -> Result<Vec<u32>, Problem> {
    let spec = || DomainSpec::Categories(categories.clone());
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        // Each name is looked up once, however many rows have it.
        let names = indices_in(dictionary.values(), categories, clamp)?;
        let is_valid = |row: &usize| dictionary.is_valid(*row);
        let keys = dictionary.normalized_keys();
        let name = |row: usize| names.get(keys[row]).copied().unwrap_or(NO_CATEGORY);
        return Ok((0..dictionary.len()).filter(is_valid).map(name).collect());
    }
    if let Some(integers) = integers_in(array) {
        return Ok(integers.into_iter().map(|number| index_of(categories, number, clamp)).collect());
    }
    let texts = texts_in(array, &spec())?;
    match of_texts(&spec(), texts.into_iter())? {
        Values::Categories(indices) => Ok(indices),
        _ => Err(wrong_kind(&spec())),
    }
}

/// The whole numbers of an array that are not null; those beyond 64 bits are in no domain anyway.
pub(crate) fn integers_in(array: &dyn Array) -> Option<Vec<i64>> {
    fn read<T: ArrowPrimitiveType>(array: &dyn Array) -> Vec<i64>
    where
        T::Native: TryInto<i64>,
    {
        array.as_primitive::<T>().iter().flatten().map(|one| one.try_into().unwrap_or(i64::MAX)).collect()
    }
    let bits = |bits: &BooleanArray| bits.iter().flatten().map(i64::from).collect();
    Some(match array.data_type() {
        DataType::Boolean => bits(array.as_boolean()),
        DataType::Int8 => read::<Int8Type>(array),
        DataType::Int16 => read::<Int16Type>(array),
        DataType::Int32 => read::<Int32Type>(array),
        DataType::Int64 => read::<Int64Type>(array),
        DataType::UInt8 => read::<UInt8Type>(array),
        DataType::UInt16 => read::<UInt16Type>(array),
        DataType::UInt32 => read::<UInt32Type>(array),
        DataType::UInt64 => read::<UInt64Type>(array),
        _ => return None,
    })
}

/// The numbers of an array that are not null; of lists of a fixed length, all their numbers.
fn numbers_in(array: &dyn Array, domain: &DomainSpec) -> Result<Vec<f64>, Problem> {
    let width = width_of(domain);
    match array.data_type() {
        DataType::FixedSizeList(_, length) if *length as usize == width && width_of(domain) > 1 => {
            let lists = array.as_fixed_size_list();
            let mut numbers = Vec::new();
            for row in (0..lists.len()).filter(|row| lists.is_valid(*row)) {
                let row = numbers_in(&lists.value(row), &DomainSpec::Interval(unit()?))?;
                if row.len() != width {
                    return Err(wrong_kind(domain));
                }
                numbers.extend(row);
            }
            Ok(numbers)
        }
        _ if width > 1 => Err(wrong_kind(domain)),
        DataType::Float64 => Ok(array.as_primitive::<Float64Type>().iter().flatten().collect()),
        DataType::Float32 => {
            Ok(array.as_primitive::<Float32Type>().iter().flatten().map(f64::from).collect())
        }
        DataType::Boolean => Err(wrong_kind(domain)),
        _ => {
            let integers = integers_in(array).ok_or_else(|| wrong_kind(domain))?;
            Ok(integers.into_iter().map(|number| number as f64).collect())
        }
    }
}

fn unit() -> Result<privet::Interval, Problem> {
    Ok(privet::Interval::new(0.0, 1.0)?)
}
