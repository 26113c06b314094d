//! The best channel there can be, and the proof.
//!
//! For a domain, a loss and an epsilon, a [`Problem`] has a [`Solution`]: an integer-exact mechanism, its exact loss, and a
//! lower bound for the loss of *every* mechanism that keeps epsilon. The bound comes with a [`Certificate`] from which it
//! follows without the solver. [`generalised`] solves the restricted problem of the papers.
//!
//! ```
//! use privet_core::{Epsilon, Interval};
//! use privet_limit::{Objective, Problem, Stop, line::LineProblem};
//! use privet_mechanisms::analysis::Loss;
//!
//! let problem = Problem::Line(LineProblem {
//!     domain: Interval::new(0.0, 1.0)?,
//!     loss: Loss::Squared,
//!     objective: Objective::Minimax,
//!     epsilon: Epsilon::new(1.0)?,
//!     unbiased: None,
//! });
//! let solution = problem.solve(&Stop::default(), &mut |_| {})?;
//! assert!((solution.achieved - 0.197).abs() < 1e-3);
//! assert!(solution.gap() < 0.01);
//! // Anybody can check the claim, from the file alone.
//! let file = solution.to_json();
//! privet_limit::Solution::from_json(&file)?.verify()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
pub mod certificate;
mod channel;
mod channels;
pub mod circle;
mod error;
mod file;
pub mod finite;
pub mod generalised;
pub mod line;
pub mod plane;
mod problem;
mod programme;
pub mod registry;

use error::TooLarge;

pub use cache::Cache;
pub use certificate::Certificate;
pub use channel::{Purpose, SolvedChannel};
pub use error::LimitError;
pub use line::Objective;
pub use problem::{Problem, Progress, Solution};
pub use programme::Stop;
