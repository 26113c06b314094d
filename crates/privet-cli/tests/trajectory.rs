//! Locations and paths from the command line.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

const SQUARE: &str = "--space rectangle:0,1,0,1";

/// Three people who mostly stay in one corner, in the order of time.
fn paths() -> String {
    let mut text = String::from("trajectory_id,time,lon,lat,note\n");
    for index in 0..600u32 {
        // Irregular, but the same every time.
        let share = |factor: u32| f64::from(index * index * factor % 97) / 97.0;
        let (lon, lat) = (0.05 + 0.2 * share(3), 0.7 + 0.25 * share(5));
        text += &format!("{},{},{lon},{lat},\"a, b\"\n", index / 200, index % 200);
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("paths.csv", paths());
    folder
}

fn row<'a>(rows: &'a Value, method: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["method"] == method).unwrap()
}

/// Standard error of a command that must end with this code.
fn complaint(folder: &Folder, line: &str, code: i32) -> String {
    let ending = folder.run(line);
    assert_eq!(ending.code, code, "{line}: {}", ending.stderr);
    ending.stderr
}

#[test]
fn random_paths_have_the_published_errors() {
    let folder = Folder::new();
    let ending = folder.run(&format!(
        "trajectory evaluate {SQUARE} --method tracs-c,tracs-d,window-2d,strawman,planar-laplace --epsilon 4 \
         --paths 40 --trials 5 --insecure-seed 1 --json"
    ));
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 6);
    let claims = [
        ("constant", 0.383),
        ("tracs-c", 0.280),
        ("tracs-d", 0.327),
        ("window-2d", 0.193),
        ("strawman", 0.351),
        ("planar-laplace", 0.438),
    ];
    for (method, expected) in claims {
        let error = row(&rows, method)["average_error"].as_f64().unwrap();
        // 20 000 distances with a deviation of at most .25 have a standard error below .002.
        assert!((error - expected).abs() < 0.01, "{method}: {error}");
        assert!(row(&rows, method)["standard_error"].as_f64().unwrap() < 0.005);
    }
    assert_eq!(row(&rows, "constant")["epsilon"], Value::Null);
    assert_eq!(row(&rows, "tracs-c")["scope"], "whole space");
    assert!(row(&rows, "planar-laplace")["scope"].as_str().unwrap().starts_with("not"));
}

#[test]
fn tables_are_evaluated_in_their_box() {
    let rows = folder()
        .json("trajectory evaluate --in paths.csv --time time --method window-2d --epsilon 2,8 --paths 2");
    let errors: Vec<f64> =
        rows.as_array().unwrap().iter().map(|row| row["average_error"].as_f64().unwrap()).collect();
    assert_eq!(errors.len(), 3);
    assert!(errors[2] < errors[1] && errors[2] < errors[0], "{errors:?}");
}

#[test]
fn reports_have_their_places_and_nothing_else_is_copied() {
    let folder = folder();
    let flags = format!("{SQUARE} --method tracs-d --epsilon 4 --insecure-seed 7");
    let run = |rest: &str| {
        let ending = folder.run(&format!("trajectory perturb {flags} {rest}"));
        assert_eq!(ending.code, 0, "{}", ending.stderr);
        ending.stdout
    };
    run("--in paths.csv --out a.csv");
    let text = folder.text("a.csv");
    assert_eq!(text.lines().next(), Some("trajectory_id,lon,lat"));
    assert_eq!(text.lines().count(), 601);
    assert!(text.lines().nth(1).unwrap().starts_with("0,"));
    // The same draws in every format; only kept columns are added.
    run("--in paths.csv --out b.parquet --keep time");
    run("--in paths.csv --out c.jsonl");
    let first: Value = serde_json::from_str(folder.text("c.jsonl").lines().next().unwrap()).unwrap();
    let [lon, lat] = ["lon", "lat"].map(|name| first[name].as_f64().unwrap());
    assert_eq!(text.lines().nth(1), Some(format!("0,{lon},{lat}").as_str()));
    assert!((0.0..=1.0).contains(&lon) && (0.0..=1.0).contains(&lat));
    // Parquet can be read again.
    let estimate = "trajectory estimate --in b.parquet --truth paths.csv --grid 8";
    let document = folder.json(&format!("{estimate} {SQUARE} --method tracs-d --epsilon 4"));
    assert_eq!((&document["reports"], &document["paths"]), (&Value::from(600), &Value::from(3)));
    assert!(run("--in paths.csv --out -").starts_with("trajectory_id,lon,lat\n"));
}

#[test]
fn readings_are_nearer_than_reports() {
    let folder = folder();
    let method = format!("{SQUARE} --method window-2d --epsilon 3");
    folder.run(&format!("trajectory perturb {method} --in paths.csv --out reports.csv --insecure-seed 3"));
    let estimate = format!("trajectory estimate {method} --in reports.csv --truth paths.csv --grid 16");
    let document = folder.json(&format!("{estimate} --out readings.csv --density density.csv"));
    let error = |name: &str| document["average_error"][name].as_f64().unwrap();
    assert!(error("readings") < 0.6 * error("reports"), "{document}");
    assert!(error("readings") < error("constant") + 0.02);
    assert_eq!(folder.text("readings.csv").lines().count(), 601);
    let density = folder.text("density.csv");
    let share = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    let total: f64 = density.lines().skip(1).map(share).sum();
    assert!((total - 1.0).abs() < 1e-9 && density.lines().count() == 257, "{total}");
    let sure = folder.json(&format!("{estimate} --intervals 2"));
    let quarters = sure["intervals"].as_array().unwrap();
    let shares = quarters.iter().map(|quarter| quarter["share"].as_f64().unwrap());
    assert!(quarters.len() == 4 && (shares.sum::<f64>() - 1.0).abs() < 1e-9);
    // Everybody is west and north.
    assert!(quarters[1]["interval"][0].as_f64().unwrap() > 0.5, "{}", sure["intervals"]);
    let smooth = folder.json(&format!("{estimate} --smooth 0.3"));
    assert!(smooth["average_error"]["readings"].as_f64().unwrap() < error("reports"));
}

/// What cannot have intervals is refused before a file that does not exist is missed.
#[test]
fn intervals_are_refused_before_long_work() {
    let folder = folder();
    let estimate = |method: &str| {
        format!("trajectory estimate {SQUARE} --grid 16 --epsilon 3 --truth nowhere.csv --method {method}")
    };
    let moving = format!("{} --in nowhere.csv --intervals 2", estimate("tracs-d"));
    let said = complaint(&folder, &moving, 2);
    assert!(
        said.contains("each is seen from the one before") && said.contains("hint: leave --intervals out"),
        "{said}"
    );
    assert!(complaint(&folder, &format!("{moving} --fixed-reference"), 74).contains("nowhere.csv"));
    let lines = format!("{} --in paths.csv --intervals 3", estimate("window-2d"));
    assert!(complaint(&folder, &lines, 2).contains("must divide 16 and 16"));
}

#[test]
fn too_little_to_estimate_from_is_its_own_failure() {
    let folder = Folder::new();
    folder.write("one.csv", "trajectory_id,lon,lat\n7,0.5,0.5\n7,0.4,0.6\n");
    let estimate = format!("trajectory estimate {SQUARE} --method window-2d --epsilon 3 --grid 4");
    let of_one = format!("{estimate} --in one.csv --intervals 2");
    assert_eq!(folder.run(&of_one).code, 0);
    let said = complaint(&folder, &format!("{of_one} --target population"), 75);
    assert!(said.contains("at least 2 reports: got 1"), "{said}");
}

#[test]
fn maps_are_complete_files() {
    let folder = folder();
    let map = "trajectory map --in paths.csv --method window-2d --epsilon 4,10 --insecure-seed 1";
    for name in ["map.svg", "map.png", "map.html"] {
        let ending = folder.run(&format!("{map} --only 1 --density --out {name}"));
        assert_eq!((ending.code, ending.stdout), (0, format!("200 locations (paths: 1) in {name}\n")));
    }
    let page = folder.text("map.html");
    assert!(page.contains("<svg") && page.contains("epsilon 10") && !page.contains("NaN"));
    // The name of the SVG language is no request.
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"));
    assert_eq!(&folder.read("map.png")[..8], b"\x89PNG\r\n\x1a\n");
    for space in ["disc:2", "geographic:0,1,0,1", "geographic:-1,1.5,0,2", "rectangle:0,1,0,9"] {
        let map = map.replace("window-2d", "tracs-d");
        assert_eq!(folder.run(&format!("{map} --space {space} --out x.svg")).code, 0, "{space}");
        assert!(!folder.text("x.svg").contains("NaN"));
    }
    assert!(complaint(&folder, &format!("{map} --only nobody --out x.svg"), 65).contains("nobody"));
    assert!(complaint(&folder, &format!("{map} --out x.bmp"), 2).contains(".html"));
}

#[test]
fn times_need_not_be_sorted() {
    let folder = Folder::new();
    folder.write("sorted.csv", "trajectory_id,t,lon,lat\n1,2,0,0\n1,9,1,1\n1,9,0,1\n1,10,1,0\n");
    folder.write("mixed.csv", "trajectory_id,t,lon,lat\n1,10,1,0\n1,9,1,1\n1,2,0,0\n1,9,0,1\n");
    folder.write(
        "dates.csv",
        "trajectory_id,t,lon,lat\n1,2012-10,1,0\n1,2012-09,1,1\n1,2012-02,0,0\n1,2012-09,0,1\n",
    );
    let draw = |name: &str| {
        let flags = "--time t --method tracs-d --epsilon 1 --out map.svg --insecure-seed 5";
        assert_eq!(folder.run(&format!("trajectory map --in {name} {flags}")).code, 0);
        folder.text("map.svg")
    };
    assert_eq!(draw("sorted.csv"), draw("mixed.csv"));
    assert_eq!(draw("sorted.csv"), draw("dates.csv"));
}

#[test]
fn bad_rows_are_named_and_nothing_is_written() {
    let folder = Folder::new();
    let perturb =
        format!("trajectory perturb {SQUARE} --method tracs-c --epsilon 1 --in bad.csv --out out.csv");
    for (rows, place) in [
        ("1,0.5,0.5\n1,0.5,1.25\n", ", row 2"),
        ("1,0.5,NaN\n", ", row 1"),
        ("1,0.5,0.5\n1,inf,0.5\n", ", row 2"),
        ("1,0.5,0.5\n1,0.5,west\n", ", row 2"),
        ("1,0.5,0.5\n1,0.5,\n", ", row 2"),
        ("1,0.5,0.5\n1,,0.5\n", ", row 2"),
        ("", "no rows"),
    ] {
        folder.write("bad.csv", format!("trajectory_id,lon,lat\n{rows}"));
        let stderr = complaint(&folder, &perturb, 65);
        assert!(stderr.contains(place) && !stderr.contains("1.25"), "{rows}: {stderr}");
        assert_eq!(folder.names(), ["bad.csv"]);
    }
    folder.write("bad.csv", "");
    assert!(complaint(&folder, &perturb, 65).contains("empty"));
    folder.write("bad.csv", "trajectory_id,lon,lat\n1,0.5,1.25\n");
    assert!(complaint(&folder, &perturb, 65).contains("--clamp"));
    folder.succeed(&format!("{perturb} --clamp"));
    // A path of one location is a path.
    assert_eq!(folder.text("out.csv").lines().count(), 2);
}

#[test]
fn the_earth_has_methods_of_its_own() {
    let folder = Folder::new();
    folder.write("earth.csv", "trajectory_id,lon,lat\n1,180,0\n1,-180,10\n1,20,90\n1,0,-90\n");
    let flags = "--in earth.csv --space sphere --method tracs-sphere --epsilon 2";
    let rows = folder.json(&format!("trajectory evaluate {flags} --trials 3"));
    let error = row(&rows, "tracs-sphere")["average_error"].as_f64().unwrap();
    // In metres, and nothing is further away than half a great circle.
    assert!((1e5..2.1e7).contains(&error), "{error}");
    folder.succeed(&format!("trajectory perturb {flags} --out reports.csv"));
    folder.succeed(&format!("trajectory map {flags} --out map.svg"));
    assert!(folder.text("map.svg").contains(" km<"));
    // A box over the 180th meridian.
    folder.write("fiji.csv", "trajectory_id,lon,lat\n1,179.5,-17\n1,-179.5,-18\n");
    let fiji = "--in fiji.csv --space geographic:177,-178,-20,-15 --method window-2d --epsilon 2";
    folder.succeed(&format!("trajectory map {fiji} --out map.svg"));
    assert!(folder.text("map.svg").contains(">-179°<"), "{}", folder.text("map.svg"));
}

#[test]
fn tracks_and_features_are_paths() {
    let folder = Folder::new();
    folder.write(
        "a.gpx",
        "<gpx><trk><trkpt lat='0.5' lon='0.25'><time>3</time></trkpt><trkpt lat='1' lon='1'/></trk></gpx>",
    );
    folder.write(
        "b.geojson",
        r#"{"type":"Feature","id":"x","properties":{"city":"T"},"geometry":{"type":"Point","coordinates":[0.5,2]}}"#,
    );
    let flags = format!("trajectory perturb {SQUARE} --method tracs-c --epsilon 1 --out out.csv");
    folder.succeed(&format!("{flags} --in a.gpx --keep time"));
    let text = folder.text("out.csv");
    assert_eq!(text.lines().next(), Some("trajectory_id,lon,lat,time"));
    assert!(text.lines().nth(1).unwrap().ends_with(",3") && text.lines().nth(2).unwrap().ends_with(','));
    assert!(complaint(&folder, &format!("{flags} --in b.geojson"), 65).contains("row 1"));
    folder.succeed(&format!("{flags} --in b.geojson --clamp --keep city"));
    assert!(folder.text("out.csv").lines().nth(1).unwrap().starts_with("x,"));
    assert!(
        complaint(&folder, &format!("{flags} --in b.geojson --clamp --keep country"), 65).contains("country")
    );
    folder.write("b.geojson", "{");
    assert!(complaint(&folder, &format!("{flags} --in b.geojson"), 65).contains("not geojson"));
}

#[test]
fn flags_that_do_not_fit_are_refused() {
    let folder = folder();
    let perturb = "trajectory perturb --in paths.csv --out out.csv --epsilon 1";
    for (line, word) in [
        (format!("{perturb} {SQUARE} --method nothing"), "window-2d"),
        (format!("{perturb} --space ball:1 --method tracs-c"), "rectangle:0,1,0,1"),
        (format!("{perturb} --space disc:9 --method tracs-c"), "tracs-c"),
        (format!("{perturb} {SQUARE} --method tracs-c --keep lat"), "private"),
        (format!("{perturb} {SQUARE} --method tracs-c --columns lon"), "two different"),
        (format!("{perturb} {SQUARE} --method tracs-c --columns lon,lon"), "two different"),
        (format!("{perturb} {SQUARE} --method tracs-c --format lines"), "lines"),
        ("trajectory evaluate --method tracs-c --epsilon 1".to_owned(), "--space"),
        (format!("trajectory evaluate {SQUARE} --method tracs-c --epsilon 1 --within -1"), "range query"),
    ] {
        assert!(complaint(&folder, &line, 2).contains(word), "{line}");
    }
    let missing = format!("{perturb} {SQUARE} --method tracs-c --path person");
    assert!(complaint(&folder, &missing, 65).contains("trajectory_id"));
}
