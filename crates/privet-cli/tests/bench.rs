//! Benchmarks: what is written and compared. No figure is looked at: time is measured in benchmarks, not in tests.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Ending, Folder};
use serde_json::{Value, json};

/// The shortest run there is.
const SHORT: &str = "bench --task generator-fill --seconds 0.001";

fn keep_a_run(folder: &Folder) -> Value {
    let ending = folder.run(&format!("{SHORT} --out run.json --html run.html"));
    assert_eq!(ending.code, 0, "{ending:?}");
    serde_json::from_slice(&folder.read("run.json")).unwrap()
}

/// Compares with a run of which something is different.
fn against(folder: &Folder, run: &Value, more: &str) -> Ending {
    folder.write("before.json", run.to_string());
    folder.run(&format!("{SHORT} --against before.json {more}"))
}

#[test]
fn json_has_the_rows() {
    let ending = Folder::new().run(&format!("{SHORT} --json"));
    assert_eq!(ending.code, 0, "{ending:?}");
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    let row = &rows.as_array().unwrap()[0];
    assert_eq!((rows.as_array().unwrap().len(), &row["task"]), (1, &json!("generator-fill")));
    let [ours, peer, ratio] = ["ours", "peer", "ratio"].map(|key| row[key].as_f64().unwrap());
    assert_eq!(ours / peer, ratio);
    assert_eq!(
        (&row["group"], &row["turns"], &row["unit"]),
        (&json!("generator"), &json!(15), &json!("bytes/s"))
    );
    assert!(row["noise"].as_f64().unwrap() >= 0.0 && row.get("against").is_none());
    // Tests are not run on release builds.
    assert!(
        !cfg!(debug_assertions) || ending.stderr.contains("the figures of an unoptimised build mean nothing")
    );
}

#[test]
fn a_run_is_kept_with_its_machine_and_its_page() {
    let folder = Folder::new();
    let run = keep_a_run(&folder);
    assert_eq!(run["schema"], "privet-bench/1");
    assert!(run["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(run["build"]["rustc"].as_str().unwrap().starts_with("rustc "));
    let page = folder.text("run.html");
    assert!(page.contains("generator-fill") && page.contains(run["date"].as_str().unwrap()));
    assert_eq!(folder.names(), ["run.html", "run.json"]);
    let printed = folder.run(&format!("{SHORT} --out -"));
    let printed: Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(printed["rows"][0]["task"], "generator-fill");
}

#[test]
fn what_got_slower_is_named_and_ends_with_a_status() {
    let folder = Folder::new();
    let mut run = keep_a_run(&folder);
    let ratio = run["rows"][0]["ratio"].as_f64().unwrap();
    run["rows"][0]["noise"] = json!(0.0);
    // No noise of a clock is a factor of a million.
    run["rows"][0]["ratio"] = json!(1e6 * ratio);
    let slower = against(&folder, &run, "--html now.html");
    assert_eq!(slower.code, 1, "{slower:?}");
    assert!(
        slower.stderr.ends_with("error: slower by more than the noise: generator-fill [slower]\n"),
        "{slower:?}"
    );
    assert!(slower.stdout.contains("Slower by more than the noise:\ntask"), "{slower:?}");
    assert!(folder.text("now.html").contains("Slower by more than the noise</caption>"));
    run["rows"][0]["ratio"] = json!(1e-6 * ratio);
    let faster = against(&folder, &run, "--json");
    assert_eq!(faster.code, 0, "{faster:?}");
    let rows: Value = serde_json::from_str(&faster.stdout).unwrap();
    assert_eq!(rows[0]["against"]["verdict"], "faster");
}

#[test]
fn what_cannot_be_compared_is_said() {
    let folder = Folder::new();
    let run = keep_a_run(&folder);
    let changed = |change: fn(&mut Value)| {
        let mut run = run.clone();
        run["rows"][0]["noise"] = json!(1e6);
        change(&mut run);
        against(&folder, &run, "")
    };
    let other_machine = changed(|run| run["machine"]["cpu"] = json!("Another"));
    assert_eq!(other_machine.code, 0, "{other_machine:?}");
    assert!(other_machine.stderr.contains("warning: before.json is of another machine: Another with"));
    let new = changed(|run| run["rows"] = json!([]));
    assert!(new.stderr.contains("not in before.json, so not compared: generator-fill"), "{new:?}");
    let gone = changed(|run| {
        let mut rows = vec![run["rows"][0].clone(), run["rows"][0].clone()];
        rows[1]["task"] = json!("generator-fill-slowly");
        run["rows"] = json!(rows);
    });
    assert!(gone.stderr.contains("only in before.json, so not compared: generator-fill-slowly"), "{gone:?}");
    let not_asked_for = changed(|run| {
        let mut rows = vec![run["rows"][0].clone(), run["rows"][0].clone()];
        rows[1]["task"] = json!("another-task");
        run["rows"] = json!(rows);
    });
    assert!(!not_asked_for.stderr.contains("another-task"), "{not_asked_for:?}");
    let schema = changed(|run| run["schema"] = json!("privet-bench/9"));
    assert!(schema.code == 65 && schema.stderr.contains("its schema is \"privet-bench/9\""), "{schema:?}");
    let profile = changed(|run| run["build"]["profile"] = json!("other"));
    assert!(profile.code == 65 && profile.stderr.contains("it is a run of a other build"), "{profile:?}");
}

#[test]
fn a_ratio_beside_something_else_is_not_compared() {
    let folder = Folder::new();
    let mut run = keep_a_run(&folder);
    let ratio = run["rows"][0]["ratio"].as_f64().unwrap();
    (run["rows"][0]["ratio"], run["rows"][0]["noise"]) = (json!(1e6 * ratio), json!(0.0));
    run["rows"][0]["note"] = json!("peer: something slower");
    let text = against(&folder, &run, "");
    assert_eq!(text.code, 0, "{text:?}");
    let words =
        "generator-fill: not comparable: measured against something else (before: peer: something slower";
    assert!(text.stdout.contains("0 tasks compared.") && text.stdout.contains(words), "{text:?}");
    let rows: Value = serde_json::from_str(&against(&folder, &run, "--json").stdout).unwrap();
    assert!(rows[0].get("against").is_none(), "{rows}");
    assert!(rows[0]["not_compared"].as_str().unwrap().starts_with("not comparable: measured"), "{rows}");
}

#[test]
fn bad_input_is_explained() {
    let folder = Folder::new();
    folder.write("text.json", "no JSON");
    for (flags, code, words) in [
        ("--only nonsense", 2, "the groups are generator, mechanisms"),
        ("--only peers", 2, "name it with --peers"),
        ("--task nonsense", 2, "has \"nonsense\" in its name"),
        ("--only limit --task generator-fill", 2, "no task of these groups"),
        ("--seconds 0", 2, "above 0 and at most 3600: got 0"),
        ("--seconds 1 --quick", 2, "cannot be used with"),
        ("--task generator-fill --json --out -", 2, "both need standard output"),
        ("--against nowhere.json", 74, "cannot read nowhere.json"),
        ("--against text.json", 65, "it is no run of the benchmarks"),
        ("--html nowhere/page.html", 74, "cannot write nowhere/page.html"),
        ("--only peers --peers nowhere/python", 74, "cannot run nowhere/python"),
        ("--only peers --peers false", 65, "it needs the wheel of Privet"),
    ] {
        let ending = folder.run(&format!("bench {flags}"));
        assert_eq!(ending.code, code, "{flags}: {ending:?}");
        assert!(ending.stderr.contains(words), "{flags}: {ending:?}");
        assert!(ending.stdout.is_empty(), "{flags}: {ending:?}");
    }
    assert_eq!(folder.names(), ["text.json"]);
}

/// An interpreter that has read the script and says what one with packages would.
#[cfg(unix)]
#[test]
fn other_packages_are_measured_by_an_interpreter() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let answer = r#"{"people": 2000, "python": "3.11", "versions": {"opendp": "0.16.0"},
        "rows": [{"task": "GRR client", "package": "opendp", "seconds": [[0.001, 0.2]]}],
        "skipped": [{"package": "pure-ldp", "reason": "ModuleNotFoundError: none"}]}"#;
    folder.write(
        "python",
        format!(
            "#!/bin/sh\ngrep -q 'def measure' && echo \"$@\" > arguments && cat <<'END'\n{answer}\nEND\n"
        ),
    );
    std::fs::set_permissions(folder.path("python"), PermissionsExt::from_mode(0o755)).unwrap();
    let ending = folder.run("bench --quick --only peers --peers ./python --json");
    assert_eq!(ending.code, 0, "{ending:?}");
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert_eq!(
        (&rows[0]["task"], rows[0]["ratio"].as_f64()),
        (&json!("grr-client-beside-opendp"), Some(200.0))
    );
    assert!(ending.stderr.contains("warning: pure-ldp is not measured: ModuleNotFoundError: none"));
    assert!(ending.stderr.contains("hint: ./python -m pip install pure-ldp==1.2.0"));
    assert_eq!(folder.text("arguments"), "- 2000 --json --rounds 5\n");
}
