//! The charts of figures.

use crate::figure::{Heat, Look, Spacing, slug};
use crate::{Curve, Figure, Panel, ReproduceError, Reproduced, Reproduction};
use privet_plot::{Chart, Drawing, Range, Region, Series};
use std::path::Path;

/// Writes each picture as SVG and as PNG.
pub(super) fn write_all(folder: &Path, reproduction: &Reproduction) -> Result<(), ReproduceError> {
    for (name, drawing) in reproduction.figures.iter().flat_map(pictures) {
        super::write(&folder.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
        super::write(&folder.join(format!("{name}.png")), &drawing.png()?)?;
    }
    Ok(())
}

/// The charts and maps of a figure, with the names of their files without what comes after the point.
pub(super) fn pictures(reproduced: &Reproduced) -> Vec<(String, Drawing)> {
    let (figure, Some(findings)) = (reproduced.figure, &reproduced.findings) else { return Vec::new() };
    let charts =
        findings.panels.iter().map(|panel| (file_name(figure, &panel.name), chart(figure, panel).draw()));
    let maps = findings.maps.iter().map(|map| {
        let region = Region { title: title(figure, &map.name), ..map.region.clone() };
        (file_name(figure, &map.name), region.draw())
    });
    charts.chain(maps).collect()
}

fn file_name(figure: &Figure, part: &str) -> String {
    if part.is_empty() { figure.slug() } else { format!("{}-{}", figure.slug(), slug(part)) }
}

/// The names of the figure and its part. Where the part has an epsilon of its own, the list of all of them is left out.
fn title(figure: &Figure, part: &str) -> String {
    let what = match figure.title.split_once(" (epsilon ") {
        Some((what, _)) if part.contains("epsilon ") => what,
        _ => figure.title,
    };
    let part = if part.is_empty() { String::new() } else { format!(", {part}") };
    format!("{}{part}: {what}", figure.heading())
}

fn chart(figure: &Figure, panel: &Panel) -> Chart {
    let labels: Vec<&str> = panel.curves.iter().map(|curve| curve.label.as_str()).collect();
    let ends = panel.ends();
    Chart {
        title: title(figure, &panel.name),
        description: format!(
            "{}: {} against {} for {}.",
            figure.title,
            panel.y_name,
            panel.x_name,
            labels.join(", ")
        ),
        x_name: panel.x_name.to_owned(),
        x_range: match panel.x_spacing {
            _ if !panel.x_labels.is_empty() => Range::Names(panel.x_labels),
            Spacing::Linear => Range::Line(ends),
            Spacing::Logarithmic => Range::Factors(ends),
        },
        y_name: panel.y_name.to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: panel.may_be_logarithmic(),
        series: panel.curves.iter().map(series).chain(panel.heat.iter().map(tints)).collect(),
    }
}

/// Drawn behind the curves, and last in the legend.
fn tints(heat: &Heat) -> Series {
    Series { label: heat.label.clone(), cells: heat.cells.clone(), ..Series::default() }
}

fn series(curve: &Curve) -> Series {
    let Curve { label, points, band, look } = curve.clone();
    let series = Series { label, band, ..Series::default() };
    match look {
        Look::Line => Series { line: points, ..series },
        Look::Crosses => Series { crosses: points, ..series },
        Look::Dots => {
            let measured = points.iter().map(|[x, value]| [*x, *value, *value, *value]).collect();
            Series { measured, ..series }
        }
        Look::Area => Series { line: points, is_filled: true, ..series },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Findings;

    #[test]
    fn titles_say_nothing_twice() {
        let figure = Figure::new("5.8", "Errors (epsilon 2 and 4)", |_| Ok(Findings::default()));
        assert_eq!(title(&figure, "epsilon 2"), "Figure 5.8, epsilon 2: Errors");
        assert_eq!(title(&figure, "worst"), "Figure 5.8, worst: Errors (epsilon 2 and 4)");
        assert_eq!(title(&figure, ""), "Figure 5.8: Errors (epsilon 2 and 4)");
    }
}
