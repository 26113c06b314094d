//! Vectors: Laplace, Gaussian, the PrivUnit family, Jacobian-guided reshaping.

mod error;
mod estimator;
pub mod mechanism;
mod on_vectors;
pub mod registry;
pub mod reshape;
mod sample;
mod sampling;
mod special;

pub use error::VectorError;
pub use estimator::{MeanVectorEstimator, report_batch};
pub use on_vectors::OnVectors;
pub use sample::PublicSample;
