//! Charts for files: a few lines, steps and stems on two axes, as SVG or PNG.
//!
//! A chart is laid out once, into shapes, and the shapes are written as SVG or drawn as pixels. The font of the pixels is
//! part of the program, so that a chart looks the same on a machine without fonts.

mod axis;
mod chart;
mod font;
mod map;
mod pixels;
mod region;
mod shape;
mod svg;

pub(crate) use chart::{Chart, Range, Series};
pub(crate) use map::{GridLine, Layer, Map, Tint, Unit, ring};
pub(crate) use region::{LabelledBox, Region};

use crate::failure::Failure;
use crate::page::{document, escape};
use crate::table::replace_file;
use map::Heading;
use privet::DomainSpec;
use std::f64::consts::TAU;
use std::path::Path;

/// A domain for titles: a circle of two pi is better known by that name.
pub(crate) fn domain_name(domain: &DomainSpec) -> String {
    match domain {
        DomainSpec::Circle(circle) if (circle.period() - TAU).abs() < 1e-9 * TAU => "circle:2π".to_owned(),
        other => other.to_string(),
    }
}

/// How a chart is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// The format that the name of the file says.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => Err(Failure::Usage {
                message: format!("cannot tell the format of the plot {} from its name", path.display()),
                hint: Some("name it .svg or .png"),
            }),
        }
    }
}

/// Draws a chart into a file, which appears when it is complete.
pub(crate) fn save(chart: &Chart, path: &Path) -> Result<(), Failure> {
    save_drawing(&chart.draw(), path, Format::of(path)?)
}

/// Draws a region into a file, which appears when it is complete.
pub(crate) fn save_region(region: &Region, path: &Path) -> Result<(), Failure> {
    save_drawing(&region.draw(), path, Format::of(path)?)
}

fn save_drawing(drawing: &shape::Drawing, path: &Path, format: Format) -> Result<(), Failure> {
    match format {
        Format::Svg => replace_file(path, svg::write(drawing).as_bytes()),
        Format::Png => replace_file(path, &pixels::png(drawing)?),
    }
}

/// Whether a map goes into a page of its own.
fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("html"))
}

/// Refuses names that do not say how a map is written.
pub(crate) fn check_map_name(path: &Path) -> Result<(), Failure> {
    if is_page(path) || Format::of(path).is_ok() {
        return Ok(());
    }
    Err(Failure::Usage {
        message: format!("cannot tell the format of the map {} from its name", path.display()),
        hint: Some("name it .svg, .png or .html"),
    })
}

/// Draws a map into a file, which appears when it is complete: a picture, or a page with the picture in it.
pub(crate) fn save_map(map: &Map, path: &Path) -> Result<(), Failure> {
    if !is_page(path) {
        return save_drawing(&map.draw(Heading::InPicture), path, Format::of(path)?);
    }
    let (title, text) = (escape(&map.title), escape(&map.description));
    let picture = svg::write(&map.draw(Heading::Elsewhere));
    let body = format!("<h1>{title}</h1>\n<p>{text}</p>\n<figure>\n{picture}</figure>\n");
    replace_file(path, document(&map.title, &body).as_bytes())
}
