//! Tracks in GPX and geometries in GeoJSON: files that are read as a whole.

use crate::failure::Failure;
use crate::table::Problem;
use privet::trajectory::Place;
use serde_json::{Map, Value};
use std::path::Path as FilePath;

/// A location with the names that a file gives it.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) place: Place,
    pub(super) path: String,
    properties: Map<String, Value>,
}

impl Located {
    /// What the file says about the location under this name.
    pub(super) fn property(&self, name: &str) -> Option<String> {
        match self.properties.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            other => Some(other.to_string()),
        }
    }
}

/// Whether the name of the file says that it is one of these.
pub(super) fn is_geographic(path: &FilePath) -> bool {
    matches!(extension(path).as_str(), "gpx" | "geojson")
}

fn extension(path: &FilePath) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// All locations, longitude first. `path_name` is the property that says which path a location of GeoJSON belongs to; without
/// it each feature is a path. In GPX each track or route is one, and every waypoint.
pub(super) fn read(path: &FilePath, path_name: Option<&str>) -> Result<Vec<Located>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|source| Failure::File {
        action: "cannot read",
        path: path.to_owned(),
        source,
    })?;
    let is_gpx = extension(path) == "gpx";
    let found = if is_gpx { read_gpx(&text) } else { read_geojson(&text, path_name) };
    let format = if is_gpx { "gpx" } else { "geojson" };
    found.ok_or_else(|| Failure::Source {
        path: path.to_owned(),
        row: None,
        problem: Problem::Damaged { format },
    })
}

fn read_geojson(text: &str, path_name: Option<&str>) -> Option<Vec<Located>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let mut located = Vec::new();
    match document["type"].as_str()? {
        "FeatureCollection" => {
            for (number, feature) in (1u64..).zip(document["features"].as_array()?) {
                add_feature(feature, number, path_name, &mut located)?;
            }
        }
        "Feature" => add_feature(&document, 1, path_name, &mut located)?,
        _ => add_geometry(&document, "1", &Map::new(), &mut located)?,
    }
    Some(located)
}

fn add_feature(feature: &Value, number: u64, path_name: Option<&str>, to: &mut Vec<Located>) -> Option<()> {
    let properties = feature["properties"].as_object().cloned().unwrap_or_default();
    let name = path_name.and_then(|name| properties.get(name)).or_else(|| feature.get("id"));
    let name = match name {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => number.to_string(),
    };
    // A feature may have no place.
    if feature["geometry"].is_null() {
        Some(())
    } else {
        add_geometry(&feature["geometry"], &name, &properties, to)
    }
}

fn add_geometry(
    geometry: &Value,
    path: &str,
    properties: &Map<String, Value>,
    to: &mut Vec<Located>,
) -> Option<()> {
    let coordinates = &geometry["coordinates"];
    let mut add = |position: &Value| {
        let place = [position.get(0)?.as_f64()?, position.get(1)?.as_f64()?];
        to.push(Located { place, path: path.to_owned(), properties: properties.clone() });
        Some(())
    };
    match geometry["type"].as_str()? {
        "Point" => add(coordinates),
        "MultiPoint" | "LineString" => coordinates.as_array()?.iter().try_for_each(add),
        "MultiLineString" => {
            let mut parts = coordinates.as_array()?.iter();
            parts.try_for_each(|part| part.as_array()?.iter().try_for_each(&mut add))
        }
        _ => None,
    }
}

fn read_gpx(text: &str) -> Option<Vec<Located>> {
    let mut located: Vec<Located> = Vec::new();
    let (mut paths, mut is_in_point, mut is_in_path, mut is_gpx) = (0u64, false, false, false);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        // What a comment or a quotation holds is no element.
        if let Some(end) = skipped(rest) {
            rest = rest.get(end..)?;
            continue;
        }
        let end = rest.find('>')?;
        let (tag, after) = (&rest[1..end], &rest[end + 1..]);
        let name = tag.split([' ', '\t', '\n', '\r', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        let is_end = tag.starts_with('/');
        match name {
            "gpx" => is_gpx = true,
            "trk" | "rte" => {
                is_in_path = !is_end;
                paths += u64::from(is_in_path);
            }
            "trkpt" | "rtept" | "wpt" if !is_end => {
                paths += u64::from(!is_in_path);
                is_in_point = !tag.ends_with('/');
                let place = [attribute(tag, "lon")?, attribute(tag, "lat")?];
                located.push(Located { place, path: paths.to_string(), properties: Map::new() });
            }
            "trkpt" | "rtept" | "wpt" => is_in_point = false,
            "time" if !is_end && is_in_point => {
                let time = after.split('<').next().unwrap_or_default().trim();
                located.last_mut()?.properties.insert("time".to_owned(), time.into());
            }
            _ => {}
        }
        rest = after;
    }
    is_gpx.then_some(located)
}

/// Where a comment or quoted text ends that begins here; beyond the end if it does not.
fn skipped(text: &str) -> Option<usize> {
    let ends = [("<!--", "-->"), ("<![CDATA[", "]]>")];
    let (_, end) = ends.iter().find(|(start, _)| text.starts_with(start))?;
    Some(text.find(end).map_or(usize::MAX, |place| place + end.len()))
}

/// The number in an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<f64> {
    let mut rest = tag;
    while let Some(equals) = rest.find('=') {
        let key = rest[..equals].trim_end().rsplit(char::is_whitespace).next()?;
        let value = rest[equals + 1..].trim_start();
        let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let (content, after) = value[1..].split_once(quote)?;
        if key == name {
            return content.trim().parse().ok();
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(located: Option<Vec<Located>>) -> Vec<(String, Place)> {
        located.unwrap().into_iter().map(|located| (located.path, located.place)).collect()
    }

    #[test]
    fn tracks_routes_and_waypoints() {
        let text = "<?xml version='1.0'?><gpx><!-- <trkpt lat='9' lon='9'/> --><wpt lat='1' lon=\"2\"/><trk><name>a</name>\
            <trkseg><trkpt lat=\"3\" lon='4'><ele>5</ele><time> 2020-01-01T00:00:00Z </time></trkpt>\
            <trkpt lon='-6.5'\n lat = '7'></trkpt></trkseg></trk><time>x</time><rte><rtept lat='0' lon='0'/></rte></gpx>";
        let places = [("1", [2.0, 1.0]), ("2", [4.0, 3.0]), ("2", [-6.5, 7.0]), ("3", [0.0, 0.0])];
        assert_eq!(shown(read_gpx(text)), places.map(|(path, place)| (path.to_owned(), place)));
        let times: Vec<_> = read_gpx(text).unwrap().iter().map(|located| located.property("time")).collect();
        assert_eq!(times, [None, Some("2020-01-01T00:00:00Z".to_owned()), None, None]);
    }

    #[test]
    fn what_is_no_gpx_is_refused() {
        for text in [
            "",
            "{}",
            "<kml/>",
            "<gpx><trkpt lat='1'/></gpx>",
            "<gpx><trkpt lat='a' lon='1'/></gpx>",
            "<gpx><wpt",
        ] {
            assert!(read_gpx(text).is_none(), "{text}");
        }
        assert!(read_gpx("<gpx><!-- ").is_none());
    }

    #[test]
    fn points_and_lines() {
        let text = r#"{"type":"FeatureCollection","features":[
            {"type":"Feature","properties":{"who":"a","t":3},"geometry":{"type":"Point","coordinates":[1,2,9]}},
            {"type":"Feature","id":7,"properties":null,"geometry":{"type":"LineString","coordinates":[[3,4],[5,6]]}},
            {"type":"Feature","properties":{},"geometry":null},
            {"type":"Feature","properties":{},"geometry":{"type":"MultiLineString","coordinates":[[[7,8]],[[9,0]]]}}]}"#;
        let places =
            [("a", [1.0, 2.0]), ("7", [3.0, 4.0]), ("7", [5.0, 6.0]), ("4", [7.0, 8.0]), ("4", [9.0, 0.0])];
        assert_eq!(
            shown(read_geojson(text, Some("who"))),
            places.map(|(path, place)| (path.to_owned(), place))
        );
        assert_eq!(read_geojson(text, None).unwrap()[0].property("t"), Some("3".to_owned()));
        assert_eq!(shown(read_geojson(r#"{"type":"Point","coordinates":[1,2]}"#, None)).len(), 1);
    }

    #[test]
    fn what_is_no_geojson_is_refused() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"type":"Point","coordinates":[1]}"#,
            r#"{"type":"Point","coordinates":["a",1]}"#,
            r#"{"type":"Polygon","coordinates":[]}"#,
            r#"{"type":"FeatureCollection"}"#,
        ] {
            assert!(read_geojson(text, None).is_none(), "{text}");
        }
    }
}
