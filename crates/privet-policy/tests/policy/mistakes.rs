//! Every mistake is refused where it is, and nothing panics.

use crate::{TRAVEL, one_attribute, resolve};
use privet_policy::{Place, Policy, PolicyError, ResolvedPolicy};
use proptest::prelude::*;

const DAILY: &str = "epoch = \"day\"";
const BUDGET: &str = "epsilon = 1\nperiod = \"day\"";
const BINARY: &str = "domain = \"binary\"\ngoal = \"frequency\"";

fn refused(text: &str) -> PolicyError {
    match resolve(text) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error,
    }
}

/// The policy of the data folder with one text replaced by another.
fn travel(from: &str, to: &str) -> String {
    assert!(TRAVEL.contains(from), "{from}");
    TRAVEL.replacen(from, to, 1)
}

#[test]
fn the_policies_of_these_tests_are_fine_as_they_are() {
    resolve(TRAVEL).unwrap();
    resolve(&one_attribute(DAILY, BUDGET, BINARY)).unwrap();
}

/// What is changed, the error's code, its place, and words of its message and its hint.
#[test]
fn mistakes_have_a_place_a_code_and_a_hint() {
    let cases = [
        (
            "mechanism = \"grr\"",
            "mechanism = \"grrr\"",
            "policy-unknown-mechanism",
            (21, 13),
            "grrr",
            "did you mean grr",
        ),
        (
            "mechanism = \"pm\"",
            "mechanism = \"duchy\"",
            "policy-unknown-mechanism",
            (30, 13),
            "duchy",
            "did you mean duchi",
        ),
        (
            "name = \"minutes\"",
            "name = \"commute\"",
            "policy-duplicate",
            (25, 1),
            "\"commute\" is given twice",
            "",
        ),
        (
            "question = \"Where do you live?\"\n",
            "",
            "policy-missing-key",
            (33, 1),
            "needs the key \"question\"",
            "what people are asked",
        ),
        (
            "purpose = ",
            "purpos = ",
            "policy-unknown-key",
            (2, 1),
            "no key \"purpos\"",
            "did you mean purpose",
        ),
        ("closes = 2026-05-31", "closes = \"2026-02-31\"", "policy-value", (5, 10), "2026-02-31", ""),
        (
            "closes = 2026-05-31",
            "closes = 2025-05-31",
            "policy-dates-reversed",
            (5, 10),
            "before it opens",
            "both days",
        ),
        ("epoch = \"week\"", "epoch = \"hour\"", "policy-word", (6, 9), "day, week, month", ""),
        (
            "epsilon = 12",
            "epsilon = 3",
            "policy-conflict",
            (33, 1),
            "nothing of the budget is left for the attribute \"home\"",
            "",
        ),
        (
            "bins = 3",
            "bins = 3\nepsilon = 2",
            "policy-budget",
            (12, 1),
            "cost epsilon 19.2 and delta 0, which is more than the budget of epsilon 12",
            "divide the budget",
        ),
        (
            "period = \"month\"",
            "period = \"day\"",
            "policy-period-too-short",
            (12, 1),
            "counted by the day",
            "longer time",
        ),
        ("epsilon = 0.7", "epsilon = 0", "policy-value", (22, 11), "got 0", ""),
        ("epsilon = 0.7", "epsilon = \"much\"", "policy-kind", (22, 11), "must be a number", ""),
        ("share = 0.25", "share = 1.5", "policy-value", (31, 9), "at most 1", ""),
        ("share = 0.25", "share = 0.2\nepsilon = 1", "policy-conflict", (31, 9), "not both", ""),
        (
            "domain = \"interval:0,120\"",
            "domain = \"interval:120,0\"",
            "parameter-interval",
            (28, 10),
            "120 and 0",
            "",
        ),
        (
            "goal = \"mean\"",
            "goal = \"frequency\"",
            "policy-advisor",
            (29, 8),
            "about categories",
            "distribution, mean or point",
        ),
        (
            "mechanism = \"grr\"",
            "mechanism = \"olh\"",
            "policy-not-permanent",
            (21, 13),
            "cannot be permanent",
            "epsilon_forever",
        ),
        ("bins = 3", "bins = 1000", "policy-value", (36, 10), "cells along each side", ""),
        (
            "values = [\"north\", \"south\"]",
            "values = [\"north\", \"north\"]",
            "policy-duplicate",
            (43, 20),
            "\"north\"",
            "",
        ),
        ("minimum_reports = 500", "minimum_reports = 0", "policy-value", (8, 19), "from 1 to", ""),
        (
            "origin = \"https://city.example\"",
            "origin = \"my city\"",
            "policy-value",
            (3, 10),
            "without spaces",
            "",
        ),
        ("name = \"home\"", "name = \"Home\"", "policy-value", (34, 8), "a-z", ""),
        ("[budget]", "[budget", "policy-syntax", (12, 8), "TOML", ""),
        (
            "mechanism = \"pm\"",
            "mechanism = \"file:nothing.json\"",
            "policy-mechanism-file",
            (30, 13),
            "there are no files here",
            "",
        ),
    ];
    for (from, to, code, (line, column), words, hint) in cases {
        let error = refused(&travel(from, to));
        assert_eq!(error.code(), code, "{to}: {error}");
        assert_eq!(error.place, Some(Place { line, column }), "{to}: {error}");
        let message = error.to_string();
        assert!(
            message.contains(words) && message.starts_with(&format!("line {line}, column {column}: ")),
            "{message}"
        );
        assert!(error.hint().unwrap_or_default().contains(hint), "{to}: {:?}", error.hint());
    }
}

#[test]
fn json_mistakes_have_their_places_too() {
    let json = "{\n \"name\": \"n\",\n \"purpose\": \"p\",\n \"epoch\": \"hour\"\n}";
    let error = Policy::from_json(json).unwrap_err();
    assert_eq!((error.code(), error.place), ("policy-missing-key", Some(Place { line: 1, column: 1 })));
    let double = Policy::from_json("{\"name\": \"n\",\n \"name\": \"n\"}").unwrap_err();
    assert_eq!((double.code(), double.place), ("policy-duplicate", Some(Place { line: 2, column: 10 })));
    let deep =
        Policy::from_json(&format!("{{\"name\": {}1{}}}", "[".repeat(100), "]".repeat(100))).unwrap_err();
    assert_eq!(deep.code(), "policy-syntax");
    assert_eq!(Policy::from_json(&"[".repeat(200_000)).unwrap_err().code(), "policy-syntax");
    assert_eq!(Policy::from_json(&" ".repeat(300_000)).unwrap_err().code(), "policy-too-long");
}

#[test]
fn a_budget_is_reached_exactly_or_not_at_all() {
    let attribute = |epsilon: &str| format!("{BINARY}\nepsilon = {epsilon}");
    let weekly = "epoch = \"day\"\nanswers = \"every-epoch\"";
    let budget = "epsilon = 0.7\nperiod = \"week\"";
    // Seven times 0.1 is 0.7, although not in floating point.
    let exact = resolve(&one_attribute(weekly, budget, &attribute("0.1"))).unwrap();
    assert_eq!(exact.period_cost().epsilon(), 0.7);
    let over = refused(&one_attribute(weekly, budget, &attribute("0.100000001")));
    assert_eq!(over.code(), "policy-budget");
    // Without an epsilon the budget is divided, and never exceeded.
    let divided = resolve(&one_attribute(weekly, "epsilon = 1\nperiod = \"week\"", BINARY)).unwrap();
    assert_eq!(divided.attributes()[0].terms().epsilon.to_f64(), 0.142857142);
    assert!(divided.attributes()[0].guarantee().epsilon().get() <= 0.142857142);
}

#[test]
fn sizes_are_bounded() {
    let attribute =
        "[[attribute]]\nname = \"a\"\nquestion = \"q\"\ndomain = \"binary\"\ngoal = \"frequency\"\n";
    let many: String = (0..65).map(|index| attribute.replace("\"a\"", &format!("\"a{index}\""))).collect();
    let start = TRAVEL.find("[[attribute]]").unwrap();
    assert_eq!(refused(&format!("{}{many}", &TRAVEL[..start])).code(), "policy-too-long");
    let wide = one_attribute(DAILY, BUDGET, "domain = \"categories:65537\"\ngoal = \"frequency\"");
    assert_eq!(refused(&wide).code(), "parameter-category-count");
    let long = travel("purpose = \"Plan", &format!("purpose = \"{}", "x".repeat(2001)));
    assert_eq!(refused(&long).code(), "policy-too-long");
    // More counters than memory should hold: 65536 categories for each of 1025 slices.
    let values: Vec<String> = (0..1024).map(|index| format!("\"{index}\"")).collect();
    let broken_down = format!(
        "{}[[public]]\nname = \"field\"\nvalues = [{}]\n",
        one_attribute(
            DAILY,
            BUDGET,
            "domain = \"categories:65536\"\ngoal = \"frequency\"\nmechanism = \"oue\""
        ),
        values.join(",")
    );
    assert_eq!(refused(&broken_down).code(), "parameter-incompatible");
}

#[test]
fn a_resolved_policy_is_checked_again() {
    let policy = resolve(TRAVEL).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(policy.to_json().contains(from), "{from}");
        ResolvedPolicy::from_json(&policy.to_json().replacen(from, to, 1))
    };
    assert!(changed("How we travel", "How they travel").is_ok());
    for (from, to, code) in [
        ("privet policy 1", "privet policy 2", "policy-value"),
        ("\"epsilon\":12.0", "\"epsilon\":1.0", "policy-budget"),
        ("\"epsilon\":0.7", "\"epsilon\":0.7000000001", "policy-syntax"),
        ("\"closes\":\"2026-05-31\"", "\"closes\":\"2026-01-31\"", "policy-dates-reversed"),
        ("\"name\":\"minutes\"", "\"name\":\"commute\"", "policy-duplicate"),
        ("\"purpose\":", "\"why\":", "policy-syntax"),
        ("\"mechanism\":\"piecewise\"", "\"mechanism\":\"minimax-absolute\"", "policy-conflict"),
        ("\"question\":\"Where do you live?\"", "\"question\":\" \"", "policy-conflict"),
        ("Where do you live?", "Where\\u001b[2J?", "policy-conflict"),
        ("[\"north\",\"south\"]", "[\"north\",\"north\"]", "policy-conflict"),
    ] {
        assert_eq!(changed(from, to).unwrap_err().code(), code, "{to}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = Policy::from_toml(&text);
        let _ = Policy::from_json(&text);
        let _ = ResolvedPolicy::read(&text, &mut crate::no_files);
    }

    /// Policies with a part cut out, doubled or replaced are mostly wrong, and never a panic.
    #[test]
    fn no_damaged_policy_panics(
        from in 0usize..TRAVEL.len(),
        length in 0usize..40,
        noise in "[\\PC\\n]{0,6}",
    ) {
        let to = (from + length).min(TRAVEL.len());
        if TRAVEL.is_char_boundary(from) && TRAVEL.is_char_boundary(to) {
            let text = format!("{}{noise}{}", &TRAVEL[..from], &TRAVEL[to..]);
            let _ = Policy::from_toml(&text);
        }
    }
}
