//! What was found, as a page, as pictures and in a few lines.

use crate::rows::{Pooled, Row, pooled};
use crate::verdict::{MOST_POOLED, PROMISED};
use crate::width::{MOST_OVER_MINIMAX, WidthRow};
use anyhow::{Context, Result};
use privet_plot::page::{document, escape, number_table};
use privet_plot::{HeatEntry, HeatRow, HeatTable};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Everything that a run found.
#[derive(Debug)]
pub struct Findings {
    /// All questions of all cells.
    pub rows: Vec<Row>,
    /// All widths.
    pub widths: Vec<WidthRow>,
    /// Data sets that were not there.
    pub missing: Vec<String>,
    /// How long it took, if it was measured.
    pub seconds: Option<f64>,
}

/// A picture, and the name of its files.
struct Picture {
    name: String,
    table: HeatTable,
}

impl Findings {
    /// Whether a cell fails, or intervals without bias hold much too often.
    pub fn fails(&self) -> bool {
        self.rows.iter().any(|row| row.fails) || pooled(&self.rows).iter().any(Pooled::fails)
    }

    fn failing(&self) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.fails).collect()
    }

    /// How many cells there were, and how long they took together.
    fn cells(&self) -> (usize, f64) {
        let mut cells: BTreeMap<String, f64> = BTreeMap::new();
        for row in &self.rows {
            cells.insert(Row { question: String::new(), ..row.clone() }.name(), row.seconds);
        }
        (cells.len(), cells.values().sum())
    }

    /// The outcome in a few lines.
    pub fn summary(&self) -> String {
        let (cells, seconds) = self.cells();
        let suspicious = self.rows.iter().filter(|row| row.is_suspicious).count();
        let mut text = format!(
            "{cells} cells with {} questions, {seconds:.0} s of one core; {suspicious} suspicious, {} failing\n",
            self.rows.len(),
            self.failing().len()
        );
        if let Some(seconds) = self.seconds {
            let _ = writeln!(text, "{seconds:.0} s in all");
        }
        self.missing.iter().for_each(|missing| text.push_str(&format!("missing: {missing}\n")));
        for row in self.failing() {
            let _ = match row.error.as_str() {
                "" => writeln!(
                    text,
                    "fails: {}, coverage {:.4}, values vary {:.2} times what is stated",
                    row.name(),
                    row.coverage,
                    row.deviation_ratio
                ),
                error => writeln!(text, "fails: {} {error}", row.name()),
            };
        }
        for pooled in pooled(&self.rows).iter().filter(|pooled| pooled.fails()) {
            let coverage = pooled.sharp_coverage.unwrap_or_default();
            let _ = writeln!(text, "too wide: {}, pooled coverage {coverage:.4}", pooled.name);
        }
        let wide = self.widths.iter().filter(|row| row.not_met.is_some()).count();
        let _ = writeln!(text, "{wide} of {} widths are above what is required", self.widths.len());
        text
    }

    /// Writes the page and the pictures.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let pictures = self.pictures();
        for Picture { name, table } in &pictures {
            let drawing = table.draw();
            put(&folder.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
            put(&folder.join(format!("{name}.png")), &drawing.png()?)?;
        }
        put(&folder.join("index.html"), self.page(&pictures).as_bytes())
    }

    fn families(&self) -> BTreeSet<&str> {
        self.rows.iter().map(|row| row.family.as_str()).collect()
    }

    fn pictures(&self) -> Vec<Picture> {
        let mut pictures = Vec::new();
        for family in self.families() {
            let rows: Vec<&Row> =
                self.rows.iter().filter(|row| row.family == family && row.error.is_empty()).collect();
            pictures.push(coverage_picture(family, &rows, Sides::MECHANISM_EPSILON));
            pictures.push(coverage_picture(family, &rows, Sides::POPULATION_PEOPLE));
            let kind = first_kind(family);
            let of_kind: Vec<&Row> = rows.into_iter().filter(|row| row.kind == kind).collect();
            pictures.push(width_picture(family, &of_kind, Sides::MECHANISM_EPSILON));
            pictures.push(width_picture(family, &of_kind, Sides::POPULATION_PEOPLE));
        }
        for (question, over) in [("mean", Over::Minimax), ("mean", Over::Oracle), ("bin", Over::Oracle)] {
            pictures.push(ratio_picture(&self.widths, question, over));
        }
        pictures
    }

    fn page(&self, pictures: &[Picture]) -> String {
        let mut body = String::from("<h1>The coverage laboratory</h1>\n");
        for line in self.summary().lines() {
            let _ = writeln!(body, "<p>{}</p>", escape(line));
        }
        let _ = writeln!(
            body,
            "<p>A cell is one estimator of one mechanism at one epsilon, for one number of people of one kind, repeated from \
             seeds that are fixed beforehand. The maps show the lowest coverage of all questions of all cells that \
             meet there. Of many questions that hold in {PROMISED} of repetitions the lowest is below that by chance, so only \
             a second run with fresh seeds is a verdict.</p>"
        );
        body.push_str(&self.pooled_table());
        body.push_str(&self.suspicious_table());
        for Picture { name, table } in pictures {
            let drawing = table.draw();
            let _ = writeln!(body, "<section><figure>{}</figure></section>", drawing.inline_svg(name));
        }
        body.push_str(&self.width_table());
        document("Privet: the coverage laboratory", &body)
    }

    fn pooled_table(&self) -> String {
        let row = |pooled: &Pooled| {
            let sharp = pooled.sharp_coverage.map_or(String::new(), |coverage| format!("{coverage:.4}"));
            vec![
                pooled.name.clone(),
                format!("{:.4}", pooled.coverage),
                pooled.count.to_string(),
                sharp,
                pooled.sharp_count.to_string(),
                format!("{:.2}", pooled.deviation_ratio),
            ]
        };
        let rows: Vec<Vec<String>> = pooled(&self.rows).iter().map(row).collect();
        let caption = format!("Pooled coverage; without bias and of many people it is at most {MOST_POOLED}");
        number_table(
            &caption,
            &[
                "questions",
                "coverage",
                "cells",
                "without bias",
                "cells",
                "most variation over what is stated",
            ],
            &rows,
        )
    }

    fn suspicious_table(&self) -> String {
        let row = |row: &&Row| {
            vec![
                row.name(),
                format!("{:.4}", row.first_coverage),
                format!("{:.4}", row.coverage),
                row.repetitions.to_string(),
                format!("{:.2}", row.deviation_ratio),
                if row.fails { format!("fails {}", row.error) } else { "holds".to_owned() },
            ]
        };
        let rows: Vec<Vec<String>> = self
            .rows
            .iter()
            .filter(|row| row.is_suspicious || row.fails)
            .collect::<Vec<_>>()
            .iter()
            .map(row)
            .collect();
        let header = ["cell", "at first", "then", "repetitions", "variation over what is stated", "verdict"];
        number_table("Suspicious questions", &header, &rows)
    }

    fn width_table(&self) -> String {
        let row = |row: &WidthRow| {
            let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
            vec![
                format!(
                    "{} epsilon {} n {} {}: {}",
                    row.mechanism, row.epsilon, row.n, row.population, row.question
                ),
                format!("{:.5}", row.half_width),
                row.minimax.map_or(String::new(), |minimax| format!("{minimax:.5}")),
                row.minimax_at_least.map_or(String::new(), |least| format!("{least:.5}")),
                ratio(row.over_minimax()),
                format!("{:.5}", row.oracle),
                ratio(Some(row.over_oracle())),
                row.not_met.clone().unwrap_or_default(),
            ]
        };
        let header = ["channel", "half-width", "minimax", "at least", "ratio", "oracle", "ratio", "not met"];
        let rows: Vec<Vec<String>> = self.widths.iter().map(row).collect();
        let caption = format!(
            "Half-widths beside the affine minimax value, of which means should be at most {MOST_OVER_MINIMAX} times, and the oracle's"
        );
        number_table(&caption, &header, &rows)
    }
}

fn put(file: &Path, content: &[u8]) -> Result<()> {
    std::fs::write(file, content).with_context(|| format!("cannot write {}", file.display()))
}

/// The kind of question whose widths a family's maps show.
fn first_kind(family: &str) -> &'static str {
    match family {
        "numbers" | "lotteries" => "mean",
        "angles" => "length",
        "categories" => "share",
        "places" => "cell",
        "vectors" => "coordinate",
        _ => "word",
    }
}

/// What the rows and the columns of a map are.
#[derive(Clone, Copy)]
struct Sides {
    file: &'static str,
    rows: (&'static str, fn(&Row) -> String),
    columns: (&'static str, fn(&Row) -> f64),
}

impl Sides {
    const MECHANISM_EPSILON: Self = Self {
        file: "mechanisms",
        rows: ("mechanism", |row| row.mechanism.clone()),
        columns: ("epsilon", |row| row.epsilon),
    };
    const POPULATION_PEOPLE: Self = Self {
        file: "populations",
        rows: ("population", |row| row.population.clone()),
        columns: ("people", |row| row.n as f64),
    };

    /// A table of what some function says about the rows that meet in a cell.
    fn table(self, rows: &[&Row], entry: impl Fn(&[&Row]) -> Option<HeatEntry>) -> HeatTable {
        // In the order in which they were looked at.
        let mut names: Vec<String> = Vec::new();
        for row in rows {
            let name = (self.rows.1)(row);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut columns: Vec<f64> = rows.iter().map(|row| (self.columns.1)(row)).collect();
        columns.sort_by(f64::total_cmp);
        columns.dedup();
        let cell = |name: &str, column: f64| {
            let met: Vec<&Row> = rows
                .iter()
                .copied()
                .filter(|row| (self.rows.1)(row) == name && (self.columns.1)(row) == column)
                .collect();
            if met.is_empty() { None } else { entry(&met) }
        };
        let row = |name: &String| HeatRow {
            name: name.clone(),
            cells: columns.iter().map(|column| cell(name, *column)).collect(),
        };
        HeatTable {
            title: String::new(),
            description: String::new(),
            rows_name: self.rows.0.to_owned(),
            columns_name: self.columns.0.to_owned(),
            columns: columns.iter().map(f64::to_string).collect(),
            rows: names.iter().map(row).collect(),
            note: String::new(),
        }
    }
}

fn coverage_picture(family: &str, rows: &[&Row], sides: Sides) -> Picture {
    let entry = |met: &[&Row]| {
        let lowest = met.iter().map(|row| row.coverage).fold(1.0, f64::min);
        let is_marked = met.iter().any(|row| row.fails);
        let share = if is_marked { 1.0 } else { (1.0 - lowest) / (1.0 - 0.93) };
        Some(HeatEntry { text: format!("{:.1}", 100.0 * lowest), share, is_marked })
    };
    let table = HeatTable {
        title: format!("{family}: lowest coverage in percent"),
        description:
            "The lowest share of intervals that held the truth, of all questions of all cells that meet."
                .into(),
        note: "Darker is lower. Orange fails: below 95 % by 5 standard errors of 20 000 repetitions.".into(),
        ..sides.table(rows, entry)
    };
    Picture { name: format!("coverage-{family}-{}", sides.file), table }
}

fn width_picture(family: &str, rows: &[&Row], sides: Sides) -> Picture {
    let kind = first_kind(family);
    let entry = |met: &[&Row]| {
        let mean = met.iter().map(|row| row.half_width).sum::<f64>() / met.len() as f64;
        // By factors: from a ten-thousandth to one.
        let share = 1.0 + mean.max(1e-4).log10() / 4.0;
        Some(HeatEntry { text: short(mean), share, is_marked: false })
    };
    let table = HeatTable {
        title: format!("{family}: half of the length of intervals for a {kind}"),
        description: "The mean over all cells that meet.".into(),
        note: "Darker is wider, by factors. Cells differ in populations and numbers of people.".into(),
        ..sides.table(rows, entry)
    };
    Picture { name: format!("width-{family}-{}", sides.file), table }
}

/// A number with two digits that matter.
fn short(number: f64) -> String {
    let digits = (1.0 - number.abs().max(1e-9).log10().floor()).clamp(0.0, 6.0) as usize;
    format!("{number:.digits$}")
}

/// What half-widths are divided by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Minimax,
    Oracle,
}

fn ratio_picture(widths: &[WidthRow], question: &str, over: Over) -> Picture {
    let ratio = |row: &WidthRow| match over {
        Over::Minimax => row.over_minimax().unwrap_or_default(),
        Over::Oracle => row.over_oracle(),
    };
    let rows: Vec<&WidthRow> = widths.iter().filter(|row| row.question == question).collect();
    let column = |row: &WidthRow| format!("{}, n {}", row.epsilon, row.n);
    let (mut names, mut columns): (Vec<&str>, Vec<String>) = Default::default();
    for row in &rows {
        if !names.contains(&row.mechanism.as_str()) {
            names.push(&row.mechanism);
        }
        if !columns.contains(&column(row)) {
            columns.push(column(row));
        }
    }
    let cell = |name: &str, at: &String| {
        let met: Vec<&&WidthRow> =
            rows.iter().filter(|row| row.mechanism == name && column(row) == *at).collect();
        let largest = met.iter().map(|row| ratio(row)).fold(0.0, f64::max);
        let is_marked = met.iter().any(|row| row.not_met.is_some());
        let share = if is_marked { 1.0 } else { (largest - 0.8) / 2.0 };
        (!met.is_empty()).then(|| HeatEntry { text: format!("{largest:.2}"), share, is_marked })
    };
    let heat_row = |name: &&str| HeatRow {
        name: (*name).to_owned(),
        cells: columns.iter().map(|column| cell(name, column)).collect(),
    };
    let what = if over == Over::Minimax { "affine minimax value" } else { "oracle" };
    let table = HeatTable {
        title: format!("half-width of a {question} over the {what}"),
        description: "The largest ratio over the populations.".into(),
        rows_name: "mechanism".into(),
        columns_name: "epsilon and people".into(),
        rows: names.iter().map(heat_row).collect(),
        columns,
        note: "The largest over the populations. Orange is above what is required somewhere.".into(),
    };
    let file = if over == Over::Minimax { "minimax" } else { "oracle" };
    Picture { name: format!("ratio-{question}-{file}"), table }
}
