//! Vectors: Laplace, Gaussian, the PrivUnit family, Jacobian-guided reshaping.

mod error;
pub mod mechanism;
pub mod reshape;

pub use error::VectorError;
