//! Public borders from files of polygons.

use super::refused;
use crate::failure::Failure;
use crate::table::Problem;
use privet::trajectory::Place;
use privet::trajectory::space::Region;
use serde_json::Value;
use std::path::Path as FilePath;

/// The polygons of a GeoJSON file, alone or several together.
pub(super) fn read_region(path: &FilePath) -> Result<Region, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let document = serde_json::from_str(&text).ok();
    let mut rings = Vec::new();
    let found = document.as_ref().and_then(|document: &Value| add_rings(document, &mut rings));
    found.ok_or_else(|| Failure::Source {
        path: path.to_owned(),
        row: None,
        problem: Problem::Damaged { format: "geojson with polygons" },
    })?;
    let region = Region::new(rings).map_err(refused)?;
    if crosses_itself(region.rings()) {
        return Err(Failure::Data {
            message: format!("{}: the border crosses itself, so its inside is not clear", path.display()),
            hint: Some("polygons must not overlap, and their rings must not cross"),
        });
    }
    Ok(region)
}

fn add_rings(value: &Value, to: &mut Vec<Vec<Place>>) -> Option<()> {
    let each = |list: &Value, to: &mut Vec<Vec<Place>>| {
        list.as_array()?.iter().try_for_each(|member| add_rings(member, to))
    };
    match value["type"].as_str()? {
        "FeatureCollection" => each(&value["features"], to),
        "GeometryCollection" => each(&value["geometries"], to),
        "Feature" => add_rings(&value["geometry"], to),
        "Polygon" => add_polygon(&value["coordinates"], to),
        "MultiPolygon" => {
            value["coordinates"].as_array()?.iter().try_for_each(|polygon| add_polygon(polygon, to))
        }
        _ => None,
    }
}

fn add_polygon(rings: &Value, to: &mut Vec<Vec<Place>>) -> Option<()> {
    let place = |position: &Value| Some([position.get(0)?.as_f64()?, position.get(1)?.as_f64()?]);
    let ring = |ring: &Value| ring.as_array()?.iter().map(place).collect();
    to.extend(rings.as_array()?.iter().map(ring).collect::<Option<Vec<_>>>()?);
    Some(())
}

/// Whether two edges cross inside both of them. Edges that only touch are allowed.
fn crosses_itself(rings: &[Vec<Place>]) -> bool {
    let edges = rings.iter().flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)));
    let mut edges: Vec<[Place; 2]> =
        edges.map(|(one, other)| if one[0] <= other[0] { [*one, *other] } else { [*other, *one] }).collect();
    edges.sort_by(|one, other| one[0][0].total_cmp(&other[0][0]));
    // Only edges that begin before one ends, from left to right, can cross it.
    edges.iter().enumerate().any(|(index, edge)| {
        let further = edges[index + 1..].iter().take_while(|other| other[0][0] < edge[1][0]);
        further.into_iter().any(|other| cross(edge, other))
    })
}

fn cross(one: &[Place; 2], other: &[Place; 2]) -> bool {
    let divides = |line: &[Place; 2], points: &[Place; 2]| {
        let [first, second] = points.map(|point| side(line, point));
        (first > 0.0 && second < 0.0) || (first < 0.0 && second > 0.0)
    };
    divides(one, other) && divides(other, one)
}

/// On which side of a line a point lies: the sign says which.
fn side([from, to]: &[Place; 2], point: Place) -> f64 {
    (to[0] - from[0]) * (point[1] - from[1]) - (to[1] - from[1]) * (point[0] - from[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(text: &str) -> Option<Vec<Vec<Place>>> {
        let mut rings = Vec::new();
        add_rings(&serde_json::from_str(text).ok()?, &mut rings).map(|()| rings)
    }

    #[test]
    fn polygons_are_found_wherever_they_are() {
        let ring = "[[0,0],[4,0],[4,3,9],[0,0]]";
        let polygon = format!(r#"{{"type":"Polygon","coordinates":[{ring}]}}"#);
        let several = format!(r#"{{"type":"MultiPolygon","coordinates":[[{ring}],[{ring},{ring}]]}}"#);
        let feature = format!(r#"{{"type":"Feature","geometry":{polygon}}}"#);
        let collection = format!(r#"{{"type":"FeatureCollection","features":[{feature},{feature}]}}"#);
        for (text, count) in [(polygon, 1), (several, 3), (feature, 1), (collection, 2)] {
            let found = rings(&text).unwrap();
            assert_eq!((found.len(), found[0][2]), (count, [4.0, 3.0]));
        }
        for text in [
            "{",
            "{}",
            r#"{"type":"Point","coordinates":[1,2]}"#,
            r#"{"type":"Polygon","coordinates":[[["a",1]]]}"#,
            r#"{"type":"Feature","geometry":null}"#,
        ] {
            assert_eq!(rings(text), None, "{text}");
        }
    }

    #[test]
    fn crossings_are_seen_and_touching_is_not_crossing() {
        let square = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
        let bow_tie = vec![[0.0, 0.0], [4.0, 4.0], [4.0, 0.0], [0.0, 4.0]];
        let hole = vec![[1.0, 1.0], [1.0, 2.0], [2.0, 1.0]];
        let beside = vec![[4.0, 0.0], [8.0, 0.0], [4.0, 4.0]];
        let across = vec![[3.0, 1.0], [5.0, 1.0], [5.0, 2.0]];
        assert!(!crosses_itself(std::slice::from_ref(&square)));
        assert!(crosses_itself(&[bow_tie]));
        assert!(!crosses_itself(&[square.clone(), hole]));
        assert!(!crosses_itself(&[square.clone(), beside]));
        assert!(crosses_itself(&[square, across]));
    }
}
