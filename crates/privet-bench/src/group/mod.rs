//! One file for each group of tasks.

pub(crate) mod classifier;
pub(crate) mod collector;
pub(crate) mod estimation;
pub(crate) mod generator;
pub(crate) mod limit;
pub(crate) mod mechanisms;
pub(crate) mod trajectory;
pub(crate) mod vectors;
