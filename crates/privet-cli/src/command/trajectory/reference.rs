//! Public places that methods look from.

use super::rounding::Places;
use super::space::parse_place;
use crate::failure::Failure;
use clap::Args;
use privet::trajectory::Place;
use privet::trajectory::method::References;
use privet::trajectory::rounding::best_reference;
use privet::trajectory::space::Space;

/// Where directions and distances begin, for methods that have any.
#[derive(Debug, Args)]
pub(super) struct ReferenceArguments {
    /// The public place that tracs-d and the strawman look from at first: centre, corner (the lowest coordinates), A,B, or
    /// best for the one with the shortest ways through the points of --round-to
    #[arg(long, value_name = "PLACE", default_value = "centre", allow_hyphen_values = true)]
    start: String,
    /// Look from the start all the time, and not from the report before
    #[arg(long)]
    fixed_reference: bool,
}

impl ReferenceArguments {
    pub(super) fn build(&self, space: &Space, places: Option<&Places>) -> Result<References, Failure> {
        let start = self.start(space, places)?;
        Ok(if self.fixed_reference { References::Fixed(start) } else { References::PreviousReport { start } })
    }

    fn start(&self, space: &Space, places: Option<&Places>) -> Result<Place, Failure> {
        match (self.start.as_str(), places) {
            ("centre", _) => Ok(space.centre()),
            ("corner", _) => Ok(space.lower_corner()),
            ("best", Some(Places::Points(points))) => best_reference(points).map_err(super::refused),
            ("best", _) => Err(Failure::Usage {
                message: "the best start is chosen for public points, and there are none".into(),
                hint: Some("name a table of them with --round-to"),
            }),
            (text, _) => {
                let place = parse_place(text).ok_or_else(|| Failure::Usage {
                    message: format!("cannot read the start {text:?}"),
                    hint: Some("write centre, corner, best or two coordinates such as 139.7,35.7"),
                })?;
                // It is public, so the message may name it.
                space.check(&place).map_err(|_| Failure::Usage {
                    message: format!("the start {text} lies outside {space}"),
                    hint: None,
                })?;
                Ok(place)
            }
        }
    }
}
