//! Every mechanism of Privet, one file each, and the registry that lists them.
//!
//! ```
//! use privet_core::{Categories, Epsilon, Generator, Mechanism};
//! use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
//!
//! let colours = Categories::with_labels(["red", "green", "blue"])?;
//! let mechanism = GeneralizedRandomizedResponse::new(colours, Epsilon::new(1.0)?)?;
//! // A program takes 32 bytes from the operating system; a fixed seed protects nobody.
//! let mut rng = Generator::from_insecure_seed(1);
//! let report = mechanism.randomize(&2, &mut rng)?;
//! assert!(report.0 < 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod categorical;
pub mod circle;
pub mod interval;
pub mod lattice;
pub mod plane;
pub mod polar;
pub mod registry;
pub mod wrapper;
