//! Vectors: Laplace, Gaussian, the PrivUnit family, Jacobian-guided reshaping.

mod error;
pub mod mechanism;
mod sampling;
mod special;

pub use error::VectorError;
