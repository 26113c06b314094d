//! A program that was built without some kinds of questions refuses policies that ask them.

use privet_policy::ResolvedPolicy;
use serde_json::{Value, json};

/// A resolved policy with one attribute.
fn with(attribute: Value) -> String {
    let mut policy: Value = serde_json::from_str(include_str!("../data/travel.resolved.json")).unwrap();
    policy["attributes"] = json!([attribute]);
    policy.to_string()
}

#[test]
fn unknown_kinds_are_refused_and_named() {
    let vector = json!({
        "name": "a", "question": "q", "domain": "vector:2", "goal": "mean", "mechanism": "privunit", "epsilon": 1.0,
        "radius": 1.0
    });
    let pair = json!({
        "name": "a", "question": "q", "domain": "binary", "goal": "frequency", "mechanism": "joint-response",
        "epsilon": 2.0, "pairs": {
            "users": 100, "colluders": 0, "epsilon": 1.0, "relay": "h.example:1", "truthful": 0.7, "correlation": -0.1
        }
    });
    for (attribute, what, is_understood) in
        [(vector, "vectors", cfg!(feature = "vectors")), (pair, "pairs", cfg!(feature = "pairs"))]
    {
        match ResolvedPolicy::from_json(&with(attribute)) {
            Ok(_) => assert!(is_understood),
            Err(error) => {
                assert_eq!(error.code(), "policy-not-understood", "{error}");
                assert!(!is_understood && error.to_string().contains(what), "{error}");
                assert!(error.hint().unwrap().contains(what));
            }
        }
    }
}
