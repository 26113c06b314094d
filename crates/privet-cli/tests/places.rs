//! Verbs about one value, on rectangles.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use privet::limit::plane::{PlaneObjective, PlaneProblem};
use privet::limit::{Problem, Stop};
use privet::plane::PlanePrior;
use privet::{Epsilon, Interval, Rectangle};
use serde_json::Value;
use std::sync::OnceLock;

const SQUARE: &str = "--domain rectangle:0,1,0,1";

/// People of the north-western quarter.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("id,place\n");
    for index in 0..150u32 {
        let share = |factor: u32| f64::from(index * factor % 101) / 101.0;
        text += &format!("{index},\"{},{}\"\n", 0.45 * share(7), 0.55 + 0.45 * share(3));
    }
    folder.write("people.csv", text);
    folder
}

/// Writes a solved mechanism that is not the best one: the first that the solver finds.
fn solve(folder: &Folder) {
    static FIRST_FOUND: OnceLock<String> = OnceLock::new();
    let json = FIRST_FOUND.get_or_init(|| {
        let side = Interval::new(0.0, 1.0).unwrap();
        let problem = Problem::Plane(PlaneProblem {
            rectangle: Rectangle::new([side, side]).unwrap(),
            epsilon: Epsilon::new(4.0).unwrap(),
            objective: PlaneObjective::Average(PlanePrior::uniform()),
        });
        let stop = Stop::default();
        problem.solve(&stop, &mut |_| stop.request()).unwrap().to_json()
    });
    folder.write("a.json", json);
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The likeliest shares add up to one. A share beyond its interval is moved to the nearest end: the sum is less than one only if
/// some are at an upper end, and more only if some are at a lower one. How far they are moved is a matter of chance; here, where
/// all draws are fixed, it is less than a hundredth.
fn check_sum(rows: &[Value]) {
    let missing = 1.0 - rows.iter().map(|row| number(&row["value"])).sum::<f64>();
    let is_at = |row: &Value, end: usize| {
        let end = number(&row["interval"][end]);
        number(&row["value"]) == end && end > 0.0 && end < 1.0
    };
    let is_moved = rows.iter().any(|row| is_at(row, usize::from(missing > 0.0)));
    assert!(missing.abs() < if is_moved { 0.01 } else { 1e-9 }, "{rows:?}");
}

#[test]
fn shares_of_cells_are_estimated_from_reports() {
    let folder = folder();
    solve(&folder);
    // Some people are .05 away from a line between cells. The window tells them from others better than the reports of the file,
    // which was made for small distances; for people in the middle of a cell both have a lower end above .8.
    let mechanisms = [
        (format!("--mechanism window-2d {SQUARE} --epsilon 4"), 0.7),
        ("--mechanism file:a.json".to_owned(), 0.45),
    ];
    for (mechanism, least) in mechanisms {
        let ending = folder.run(&format!(
            "perturb {mechanism} --in people.csv --column place --out reports.csv --insecure-seed 4"
        ));
        assert_eq!(ending.code, 0, "{}", ending.stderr);
        let estimate = format!("estimate {mechanism} --in reports.csv --insecure-seed");
        let document = folder.json(&format!("{estimate} --distribution-bins 2"));
        let rows = document["estimates"].as_array().unwrap();
        assert_eq!(rows.len(), 4);
        check_sum(rows);
        assert_eq!(rows[2]["place"], serde_json::json!([0.25, 0.75]));
        assert_eq!(rows[2]["from"], serde_json::json!([0.0, 0.5]));
        assert_eq!((&rows[2]["to"], &rows[2]["label"]), (&serde_json::json!([0.5, 1.0]), &"2".into()));
        for row in rows {
            let [low, high] = [&row["interval"][0], &row["interval"][1]].map(number);
            assert!(low <= high && number(&row["standard_error"]) >= 0.0, "{row}");
        }
        // Evenly spread people would have a quarter.
        assert!(number(&rows[2]["value"]) > 0.8 && number(&rows[2]["interval"][0]) > least, "{document}");
        assert_eq!((&document["n"], &document["guarantee"]["kind"]), (&150.into(), &"pure".into()));
        for flag in ["--quantiles 0.5", "--top 3", "--consistency simplex", "--range 0,1", "--smooth 4"] {
            let ending = folder.run(&format!("{estimate} {flag}"));
            assert!(
                ending.code == 2 && ending.stderr.contains("not about places"),
                "{flag}: {}",
                ending.stderr
            );
        }
    }
}

#[test]
fn distances_are_simulated() {
    let folder = folder();
    solve(&folder);
    let flags = format!("--in people.csv --column place {SQUARE}");
    let simulate = format!("simulate {flags} --mechanism window-2d,file:a.json --epsilon 4 --trials 10");
    let rows = folder.json(&simulate);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        let [absolute, squared] = ["mean_absolute_error", "mean_squared_error"].map(|key| number(&row[key]));
        // 1500 distances with a deviation of at most .25 have a standard error below .007.
        assert!((0.14..0.24).contains(&absolute) && squared > absolute * absolute, "{row}");
        assert_eq!((&row["goal"], &row["n"]), (&"point".into(), &150.into()));
    }
    assert_eq!(
        folder.json(&format!("simulate {flags} --mechanism all --epsilon 4 --trials 1"))[0]["mechanism"],
        "window-2d"
    );
    assert!(folder.run(&format!("{simulate} --goal mean")).stderr.contains("the goal for places is point"));
}

#[test]
fn the_nearest_reports_are_advised() {
    let folder = folder();
    solve(&folder);
    let advise = format!("advise {SQUARE} --goal point --users 1");
    let advice = folder.json(&format!("{advise} --epsilon 4 --mechanism file:a.json"));
    assert_eq!(advice["recommended"]["id"], "window-2d");
    assert_eq!(advice["alternatives"][0]["id"], "plane-window");
    let worst = number(&advice["recommended"]["expected_error"]);
    let stated =
        folder.json(&format!("error --mechanism window-2d {SQUARE} --epsilon 4 --loss absolute --worst"));
    assert_eq!(number(&stated["error"]), worst);
    assert_eq!(folder.run(&format!("{advise} --epsilon 4 --loss squared")).code, 2);
    assert_eq!(folder.run(&format!("advise {SQUARE} --goal mean --users 1 --epsilon 4")).code, 2);
}
