//! A run on standard output.

use crate::failure::Failure;
use crate::output::{Output, table_of_numbers};
use comfy_table::CellAlignment;
use privet_bench::{Change, Comparison, Row, Run, Verdict, rate_text};
use privet_plot::ratio_text;
use serde::Serialize;

/// A row as JSON has it.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    row: &'a Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a Change>,
    /// Why there is nothing in `against`, where a run to compare with is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_compared: Option<String>,
}

/// Prints what was measured, and what changed.
pub(super) fn print(output: Output, run: &Run, comparison: Option<&Comparison>) -> Result<(), Failure> {
    let shown = |row| Shown {
        row,
        against: comparison.and_then(|comparison| comparison.of(row)),
        not_compared: comparison.and_then(|comparison| comparison.why_not(row)),
    };
    let rows: Vec<Shown<'_>> = run.rows.iter().map(shown).collect();
    output.print(&rows, || text(&rows, comparison))
}

fn text(rows: &[Shown<'_>], comparison: Option<&Comparison>) -> String {
    let mut table = table_of_numbers(&["task", "ours", "peer", "ratio", "noise", "unit", "note"], 1);
    for column in [5, 6] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Left);
        }
    }
    for Shown { row, .. } in rows {
        table.add_row(vec![
            row.task.clone(),
            rate_text(row.ours),
            rate_text(row.peer),
            ratio_text(row.ratio),
            format!("{:.1} %", 100.0 * row.noise),
            row.unit.clone(),
            row.note.clone(),
        ]);
    }
    let changes = comparison.map(changes).unwrap_or_default();
    format!("{}{changes}", table.trim_fmt())
}

/// What changed by more than the noise, in words.
fn changes(comparison: &Comparison) -> String {
    let count = comparison.changes.len();
    let mut text = format!("\n\n{count} task{} compared.", if count == 1 { "" } else { "s" });
    for (verdict, name) in [(Verdict::Slower, "Slower"), (Verdict::Faster, "Faster")] {
        let changed: Vec<&Change> =
            comparison.changes.iter().filter(|change| change.verdict == verdict).collect();
        if changed.is_empty() {
            text.push_str(&format!("\n{name} by more than the noise: nothing"));
            continue;
        }
        let mut table = table_of_numbers(&["task", "before", "now", "change", "noise"], 1);
        for Change { task, before, now, change, noise, .. } in changed {
            let [before, now] = [*before, *now].map(ratio_text);
            let (change, noise) = (format!("{:+.1} %", 100.0 * change), format!("{:.1} %", 100.0 * noise));
            table.add_row(vec![task.clone(), before, now, change, noise]);
        }
        text.push_str(&format!("\n\n{name} by more than the noise:\n{}", table.trim_fmt()));
    }
    for difference in &comparison.incomparable {
        text.push_str(&format!("\n{}: {}", difference.task, difference.reason()));
    }
    text
}
