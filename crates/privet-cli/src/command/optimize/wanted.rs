//! From flags to problems, and what problems are about: the one place that knows which domains have solvers.

use super::{Objective, Optimize};
use crate::arguments::parse_named;
use crate::command::prior;
use crate::failure::Failure;
use privet::analysis::{Loss, Prior, Space};
use privet::limit::circle::CircleProblem;
use privet::limit::line::{LineProblem, Unbiased};
use privet::limit::{Objective as Aim, Problem};
use privet::{DomainSpec, Epsilon};

/// In how many bins a column of public values is counted, unless somebody says so.
const DEFAULT_BINS: u32 = 32;

/// What is asked for, at whatever epsilon.
#[derive(Debug)]
pub(super) struct Wanted {
    domain: DomainSpec,
    loss: Loss,
    aim: Aim,
    unbiased: Option<Unbiased>,
    prior_name: Option<String>,
}

impl Wanted {
    pub(super) fn read(flags: &Optimize) -> Result<Self, Failure> {
        let domain: DomainSpec = flags.domain.as_deref().unwrap_or_default().parse()?;
        let loss = flags.loss.as_deref().unwrap_or_default().parse();
        let loss = loss.map_err(|message| Failure::Usage { message, hint: None })?;
        let range = flags.range.as_deref().map(parse_range).transpose()?;
        let unbiased = flags.unbiased.then_some(Unbiased { range });
        let mut wanted = Self { domain, loss, aim: Aim::Minimax, unbiased, prior_name: None };
        match (flags.objective, &flags.prior) {
            (Objective::Minimax, None) => {}
            (Objective::Minimax, Some(_)) => {
                return Err(usage("--prior is about the average", "add --objective average"));
            }
            (Objective::Average, None) => {
                wanted.aim = Aim::Average(Prior::uniform());
                wanted.prior_name = Some("uniform".to_owned());
            }
            (Objective::Average, Some(path)) => {
                let bins = flags.prior_bins.unwrap_or(DEFAULT_BINS);
                wanted.aim = Aim::Average(match &flags.prior_column {
                    Some(column) => prior::of_column(path, column, bins, &wanted.domain, wanted.line()?)?,
                    None => prior::of_weights(path)?,
                });
                wanted.prior_name = Some(path.display().to_string());
            }
        }
        Ok(wanted)
    }

    /// What the average is taken over, in words.
    pub(super) fn prior_name(&self) -> Option<String> {
        self.prior_name.clone()
    }

    pub(super) fn at(&self, epsilon: Epsilon) -> Result<Problem, Failure> {
        let loss = self.loss;
        match &self.domain {
            DomainSpec::Interval(domain) => {
                let (objective, unbiased) = (self.aim.clone(), self.unbiased);
                Ok(Problem::Line(LineProblem { domain: *domain, loss, objective, epsilon, unbiased }))
            }
            DomainSpec::Circle(domain) => {
                self.refuse_on_circles()?;
                Ok(Problem::Circle(CircleProblem { domain: *domain, loss, epsilon }))
            }
            other => Err(usage(
                &format!("there is no solver for {other}"),
                "use a domain of numbers or angles, such as interval:0,1 or circle:360",
            )),
        }
    }

    /// On a circle every value has the same error, and the average over all angles is the error at the worst one.
    fn refuse_on_circles(&self) -> Result<(), Failure> {
        let is_uniform = match &self.aim {
            Aim::Minimax => true,
            Aim::Average(prior) => *prior == Prior::uniform(),
        };
        match (self.unbiased, is_uniform) {
            (None, true) => Ok(()),
            (Some(_), _) => {
                Err(usage("--unbiased is about numbers, and angles have no mean", "leave it out"))
            }
            (None, false) => {
                Err(usage("--prior is about numbers: on a circle all angles are alike", "leave it out"))
            }
        }
    }

    /// Where numbers lie, for the bins of a prior.
    fn line(&self) -> Result<Space, Failure> {
        match &self.domain {
            DomainSpec::Interval(domain) => Ok(Space::Line { low: domain.low(), high: domain.high() }),
            other => Err(usage(&format!("--prior-column is about numbers: got {other}"), "leave it out")),
        }
    }
}

/// The prior that a problem averages over, if it does.
pub(super) fn prior_of(problem: &Problem) -> Option<&Prior> {
    match problem {
        Problem::Line(LineProblem { objective: Aim::Average(prior), .. }) => Some(prior),
        Problem::Line(_) | Problem::Circle(_) => None,
    }
}

pub(super) fn objective_of(problem: &Problem) -> Objective {
    if prior_of(problem).is_some() { Objective::Average } else { Objective::Minimax }
}

pub(super) fn is_unbiased(problem: &Problem) -> bool {
    matches!(problem, Problem::Line(LineProblem { unbiased: Some(_), .. }))
}

fn usage(message: &str, hint: &'static str) -> Failure {
    Failure::Usage { message: message.to_owned(), hint: Some(hint) }
}

fn parse_range(text: &str) -> Result<[f64; 2], Failure> {
    let wrong = || usage(&format!("cannot read the range {text:?}"), "a range is LOW,HIGH, such as -1,2");
    let (low, high) = text.split_once(',').ok_or_else(wrong)?;
    let range = [parse_named("an end of a range", low)?, parse_named("an end of a range", high)?];
    if range.iter().all(|end| end.is_finite()) && range[0] < range[1] { Ok(range) } else { Err(wrong()) }
}
