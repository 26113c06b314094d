//! The worth of classifiers from the command line.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod common;

use common::Folder;
use serde_json::Value;

/// Class 1 where a + b > 1; c does not matter.
const LINE: &str = r#"{"coef": [1, 1, 0], "intercept": -1}"#;

/// Class 1 where a > 1/2, in one tree.
const STEP: &str = r#"{"inputs": 2, "combination": "mean", "base": [0], "threshold": 0.5, "trees":
    [[{"feature": 0, "threshold": 0.5, "below": 1, "above": 2}, {"values": [0]}, {"values": [1]}]]}"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("line.json", LINE);
    folder.write("step.json", STEP);
    folder.write("constant.json", r#"{"coef": [0, 0, 0], "intercept": 1}"#);
    folder.write("people.csv", "a,b,c,truth\n0.9,0.6,7,1\n0.2,0.3,-2,0\n0.5,0.7,0,1\n0.1,0.1,0,0\n");
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn seeded(folder: &Folder, line: &str) -> Value {
    let ending = folder.run(&format!("{line} --insecure-seed 1 --json"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    serde_json::from_str(&ending.stdout).unwrap()
}

const STEP_AT: &str = "classifier quantify --model step.json --record .8,3 --sensitive 0";

/// Reports outside the window of 0.8 have the density e^(-epsilon/2), inside e^(epsilon/2); the window has the width
/// 1 / (1 + e^(epsilon/2)) and lies above 1/2 as a whole.
fn truth(epsilon: f64) -> f64 {
    let inside = (0.5 * epsilon).exp();
    0.5 / inside + (inside - 1.0 / inside) / (1.0 + inside)
}

#[test]
fn rows_have_the_promised_keys_and_the_exact_probability() {
    let folder = folder();
    let rows = seeded(&folder, &format!("{STEP_AT} --mechanism ogpm,laplace --epsilon 1,4"));
    let rows = rows.as_array().unwrap();
    let named: Vec<_> =
        rows.iter().map(|row| (row["mechanism"].as_str().unwrap(), number(&row["epsilon"]))).collect();
    assert_eq!(
        named,
        [("optimal-piecewise", 1.0), ("optimal-piecewise", 4.0), ("laplace", 1.0), ("laplace", 4.0)]
    );
    for row in rows {
        let [lower, upper] = ["lower", "upper"].map(|key| number(&row[key]));
        assert!(lower <= upper && upper - lower < 1e-9, "{row}");
        assert_eq!((row["method"].as_str(), number(&row["confidence"])), (Some("exact-trees"), 1.0));
        // Ends of an interval with a confidence of 0.999.
        let [low, high] = [0, 1].map(|end| number(&row["empirical_interval"][end]));
        assert!(low < lower && upper < high && high - low < 0.11, "{row}");
        assert!((low..=high).contains(&number(&row["empirical"])));
        assert!(number(&row["total"]["epsilon"]) <= number(&row["epsilon"]));
        // 2000 reports, twice 64 of them and the record, four times; and the record of the proof.
        assert!((8516..8530).contains(&row["queries"].as_u64().unwrap()), "{row}");
    }
    assert!((number(&rows[0]["lower"]) - truth(1.0)).abs() < 1e-4, "{}", truth(1.0));
    assert!((number(&rows[1]["lower"]) - truth(4.0)).abs() < 1e-4);
    // The tail of the noise beyond 0.3, on one side.
    assert!((number(&rows[2]["lower"]) - (1.0 - 0.5 * (-0.3f64).exp())).abs() < 1e-3);
}

#[test]
fn two_features_have_twice_the_epsilon() {
    let rows = folder().json(
        "classifier quantify --model line.json --record .9,.6,7 --columns a,b,c --sensitive b,a \
         --mechanism ogpm --epsilon 2 --queries 0 --statement",
    );
    let row = &rows[0];
    assert!((number(&row["total"]["epsilon"]) - 4.0).abs() < 1e-6, "{row}");
    assert_eq!((&row["empirical"], &row["queries"]), (&Value::Null, &Value::from(0)));
    let statement = row["statement"].as_str().unwrap();
    assert!(statement.contains("2 of its 3 features are randomised: b by optimal-piecewise"), "{statement}");
    assert!(!statement.contains("0.9 ") && !statement.contains("0.6 "), "{statement}");
}

/// Without a structure there are intervals, and they hold what the structure proves.
#[test]
#[cfg(unix)]
fn programs_are_asked() {
    let folder = folder();
    folder.write("step.awk", "BEGIN { FS = \",\" } { print ($1 > 0.5) ? 1 : 0 }\n");
    let arguments = [
        "classifier",
        "quantify",
        "--command",
        "awk -f step.awk",
        "--record",
        ".8,3",
        "--sensitive",
        "0",
        "--mechanism",
        "ogpm",
        "--epsilon",
        "1,4",
        "--queries",
        "12000",
        "--insecure-seed",
        "1",
        "--json",
    ];
    let ending = folder.run_with(&arguments, "");
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let rows: Value = serde_json::from_str(&ending.stdout).unwrap();
    for (row, truth) in rows.as_array().unwrap().iter().zip([truth(1.0), truth(4.0)]) {
        assert_eq!((row["method"].as_str(), number(&row["confidence"])), (Some("sampled"), 0.999));
        assert!(number(&row["lower"]) < truth && truth < number(&row["upper"]), "{row}");
        assert_eq!(row["queries"], 12_000);
    }
}

#[test]
fn one_batch_is_weighed_for_a_curve() {
    let folder = folder();
    let line = format!("{STEP_AT} --mechanism ogpm --epsilon 1:4:1 --method re-weighted --draw-at 1,2,4");
    let rows = seeded(&folder, &line);
    for row in rows.as_array().unwrap() {
        let truth = truth(number(&row["epsilon"]));
        assert_eq!(row["method"], "re-weighted");
        assert!(number(&row["lower"]) < truth && truth < number(&row["upper"]), "{row}");
        assert!(number(&row["effective_samples"]) > 10_000.0, "{row}");
    }
    // Reports on other numbers say nothing.
    let rows = seeded(
        &folder,
        &format!("{STEP_AT} --mechanism grid-rr --epsilon 1 --draw-at 9 --method re-weighted"),
    );
    assert_eq!((&rows[0]["method"], number(&rows[0]["lower"])), (&Value::from("not-covered"), 0.0));
}

#[test]
fn tables_have_a_mean_a_worst_record_and_a_share() {
    let folder = folder();
    let flags = "--model line.json --sensitive a,b --mechanism ogpm --epsilon 3 --queries 0";
    let table =
        folder.json(&format!("classifier quantify {flags} --data people.csv --label truth --share .75"));
    let mut each: Vec<f64> = (1..=4)
        .map(|row| {
            let line = format!("classifier quantify {flags} --data people.csv --label truth --rows {row}");
            let rows = folder.json(&line);
            assert_eq!(rows[0].get("table"), None);
            number(&rows[0]["lower"])
        })
        .collect();
    each.sort_by(f64::total_cmp);
    let row = &table[0];
    assert!((number(&row["lower"]) - each.iter().sum::<f64>() / 4.0).abs() < 1e-9, "{row}");
    assert_eq!(number(&row["table"]["worst"][0]), each[0]);
    assert_eq!(number(&row["table"]["share_reaches"][0]), each[1]);
    assert_eq!(row["table"]["records"], 4);
    // The same people as JSON, where columns have no order.
    folder.write("people.jsonl", "{\"b\":0.6,\"c\":7,\"a\":0.9}\n{\"a\":0.2,\"b\":0.3,\"c\":-2}\n");
    let json = folder.json(&format!("classifier quantify {flags} --data people.jsonl --columns a,b,c"));
    let csv = folder.json(&format!("classifier quantify {flags} --data people.csv --label truth --rows 1:2"));
    assert_eq!(json, csv);
}

/// A hundredth of all points has another label, all of it beside the record: the papers' value is above the truth.
#[test]
fn the_papers_value_is_shown_to_exceed_the_truth() {
    let folder = folder();
    let sliver = |from: f64, to: f64| {
        format!(
            r#"[{{"feature": 0, "threshold": {from}, "below": 1, "above": 2}}, {{"values": [0]}},
               {{"feature": 0, "threshold": {to}, "below": 3, "above": 4}}, {{"values": [1]}}, {{"values": [0]}}]"#
        )
    };
    let trees = [sliver(0.4945, 0.4995), sliver(0.5005, 0.5055)].join(", ");
    let sliver = format!(
        r#"{{"inputs": 1, "combination": "sum", "base": [0], "threshold": 0.5, "trees": [{trees}]}}"#
    );
    folder.write("sliver.json", sliver);
    let line = "classifier quantify --model sliver.json --record .5 --sensitive 0 --mechanism ogpm --epsilon 8 \
                --method paper --tau .03";
    let rows = seeded(&folder, line);
    assert!((number(&rows[0]["lower"]) - 0.454).abs() < 0.002, "{rows}");
    assert!(number(&rows[0]["paper"]) > 0.99 && rows[0]["paper_exceeds_upper"] == true, "{rows}");
    let ending = folder.run(&format!("{line} --insecure-seed 1"));
    assert!(
        ending.stdout.contains("PAPER is above UPPER in 1 of 1 rows: it is no bound."),
        "{}",
        ending.stdout
    );
}

#[test]
fn an_indicator_mixes_in_the_record() {
    let folder = folder();
    let line = format!("{STEP_AT} --mechanism ogpm --epsilon 1 --queries 0");
    let plain = number(&folder.json(&line)[0]["lower"]);
    let mixed = folder.json(&format!("{line} --indicator --delta .1 --statement"));
    assert!((number(&mixed[0]["lower"]) - (0.1 + 0.9 * plain)).abs() < 1e-9);
    assert_eq!(
        (mixed[0]["total"]["kind"].as_str(), number(&mixed[0]["total"]["delta"])),
        (Some("approximate"), 0.1)
    );
    assert!(mixed[0]["statement"].as_str().unwrap().ends_with("the whole record is sent as it is instead."));
}

#[test]
fn what_does_not_depend_on_the_features_is_said() {
    let text = folder().succeed(
        "classifier quantify --model constant.json --record .9,.6,7 --sensitive 0 --mechanism ogpm --epsilon 1 \
         --queries 0",
    );
    assert!(text.contains("1.000000  1.000000"), "{text}");
    assert!(text.contains("the answer does not depend on these features"), "{text}");
}

#[test]
fn regions_have_a_certified_box_and_a_picture() {
    let folder = folder();
    let line = "classifier region --model line.json --record .9,.6,7 --columns a,b,c --sensitive a,b";
    let answer = folder.json(&format!("{line} --resolution 100"));
    assert_eq!((&answer["label"], &answer["paper_box"]), (&Value::from(1), &Value::Null));
    // A corner on the line a + b = 1, and the other ends at 1.
    let ends = |axis: usize, end: usize| number(&answer["certified_box"][axis][end]);
    assert!((ends(0, 0) + ends(1, 0) - 1.0).abs() < 1e-5 && ends(0, 0) + ends(1, 0) > 1.0, "{answer}");
    assert_eq!((ends(0, 1), ends(1, 1)), (1.0, 1.0));
    // 100 middles of cells lie on the line itself, which is a tie and class 0.
    assert!((number(&answer["same_share"]) - 0.495).abs() < 1e-9, "{answer}");
    let ending = folder.run(&format!("{line} --resolution 20 --paper --plot r.svg --insecure-seed 1"));
    assert!(ending.stdout.ends_with("Drawn in r.svg.\n"), "{}", ending.stdout);
    let svg = folder.text("r.svg");
    for text in
        [">class 1, as the record<", ">class 0<", ">certified box<", ">papers&#39; box<", ">a<", ">b<"]
    {
        assert!(svg.contains(text) || svg.contains(&text.replace("&#39;", "'")), "{text}: {svg}");
    }
    // The record is a disc around (0.9, 0.6).
    let one = folder.json("classifier region --model step.json --record .8,3 --sensitive 0");
    assert_eq!((&one["same_share"], number(&one["certified_box"][0][1])), (&Value::Null, 1.0));
    assert!((number(&one["certified_box"][0][0]) - 0.5).abs() < 1e-5);
}

#[test]
fn pictures_show_bounds_draws_and_the_papers_values() {
    let folder = folder();
    let line = format!("{STEP_AT} --mechanism ogpm,grid-rr --epsilon 1,2,4 --method paper --insecure-seed 1");
    let ending = folder.run(&format!("{line} --plot worth.svg"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let svg = folder.text("worth.svg");
    for text in ["line and band: proved; dots: drawn reports; crosses: the papers", ">optimal-piecewise<"] {
        assert!(svg.contains(text), "{text}");
    }
    // Two bands; three crosses of two strokes for each mechanism.
    assert_eq!(svg.matches("fill-opacity=\"0.2\"").count(), 2);
    assert!(!svg.contains("NaN"));
}

#[test]
fn advice_is_the_smallest_epsilon_that_is_certain() {
    let folder = folder();
    let line = "classifier advise --model line.json --data people.csv --label truth --sensitive a,b \
                --mechanism laplace-truncated,ogpm,grid-rr --epsilon 1:12:1 --target .9";
    let smallest = |rest: &str| {
        let advice = folder.json(&format!("{line} {rest}"));
        let best = &advice["recommended"];
        assert!(number(&best["lower"]) >= 0.9, "{advice}");
        assert_eq!(number(&best["total_epsilon"]), 2.0 * number(&best["epsilon"]));
        for other in advice["alternatives"].as_array().unwrap() {
            assert!(number(&other["epsilon"]) >= number(&best["epsilon"]));
        }
        (best["mechanism"].as_str().unwrap().to_owned(), number(&best["epsilon"]))
    };
    let (mechanism, average) = smallest("--goal average");
    let (_, everyone) = smallest("--goal everyone");
    let (_, half) = smallest("--goal share --share .5");
    assert!(half <= average && average < everyone, "{half} {average} {everyone}");
    // The smallest one is the smallest: one below it does not meet the target.
    let below = folder.run(&format!(
        "classifier advise --model line.json --data people.csv --label truth --sensitive a,b --mechanism {mechanism} \
         --epsilon {} --target .9 --goal average",
        average - 1.0
    ));
    assert_eq!(below.code, 2);
    assert!(below.stderr.contains("no mechanism meets this target: the best is"), "{}", below.stderr);
}

/// Nothing depends on c, so it costs nothing and should get nothing.
#[test]
fn advice_says_what_features_cost_and_how_to_divide() {
    let folder = folder();
    folder.write("steep.json", r#"{"coef": [5, 1, 0], "intercept": -3}"#);
    let advice = folder.json(
        "classifier advise --model steep.json --record .8,.5,.5 --columns a,b,c --sensitive b,a --mechanism ogpm \
         --epsilon 1:9:1 --target .8 --split optimised",
    );
    let names: Vec<&str> =
        advice["features"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    let split = &advice["split"];
    let epsilons = [0, 1].map(|index| number(&split["epsilons"][index]));
    let total = number(&advice["recommended"]["total_epsilon"]);
    assert!((epsilons[0] + epsilons[1] - total).abs() < 1e-9 && epsilons[1] > epsilons[0], "{split}");
    assert!(number(&split["lower"]) > number(&split["equal"]["lower"]), "{split}");
}
