//! Models that are fed with reports: what they compute, their derivatives, their bounds on boxes.
//!
//! A [`Model`] is read from a file with [`Model::read`] or put together from parts. What is computed is the model in
//! double precision; parameters in single precision are widened exactly.

mod derivative;
mod error;
mod linear;
mod model;
pub mod network;
mod read;
mod trees;

pub use derivative::central_differences;
pub use error::ModelError;
pub use linear::Linear;
pub use model::{Model, TIE};
pub use network::{Activation, Layer, Network};
pub use trees::{Combination, Node, Tree, Trees};
