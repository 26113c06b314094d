//! A private direction and the random directions at a right angle to it.

use super::clip::l2_norm;
use super::sums::{dot, sum};
use crate::sampling::fill_normals;
use privet_core::CryptoRng;

/// Independent normal numbers, seen from the axis along a vector.
pub(crate) struct Axis {
    pub(crate) normals: Vec<f64>,
    /// One over the vector's length, or `None` for a zero vector.
    pub(crate) per_length: Option<f64>,
    /// The normals' coordinate along the axis.
    pub(crate) along: f64,
    /// The length of what is left of them at a right angle to the axis; for a zero vector, of all of them.
    pub(crate) across: f64,
}

impl Axis {
    /// Draws normal numbers around the axis of a finite vector.
    #[inline]
    pub(crate) fn draw(vector: &[f64], rng: &mut dyn CryptoRng) -> Self {
        let length = l2_norm(vector);
        let mut normals = vec![0.0; vector.len()];
        loop {
            fill_normals(&mut normals, rng);
            let axis = Self::of(vector, length, normals);
            // Without a direction at a right angle there is nothing to place the report by.
            if axis.across > 0.0 {
                return axis;
            }
            normals = axis.normals;
        }
    }

    fn of(vector: &[f64], length: f64, normals: Vec<f64>) -> Self {
        if length == 0.0 {
            let across = dot(&normals, &normals).sqrt();
            return Self { normals, per_length: None, along: 0.0, across };
        }
        let per_length = 1.0 / length;
        let along = dot(&normals, vector) * per_length;
        let share = along * per_length;
        let rest = sum(&normals, vector, |normal, coordinate| (normal - share * coordinate).powi(2));
        Self { normals, per_length: Some(per_length), along, across: rest.sqrt() }
    }
}
