//! The source papers side by side: what they claim, what Privet measures.

pub mod data;
pub mod reshape;
