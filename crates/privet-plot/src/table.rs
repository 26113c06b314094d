//! Numbers in rows and columns that have names, tinted by how large they are.

use crate::chart::TEXT;
use crate::font;
use crate::look::COLOURS;
use crate::map::ring;
use crate::shape::{Anchor, Colour, Drawing, Shape};

/// A table whose cells are tinted.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatTable {
    /// What it is called.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// What the rows are: the heading of their names.
    pub rows_name: String,
    /// What the columns are: a line above their names.
    pub columns_name: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<HeatRow>,
    /// What the tints mean, below the table.
    pub note: String,
}

/// A row of a [`HeatTable`].
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRow {
    /// Its name.
    pub name: String,
    /// A cell for each column; some may have nothing to show.
    pub cells: Vec<Option<HeatEntry>>,
}

/// A cell of a [`HeatTable`].
#[derive(Debug, Clone, PartialEq)]
pub struct HeatEntry {
    /// What is written in it.
    pub text: String,
    /// How dark it is, from 0 to 1.
    pub share: f64,
    /// Whether it has the colour of what should not be.
    pub is_marked: bool,
}

const ROW: f64 = 22.0;
const MARGIN: f64 = 12.0;
const TITLE: f64 = 15.0;
/// The narrowest column, which has room for a number.
const COLUMN: f64 = 52.0;
/// The darkest tint under which black text is still read.
const DARKEST: f64 = 0.55;

impl HeatTable {
    /// Lays it out.
    pub fn draw(&self) -> Drawing {
        let names = self.rows.iter().map(|row| &row.name).chain([&self.rows_name]);
        let left = 2.0 * MARGIN + names.map(|name| font::width(name, TEXT)).fold(0.0, f64::max);
        let column = self.columns.iter().map(|name| font::width(name, TEXT) + 10.0).fold(COLUMN, f64::max);
        let top = MARGIN + TITLE + 3.0 * ROW;
        let across = left + column * self.columns.len() as f64 + MARGIN;
        let texts = [font::width(&self.title, TITLE), font::width(&self.note, TEXT)];
        let mut drawing = Drawing {
            width: texts.into_iter().map(|width| width + 2.0 * MARGIN).fold(across, f64::max).ceil(),
            height: (top + ROW * (self.rows.len() as f64 + 1.0) + MARGIN).ceil(),
            title: self.title.clone(),
            description: self.description.clone(),
            shapes: Vec::new(),
        };
        drawing.text(&self.title, [MARGIN, MARGIN + TITLE], Anchor::Start, TITLE);
        drawing.text(&self.columns_name, [left, top - 1.6 * ROW], Anchor::Start, TEXT);
        drawing.text(&self.rows_name, [MARGIN, top - 0.5 * ROW], Anchor::Start, TEXT);
        for (index, name) in self.columns.iter().enumerate() {
            let middle = left + column * (index as f64 + 0.5);
            drawing.text(name, [middle, top - 0.5 * ROW], Anchor::Middle, TEXT);
        }
        for (index, row) in self.rows.iter().enumerate() {
            row.draw([left, top + ROW * index as f64], column, &mut drawing);
        }
        let bottom = top + ROW * (self.rows.len() as f64 + 0.8);
        drawing.text(&self.note, [MARGIN, bottom], Anchor::Start, TEXT);
        drawing
    }
}

impl HeatRow {
    fn draw(&self, [left, top]: [f64; 2], column: f64, drawing: &mut Drawing) {
        let base = top + 0.7 * ROW;
        drawing.text(&self.name, [MARGIN, base], Anchor::Start, TEXT);
        for (index, entry) in self.cells.iter().enumerate() {
            let from = left + column * index as f64;
            let points = ring([from + 1.0, top + 1.0], [from + column - 1.0, top + ROW - 1.0]);
            let Some(HeatEntry { text, share, is_marked }) = entry else {
                drawing.shapes.push(Shape::Area { points, colour: Colour::PALE, opacity: 0.3 });
                continue;
            };
            let colour = COLOURS[usize::from(*is_marked)];
            drawing.shapes.push(Shape::Area { points, colour, opacity: DARKEST * share.clamp(0.0, 1.0) });
            drawing.text(text, [from + column / 2.0, base], Anchor::Middle, TEXT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_number_is_written_and_empty_cells_are_pale() {
        let entry = |text: &str| Some(HeatEntry { text: text.into(), share: 0.5, is_marked: text == ".93" });
        let table = HeatTable {
            title: "Coverage".into(),
            description: "Two mechanisms".into(),
            rows_name: "mechanism".into(),
            columns_name: "epsilon".into(),
            columns: vec!["0.1".into(), "8".into()],
            rows: vec![
                HeatRow { name: "one".into(), cells: vec![entry(".95"), None] },
                HeatRow { name: "two".into(), cells: vec![entry(".96"), entry(".93")] },
            ],
            note: "darker is more".into(),
        };
        let drawing = table.draw();
        let svg = drawing.svg();
        for text in
            ["Coverage", "mechanism", "epsilon", "0.1", "8", "one", "two", ".95", ".93", "darker is more"]
        {
            assert!(svg.contains(&format!(">{text}<")), "{text}");
        }
        assert!(svg.contains("#e0e0e0") && svg.contains("#d55e00"));
        assert!(drawing.png().is_ok());
    }
}
