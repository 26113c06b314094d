//! The demo as a person runs it.

// The helpers of tests may stop at once, as tests may.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::sync::OnceLock;

fn demo(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("privet").unwrap();
    command.arg("demo").args(arguments);
    command
}

/// One survey that several tests look at: what it printed, and its page.
fn survey() -> &'static (Value, String) {
    static SURVEY: OnceLock<(Value, String)> = OnceLock::new();
    SURVEY.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("page.html");
        let arguments = ["--exit", "--people", "2000", "--json", "--out", out.to_str().unwrap()];
        let output = demo(&arguments).env("TMPDIR", folder.path()).assert().success().get_output().clone();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["report"], out.to_str().unwrap());
        assert_eq!(entries(folder.path()), 1, "only the page is left");
        (document, std::fs::read_to_string(&out).unwrap())
    })
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// What lies outside of its 95 % interval after that is widened to five standard errors, which happens once in a million.
fn far_off(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for collection in document["collections"].as_array().unwrap() {
        let turn: Option<f64> =
            collection["domain"].as_str().unwrap().strip_prefix("circle:").map(|text| text.parse().unwrap());
        for row in collection["estimates"].as_array().unwrap() {
            let turn = turn.filter(|_| row["label"] == "mean direction").unwrap_or(f64::INFINITY);
            let [low, high] = ends(row);
            // Both ends and the truth may lie on both sides of the circle's end.
            let width = if high < low { high + turn - low } else { high - low };
            let distance = (row["truth"].as_f64().unwrap() - low - width / 2.0).abs();
            let more = (5.0 - 1.96) * row["standard_error"].as_f64().unwrap();
            if distance.min((turn - distance).abs()) > width / 2.0 + more {
                found.push(format!("{}: {row}", collection["question"]));
            }
        }
    }
    found
}

fn ends(row: &Value) -> [f64; 2] {
    [0, 1].map(|end| row["interval"][end].as_f64().unwrap())
}

#[test]
fn the_truth_is_where_the_estimates_say() {
    let mut document = survey().0.clone();
    assert_eq!(far_off(&document), Vec::<String>::new());
    let rows: Vec<usize> = document["collections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|collection| collection["estimates"].as_array().unwrap().len())
        .collect();
    assert_eq!(rows, [2, 8, 1, 2, 36]);
    for index in [0, 1, 4] {
        let rows = document["collections"][index]["estimates"].as_array().unwrap();
        let total: f64 = rows.iter().map(|row| row["truth"].as_f64().unwrap()).sum();
        assert!((total - 1.0).abs() < 1e-9, "everybody is somewhere: {total}");
    }
    // An estimate that somebody has moved does not pass, in any of the questions.
    for index in 0..5 {
        let row = &mut document["collections"][index]["estimates"][0];
        let [low, high] = ends(row);
        let far = (high - low).abs() + 10.0 * row["standard_error"].as_f64().unwrap();
        let moved = [low + far, high + far];
        row["interval"] = moved.to_vec().into();
        assert_eq!(far_off(&document).len(), index + 1);
    }
}

#[test]
fn json_has_the_promised_keys() {
    let (document, page) = survey();
    assert!(document["pages"].is_null(), "nothing is open any more");
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
    for collection in collections {
        assert!(page.contains(collection["question"].as_str().unwrap()));
    }
    assert_eq!(page.matches("<section").count(), 5);
    // Bars, a law and a distribution, a law and two roses, and three maps.
    assert_eq!(page.matches("class=\"chart\"").count(), 4);
    assert_eq!(page.matches("class=\"plot\"").count(), 8);
}

#[test]
fn the_page_stands_alone() {
    let (_, page) = survey();
    for forbidden in ["http:", "https:", "<script", "src=", "@import", "url("] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for wanted in ["<svg", "<title", "<desc", "prefers-color-scheme: dark", "epsilon"] {
        assert!(page.contains(wanted), "{wanted}");
    }
}

#[test]
fn one_person_and_odd_epsilons_are_no_reason_to_stumble() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("page.html");
    for epsilon in ["0.01", "60"] {
        let arguments = ["--exit", "--people", "1", "--epsilon", epsilon, "--out", out.to_str().unwrap()];
        let output = demo(&arguments).assert().success();
        let stdout = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
        assert_eq!(stdout.matches("withheld: nothing is shown of fewer than 100 reports").count(), 5);
    }
}

#[test]
fn nobody_is_refused() {
    let output = demo(&["--people", "0"]).assert().code(2);
    let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(stderr.contains("error: a survey needs at least one person"), "{stderr}");
    demo(&["--people", "1000001"]).assert().code(2);
    demo(&["--epsilon", "0"]).assert().code(2);
    demo(&["--epsilon", "0.0000000001"]).assert().code(2);
    demo(&["--epsilon", "900"]).assert().code(2);
}

#[test]
fn what_is_missing_is_named_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("missing").join("page.html");
    let fails = |mut command: Command, words: &str| {
        let output = command.env("TMPDIR", folder.path()).assert().code(74);
        let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(stderr.contains(words), "{stderr}");
        assert_eq!(entries(folder.path()), 0);
    };
    fails(demo(&["--exit", "--out", out.to_str().unwrap()]), "error: cannot write ");
    let out = folder.path().join("page.html");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let arguments = ["--exit", "--port", &port, "--out", out.to_str().unwrap()];
    fails(demo(&arguments), &format!("error: cannot listen on 127.0.0.1:{port}: "));
    let output = demo(&arguments).env("TMPDIR", folder.path().join("missing")).assert().code(74);
    let stderr = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(stderr.contains("error: cannot keep the reports in "), "{stderr}");
}

/// A demo that runs until it is told to end.
#[cfg(unix)]
mod running {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;
    use tempfile::TempDir;

    struct Running {
        process: Child,
        /// Where it keeps its reports.
        temporary: TempDir,
        folder: TempDir,
    }

    impl Running {
        fn start(people: &str) -> Self {
            let (temporary, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let process = Command::new(env!("CARGO_BIN_EXE_privet"))
                .args(["demo", "--json", "--people", people])
                .current_dir(folder.path())
                .env("TMPDIR", temporary.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            Self { process, temporary, folder }
        }

        /// Interrupts it, and gives its exit code. Nothing of the reports is left.
        fn interrupt(&mut self) -> Option<i32> {
            let id = self.process.id().to_string();
            assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
            let code = self.process.wait().unwrap().code();
            assert_eq!(entries(self.temporary.path()), 0, "the reports are deleted");
            code
        }
    }

    impl Drop for Running {
        fn drop(&mut self) {
            // It may have ended already.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    #[test]
    fn pages_are_open_until_somebody_has_seen_enough() {
        let mut demo = Running::start("500");
        let stdout = BufReader::new(demo.process.stdout.take().unwrap());
        // The document is closed by a line with a brace only.
        let lines: Vec<String> =
            stdout.lines().map_while(Result::ok).take_while(|line| line != "}").collect();
        let document: Value = serde_json::from_str(&format!("{}}}", lines.concat())).unwrap();
        for page in ["dashboard", "collection", "respond"] {
            let address = document["pages"][page].as_str().unwrap();
            let text = ureq::get(address).call().unwrap().body_mut().read_to_string().unwrap();
            assert!(text.contains("A survey that keeps answers private"), "{page}: {text}");
        }
        assert_eq!(entries(demo.temporary.path()), 1);
        assert_eq!(demo.interrupt(), Some(0));
        assert!(demo.folder.path().join("privet-demo.html").exists());
    }

    #[test]
    fn an_interrupted_survey_leaves_nothing_behind() {
        let mut demo = Running::start("1000000");
        while entries(demo.temporary.path()) == 0 {
            assert!(demo.process.try_wait().unwrap().is_none(), "it cannot be ready yet");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(demo.interrupt(), Some(130));
        assert_eq!(entries(demo.folder.path()), 0, "a page of half a survey");
    }
}
