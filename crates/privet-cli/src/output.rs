//! Data on standard output: one JSON document, or a plain table.

use crate::failure::Failure;
use comfy_table::{ContentArrangement, Table, presets};
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
        Ok(())
    }
}

/// A table without borders, with a line below its header.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.to_vec());
    table
}
