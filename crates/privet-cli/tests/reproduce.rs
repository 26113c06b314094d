//! Papers: rows, pages, and what is refused.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use assert_cmd::Command;
use common::Folder;

#[test]
fn a_figure_has_rows_charts_and_pages() {
    let folder = Folder::new();
    let rows = folder.json("reproduce jrr --figure 4.5 --quick --out papers");
    let rows = rows.as_array().unwrap();
    let keys: Vec<&str> = rows[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["source", "figure", "series", "x", "ours", "paper", "verdict"]);
    let claimed = rows.iter().find(|row| row["series"] == "jrr-fig45-001").unwrap();
    assert!((claimed["ours"].as_f64().unwrap() - 1.0).abs() < 0.01);
    assert_eq!((claimed["paper"].as_f64(), claimed["verdict"].as_str()), (Some(1.0), Some("reproduced")));
    let csv = folder.text("papers/jrr/rows.csv");
    assert!(csv.starts_with("figure,series,x,ours,paper\n4.5,10000 people: RR,0.01,"), "{csv}");
    let page = folder.text("papers/jrr.html");
    assert!(page.contains("Figure 4.5") && page.contains("<svg") && !page.contains("src="));
    assert!(folder.text("papers/index.html").contains("jrr.html#4.5"));
    assert!(folder.text("papers/jrr/4.5-10000-people.svg").starts_with("<svg"));
    assert!(folder.read("papers/jrr/4.5-10000-people.png").starts_with(b"\x89PNG"));
    // The same may be written again, and nothing else takes its place.
    folder.succeed("reproduce jrr --figure 4.5 --quick --out papers");
    let other = folder.run("reproduce jrr --figure 4.6 --quick --out papers");
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("papers holds figure 4.5 of jrr (quick)"), "{}", other.stderr);
}

/// Table 4.3 with the data sets of a folder: the exit status and what was said.
fn table_4_3(folder: &Folder, data: &str) -> (Option<i32>, String) {
    let output = Command::cargo_bin("privet")
        .unwrap()
        .current_dir(folder.path(""))
        .env("PRIVET_DATA", folder.path(data))
        .args(["reproduce", "jrr", "--figure", "table 4.3", "--out", "papers", "--json"])
        .output()
        .unwrap();
    assert!(folder.text("papers/index.html").contains("table-4.3"));
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// The same with made-up data sets.
fn of_data(text: &str) -> (Option<i32>, String) {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("jrr")).unwrap();
    for name in ["kosarak", "amazon", "ecommerce", "census"] {
        folder.write(&format!("jrr/{name}.csv"), text);
    }
    table_4_3(&folder, "")
}

#[test]
fn a_changed_verdict_and_a_damaged_file_are_no_success() {
    let (code, message) = of_data("value\n1\n0\n");
    assert_eq!(code, Some(1));
    assert!(message.contains("verdicts that are not the stored ones: jrr-t43-"), "{message}");
    let (code, message) = of_data("value\nyes\n");
    assert_eq!(code, Some(65));
    assert!(
        message.contains("Table 4.3 could not be computed: ") && message.contains("kosarak.csv"),
        "{message}"
    );
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("mine")).unwrap();
    folder.write("mine/thesis.txt", "years of work");
    let ending = folder.run("reproduce jrr --figure 4.5 --out mine");
    assert_eq!(ending.code, 2);
    assert!(ending.stderr.contains("mine exists and was not written by"), "{}", ending.stderr);
    assert_eq!(std::fs::read_dir(folder.path("mine")).unwrap().count(), 1);
}

#[test]
fn a_figure_without_its_data_is_skipped_by_name() {
    let folder = Folder::new();
    let (code, message) = table_4_3(&folder, "nothing");
    assert_eq!(code, Some(74));
    let searched = folder.path("nothing");
    let skipped = format!(
        "skipped for want of data, looked for in {}: jrr table 4.3 [missing-data]",
        searched.display()
    );
    assert!(message.contains(&skipped), "{message}");
    assert!(message.contains("put it at jrr/census.csv in the folder that PRIVET_DATA names"), "{message}");
    assert!(folder.text("papers/jrr.html").contains("Skipped:"));
}

#[test]
fn wrong_names_are_explained() {
    let folder = Folder::new();
    let paper = folder.run("reproduce thesis --out papers");
    assert_eq!(paper.code, 2);
    assert!(paper.stderr.contains("a paper is one of jrr, ogpm,"), "{}", paper.stderr);
    let figure = folder.run("reproduce jrr --figure 9.9 --out papers");
    assert_eq!(figure.code, 2);
    assert!(figure.stderr.contains("jrr has no figure \"9.9\"; it has example 2,"), "{}", figure.stderr);
    assert!(!folder.path("papers").exists(), "nothing is written for a wrong name");
}
