//! Spaces by their names.

use super::boundary::read_region;
use super::refused;
use crate::failure::Failure;
use privet::trajectory::space::{GeographicBox, Region, Space, Sphere};
use privet::trajectory::{Path, Place, TrajectoryError};
use privet::{DomainSpec, Interval, Rectangle};
use std::path::Path as FilePath;

/// What `--space` takes, for its help.
pub(super) const SPACES: &str = "\
Where locations lie, which is public: rectangle:LOW_A,HIGH_A,LOW_B,HIGH_B, disc:RADIUS or disc:A,B,RADIUS, \
parallelogram:A,B,FIRST_A,FIRST_B,SECOND_A,SECOND_B (a corner and both edges from it), \
polygon:FILE.geojson (reports outside are moved to the border), \
geographic:WEST,EAST,SOUTH,NORTH or geographic:FILE.geojson (degrees; distances in metres) or sphere (the Earth, in metres)";

/// The space of this name.
pub(super) fn parse_space(text: &str) -> Result<Space, Failure> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let numbers: Vec<f64> = rest.split(',').map_while(|number| number.trim().parse().ok()).collect();
    let is_complete = numbers.len() == rest.split(',').count();
    let built = match (kind, &numbers[..]) {
        ("rectangle", _) => {
            return match text.parse::<DomainSpec>()? {
                DomainSpec::Rectangle(rectangle) => Ok(Space::rectangle(rectangle)),
                _ => Err(unknown(text)),
            };
        }
        ("disc", [radius]) if is_complete => Space::disc([0.0, 0.0], *radius),
        ("disc", [first, second, radius]) if is_complete => Space::disc([*first, *second], *radius),
        ("parallelogram", [a, b, first_a, first_b, second_a, second_b]) if is_complete => {
            Space::parallelogram([*a, *b], [*first_a, *first_b], [*second_a, *second_b])
        }
        ("polygon", []) if !rest.is_empty() => Space::region(&read_region(FilePath::new(rest))?),
        ("geographic", [west, east, south, north]) if is_complete => {
            Space::geographic(GeographicBox { west: *west, east: *east, south: *south, north: *north })
        }
        ("geographic", []) if !rest.is_empty() => geographic_region(&read_region(FilePath::new(rest))?),
        ("sphere", []) if rest.is_empty() => Space::sphere(Sphere::EARTH),
        ("sphere", [radius]) if is_complete => Space::sphere(*radius),
        _ => return Err(unknown(text)),
    };
    built.map_err(refused)
}

/// The smallest box of longitudes and latitudes around a region, and only the region in it.
fn geographic_region(region: &Region) -> Result<Space, TrajectoryError> {
    let extreme = |axis: usize, from: f64, choose: fn(f64, f64) -> f64| {
        region.corners().map(|corner| corner[axis]).fold(from, choose)
    };
    let bounds = GeographicBox {
        west: extreme(0, f64::INFINITY, f64::min),
        east: extreme(0, f64::NEG_INFINITY, f64::max),
        south: extreme(1, f64::INFINITY, f64::min),
        north: extreme(1, f64::NEG_INFINITY, f64::max),
    };
    Space::geographic(bounds)?.within(region)
}

/// Two numbers with a comma between them.
pub(super) fn parse_place(text: &str) -> Option<Place> {
    let (first, second) = text.split_once(',')?;
    Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
}

/// Whether coordinates are longitudes and latitudes: on a sphere, and where the plane of distances is not that of the table.
pub(super) fn is_in_degrees(space: &Space) -> bool {
    let centre = space.centre();
    space.to_plane(&centre) != Some(centre)
}

fn unknown(text: &str) -> Failure {
    Failure::Usage {
        message: format!("cannot read the space {text:?}"),
        hint: Some(
            "write rectangle:0,1,0,1, disc:1, disc:A,B,RADIUS, parallelogram:0,0,1,0,0.5,1, polygon:FILE.geojson, \
             geographic:WEST,EAST,SOUTH,NORTH, geographic:FILE.geojson or sphere",
        ),
    }
}

/// The smallest rectangle around all places. It is known to those only who may read the places.
pub(super) fn box_of<'a>(paths: impl Iterator<Item = &'a Path> + Clone) -> Result<Space, Failure> {
    let side = |axis: usize| {
        let coordinates = paths.clone().flat_map(|path| &path.places).map(|place: &Place| place[axis]);
        let low = coordinates.clone().fold(f64::INFINITY, f64::min);
        Interval::new(low, coordinates.fold(f64::NEG_INFINITY, f64::max))
    };
    let flat = |_| Failure::Data {
        message: "all locations lie on a line: there is no box around them".into(),
        hint: Some("name the space with --space"),
    };
    let sides = [side(0).map_err(flat)?, side(1).map_err(flat)?];
    Ok(Space::rectangle(Rectangle::new(sides)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_have_names() {
        for (text, centre) in [
            ("rectangle:0,2,-1,1", [1.0, 0.0]),
            ("disc:3", [0.0, 0.0]),
            ("disc:1,2,3", [1.0, 2.0]),
            ("sphere", [0.0, 0.0]),
            ("parallelogram:1,1,2,0,1,2", [2.5, 2.0]),
        ] {
            assert_eq!(parse_space(text).unwrap().centre(), centre, "{text}");
        }
        assert!(parse_space("geographic:139,140,35,36").unwrap().contains(&[139.5, 35.5]));
        for (text, is_geographic) in
            [("sphere", true), ("geographic:0,1,0,1", true), ("rectangle:0,1,0,1", false)]
        {
            assert_eq!(is_in_degrees(&parse_space(text).unwrap()), is_geographic, "{text}");
        }
    }

    #[test]
    fn other_names_are_refused() {
        for text in [
            "",
            "rectangle",
            "rectangle:0,1,0",
            "rectangle:1,0,0,1",
            "disc",
            "disc:-1",
            "disc:1,2",
            "disc:1,x,3",
            "disc:NaN",
            "geographic:1,2,3",
            "geographic:",
            "polygon:",
            "polygon:nowhere.geojson",
            "parallelogram:0,0,1,0,2",
            "parallelogram:0,0,1,0,2,0",
            "sphere:0",
            "sphere:1,2",
            "binary",
            "interval:0,1",
        ] {
            assert!(parse_space(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_line_has_no_box() {
        let path = |places| [Path::new("", places)];
        assert!(box_of(path(vec![[0.0, 1.0], [2.0, 3.0]]).iter()).is_ok());
        assert!(box_of(path(vec![[0.0, 1.0]]).iter()).is_err());
        assert!(box_of([].iter()).is_err());
    }
}
