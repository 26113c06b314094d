//! Forgers among the people of a table.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::new();
    let row = |person: usize| format!("{},{}\n", ["walk", "walk", "bus"][person % 3], person % 60);
    let rows: String = (0..3000).map(row).collect();
    folder.write("people.csv", format!("commute,minutes\n{rows}"));
    folder
}

const CATEGORIES: &str = "simulate --mechanism oue,grr --domain categories:walk,bus,car --epsilon 1 --in people.csv \
                          --column commute --trials 3 --insecure-seed 5 --attackers 0.05 --target car";

fn rows(folder: &Folder, line: &str) -> Vec<Value> {
    let ending = folder.run(&format!("{line} --json"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let document: Value = serde_json::from_str(&ending.stdout).unwrap();
    document.as_array().unwrap().clone()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap()
}

/// Without noise one forged report in twenty adds .05 (1 - s) / (own - other) to a category that a share s of the reports supports.
#[test]
fn forgers_gain_what_the_coefficients_say() {
    let folder = folder();
    let rows = rows(&folder, &format!("{CATEGORIES} --attack maximal-gain,input"));
    let named: Vec<[&str; 2]> =
        rows.iter().map(|row| ["mechanism", "attack"].map(|key| row[key].as_str().unwrap())).collect();
    assert_eq!(
        named,
        [
            ["optimized-unary-encoding", "maximal-gain"],
            ["optimized-unary-encoding", "input-poisoning"],
            ["generalized-randomized-response", "maximal-gain"],
            ["generalized-randomized-response", "input-poisoning"],
        ]
    );
    let e = 1f64.exp();
    let coefficients = [[0.5, 1.0 / (e + 1.0)], [e / (e + 2.0), 1.0 / (e + 2.0)]];
    for (row, [own, other]) in rows.iter().step_by(2).zip(coefficients) {
        let supported = other + (own - other) * number(row, "estimate");
        let expected = 0.05 * (1.0 - supported) / (own - other);
        assert!((number(row, "gain") - expected).abs() < 1e-3, "{row}");
        let moved = number(row, "attacked_estimate") - number(row, "estimate");
        assert!((moved - number(row, "gain")).abs() < 1e-12);
        assert_eq!((number(row, "truth"), &row["target"], &row["n"]), (0.0, &"car".into(), &3000.into()));
        assert_eq!(
            (&row["forged"], &row["trials"], number(row, "falsely_warned")),
            (&158.into(), &3.into(), 0.0)
        );
        assert!(number(row, "mean_absolute_error") > 0.0 && number(row, "mean_squared_error") > 0.0);
    }
    // Those who only lie gain about their share, and nobody sees it.
    for row in rows.iter().skip(1).step_by(2) {
        assert!(number(row, "gain") < 0.5 * number(&rows[0], "gain"), "{row}");
        assert_eq!(number(row, "warned"), 0.0);
    }
}

#[test]
fn means_are_attacked_and_drawn_over_the_share_of_forgers() {
    let folder = folder();
    let line = "simulate --mechanism piecewise --domain interval:0,120 --epsilon 1 --in people.csv --column minutes \
                --trials 2 --insecure-seed 6 --attack maximal-gain --attackers 0.02:0.06:0.02 --target 120";
    let rows = rows(&folder, &format!("{line} --plot attack.svg"));
    let gains: Vec<f64> = rows.iter().map(|row| number(row, "gain")).collect();
    assert!(gains.len() == 3 && gains.windows(2).all(|pair| pair[0] < pair[1]), "{gains:?}");
    let last = &rows[2];
    assert_eq!((&last["target"], number(last, "truth"), number(last, "warned")), (&"mean".into(), 29.5, 1.0));
    assert!(number(last, "robust_gain").abs() < 0.5 * number(last, "gain"), "{last}");
    assert!(folder.text("attack.svg").contains("share of forged reports"));
    let text = folder.run(&format!("{line} --plot attack.png"));
    assert!(text.stdout.contains("GAIN") && text.stdout.contains("Drawn in attack.png."), "{}", text.stdout);
}

#[test]
fn what_cannot_be_attacked_is_explained() {
    let folder = folder();
    let with = |flags: &str| format!("{CATEGORIES} --attack maximal-gain {flags}");
    for (line, words) in [
        (with("").replace("--target car", "--target tram"), "\"tram\" is none"),
        (with("").replace("0.05", "1"), "at least 0 and below 1"),
        (with("").replace("0.05", "many"), "must be a number"),
        (with("").replace("--target car", ""), "--target"),
        (CATEGORIES.to_owned(), "--attack"),
        (with("--consistency norm-sub"), "without a consistency step"),
        (with("--plot attack.doc"), "attack.doc"),
    ] {
        let ending = folder.run(&line);
        assert!(ending.code == 2 && ending.stderr.contains(words), "{line}\n{}", ending.stderr);
    }
}
