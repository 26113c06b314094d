//! How bounds are found.

use crate::arguments::parse_named;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use privet::Delta;
use privet::classifier::paper::Search;
use privet::classifier::{Approach, ClassifierError, Effort, Method, Options};

/// Which way to a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Way {
    /// A proof where the model and the number of sensitive features allow one, otherwise drawn reports
    Auto,
    /// Exact, from linear models and tree ensembles
    Exact,
    /// By cutting the reports into boxes, for networks and tree ensembles
    BranchAndBound,
    /// From reports drawn at each epsilon, with intervals that hold together
    Statistical,
    /// From one batch of drawn reports that is weighed for each epsilon
    ReWeighted,
    /// As auto, with the papers' value beside it, which is not always a bound
    Paper,
}

impl Way {
    /// What the library is asked for.
    pub(super) fn approach(self) -> Approach {
        match self {
            Self::Auto | Self::Paper => Approach::Automatic,
            Self::Exact | Self::BranchAndBound => Approach::Proof,
            Self::Statistical | Self::ReWeighted => Approach::Samples,
        }
    }

    /// Whether a bound was found in this way.
    pub(super) fn accepts(self, method: Method) -> bool {
        match self {
            Self::Exact => matches!(method, Method::Linear | Method::Trees),
            Self::BranchAndBound => method == Method::Partition,
            _ => true,
        }
    }

    /// Why there is no bound of this kind.
    pub(super) fn refuse(self) -> Failure {
        let (method, needs) = match self {
            Self::BranchAndBound => (
                "branch-and-bound",
                "a network, or trees with three sensitive features; others have exact bounds",
            ),
            _ => ("exact", "a linear model, or trees with at most two sensitive features"),
        };
        ClassifierError::Method { method, needs }.into()
    }
}

/// A share of records.
pub(super) fn share_of(text: &str) -> Result<f64, Failure> {
    let share = parse_named("share", text)?;
    if share > 0.0 && share <= 1.0 {
        return Ok(share);
    }
    let message = format!("share must be above 0 and at most 1: got {share}");
    Err(Failure::Usage { message, hint: Some("write 0.95 for 95 %") })
}

/// How sure bounds are and how much they may cost.
#[derive(Debug, Args)]
pub(super) struct BoundArguments {
    /// The probability that all statements from drawn reports hold together
    #[arg(long, value_name = "NUMBER", default_value = "0.999", allow_hyphen_values = true)]
    confidence: String,
    /// How often the classifier may be asked about each record, for all rows together; 0 asks for proofs only
    /// [default: 20000 times a row without a proof; beside a row with one 2000 reports, and at most 100000 beside all]
    #[arg(long, value_name = "COUNT")]
    pub(super) queries: Option<u64>,
    /// How far apart the two sides of a proof may be; networks that need too many boxes keep wider ones
    #[arg(long, value_name = "NUMBER", default_value = "0.00001", allow_hyphen_values = true)]
    tolerance: String,
}

/// The most reports that are drawn beside proofs unless somebody says otherwise.
const MOST_BESIDE: usize = 100_000;
/// What a row needs beside its reports: the record's own label, and 64 rows asked about twice.
const BESIDE_REPORTS: u64 = 129;

impl BoundArguments {
    /// Options for this many rows about each of some records.
    pub(super) fn options(
        &self,
        approach: Approach,
        [rows, records]: [usize; 2],
        indicator: Option<Delta>,
    ) -> Result<Options, Failure> {
        let tolerance = parse_named("tolerance", &self.tolerance)?;
        let mut options = Options {
            approach,
            effort: Effort { tolerance, ..Effort::default() },
            confidence: parse_named("confidence", &self.confidence)?,
            indicator,
            ..Options::default()
        };
        match self.queries {
            None => options.beside = options.beside.min(MOST_BESIDE / rows.max(1)),
            Some(0) if approach == Approach::Samples => {
                return Err(Failure::Usage { message: "drawn reports need --queries".into(), hint: None });
            }
            Some(0) => (options.approach, options.beside) = (Approach::Proof, 0),
            Some(queries) => {
                options.samples = each(queries, rows)?;
                options.beside = options.samples.saturating_mul(records);
            }
        }
        Ok(options)
    }
}

/// How many reports each row gets.
fn each(queries: u64, rows: usize) -> Result<usize, Failure> {
    let share = (queries / rows.max(1) as u64).checked_sub(BESIDE_REPORTS).filter(|share| *share > 0);
    share.map(|share| usize::try_from(share).unwrap_or(usize::MAX)).ok_or_else(|| Failure::Usage {
        message: format!(
            "{queries} queries are too few: each of {rows} rows needs more than {BESIDE_REPORTS}"
        ),
        hint: None,
    })
}

/// The parameters of the papers' method.
#[derive(Debug, Args)]
pub(super) struct PaperArguments {
    /// The papers' tau: the share of other labels that their box may hold
    #[arg(long, value_name = "NUMBER", default_value = "0.01", allow_hyphen_values = true)]
    tau: String,
    /// The papers' omega: the error rate of one of their tests
    #[arg(long, value_name = "NUMBER", default_value = "0.05", allow_hyphen_values = true)]
    omega: String,
}

impl PaperArguments {
    pub(super) fn search(&self) -> Result<Search, Failure> {
        let tolerance = above("tau", &self.tau, LEAST_TAU)?;
        Ok(Search { tolerance, error: above("omega", &self.omega, LEAST_OMEGA)?, ..Search::default() })
    }
}

/// With less, a single test of the papers draws more points than anybody waits for.
const LEAST_TAU: f64 = 1e-3;
const LEAST_OMEGA: f64 = 1e-12;

/// A number from a smallest one to below one.
fn above(name: &str, text: &str, least: f64) -> Result<f64, Failure> {
    let number = parse_named(name, text)?;
    if number >= least && number < 1.0 {
        return Ok(number);
    }
    let message = format!("{name} must be at least {least} and below 1: got {number}");
    Err(Failure::Usage { message, hint: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_shared_by_all_rows() {
        assert_eq!(each(200_000, 10).unwrap(), 19_871);
        assert_eq!(each(130, 1).unwrap(), 1);
        assert!(each(129, 1).is_err() && each(1_000, 10).is_err() && each(5, 0).is_err());
    }
}
