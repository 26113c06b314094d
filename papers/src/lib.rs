//! The source papers side by side: what they claim, what Privet measures.
//!
//! A [`Paper`] has claims, in a table, and [`Figure`]s, each with a function that computes it. [`reproduce`] runs the figures and judges
//! the claims; [`report`] writes the rows, the charts and the pages.

mod channel;
mod claims;
mod classifier;
pub mod data;
mod error;
mod figure;
mod jrr;
mod ogpm;
mod paper;
mod queue;
pub mod report;
mod reproduce;
pub mod reshape;
mod timing;
mod tracs;

pub use claims::{Claim, Measured, Verdict};
pub use error::ReproduceError;
pub use figure::{
    Compute, Curve, Effort, Entry, Figure, Findings, Heat, LabelMap, Look, Panel, Place, Row, Setting,
    Spacing,
};
pub use paper::Paper;
pub use reproduce::{Basis, Outcome, Progress, Reproduced, Reproduction, Request, reproduce};
