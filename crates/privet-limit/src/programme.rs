//! Linear programmes, and the one place that knows who solves them.
//!
//! Nothing that Privet says rests on the solver's tolerances: channels are rounded to integers and looked at again, and
//! lower bounds are computed from the dual numbers by [`crate::certificate`].

use crate::LimitError;
#[cfg(feature = "solver")]
use clarabel::algebra::CscMatrix;
#[cfg(feature = "solver")]
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to finish early with what there is. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One coefficient: a variable and its factor.
pub(crate) type Term = (usize, f64);

/// Minimise a linear function under linear constraints.
#[derive(Debug, Clone)]
pub(crate) struct Programme {
    costs: Vec<f64>,
    equalities: Vec<Constraint>,
    inequalities: Vec<Constraint>,
}

#[derive(Debug, Clone)]
struct Constraint {
    terms: Vec<Term>,
    #[cfg_attr(not(feature = "solver"), expect(dead_code, reason = "only the solver reads it"))]
    right: f64,
}

/// What the solver found.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// The variables.
    pub values: Vec<f64>,
    /// The price of each equality.
    pub equality_prices: Vec<f64>,
    /// The price of each inequality, not negative.
    pub inequality_prices: Vec<f64>,
}

/// How closely the solver looks. It takes a few more rounds than its own choice, and small losses need it.
#[cfg(feature = "solver")]
const TOLERANCE: f64 = 1e-11;

impl Programme {
    pub(crate) fn new(variables: usize) -> Self {
        Self { costs: vec![0.0; variables], equalities: Vec::new(), inequalities: Vec::new() }
    }

    /// Sets the cost of a variable.
    pub(crate) fn cost(&mut self, variable: usize, cost: f64) {
        self.costs[variable] = cost;
    }

    /// The terms add up to `right`.
    pub(crate) fn equal(&mut self, terms: impl IntoIterator<Item = Term>, right: f64) {
        self.equalities.push(Constraint { terms: terms.into_iter().collect(), right });
    }

    /// The terms add up to at most `right`.
    pub(crate) fn at_most(&mut self, terms: impl IntoIterator<Item = Term>, right: f64) {
        self.inequalities.push(Constraint { terms: terms.into_iter().collect(), right });
    }

    /// How many numbers the constraint matrix holds.
    pub(crate) fn size(&self) -> usize {
        self.equalities.iter().chain(&self.inequalities).map(|constraint| constraint.terms.len()).sum()
    }

    /// Without a solver nothing is found.
    #[cfg(not(feature = "solver"))]
    pub(crate) fn solve(&self, _stop: &Stop) -> Result<Solution, LimitError> {
        let (variables, size) = (self.costs.len(), self.size());
        let reason = format!("this build has none ({variables} variables, {size} coefficients)");
        Err(LimitError::Solver { reason })
    }

    /// The best values, or near ones if the solver stopped early.
    ///
    /// # Errors
    /// When no values satisfy the constraints, the cost has no lower limit, or the solver found nothing to go by.
    #[cfg(feature = "solver")]
    pub(crate) fn solve(&self, stop: &Stop) -> Result<Solution, LimitError> {
        let variables = self.costs.len();
        let rows = || self.equalities.iter().chain(&self.inequalities);
        let matrix = columns_of(rows(), variables, self.size());
        let right: Vec<f64> = rows().map(|constraint| constraint.right).collect();
        let cones = [
            SupportedConeT::ZeroConeT(self.equalities.len()),
            SupportedConeT::NonnegativeConeT(self.inequalities.len()),
        ];
        let no_squares = CscMatrix::zeros((variables, variables));
        let settings = DefaultSettings {
            verbose: false,
            tol_gap_abs: TOLERANCE,
            tol_gap_rel: TOLERANCE,
            tol_feas: TOLERANCE,
            ..DefaultSettings::default()
        };
        let mut solver = DefaultSolver::new(&no_squares, &self.costs, &matrix, &right, &cones, settings)
            .map_err(|error| LimitError::Solver { reason: error.to_string() })?;
        let asked = stop.clone();
        solver.set_termination_callback(move |_: &_| asked.is_requested());
        solver.solve();
        let found = solver.solution;
        match found.status {
            SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
                return Err(LimitError::Infeasible);
            }
            SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
                return Err(LimitError::Unbounded);
            }
            _ => {}
        }
        if found.x.iter().chain(&found.z).any(|number| !number.is_finite()) {
            return Err(LimitError::Solver { reason: format!("it stopped with {:?}", found.status) });
        }
        let (equality_prices, inequality_prices) = found.z.split_at(self.equalities.len());
        Ok(Solution {
            values: found.x,
            equality_prices: equality_prices.to_vec(),
            inequality_prices: inequality_prices.to_vec(),
        })
    }
}

/// The constraints as compressed columns.
#[cfg(feature = "solver")]
fn columns_of<'a>(
    rows: impl Iterator<Item = &'a Constraint> + Clone,
    variables: usize,
    size: usize,
) -> CscMatrix<f64> {
    let mut starts = vec![0; variables + 1];
    for (variable, _) in rows.clone().flat_map(|row| &row.terms) {
        starts[variable + 1] += 1;
    }
    for variable in 0..variables {
        starts[variable + 1] += starts[variable];
    }
    let mut next = starts.clone();
    let (mut places, mut factors) = (vec![0; size], vec![0.0; size]);
    let mut count = 0;
    for (index, row) in rows.enumerate() {
        for (variable, factor) in &row.terms {
            places[next[*variable]] = index;
            factors[next[*variable]] = *factor;
            next[*variable] += 1;
        }
        count = index + 1;
    }
    CscMatrix::new(count, variables, starts, places, factors)
}

#[cfg(all(test, feature = "solver"))]
mod tests {
    use super::*;

    #[test]
    fn a_small_programme_has_its_known_solution() {
        // Minimise -x - 2y with x + y <= 4, y <= 3, x, y >= 0: the best is (1, 3).
        let mut programme = Programme::new(2);
        programme.cost(0, -1.0);
        programme.cost(1, -2.0);
        programme.at_most([(0, 1.0), (1, 1.0)], 4.0);
        programme.at_most([(1, 1.0)], 3.0);
        programme.at_most([(0, -1.0)], 0.0);
        programme.at_most([(1, -1.0)], 0.0);
        let solution = programme.solve(&Stop::default()).unwrap();
        assert!((solution.values[0] - 1.0).abs() < 1e-6 && (solution.values[1] - 3.0).abs() < 1e-6);
        assert!((solution.inequality_prices[0] - 1.0).abs() < 1e-6);
        assert!((solution.inequality_prices[1] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn impossible_and_endless_programmes_are_named() {
        let mut impossible = Programme::new(1);
        impossible.at_most([(0, 1.0)], 0.0);
        impossible.at_most([(0, -1.0)], -1.0);
        assert!(matches!(impossible.solve(&Stop::default()), Err(LimitError::Infeasible)));
        let mut endless = Programme::new(1);
        endless.cost(0, 1.0);
        endless.at_most([(0, 1.0)], 0.0);
        assert!(matches!(endless.solve(&Stop::default()), Err(LimitError::Unbounded)));
    }
}
