//! Locations and paths: each point is perturbed on its own under pure local differential privacy, for the whole continuous
//! space.
//!
//! ```
//! use privet_core::{Epsilon, Generator, Interval, Rectangle};
//! use privet_trajectory::method::{LocationMethod, Window2d};
//! use privet_trajectory::space::Space;
//!
//! let side = Interval::new(0.0, 1.0)?;
//! let space = Space::rectangle(Rectangle::new([side, side])?);
//! let method = Window2d::new(space, Epsilon::new(4.0)?)?;
//! let mut rng = Generator::from_insecure_seed(1);
//! let report = method.perturb(&[0.2, 0.7], &[0.5, 0.5], &mut rng)?;
//! assert!(method.space().contains(&report));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
pub mod estimate;
pub mod method;
pub mod metric;
mod path;
pub mod rounding;
pub mod space;

pub use error::TrajectoryError;
pub use path::{Path, Place};
