//! Convex programmes with cones, for the solver.

use anyhow::{Result, anyhow, bail};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// A constant plus a sum of variables with factors.
#[derive(Debug, Clone, Default)]
pub(super) struct Affine {
    pub(super) constant: f64,
    pub(super) terms: Vec<(usize, f64)>,
}

/// Minimise a sum of variables where some sums are at least zero, and some lists of sums lie in cones.
#[derive(Debug)]
pub(super) struct ConeProgramme {
    pub(super) costs: Vec<f64>,
    rows: Vec<Affine>,
    cones: Vec<SupportedConeT<f64>>,
}

/// The variables and the prices of all rows, in the order in which rows were added.
#[derive(Debug)]
pub(super) struct Optimum {
    pub(super) variables: Vec<f64>,
    pub(super) prices: Vec<f64>,
}

impl ConeProgramme {
    pub(super) fn new(costs: Vec<f64>) -> Self {
        Self { costs, rows: Vec::new(), cones: Vec::new() }
    }

    /// All of these are at least zero.
    pub(super) fn not_negative(&mut self, rows: Vec<Affine>) {
        self.cones.push(SupportedConeT::NonnegativeConeT(rows.len()));
        self.rows.extend(rows);
    }

    /// A variable is at least the length of these.
    pub(super) fn at_least_length(&mut self, variable: usize, rows: Vec<Affine>) {
        self.cones.push(SupportedConeT::SecondOrderConeT(rows.len() + 1));
        self.rows.push(Affine { constant: 0.0, terms: vec![(variable, 1.0)] });
        self.rows.extend(rows);
    }

    pub(super) fn solve(&self) -> Result<Optimum> {
        let variables = self.costs.len();
        let matrix = self.matrix();
        let right: Vec<f64> = self.rows.iter().map(|row| row.constant).collect();
        let settings = DefaultSettings { verbose: false, max_threads: 1, ..DefaultSettings::default() };
        let no_squares = CscMatrix::zeros((variables, variables));
        let mut solver = DefaultSolver::new(&no_squares, &self.costs, &matrix, &right, &self.cones, settings)
            .map_err(|error| anyhow!("{error}"))?;
        solver.solve();
        match solver.solution.status {
            SolverStatus::Solved | SolverStatus::AlmostSolved => {
                Ok(Optimum { variables: solver.solution.x.clone(), prices: solver.solution.z.clone() })
            }
            status => bail!("the solver stopped: {status:?}"),
        }
    }

    /// The negative factors, by columns: the solver wants `right - matrix * variables` in the cones.
    fn matrix(&self) -> CscMatrix<f64> {
        let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.costs.len()];
        for (index, row) in self.rows.iter().enumerate() {
            for (variable, factor) in row.terms.iter().filter(|(_, factor)| *factor != 0.0) {
                columns[*variable].push((index, -factor));
            }
        }
        let mut starts = vec![0];
        starts.extend(columns.iter().scan(0, |sum, column| {
            *sum += column.len();
            Some(*sum)
        }));
        let (places, factors) = columns.into_iter().flatten().unzip();
        CscMatrix::new(self.rows.len(), self.costs.len(), starts, places, factors)
    }
}
