//! Numbers and angles: distributions, means, quantiles and ranges from the reports of any lattice channel.

mod answer;
mod brackets;
mod cross;
mod direction;
mod distribution;
pub(crate) mod estimator;
pub(crate) mod groups;
mod least_squares;
mod likelihood;
mod measure;
pub mod metrics;
mod operator;
mod smoothing;
#[cfg(test)]
mod tests;
mod values;

pub use answer::{Angles, Method, Numbers, Quantile, RangeShare};
pub(crate) use cross::side_of_numbers;
pub use distribution::Distribution;
pub use estimator::NumberEstimator;
