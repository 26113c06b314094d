//! Shares that have names, as a page writes them.

use crate::pages::words::number;
use privet_core::Estimate;
use privet_estimators::{Answer, Frequency, PlaceShares};

/// A share that has a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named<'a> {
    pub(super) label: String,
    pub(super) share: &'a Estimate,
}

impl<'a> Named<'a> {
    /// The shares of categories and words, or of cells, if it is about some.
    pub(super) fn all(answer: &'a Answer) -> Option<Vec<Self>> {
        let category = |row: &'a Frequency| Self { label: row.label.clone(), share: &row.estimate };
        match answer {
            Answer::Frequencies(frequencies) => Some(frequencies.rows.iter().map(category).collect()),
            Answer::Places(places) => Some(
                places
                    .cells
                    .iter()
                    .enumerate()
                    .map(|(cell, row)| Self { label: corners(places, cell), share: &row.estimate })
                    .collect(),
            ),
            _ => None,
        }
    }
}

/// Where a cell lies.
fn corners(places: &PlaceShares, cell: usize) -> String {
    let [[x, y], [x_end, y_end]] = places.corners(cell).map(|corner| corner.map(number));
    // Lines break between the coordinates, not inside of them.
    let dash = "\u{2060}\u{2013}\u{2060}";
    format!("{x}{dash}{x_end}, {y}{dash}{y_end}")
}
