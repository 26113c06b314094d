//! Pre, clip, randomise, post.

use super::error::LARGEST;
use super::{Norm, Reshape, ReshapeError};
use crate::mechanism::{ClipSet, VectorMechanism};
use crate::registry::Row;
use privet_core::{BuildOptions, CryptoRng, Dimension, Epsilon, Guarantee, ParameterError, Vectors};

/// A mechanism without its clip set, which the reshaping brings.
#[derive(Debug, Clone, Copy)]
pub struct MechanismChoice {
    /// The mechanism's line in the registry.
    pub row: &'static Row,
    /// The budget of one report.
    pub epsilon: Epsilon,
    /// What only some mechanisms take.
    pub options: BuildOptions,
}

/// A mechanism with a reshaping around it.
#[derive(Debug)]
pub struct Reshaped {
    domain: Vectors,
    reshape: Reshape,
    mechanism: Box<dyn VectorMechanism>,
}

impl Reshaped {
    /// The mechanism on the reshaping's clip set, with the reshaping around it.
    ///
    /// # Errors
    /// When the mechanism clips to another kind of set, its parameters do not fit, or lengths are to be kept by a mechanism that
    /// does not randomise directions.
    pub fn new(reshape: Reshape, choice: &MechanismChoice) -> Result<Self, ReshapeError> {
        let clip = reshape.clip()?;
        if reshape.norm() == Norm::Kept && !matches!(clip, ClipSet::Sphere { .. }) {
            return Err(ReshapeError::Setting {
                what: "the treatment of lengths",
                allowed: "replaced, unless only directions are randomised",
            });
        }
        let mechanism = choice.row.build(&clip, choice.epsilon, &choice.options)?;
        let got = reshape.dimension() as u64;
        let dimension =
            u32::try_from(got).map_err(|_| ParameterError::Dimension { max: Dimension::MAX, got })?;
        Ok(Self { domain: Vectors::new(Dimension::new(dimension)?), reshape, mechanism })
    }

    /// What one report promises, between any two vectors: that of the mechanism.
    pub fn guarantee(&self) -> Guarantee {
        self.mechanism.guarantee()
    }

    /// The map.
    pub fn reshape(&self) -> &Reshape {
        &self.reshape
    }

    /// The mechanism inside.
    pub fn mechanism(&self) -> &dyn VectorMechanism {
        self.mechanism.as_ref()
    }

    /// How many numbers a report has.
    pub fn report_len(&self) -> usize {
        self.mechanism.dimension().get()
    }

    /// On the device: the report of a vector. Reports may be averaged before [`Reshaped::restore`].
    ///
    /// # Errors
    /// When the vector has another dimension or a coordinate that is not finite, or the room is not that of a report.
    pub fn randomize(
        &self,
        vector: &[f64],
        report: &mut [f64],
        rng: &mut dyn CryptoRng,
    ) -> Result<(), ReshapeError> {
        let coordinates = self.coordinates(vector)?;
        Ok(self.mechanism.randomize(&coordinates, report, rng)?)
    }

    /// On the device: what the mechanism is given for a vector. It is private.
    ///
    /// # Errors
    /// When the vector has another dimension or a coordinate that is not finite.
    pub fn coordinates(&self, vector: &[f64]) -> Result<Vec<f64>, ReshapeError> {
        self.domain.check(vector)?;
        let moderate: Vec<f64> = vector.iter().map(|value| value.clamp(-LARGEST, LARGEST)).collect();
        let mut coordinates = Vec::with_capacity(self.report_len());
        self.reshape.pre(&moderate, &mut coordinates);
        Ok(coordinates)
    }

    /// At the collector: the vector that a report, or a mean of reports, stands for.
    ///
    /// # Errors
    /// When the report or the room for the vector has the wrong length.
    pub fn restore(&self, report: &[f64], vector: &mut [f64]) -> Result<(), ReshapeError> {
        ReshapeError::check_count("numbers in a report", self.report_len(), report.len())?;
        ReshapeError::check_count("room for a vector", self.reshape.dimension(), vector.len())?;
        self.reshape.post(report, vector);
        Ok(())
    }
}
