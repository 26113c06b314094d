//! Vectors: Laplace, Gaussian, the PrivUnit family, Jacobian-guided reshaping.

mod error;
pub mod mechanism;
pub mod reshape;
mod sampling;
mod special;

pub use error::VectorError;
