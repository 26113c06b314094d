//! The demo as a person runs it.

// The helpers of tests may stop at once, as tests may.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("privet").unwrap();
    command.arg("demo").args(arguments);
    command
}

fn run(out: &Path, more: &[&str]) -> Value {
    let out = out.to_str().unwrap();
    let arguments = [&["--exit", "--people", "2000", "--json", "--out", out], more].concat();
    let output = demo(&arguments).assert().success().get_output().clone();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_has_the_promised_keys() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("page.html");
    let document = run(&out, &[]);
    assert_eq!(document["report"], out.to_str().unwrap());
    assert_eq!(document["insecure"], false);
    let collections = document["collections"].as_array().unwrap();
    assert_eq!(collections.len(), 5);
    let spent: f64 = collections.iter().map(|collection| collection["epsilon"].as_f64().unwrap()).sum();
    assert!((document["epsilon"].as_f64().unwrap() - spent).abs() < 1e-9);
    for collection in collections {
        assert!(collection["question"].is_string() && collection["mechanism"].is_string());
        assert_eq!(collection["n"], 2000);
        let estimates = collection["estimates"].as_array().unwrap();
        assert!(collection["covered"].as_u64().unwrap() as usize <= estimates.len());
        for estimate in estimates {
            assert!(estimate["label"].is_string());
            for key in ["truth", "value", "standard_error"] {
                assert!(estimate[key].is_number(), "{key}");
            }
            assert_eq!(estimate["interval"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn the_page_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("page.html");
    run(&out, &[]);
    let page = std::fs::read_to_string(&out).unwrap();
    for forbidden in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for wanted in ["<svg", "<title", "<desc", "prefers-color-scheme: dark", "epsilon"] {
        assert!(page.contains(wanted), "{wanted}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "only the page");
}

#[test]
fn a_seed_repeats_warns_and_marks() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one.html"), folder.path().join("two.html"));
    let mut first = run(&one, &["--insecure-seed", "7"]);
    let second = run(&two, &["--insecure-seed", "7"]);
    assert_eq!(first["insecure"], true);
    first["report"] = second["report"].clone();
    assert_eq!(first, second);
    assert!(std::fs::read_to_string(&one).unwrap().contains("drawn from a fixed seed"));
    let out = one.to_str().unwrap();
    let output = demo(&["--people", "10", "--out", out, "--insecure-seed", "7"]).assert().success();
    assert!(String::from_utf8_lossy(&output.get_output().stderr).contains("warning:"));
}

#[test]
fn one_person_and_odd_epsilons_are_no_reason_to_stumble() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("page.html");
    for epsilon in ["0.01", "1", "8", "60"] {
        let out = out.to_str().unwrap();
        demo(&["--people", "1", "--epsilon", epsilon, "--out", out]).assert().success();
    }
}

#[test]
fn nobody_is_refused() {
    let output = demo(&["--people", "0"]).assert().code(2);
    let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(stderr.contains("error: a survey needs at least one person: got 0"), "{stderr}");
    demo(&["--epsilon", "0"]).assert().code(2);
}

#[test]
fn a_folder_that_is_not_there_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("missing").join("page.html");
    let output = demo(&["--exit", "--people", "2000", "--out", out.to_str().unwrap()]).assert().code(74);
    assert!(String::from_utf8_lossy(&output.get_output().stderr).starts_with("error: cannot write "));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
