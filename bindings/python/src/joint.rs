//! Correlated perturbation for pairs of people.

use crate::json::Document;
use crate::problem::Problem;
use crate::work::interruptible;
use privet::joint::known_others::KnownOthers;
use privet::joint::{Crowd, JointError, Relay, Request, Statement};
use privet::{Epsilon, ExposedEpsilon};
use pyo3::prelude::*;
use serde_json::{Value, json};

impl From<JointError> for Problem {
    fn from(error: JointError) -> Self {
        Self::parameter(error.to_string())
    }
}

/// The best plan, with the keys of `privet joint plan --json`.
#[pyfunction]
#[pyo3(signature = (users, colluders, epsilon, ones=None, cap=None, known_others=false))]
pub(crate) fn joint_plan(
    py: Python<'_>,
    users: u64,
    colluders: u64,
    epsilon: f64,
    ones: Option<u64>,
    cap: Option<f64>,
    known_others: bool,
) -> PyResult<Document> {
    let document = interruptible(py, move || {
        let crowd = Crowd::new(users, colluders)?;
        let cap = cap.map(Epsilon::new).transpose()?;
        let plan = Request { crowd, epsilon: Epsilon::new(epsilon)?, ones, cap }.plan()?;
        let limit = plan.guarantee.epsilon().get();
        let known = known_others.then(|| KnownOthers::new(&plan.table, users, limit)).transpose()?;
        let statement = Statement::of(&plan, Relay::Helper, known.as_ref());
        let exposed = match plan.table.exposed_epsilon() {
            ExposedEpsilon::Bounded(epsilon) => json!(epsilon.get()),
            ExposedEpsilon::Unbounded => json!("infinite"),
        };
        Ok(json!({
            "users": users,
            "colluders": colluders,
            "epsilon": epsilon,
            "ones": ones,
            "p": plan.p,
            "rho": plan.rho,
            "average_epsilon": plan.guarantee.epsilon().get(),
            "exposed_epsilon": exposed,
            "probability_of_exposure": crowd.exposure(),
            "probability_of_any_exposure": crowd.any_exposure(),
            "variance": plan.variance,
            "variance_independent": plan.variance_independent,
            "ratio": plan.ratio(),
            "guarantee": plan.guarantee.kind(),
            "reason": plan.choice.reason(),
            "alone": crowd.pairs().alone(),
            "worst_loss_if_others_known": known.as_ref().map(|known| finite(known.worst_loss())),
            "promised": statement.promised,
            "not_promised": statement.not_promised,
        }))
    })?;
    Ok(Document(document))
}

/// A number, or the word for what JSON has no number for.
fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("infinite") }
}
