//! What the cells of the column become: private values, or reports.

use super::{Problem, hex};
use privet::{
    Categories, Domain, DomainSpec, Envelope, InputError, ReportBuffer, ReportError, Values, Vectors,
};
use std::io::Write;
use std::sync::Arc;

/// One cell, as the format at hand holds it.
#[derive(Clone, Copy)]
pub(crate) enum Cell<'a> {
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    Whole(i128),
    Number(f64),
    /// A list of numbers.
    Vector(&'a [f64]),
    Boolean(bool),
    Missing,
}

/// Takes one cell after the other.
pub(crate) trait Column: Send {
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem>;
}

/// A column of numbers, not yet of any domain.
#[derive(Debug, Default)]
pub(crate) struct NumberColumn {
    /// What is no number is NaN, which no domain contains.
    pub(crate) numbers: Vec<f64>,
}

impl Column for NumberColumn {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        self.numbers.push(match cell {
            Cell::Missing | Cell::Text(b"") => return Err(Problem::MissingValue),
            Cell::Number(number) => number,
            Cell::Whole(whole) => whole as f64,
            Cell::Text(text) => number_of(text),
            Cell::Bytes(_) | Cell::Boolean(_) | Cell::Vector(_) => f64::NAN,
        });
        Ok(())
    }
}

fn number_of(text: &[u8]) -> f64 {
    let text = std::str::from_utf8(text).unwrap_or_default();
    text.trim().parse().unwrap_or(f64::NAN)
}

/// A column of private values.
#[derive(Debug)]
pub(crate) struct ValueColumn {
    domain: Arc<DomainSpec>,
    is_clamped: bool,
    pub(crate) values: Values,
}

impl ValueColumn {
    pub(crate) fn new(domain: Arc<DomainSpec>, is_clamped: bool) -> Self {
        Self { values: domain.empty_values(), domain, is_clamped }
    }

    /// The problem of a cell that is no value of the domain.
    fn refuse(&self, cell: Cell<'_>) -> Problem {
        let (source, has_nearest) = match &*self.domain {
            DomainSpec::Categories(categories) => {
                (categories.outside(), index(categories, cell, true).is_some())
            }
            other => (InputError::OutsideDomain { domain: other.to_string() }, false),
        };
        Problem::Input { source, is_clampable: has_nearest && !self.is_clamped }
    }
}

impl Column for ValueColumn {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        let pushed = match (&*self.domain, &mut self.values, cell) {
            (_, _, Cell::Missing | Cell::Text(b"")) => return Err(Problem::MissingValue),
            (DomainSpec::Categories(categories), Values::Categories(values), cell) => {
                index(categories, cell, self.is_clamped).map(|index| values.push(index))
            }
            (DomainSpec::Vectors(domain), Values::Vectors { coordinates, .. }, cell) => {
                let refuse = |source| Problem::Input { source, is_clampable: false };
                return push_vector(domain, cell, coordinates).map_err(refuse);
            }
            (_, _, Cell::Vector(_)) => return Err(Problem::NestedValue),
            (_, Values::Numbers(values), Cell::Number(number)) => {
                values.push(number);
                Some(())
            }
            (domain, values, cell) => with_text(cell, |text| domain.push_text(text, values).ok()).flatten(),
        };
        pushed.ok_or_else(|| self.refuse(cell))
    }
}

/// Adds a vector that is written as text or as a list; a single number is a vector of one coordinate.
pub(super) fn push_vector(
    domain: &Vectors,
    cell: Cell<'_>,
    coordinates: &mut Vec<f64>,
) -> Result<(), InputError> {
    let outside = || InputError::OutsideDomain { domain: domain.to_string() };
    let single;
    let vector = match cell {
        Cell::Text(text) => {
            let text = std::str::from_utf8(text).map_err(|_| outside())?;
            return domain.parse_into(text, coordinates);
        }
        Cell::Vector(vector) => vector,
        Cell::Number(number) => {
            single = [number];
            &single
        }
        Cell::Whole(whole) => {
            single = [whole as f64];
            &single
        }
        Cell::Bytes(_) | Cell::Boolean(_) | Cell::Missing => return Err(outside()),
    };
    domain.check(vector)?;
    coordinates.extend_from_slice(vector);
    Ok(())
}

#[inline]
fn index(categories: &Categories, cell: Cell<'_>, is_clamped: bool) -> Option<u32> {
    if categories.has_labels() {
        return with_text(cell, |text| categories.index_of(text)).flatten();
    }
    match cell {
        Cell::Text(digits) => index_of_digits(digits, is_clamped),
        Cell::Whole(whole) if is_clamped => Some(whole.clamp(0, u32::MAX.into()) as u32),
        Cell::Whole(whole) => u32::try_from(whole).ok(),
        Cell::Boolean(value) => Some(u32::from(value)),
        // A conversion saturates, so what is beyond the ends stays beyond them.
        Cell::Number(number) if number.fract() == 0.0 => {
            index(categories, Cell::Whole(number as i128), is_clamped)
        }
        Cell::Number(number) if number.is_infinite() && is_clamped => {
            Some(if number > 0.0 { u32::MAX } else { 0 })
        }
        _ => None,
    }
}

/// A category's index from its digits, without a detour over text. Clamped, numbers beyond 32 bits stay at the ends.
#[inline]
fn index_of_digits(text: &[u8], is_clamped: bool) -> Option<u32> {
    let (digits, is_negative) = match text {
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    if digits.is_empty() || (is_negative && !is_clamped) {
        return None;
    }
    let mut index: u32 = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        index = match index.checked_mul(10).and_then(|tens| tens.checked_add(u32::from(digit))) {
            Some(index) => index,
            // The other digits must still be digits.
            None if is_clamped => u32::MAX,
            None => return None,
        };
    }
    Some(if is_negative { 0 } else { index })
}

/// The cell as text, if it has one.
fn with_text<T>(cell: Cell<'_>, read: impl FnOnce(&str) -> T) -> Option<T> {
    match cell {
        Cell::Text(text) => std::str::from_utf8(text).ok().map(read),
        Cell::Boolean(value) => Some(read(if value { "true" } else { "false" })),
        Cell::Whole(whole) => {
            let mut buffer = [0; 48];
            let mut rest = &mut buffer[..];
            write!(rest, "{whole}").ok()?;
            let free = rest.len();
            std::str::from_utf8(&buffer[..buffer.len() - free]).ok().map(read)
        }
        Cell::Number(_) | Cell::Bytes(_) | Cell::Vector(_) | Cell::Missing => None,
    }
}

/// A column of reports.
#[derive(Debug)]
pub(crate) struct ReportColumn {
    envelope: Envelope,
    /// The digits that every report begins with.
    prefix: Arc<[u8]>,
    bytes: Vec<u8>,
    pub(crate) reports: ReportBuffer,
}

impl ReportColumn {
    pub(crate) fn new(envelope: Envelope, report_bytes: usize) -> Self {
        let prefix = hex::encode(&envelope.header()).into();
        Self { envelope, prefix, bytes: Vec::new(), reports: ReportBuffer::new(report_bytes) }
    }

    fn push_text(&mut self, text: &[u8]) -> Result<(), ReportError> {
        self.bytes.clear();
        if let Some(digits) = text.strip_prefix(&*self.prefix) {
            if hex::decode_to(digits, &mut self.bytes) {
                return self.reports.push(&self.bytes);
            }
            return Err(ReportError::Text);
        }
        if !hex::decode_to(text, &mut self.bytes) {
            return Err(ReportError::Text);
        }
        self.reports.push(self.envelope.open(&self.bytes)?)
    }
}

impl Column for ReportColumn {
    #[inline]
    fn push(&mut self, cell: Cell<'_>) -> Result<(), Problem> {
        match cell {
            Cell::Text(b"") | Cell::Missing => Err(Problem::MissingValue),
            Cell::Text(text) => Ok(self.push_text(text)?),
            Cell::Bytes(bytes) => Ok(self.reports.push(self.envelope.open(bytes)?)?),
            Cell::Whole(_) | Cell::Number(_) | Cell::Vector(_) | Cell::Boolean(_) => {
                Err(ReportError::Text.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(domain: &str, is_clamped: bool, cell: Cell<'_>) -> Option<u32> {
        let mut column = ValueColumn::new(Arc::new(domain.parse().unwrap()), is_clamped);
        column.push(cell).ok()?;
        match column.values {
            Values::Categories(values) => values.first().copied(),
            _ => None,
        }
    }

    #[test]
    fn digits_are_indices() {
        for (text, plain, clamped) in [
            ("0", Some(0), Some(0)),
            ("007", Some(7), Some(7)),
            ("4294967295", Some(u32::MAX), Some(u32::MAX)),
            ("4294967296", None, Some(u32::MAX)),
            ("99999999999999999999999", None, Some(u32::MAX)),
            ("-3", None, Some(0)),
            ("-", None, None),
            ("", None, None),
            ("NaN", None, None),
            ("1.5", None, None),
            ("99999999999x", None, None),
            (" 1", None, None),
        ] {
            assert_eq!(read("categories:9", false, Cell::Text(text.as_bytes())), plain, "{text}");
            assert_eq!(read("categories:9", true, Cell::Text(text.as_bytes())), clamped, "{text}");
        }
    }

    #[test]
    fn other_kinds_of_cells() {
        assert_eq!(read("binary", false, Cell::Boolean(true)), Some(1));
        assert_eq!(read("categories:true,false", false, Cell::Boolean(false)), Some(1));
        assert_eq!(read("categories:10,20", false, Cell::Whole(20)), Some(1));
        assert_eq!(read("categories:9", false, Cell::Number(3.0)), Some(3));
        for number in [f64::NAN, 1.5, f64::INFINITY, -1.0] {
            assert_eq!(read("categories:9", false, Cell::Number(number)), None, "{number}");
        }
        assert_eq!(read("categories:9", true, Cell::Number(f64::INFINITY)), Some(u32::MAX));
        assert_eq!(read("categories:9", true, Cell::Number(f64::NAN)), None);
        assert_eq!(read("categories:9", true, Cell::Whole(-4)), Some(0));
        assert_eq!(read("categories:9", false, Cell::Bytes(b"1")), None);
    }
}
