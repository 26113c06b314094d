//! Reports of the Rust client for every mechanism that a policy can name, from fixed random words: what the npm package must draw, too.
//! Prints JSON.

use privet_core::{Categories, Circle, Epsilon, Generator, Interval};
use privet_limit::circle::CircleProblem;
use privet_limit::finite::{FiniteProblem, LossMatrix};
use privet_limit::line::{LineProblem, Unbiased};
use privet_limit::{Objective, Problem, Stop};
use privet_mechanisms::analysis::Loss;
use privet_policy::ledger::{Ledger, MemoryLedger};
use privet_policy::{Answers, Client, Policy, PolicyError, ResolvedPolicy, Showing, registry};
use serde_json::{Value, json};
use std::sync::Arc;

type Failure = Box<dyn std::error::Error>;

/// One question and some answers to it.
struct Case {
    name: String,
    attribute: String,
    values: &'static [&'static str],
    file: Option<String>,
}

fn main() -> Result<(), Failure> {
    let mut cases = ready();
    cases.extend(permanent());
    cases.extend(solved()?);
    let documents = cases.iter().map(document).collect::<Result<Vec<_>, _>>()?;
    println!("{}", json!({ "cases": documents }));
    Ok(())
}

/// A domain for each kind, with values at its ends and inside.
fn domain(kind: &str) -> Option<(&'static str, &'static str, &'static [&'static str])> {
    match kind {
        "binary" => Some(("domain = \"binary\"", "frequency", &["0", "1"])),
        "categories" => {
            Some(("domain = \"categories:walk,bicycle,bus,train,car\"", "frequency", &["walk", "bus", "car"]))
        }
        "interval" => Some(("domain = \"interval:-10,40\"", "mean", &["-10", "40", "17.25", "0.1"])),
        "circle" => Some(("domain = \"circle:24\"", "distribution", &["0", "23.999", "7.5"])),
        "rectangle" => Some(("domain = \"rectangle:0,2,-1,3\"", "distribution", &["0,-1", "2,3", "0.7,1.1"])),
        "words" => Some(("domain = \"words:6\"", "frequency", &["a", "privet"])),
        _ => None,
    }
}

fn ready() -> Vec<Case> {
    let mut cases = Vec::new();
    for row in registry::ready_mechanisms() {
        let id = row.info.id;
        let Some((domain, goal, values)) = domain(row.info.domain) else { continue };
        let head = format!("{domain}\ngoal = \"{goal}\"\nmechanism = \"{id}\"");
        // Some need one of these; a policy that cannot be made with any of them cannot name the mechanism.
        for extra in ["", "bins = 8", "delta = 0.000001", "bins = 8\ndelta = 0.000001"] {
            let case =
                Case { name: id.to_owned(), attribute: format!("{head}\n{extra}"), values, file: None };
            if policy(&case).is_ok() {
                cases.push(case);
                break;
            }
        }
    }
    let cells =
        "domain = \"rectangle:0,2,-1,3\"\nbins = 6\ngoal = \"distribution\"\nmechanism = \"grr\"".to_owned();
    let values: &[&str] = &["0,-1", "2,3", "0.7,1.1"];
    cases.push(Case { name: "cells of a rectangle".into(), attribute: cells, values, file: None });
    cases
}

fn permanent() -> Vec<Case> {
    let mechanisms = [
        "randomized-response",
        "generalized-randomized-response",
        "symmetric-unary-encoding",
        "optimized-unary-encoding",
    ];
    let case = |mechanism: &str| {
        let kind = if mechanism == "randomized-response" { "binary" } else { "categories" };
        let (domain, goal, values) = domain(kind)?;
        let attribute = format!(
            "{domain}\ngoal = \"{goal}\"\nmechanism = \"{mechanism}\"\nepsilon = 1\nepsilon_forever = 2"
        );
        Some(Case { name: format!("permanent {mechanism}"), attribute, values, file: None })
    };
    mechanisms.into_iter().filter_map(case).collect()
}

fn solved() -> Result<Vec<Case>, Failure> {
    let epsilon = Epsilon::new(1.0)?;
    let line = |loss, unbiased| -> Result<Problem, Failure> {
        let domain = Interval::new(-10.0, 40.0)?;
        Ok(Problem::Line(LineProblem { domain, loss, objective: Objective::Minimax, epsilon, unbiased }))
    };
    let categories = Categories::new(5)?;
    let finite = Problem::Finite(FiniteProblem {
        losses: LossMatrix::ordered(Loss::Absolute, &categories)?,
        categories,
        objective: Objective::Minimax,
        epsilon,
    });
    let circle = Problem::Circle(CircleProblem { domain: Circle::new(24.0)?, loss: Loss::Absolute, epsilon });
    let numbers: &[&str] = &["-10", "40", "17.25"];
    let cases: [(&str, &str, Problem, &'static [&'static str]); 5] = [
        ("minimax-absolute", "interval:-10,40", line(Loss::Absolute, None)?, numbers),
        ("minimax-squared", "interval:-10,40", line(Loss::Squared, None)?, numbers),
        ("minimax-unbiased", "interval:-10,40", line(Loss::Squared, Some(Unbiased::default()))?, numbers),
        ("solved circle", "circle:24", circle, &["0", "23.999"]),
        ("solved categories", "categories:5", finite, &["0", "2", "4"]),
    ];
    let case = |(name, domain, problem, values): (&str, &str, Problem, &'static [&'static str])| {
        let file = problem.solve(&Stop::default(), &mut |_| {})?.to_json();
        let goal = if domain.starts_with("categories") { "frequency" } else { "point" };
        let attribute = format!("domain = \"{domain}\"\ngoal = \"{goal}\"\nmechanism = \"file:best.json\"");
        Ok(Case { name: name.to_owned(), attribute, values, file: Some(file) })
    };
    cases.into_iter().map(case).collect()
}

fn policy(case: &Case) -> Result<Arc<ResolvedPolicy>, PolicyError> {
    let text = format!(
        "name = \"n\"\npurpose = \"p\"\norigin = \"o.example\"\nopens = 2026-01-01\ncloses = 2026-12-31\nepoch = \"month\"\n\
         answers = \"every-epoch\"\nminimum_reports = 10\n[budget]\nepsilon = 1\ndelta = 0.00001\nperiod = \"month\"\n\
         [[attribute]]\nname = \"a\"\nquestion = \"q\"\n{}\n",
        case.attribute
    );
    Policy::from_toml(&text)?.resolve(&mut |_| case.file.clone().ok_or_else(|| "no file".to_owned()))
}

fn document(case: &Case) -> Result<Value, Failure> {
    let policy = policy(case).map_err(|error| format!("{}: {error}", case.name))?;
    let showing = Showing::new(Arc::clone(&policy)).for_seeded_reports();
    let mut draws = Vec::new();
    for (value, seed) in case.values.iter().flat_map(|value| (0..4).map(move |seed| (value, seed))) {
        let mut ledger = Ledger::open(MemoryLedger::default())?;
        let mut rng = Generator::from_insecure_seed(seed);
        let answers = Answers::new().value("a", value);
        let today = "2026-03-15".parse()?;
        let report = Client::new([seed as u8; 32]).answer(&policy, &answers, &mut ledger, &mut rng, today)?;
        let record =
            ledger.records().first().map(|record| String::from_utf8_lossy(&record.to_bytes()).into_owned());
        draws.push(json!({
            "value": value,
            "seed": seed,
            "report": report.bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
            "record": record,
            "channel": serde_json::to_value(showing.channel("a", value)?)?,
        }));
    }
    Ok(
        json!({ "name": case.name, "id": policy.id().to_string(), "policy": policy.to_json(), "draws": draws }),
    )
}
