//! Audits of mechanisms, of honest programs and of programs that leak.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Ending, Folder, binary};
use serde_json::Value;

#[test]
fn every_mechanism_keeps_its_promise() {
    let folder = Folder::new();
    let domains = "--domain binary --domain categories:16 --domain categories:128";
    let rows = folder.json(&format!("audit --mechanism all {domains} --epsilon .1,1,4 --samples 400"));
    let rows = rows.as_array().unwrap();
    // Eleven mechanisms on two categories, ten on more, at three epsilons.
    assert_eq!(rows.len(), 3 * (11 + 10 + 10));
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let (claimed, exact) = (number("claimed_epsilon"), number("exact_epsilon"));
        assert!(exact <= claimed, "{row}");
        assert!(number("sampled_lower_bound") <= claimed, "{row}");
        assert_eq!(row["passed"], true);
        assert_eq!((number("claimed_delta"), number("exact_delta")), (0.0, 0.0));
        let id = row["id"].as_str().unwrap();
        let is_tight = ["randomized-response", "generalized-randomized-response", "optimized-unary-encoding"]
            .contains(&id);
        assert!(!is_tight || exact >= claimed - 1e-6, "{row}");
    }
}

/// Numbers and angles, on two intervals and a circle: no tolerance, and a delta where one is given.
#[test]
fn every_mechanism_on_numbers_and_angles_keeps_its_promise() {
    let folder = Folder::new();
    let domains = "--domain interval:0,1 --domain interval:-5,20 --domain circle:6.283185307179586";
    let line = format!("audit --mechanism all {domains} --epsilon .1,1,4,8 --delta 0.05 --samples 400");
    let rows = folder.json(&line);
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4 * (20 + 20 + 5));
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let (claimed, exact) = (number("claimed_epsilon"), number("exact_epsilon"));
        assert!(exact <= claimed && exact > claimed - 1e-6, "{row}");
        assert!(number("sampled_lower_bound") <= claimed, "{row}");
        let has_delta = row["id"].as_str().unwrap().starts_with("gaussian");
        assert_eq!(number("claimed_delta"), if has_delta { 0.05 } else { 0.0 }, "{row}");
        let exact_delta = number("exact_delta");
        assert!(exact_delta <= number("claimed_delta") && (!has_delta || exact_delta > 0.049), "{row}");
        assert_eq!(row["passed"], true);
    }
    let without = folder.run("audit --mechanism gaussian --domain interval:0,1 --epsilon 1");
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("delta"), "{}", without.stderr);
}

/// One mechanism that cannot be made is named with the reason, and does not keep the others from being audited.
#[test]
fn all_mechanisms_are_audited_that_can_be_made() {
    let folder = Folder::new();
    let ending = folder.run("audit --mechanism all --domain vector:3 --epsilon 1e-12,1 --samples 400 --json");
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let rows: Vec<Value> = serde_json::from_str(&ending.stdout).unwrap();
    let (missing, audited): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row.get("error").is_some());
    assert!(
        audited.len() > 9 && !missing.is_empty() && audited.iter().all(|row| row["passed"] == true),
        "{audited:?}"
    );
    for row in &missing {
        assert!(row["id"].is_string() && row["error"].is_string() && row.get("passed").is_none(), "{row}");
        assert_eq!((&row["domain"], &row["claimed_epsilon"]), (&"vector:3".into(), &1e-12.into()));
    }
    let page = folder.run("audit --mechanism all --domain vector:3 --epsilon 1e-12 --samples 400");
    assert_eq!(page.stdout.matches("Not audited: ").count(), missing.len(), "{}", page.stdout);
    // By its name it is an error.
    let id = missing[0]["id"].as_str().unwrap();
    let line = format!("audit --mechanism {id} --domain vector:3 --epsilon 1e-12 --samples 400");
    assert_eq!(folder.run(&line).code, 2);
    // Other verbs warn, and show the rest.
    let errors =
        folder.run("error --mechanism all --domain vector:3 --epsilon 1e-12 --loss squared --worst --json");
    let rows: Vec<Value> = serde_json::from_str(&errors.stdout).unwrap();
    assert!(errors.code == 0 && rows.iter().all(|row| row["error"].is_number()), "{}", errors.stdout);
    assert_eq!(errors.stderr.matches("is left out at epsilon").count(), missing.len(), "{}", errors.stderr);
    // Where nothing can be made, everything is listed.
    let none = folder.run("audit --mechanism all --domain vector:3 --epsilon 1e-300 --samples 400");
    assert!(none.code == 0 && none.stdout.contains("Not audited: sampled-minimax-unbiased"), "{none:?}");
}

#[test]
fn one_combination_is_one_object() {
    let folder = Folder::new();
    let row = folder.json("audit --mechanism grr --domain categories:4 --epsilon 2 --samples 20000");
    let keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "id",
            "domain",
            "claimed_epsilon",
            "exact_epsilon",
            "claimed_delta",
            "exact_delta",
            "sampled_lower_bound",
            "largest_detectable",
            "confidence",
            "samples",
            "passed"
        ]
    );
    // With this many samples the bound is close to the truth.
    assert!(row["sampled_lower_bound"].as_f64().unwrap() > 1.5, "{row}");
    assert_eq!(row["confidence"], 0.999_999);
}

fn audit(folder: &Folder, command: &str, more: &[&str]) -> Ending {
    let flags = ["--domain", "categories:a,b,c", "--epsilon", "1", "--samples", "4000"];
    let arguments = [&["audit", "--command", command], &flags[..], more].concat();
    folder.run_with(&arguments, "")
}

fn bound(ending: &Ending) -> f64 {
    let document: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert!(document["exact_epsilon"].is_null() && document["exact_delta"].is_null());
    document["sampled_lower_bound"].as_f64().unwrap()
}

fn fails(command: &str) -> Ending {
    let folder = Folder::new();
    let ending = audit(&folder, command, &["--json"]);
    assert_eq!(ending.code, 1, "{ending:?}");
    assert!(bound(&ending) > 1.0, "{ending:?}");
    let message = "error: the audit failed: command on categories:a,b,c claims epsilon 1 but has at least ";
    assert!(ending.stderr.starts_with(message), "{}", ending.stderr);
    ending
}

#[test]
fn an_honest_program_passes() {
    let folder = Folder::new();
    for mechanism in ["grr", "oue"] {
        let flags = format!("--mechanism {mechanism} --domain categories:a,b,c --epsilon 1");
        let command = format!("{} perturb {flags} --in - --out - --format lines", binary());
        let ending = audit(&folder, &command, &["--json"]);
        assert_eq!((ending.code, ending.stderr.as_str()), (0, ""), "{ending:?}");
        let bound = bound(&ending);
        assert!((0.0..=1.0).contains(&bound), "{bound}");
    }
}

#[test]
fn the_truth_fails() {
    let ending = fails("cat");
    let document: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert!(document["program"]["event"].as_str().unwrap().starts_with("the report is \""));
    assert_eq!(document["program"]["tests"], 18);
}

/// Randomised response for all but the last category.
#[test]
fn a_last_category_that_is_never_randomised_fails() {
    fails(
        "awk 'BEGIN { srand(7) } \
         { r = rand(); if ($1 == \"c\") print \"c\"; \
           else if (r < 0.576) print $1; else if (r < 0.788) print ($1 == \"a\" ? \"b\" : \"a\"); else print \"c\" }'",
    );
}

/// The content is noise, but what is left is the length.
#[test]
fn a_length_that_depends_on_the_input_fails() {
    let ending = fails(
        "awk 'BEGIN { srand(7) } \
         { text = \"\"; for (i = 0; i < 20; i++) text = text int(10 * rand()); print text ($1 == \"b\" ? \"0\" : \"\") }'",
    );
    let document: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert!(document["program"]["event"].as_str().unwrap().contains("bytes"), "{document}");
}

/// One bit for each category, of which the true one is never cleared.
#[test]
fn a_unary_encoding_that_keeps_the_true_bit_fails() {
    fails(
        "awk 'BEGIN { srand(7) } \
         { split(\"a b c\", names, \" \"); text = \"\"; \
           for (i = 1; i <= 3; i++) text = text ((names[i] == $1 || rand() < 0.27) ? 1 : 0); print text }'",
    );
}

#[test]
fn programs_that_do_not_answer_line_by_line() {
    let folder = Folder::new();
    let hint = "hint: an audited program reads one value per line and writes one report per line, in order\n";
    for (command, code, message) in [
        ("head -n 5", 65, "the program answered 12000 values with 5 lines [data]"),
        ("true", 65, "the program answered 12000 values with 0 lines [data]"),
        ("yes", 65, "the program answered 12000 values with more than 12000 lines [data]"),
        ("false", 65, "the program ended with exit status: 1 after 0 of 12000 reports [data]"),
        (
            "awk '{ print } END { exit 3 }'",
            65,
            "the program ended with exit status: 3 after 12000 of 12000 reports [data]",
        ),
        (
            "sh -c 'tr -d \"\\n\" < /dev/zero'",
            65,
            "the program wrote a line of more than 1048576 bytes [data]",
        ),
    ] {
        let ending = audit(&folder, command, &[]);
        assert_eq!(ending.stderr, format!("error: {message}\n{hint}"), "{command}");
        assert_eq!((ending.code, ending.stdout.as_str()), (code, ""), "{command}");
    }
    let missing = audit(&folder, "no-such-program-here", &[]);
    let message = "error: cannot start no-such-program-here: No such file or directory (os error 2) [file]\n";
    assert_eq!((missing.code, missing.stderr.as_str()), (74, message));
    assert_eq!(audit(&folder, "cat 'unclosed", &[]).code, 2);
}

/// What the program says on standard error reaches the user.
#[test]
fn standard_error_passes_through() {
    let folder = Folder::new();
    let ending = audit(&folder, "sh -c 'echo hello >&2; exec awk \"{ print 1 }\"'", &["--json"]);
    assert_eq!((ending.code, ending.stderr.as_str()), (0, "hello\n"));
    assert_eq!(bound(&ending), 0.0);
}

#[test]
fn too_few_samples_are_said_to_be_too_few() {
    let folder = Folder::new();
    let arguments =
        ["audit", "--command", "cat", "--domain", "binary", "--epsilon", "9", "--samples", "1000"];
    let ending = folder.run_with(&arguments, "");
    assert_eq!(ending.code, 0);
    assert!(
        ending.stdout.contains("Too few samples: even a program that tells the truth"),
        "{}",
        ending.stdout
    );
}

#[test]
fn flags_that_do_not_fit() {
    let folder = Folder::new();
    let line = "audit --mechanism grr --domain binary --epsilon 1";
    for more in ["--command cat", "--samples 10", "--confidence 1", "--confidence x"] {
        assert_eq!(folder.run(&format!("{line} {more}")).code, 2, "{more}");
    }
    assert_eq!(folder.run("audit --domain binary --epsilon 1").code, 2);
}
