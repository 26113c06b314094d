//! Numbers and angles on their way through the command.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used)]

mod common;

use arrow_array::{ArrayRef, Float32Array, Float64Array, Int64Array, RecordBatch};
use common::Folder;
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use std::fs::File;
use std::sync::Arc;

const PEOPLE: usize = 30_000;

/// Numbers that are not spread evenly, but the same every time: the squares of a sequence that fills the interval.
fn skewed() -> Vec<f64> {
    (0..PEOPLE).map(|index| (index as f64 * 0.618_033_988_749_895).fract().powi(2)).collect()
}

fn csv(values: &[f64]) -> String {
    std::iter::once("x\n".to_owned()).chain(values.iter().map(|value| format!("{value}\n"))).collect()
}

fn round_trip(flags: &str, values: &[f64], more: &str) -> Value {
    let folder = Folder::new();
    folder.write("a.csv", csv(values));
    let seeded = folder.run(&format!("perturb {flags} --column x --in a.csv --out r.csv --insecure-seed 7"));
    assert_eq!(seeded.code, 0, "{}", seeded.stderr);
    folder.json(&format!("estimate {flags} --in r.csv --insecure-seed {more}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn ends(estimate: &Value) -> [f64; 2] {
    [0, 1].map(|end| number(&estimate["interval"][end]))
}

/// Whether the truth lies in the interval, widened to five standard errors, and the estimate in the interval itself.
fn is_near(estimate: &Value, key: &str, truth: f64) {
    let [low, high] = ends(estimate);
    let (value, more) = (number(&estimate[key]), (5.0 - 1.96) * number(&estimate["standard_error"]));
    assert!((low..=high).contains(&value), "{estimate}");
    assert!((low - more..=high + more).contains(&truth), "{estimate}: {truth}");
    assert!(number(&estimate["bias_bound"]) >= 0.0, "{estimate}");
}

fn holds(estimate: &Value, truth: f64) {
    let [low, high] = ends(estimate);
    assert!(low <= truth && truth <= high, "{estimate}: {truth}");
}

#[test]
fn means() {
    let values: Vec<f64> = skewed().iter().map(|value| -5.0 + 25.0 * value).collect();
    let truth = values.iter().sum::<f64>() / values.len() as f64;
    let estimate = round_trip("--mechanism piecewise --domain interval:-5,20 --epsilon 1", &values, "");
    is_near(&estimate, "value", truth);
    assert_eq!(
        (&estimate["method"], &estimate["target"]),
        (&"bracketing weights".into(), &"reported".into())
    );
    assert_eq!(estimate["n"], PEOPLE);
}

/// Who happened to report counts only where everybody is meant, and smooth populations are told from few values more easily.
#[test]
fn targets_and_smooth_populations() {
    let folder = Folder::new();
    let flags = "--mechanism square-wave --domain interval:0,1 --epsilon 4";
    folder.write("a.csv", csv(&skewed()[..5_000]));
    let seeded = folder.run(&format!("perturb {flags} --column x --in a.csv --out r.csv --insecure-seed 7"));
    assert_eq!(seeded.code, 0, "{}", seeded.stderr);
    let estimate = format!("estimate {flags} --in r.csv --insecure-seed --distribution-bins 5");
    let [reported, population, smooth] =
        ["", "--target population", "--smooth 20"].map(|more| folder.json(&format!("{estimate} {more}")));
    let width = |document: &Value| {
        let [low, high] = ends(document);
        high - low
    };
    assert!(width(&reported) < width(&population) && width(&smooth) < width(&reported));
    for (document, target, populations) in [
        (&reported, "reported", "any"),
        (&population, "population", "any"),
        (&smooth, "reported", "smooth:20"),
    ] {
        assert_eq!((&document["target"], &document["populations"]), (&target.into(), &populations.into()));
        assert_eq!(document["quantiles"][0]["target"], target);
    }
    let page = |more: &str| folder.succeed(&format!("{estimate} {more}"));
    assert!(page("").ends_with("\nTarget: the truth among the people who reported\n"), "{}", page(""));
    let drawn = page("--target population");
    assert!(drawn.ends_with("\nTarget: the truth in the population they were drawn from\n"), "{drawn}");
    let smooth = page("--smooth 20");
    assert!(smooth.contains("hold for smooth populations only") && smooth.contains("20 equal"), "{smooth}");
    assert!(smooth.contains("MARGIN") && !smooth.contains("STANDARD ERROR"), "{smooth}");
    let line = format!("estimate {flags} --in r.csv --target everybody");
    assert!(folder.run(&line).stderr.contains("a target is reported or population: got \"everybody\""));
    assert_eq!(folder.run(&format!("estimate {flags} --in r.csv --smooth 1")).code, 2);
}

/// People all around the circle have no mean direction, and none is stated.
#[test]
fn no_direction_can_be_told() {
    let folder = Folder::new();
    let flags = "--mechanism optimal-piecewise-circle --domain circle:360 --epsilon 1";
    let angles: Vec<f64> = (0..720).map(|index| f64::from(index) / 2.0).collect();
    folder.write("a.csv", csv(&angles));
    folder.run(&format!("perturb {flags} --column x --in a.csv --out r.csv --insecure-seed 7"));
    let estimate = format!("estimate {flags} --in r.csv --insecure-seed --distribution-bins 4");
    let document = folder.json(&estimate);
    let [low, high] = ends(&document);
    assert_eq!(document["direction_told"], false);
    assert!((high - low - 360.0).abs() < 1e-9, "{document}");
    let page = folder.succeed(&estimate);
    assert!(page.contains("no direction can be told") && page.contains("the whole circle"), "{page}");
}

#[test]
fn distributions_quantiles_and_ranges() {
    let values = skewed();
    let flags = "--mechanism optimal-piecewise --domain interval:0,1 --epsilon 2";
    let more = "--distribution-bins 4 --quantiles 0.5,0.9 --range 0.25,1 --range 0,0.5";
    let estimate = round_trip(flags, &values, more);
    let share = |from: f64, to: f64| {
        values.iter().filter(|value| (from..to).contains(*value)).count() as f64 / PEOPLE as f64
    };
    let bins = estimate["distribution"].as_array().unwrap();
    assert_eq!(bins.len(), 4);
    for (index, bin) in bins.iter().enumerate() {
        let (from, to) = (index as f64 / 4.0, (index + 1) as f64 / 4.0);
        assert_eq!((number(&bin["from"]), number(&bin["to"])), (from, to));
        is_near(bin, "share", share(from, to));
    }
    let total: f64 = bins.iter().map(|bin| number(&bin["share"])).sum();
    assert!((total - 1.0).abs() < 1e-9);
    for (row, level) in estimate["quantiles"].as_array().unwrap().iter().zip([0.5, 0.9f64]) {
        assert_eq!(number(&row["level"]), level);
        is_near(row, "value", level * level);
    }
    is_near(&estimate["ranges"][0], "share", share(0.25, 1.0));
    is_near(&estimate["ranges"][1], "share", share(0.0, 0.5));
    holds(&estimate, values.iter().sum::<f64>() / PEOPLE as f64);
    assert_eq!(estimate["distribution_method"], "ems-cv");
}

#[test]
fn directions() {
    let values: Vec<f64> = skewed().iter().map(|value| (330.0 + 60.0 * value).rem_euclid(360.0)).collect();
    let of = |wave: fn(f64) -> f64| values.iter().map(|angle| wave(angle.to_radians())).sum::<f64>();
    let truth = of(f64::sin).atan2(of(f64::cos)).to_degrees().rem_euclid(360.0);
    let flags = "--mechanism optimal-piecewise-circle --domain circle:360 --epsilon 2";
    let estimate = round_trip(flags, &values, "--distribution-bins 12 --range 330,30");
    is_near(&estimate, "value", truth);
    let length = of(f64::sin).hypot(of(f64::cos)) / PEOPLE as f64;
    is_near(&estimate["resultant_length"], "value", length);
    assert!(number(&estimate["ranges"][0]["share"]) > 0.5);
    assert!(estimate.get("quantiles").is_none());
}

/// Runs a command that must fail with this status and message.
fn refuses(folder: &Folder, line: &str, code: i32, message: &str) {
    let before = folder.names();
    let ending = folder.run(line);
    assert_eq!(ending.code, code, "{line}: {}", ending.stderr);
    assert!(ending.stderr.starts_with(&format!("error: {message}")), "{line}: {}", ending.stderr);
    assert_eq!((ending.stdout.as_str(), folder.names()), ("", before), "{line}");
}

#[test]
fn values_outside_are_refused_with_their_row() {
    let folder = Folder::new();
    let line = "perturb --mechanism piecewise --domain interval:0,1 --epsilon 1 --column x --out r.csv";
    for (value, is_clampable) in
        [("1.5", true), ("-0.001", true), ("inf", true), ("-inf", true), ("NaN", false), ("secret", false)]
    {
        folder.write("a.csv", format!("x\n0.5\n{value}\n"));
        let message = "a.csv, row 2: the value lies outside the domain interval:0,1 [input-outside-domain]\n";
        refuses(&folder, &format!("{line} --in a.csv"), 65, message);
        let ending = folder.run(&format!("{line} --in a.csv"));
        assert_eq!(ending.stderr.contains("--clamp"), is_clampable, "{value}: {}", ending.stderr);
        assert!(!ending.stderr.contains(value), "{}", ending.stderr);
        let clamped = folder.run(&format!("{line} --in a.csv --clamp"));
        assert_eq!(clamped.code, if is_clampable { 0 } else { 65 }, "{value}: {}", clamped.stderr);
        let _ = std::fs::remove_file(folder.path("r.csv"));
    }
    folder.write("a.csv", "x\n0.5\n\n0.5\n");
    refuses(&folder, &format!("{line} --in a.csv"), 65, "a.csv, row 2: the value is missing");
    folder.write("a.jsonl", "{\"x\":0.5}\n{\"x\":2}\n");
    refuses(&folder, &format!("{line} --in a.jsonl"), 65, "a.jsonl, row 2: the value lies outside");
    let circle =
        "perturb --mechanism optimal-piecewise-circle --domain circle:360 --epsilon 1 --column x --out r.csv";
    folder.write("a.csv", "x\n360\n");
    refuses(&folder, &format!("{circle} --in a.csv"), 65, "a.csv, row 1: the value lies outside");
    assert_eq!(folder.run(&format!("{circle} --in a.csv --clamp")).code, 0);
}

fn write_parquet(folder: &Folder, column: ArrayRef) {
    let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
    let file = File::create(folder.path("a.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn all_formats_give_the_same_reports() {
    let folder = Folder::new();
    let line = "perturb --mechanism piecewise --domain interval:-1,2 --epsilon 1 --column x --out r.csv";
    let reports = |input: &str| {
        let ending = folder.run(&format!("{line} --in {input} --insecure-seed 1"));
        assert_eq!(ending.code, 0, "{input}: {}", ending.stderr);
        folder.text("r.csv")
    };
    folder.write("a.csv", "x\n-1\n0\n2\n");
    folder.write("a.jsonl", "{\"x\":-1}\n{\"x\":0.0}\n{\"x\":\"2\"}\n");
    let expected = reports("a.csv");
    assert_eq!(reports("a.jsonl"), expected);
    let columns: [ArrayRef; 3] = [
        Arc::new(Float64Array::from(vec![-1.0, 0.0, 2.0])),
        Arc::new(Float32Array::from(vec![-1.0, 0.0, 2.0])),
        Arc::new(Int64Array::from(vec![-1, 0, 2])),
    ];
    for column in columns {
        write_parquet(&folder, column);
        assert_eq!(reports("a.parquet"), expected);
    }
    for value in [f64::NAN, f64::INFINITY, 3.0] {
        write_parquet(&folder, Arc::new(Float64Array::from(vec![0.0, value])));
        let message = "a.parquet, row 2: the value lies outside the domain interval:-1,2";
        refuses(&folder, &format!("{line} --in a.parquet"), 65, message);
    }
    write_parquet(&folder, Arc::new(Float64Array::from(vec![None, Some(1.0)])));
    refuses(&folder, &format!("{line} --in a.parquet"), 65, "a.parquet, row 1: the value is missing");
}

#[test]
fn domains_that_are_none() {
    let folder = Folder::new();
    folder.write("a.csv", "x\n0\n");
    for (domain, message) in [
        ("interval:1,1", "an interval needs finite ends with low below high: got 1 and 1"),
        ("interval:2,1", "an interval needs finite ends with low below high: got 2 and 1"),
        ("interval:NaN,1", "an interval needs finite ends with low below high: got NaN and 1"),
        ("interval:0,inf", "an interval needs finite ends with low below high: got 0 and inf"),
        ("interval:0", "cannot read the domain"),
    ] {
        let line = format!("perturb --mechanism piecewise --domain {domain} --epsilon 1 --column x");
        refuses(&folder, &format!("{line} --in a.csv --out r.csv"), 2, message);
        let line = format!("advise --domain {domain} --goal mean --users 10 --epsilon 1");
        refuses(&folder, &line, 2, message);
    }
}

/// The whole way at the ends of what floating point can hold: a clear error, or reports with a guarantee within epsilon.
#[test]
fn extreme_intervals_and_epsilons() {
    let folder = Folder::new();
    for (domain, value, epsilon) in [
        ("interval:0,1e-300", "5e-301", 1.0),
        ("interval:-1e300,1e300", "5e299", 1.0),
        ("interval:0,1", "0.5", 1e-300),
        ("interval:0,1", "0.5", 1e-12),
        ("interval:0,1", "0.5", 40.0),
        ("interval:0,1", "0.5", 1e4),
        ("interval:0,1", "0.5", 1e300),
    ] {
        folder.write("a.csv", format!("x\n{value}\n{value}\n"));
        for mechanism in ["optimal-piecewise", "piecewise", "laplace", "duchi"] {
            let flags = format!("--mechanism {mechanism} --domain {domain} --epsilon {epsilon}");
            let ending = folder.run(&format!("perturb {flags} --column x --in a.csv --out r.csv --json"));
            assert!(!ending.stderr.contains("panicked"), "{flags}: {}", ending.stderr);
            if ending.code != 0 {
                assert!(ending.code == 2 && ending.stderr.starts_with("error: "), "{flags}: {ending:?}");
                continue;
            }
            let document: Value = serde_json::from_str(&ending.stdout).unwrap();
            assert!(number(&document["guarantee"]["epsilon"]) <= epsilon, "{flags}: {document}");
            let estimated = folder.run(&format!("estimate {flags} --in r.csv --json"));
            assert!([0, 75].contains(&estimated.code), "{flags}: {estimated:?}");
        }
    }
}

#[test]
fn flags_that_do_not_fit_the_domain() {
    let folder = Folder::new();
    folder.write("r.csv", "report\n");
    let categories = "estimate --mechanism grr --domain categories:3 --epsilon 1 --in r.csv";
    for flag in ["--method em", "--distribution-bins 4", "--quantiles 0.5", "--range 0,1", "--smooth 9"] {
        let name = flag.split(' ').next().unwrap();
        let message = format!("{name} is about numbers and angles: got categories:3");
        refuses(&folder, &format!("{categories} {flag}"), 2, &message);
    }
    let numbers = "estimate --mechanism piecewise --domain interval:0,1 --epsilon 1 --in r.csv";
    refuses(&folder, &format!("{numbers} --top 3"), 2, "--top is about categories: got interval:0,1");
    refuses(&folder, &format!("{numbers} --range 0.5,2"), 2, "cannot read the range \"0.5,2\"");
    refuses(&folder, &format!("{numbers} --range 0.5,0.2"), 2, "cannot read the range \"0.5,0.2\"");
    refuses(&folder, &format!("{numbers} --range NaN,1"), 2, "cannot read the range \"NaN,1\"");
    refuses(&folder, &format!("{numbers} --quantiles 0.5,1.5"), 2, "a quantile's level must be between");
    let circle = "estimate --mechanism optimal-piecewise-circle --domain circle:360 --epsilon 1 --in r.csv";
    refuses(&folder, &format!("{circle} --quantiles 0.5"), 2, "quantiles need numbers with an order");
    folder.write("a.csv", "x\n0.5\n");
    let simulate = "simulate --domain interval:0,1 --epsilon 1 --in a.csv --column x --mechanism piecewise";
    refuses(&folder, &format!("{simulate} --goal frequency"), 2, "frequencies are simulated on categories");
    refuses(&folder, &format!("{simulate} --goal mean --method em"), 2, "--method and --distribution-bins");
    refuses(&folder, &format!("{simulate} --delta 1e-6"), 2, "none of these mechanisms takes a delta");
    refuses(&folder, &format!("{simulate} --consistency simplex"), 2, "--consistency is about frequencies");
}

fn simulate(folder: &Folder, flags: &str) -> Vec<Value> {
    let line = format!("simulate --in a.csv --column x --insecure-seed 3 --trials 4 --json {flags}");
    let ending = folder.run(&line);
    assert_eq!(ending.code, 0, "{line}: {}", ending.stderr);
    assert_eq!(ending.stdout, folder.run(&line).stdout, "{line}");
    serde_json::from_str(&ending.stdout).unwrap()
}

#[test]
fn simulations() {
    let folder = Folder::new();
    folder.write("a.csv", csv(&skewed()[..2_000]));
    let numbers = "--domain interval:0,1 --epsilon 1,4 --mechanism piecewise,optimal-piecewise";
    let means = simulate(&folder, &format!("{numbers} --goal mean"));
    assert_eq!(means.len(), 4);
    for row in &means {
        assert_eq!((&row["n"], &row["trials"]), (&2_000.into(), &4.into()));
        assert!(number(&row["mean_absolute_error"]).powi(2) <= number(&row["mean_squared_error"]) + 1e-12);
        assert!(number(&row["mean_absolute_error"]) < 0.2 && row["coverage"].is_number(), "{row}");
    }
    let flags = format!("{numbers} --goal distribution --method ems,histogram --distribution-bins 20");
    let distributions = simulate(&folder, &flags);
    assert_eq!(distributions.len(), 8);
    for pair in distributions.chunks(2) {
        assert_eq!((&pair[0]["method"], &pair[1]["method"]), (&"ems".into(), &"histogram".into()));
        assert!(number(&pair[0]["wasserstein"]) < number(&pair[1]["wasserstein"]), "{pair:?}");
        let l1 = number(&pair[0]["l1"]);
        assert!((number(&pair[0]["mean_absolute_error"]) * 20.0 - l1).abs() < 1e-9);
        assert!(2.0 * number(&pair[0]["kolmogorov_smirnov"]) <= l1 + 1e-9);
    }
    let circle = "--domain circle:1 --epsilon 2 --mechanism all";
    let points = simulate(&folder, &format!("{circle} --goal point"));
    assert_eq!(points.len(), 5);
    assert!(points.iter().all(|row| number(&row["mean_absolute_error"]) <= 0.25), "{points:?}");
    folder.write("a.csv", "x\n0.5\nNaN\n");
    let bad = "simulate --mechanism piecewise --domain interval:0,1 --epsilon 1 --in a.csv --column x";
    refuses(&folder, bad, 65, "a.csv, row 2: the value lies outside the domain interval:0,1");
}
