//! Values made by an independent reference (`golden/reference.py`), compared with what the mechanisms give.

use crate::finding::Finding;

/// The golden file of the categorical mechanisms.
pub const CATEGORICAL: &str = include_str!("../golden/categorical.txt");

/// The golden file of the mechanisms on numbers and angles (`golden/reference_interval.py`).
pub const INTERVAL: &str = include_str!("../golden/interval.txt");

/// One line of a golden file.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// Its number in the file, from 1.
    pub number: usize,
    fields: Vec<&'a str>,
}

impl<'a> Line<'a> {
    /// The field at a place; empty beyond the end.
    pub fn field(&self, place: usize) -> &'a str {
        self.fields.get(place).copied().unwrap_or("")
    }

    /// Compares a text with the one at a place.
    ///
    /// # Errors
    /// When they differ.
    pub fn expect(&self, place: usize, got: impl ToString) -> Result<(), Finding> {
        let got = got.to_string();
        if self.field(place) == got {
            return Ok(());
        }
        Err(Finding::Golden { line: self.number, expected: self.field(place).to_owned(), got })
    }

    /// Compares a number with the one at a place, to a relative tolerance.
    ///
    /// # Errors
    /// When they differ by more, or the file has no number there.
    pub fn expect_near(&self, place: usize, got: f64, tolerance: f64) -> Result<(), Finding> {
        match self.field(place).parse::<f64>() {
            Ok(expected) if (got - expected).abs() <= tolerance * expected.abs() => Ok(()),
            _ => self.expect(place, format!("{got:e}")),
        }
    }
}

/// The lines of one kind, without comments.
pub fn lines<'a>(file: &'a str, kind: &'a str) -> impl Iterator<Item = Line<'a>> {
    file.lines()
        .enumerate()
        .filter(|(_, text)| !text.starts_with('#') && !text.trim().is_empty())
        .map(|(index, text)| Line { number: index + 1, fields: text.trim().split('|').collect() })
        .filter(move |line| line.field(0) == kind)
}
