//! What a path loses and shows.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;
use std::collections::BTreeMap;

/// Paths of one, two, three and five locations, with times that are not in order.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("trajectory_id,t,lon,lat\n");
    for (path, locations) in [("a", 1), ("b", 2), ("c", 3), ("d", 5)] {
        for location in 0..locations {
            let time = (location + 2) % locations;
            text += &format!("{path},{}.5,{},{}\n", 10 * time, 0.1 * f64::from(time), 0.5);
        }
    }
    folder.write("paths.csv", text);
    folder.write(
        "dates.csv",
        "trajectory_id,t,lon,lat\n1,2012-04-08 00:03:35,0.5,0.5\n1,2012-04-08 01:10:00,0.5,0.5\n",
    );
    folder
}

const PERTURB: &str =
    "trajectory perturb --space rectangle:0,1,0,1 --method tracs-c --in paths.csv --out out.csv";

fn epsilon(guarantee: &Value) -> f64 {
    guarantee["epsilon"].as_f64().unwrap()
}

fn counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines().skip(1) {
        *counts.entry(line.split(',').next().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn answers_say_what_a_location_and_a_path_lose() {
    let folder = folder();
    let each = folder.json(&format!("{PERTURB} --epsilon 2"));
    let one = epsilon(&each["guarantee"]);
    assert!(one > 1.99 && one <= 2.0);
    // The longest path has five locations.
    assert_eq!(each["path"]["reports"], 5);
    let whole = epsilon(&each["path"]["guarantee"]);
    assert!(whole >= 5.0 * one && whole < 5.0 * one + 1e-9, "{each}");
    assert_eq!(each["visible"], "the number of places and their times are visible");
    let fixed = folder.json(&format!("{PERTURB} --epsilon 2 --count 4"));
    assert_eq!((&fixed["rows"], &fixed["path"]["reports"]), (&16.into(), &4.into()));
    assert!(epsilon(&fixed["path"]["guarantee"]) <= 8.0);
    assert!(fixed["visible"].as_str().unwrap().ends_with("are hidden: every path has 4 reports"));
    let text = folder.succeed(&format!("{PERTURB} --epsilon 2 --count 4"));
    for words in
        ["16 reports in out.csv", "each place: epsilon = ", "the whole path of 4 reports: ", "whole space"]
    {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn an_epsilon_can_be_for_a_whole_path() {
    let folder = folder();
    let even = folder.json(&format!("{PERTURB} --epsilon 6 --budget per-path --count 3"));
    let (one, whole) = (epsilon(&even["guarantee"]), epsilon(&even["path"]["guarantee"]));
    assert!(one > 1.99 && one <= 2.0 && whole <= 6.0, "{even}");
    // Every path has three reports, whatever it was.
    assert!(counts(&folder.text("out.csv")).values().all(|count| *count == 3));
    let weighted = folder.json(&format!("{PERTURB} --epsilon 6 --budget per-path --weights 4,1,1"));
    assert_eq!(weighted["guarantee"], Value::Null);
    let whole = epsilon(&weighted["path"]["guarantee"]);
    assert!(whole > 5.99 && whole <= 6.0 && weighted["path"]["reports"] == 3, "{weighted}");
    // What was divided evenly can be estimated from.
    let estimate = "trajectory estimate --space rectangle:0,1,0,1 --method tracs-c --in out.csv --grid 4 --budget per-path";
    folder.json(&format!("{PERTURB} --epsilon 6 --budget per-path --count 3"));
    assert_eq!(folder.json(&format!("{estimate} --epsilon 6 --count 3"))["reports"], 12);
    for (line, word) in [
        (format!("{PERTURB} --epsilon 6 --budget per-path"), "--count"),
        (format!("{PERTURB} --epsilon 6 --weights 1,2"), "--budget per-path"),
        (
            format!("{PERTURB} --epsilon 6 --budget per-path --weights 1,2 --count 3"),
            "a weight for each location",
        ),
        (format!("{PERTURB} --epsilon 6 --budget per-path --weights 1,-2"), "greater than 0"),
        (format!("{PERTURB} --epsilon 6 --count 3 --keep t"), "kept columns would show"),
        (format!("{estimate} --epsilon 6 --weights 4,1,1"), "different epsilons"),
    ] {
        let ending = folder.run(&line);
        assert!(ending.code == 2 && ending.stderr.contains(word), "{line}: {}", ending.stderr);
    }
}

#[test]
fn times_are_shown_on_a_grid() {
    let folder = folder();
    let shown = folder.json(&format!("{PERTURB} --epsilon 60 --time t --time-grid 20"));
    assert_eq!(shown["visible"], "the number of places is visible, and their times in steps of 20");
    assert_eq!(shown["path"]["reports"], 5);
    let text = folder.text("out.csv");
    assert_eq!(text.lines().next(), Some("trajectory_id,lon,lat,t"));
    // In the order of time; at this epsilon the reports are the locations, up to the lattice.
    let of_d: Vec<&str> = text.lines().filter(|line| line.starts_with("d,")).collect();
    let times: Vec<&str> = of_d.iter().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(times, ["0", "0", "20", "20", "40"]);
    let firsts: Vec<f64> = of_d.iter().map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
    assert!(
        firsts.iter().zip([0.0, 0.1, 0.2, 0.3, 0.4]).all(|(one, other)| (one - other).abs() < 0.01),
        "{firsts:?}"
    );
    let slots = format!("{PERTURB} --epsilon 60 --time t --time-grid 20 --count 3");
    let hidden = folder.json(&format!("{slots} --time-start 0"));
    assert!(hidden["visible"].as_str().unwrap().ends_with("every path has 3 reports, from 0 in steps of 20"));
    assert!(counts(&folder.text("out.csv")).values().all(|count| *count == 3));
    assert!(folder.run(&slots).stderr.contains("--time-start"));
    assert!(folder.run(&format!("{slots} --time-start noon")).stderr.contains("cannot read the time"));
    let dates = PERTURB.replace("paths.csv", "dates.csv");
    folder.succeed(&format!("{dates} --epsilon 60 --time t --time-grid 3600"));
    let times: Vec<String> = folder
        .text("out.csv")
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap().to_owned())
        .collect();
    assert_eq!(times, ["2012-04-08T00:00:00Z", "2012-04-08T01:00:00Z"]);
}

#[test]
fn smoothing_knows_gaps_of_time() {
    let folder = Folder::new();
    let mut text = String::from("trajectory_id,t,lon,lat\n");
    (0..40).for_each(|step| text += &format!("1,{step},{},0.5\n", 0.2 + 0.6 * f64::from(step % 20) / 20.0));
    folder.write("paths.csv", text);
    let flags = "--space rectangle:0,1,0,1 --method window-2d --epsilon 4";
    let seeded = folder.run(&format!(
        "trajectory perturb {flags} --in paths.csv --keep t --out reports.csv --insecure-seed 1"
    ));
    assert_eq!(seeded.code, 0);
    let smooth = |flags_of_time: &str| {
        let line = format!(
            "trajectory estimate {flags} --in reports.csv --grid 8 --smooth 0.1 --out - {flags_of_time}"
        );
        folder.succeed(&line)
    };
    // A gap of one is that of the table; any other one changes what is read.
    assert_eq!(smooth(""), smooth("--time t --gap 1"));
    assert_ne!(smooth(""), smooth("--time t --gap 64"));
    let unsorted = folder.text("reports.csv").replace(",7\n", ",70\n");
    folder.write("reports.csv", unsorted);
    let ending =
        folder.run(&format!("trajectory estimate {flags} --in reports.csv --smooth 0.1 --time t --gap 1"));
    assert!(ending.code == 65 && ending.stderr.contains("time number 9 is before"), "{}", ending.stderr);
}

#[test]
fn reports_that_were_not_moved_can_be_estimated_from() {
    let folder = folder();
    folder.write("triangle.geojson", r#"{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,1],[0,0]]]}"#);
    let flags = "--space polygon:triangle.geojson --method tracs-c --epsilon 1";
    let seeded = folder.run(&format!(
        "trajectory perturb {flags} --in paths.csv --out out.csv --unmoved --clamp --insecure-seed 1"
    ));
    assert_eq!(seeded.code, 0, "{}", seeded.stderr);
    let sums = |text: &str| -> Vec<f64> {
        let sum = |line: &str| line.split(',').skip(1).map(|number| number.parse::<f64>().unwrap()).sum();
        text.lines().skip(1).map(sum).collect()
    };
    assert!(sums(&folder.text("out.csv")).iter().any(|sum| *sum > 1.01));
    let readings = folder.succeed(&format!("trajectory estimate {flags} --in out.csv --grid 8 --out -"));
    assert!(sums(&readings).iter().all(|sum| *sum < 1.0 + 1e-6));
}
