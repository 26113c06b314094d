//! What randomised vectors are worth, as a table, a file and a chart.

use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::plot::{self, Chart, Range, Series};
use crate::table::{ColumnWriter, Format, KeptColumn};
use privet::Epsilon;
use serde::Serialize;
use std::path::Path;

/// One measured value.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) mechanism: &'static str,
    pub(super) reshaped: bool,
    /// How vectors were mapped before and after.
    pub(super) recipe: &'static str,
    /// Which vectors.
    pub(super) data: &'static str,
    /// How many reports were averaged for one answer.
    pub(super) people: usize,
    /// `None` where nothing was randomised.
    pub(super) epsilon: Option<f64>,
    pub(super) metric: &'static str,
    pub(super) value: f64,
    /// Of the mean over the trials; zero for what is computed.
    pub(super) standard_error: f64,
    /// What the mechanism states, where it states the same thing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stated: Option<f64>,
}

/// The mean of trials with its standard error.
pub(super) fn mean_of(trials: &[f64]) -> (f64, f64) {
    let count = trials.len() as f64;
    let mean = trials.iter().sum::<f64>() / count;
    let squares: f64 = trials.iter().map(|trial| (trial - mean).powi(2)).sum();
    (mean, (squares / (count * (count - 1.0).max(1.0))).sqrt())
}

/// One column of a table for people.
struct Column {
    name: &'static str,
    value: fn(&Row) -> String,
    /// Whether it is a number, and aligned as one.
    is_number: bool,
    /// Whether it is left out where all rows agree.
    is_optional: bool,
}

const COLUMNS: [Column; 9] = [
    text("MECHANISM", |row| row.mechanism.to_owned(), false),
    text("RECIPE", |row| row.recipe.to_owned(), true),
    text("DATA", |row| row.data.to_owned(), true),
    text("METRIC", |row| row.metric.to_owned(), false),
    numeric("PEOPLE", |row| row.people.to_string(), true),
    numeric("EPSILON", |row| row.epsilon.map_or("-".to_owned(), |epsilon| epsilon.to_string()), false),
    numeric("VALUE", |row| number(row.value), false),
    numeric("STANDARD ERROR", |row| number(row.standard_error), false),
    numeric("STATED", |row| row.stated.map_or("-".to_owned(), number), true),
];

const fn text(name: &'static str, value: fn(&Row) -> String, is_optional: bool) -> Column {
    Column { name, value, is_number: false, is_optional }
}

const fn numeric(name: &'static str, value: fn(&Row) -> String, is_optional: bool) -> Column {
    Column { name, value, is_number: true, is_optional }
}

/// A table for people.
fn page(rows: &[Row]) -> String {
    let differs = |column: &Column| rows.iter().any(|row| (column.value)(row) != (column.value)(&rows[0]));
    let shown: Vec<&Column> =
        COLUMNS.iter().filter(|column| !column.is_optional || differs(column)).collect();
    let names = shown.iter().filter(|column| !column.is_number).count();
    let header: Vec<&str> = shown.iter().map(|column| column.name).collect();
    let mut table = table_of_numbers(&header, names);
    for row in rows {
        table.add_row(shown.iter().map(|column| (column.value)(row)));
    }
    table.trim_fmt()
}

/// Writes the rows into a table whose format the file's name says.
fn save(rows: &[Row], path: &Path) -> Result<(), Failure> {
    let mut writer = ColumnWriter::create(path, Format::of(path, None)?)?;
    let texts = |name, value: fn(&Row) -> &'static str| {
        KeptColumn::of_texts(name, rows.iter().map(|row| Some(value(row))))
    };
    let numbers = |name, value: fn(&Row) -> f64| KeptColumn::of_numbers(name, rows.iter().map(value));
    let epsilons: Vec<Option<String>> =
        rows.iter().map(|row| row.epsilon.map(|epsilon| epsilon.to_string())).collect();
    writer.write(&[
        texts("mechanism", |row| row.mechanism),
        texts("reshaped", |row| if row.reshaped { "true" } else { "false" }),
        texts("recipe", |row| row.recipe),
        texts("data", |row| row.data),
        numbers("people", |row| row.people as f64),
        KeptColumn::of_texts("epsilon", epsilons.iter().map(Option::as_deref)),
        texts("metric", |row| row.metric),
        numbers("value", |row| row.value),
        numbers("standard_error", |row| row.standard_error),
    ])?;
    writer.finish()
}

/// Draws the first metric of the first data over epsilon, a line for each mechanism and recipe. What does not depend on epsilon
/// is a line from end to end.
fn draw(rows: &[Row], title: String, path: &Path) -> Result<(), Failure> {
    let epsilons = || rows.iter().filter_map(|row| row.epsilon);
    let ends = [epsilons().fold(f64::INFINITY, f64::min), epsilons().fold(f64::NEG_INFINITY, f64::max)];
    let (metric, data) = (rows[0].metric, rows[0].data);
    let has_recipes = rows.iter().any(|row| row.recipe != rows[0].recipe);
    let mut series: Vec<Series> = Vec::new();
    for row in rows.iter().filter(|row| row.metric == metric && row.data == data) {
        let label =
            if has_recipes { format!("{}, {}", row.mechanism, row.recipe) } else { row.mechanism.to_owned() };
        let points = match row.epsilon {
            Some(epsilon) => vec![[epsilon, row.value]],
            None => ends.map(|end| [end, row.value]).to_vec(),
        };
        match series.iter_mut().find(|series| series.label == label) {
            Some(series) => series.line.extend(points),
            None => series.push(Series { label, line: points, ..Series::default() }),
        }
    }
    for series in &mut series {
        series.line.sort_by(|one, other| one[0].total_cmp(&other[0]));
    }
    let names: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    let chart = Chart {
        description: format!("One line for each mechanism: {}.", names.join("; ")),
        title,
        x_name: "epsilon".into(),
        x_range: Range::Line(ends),
        y_name: metric.replace('-', " "),
        stem_name: String::new(),
        may_be_logarithmic: metric != "accuracy",
        series,
    };
    plot::save(&chart, path)
}

/// Refuses files that could not be written, before anything is computed.
pub(super) fn check_files(
    out: Option<&Path>,
    plot: Option<&Path>,
    epsilons: &[Epsilon],
) -> Result<(), Failure> {
    out.map(|path| Format::of(path, None)).transpose()?;
    plot.map(plot::Format::of).transpose()?;
    if plot.is_some() && epsilons.iter().all(|epsilon| *epsilon == epsilons[0]) {
        return Err(Failure::Usage {
            message: "the plot shows values over epsilon: one epsilon is no line".into(),
            hint: Some("give several epsilons, such as 1,2,5,10, or leave --plot out"),
        });
    }
    Ok(())
}

/// Writes, draws and prints the rows.
pub(super) fn show(
    rows: &[Row],
    title: String,
    [out, plot]: [Option<&Path>; 2],
    output: Output,
) -> Result<(), Failure> {
    if let Some(path) = out {
        save(rows, path)?;
    }
    if let Some(path) = plot {
        draw(rows, title, path)?;
    }
    output.print(&rows, || page(rows) + &also_in(out, plot))
}

/// What follows a table: where else it went.
fn also_in(out: Option<&Path>, plot: Option<&Path>) -> String {
    let out = out.map(|path| format!("\nWritten to {}.", path.display()));
    let plot = plot.map(|path| format!("\nDrawn in {}.", path.display()));
    let lines: String = out.into_iter().chain(plot).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_their_errors() {
        assert_eq!(mean_of(&[1.0, 3.0]), (2.0, 1.0));
        assert_eq!(mean_of(&[5.0]), (5.0, 0.0));
    }
}
