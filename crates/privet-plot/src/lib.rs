//! Charts and maps: laws, errors and estimates as SVG, as PNG, or inside a page.
//!
//! A chart is laid out once, into the shapes of a [`Drawing`], and the shapes are written as a file of SVG, drawn as pixels, or written
//! as a part of a page whose style sheet has the colours. The font of the pixels is part of the program, so that a chart looks the same
//! on a machine without fonts.
//!
//! ```
//! use privet_plot::{Chart, Range, Series};
//!
//! let line = vec![[0.0, 0.4], [0.5, 0.2], [1.0, 0.4]];
//! let chart = Chart {
//!     title: "Error over the domain".into(),
//!     description: "It is smallest in the middle.".into(),
//!     x_name: "value".into(),
//!     x_range: Range::Line([0.0, 1.0]),
//!     y_name: "expected error".into(),
//!     stem_name: String::new(),
//!     may_be_logarithmic: false,
//!     series: vec![Series { label: "a mechanism".into(), line, ..Series::default() }],
//! };
//! assert!(chart.draw().svg().starts_with("<svg"));
//! assert!(chart.draw_for_page().inline_svg("error").contains("id=\"error-title\""));
//! ```

mod axis;
mod bars;
mod cells;
mod chart;
mod errors;
mod font;
mod heat;
mod law;
mod legend;
mod look;
mod map;
pub mod page;
mod pixels;
mod ratios;
mod region;
mod rose;
mod scale;
mod shape;
mod svg;
mod table;

pub use bars::{Bar, BarChart, Legend};
pub use chart::{Chart, Range, Series};
pub use errors::{error_line, range_of};
pub use heat::HeatCell;
pub use law::{Law, draw_laws, grouped};
pub use map::{GridLine, Heading, Layer, Map, Tint, Unit, ring};
pub use pixels::PictureError;
pub use ratios::{Ratio, RatioChart, ratio_text};
pub use region::{LabelledBox, Region};
pub use rose::{Petal, Rose};
pub use scale::Scale;
pub use shape::Drawing;
pub use table::{HeatEntry, HeatRow, HeatTable};

use privet_core::DomainSpec;
use std::f64::consts::TAU;

/// A domain for titles: a circle of two pi is better known by that name.
pub fn domain_name(domain: &DomainSpec) -> String {
    match domain {
        DomainSpec::Circle(circle) if (circle.period() - TAU).abs() < 1e-9 * TAU => "circle:2π".to_owned(),
        other => other.to_string(),
    }
}
