//! What the verbs answer.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{COLOURS, Folder, colours};
use std::io::Read;
use std::process::{Command, Stdio};

fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn mechanisms() {
    let folder = Folder::new();
    let rows = folder.json("mechanisms");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 53);
    for row in rows {
        for key in ["id", "title", "domain", "goal", "guarantee", "numerics", "reference", "status"] {
            assert!(!row[key].as_str().unwrap().is_empty(), "{key} of {row}");
        }
    }
    let markdown = folder.succeed("mechanisms --markdown");
    let lines: Vec<&str> = markdown.lines().collect();
    assert_eq!(lines[0], "| id | name | domain | for | guarantee | numerics | reference |");
    assert!(lines.iter().all(|line| line.matches('|').count() == 8));
    assert_eq!(lines.len(), rows.len() + 2);
    assert!(folder.succeed("mechanisms").lines().count() == rows.len() + 1);
}

#[test]
fn describe() {
    let folder = Folder::new();
    let document =
        folder.json("describe --mechanism grr --domain categories:red,green,blue --epsilon 1 --input green");
    assert_eq!(document["id"], "generalized-randomized-response");
    assert_eq!(document["guarantee"]["kind"], "pure");
    assert!(document["guarantee"]["epsilon"].as_f64().unwrap() <= 1.0);
    assert_eq!(document["guarantee"]["delta"], 0.0);
    assert_eq!((&document["report_bits"], &document["report_bytes"]), (&2.into(), &1.into()));
    let pieces = document["pieces"].as_array().unwrap();
    assert_eq!(keys(&pieces[0]), ["from", "to", "outcomes", "mass"]);
    assert_eq!((&pieces[0]["from"], &pieces[0]["to"]), (&"green".into(), &"green".into()));
    let mass =
        |piece: &serde_json::Value| piece["mass"].as_f64().unwrap() * piece["outcomes"].as_f64().unwrap();
    assert!((pieces.iter().map(mass).sum::<f64>() - 1.0).abs() < 1e-12);
    let page = folder.succeed("describe --mechanism grr --domain categories:16 --epsilon 2");
    let table = "\
WHAT                 OUTCOMES  PROBABILITY OF EACH
the own category            1             0.330030
each other category        15             0.044665
";
    assert!(page.starts_with("Generalized randomized response\n\nid "), "{page}");
    assert!(page.contains("\nreport       4 bits in 1 byte\n") && page.ends_with(table), "{page}");
}

#[test]
fn perturb_and_estimate() {
    let folder = Folder::new();
    folder.write("a.csv", colours(1_000));
    let perturbed = folder.json(&format!("perturb {COLOURS} --column colour --in a.csv --out r.parquet"));
    assert_eq!((&perturbed["rows"], &perturbed["out"]), (&1_000.into(), &"r.parquet".into()));
    assert_eq!(keys(&perturbed["guarantee"]), ["kind", "epsilon", "delta"]);
    let estimated = folder.json(&format!("estimate {COLOURS} --in r.parquet --consistency simplex"));
    let all = ["attribute", "n", "guarantee", "withheld", "epoch", "public", "method", "target", "estimates"];
    assert_eq!(keys(&estimated), all);
    let rows = estimated["estimates"].as_array().unwrap();
    let labels: Vec<_> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["red", "green", "blue"]);
    let row_keys = [
        "label",
        "value",
        "standard_error",
        "bias_bound",
        "interval",
        "n",
        "method",
        "target",
        "simultaneous_interval",
    ];
    assert!(rows.iter().all(|row| keys(row) == row_keys && row["n"] == 1_000));
    assert_eq!(rows[0]["method"], "support counts, then simplex");
    let total: f64 = rows.iter().map(|row| row["value"].as_f64().unwrap()).sum();
    assert!((total - 1.0).abs() < 1e-9);
}

#[test]
fn text_of_a_seeded_run() {
    let folder = Folder::new();
    folder.write("a.csv", colours(5_000));
    let perturbed =
        folder.run(&format!("perturb {COLOURS} --column colour --in a.csv --out r.csv --insecure-seed 11"));
    assert_eq!(perturbed.stdout, "5000 reports in r.csv (epsilon = 1, pure, each)\n");
    let estimated = folder.succeed(&format!("estimate {COLOURS} --in r.csv --insecure-seed --top 2"));
    insta::assert_snapshot!(estimated);
}

#[test]
fn simulate() {
    let folder = Folder::new();
    folder.write("a.csv", colours(2_000));
    let flags = "--domain categories:red,green,blue --in a.csv --column colour --goal frequency --trials 40";
    let line = format!("simulate --mechanism grr,oue --epsilon 1:2:1 {flags} --insecure-seed 5 --json");
    let ending = folder.run(&line);
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    assert_eq!(ending.stdout, folder.run(&line).stdout);
    let rows: serde_json::Value = serde_json::from_str(&ending.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let root = number("mean_squared_error").sqrt();
        assert!((root / number("expected_standard_error") - 1.0).abs() < 0.3, "{row}");
        assert!(number("mean_absolute_error") < root && root < number("max_absolute_error"));
        assert!(number("coverage") > 0.85 && number("simultaneous_coverage") > 0.8, "{row}");
        assert_eq!((&row["n"], &row["trials"]), (&2_000.into(), &40.into()));
    }
    assert!(rows[0]["mean_absolute_error"].as_f64() > rows[2]["mean_absolute_error"].as_f64());
    let all = folder.json(&format!("simulate --mechanism all --epsilon 1 {flags} --consistency norm-sub"));
    assert_eq!(all.as_array().unwrap().len(), 10);
    folder.write("b.csv", "colour\nred\nmauve\n");
    let bad = folder
        .run("simulate --mechanism grr --epsilon 1 --domain categories:red,green --in b.csv --column colour");
    let message = "error: b.csv, row 2: the value lies outside the domain categories:red,green [input-outside-domain]\n";
    assert_eq!((bad.code, bad.stderr.as_str()), (65, message));
}

/// A reader that has seen enough is no reason to complain.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::new();
    folder.write("a.csv", colours(200_000));
    let flags = format!("perturb {COLOURS} --column colour --in a.csv --out -");
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet"))
        .current_dir(folder.path(""))
        .args(flags.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut beginning = [0; 7];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut beginning).unwrap();
    assert_eq!(&beginning, b"report\n");
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn new_files_have_the_usual_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.write("a.csv", colours(3));
    folder.succeed(&format!("perturb {COLOURS} --column colour --in a.csv --out r.csv"));
    let mode = |name: &str| std::fs::metadata(folder.path(name)).unwrap().permissions().mode();
    assert_eq!(mode("r.csv"), mode("a.csv"));
}

/// Devices are written to, links are followed, and neither is replaced by a file.
#[cfg(unix)]
#[test]
fn devices_and_links_stay_what_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = Folder::new();
    folder.write("a.csv", colours(3));
    let line = |out: &str| format!("perturb {COLOURS} --column colour --in a.csv --format csv --out {out}");
    folder.succeed(&line("/dev/null"));
    assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let full = folder.run(&line("/dev/full"));
    let message = "error: cannot write /dev/full: No space left on device (os error 28) [file]\n";
    assert_eq!((full.code, full.stderr.as_str()), (74, message));
    folder.write("target.csv", "old");
    symlink("target.csv", folder.path("link.csv")).unwrap();
    folder.succeed(&line("link.csv"));
    assert!(std::fs::symlink_metadata(folder.path("link.csv")).unwrap().is_symlink());
    assert!(folder.text("target.csv").starts_with("report\n"));
}
