//! Two people who perturb together, as two processes.

// The helpers of tests may stop at once, as tests may.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::Folder;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

const TABLE: &str =
    "joint perturb --p 0.75 --rho -0.3 --collection census --in value --out report.json --ledger .";

fn person(value: &str) -> Folder {
    let folder = Folder::new();
    folder.write("value", value);
    folder
}

fn start(folder: &Folder, more: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin("privet"))
        .args(format!("{TABLE} {more}").split_whitespace())
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts the first of two, and says where it waits.
fn start_first(folder: &Folder) -> (Child, String) {
    let mut first = start(folder, "--listen 127.0.0.1:0 --insecure-seed 1");
    let lines = BufReader::new(first.stderr.take().unwrap()).lines();
    let address = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("waiting for the partner at ").map(str::to_owned));
    (first, address.expect("the first says where it waits"))
}

fn report(folder: &Folder) -> Value {
    serde_json::from_str(&folder.text("report.json")).unwrap()
}

#[test]
fn two_processes_make_two_reports_and_no_third() {
    let (one, two) = (person("1\n"), person("0"));
    let (mut first, address) = start_first(&one);
    let mut second = start(&two, &format!("--connect {address} --insecure-seed 2"));
    assert!(first.wait().unwrap().success() && second.wait().unwrap().success());
    for (folder, role) in [(&one, "first"), (&two, "second")] {
        let report = report(folder);
        let keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["value", "p", "rho", "role", "collection", "insecure"]);
        assert!(report["value"] == 0 || report["value"] == 1);
        assert_eq!((&report["role"], &report["insecure"]), (&role.into(), &true.into()));
        assert!((report["p"].as_f64().unwrap() - 0.75).abs() < 1e-12);
        assert!((report["rho"].as_f64().unwrap() + 0.3).abs() < 1e-12);
        let refused = folder.run(&format!("{TABLE} --alone"));
        assert_eq!(refused.code, 65);
        assert!(refused.stderr.contains("already had the run of this collection"), "{}", refused.stderr);
    }
}

#[test]
fn a_partner_that_is_killed_leaves_an_error_and_no_report() {
    let (one, two) = (person("1"), person("0"));
    let (mut first, address) = start_first(&one);
    first.kill().unwrap();
    first.wait().unwrap();
    let lost = two.run(&format!("{TABLE} --connect {address} --time-out 1 --insecure-seed 2"));
    assert_eq!(lost.code, 65);
    assert!(lost.stderr.contains("no connection to the partner"), "{}", lost.stderr);
    assert!(lost.stderr.contains("the two may try again"), "{}", lost.stderr);
    assert_eq!(two.names(), ["value"]);
}

#[test]
fn the_person_who_is_left_over_reports_once() {
    let folder = person("1");
    assert_eq!(folder.run(&format!("{TABLE} --alone --insecure-seed 3")).code, 0);
    assert_eq!(report(&folder)["role"], "alone");
    assert_eq!(folder.run(&format!("{TABLE} --alone --insecure-seed 4")).code, 65);
}

#[test]
fn bad_input_is_refused_before_anything_is_spent() {
    let folder = person("17");
    let refused = folder.run(&format!("{TABLE} --alone"));
    assert_eq!(refused.code, 65);
    assert!(
        refused.stderr.contains("must be 0 or 1") && !refused.stderr.contains("17"),
        "{}",
        refused.stderr
    );
    folder.write("value", "1");
    for (from, to, words) in [
        ("--p 0.75", "--p 0.5", "must be above 0.5"),
        ("--rho -0.3", "--rho -0.4", "the correlation rho must be between"),
        ("--rho -0.3", "--rho 1.1", "the correlation rho must be between"),
    ] {
        let refused = folder.run(&format!("{} --alone", TABLE.replace(from, to)));
        assert_eq!(refused.code, 2, "{to}");
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
    for more in ["", "--alone --listen 127.0.0.1:0", "--relay 127.0.0.1:1 --alone", "--mailbox value"] {
        assert_eq!(folder.run(&format!("{TABLE} {more}")).code, 2, "{more}");
    }
    let refused = folder.run(&format!("{} --alone", TABLE.replace("--ledger .", "--ledger missing")));
    assert_eq!(refused.code, 65);
    let refused = folder.run(&format!("{TABLE} --mailbox value --relay 127.0.0.1:1"));
    assert!(refused.stderr.contains("does not hold a mailbox"), "{}", refused.stderr);
    assert_eq!(folder.names(), ["value"]);
}
