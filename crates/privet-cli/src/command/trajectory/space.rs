//! Spaces by their names.

use super::refused;
use crate::failure::Failure;
use privet::trajectory::space::{GeographicBox, Space, Sphere};
use privet::trajectory::{Path, Place};
use privet::{DomainSpec, Interval, Rectangle};

/// What `--space` takes, for its help.
pub(super) const SPACES: &str = "\
Where locations lie, which is public: rectangle:LOW_A,HIGH_A,LOW_B,HIGH_B, disc:RADIUS or disc:A,B,RADIUS, \
geographic:WEST,EAST,SOUTH,NORTH (degrees; distances in metres) or sphere (the Earth, in metres)";

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
        ("geographic", [west, east, south, north]) if is_complete => {
            Space::geographic(GeographicBox { west: *west, east: *east, south: *south, north: *north })
        }
        ("sphere", []) if rest.is_empty() => Space::sphere(Sphere::EARTH),
        ("sphere", [radius]) if is_complete => Space::sphere(*radius),
        _ => return Err(unknown(text)),
    };
    built.map_err(refused)
}

fn unknown(text: &str) -> Failure {
    Failure::Usage {
        message: format!("cannot read the space {text:?}"),
        hint: Some(
            "write rectangle:0,1,0,1, disc:1, disc:A,B,RADIUS, geographic:WEST,EAST,SOUTH,NORTH or sphere",
        ),
    }
}

/// The smallest rectangle around all places. It is known to those only who may read the places.
pub(super) fn box_of(paths: &[Path]) -> Result<Space, Failure> {
    let side = |axis: usize| {
        let coordinates = paths.iter().flat_map(|path| &path.places).map(|place: &Place| place[axis]);
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
        ] {
            assert_eq!(parse_space(text).unwrap().centre(), centre, "{text}");
        }
        assert!(parse_space("geographic:139,140,35,36").unwrap().contains(&[139.5, 35.5]));
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
        assert!(box_of(&path(vec![[0.0, 1.0], [2.0, 3.0]])).is_ok());
        assert!(box_of(&path(vec![[0.0, 1.0]])).is_err());
        assert!(box_of(&[]).is_err());
    }
}
