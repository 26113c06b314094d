//! What the collector can still do. Everything here reads reports only: it is post-processing and costs no privacy.
//!
//! [`Evidence`] says how likely each report is from each cell of a grid. From everybody's evidence comes the population's
//! [`Density`], by expectation-maximisation; with it the best reading of each single report, the geometric median of its
//! posterior; and, where the order of a path means something, a reading that also looks at the reports before and after, by a
//! public model of [`Motion`].

mod density;
mod evidence;
mod intervals;
mod kernels;
mod median;
mod samples;
mod smoothing;

pub use density::Density;
pub use evidence::Evidence;
pub use intervals::ShareIntervals;
pub use median::geometric_median;
pub use privet_estimators::PathQuestion;
pub use smoothing::Motion;
