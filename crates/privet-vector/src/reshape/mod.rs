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
//! Where a person can run the model, they should: its answer through randomised response ([`answer_then_respond`]) was better
//! than every randomised vector in our studies. Reshaping is for models that cannot be on the device, for several tasks that share
//! one vector, and for averages over people.
//!
//! # Which coordinates
//!
//! [`scales`] derives them: [`Reshape::balanced`] for a mechanism's geometry, and [`Reshape::printed`] as in the paper. [`fit`]
//! chooses the rank and the clip radius on public vectors and says beforehand what is gained, with a standard error. Where only
//! Jacobians or weights are known, [`fit_reaction`] chooses the rank by prediction.
//!
//! # Safe
//!
//! Jacobians at public points do not show what a model does elsewhere. A hidden unit that no public vector wakes seems not to be
//! there, and the printed recipe fills its directions with noise, which wakes it. Balanced coordinates add no noise outside the
//! coordinates that are sent, and the reaction is also taken at randomised points. Where the printed recipe is wanted,
//! [`TaskSpace::Anywhere`] takes all directions to which the model can react for its task space.
//!
//! # Reference
//!
//! "Jacobian-guided anisotropic noise reshaping for enhancing representation utility under local differential privacy". Deviations:
//! always centred, balanced coordinates beside the printed ones, no noise in the null space, rank and radius by trial, lengths
//! that can be kept.
//!
//! # Example
//!
//! ```
//! use privet_core::{BuildOptions, Epsilon, Generator};
//! use privet_model::{Linear, Model};
//! use privet_vector::registry::find;
//! use privet_vector::reshape::{MechanismChoice, Reading, Reshaped, Rows, fit};
//!
//! // A public model that looks at the difference of two of three coordinates, and public vectors.
//! let weights = nalgebra::DMatrix::from_row_slice(1, 3, &[1.0, -1.0, 0.0]);
//! let model = Model::Linear(Linear::new(weights, nalgebra::DVector::zeros(1))?);
//! let public = Rows::new(3, (0..9000).map(|place| f64::from(place * place % 101)).collect())?;
//!
//! let row = find("privunit")?;
//! let choice = MechanismChoice { row, epsilon: Epsilon::new(2.0)?, options: BuildOptions::default() };
//! let mut rng = Generator::from_insecure_seed(1);
//! let fitted = fit(&model, Reading::Values, &public, 1, &choice, &mut rng)?;
//! assert!(fitted.gain.gain > 3.0 * fitted.gain.standard_error);
//!
//! let reshaped = Reshaped::new(fitted.reshape, &choice)?;
//! let (mut report, mut restored) = (vec![0.0; reshaped.report_len()], [0.0; 3]);
//! reshaped.randomize(&[40.0, 60.0, 1.0], &mut report, &mut rng)?;
//! reshaped.restore(&report, &mut restored)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ablation;
mod apply;
mod error;
mod evaluate;
mod file;
mod fit;
mod predict;
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
pub use predict::fit_reaction;
pub use reaction::{Reaction, Reading};
pub use rows::Rows;
pub use scales::Geometry;
pub use transform::{NULL_FACTOR, Norm, PERCENTILE, Reshape, TaskSpace};
