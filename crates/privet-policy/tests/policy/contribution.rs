//! Splitting or sampling, and what the advisor chooses.

use crate::{one_attribute, resolve};
use privet_policy::Contribution;

fn several(count: usize, attribute: &str) -> String {
    let mut text = one_attribute("epoch = \"day\"", "epsilon = 1\nperiod = \"day\"", attribute);
    for index in 1..count {
        text += &format!("[[attribute]]\nname = \"a{index}\"\nquestion = \"q\"\n{attribute}\n");
    }
    text
}

/// For randomised response on k categories the standard error at epsilon e, for a rare category, is sqrt(k - 2 + E) / (E - 1) / sqrt(n)
/// with E = e^e. The advisor may choose something better, never something worse.
#[test]
fn sampling_wins_where_epsilon_is_small_and_both_numbers_are_said() {
    let policy = resolve(&several(4, "domain = \"binary\"\ngoal = \"frequency\"")).unwrap();
    let compared = policy.terms().contribution.compared.unwrap();
    let error = |epsilon: f64, people: f64| (epsilon.exp() / people).sqrt() / (epsilon.exp() - 1.0);
    assert!((compared.split - error(0.25, 10.0)).abs() < 1e-6, "{compared:?}");
    assert!((compared.sample - error(1.0, 2.5)).abs() < 1e-6, "{compared:?}");
    assert!(compared.sample < compared.split);
    assert_eq!(policy.terms().contribution.kind, Contribution::Sample);
    let why = policy.statement().contribution.why;
    assert!(
        why.contains(&format!("{:.6}", compared.split)) && why.contains(&format!("{:.6}", compared.sample)),
        "{why}"
    );
}

#[test]
fn one_question_is_never_drawn_by_lot() {
    let policy = resolve(&several(1, "domain = \"binary\"\ngoal = \"frequency\"")).unwrap();
    assert_eq!(
        (policy.terms().contribution.kind, policy.terms().contribution.compared),
        (Contribution::Split, None)
    );
}

/// The variance of Duchi's mechanism hardly falls any more beyond epsilon 12, and a lot doubles it.
#[test]
fn splitting_wins_where_epsilon_is_large() {
    let text = several(2, "domain = \"interval:0,1\"\ngoal = \"mean\"\nmechanism = \"duchi\"")
        .replace("epsilon = 1\n", "epsilon = 24\n");
    let policy = resolve(&text).unwrap();
    assert_eq!(policy.terms().contribution.kind, Contribution::Split);
    assert_eq!(policy.attributes()[0].terms().epsilon.to_f64(), 12.0);
}

#[test]
fn shares_and_what_is_left() {
    let text = several(3, "domain = \"binary\"\ngoal = \"frequency\"")
        .replace("epoch = \"day\"", "epoch = \"day\"\ncontribution = \"split\"")
        .replacen("goal = \"frequency\"", "goal = \"frequency\"\nshare = 0.5", 1);
    let policy = resolve(&text).unwrap();
    let epsilons: Vec<f64> = policy.attributes().iter().map(|one| one.terms().epsilon.to_f64()).collect();
    assert_eq!(epsilons, [0.5, 0.25, 0.25]);
    assert_eq!(policy.period_cost().epsilon(), 1.0);
}

#[test]
fn what_would_be_dropped_silently_is_refused() {
    let sampled = several(2, "domain = \"binary\"\ngoal = \"frequency\"\nshare = 0.5")
        .replace("epoch = \"day\"", "epoch = \"day\"\ncontribution = \"sample\"");
    assert_eq!(resolve(&sampled).unwrap_err().code(), "policy-conflict");
    let binary = "domain = \"binary\"\ngoal = \"frequency\"";
    for attribute in [
        "mechanism = \"rr\"\nbins = 4",
        "mechanism = \"rr\"\ndelta = 0.1",
        "epsilon_forever = 1\ndelta = 0.1",
    ] {
        let error = resolve(&several(1, &format!("{binary}\n{attribute}"))).unwrap_err();
        assert_eq!((error.code(), error.place.is_some()), ("parameter-incompatible", true), "{attribute}");
    }
}

/// Gaussian noise has a delta, which the budget must allow.
#[test]
fn deltas_are_counted_too() {
    let text =
        several(1, "domain = \"interval:0,1\"\ngoal = \"mean\"\nmechanism = \"gaussian\"\ndelta = 0.001");
    assert_eq!(resolve(&text).unwrap_err().code(), "policy-budget");
    let allowed = text.replace("epsilon = 1\n", "epsilon = 1\ndelta = 0.001\n");
    assert_eq!(resolve(&allowed).unwrap().period_cost().delta(), 0.001);
}

#[test]
fn an_epsilon_of_its_own_does_not_go_with_an_automatic_choice() {
    let text = several(2, "domain = \"binary\"\ngoal = \"frequency\"\nepsilon = 0.5");
    assert_eq!(resolve(&text).unwrap_err().code(), "policy-conflict");
    let written = text.replace("epoch = \"day\"", "epoch = \"day\"\ncontribution = \"split\"");
    assert_eq!(resolve(&written).unwrap().period_cost().epsilon(), 1.0);
}
