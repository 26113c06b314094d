//! The paths of two cities in the data folder, in degrees and with the latitude first, as the papers measure.

// Each test uses a part of it.
#![allow(dead_code)]

use privet_core::{Interval, Rectangle};
use privet_trajectory::Path;
use privet_trajectory::space::Space;
use std::io::Read;
use std::path::PathBuf;

/// The text of a file, which may be compressed, or `None` where the data are not installed. On a build server that is a
/// failure.
pub(crate) fn data(name: &str) -> Option<String> {
    let folder = std::env::var_os("PRIVET_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let path = folder.join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        let message = format!("{name} is missing: {} cannot be read", path.display());
        assert!(std::env::var_os("CI").is_none(), "{message}");
        println!("{message}; set PRIVET_DATA to run this test");
        return None;
    };
    let mut text = String::new();
    if name.ends_with(".gz") {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    } else {
        text = String::from_utf8(bytes).unwrap();
    }
    Some(text)
}

/// The columns of a table with these names, as numbers.
pub(crate) fn columns(text: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let indices: Vec<usize> =
        names.iter().map(|name| head.iter().position(|head| head == name).unwrap()).collect();
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            indices.iter().map(|index| fields[*index].parse().unwrap()).collect()
        })
        .collect()
}

fn bounds(ends: [f64; 4]) -> Space {
    let sides = [Interval::new(ends[0], ends[1]).unwrap(), Interval::new(ends[2], ends[3]).unwrap()];
    Space::rectangle(Rectangle::new(sides).unwrap())
}

/// Around the paths of Tokyo.
pub(crate) fn tokyo() -> Space {
    bounds([35.510_769_09, 35.864_071_16, 139.470_877_65, 139.908_359])
}

/// Around the paths of Chicago.
pub(crate) fn chicago() -> Space {
    bounds([41.600_15, 41.998_22, -87.995_2, -87.507_65])
}

/// The first hundred paths of a file.
pub(crate) fn first_paths(name: &str) -> Option<Vec<Path>> {
    let mut paths: Vec<Path> = Vec::new();
    for row in columns(&data(name)?, &["trajectory_id", "lat", "lon"]) {
        let id = row[0].to_string();
        if paths.last().is_none_or(|path| path.id != id) {
            paths.push(Path::new(id, Vec::new()));
        }
        if let Some(path) = paths.last_mut() {
            path.places.push([row[1], row[2]]);
        }
    }
    paths.truncate(100);
    Some(paths)
}
