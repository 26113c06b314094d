//! What is said about locations that cannot be used: every message, word by word.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;

/// Runs a step on a table and writes down how it ends.
fn told(folder: &Folder, what: &str, table: &str, flags: &str) -> String {
    folder.write("paths.csv", format!("trajectory_id,t,lon,lat\n{table}"));
    let ending = folder.run(&format!("trajectory {flags}"));
    // No coordinate and no time of the table may be repeated.
    for secret in ["1.2345", "77.7"] {
        assert!(!ending.stderr.contains(secret), "{what}: {}", ending.stderr);
    }
    format!("{what}: exit {}\n{}", ending.code, ending.stderr)
}

const SQUARE: &str =
    "perturb --in paths.csv --out out.csv --method tracs-c --epsilon 1 --space rectangle:0,1,0,1";

#[test]
fn bad_input_is_explained() {
    let folder = Folder::new();
    folder.write("bow_tie.geojson", r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}"#);
    folder.write("flat.geojson", r#"{"type":"Polygon","coordinates":[[[0,0],[1,1],[2,2],[0,0]]]}"#);
    folder.write("line.geojson", r#"{"type":"LineString","coordinates":[[0,0],[1,1]]}"#);
    folder.write("far.csv", "lon,lat\n0.5,0.5\n1.2345,0\n");
    let in_space = |space: &str| SQUARE.replace("rectangle:0,1,0,1", space);
    let evaluate = |rest: &str| format!("evaluate --in paths.csv --method tracs-c --epsilon 1 {rest}");
    let timed = format!("{SQUARE} --time t --time-grid 10");
    let cases: Vec<(&str, &str, String)> = vec![
        ("outside", "1,0,0.5,0.5\n1,1,0.5,1.2345\n", SQUARE.to_owned()),
        ("outside, clamped", "1,0,0.5,0.5\n1,1,0.5,1.2345\n", format!("{SQUARE} --clamp")),
        ("not a number", "1,0,0.5,NaN\n", SQUARE.to_owned()),
        ("not a number, clamped", "1,0,0.5,NaN\n", format!("{SQUARE} --clamp")),
        ("no coordinate", "1,0,0.5,\n", SQUARE.to_owned()),
        ("no rows", "", SQUARE.to_owned()),
        ("one location", "1,0,0.5,0.5\n", SQUARE.to_owned()),
        ("one location has no box", "1,0,0.5,0.5\n", evaluate("")),
        ("beyond 180 degrees", "1,0,180.5,0\n", in_space("geographic:179,-179,-1,1")),
        ("over 180 degrees", "1,0,180,0\n1,1,-179.5,0\n", in_space("geographic:179,-179,-1,1")),
        ("beyond a pole", "1,0,0,90.5\n", in_space("sphere").replace("tracs-c", "tracs-sphere")),
        ("at both poles", "1,0,0,90\n1,1,9,-90\n", in_space("sphere").replace("tracs-c", "tracs-sphere")),
        ("a flat rectangle", "1,0,0,0\n", in_space("rectangle:0,1,2,2")),
        ("a flat box", "1,0,0,0\n", in_space("geographic:0,1,2,2")),
        ("a box beyond a pole", "1,0,0,0\n", in_space("geographic:0,1,80,91")),
        ("a flat disc", "1,0,0,0\n", in_space("disc:0")),
        ("a flat parallelogram", "1,0,0,0\n", in_space("parallelogram:0,0,1,1,2,2")),
        ("a border that crosses itself", "1,0,0,0\n", in_space("polygon:bow_tie.geojson")),
        ("a flat border", "1,0,0,0\n", in_space("polygon:flat.geojson")),
        ("a border that is a line", "1,0,0,0\n", in_space("polygon:line.geojson")),
        ("no border", "1,0,0,0\n", in_space("polygon:nowhere.geojson")),
        ("a point of interest outside", "1,0,0,0\n", format!("{SQUARE} --round-to far.csv")),
        ("no cells", "1,0,0,0\n", format!("{SQUARE} --round-to grid:0")),
        ("no grid", "1,0,0,0\n", format!("{SQUARE} --round-to grid:x")),
        ("unsorted and repeated times", "1,9,0,0\n1,2,0,1\n1,2,1,1\n", timed.clone()),
        ("a missing time", "1,9,0,0\n1,,0,1\n", timed.clone()),
        ("a time that is none", "1,9,0,0\n1,77.7 o'clock,0,1\n", timed.clone()),
        ("a time of another kind", "1,9,0,0\n1,2012-04-08,0,1\n", timed.clone()),
        ("no step", "1,9,0,0\n", timed.replace("10", "0")),
        ("missing times of a path to evaluate", "1,,0.1,0\n1,1,0,1\n", evaluate("--time t")),
    ];
    let told: Vec<String> =
        cases.iter().map(|(what, table, flags)| told(&folder, what, table, flags)).collect();
    insta::assert_snapshot!(told.join("\n"));
}
