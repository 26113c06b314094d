//! Vectors in files, and in verbs that work on any domain.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use privet::model::array::{Array, Precision, read_npy, write_npy};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn save(folder: &Folder, name: &str, shape: &[usize], values: Vec<f64>) {
    let array = Array::new(shape.to_vec(), values).unwrap();
    write_npy(&folder.path(name), &array, Precision::Double).unwrap();
}

/// People around (0.6, -0.8, 0).
fn folder(people: usize) -> Folder {
    let folder = Folder::new();
    let wave = |place: usize| 0.05 * (place as f64).sin();
    let vector = |index: usize| [0.6 + wave(3 * index), -0.8 + wave(3 * index + 1), wave(3 * index + 2)];
    save(&folder, "people.npy", &[people, 3], (0..people).flat_map(vector).collect());
    folder
}

#[test]
fn every_format_holds_the_same_reports() {
    let folder = folder(70);
    let flags = "--mechanism laplace-vector --epsilon 4 --radius 2 --insecure-seed 7";
    let perturb = |input: &str, out: &str, more: &str| {
        let ending = folder.run(&format!("vector perturb {flags} --in {input} --out {out} {more}"));
        assert_eq!(ending.code, 0, "{}", ending.stderr);
    };
    perturb("people.npy", "reports.npy", "");
    let expected = read_npy(&folder.path("reports.npy")).unwrap();
    assert_eq!(expected.shape(), [70, 3]);
    for format in ["parquet", "arrow", "csv", "jsonl"] {
        // What is read back and randomised with the same seed is the same only if it was the same.
        perturb("people.npy", &format!("reports.{format}"), "");
        perturb(&format!("reports.{format}"), "again.npy", "--column report");
        perturb("reports.npy", "twice.npy", "");
        assert_eq!(folder.read("again.npy"), folder.read("twice.npy"), "{format}");
    }
    assert_ne!(folder.read("twice.npy"), folder.read("reports.npy"));
    folder.write("wide.csv", "a,b,c\n1,0.5,0\n0,1,2\n");
    save(&folder, "wide.npy", &[2, 3], vec![1.0, 0.5, 0.0, 0.0, 1.0, 2.0]);
    perturb("wide.csv", "a.npy", "--column a,b,c");
    perturb("wide.npy", "b.npy", "");
    assert_eq!(folder.read("a.npy"), folder.read("b.npy"));
}

#[test]
fn reports_in_envelopes_are_estimated() {
    let folder = folder(3000);
    let mechanism = "--mechanism privunit --domain vector:3 --epsilon 6";
    for out in ["reports.csv", "reports.parquet", "reports.arrow"] {
        folder.succeed(&format!("perturb {mechanism} --in people.npy --out {out}"));
        let document = folder.json(&format!("estimate {mechanism} --in {out} --summary-out a.summary"));
        let rows = document["estimates"].as_array().unwrap();
        for (row, truth) in rows.iter().zip([0.6, -0.8, 0.0]) {
            // PrivUnit keeps directions, and the people's are a little off; 6 errors fail with probability 2e-8.
            assert!((number(&row["value"]) - truth).abs() < 6.0 * number(&row["standard_error"]) + 0.01);
        }
        assert_eq!((&document["n"], rows.len()), (&3000.into(), 3));
        let merged = folder.json(&format!("estimate {mechanism} --in a.summary,{out}"));
        assert_eq!(merged["n"], 6000);
        assert_eq!(merged["estimates"][1]["value"], rows[1]["value"]);
    }
    let other =
        folder.run("estimate --mechanism privunit --domain vector:3 --epsilon 6 --radius 2 --in reports.csv");
    assert!(other.code == 65 && other.stderr.contains("report-foreign"), "{}", other.stderr);
    let flag = folder.run(&format!("estimate {mechanism} --in reports.csv --quantiles 0.5"));
    assert!(flag.code == 2 && flag.stderr.contains("not about vectors"), "{}", flag.stderr);
}

#[test]
fn describe_and_error_state_the_known_numbers() {
    let folder = Folder::new();
    let flags = "--mechanism privunit2 --domain vector:64 --epsilon 5";
    let document = folder.json(&format!("describe {flags}"));
    assert!((number(&document["mean_squared_error"]) - 18.05).abs() < 0.005, "{document}");
    assert_eq!((&document["id"], &document["clip"]["kind"]), (&"privunit".into(), &"sphere".into()));
    let masses: f64 = document["pieces"].as_array().unwrap().iter().map(|piece| number(&piece["mass"])).sum();
    assert!((masses - 1.0).abs() < 1e-12);
    let error = folder.json(&format!("error {flags} --loss squared --worst"));
    assert_eq!(error["error"], document["mean_squared_error"]);
    assert_eq!((&error["bias"], &error["input"]), (&0.0.into(), &Value::Null));
    let wider = folder.json(&format!("error {flags} --radius 3 --loss squared --worst"));
    assert!((number(&wider["error"]) / number(&error["error"]) - 9.0).abs() < 1e-9);
    let listed = folder.json("mechanisms");
    assert!(
        listed.as_array().unwrap().iter().any(|row| row["id"] == "privunit" && row["domain"] == "vector")
    );
}

#[test]
fn audits_pass_for_all_mechanisms_on_vectors() {
    let folder = Folder::new();
    let flags = "--domain vector:4 --epsilon 2 --delta 1e-5 --samples 4000";
    let findings = folder.json(&format!("audit --mechanism all {flags}"));
    let findings = findings.as_array().unwrap();
    assert_eq!(findings.len(), privet::vector::registry::ROWS.len());
    assert!(findings.iter().all(|finding| finding["passed"] == true));
    // A bound that is always zero would pass, too.
    let privunit = findings.iter().find(|finding| finding["id"] == "privunit").unwrap();
    assert!(number(&privunit["sampled_lower_bound"]) > 1.0, "{privunit}");
}

#[test]
fn measured_errors_are_the_stated_ones() {
    let folder = Folder::new();
    let line = "vector evaluate --domain vector:16 --mechanism privunit,laplace-vector --epsilon 2,8 --insecure-seed 3 \
                --out rows.csv --plot rows.svg --json";
    let ending = folder.run(line);
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows.iter().filter(|row| row["metric"] == "mean-squared-error") {
        // Vectors inside the L1 ball of radius 1 would be needed for laplace-vector: clipping adds to its error.
        let ratio = number(&row["value"]) / number(&row["stated"]);
        assert!((0.93..1.3).contains(&ratio), "{row}");
        assert!(row["mechanism"] != "privunit" || (ratio - 1.0).abs() < 0.05, "{row}");
    }
    for key in ["mechanism", "reshaped", "epsilon", "metric", "value", "standard_error"] {
        assert!(rows.iter().all(|row| row.get(key).is_some()), "{key}");
    }
    assert_eq!(folder.text("rows.csv").lines().count(), 9);
    assert!(folder.text("rows.svg").contains("laplace-vector"));
}

#[test]
fn bad_input_is_explained() {
    let folder = folder(40);
    save(&folder, "nan.npy", &[2, 2], vec![0.0, 1.0, f64::NAN, 2.0]);
    save(&folder, "infinite.npy", &[1, 2], vec![f64::INFINITY, 2.0]);
    save(&folder, "zeros.npy", &[20, 3], vec![0.0; 60]);
    save(&folder, "cube.npy", &[1, 1, 2], vec![0.0; 2]);
    save(&folder, "none.npy", &[0, 2], Vec::new());
    folder.write("cut.npy", &folder.read("people.npy")[..200]);
    folder.write("words.csv", "a,b\n1,2\n3,secret\n");
    folder.write("ragged.csv", "v\n\"1,2\"\n\"1,2,3\"\n");
    folder.write("broken.arrow", "ARROW1 but no more");
    let perturb = "vector perturb --mechanism privunit --epsilon 1 --out out.npy --in";
    for (line, code, message) in [
        (format!("{perturb} nan.npy"), 65, "nan.npy, row 2: the value lies outside the domain vector:2"),
        (format!("{perturb} infinite.npy"), 65, "row 1: the value lies outside"),
        (format!("{perturb} cube.npy"), 65, "data-shape"),
        (format!("{perturb} none.npy"), 65, "data-no-rows"),
        (format!("{perturb} cut.npy"), 65, "it ends after"),
        (format!("{perturb} words.csv --column a,b"), 65, "words.csv, row 2: a number is not finite"),
        (format!("{perturb} ragged.csv --column v"), 65, "row 2: the row has 3 numbers, the first one 2"),
        (format!("{perturb} broken.arrow --column v"), 65, "damaged, truncated or not arrow"),
        (format!("{perturb} missing.npy"), 74, "model-file"),
        (format!("{perturb} people.npy --domain vector:9"), 65, "9 coordinates: got 3"),
        (format!("{perturb} people.npy --public zeros.npy"), 2, "a clip radius must be"),
        (format!("{perturb} people.npy --radius -1"), 2, "a clip radius must be"),
        (format!("{perturb} people.npy --radius 1 --public zeros.npy"), 2, "cannot be used with"),
        (
            "vector perturb --mechanism plan --epsilon 1 --in people.npy --out out.npy".into(),
            2,
            "needs a delta",
        ),
        (
            "vector perturb --mechanism grr --epsilon 1 --in people.npy --out out.npy".into(),
            2,
            "not on vectors",
        ),
        (
            "vector perturb --mechanism cw --epsilon 0 --in people.npy --out out.npy".into(),
            2,
            "greater than 0",
        ),
        (
            "vector perturb --mechanism cw --epsilon 1 --in people.npy --out people.npy".into(),
            2,
            "would replace",
        ),
        ("vector evaluate --mechanism cw --epsilon 1".into(), 2, "which vectors?"),
        ("vector evaluate --mechanism cw --domain vector:2 --epsilon 1 --plot a.svg".into(), 2, "no line"),
        ("describe --mechanism privunit --domain interval:0,1 --epsilon 1".into(), 2, "works on vectors"),
        ("describe --mechanism grr --domain binary --epsilon 1 --radius 2".into(), 2, "about vectors"),
        (
            "perturb --mechanism cw --domain vector:5 --epsilon 1 --in people.npy --out a.csv".into(),
            65,
            "got 3",
        ),
        (
            "perturb --mechanism cw --domain vector:3 --epsilon 1 --in people.npy --out a.npy".into(),
            2,
            "header",
        ),
        ("error --mechanism cw --domain vector:3 --epsilon 1 --loss absolute --worst".into(), 2, "squared"),
    ] {
        let ending = folder.run(&line);
        assert!(ending.code == code && ending.stderr.contains(message), "{line}: {}", ending.stderr);
        assert!(!ending.stderr.contains("secret"), "{line}");
    }
    assert!(!folder.names().iter().any(|name| name.starts_with("out") || name.starts_with("a.")));
}
