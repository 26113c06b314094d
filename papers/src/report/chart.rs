//! The charts of figures.

use crate::figure::{Look, Spacing, slug};
use crate::{Curve, Figure, Panel, ReproduceError, Reproduction};
use privet_plot::{Chart, Drawing, Range, Series};
use std::path::Path;

/// Writes each chart as SVG and as PNG.
pub(super) fn write_all(folder: &Path, reproduction: &Reproduction) -> Result<(), ReproduceError> {
    for reproduced in &reproduction.figures {
        let panels = reproduced.findings.iter().flat_map(|findings| &findings.panels);
        for panel in panels {
            let drawing = draw(reproduced.figure, panel);
            let name = file_name(reproduced.figure, panel);
            super::write(&folder.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
            super::write(&folder.join(format!("{name}.png")), &drawing.png()?)?;
        }
    }
    Ok(())
}

/// The name of a chart's files, without what comes after the point.
pub(super) fn file_name(figure: &Figure, panel: &Panel) -> String {
    if panel.name.is_empty() { figure.slug() } else { format!("{}-{}", figure.slug(), slug(&panel.name)) }
}

/// A chart with its title and its legend.
pub(super) fn draw(figure: &Figure, panel: &Panel) -> Drawing {
    chart(figure, panel).draw()
}

fn chart(figure: &Figure, panel: &Panel) -> Chart {
    let part = if panel.name.is_empty() { String::new() } else { format!(", {}", panel.name) };
    let labels: Vec<&str> = panel.curves.iter().map(|curve| curve.label.as_str()).collect();
    let ends = panel.ends();
    Chart {
        title: format!("{}{part}: {}", figure.heading(), figure.title),
        description: format!(
            "{}: {} against {} for {}.",
            figure.title,
            panel.y_name,
            panel.x_name,
            labels.join(", ")
        ),
        x_name: panel.x_name.to_owned(),
        x_range: match panel.x_spacing {
            Spacing::Linear => Range::Line(ends),
            Spacing::Logarithmic => Range::Factors(ends),
        },
        y_name: panel.y_name.to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: panel.is_positive(),
        series: panel.curves.iter().map(series).collect(),
    }
}

fn series(curve: &Curve) -> Series {
    let (label, points) = (curve.label.clone(), curve.points.clone());
    match curve.look {
        Look::Line => Series { label, line: points, ..Series::default() },
        Look::Crosses => Series { label, crosses: points, ..Series::default() },
        Look::Dots => {
            let measured = points.iter().map(|[x, value]| [*x, *value, *value, *value]).collect();
            Series { label, measured, ..Series::default() }
        }
        Look::Area => Series { label, line: points, is_filled: true, ..Series::default() },
    }
}
