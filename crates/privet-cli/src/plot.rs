//! Charts in files.

pub(crate) use privet_plot::{Chart, Range, Series, domain_name};

use crate::failure::Failure;
use crate::table::replace_file;
use privet_plot::page::{document, escape};
use privet_plot::{Drawing, Heading, Map, Region};
use std::path::Path;

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

fn save_drawing(drawing: &Drawing, path: &Path, format: Format) -> Result<(), Failure> {
    match format {
        Format::Svg => replace_file(path, drawing.svg().as_bytes()),
        Format::Png => {
            let bytes = drawing.png().map_err(|error| Failure::Output(std::io::Error::other(error)))?;
            replace_file(path, &bytes)
        }
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
    let picture = map.draw(Heading::Elsewhere).svg();
    let body = format!("<h1>{title}</h1>\n<p>{text}</p>\n<figure>\n{picture}</figure>\n");
    replace_file(path, document(&map.title, &body).as_bytes())
}
