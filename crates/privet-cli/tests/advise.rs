//! Advice is consistent with itself and with what is known.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

fn advise(flags: &str) -> Value {
    Folder::new().json(&format!("advise {flags}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The recommended mechanism and its alternatives.
fn all(advice: &Value) -> Vec<&Value> {
    std::iter::once(&advice["recommended"]).chain(advice["alternatives"].as_array().unwrap()).collect()
}

fn find<'a>(advice: &'a Value, id: &str) -> &'a Value {
    all(advice).into_iter().find(|row| row["id"] == id).unwrap()
}

#[test]
fn frequencies_of_many_categories() {
    let advice = advise("--domain categories:128 --goal frequency --users 100000 --epsilon 1");
    let best = advice["recommended"]["id"].as_str().unwrap();
    assert!(["subset-selection", "optimized-local-hashing", "optimized-unary-encoding"].contains(&best));
    // The textbook's formula: 4 e^epsilon / (n (e^epsilon - 1)^2).
    let e = 1f64.exp();
    let textbook = (4.0 * e / (1e5 * (e - 1.0).powi(2))).sqrt();
    let error = number(&find(&advice, "optimized-unary-encoding")["expected_error"]);
    assert!((error / textbook - 1.0).abs() < 1e-9, "{error} {textbook}");
    // Direct encoding: (e^epsilon + k - 2) / (n (e^epsilon - 1)^2).
    let textbook = ((e + 126.0) / (1e5 * (e - 1.0).powi(2))).sqrt();
    let error = number(&find(&advice, "generalized-randomized-response")["expected_error"]);
    assert!((error / textbook - 1.0).abs() < 1e-9, "{error} {textbook}");
    assert!(all(&advice).iter().all(|row| number(&row["report_bits"]) > 0.0));
    assert!(advice["alternatives"].as_array().unwrap().iter().all(|row| row["why_not"].is_string()));
}

#[test]
fn means_are_left_to_unbiased_mechanisms() {
    let advice = advise("--domain interval:0,1 --goal mean --users 10000 --epsilon 1");
    let unbiased = ["piecewise", "duchi", "hybrid", "optimal-piecewise-unbiased"];
    assert!(unbiased.contains(&advice["recommended"]["id"].as_str().unwrap()), "{advice}");
    // The worst variance of PM on an interval of width one.
    let error = number(&find(&advice, "piecewise")["expected_error"]);
    assert!((error.powi(2) * 1e4 - 1.3059).abs() < 1e-3, "{error}");
    let left_out = advice["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|row| row["id"] == "optimal-piecewise" && row["why"].is_string()));
    assert!(advice["criterion"].as_str().unwrap().contains("mean of unbiased reports"));
}

#[test]
fn points() {
    let advice = advise("--domain circle:6.283185307179586 --goal point --users 1 --epsilon 2");
    assert!((number(&find(&advice, "optimal-piecewise-circle")["expected_error"]) - 0.84490).abs() < 1e-4);
    assert!((number(&find(&advice, "purkayastha")["expected_error"]) - 1.07908).abs() < 1e-4);
}

#[test]
fn a_target_is_reached_by_the_epsilon_that_is_advised() {
    for (flags, target) in
        [("--domain categories:16 --goal frequency", 0.01), ("--domain circle:360 --goal mean", 2.0)]
    {
        let flags = format!("{flags} --users 10000");
        let by_target = advise(&format!("{flags} --target-error {target}"));
        let best = &by_target["recommended"];
        assert!(number(&best["expected_error"]) <= target, "{best}");
        let epsilon = number(&best["epsilon"]);
        let same = advise(&format!("{flags} --epsilon {epsilon}"));
        let id = best["id"].as_str().unwrap();
        assert_eq!(find(&same, id)["expected_error"], best["expected_error"]);
        assert_eq!(same["recommended"]["id"], best["id"]);
        let less = advise(&format!("{flags} --epsilon {}", epsilon * 0.999));
        assert!(number(&find(&less, id)["expected_error"]) > target);
        assert!(
            all(&by_target)
                .windows(2)
                .all(|pair| { number(&pair[0]["epsilon"]) <= number(&pair[1]["epsilon"]) * (1.0 + 1e-6) })
        );
    }
}

#[test]
fn refusals() {
    let folder = Folder::new();
    for (flags, message) in [
        ("--domain interval:0,1 --goal frequency --epsilon 1", "the goal frequency is about categories"),
        ("--domain categories:3 --goal mean --epsilon 1", "the goal mean is about numbers and angles"),
        ("--domain words:5 --goal frequency --epsilon 1", "the goal frequency is about categories"),
        ("--domain interval:0,1 --goal mean --epsilon 1 --loss squared", "--loss is about the goal point"),
        ("--domain interval:0,1 --goal point --epsilon 1 --loss cubic", "a loss is absolute or squared"),
        ("--domain categories:3 --goal frequency --target-error 0", "the target error must be finite"),
        ("--domain categories:3 --goal frequency --target-error NaN", "the target error must be finite"),
        ("--domain categories:3 --goal frequency --epsilon 0", "epsilon must be finite"),
        ("--domain circle:1 --goal mean --epsilon 1 --delta 1e-6", "none of these mechanisms takes a delta"),
        (
            "--domain categories:128 --goal frequency --target-error 1e-9",
            "no mechanism reaches this error: the best is ",
        ),
    ] {
        let ending = folder.run(&format!("advise --users 10 {flags}"));
        assert_eq!((ending.code, ending.stdout.as_str()), (2, ""), "{flags}: {}", ending.stderr);
        assert!(ending.stderr.starts_with(&format!("error: {message}")), "{flags}: {}", ending.stderr);
    }
    for flags in [
        "--domain binary --goal frequency --users 0 --epsilon 1",
        "--domain binary --goal frequency --users 5",
    ] {
        assert_eq!(folder.run(&format!("advise {flags}")).code, 2, "{flags}");
    }
}

#[test]
fn a_plot_shows_the_best_mechanisms() {
    let folder = Folder::new();
    folder
        .succeed("advise --domain categories:16 --goal frequency --users 1000 --epsilon 1 --plot advice.svg");
    let drawing = folder.text("advice.svg");
    assert!(drawing.contains("subset-selection") && drawing.contains("epsilon"), "{drawing}");
    let refused =
        folder.run("advise --domain categories:16 --goal frequency --users 9 --epsilon 1 --plot advice.txt");
    assert_eq!(refused.code, 2);
    assert_eq!(folder.names(), ["advice.svg"]);
}
