//! Reshaping with a part left out, to see what the parts do.

use super::rows::Rows;
use super::spectrum::Spectrum;
use super::{Reshape, ReshapeError};
use crate::registry::Row;
use nalgebra::{DMatrix, DVector};

/// What is left out. In place of a map stands the nearest rotation into the same directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ablation {
    /// The stretching: the directions are kept, before and after.
    NoReshaping,
    /// The map before the noise.
    NoPre,
    /// The map after the noise.
    NoPost,
    /// Everything but centring and clipping.
    ClipOnly,
}

impl Ablation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::NoReshaping, Self::NoPre, Self::NoPost, Self::ClipOnly];

    /// What it is called in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoReshaping => "no-reshaping",
            Self::NoPre => "no-pre",
            Self::NoPost => "no-post",
            Self::ClipOnly => "clip-only",
        }
    }
}

impl Reshape {
    /// The same with a part left out; `share` of the percentile radius in its own coordinates.
    ///
    /// # Errors
    /// When there is no clip set, or the share is not a finite number above zero.
    pub fn ablated(
        &self,
        ablation: Ablation,
        sample: &Rows,
        row: &Row,
        share: f64,
    ) -> Result<Self, ReshapeError> {
        if ablation == Ablation::ClipOnly {
            let clipped = Self::centred(sample, row)?.with_share(share)?;
            return Ok(Self { recipe: format!("{} {}", self.recipe, ablation.as_str()), ..clipped });
        }
        let rotation = nearest_rotation(&self.backward)?;
        let (forward, backward) = match ablation {
            Ablation::NoPre => (rotation.transpose(), self.backward.clone()),
            Ablation::NoPost => (self.forward.clone(), rotation),
            Ablation::NoReshaping | Ablation::ClipOnly => (rotation.transpose(), rotation),
        };
        let changed = Self {
            recipe: format!("{} {}", self.recipe, ablation.as_str()),
            forward,
            backward,
            ..self.clone()
        };
        changed.truncated(self.rank(), sample, row)?.with_share(share)
    }
}

/// The orthonormal columns nearest to those of a map of full rank.
fn nearest_rotation(map: &DMatrix<f64>) -> Result<DMatrix<f64>, ReshapeError> {
    let spectrum = Spectrum::of("the map", map.tr_mul(map))?;
    let inverse_roots = spectrum.values.iter().map(|square| 1.0 / square.sqrt());
    let diagonal = DMatrix::from_diagonal(&DVector::from_iterator(map.ncols(), inverse_roots));
    let rotation = map * &spectrum.vectors * diagonal * spectrum.vectors.transpose();
    ReshapeError::check_finite("the map", rotation.as_slice())?;
    Ok(rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rotation_undoes_the_stretching() {
        let (sine, cosine) = 0.3f64.sin_cos();
        let turn = DMatrix::from_row_slice(2, 2, &[cosine, -sine, sine, cosine]);
        let map = &turn * DMatrix::from_diagonal(&DVector::from_vec(vec![5.0, 0.2]));
        assert!((nearest_rotation(&map).unwrap() - turn).norm() < 1e-12);
    }
}
