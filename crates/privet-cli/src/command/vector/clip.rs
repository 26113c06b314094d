//! The set into which vectors are moved.

use crate::failure::Failure;
use crate::table::read_vectors;
use crate::vectors::Row;
use clap::Args;
use privet::vector::PublicSample;
use privet::vector::mechanism::ClipSet;
use privet::{Dimension, Probability};
use std::path::PathBuf;

/// The share of public vectors that a fitted clip set holds, unless somebody says so.
const PERCENTILE: f64 = 0.9;

/// Where the clip set comes from.
#[derive(Debug, Args)]
pub(super) struct ClipArguments {
    /// The radius of the mechanism's clip set: longer vectors are shortened [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, conflicts_with = "public")]
    radius: Option<f64>,
    /// Public vectors to which the clip set is fitted instead. Never private ones: radii and centres are known to everybody
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// The column of the public vectors, or one for each coordinate
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', requires = "public")]
    public_column: Vec<String>,
    /// The share of the public vectors that the fitted set holds [default: 0.9]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, requires = "public")]
    percentile: Option<f64>,
}

/// The same, read.
pub(super) enum Clip {
    Radius(f64),
    Fitted { sample: PublicSample, share: Probability },
}

impl ClipArguments {
    pub(super) fn read(&self, dimension: Dimension) -> Result<Clip, Failure> {
        let Some(path) = &self.public else { return Ok(Clip::Radius(self.radius.unwrap_or(1.0))) };
        let rows = read_vectors(path, &self.public_column)?;
        if rows.dimension() != dimension.get() {
            let message = format!(
                "{} has vectors of {} coordinates, but the others have {dimension}",
                path.display(),
                rows.dimension()
            );
            return Err(Failure::Data { message, hint: None });
        }
        let coordinates: Vec<f64> = rows.iter().flatten().copied().collect();
        let sample = PublicSample::new(dimension.get() as u32, &coordinates)?;
        Ok(Clip::Fitted { sample, share: Probability::new(self.percentile.unwrap_or(PERCENTILE))? })
    }
}

impl Clip {
    /// The set for a mechanism.
    pub(super) fn of(&self, row: &Row, dimension: Dimension) -> Result<ClipSet, Failure> {
        Ok(match self {
            Self::Radius(radius) => row.with_radius(dimension, *radius)?,
            Self::Fitted { sample, share } => row.fit(sample, *share)?,
        })
    }
}
