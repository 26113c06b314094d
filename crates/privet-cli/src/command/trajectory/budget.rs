//! What one location or one path may lose, and what a path shows besides its reports.

use super::method::{MethodArguments, find};
use super::refused;
use super::time::Clock;
use crate::arguments::parse_epsilon;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use privet::trajectory::method::{Disclosure, LocationMethod, PathBudget, Release};
use privet::trajectory::space::Space;
use std::sync::Arc;

/// What an epsilon is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Budget {
    /// Each location; a path of n locations loses n times as much
    PerLocation,
    /// All locations of a path together; their number is fixed by --count or --weights
    PerPath,
}

/// How an epsilon is spent.
#[derive(Debug, Args)]
pub(super) struct BudgetArguments {
    /// What --epsilon is for
    #[arg(long, value_enum, default_value = "per-location")]
    budget: Budget,
    /// Public weights, from the first location to the last: how the epsilon of a path is divided [default: evenly]
    #[arg(long, value_name = "NUMBER,..", value_delimiter = ',')]
    weights: Vec<f64>,
    /// Hide how many locations a path has: every path has this many reports. Of more locations some are chosen at random; of
    /// fewer the last one is reported again
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=i64::from(Disclosure::MAX_PLACES)))]
    pub(super) count: Option<u32>,
}

/// The methods of a path.
#[derive(Debug)]
pub(super) enum Methods {
    Same(Box<dyn LocationMethod>),
    Each(Vec<Arc<dyn LocationMethod>>),
}

impl Methods {
    pub(super) fn release(&self) -> Result<Release<'_>, Failure> {
        match self {
            Self::Same(method) => Ok(Release::new(&**method)),
            Self::Each(methods) => Release::with_methods(methods).map_err(refused),
        }
    }

    /// The method of the first location.
    pub(super) fn first(&self) -> Result<&dyn LocationMethod, Failure> {
        match self {
            Self::Same(method) => Ok(&**method),
            Self::Each(methods) => methods.first().map(AsRef::as_ref).ok_or_else(no_count),
        }
    }

    /// The method of all locations; none where weights make them different.
    pub(super) fn only(&self) -> Option<&dyn LocationMethod> {
        match self {
            Self::Same(method) => Some(&**method),
            Self::Each(methods) => {
                let first = methods.first()?;
                methods.iter().all(|method| Arc::ptr_eq(method, first)).then_some(&**first)
            }
        }
    }
}

fn no_count() -> Failure {
    Failure::Usage {
        message: "an epsilon for a whole path is divided over a fixed number of locations".into(),
        hint: Some("fix it with --count, or with one of --weights for each"),
    }
}

impl BudgetArguments {
    /// How many reports every path has, where that is fixed.
    pub(super) fn places(&self) -> Result<Option<u32>, Failure> {
        let weights = u32::try_from(self.weights.len()).unwrap_or(u32::MAX);
        match (self.budget, self.count, weights) {
            (Budget::PerLocation, count, 0) => Ok(count),
            (Budget::PerLocation, ..) => Err(Failure::Usage {
                message: "weights divide the epsilon of a path".into(),
                hint: Some("say that --epsilon is for a path with --budget per-path"),
            }),
            (Budget::PerPath, Some(count), 0) => Ok(Some(count)),
            (Budget::PerPath, None, 0) => Err(no_count()),
            (Budget::PerPath, Some(count), weights) if count != weights => Err(Failure::Usage {
                message: format!("there must be a weight for each location: got {weights} for {count}"),
                hint: None,
            }),
            (Budget::PerPath, _, weights) => Ok(Some(weights)),
        }
    }

    /// The methods of a path in this space.
    pub(super) fn methods(&self, method: &MethodArguments, space: &Space) -> Result<Methods, Failure> {
        let (build, epsilon) = (find(&method.method)?, parse_epsilon(&method.epsilon)?);
        let make = |epsilon| build(space.clone(), epsilon, method.cells.cells);
        let budget = match (self.budget, self.places()?) {
            (Budget::PerLocation, _) => return Ok(Methods::Same(make(epsilon).map_err(refused)?)),
            (Budget::PerPath, Some(places)) if self.weights.is_empty() => {
                PathBudget::PerPath { epsilon, places }
            }
            (Budget::PerPath, _) => PathBudget::Weighted { epsilon, weights: self.weights.clone() },
        };
        Ok(Methods::Each(budget.methods(make).map_err(refused)?))
    }
}

/// What is shown of times.
#[derive(Debug, Args)]
pub(super) struct TimeArguments {
    /// The column of times, numbers or dates such as 2012-04-08 00:03:35: paths are published in the order of time
    #[arg(long, value_name = "NAME", requires = "time_grid")]
    pub(super) time: Option<String>,
    /// Publish times rounded down to multiples of this step (seconds for dates). With --count, --time-start and a fixed number
    /// of steps: each path has a report for each of these times, that of the last location until then
    #[arg(long, value_name = "STEP", requires = "time")]
    time_grid: Option<f64>,
    /// The first time of a grid with --count
    #[arg(long, value_name = "TIME", requires = "time_grid", requires = "count", allow_hyphen_values = true)]
    time_start: Option<String>,
}

impl TimeArguments {
    /// What a path shows, where every path has `places` reports.
    pub(super) fn disclosure(&self, places: Option<u32>) -> Result<Disclosure, Failure> {
        match (places, self.time_grid) {
            (None, None) => Ok(Disclosure::Everything),
            (None, Some(step)) => Ok(Disclosure::Steps { step }),
            (Some(places), None) => Ok(Disclosure::Count { places }),
            (Some(places), Some(step)) => {
                let text = self.time_start.as_deref().ok_or_else(|| Failure::Usage {
                    message: "a fixed number of times needs a first one".into(),
                    hint: Some("say it with --time-start"),
                })?;
                let start = Clock::of(text).and_then(|clock| clock.read(text));
                let start = start.ok_or_else(|| Failure::Usage {
                    message: format!("cannot read the time {text:?}"),
                    hint: Some("write a number, or a date such as 2012-04-08T00:03:35Z"),
                })?;
                Ok(Disclosure::Slots { start, step, places })
            }
        }
    }
}
