//! Samplers of laws on the real numbers. How many random words they take depends on the words and on public parameters only.

mod height;
mod normal;

pub(crate) use height::HeightSampler;
pub(crate) use normal::{fill_normals, normal_beyond, normal_within};

use privet_core::CryptoRng;

/// A uniform number strictly between 0 and 1, one of 2^53 equally spaced ones.
#[inline]
pub(crate) fn uniform(rng: &mut dyn CryptoRng) -> f64 {
    open_unit(rng.next_u64())
}

#[inline]
fn open_unit(word: u64) -> f64 {
    ((word >> 11) as f64 + 0.5) * 2f64.powi(-53)
}
