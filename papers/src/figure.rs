//! Figures and tables: what they need, what computes them, what comes out.

use crate::ReproduceError;
use crate::claims::Measured;
use crate::data::DataFile;
use privet_plot::{HeatCell, Region};
use std::fmt;
use std::path::{Path, PathBuf};

/// How much is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Fewer repetitions and coarser grids.
    Quick,
    /// As the papers did it, or finer.
    Full,
}

impl Effort {
    /// The first for quick work, the second for full work.
    pub fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Self::Quick => quick,
            Self::Full => full,
        }
    }

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        self.pick("quick", "full")
    }
}

/// What a figure is computed under.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// How much is computed.
    pub effort: Effort,
    /// The folder of the data sets.
    pub data: &'a Path,
}

impl Setting<'_> {
    /// Where a data set lies.
    pub fn path(&self, file: DataFile) -> PathBuf {
        self.data.join(file.path)
    }
}

/// Computes a figure.
pub type Compute = fn(&Setting) -> Result<Findings, ReproduceError>;

/// A figure, a table or an example of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Its number; tables and examples have the word before it.
    pub id: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// What is better than what the paper shows, and what the figure hides.
    pub note: &'static str,
    /// The data sets without which it is skipped.
    pub needs: &'static [DataFile],
    /// About how long the whole of it takes: long ones begin first.
    pub seconds: u32,
    /// Computes it.
    pub compute: Compute,
}

impl Figure {
    /// A figure that needs no data and little time.
    pub const fn new(id: &'static str, title: &'static str, compute: Compute) -> Self {
        Self { id, title, note: "", needs: &[], seconds: 1, compute }
    }

    /// The same with something to be said beside it.
    pub const fn noting(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// The same with data that it needs.
    pub const fn needing(self, needs: &'static [DataFile]) -> Self {
        Self { needs, ..self }
    }

    /// The same with the time that it takes.
    pub const fn taking(self, seconds: u32) -> Self {
        Self { seconds, ..self }
    }

    /// Whether somebody who writes this means the figure.
    pub fn is_called(&self, name: &str) -> bool {
        let name = name.trim().replace(['-', '_'], " ").to_lowercase();
        let id = self.id.to_lowercase();
        name == id || name.strip_prefix("figure ") == Some(&id) || name.strip_prefix("fig ") == Some(&id)
    }

    /// Its name as a heading: tables, examples and the text say themselves what they are, a name with two points is a section.
    pub fn heading(&self) -> String {
        let mut letters = self.id.chars();
        match letters.next() {
            Some(first) if first.is_ascii_lowercase() => {
                first.to_ascii_uppercase().to_string() + letters.as_str()
            }
            _ if self.id.matches('.').count() == 2 => format!("Section {}", self.id),
            _ => format!("Figure {}", self.id),
        }
    }

    /// Its name as a part of file names.
    pub fn slug(&self) -> String {
        slug(self.id)
    }
}

/// A text as a part of file names.
pub(crate) fn slug(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c.to_ascii_lowercase() } else { '-' };
    let words: String = text.chars().map(plain).collect();
    words.split('-').filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// A place on the horizontal axis, or in the first column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A number.
    Number(f64),
    /// Something else, by its name.
    Name(String),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Sums of steps such as .05 have long tails.
            Self::Number(number) => write!(formatter, "{}", (number * 1e9).round() / 1e9),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

/// One number, with what the paper prints for it where it prints something.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The figure's id.
    pub figure: &'static str,
    /// The line of the figure, or the claim.
    pub series: String,
    /// Where.
    pub x: Place,
    /// What we measure.
    pub ours: f64,
    /// What the paper prints.
    pub paper: Option<f64>,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Look {
    /// A line through its points.
    #[default]
    Line,
    /// Crosses: few values, or such as the line of another curve is held against.
    Crosses,
    /// Dots beside those of the other curves, for places that have no order.
    Dots,
    /// A line with the area under it, for densities.
    Area,
}

/// One line of a chart.
#[derive(Debug, Clone, Default)]
pub struct Curve {
    /// What it is called.
    pub label: String,
    /// Its points.
    pub points: Vec<[f64; 2]>,
    /// Between what the truth lies: a place, the lower and the upper end.
    pub band: Vec<[f64; 3]>,
    /// How it is drawn.
    pub look: Look,
}

impl Curve {
    /// A line through points.
    pub fn line(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { label: label.into(), points, band: Vec::new(), look: Look::Line }
    }

    /// A line in the middle of what is known from both sides.
    pub fn band(label: impl Into<String>, band: Vec<[f64; 3]>) -> Self {
        let points = band.iter().map(|[x, low, high]| [*x, f64::midpoint(*low, *high)]).collect();
        Self { band, ..Self::line(label, points) }
    }

    /// Crosses at points.
    pub fn crosses(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { look: Look::Crosses, ..Self::line(label, points) }
    }

    /// Dots at points.
    pub fn dots(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { look: Look::Dots, ..Self::line(label, points) }
    }

    /// A density.
    pub fn area(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Self { look: Look::Area, ..Self::line(label, points) }
    }

    /// The mean height of the points.
    pub fn mean(&self) -> f64 {
        self.points.iter().map(|[_, value]| value).sum::<f64>() / self.points.len() as f64
    }

    /// The height at a point of the curve; not a number where it has none.
    pub fn at(&self, x: f64) -> f64 {
        let found = self.points.iter().find(|[place, _]| (place - x).abs() < 1e-9);
        found.map_or(f64::NAN, |[_, value]| *value)
    }

    /// By how much it is above another curve on the same points where that is least; not a number where one of them is none.
    pub fn lead_over(&self, other: &Self) -> f64 {
        let leads = self.points.iter().zip(&other.points).map(|(ours, theirs)| ours[1] - theirs[1]);
        leads
            .reduce(|least, lead| if least.is_nan() || least < lead { least } else { lead })
            .unwrap_or(f64::NAN)
    }

    /// Whether it is nowhere above another curve on the same points, up to `slack`. Where nothing is drawn, nothing is below.
    pub fn is_below(&self, other: &Self, slack: f64) -> bool {
        !self.points.is_empty()
            && self.points.len() == other.points.len()
            && self.points.iter().zip(&other.points).all(|(ours, theirs)| ours[1] <= theirs[1] + slack)
    }
}

/// How an axis is spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Spacing {
    /// Evenly.
    #[default]
    Linear,
    /// By factors.
    Logarithmic,
}

/// One chart of a figure.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// What distinguishes it from the other charts of the figure; empty if it is alone.
    pub name: String,
    /// What the horizontal axis shows, with its unit.
    pub x_name: &'static str,
    /// How the horizontal axis is spaced.
    pub x_spacing: Spacing,
    /// What lies at 1, 2, 3 and so on, where that is no number.
    pub x_labels: &'static [&'static str],
    /// What the vertical axis shows, with its unit.
    pub y_name: &'static str,
    /// Whether the vertical axis is never logarithmic: probabilities are compared by their differences.
    pub is_linear: bool,
    /// What is drawn.
    pub curves: Vec<Curve>,
    /// What is drawn behind the curves.
    pub heat: Option<Heat>,
}

/// A number for each cell of the plane, as tints.
#[derive(Debug, Clone)]
pub struct Heat {
    /// What the numbers are, with their unit.
    pub label: String,
    /// The cells.
    pub cells: Vec<HeatCell>,
}

impl Panel {
    /// The ends of the horizontal axis.
    pub(crate) fn ends(&self) -> [f64; 2] {
        let places = self.curves.iter().flat_map(|curve| curve.points.iter().map(|[x, _]| *x));
        let cells = self.heat.iter().flat_map(|heat| &heat.cells).flat_map(|cell| cell.across);
        places
            .chain(cells)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }

    /// What lies at a point of the horizontal axis.
    fn place(&self, x: f64) -> Place {
        let name = (1u32..).zip(self.x_labels).find(|(place, _)| f64::from(*place) == x);
        name.map_or(Place::Number(x), |(_, name)| Place::Name((*name).to_owned()))
    }

    /// Whether the vertical axis may be logarithmic: every height has a logarithm.
    pub(crate) fn may_be_logarithmic(&self) -> bool {
        !self.is_linear && self.curves.iter().flat_map(|curve| &curve.points).all(|[_, height]| *height > 0.0)
    }
}

/// The labels of a classifier over two features.
#[derive(Debug, Clone)]
pub struct LabelMap {
    /// What distinguishes it from the other pictures of the figure.
    pub name: String,
    /// What is drawn; the title is that of the figure.
    pub region: Region,
}

/// A number of a table that is not drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its column.
    pub series: String,
    /// Its row.
    pub x: Place,
    /// What we measure.
    pub ours: f64,
}

/// What computing a figure gave.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The charts.
    pub panels: Vec<Panel>,
    /// The maps of labels.
    pub maps: Vec<LabelMap>,
    /// Numbers that are not drawn.
    pub entries: Vec<Entry>,
    /// What the claims are about.
    pub measured: Vec<Measured>,
}

impl Findings {
    /// Adds a number for a claim.
    pub fn measure(&mut self, id: impl Into<String>, ours: f64) {
        self.measured.push(Measured { id: id.into(), ours, corrected: None });
    }

    /// Adds a number for a claim, as the paper's formula gives it, and the one of the corrected formula.
    pub fn measure_corrected(&mut self, id: impl Into<String>, ours: f64, corrected: f64) {
        self.measured.push(Measured { id: id.into(), ours, corrected: Some(corrected) });
    }

    /// Says whether the sentence of a claim holds.
    pub fn holds(&mut self, id: impl Into<String>, is_true: bool) {
        self.measure(id, f64::from(u8::from(is_true)));
    }

    /// Says whether the sentence of a claim holds with what the paper prints, and with the corrected formula.
    pub fn holds_corrected(&mut self, id: impl Into<String>, is_true: bool, is_corrected_true: bool) {
        self.measure_corrected(id, f64::from(u8::from(is_true)), f64::from(u8::from(is_corrected_true)));
    }

    /// Adds a number that is not drawn.
    pub fn entry(&mut self, series: impl Into<String>, x: impl Into<String>, ours: f64) {
        self.entries.push(Entry { series: series.into(), x: Place::Name(x.into()), ours });
    }

    /// The numbers of the charts and tables.
    pub(crate) fn rows(&self, figure: &'static str) -> Vec<Row> {
        let mut rows = Vec::new();
        for panel in &self.panels {
            for curve in &panel.curves {
                let is_named = !panel.name.is_empty();
                let series =
                    if is_named { format!("{}: {}", panel.name, curve.label) } else { curve.label.clone() };
                let row = |series: &str, x: f64, ours: f64| Row {
                    figure,
                    series: series.to_owned(),
                    x: panel.place(x),
                    ours,
                    paper: None,
                };
                rows.extend(curve.points.iter().map(|[x, ours]| row(&series, *x, *ours)));
                for (side, name) in [(1, "at least"), (2, "at most")] {
                    let series = format!("{series}, {name}");
                    rows.extend(curve.band.iter().map(|ends| row(&series, ends[0], ends[side])));
                }
            }
            if let Some(heat) = &panel.heat {
                rows.extend(heat.cells.iter().map(|cell| heat_row(figure, panel, heat, cell)));
            }
        }
        rows.extend(self.entries.iter().map(|entry| Row {
            figure,
            series: entry.series.clone(),
            x: entry.x.clone(),
            ours: entry.ours,
            paper: None,
        }));
        rows
    }
}

/// A cell by its middle.
fn heat_row(figure: &'static str, panel: &Panel, heat: &Heat, cell: &HeatCell) -> Row {
    let [x, y] = [cell.across, cell.upwards].map(|[from, to]| f64::midpoint(from, to));
    let series = format!("{} at {} {}", heat.label, panel.y_name, Place::Number(y));
    Row { figure, series, x: Place::Number(x), ours: cell.value, paper: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_what_has_no_number() {
        let curves = vec![Curve::dots("error", vec![[1.0, 0.5], [2.0, 0.7]])];
        let panel = Panel { x_labels: &["Kosarak", "Amazon"], curves, ..Panel::default() };
        let rows = Findings { panels: vec![panel], ..Findings::default() }.rows("4.3");
        let places: Vec<String> = rows.iter().map(|row| row.x.to_string()).collect();
        assert_eq!(places, ["Kosarak", "Amazon"]);
    }

    fn curve(heights: &[f64]) -> Curve {
        Curve::line("", heights.iter().enumerate().map(|(x, height)| [x as f64, *height]).collect())
    }

    #[test]
    fn a_curve_is_below_another_where_it_is_at_every_point() {
        let (low, high) = (curve(&[1.0, 2.0]), curve(&[2.0, 2.5]));
        assert!(low.is_below(&high, 0.0) && !high.is_below(&low, 0.0));
        assert!(high.is_below(&low, 1.0) && !high.is_below(&low, 0.9));
        assert_eq!((high.lead_over(&low), low.lead_over(&high)), (0.5, -1.0));
    }

    /// A verdict must not come from points that are missing.
    #[test]
    fn nothing_is_below_nothing() {
        let (some, none, unknown) = (curve(&[1.0, 2.0]), curve(&[]), curve(&[f64::NAN, 3.0]));
        assert!(!none.is_below(&none, 0.0) && !curve(&[0.0]).is_below(&some, 0.0));
        assert!(!some.is_below(&unknown, 0.0) && !unknown.is_below(&some, 9.0));
        assert!(none.lead_over(&none).is_nan());
        assert!(unknown.lead_over(&some).is_nan() && some.lead_over(&unknown).is_nan());
    }
}
