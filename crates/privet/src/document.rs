//! Facts as JSON, with the keys that the command line and the Python package promise.

use crate::advisor::Candidate;
use crate::{Estimate, Guarantee, MechanismInfo};
use serde_json::{Value, json};

/// What a mechanism is.
pub fn mechanism(info: &MechanismInfo) -> Value {
    json!({
        "id": info.id,
        "title": info.title,
        "synonyms": info.synonyms,
        "domain": info.domain,
        "goal": info.goal,
        "guarantee": info.guarantee,
        "numerics": info.numerics.as_str(),
        "slack": info.slack,
        "reference": info.reference,
        "status": info.status,
    })
}

/// What a report promises.
pub fn guarantee(guarantee: &Guarantee) -> Value {
    json!({
        "kind": guarantee.kind(),
        "epsilon": guarantee.epsilon().get(),
        "delta": guarantee.delta(),
    })
}

/// What reports say.
pub fn estimate(estimate: &Estimate) -> Value {
    json!({
        "value": estimate.value,
        "standard_error": estimate.standard_error,
        "interval": estimate.interval,
        "n": estimate.n,
        "method": estimate.method,
    })
}

/// A mechanism that could be chosen.
pub fn candidate(candidate: &Candidate) -> Value {
    json!({
        "id": candidate.id,
        "epsilon": candidate.epsilon,
        "expected_error": candidate.expected_error,
        "report_bits": candidate.report_bits,
        "guarantee": guarantee(&candidate.guarantee),
    })
}
