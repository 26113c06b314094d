//! The best channels there can be, and advice about known ones.

use crate::domain::Domain;
use crate::json::Document;
use crate::problem::Problem;
use crate::work::{Interrupt, interruptible, interruptible_with};
use privet::advisor::{self, Candidate, Choice, Goal, LeftOut, Question, Wish};
use privet::analysis::{Loss, Prior};
use privet::document;
use privet::limit::circle::CircleProblem;
use privet::limit::finite::{FiniteProblem, LossMatrix};
use privet::limit::line::{LineProblem, Unbiased};
use privet::limit::plane::{PlaneObjective, PlaneProblem};
use privet::limit::{Cache, LimitError, Objective, Problem as Wanted, Solution, Stop};
use privet::plane::PlanePrior;
use privet::registry;
use privet::{BuildOptions, Categories, Delta, DomainSpec, Epsilon};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// What counts as the loss of a report.
#[derive(Debug, FromPyObject)]
pub(crate) enum Losses {
    Named(String),
    Table(Vec<Vec<f64>>),
}

impl Losses {
    fn distance(&self) -> Result<Loss, Problem> {
        match self {
            Self::Named(name) => name.parse().map_err(Problem::parameter),
            Self::Table(_) => Err(Problem::parameter("tables of losses are for categories")),
        }
    }

    fn matrix(&self, categories: &Categories) -> Result<LossMatrix, Problem> {
        match self {
            Self::Named(_) => Ok(LossMatrix::ordered(self.distance()?, categories)?),
            Self::Table(rows) => Ok(LossMatrix::new(rows)?),
        }
    }
}

impl From<LimitError> for Problem {
    fn from(error: LimitError) -> Self {
        match error {
            LimitError::Parameter(error) => error.into(),
            other => Self::parameter(other.to_string()),
        }
    }
}

/// What is asked, from what Python passes.
struct Asked {
    losses: Losses,
    is_average: bool,
    prior: Option<Vec<f64>>,
    unbiased: Option<Unbiased>,
}

impl Asked {
    fn objective(&self, uniform: usize) -> Result<Objective, Problem> {
        match (self.is_average, &self.prior) {
            (false, None) => Ok(Objective::Minimax),
            (false, Some(_)) => Err(Problem::parameter("a prior is about the average")),
            (true, None) => Ok(Objective::Average(Prior::new(&vec![1.0; uniform])?)),
            (true, Some(weights)) => Ok(Objective::Average(Prior::new(weights)?)),
        }
    }

    fn problem(&self, domain: &DomainSpec, epsilon: Epsilon) -> Result<Wanted, Problem> {
        if self.unbiased.is_some() && !matches!(domain, DomainSpec::Interval(_)) {
            return Err(Problem::parameter(format!("unbiased is about numbers: got {domain}")));
        }
        match domain {
            DomainSpec::Interval(domain) => Ok(Wanted::Line(LineProblem {
                domain: *domain,
                loss: self.losses.distance()?,
                objective: self.objective(1)?,
                epsilon,
                unbiased: self.unbiased,
            })),
            DomainSpec::Circle(domain) if self.prior.is_none() => {
                Ok(Wanted::Circle(CircleProblem { domain: *domain, loss: self.losses.distance()?, epsilon }))
            }
            DomainSpec::Circle(_) => Err(Problem::parameter("on a circle all angles are alike: no prior")),
            DomainSpec::Categories(categories) => Ok(Wanted::Finite(FiniteProblem {
                categories: categories.clone(),
                losses: self.losses.matrix(categories)?,
                objective: self.objective(categories.count() as usize)?,
                epsilon,
            })),
            DomainSpec::Rectangle(rectangle) => {
                if self.losses.distance()? != Loss::Absolute || self.prior.is_some() {
                    return Err(Problem::parameter("losses of places are distances, without a prior"));
                }
                let uniform = || PlaneObjective::Average(PlanePrior::uniform());
                let objective = if self.is_average { uniform() } else { PlaneObjective::Minimax };
                Ok(Wanted::Plane(PlaneProblem { rectangle: *rectangle, epsilon, objective }))
            }
            other => Err(Problem::parameter(format!("there is no solver for {other}"))),
        }
    }
}

/// The best channel, its proof and its loss. Ctrl-C stops the solver.
#[pyfunction]
#[pyo3(signature = (domain, epsilon, losses, average, prior=None, unbiased=false, range=None))]
#[expect(clippy::too_many_arguments, reason = "one for each keyword of `privet.optimize`")]
pub(crate) fn optimize(
    py: Python<'_>,
    domain: &Domain,
    epsilon: f64,
    losses: Losses,
    average: bool,
    prior: Option<Vec<f64>>,
    unbiased: bool,
    range: Option<[f64; 2]>,
) -> PyResult<Document> {
    let asked =
        Asked { losses, is_average: average, prior, unbiased: unbiased.then_some(Unbiased { range }) };
    let problem = asked.problem(&domain.spec, Epsilon::new(epsilon).map_err(Problem::from)?)?;
    let stop = Stop::default();
    let solver = stop.clone();
    let solution = interruptible_with(py, Interrupt::new(move || stop.request()), move || {
        Ok(Cache::of_environment().solve(&problem, &solver, &mut |_| {})?)
    })?;
    Ok(Document(solution_json(&solution)))
}

fn solution_json(solution: &Solution) -> Value {
    json!({
        "achieved": solution.achieved,
        "lower_bound": solution.lower_bound,
        "gap": solution.gap(),
        "mechanism": solution.to_json(),
    })
}

/// Checks every claim of a mechanism file from its integers alone.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, text: String) -> PyResult<Document> {
    let document = interruptible(py, move || {
        let solution = Solution::from_json(&text)?;
        solution.verify()?;
        Ok(solution_json(&solution))
    })?;
    Ok(Document(document))
}

/// Which mechanism at which epsilon.
#[pyfunction]
#[pyo3(signature = (domain, goal, users, epsilon=None, target_error=None, loss=None, bins=None, delta=None, further=vec![]))]
#[expect(clippy::too_many_arguments, reason = "one for each keyword of `privet.advise`")]
pub(crate) fn advise(
    py: Python<'_>,
    domain: &Domain,
    goal: &str,
    users: u64,
    epsilon: Option<f64>,
    target_error: Option<f64>,
    loss: Option<&str>,
    bins: Option<usize>,
    delta: Option<f64>,
    further: Vec<String>,
) -> PyResult<Document> {
    let goals = [Goal::Mean, Goal::Distribution, Goal::Frequency, Goal::Point];
    let wrong_goal = || Problem::parameter("a goal is mean, distribution, frequency or point");
    let goal = goals.into_iter().find(|one| one.as_str() == goal).ok_or_else(wrong_goal)?;
    let domain = domain.spec.clone();
    let question = Question::about(&domain, goal, users).map_err(Problem::from)?;
    let loss = loss.map_or(Ok(question.loss), str::parse).map_err(Problem::parameter)?;
    let question = Question { loss, bins: bins.unwrap_or(question.bins), ..question };
    let wish = match (epsilon, target_error) {
        (Some(epsilon), None) => Wish::Epsilon(Epsilon::new(epsilon).map_err(Problem::from)?),
        (None, Some(target)) if target.is_finite() && target > 0.0 => Wish::Error(target),
        (None, Some(_)) => {
            return Err(Problem::parameter("the target error must be finite and above 0").into());
        }
        _ => return Err(Problem::parameter("either epsilon or target_error is needed").into()),
    };
    let delta = delta.map(Delta::new).transpose().map_err(Problem::from)?;
    let options = BuildOptions { delta, bins: None };
    let document = interruptible(py, move || {
        let further: Vec<Choice<'_>> = further
            .iter()
            .map(|name| Ok(Choice::Row(registry::find_mechanism(name)?)))
            .collect::<Result<_, Problem>>()?;
        let advice = advisor::advise(&domain, &question, wish, &options, &further, &mut |_| {})?;
        let alternative = |(candidate, why): &(Candidate, String)| {
            let mut row = document::candidate(candidate);
            row["why_not"] = json!(why);
            row
        };
        let left_out = |one: &LeftOut| json!({ "id": one.id, "why": one.why });
        Ok(json!({
            "domain": domain.to_string(),
            "goal": question.goal.as_str(),
            "users": users,
            "criterion": question.criterion(&domain),
            "target_error": wish.target(),
            "recommended": document::candidate(&advice.recommended),
            "alternatives": advice.alternatives.iter().map(alternative).collect::<Vec<Value>>(),
            "left_out": advice.left_out.iter().map(left_out).collect::<Vec<Value>>(),
        }))
    })?;
    Ok(Document(document))
}
