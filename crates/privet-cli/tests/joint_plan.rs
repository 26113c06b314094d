//! Plans and simulations of joint perturbation from the command line.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

fn plan(flags: &str) -> Value {
    Folder::new().json(&format!("joint plan {flags}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn four(value: &Value) -> String {
    format!("{:.3e}", number(value))
}

#[test]
fn every_step_explains_itself() {
    for step in ["plan", "simulate"] {
        let text = Folder::new().succeed(&format!("joint {step} --help"));
        assert!(text.contains("Examples:\n"), "{step}");
        insta::assert_snapshot!(format!("help_{step}"), text);
    }
}

#[test]
fn the_published_figures() {
    let rows = plan("--users 20000 --colluders 5 --epsilon 0.01,0.1,1 --ones 659");
    let figures: Vec<[String; 2]> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| [four(&row["variance"]), four(&row["variance_independent"])])
        .collect();
    assert_eq!(figures, [["3.006e7", "2.000e8"], ["4.239e5", "1.998e6"], ["1.251e4", "1.841e4"]]);
    assert!(rows.as_array().unwrap().iter().all(|row| row["exposed_epsilon"] == "infinite"));
    let census = plan("--users 10000 --colluders 5 --epsilon 0.01 --ones 9528");
    assert_eq!([four(&census["variance"]), four(&census["variance_independent"])], ["2.310e7", "1.000e8"]);
}

#[test]
fn one_epsilon_is_one_document_with_all_keys() {
    let plan = plan("--users 20000 --colluders 5 --epsilon 1 --ones 659 --cap 2 --known-others");
    for key in ["p", "rho", "average_epsilon", "exposed_epsilon", "variance", "variance_independent", "ratio"]
    {
        assert!(plan[key].is_number(), "{key}");
    }
    assert!(number(&plan["average_epsilon"]) <= 1.0 && number(&plan["exposed_epsilon"]) <= 2.0);
    assert!(number(&plan["ratio"]) < 0.83 && number(&plan["ratio"]) > 0.82);
    assert!((number(&plan["probability_of_exposure"]) - 5.0 / 19_999.0).abs() < 1e-15);
    assert!(number(&plan["known_others"]["worst_loss"]) > 1.0);
    assert!(plan["promised"].as_array().unwrap().len() > 1);
}

#[test]
fn the_page_says_what_is_not_promised() {
    let folder = Folder::new();
    let text = folder.succeed("joint plan --users 20001 --colluders 5 --epsilon 1 --ones 659");
    assert!(text.contains("infinite") && text.contains("Not promised"), "{text}");
    assert!(text.contains("one person is left over and perturbs alone"), "{text}");
    let seen = folder.succeed("joint plan --users 20000 --colluders 5 --epsilon 1 --cap 2 --relay collector");
    assert!(seen.contains("withheld") && !seen.contains("On average over"), "{seen}");
    let plan = plan("--users 20000 --colluders 5 --epsilon 1 --cap 2 --relay collector");
    assert!(plan["average_epsilon"].is_null() && plan["exposed_epsilon"].is_number());
}

#[test]
fn what_cannot_be_planned() {
    let folder = Folder::new();
    for (flags, message) in [
        ("--users 1 --colluders 0 --epsilon 1", "at least two participants: got 1"),
        ("--users 10 --colluders 10 --epsilon 1", "fewer than the 10 participants: got 10"),
        (
            "--users 10 --colluders 1 --epsilon 1 --ones 11",
            "at most all 10 participants can hold the value: got 11",
        ),
        ("--users 10 --colluders 1 --epsilon 0", "epsilon must be finite and greater than 0: got 0"),
        (
            "--users 10 --colluders 1 --epsilon 1 --cap -1",
            "epsilon must be finite and greater than 0: got -1",
        ),
        ("--users 99999999999 --colluders 1 --epsilon 1 --known-others", "at most 10000000 participants"),
    ] {
        let ending = folder.run(&format!("joint plan {flags}"));
        assert_eq!(ending.code, 2, "{flags}: {}", ending.stderr);
        assert!(ending.stderr.contains(message) && ending.stdout.is_empty(), "{flags}: {}", ending.stderr);
    }
}

/// Five standard errors, with a fixed seed.
#[test]
fn simulated_errors_are_those_of_the_plan() {
    let folder = Folder::new();
    let flags = "--colluders 5 --epsilon 0.1,1 --trials 400 --insecure-seed 5 --json";
    let ending = folder.run(&format!("joint simulate --users 2001 --ones 66 {flags}"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    for row in rows.as_array().unwrap() {
        for suffix in ["", "_independent"] {
            let [observed, error, expected] = ["mean_squared_error", "standard_error", "variance"]
                .map(|key| number(&row[format!("{key}{suffix}")]));
            assert!((observed - expected).abs() < 5.0 * error, "{row}");
        }
        assert!(number(&row["expected_ratio"]) < 0.9);
    }
    // A table of the same people gives the same numbers.
    let column: String =
        (0..2001).map(|person| if person % 30 == 0 && person < 1980 { "1\n" } else { "0\n" }).collect();
    folder.write("people.csv", format!("value\n{column}"));
    let read = folder.run(&format!("joint simulate --in people.csv --column value {flags}"));
    assert_eq!(read.stdout, ending.stdout, "{}", read.stderr);
}

#[test]
fn values_that_are_no_bits_are_refused_without_being_shown() {
    let folder = Folder::new();
    folder.write("people.csv", "value\n0\n7\n");
    let ending = folder.run("joint simulate --in people.csv --column value --colluders 0 --epsilon 1");
    assert_eq!(ending.code, 65);
    assert!(ending.stderr.contains("row 2") && !ending.stderr.contains('7'), "{}", ending.stderr);
    let both = folder.run("joint simulate --in people.csv --users 3 --ones 1 --colluders 0 --epsilon 1");
    assert_eq!(both.code, 2);
}
