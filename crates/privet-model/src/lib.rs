//! Models that are fed with reports: what they compute, their derivatives, their bounds on boxes.
//!
//! A [`Model`] is read from a file with [`Model::read`] or put together from parts: [`Linear`], [`Trees`] or
//! [`Network`]. [`Model::scores`] are computed in double precision; parameters in single precision are widened exactly.
//!
//! | question | answered by |
//! |---|---|
//! | which class is it? | [`Model::predict`], [`Model::label`] (ties within [`TIE`] go to the lowest class) |
//! | how do the scores move with the inputs? | [`Network::jacobian`], [`central_differences`] |
//! | what can a score be on a box? | [`Network::bounds`] (intervals, fast) |
//! | what can one score less another be on a box? | [`Network::difference_bounds`] (relaxation, tight) |
//! | is the network affine on a box, and which map is it? | [`Network::affine_on`] |
//! | several such questions about one box | [`Network::on_box`], which does the work once |
//!
//! Bounds are statements about the model in real arithmetic whose parameters are the stored numbers: all rounding is
//! covered (see `network/bounds.rs`).

pub mod array;
mod derivative;
mod error;
mod linear;
mod model;
pub mod network;
mod read;
pub mod train;
mod trees;

pub use derivative::central_differences;
pub use error::ModelError;
pub use linear::Linear;
pub use model::{Model, TIE};
pub use network::{Activation, Layer, Network};
pub use trees::{Combination, Node, Tree, Trees, threshold_in_single_precision};
