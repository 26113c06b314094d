//! The contract between a collector and its people.

pub mod advisor;
pub mod registry;
