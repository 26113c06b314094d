//! The coverage laboratory: do "95 %" intervals hold the truth in 95 of 100 repetitions, for every population?
//!
//! A *cell* is one estimator of one mechanism at one epsilon, for one number of people of one kind. It is repeated a thousand
//! times from seeds that are fixed beforehand. Cells whose coverage looks too low are repeated again, twenty times as often and
//! from other seeds; only that second run is a verdict.

pub mod cells;
pub mod draw;
pub mod family;
pub mod page;
pub mod population;
pub mod rows;
pub mod run;
pub mod verdict;
pub mod width;
