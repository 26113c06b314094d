//! Solved mechanisms travel inside of the policy.

use crate::{one_attribute, resolve};
use privet_core::{Epsilon, Interval};
use privet_limit::line::LineProblem;
use privet_limit::{Objective, Problem, Stop};
use privet_mechanisms::analysis::Loss;
use privet_policy::{Policy, PolicyError, ResolvedPolicy};
use std::sync::Arc;

fn file() -> String {
    let problem = Problem::Line(LineProblem {
        domain: Interval::new(0.0, 1.0).unwrap(),
        loss: Loss::Absolute,
        objective: Objective::Minimax,
        epsilon: Epsilon::new(1.0).unwrap(),
        unbiased: None,
    });
    problem.solve(&Stop::default(), &mut |_| {}).unwrap().to_json()
}

fn with_file(domain: &str, file: &str) -> Result<Arc<ResolvedPolicy>, PolicyError> {
    let attribute = format!("domain = \"{domain}\"\ngoal = \"point\"\nmechanism = \"file:best.json\"");
    let text = one_attribute("epoch = \"day\"", "epsilon = 1\nperiod = \"day\"", &attribute);
    Policy::from_toml(&text)?.resolve(&mut |path| {
        assert_eq!(path, "best.json");
        Ok(file.to_owned())
    })
}

#[test]
fn a_solved_mechanism_is_embedded_and_checked_when_it_is_read() {
    let file = file();
    let policy = with_file("interval:0,1", &file).unwrap();
    let attribute = &policy.terms().attributes[0];
    assert_eq!((attribute.mechanism.as_str(), attribute.epsilon.to_f64()), ("minimax-absolute", 1.0));
    let again = ResolvedPolicy::from_json(policy.to_json()).unwrap();
    assert_eq!(again.id(), policy.id());
    let changed = policy.to_json().replacen("achieved\\\":0.3", "achieved\\\":0.2", 1);
    assert_ne!(changed, policy.to_json());
    let error = ResolvedPolicy::from_json(&changed).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains("digest")), ("policy-mechanism-file", true));
    // For another domain, or with less than it needs.
    assert_eq!(with_file("interval:0,2", &file).unwrap_err().code(), "policy-mechanism-file");
    let less = policy.to_json().replacen("\"epsilon\":1.0,\"goal\"", "\"epsilon\":0.9,\"goal\"", 1);
    assert_eq!(ResolvedPolicy::from_json(&less).unwrap_err().code(), "policy-promise");
    assert_eq!(with_file("interval:0,1", "{}").unwrap_err().code(), "policy-mechanism-file");
}

#[test]
fn permanent_answers_need_a_mechanism_that_can_give_them() {
    for attribute in [
        "domain = \"interval:0,1\"\ngoal = \"mean\"\nepsilon_forever = 1",
        "domain = \"circle:24\"\ngoal = \"mean\"\nepsilon_forever = 1\nmechanism = \"optimal-piecewise-circle\"",
    ] {
        let error = resolve(&one_attribute("epoch = \"day\"", "epsilon = 1\nperiod = \"day\"", attribute))
            .unwrap_err();
        assert_eq!(error.code(), "policy-not-permanent", "{error}");
    }
}
