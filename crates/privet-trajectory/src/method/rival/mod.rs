//! What others have proposed, as chapter 6 of Y. Zheng's dissertation describes it. Each page says whether it is epsilon-LDP
//! over the whole space, and why not where it is not.

mod atp;
mod candidates;
mod grid;
mod l_srr;
mod n_gram;
mod planar_laplace;

pub use atp::Atp;
pub use candidates::Candidates;
pub use grid::{GridExponential2d, GridRandomizedResponse2d};
pub use l_srr::LSrr;
pub use n_gram::NGram;
pub use planar_laplace::PlanarLaplace;

use crate::TrajectoryError;
use privet_core::CryptoRng;
use privet_core::sampling::uniform_below;
use std::num::NonZeroU64;

/// An index with a probability in proportion to its weight.
fn draw_weighted(weights: &[u64], rng: &mut dyn CryptoRng) -> Result<usize, TrajectoryError> {
    let total: u64 = weights.iter().sum();
    let bound =
        NonZeroU64::new(total).ok_or_else(|| TrajectoryError::incompatible("no candidate has a weight"))?;
    let mut rest = uniform_below(bound, rng);
    for (index, weight) in weights.iter().enumerate() {
        if rest < *weight {
            return Ok(index);
        }
        rest -= weight;
    }
    Ok(weights.len().saturating_sub(1))
}

/// The probabilities that [`draw_weighted`] draws with.
fn shares(weights: &[u64]) -> Vec<f64> {
    let total = weights.iter().sum::<u64>() as f64;
    weights.iter().map(|weight| *weight as f64 / total).collect()
}

/// e^-exponent as an integer weight of at most 2^50, so that thousands of them still add up to 64 bits. Exponents are at most
/// 20, and the smallest weight still has 21 bits.
fn falling_weight(exponent: f64) -> u64 {
    ((-exponent).exp() * 2f64.powi(50)) as u64
}

/// What rounding of [`falling_weight`] may add to a log-ratio, as a factor on the rate that pays for it.
const ROUNDING: f64 = 1.0 - 1e-5;
