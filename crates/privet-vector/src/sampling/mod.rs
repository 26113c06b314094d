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

/// The number of 64-bit words below which a draw succeeds with the given probability; rounded down.
pub(crate) fn threshold_of(probability: f64) -> u64 {
    // The cast saturates, so that one is missed by 2^-64.
    (probability * 2f64.powi(64)) as u64
}
