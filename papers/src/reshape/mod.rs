//! Jacobian-guided reshaping: three studies.

pub mod cifar;
pub(crate) mod figures;
mod formulas;
pub mod household;
pub mod mnist;
mod own;
mod study;
mod table;

pub use study::{MECHANISMS, Recipe, Setting, StudyError, TestSet};
pub use table::{Row, write_csv};
