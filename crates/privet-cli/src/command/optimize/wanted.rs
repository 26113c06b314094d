//! From flags to problems, and what problems are about: the one place that knows which domains have solvers.

use super::{Objective, Optimize};
use crate::arguments::parse_named;
use crate::command::prior;
use crate::failure::Failure;
use privet::analysis::{Loss, Prior, Space};
use privet::limit::circle::CircleProblem;
use privet::limit::finite::{FiniteProblem, LossMatrix};
use privet::limit::line::{LineProblem, Unbiased};
use privet::limit::plane::{PlaneObjective, PlaneProblem};
use privet::limit::{Objective as Aim, Problem};
use privet::plane::PlanePrior;
use privet::{Categories, DomainSpec, Epsilon};
use std::path::{Path, PathBuf};

/// In how many bins a column of public values is counted, unless somebody says so.
const DEFAULT_BINS: u32 = 32;

/// Before the name of a file with a loss for each category and output.
const MATRIX: &str = "matrix:";

/// What is asked for, at whatever epsilon.
#[derive(Debug)]
pub(super) struct Wanted {
    domain: DomainSpec,
    loss: WantedLoss,
    objective: Objective,
    unbiased: Option<Unbiased>,
    prior: Option<PriorFile>,
}

#[derive(Debug)]
enum WantedLoss {
    Distance(Loss),
    Matrix(LossMatrix),
}

/// Where a prior comes from.
#[derive(Debug)]
struct PriorFile {
    path: PathBuf,
    column: Option<String>,
    bins: u32,
}

impl Wanted {
    pub(super) fn read(flags: &Optimize) -> Result<Self, Failure> {
        let range = flags.range.as_deref().map(parse_range).transpose()?;
        if flags.objective == Objective::Minimax && flags.prior.is_some() {
            return Err(usage("--prior is about the average", "add --objective average"));
        }
        let prior = flags.prior.as_ref().map(|path| PriorFile {
            path: path.clone(),
            column: flags.prior_column.clone(),
            bins: flags.prior_bins.unwrap_or(DEFAULT_BINS),
        });
        let wanted = Self {
            domain: flags.domain.as_deref().unwrap_or_default().parse()?,
            loss: WantedLoss::read(flags.loss.as_deref().unwrap_or_default())?,
            objective: flags.objective,
            unbiased: flags.unbiased.then_some(Unbiased { range }),
            prior,
        };
        if flags.plot.is_some() && !matches!(wanted.domain, DomainSpec::Interval(_) | DomainSpec::Circle(_)) {
            let message = format!("errors are drawn over numbers and angles: got {}", wanted.domain);
            return Err(usage(&message, "leave --plot out"));
        }
        Ok(wanted)
    }

    /// What the average is taken over, in words.
    pub(super) fn prior_name(&self) -> Option<String> {
        let name = self.prior.as_ref().map_or("uniform".to_owned(), |file| file.path.display().to_string());
        (self.objective == Objective::Average).then_some(name)
    }

    pub(super) fn at(&self, epsilon: Epsilon) -> Result<Problem, Failure> {
        if self.unbiased.is_some() && !matches!(self.domain, DomainSpec::Interval(_)) {
            return Err(usage(&format!("--unbiased is about numbers: got {}", self.domain), "leave it out"));
        }
        match &self.domain {
            DomainSpec::Interval(domain) => Ok(Problem::Line(LineProblem {
                domain: *domain,
                loss: self.distance()?,
                objective: self.aim(|file| {
                    file.of_numbers(&self.domain, Space::Line { low: domain.low(), high: domain.high() })
                })?,
                epsilon,
                unbiased: self.unbiased,
            })),
            DomainSpec::Circle(domain) => {
                // Every angle has the same error there, so that the average over all is that of the worst one.
                self.aim(|_| Err(usage("on a circle all angles are alike", "leave --prior out")))?;
                Ok(Problem::Circle(CircleProblem { domain: *domain, loss: self.distance()?, epsilon }))
            }
            DomainSpec::Categories(categories) => Ok(Problem::Finite(FiniteProblem {
                categories: categories.clone(),
                losses: self.matrix(categories)?,
                objective: self.aim_on(categories)?,
                epsilon,
            })),
            DomainSpec::Rectangle(rectangle) => {
                if self.distance()? != Loss::Absolute {
                    return Err(usage("losses of places are distances", "use --loss absolute"));
                }
                let objective = self.plane_objective()?;
                Ok(Problem::Plane(PlaneProblem { rectangle: *rectangle, epsilon, objective }))
            }
            other => Err(usage(
                &format!("there is no solver for {other}"),
                "use interval:0,1, circle:360, categories:16 or rectangle:0,1,0,1",
            )),
        }
    }

    fn aim(&self, read: impl FnOnce(&PriorFile) -> Result<Prior, Failure>) -> Result<Aim, Failure> {
        match (self.objective, &self.prior) {
            (Objective::Minimax, _) => Ok(Aim::Minimax),
            (Objective::Average, None) => Ok(Aim::Average(Prior::uniform())),
            (Objective::Average, Some(file)) => Ok(Aim::Average(read(file)?)),
        }
    }

    /// Priors on categories have a weight for each.
    fn aim_on(&self, categories: &Categories) -> Result<Aim, Failure> {
        if self.objective == Objective::Average && self.prior.is_none() {
            return Ok(Aim::Average(Prior::new(&vec![1.0; categories.count() as usize])?));
        }
        self.aim(|file| prior::of_weights(file.without_column()?))
    }

    fn plane_objective(&self) -> Result<PlaneObjective, Failure> {
        match (self.objective, &self.prior) {
            (Objective::Minimax, _) => Ok(PlaneObjective::Minimax),
            (Objective::Average, None) => Ok(PlaneObjective::Average(PlanePrior::uniform())),
            (Objective::Average, Some(file)) => {
                Ok(PlaneObjective::Average(prior::of_grid(file.without_column()?)?))
            }
        }
    }

    fn distance(&self) -> Result<Loss, Failure> {
        match &self.loss {
            WantedLoss::Distance(loss) => Ok(*loss),
            WantedLoss::Matrix(_) => {
                let message = format!("--loss {MATRIX}FILE is about categories: got {}", self.domain);
                Err(usage(&message, "use --loss absolute or --loss squared"))
            }
        }
    }

    fn matrix(&self, categories: &Categories) -> Result<LossMatrix, Failure> {
        match &self.loss {
            WantedLoss::Distance(loss) => Ok(LossMatrix::ordered(*loss, categories)?),
            WantedLoss::Matrix(matrix) => Ok(matrix.clone()),
        }
    }
}

impl WantedLoss {
    fn read(text: &str) -> Result<Self, Failure> {
        let Some(path) = text.strip_prefix(MATRIX) else {
            let loss = text.parse().map_err(|message| Failure::Usage { message, hint: Some(LOSSES) })?;
            return Ok(Self::Distance(loss));
        };
        let path = PathBuf::from(path);
        let content = match std::fs::read_to_string(&path) {
            Ok(content) => content,
            Err(source) => return Err(Failure::File { action: "cannot read", path, source }),
        };
        let matrix = LossMatrix::parse(&content).map_err(|error| Failure::Data {
            message: format!("{}: {error}", path.display()),
            hint: Some(
                "a loss matrix has a line for each category, with the losses of all outputs between commas",
            ),
        })?;
        Ok(Self::Matrix(matrix))
    }
}

const LOSSES: &str = "for categories also matrix:FILE, with a line for each category";

impl PriorFile {
    fn of_numbers(&self, domain: &DomainSpec, space: Space) -> Result<Prior, Failure> {
        match &self.column {
            Some(column) => prior::of_column(&self.path, column, self.bins, domain, space),
            None => prior::of_weights(&self.path),
        }
    }

    /// Columns are counted in bins, which only numbers have.
    fn without_column(&self) -> Result<&Path, Failure> {
        match &self.column {
            None => Ok(&self.path),
            Some(_) => Err(usage("--prior-column is about numbers", "write the weights into a file instead")),
        }
    }
}

/// The prior on numbers that a problem averages over, if it does.
pub(super) fn prior_of(problem: &Problem) -> Option<&Prior> {
    match problem {
        Problem::Line(LineProblem { objective: Aim::Average(prior), .. }) => Some(prior),
        _ => None,
    }
}

pub(super) fn objective_of(problem: &Problem) -> Objective {
    let is_minimax = match problem {
        Problem::Line(line) => line.objective == Aim::Minimax,
        Problem::Finite(finite) => finite.objective == Aim::Minimax,
        Problem::Plane(plane) => plane.objective == PlaneObjective::Minimax,
        Problem::Circle(_) => true,
    };
    if is_minimax { Objective::Minimax } else { Objective::Average }
}

/// How errors are counted, in a word.
pub(super) fn loss_name(problem: &Problem) -> &'static str {
    problem.loss().map_or("matrix", Loss::as_str)
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
