//! Policies, and what is made and read under them.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Folder, TRAVEL, people};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("travel.toml", TRAVEL);
    folder
}

#[test]
fn a_sound_policy() {
    let folder = folder();
    let document = folder.json("policy check travel.toml");
    assert_eq!(document["valid"], true);
    assert_eq!(document["total_epsilon"], 3.0);
    let names: Vec<&str> = ["commute", "minutes"].to_vec();
    let attributes = document["attributes"].as_array().unwrap();
    assert_eq!(attributes.iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
    let id = document["policy"].as_str().unwrap();
    assert_eq!(id.len(), 64);
    assert_eq!(
        folder.succeed("policy check travel.toml"),
        format!("travel.toml is sound: 2 attributes, policy {id}\n")
    );
    let statement = folder.succeed("policy show travel.toml");
    for words in ["https://city.example asks: How we travel", "How do you get to work?", id, "cost at most 3"]
    {
        assert!(statement.contains(words), "{words}: {statement}");
    }
    assert_eq!(folder.json("policy show travel.toml"), document);
    assert_eq!(folder.json("policy budget travel.toml"), document);
    insta::assert_snapshot!("policy_budget", folder.succeed("policy budget travel.toml"));
}

/// Each mistake is a change of the sound policy.
#[test]
fn mistakes_have_a_place() {
    let folder = folder();
    let mut shown = String::new();
    for (old, new) in [
        ("minimum_reports", "minimum_report"),
        ("\"grr\"", "\"grrr\""),
        ("epsilon = 3\n", "epsilon = 0.5\n"),
        ("question = \"How do you get to work?\"\n", ""),
        ("name = \"minutes\"", "name = \"commute\""),
        ("[budget]", "[budget"),
        ("mechanism = \"pm\"", "mechanism = \"file:none.json\""),
    ] {
        let text = TRAVEL.replacen(old, new, 1);
        assert_ne!(text, TRAVEL, "{old}");
        folder.write("wrong.toml", text);
        let ending = folder.run("policy check wrong.toml");
        assert_eq!((ending.code, ending.stdout.as_str()), (2, ""), "{new}");
        shown += &ending.stderr;
    }
    insta::assert_snapshot!("policy_mistakes", shown);
    folder.write("wrong.toml", TRAVEL.replace("minimum_reports", "minimum_report"));
    let ending = folder.run("policy check wrong.toml --json");
    let document: serde_json::Value = serde_json::from_str(&ending.stdout).unwrap();
    assert_eq!((ending.code, &document["valid"]), (2, &false.into()));
    assert_eq!(document["problem"]["code"], "policy-unknown-key");
    assert_eq!(document["problem"]["line"], 8);
    assert_eq!(folder.run("policy show absent.toml").code, 74);
}

/// The seed was chosen before the first run; an estimate is further than five standard errors from the truth with a probability of
/// 6e-7 each.
#[test]
fn from_people_to_estimates() {
    let folder = folder();
    folder.write("people.csv", people(4000));
    let perturb = "perturb --policy travel.toml --in people.csv --day 2026-03-15 --insecure-seed 11 --json";
    let ending = folder.run(&format!("{perturb} --out reports.parquet"));
    assert_eq!(ending.code, 0, "{}", ending.stderr);
    let document: serde_json::Value = serde_json::from_str(&ending.stdout).unwrap();
    assert_eq!((&document["rows"], &document["guarantee"]["epsilon"]), (&4000.into(), &3.0.into()));
    let estimates = folder.json("estimate --policy travel.toml --in reports.parquet --insecure-seed");
    assert_eq!(estimates["reports"], 4000);
    let truths = [[0.2, 0.2, 0.2, 0.4].as_slice(), &[47.5]];
    for (estimate, truths) in estimates["estimates"].as_array().unwrap().iter().zip(truths) {
        let rows = estimate["estimates"].as_array().cloned().unwrap_or(vec![estimate.clone()]);
        for (row, truth) in rows.iter().zip(truths) {
            let [value, error] = ["value", "standard_error"].map(|key| row[key].as_f64().unwrap());
            assert!((value - truth).abs() < 5.0 * error, "{value} {truth} {error}");
            assert!(row["method"].is_string() && row["n"] == 4000 && row["interval"][1].is_f64(), "{row}");
        }
        assert_eq!(rows.len(), truths.len());
    }
    // Reports of a table that is read twice count once, and every format holds the same ones.
    for out in ["reports.csv", "reports.jsonl", "reports.arrow"] {
        assert_eq!(folder.run(&format!("{perturb} --out {out}")).code, 0);
        let both = format!("estimate --policy travel.toml --in reports.parquet,{out} --insecure-seed");
        assert_eq!(folder.json(&both), estimates, "{out}");
    }
    let by = folder.json("estimate --policy travel.toml --in reports.csv --insecure-seed --by region");
    let slices: Vec<_> = by["estimates"].as_array().unwrap().iter().map(|one| &one["n"]).collect();
    assert_eq!(slices, [&serde_json::json!(1334), &1334.into(), &2666.into(), &2666.into()]);
    let none = folder.json("estimate --policy travel.toml --in reports.csv --insecure-seed --epoch 13");
    assert_eq!(
        (&none["estimates"][0]["withheld"], &none["estimates"][0]["minimum_reports"]),
        (&true.into(), &100.into())
    );
    let text = folder.succeed("estimate --policy travel.toml --in reports.csv --insecure-seed");
    assert!(
        text.contains("commute")
            && text.contains("bicycle")
            && text
                .ends_with("How we travel: 4000 reports\nTarget: the truth among the people who reported\n"),
        "{text}"
    );
    let flags = "estimate --policy travel.toml --in reports.csv --insecure-seed";
    let smooth = folder.json(&format!("{flags} --target population --smooth 20"));
    let minutes = &smooth["estimates"][1];
    assert_eq!((&minutes["target"], &minutes["populations"]), (&"population".into(), &"smooth:20".into()));
    assert_eq!(smooth["estimates"][0]["estimates"][0]["target"], "population");
}

#[test]
fn what_does_not_fit_is_explained() {
    let folder = folder();
    folder.write("people.csv", "commute,minutes,region\nbus,7,north\nsecret-balloon,7,north\n");
    folder.write("few.csv", "commute,region\nbus,north\n");
    folder.write("gap.csv", "commute,minutes,region\nbus,,north\n");
    folder.write("region.csv", "commute,minutes,region\nbus,7,west\n");
    let permanent = TRAVEL
        .replace("mechanism = \"grr\"\nepsilon = 1", "mechanism = \"grr\"\nepsilon = 1\nepsilon_forever = 2")
        .replace("epoch = \"day\"", "epoch = \"day\"\nanswers = \"every-epoch\"")
        .replace("epsilon = 3\n", "epsilon = 300\n");
    folder.write("permanent.toml", permanent);
    let mut shown = String::new();
    let march = "--out r.csv --day 2026-03-15";
    for line in [
        format!("perturb --policy travel.toml --in people.csv {march}"),
        format!("perturb --policy travel.toml --in few.csv {march}"),
        format!("perturb --policy travel.toml --in gap.csv {march}"),
        format!("perturb --policy travel.toml --in region.csv {march}"),
        "perturb --policy travel.toml --in people.csv --out r.csv --day 2026-04-01".to_owned(),
        "perturb --policy travel.toml --in people.csv --out r.csv --day soon".to_owned(),
        format!("perturb --policy permanent.toml --in people.csv {march}"),
        "estimate --policy travel.toml --in people.csv --column commute".to_owned(),
        "estimate --policy travel.toml --in people.csv --by colour".to_owned(),
    ] {
        let ending = folder.run(&line);
        assert_ne!(ending.code, 0, "{line}");
        assert!(!ending.stderr.contains("secret-balloon"), "{line}");
        shown += &format!("$ privet {line}\n{}exit {}\n\n", ending.stderr, ending.code);
    }
    assert!(!folder.names().contains(&"r.csv".to_owned()));
    insta::assert_snapshot!("policy_bad_input", shown);
    let both = folder.run("perturb --policy travel.toml --mechanism grr --in people.csv --out r.csv");
    assert!(both.code == 2 && both.stderr.contains("cannot be used with"), "{}", both.stderr);
    let neither = folder.run("perturb --in people.csv --out r.csv");
    assert!(neither.code == 2 && neither.stderr.contains("--mechanism <NAME>"), "{}", neither.stderr);
}

/// The kind of guarantee is that of the mechanisms, not what a delta looks like.
#[test]
fn guarantees_are_called_what_they_are() {
    let folder = folder();
    folder.write("people.csv", people(10));
    for (mechanism, delta, kind) in [
        ("pm", None, "pure"),
        ("gaussian", Some("delta = 1e-6"), "approximate"),
        ("gaussian-probabilistic", Some("delta = 1e-6"), "probabilistic"),
    ] {
        let delta = delta.unwrap_or_default();
        let policy = TRAVEL
            .replace("mechanism = \"pm\"", &format!("mechanism = \"{mechanism}\"\n{delta}"))
            .replace("period =", &format!("{delta}\nperiod ="));
        folder.write("other.toml", policy);
        let line = "perturb --policy other.toml --in people.csv --day 2026-03-15 --out reports.csv";
        assert_eq!(folder.json(line)["guarantee"]["kind"], kind);
    }
}
