//! The best channels, as files: found, checked, used, and refused when something in them was changed.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

/// It is solved in less than a second.
const SQUARED: &str = "optimize --domain interval:0,1 --loss squared --epsilon 1";

fn number(document: &Value, key: &str) -> f64 {
    document[key].as_f64().unwrap()
}

/// A folder with a channel in `best.json`.
fn with_best() -> (Folder, Value) {
    let folder = Folder::new();
    let document = folder.json(&format!("{SQUARED} --out best.json"));
    (folder, document)
}

/// A folder with a column of numbers between zero and one.
fn add_values(folder: &Folder) {
    let rows: String = (0..400).map(|index| format!("{}\n", f64::from(index) / 400.0)).collect();
    folder.write("values.csv", format!("x\n{rows}"));
}

#[test]
fn a_channel_and_its_proof() {
    let (folder, document) = with_best();
    let keys: Vec<_> = document.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "id",
        "domain",
        "epsilon",
        "loss",
        "objective",
        "unbiased",
        "achieved",
        "lower_bound",
        "gap",
        "seconds",
        "report_bits",
        "fingerprint",
        "out",
    ];
    assert_eq!(keys, expected);
    assert_eq!((&document["id"], &document["objective"]), (&"minimax-squared".into(), &"minimax".into()));
    let [achieved, bound, gap] = ["achieved", "lower_bound", "gap"].map(|key| number(&document, key));
    assert!((achieved - 0.197).abs() < 1e-3 && bound < achieved, "{document}");
    assert!((gap - (achieved - bound) / achieved).abs() < 1e-12 && gap < 0.01, "{document}");
    assert_eq!(folder.names(), ["best.json"]);

    let verified = folder.json("optimize --verify best.json");
    assert_eq!(verified["verified"], true);
    for key in ["id", "domain", "epsilon", "loss", "achieved", "lower_bound", "gap", "fingerprint"] {
        assert_eq!(verified[key], document[key], "{key}");
    }
    let page = folder.succeed("optimize --verify best.json");
    assert!(
        page.starts_with("best.json holds: the squared error of one report at the worst value.\n"),
        "{page}"
    );
    assert!(page.contains("(proved by the certificate)"), "{page}");
}

/// Half of what the domain is wide, and a quarter of the squared error.
#[test]
fn text_and_units() {
    let folder = Folder::new();
    let page = folder.succeed("optimize --domain interval:-1,1 --loss squared --epsilon 1");
    let row = page.lines().nth(1).unwrap();
    assert!(row.starts_with("minimax-squared") && row.contains(" 0.78"), "{page}");
    let words = "Of all mechanisms that keep epsilon on interval:-1,1, none is below the lower bound: the squared error";
    assert!(page.contains(words), "{page}");
}

#[test]
fn several_epsilons_have_rows_and_files_of_their_own() {
    let folder = Folder::new();
    let line = "optimize --domain circle:360 --loss absolute --epsilon 1,2";
    let rows = folder.json(&format!("{line} --out c-{{epsilon}}.json --plot frontier.svg"));
    assert_eq!(folder.names(), ["c-1.json", "c-2.json", "frontier.svg"]);
    for (row, out) in rows.as_array().unwrap().iter().zip(["c-1.json", "c-2.json"]) {
        assert_eq!(row["out"], out);
        assert!(number(row, "gap") < 1e-6, "{row}");
        assert_eq!(folder.json(&format!("optimize --verify {out}"))["achieved"], row["achieved"]);
    }
    let svg = folder.text("frontier.svg");
    for text in [">best<", ">purkayastha<", ">lower bound<", ">epsilon<"] {
        assert!(svg.contains(text), "{text}");
    }
    let one = folder.run(&format!("{line} --out c.json"));
    assert_eq!(one.code, 2);
    assert!(one.stderr.contains("hint: write {epsilon} where its number is to stand"), "{}", one.stderr);
}

#[test]
fn a_picture_over_the_domain() {
    let folder = Folder::new();
    let page = folder.succeed(&format!("{SQUARED} --plot error.svg"));
    assert!(page.ends_with("Drawn in error.svg.\n"), "{page}");
    let svg = folder.text("error.svg");
    for text in [
        "best",
        "optimal-piecewise-squared",
        "piecewise-compressed",
        "square-wave-compressed",
        "piecewise-truncated",
        "laplace",
        "lower bound (worst)",
    ] {
        assert!(svg.contains(&format!(">{text}<")), "{text}");
    }
    assert!(!svg.contains("NaN"));
}

/// The text with one digit of a field's first number changed.
fn with_changed_digit(text: &str, after: &str) -> String {
    let start = text.find(after).unwrap() + after.len();
    let digit = start + text[start..].find(|c: char| c.is_ascii_digit() && c != '0').unwrap();
    let replacement = if &text[digit..=digit] == "9" { "8" } else { "9" };
    format!("{}{replacement}{}", &text[..digit], &text[digit + 1..])
}

#[test]
fn changed_files_are_refused_everywhere() {
    let (folder, _) = with_best();
    add_values(&folder);
    let text = folder.text("best.json");
    for field in ["\"numbers\":[", "\"high\":\"", "\"points\":[[", "\"achieved\":"] {
        folder.write("bad.json", with_changed_digit(&text, field));
        for line in [
            "optimize --verify bad.json",
            "perturb --mechanism file:bad.json --column x --in values.csv --out r.csv",
            "audit --mechanism file:bad.json",
        ] {
            let ending = folder.run(line);
            assert_eq!((ending.code, ending.stdout.as_str()), (65, ""), "{field} {line}");
            assert!(ending.stderr.starts_with("error: bad.json: this is not a sound mechanism file:"));
            assert!(ending.stderr.contains("[mechanism-file]\nhint: "), "{}", ending.stderr);
        }
    }
    for content in [&b""[..], b"{}", b"\xff\xfe", &text.as_bytes()[..text.len() / 2]] {
        folder.write("bad.json", content);
        assert_eq!(folder.run("optimize --verify bad.json").code, 65);
    }
    assert_eq!(folder.run("optimize --verify missing.json").code, 74);
    assert!(!folder.names().contains(&"r.csv".to_owned()));
}

/// A digest that was written anew, and a claim that is not true.
#[test]
fn claims_are_checked_and_not_believed() {
    let (folder, _) = with_best();
    let mut solution = privet::limit::Solution::from_json(&folder.text("best.json")).unwrap();
    solution.lower_bound = solution.achieved;
    folder.write("flattering.json", solution.to_json());
    let ending = folder.run("optimize --verify flattering.json");
    assert_eq!((ending.code, ending.stdout.as_str()), (1, ""));
    let message = "error: flattering.json: the certificate does not prove its bound: it claims ";
    assert!(
        ending.stderr.starts_with(message) && ending.stderr.ends_with("[unproved]\n"),
        "{}",
        ending.stderr
    );
}

#[test]
fn a_file_is_a_mechanism_like_any_other() {
    let (folder, document) = with_best();
    add_values(&folder);
    let described = folder.json("describe --mechanism file:best.json --input 0.5");
    assert_eq!((&described["id"], &described["domain"]), (&"minimax-squared".into(), &"interval:0,1".into()));
    assert_eq!(described["fingerprint"], document["fingerprint"]);
    let worst = folder.json("error --mechanism file:best.json --loss squared --worst");
    assert!((number(&worst, "error") - number(&document, "achieved")).abs() < 1e-12);
    let audit = folder.json("audit --mechanism file:best.json --samples 2000");
    assert_eq!((&audit["passed"], &audit["claimed_epsilon"]), (&true.into(), &1.0.into()));
    assert!(number(&audit, "exact_epsilon") > 0.999_999);
    let done = folder.json("perturb --mechanism file:best.json --column x --in values.csv --out r.csv");
    assert_eq!(done["rows"], 400);
    let estimate = folder.json("estimate --mechanism file:best.json --in r.csv --distribution-bins 4");
    assert_eq!(estimate["n"], 400);
    // Whoever knows the name has the same channel, and can read the reports.
    let named = "estimate --mechanism minimax-squared --domain interval:0,1 --epsilon 1 --in r.csv --distribution-bins 4";
    assert_eq!(folder.json(named), estimate);
    let rows = folder
        .json("simulate --mechanism file:best.json,ogpm --in values.csv --column x --goal point --trials 20");
    let errors: Vec<f64> =
        rows.as_array().unwrap().iter().map(|row| number(row, "mean_squared_error")).collect();
    assert!(errors.len() == 2 && errors[0] < errors[1], "{rows}");
}

#[test]
fn flags_and_files_must_agree() {
    let (folder, _) = with_best();
    let hint = "hint: leave it out: a mechanism from a file has a domain and an epsilon of its own\n";
    let refuse = |flags: &str, message: &str| {
        let ending =
            folder.run(&format!("error --mechanism file:best.json,ogpm --loss squared --worst {flags}"));
        assert_eq!((ending.code, ending.stderr), (2, format!("error: {message} [usage]\n{hint}")), "{flags}");
    };
    refuse("--epsilon 2", "best.json was made for epsilon 1, which --epsilon does not name");
    refuse("--domain interval:0,2", "best.json was made for interval:0,1, which --domain does not name");
    let alone = folder.run("describe --mechanism file:best.json --epsilon 2");
    assert_eq!(alone.code, 2, "{}", alone.stderr);
    let unused = folder.run("error --mechanism file:best.json --loss squared --worst --epsilon 1,2");
    assert_eq!(unused.code, 2, "{}", unused.stderr);
    let bins = folder.run("describe --mechanism file:best.json --bins 4");
    assert_eq!(bins.stderr, "error: this mechanism takes no number of bins [parameter-incompatible]\n");
    let all = folder.json("error --mechanism file:best.json,ogpm --epsilon 1,2 --loss squared --worst");
    assert_eq!(all.as_array().unwrap().len(), 3);
    folder.json("describe --mechanism file:best.json --domain interval:0,1 --epsilon 1");
}

#[test]
fn other_mechanisms_still_need_a_domain_and_an_epsilon() {
    let folder = Folder::new();
    let hint = "hint: only a mechanism from a file (file:PATH) has a domain and an epsilon of its own\n";
    for verb in ["describe", "audit", "error --loss absolute --worst", "perturb --in a.csv --out b.csv"] {
        for (given, missing) in
            [("--epsilon 1", "--domain <DOMAIN>"), ("--domain interval:0,1", "--epsilon <NUMBER>")]
        {
            let ending = folder.run(&format!("{verb} --mechanism ogpm {given}"));
            let message =
                format!("error: the following required arguments were not provided: {missing} [usage]\n");
            assert_eq!((ending.code, ending.stderr), (2, format!("{message}{hint}")), "{verb}");
        }
    }
}

#[test]
fn names_are_solved_for_and_kept() {
    let folder = Folder::new();
    add_values(&folder);
    let setting = "--domain interval:0,1 --epsilon 2";
    let worst = folder
        .json(&format!("error --mechanism minimax-unbiased,piecewise {setting} --loss squared --worst"));
    let errors: Vec<f64> = worst.as_array().unwrap().iter().map(|row| number(row, "error")).collect();
    assert!((errors[0] - 0.2165).abs() < 1e-3 && (errors[1] - 0.307).abs() < 1e-3, "{worst}");
    let flags = format!("--mechanism minimax-unbiased {setting}");
    assert_eq!(folder.json(&format!("audit {flags} --samples 2000"))["passed"], true);
    folder.json(&format!("describe {flags} --input 0.5"));
    folder.json(&format!("perturb {flags} --column x --in values.csv --out r.csv"));
    assert_eq!(folder.json(&format!("estimate {flags} --in r.csv --distribution-bins 2"))["n"], 400);
    let rows = folder.json(&format!("simulate {flags} --in values.csv --column x --goal mean --trials 2"));
    assert_eq!(rows[0]["mechanism"], "minimax-unbiased");
    assert_eq!(folder.names(), ["r.csv", "values.csv"]);
}

#[test]
fn advice_about_channels_that_are_solved_for() {
    let folder = Folder::new();
    folder.json("optimize --domain interval:0,1 --loss squared --unbiased --epsilon 1 --out best.json");
    let line = "advise --domain interval:0,1 --goal mean --users 100";
    let plain = folder.json(&format!("{line} --epsilon 1"));
    let left_out = plain["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|row| row["id"] == "minimax-unbiased"), "{plain}");
    for name in ["minimax-unbiased", "file:best.json"] {
        let advice = folder.json(&format!("{line} --epsilon 1 --mechanism {name}"));
        assert_eq!(advice["recommended"]["id"], "minimax-unbiased");
        let [better, error] = [&advice, &plain].map(|one| number(&one["recommended"], "expected_error"));
        assert!(better < 0.99 * error, "{better} {error}");
    }
    // So large an error that nothing has to be looked for; a file has its own epsilon, a name would need many.
    let target =
        folder.json(&format!("{line} --target-error 1e9 --mechanism file:best.json,minimax-squared"));
    let alternatives = target["alternatives"].as_array().unwrap();
    let own = alternatives.iter().find(|row| row["id"] == "minimax-unbiased").unwrap();
    assert_eq!(own["epsilon"], 1.0);
    let left_out = target["left_out"].as_array().unwrap();
    assert!(left_out.iter().any(|row| row["id"] == "minimax-squared"), "{target}");
    assert_eq!(folder.run(&format!("{line} --epsilon 2 --mechanism file:best.json")).code, 2);
}

#[test]
fn priors() {
    let folder = Folder::new();
    let line = "optimize --domain interval:0,1 --loss squared --objective average --epsilon 1";
    let uniform = folder.json(line);
    assert_eq!((&uniform["prior"], &uniform["objective"]), (&"uniform".into(), &"average".into()));
    // Everybody near the lower end, as weights and as a table.
    folder.write("weights.txt", "8\n1\n1\n1\n");
    folder.write("public.csv", "x\n0\n0.1\n0.2\n0.24\n0\n0\n0\n");
    let weights = folder.json(&format!("{line} --prior weights.txt"));
    let table = folder.json(&format!("{line} --prior public.csv --prior-column x --prior-bins 4"));
    assert_eq!((&weights["prior"], &weights["achieved"]), (&"weights.txt".into(), &table["achieved"]));
    assert!(number(&weights, "achieved") < number(&uniform, "achieved"), "{weights}");
    let page = folder.succeed(line);
    assert!(page.contains("on average over all values alike (a uniform prior)"), "{page}");

    folder.write("public.csv", "x\n0\n1.5\n");
    let outside = folder.run(&format!("{line} --prior public.csv --prior-column x"));
    let message =
        "error: public.csv, row 2: the value lies outside the domain interval:0,1 [input-outside-domain]\n";
    assert_eq!((outside.code, outside.stderr.as_str()), (65, message));
    assert_eq!(folder.run(&format!("{line} --prior weights.txt --objective minimax")).code, 2);
    assert_eq!(folder.run(&format!("{SQUARED} --prior weights.txt")).code, 2);
}

#[test]
fn categories_and_their_losses() {
    let folder = Folder::new();
    let line = "optimize --domain categories:low,middle,high --epsilon 1";
    let ordered = folder.json(&format!("{line} --loss absolute --out best.json"));
    assert!(number(&ordered, "gap") < 1e-4 && number(&ordered, "achieved") < 1.0, "{ordered}");
    assert_eq!(folder.json("optimize --verify best.json")["verified"], true);
    // The same losses, written down.
    folder.write("losses.csv", "0,1,2\n1,0,1\n2,1,0\n");
    let matrix = folder.json(&format!("{line} --loss matrix:losses.csv"));
    assert!((number(&matrix, "achieved") / number(&ordered, "achieved") - 1.0).abs() < 1e-6, "{matrix}");
    folder.write("answers.csv", "a\nlow\nhigh\nhigh\n");
    folder.json("perturb --mechanism file:best.json --column a --in answers.csv --out r.csv");
    assert_eq!(folder.json("estimate --mechanism file:best.json --in r.csv")["n"], 3);
    assert_eq!(folder.json("audit --mechanism file:best.json --samples 2000")["passed"], true);
    folder.write("weights.txt", "6 1 1");
    let average = "--loss squared --objective average";
    let line = line.replace("--epsilon 1", "--epsilon 3");
    let [even, odd] =
        ["", "--prior weights.txt"].map(|prior| folder.json(&format!("{line} {average} {prior}")));
    assert!([&even, &odd].iter().all(|one| number(one, "gap") < 1e-4), "{even} {odd}");
    assert_ne!(even["fingerprint"], odd["fingerprint"]);
    folder.write("losses.csv", "0,1\n1,x\n");
    let broken = folder.run(&format!("{line} --loss matrix:losses.csv"));
    assert_eq!(broken.code, 65, "{}", broken.stderr);
    assert_eq!(folder.run(&format!("{line} --loss absolute --plot p.svg")).code, 2);
}

#[test]
fn problems_without_a_solution() {
    let folder = Folder::new();
    let narrow = folder
        .run("optimize --domain interval:0,1 --loss squared --unbiased --range 0,1 --epsilon 1 --out n.json");
    let message = "\
error: no channel satisfies these constraints [limit-infeasible]
hint: a wider --range or a larger epsilon may help
";
    assert_eq!((narrow.code, narrow.stderr.as_str(), narrow.stdout.as_str()), (2, message, ""));
    assert!(folder.names().is_empty());
    for flags in [
        "--domain interval:0,1 --loss absolute --unbiased --epsilon 1",
        "--domain interval:0,1 --loss squared --unbiased --range 2,1 --epsilon 1",
        "--domain interval:0,1 --loss squared --range -1,2 --epsilon 1",
        "--domain circle:1 --loss squared --unbiased --epsilon 1",
        "--domain words:3 --loss squared --epsilon 1",
        "--domain rectangle:0,1,0,1 --loss squared --epsilon 1",
        "--domain rectangle:0,1,0,1 --loss absolute --unbiased --epsilon 1",
        "--domain interval:0,1 --loss cubic --epsilon 1",
        "--domain interval:0,1 --loss squared --epsilon 0",
        "--domain interval:0,1 --loss squared",
        "--verify a.json --domain interval:0,1",
    ] {
        let ending = folder.run(&format!("optimize {flags}"));
        assert_eq!((ending.code, ending.stdout.as_str()), (2, ""), "{flags}: {}", ending.stderr);
    }
}

/// The signal of Ctrl-C ends a search that would take very long, with what there is.
#[cfg(unix)]
#[test]
fn the_best_so_far_is_kept() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let line =
        "optimize --domain interval:0,1 --loss squared --epsilon 1:6:0.001 --out e-{epsilon}.json --json";
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet"))
        .current_dir(folder.path(""))
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // As soon as there is something to keep.
    while !folder.names().contains(&"e-1.json".to_owned()) {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "stopping: the best so far is kept; Ctrl-C again ends at once\n");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document.as_array().cloned().unwrap_or_else(|| vec![document]);
    assert!(rows.last().unwrap()["note"].as_str().unwrap().starts_with("stopped early"), "{rows:?}");
    for row in &rows {
        let verified = folder.json(&format!("optimize --verify {}", row["out"].as_str().unwrap()));
        assert_eq!(verified["achieved"], row["achieved"]);
    }
}
