//! Where locations come from and go to: points of interest, borders, GeoParquet and maps.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use arrow_array::cast::AsArray;
use common::Folder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;

const SQUARE: &str = "--space rectangle:0,1,0,1";

type Place = [f64; 2];

/// Three people who walk through the unit square.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("trajectory_id,lon,lat\n");
    for index in 0..300u32 {
        let share = |factor: u32| f64::from(index * index * factor % 97) / 97.0;
        text += &format!("{},{},{}\n", index / 100, 0.5 * share(3), 0.5 * share(5));
    }
    folder.write("paths.csv", text);
    folder
}

/// Runs a command with a seed, of which it must warn.
fn run(folder: &Folder, line: &str) -> String {
    let ending = folder.run(&format!("{line} --insecure-seed 1"));
    assert_eq!(ending.code, 0, "{line}: {}", ending.stderr);
    ending.stdout
}

/// The last two columns.
fn places(text: &str) -> Vec<Place> {
    let place = |line: &str| {
        let mut numbers = line.rsplit(',').map(|text| text.parse().unwrap());
        let second = numbers.next().unwrap();
        [numbers.next().unwrap(), second]
    };
    text.lines().skip(1).map(place).collect()
}

#[test]
fn reports_are_moved_to_public_places() {
    let folder = folder();
    folder.write("poi.csv", "name,lat,lon\na,0.25,0.25\nb,0.75,0.25\nc,0.5,0.9\n");
    let perturb =
        format!("trajectory perturb {SQUARE} --in paths.csv --out out.csv --method tracs-d --epsilon 2");
    run(&folder, &format!("{perturb} --round-to poi.csv"));
    let points = [[0.25, 0.25], [0.25, 0.75], [0.9, 0.5]];
    let reports = places(&folder.text("out.csv"));
    assert!(reports.iter().all(|report| points.contains(report)));
    assert!(points.iter().all(|point| reports.contains(point)));
    run(&folder, &format!("{perturb} --round-to grid:2"));
    let is_middle = |coordinate: &f64| [0.25, 0.75].contains(coordinate);
    assert!(places(&folder.text("out.csv")).iter().flatten().all(is_middle));
    // The nearest point of each report, not of each location.
    run(&folder, &perturb);
    let nearest = |place: &Place| {
        let square = |point: &Place| (point[0] - place[0]).powi(2) + (point[1] - place[1]).powi(2);
        *points.iter().min_by(|one, other| square(one).total_cmp(&square(other))).unwrap()
    };
    let expected: Vec<Place> = places(&folder.text("out.csv")).iter().map(nearest).collect();
    assert_eq!(reports, expected);
}

#[test]
fn starts_are_chosen_by_name() {
    let folder = folder();
    folder.write("poi.csv", "lon,lat\n0.97,0.4\n0.97,0.5\n0.97,0.6\n");
    let reports = |flags: &str| {
        let perturb =
            format!("trajectory perturb {SQUARE} --in paths.csv --out out.csv --method tracs-d --epsilon 2");
        run(&folder, &format!("{perturb} {flags}"));
        folder.text("out.csv")
    };
    let centre = reports("");
    assert_eq!(centre, reports("--start centre"));
    assert_eq!(centre, reports("--start 0.5,0.5"));
    let corner = reports("--start corner");
    assert_eq!(corner, reports("--start 0,0"));
    assert_ne!(centre, corner);
    assert_ne!(corner, reports("--start corner --fixed-reference"));
    // Seen from the best start the points of interest lie before the border.
    let best = reports("--start best --fixed-reference --round-to poi.csv");
    assert_ne!(best, reports("--fixed-reference --round-to poi.csv"));
    for (flags, word) in
        [("--start 2,0", "outside"), ("--start best", "--round-to"), ("--start here", "corner")]
    {
        let line = format!(
            "trajectory perturb {SQUARE} --in paths.csv --out x.csv --method tracs-d --epsilon 2 {flags}"
        );
        let ending = folder.run(&line);
        assert!(ending.code == 2 && ending.stderr.contains(word), "{flags}: {}", ending.stderr);
    }
}

#[test]
fn geoparquet_is_written_and_read() {
    let folder = folder();
    // At this epsilon reports are locations, up to the lattice.
    let perturb = format!("trajectory perturb {SQUARE} --method tracs-c --epsilon 60");
    run(&folder, &format!("{perturb} --in paths.csv --out plain.csv"));
    run(&folder, &format!("{perturb} --in paths.csv --out points.parquet --geometry"));
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(File::open(folder.path("points.parquet")).unwrap()).unwrap();
    let about = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let geo = about.iter().find(|pair| pair.key == "geo").unwrap().value.clone().unwrap();
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&geo).unwrap(),
        serde_json::json!({ "version": "1.1.0", "primary_column": "geometry", "columns": {
            "geometry": { "encoding": "WKB", "geometry_types": ["Point"], "crs": null } } })
    );
    let batch = reader.build().unwrap().next().unwrap().unwrap();
    let bytes = batch.column_by_name("geometry").unwrap().as_binary::<i32>().value(7);
    let coordinate = |from: usize| f64::from_le_bytes(bytes[from..from + 8].try_into().unwrap());
    assert_eq!([coordinate(5), coordinate(13)], places(&folder.text("plain.csv"))[7]);
    // Longitudes and latitudes are what readers expect if nothing is said.
    run(
        &folder,
        "trajectory perturb --space geographic:0,1,0,1 --method tracs-c --epsilon 60 --in paths.csv --out earth.parquet --geometry",
    );
    assert!(!String::from_utf8_lossy(&folder.read("earth.parquet")).contains("crs"));
    run(&folder, &format!("{perturb} --in points.parquet --columns geometry --out again.csv"));
    let again = folder.text("again.csv");
    assert_eq!(again.lines().next(), Some("trajectory_id,lon,lat"));
    for (one, other) in places(&again).iter().zip(places(&folder.text("paths.csv"))) {
        assert!((one[0] - other[0]).abs() < 1e-3 && (one[1] - other[1]).abs() < 1e-3);
    }
    // Points stay points, and other columns are none.
    run(&folder, &format!("{perturb} --in points.parquet --columns geometry --out more.parquet"));
    assert!(String::from_utf8_lossy(&folder.read("more.parquet")).contains("primary_column"));
    run(&folder, &format!("{perturb} --in paths.csv --out numbers.parquet"));
    for (flags, word) in [
        ("--in numbers.parquet --columns lon --out x.csv", "not a point"),
        ("--in points.parquet --columns lon,lat --out x.csv", "the columns are trajectory_id, geometry"),
        ("--in paths.csv --geometry --out x.csv", "only parquet"),
        ("--in points.parquet --columns geometry --keep geometry --out x.csv", "private"),
    ] {
        let ending = folder.run(&format!("{perturb} {flags}"));
        assert!(ending.code != 0 && ending.stderr.contains(word), "{flags}: {}", ending.stderr);
    }
}

const TRIANGLE: &str = r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}"#;

#[test]
fn reports_stay_within_borders() {
    let folder = folder();
    folder.write("triangle.geojson", TRIANGLE);
    for kind in ["polygon", "geographic"] {
        let space = format!("--space {kind}:triangle.geojson --method tracs-c --epsilon 1");
        run(&folder, &format!("trajectory perturb {space} --in paths.csv --out out.csv"));
        let reports = places(&folder.text("out.csv"));
        assert!(reports.iter().all(|[first, second]| first + second < 1.0 + 1e-6), "{kind}");
        // Those that were drawn outside are on the border now.
        assert!(reports.iter().filter(|[first, second]| first + second > 1.0 - 1e-6).count() > 20, "{kind}");
        run(&folder, &format!("trajectory map {space} --in paths.csv --out map.svg"));
        assert!(!folder.text("map.svg").contains("NaN"));
    }
    folder.write("far.csv", "trajectory_id,lon,lat\n1,0.1,0.1\n1,0.9,0.9\n");
    let perturb =
        "trajectory perturb --space polygon:triangle.geojson --method tracs-c --epsilon 1 --out out.csv";
    let ending = folder.run(&format!("{perturb} --in far.csv"));
    assert!(ending.code == 65 && ending.stderr.contains("far.csv, row 2"), "{}", ending.stderr);
    run(&folder, &format!("{perturb} --in far.csv --clamp"));
    run(
        &folder,
        "trajectory perturb --space parallelogram:0,0,1,0,0.5,1 --clamp --method window-2d --epsilon 1 --in paths.csv --out out.csv",
    );
    let is_inside = |[first, second]: &Place| {
        (0.0..=1.0).contains(second) && (-1e-9..=1.0 + 1e-9).contains(&(first - second / 2.0))
    };
    assert!(places(&folder.text("out.csv")).iter().all(is_inside));
}

#[test]
fn maps_are_drawn_from_reports() {
    let folder = folder();
    run(
        &folder,
        &format!(
            "trajectory perturb {SQUARE} --in paths.csv --out reports.csv --method window-2d --epsilon 4"
        ),
    );
    let map = format!("trajectory map {SQUARE} --reports reports.csv --unit degrees");
    assert_eq!(
        folder.succeed(&format!("{map} --density --paths 0 --out map.svg")),
        "0 locations (paths: 0) in map.svg\n"
    );
    let density = folder.text("map.svg");
    assert!(
        density.contains(">Where the reports lie<") && density.contains("reports in a cell<"),
        "{density}"
    );
    assert!(density.contains(" degrees<") && !density.contains(">original<"));
    assert_eq!(
        folder.succeed(&format!("{map} --in paths.csv --only 1 --out map.svg")),
        "100 locations (paths: 1) in map.svg\n"
    );
    let both = folder.text("map.svg");
    assert!(both.contains(">original<") && both.contains(">reports<"));
    folder.succeed(&format!("{map} --only 2 --out map.html"));
    // The title of the page and its heading; the picture repeats it for those only who do not see it.
    let page = folder.text("map.html");
    assert_eq!(page.matches(">Path 2 and its reports<").count(), 3, "{page}");
    assert!(!page.contains("<text") || !page.contains("15\">Path 2"), "{page}");
    for flags in ["--out map.svg", "--method tracs-c --epsilon 1 --out map.svg"] {
        let ending = folder.run(&format!("trajectory map {SQUARE} {flags}"));
        assert_eq!(ending.code, 2, "{}", ending.stderr);
    }
}
