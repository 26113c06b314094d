//! Noise where the model does not look.
//!
//! # What it is for
//!
//! People send a vector (features of an image, a week of readings) to a public model that they cannot run themselves. A mechanism
//! for vectors adds noise in all directions alike, although the model looks at a few of them. Reshaping maps the vector into
//! coordinates that are made for the model, randomises these, and maps back:
//!
//! ```text
//! vector -> pre (centre, map) -> clip -> randomise -> (aggregate) -> post (map back, centre) -> model
//! ```
//!
//! The maps are public and made from public data: the model, its Jacobians and a public sample. They never see private data, and
//! what comes after randomising is post-processing. The guarantee is that of the mechanism, unchanged.
//!
//! # When it is the right tool
//!
//! Where a person can run the model, they should: its answer through randomised response ([`answer_then_respond`]) is better than
//! any randomised vector. Reshaping is for models that cannot be on the device, for several tasks that share one vector, and for
//! averages over people.
//!
//! # Which coordinates
//!
//! [`scales`] derives them: [`Reshape::balanced`] for a mechanism's geometry, and [`Reshape::printed`] as in the paper. [`fit`]
//! chooses the rank and the clip radius on public vectors and says beforehand what is gained, with a standard error.
//!
//! # Safe
//!
//! Jacobians at public points do not show what a model does elsewhere. A hidden unit that no public vector wakes seems not to be
//! there, and the printed recipe fills its directions with noise, which wakes it. Balanced coordinates add no noise outside the
//! coordinates that are sent, and the reaction is also taken at randomised points. Where the printed recipe is wanted,
//! [`TaskSpace::Anywhere`] takes all directions to which the model can react for its task space.
//!
//! Reference: Jacobian-guided anisotropic noise reshaping. Deviations are named where they are.

mod ablation;
mod apply;
mod error;
mod evaluate;
mod file;
mod fit;
mod reaction;
mod rows;
pub mod scales;
mod spectrum;
mod transform;

pub use ablation::Ablation;
pub use apply::{MechanismChoice, Reshaped};
pub use error::ReshapeError;
pub use evaluate::{Evaluation, Measured, Metric, Targets, answer_then_respond, evaluate};
pub use fit::{Fit, Gain, fit};
pub use reaction::{Reaction, Reading};
pub use rows::Rows;
pub use scales::Geometry;
pub use transform::{NULL_FACTOR, Norm, PERCENTILE, Reshape, TaskSpace};
