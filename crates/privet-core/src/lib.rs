//! The types that carry meaning, the trait families, and the exact samplers.
//!
//! A mechanism is a *channel*: for each possible input a probability distribution over reports. Here
//! are the words in which every other crate says so. Nothing in this crate does input or output, and
//! it builds for `wasm32-unknown-unknown`.
//!
//! All rows of a channel have integer weights with the same total (2^64, or a little less where words beyond
//! are drawn again), and every draw compares a 64-bit random integer with integer thresholds. So a statement about the weights is a statement about the program.

mod division;
pub mod domain;
mod error;
mod fingerprint;
mod fraction;
mod guarantee;
mod mechanism;
pub mod parallel;
mod parameter;
mod random;
mod report;
pub mod sampling;
mod summary;

pub use domain::{
    Categories, Circle, Dimension, Domain, DomainSpec, Interval, Rectangle, Values, Vectors, Words,
};
pub use error::{EstimateError, InputError, MergeError, ParameterError, ReportError};
pub use fingerprint::{Fingerprint, FingerprintBuilder};
pub use fraction::{ExpLowerBound, Fraction};
pub use guarantee::{Budget, ExposedEpsilon, Guarantee};
pub use mechanism::{Build, BuildOptions, Channel, Extent, Mechanism, MechanismInfo, Numerics, Piece};
pub use parameter::{Delta, Epsilon, Probability};
pub use random::Generator;
pub use report::{BitVector, Category, Envelope, ReportBuffer};
pub use summary::{Estimate, Estimator, Summary, Target};

/// The traits of random generators that the samplers accept.
pub use rand_core::{CryptoRng, Rng};
