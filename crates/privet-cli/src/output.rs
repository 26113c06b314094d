//! Data on standard output: one JSON document, or a plain table.

use crate::failure::Failure;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::Write;

/// How a command answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    Text,
    Json,
}

impl Output {
    /// Prints one JSON document, or what `text` makes.
    pub(crate) fn print(
        self,
        document: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        let mut stdout = std::io::stdout().lock();
        match self {
            Self::Json => {
                serde_json::to_writer_pretty(&mut stdout, document).map_err(std::io::Error::from)?;
                writeln!(stdout)?;
            }
            Self::Text => writeln!(stdout, "{}", text().trim_end())?,
        }
        stdout.flush()?;
        Ok(())
    }
}

/// A table without borders.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.to_vec());
    if let Some(column) = table.column_mut(0) {
        column.set_padding((0, 1));
    }
    table
}

/// As [`table`], with all columns but the first `names` aligned to the right, for numbers.
pub(crate) fn table_of_numbers(header: &[&str], names: usize) -> Table {
    let mut table = table(header);
    table.column_iter_mut().skip(names).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}

/// A number for people: six digits after the point for what is near one, and an exponent for what is tiny.
pub(crate) fn number(value: f64) -> String {
    // Adding zero turns minus zero into zero.
    let (value, size) = (value + 0.0, value.abs());
    if value == 0.0 || (1e-4..1e7).contains(&size) { format!("{value:.6}") } else { format!("{value:.3e}") }
}

/// An interval for people.
pub(crate) fn interval(ends: [f64; 2]) -> String {
    let [low, high] = ends.map(number);
    format!("[{low}, {high}]")
}
