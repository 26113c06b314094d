//! A rank without a model to try: by the first-order task error.

use super::rows::Rows;
use super::{Geometry, MechanismChoice, Norm, Reaction, Reshape, ReshapeError, Reshaped};

impl Geometry {
    /// What can be done with lengths. One coordinate has no direction but its sign, so its length is always kept.
    pub(super) fn norms(self, rank: usize) -> &'static [Norm] {
        match (self, rank) {
            (Self::Direction, 1) => &[Norm::Kept],
            (Self::Direction, _) => &[Norm::Replaced, Norm::Kept],
            _ => &[Norm::Replaced],
        }
    }
}

/// Fits balanced coordinates where only the reaction of a model is known, as Jacobians or weights, and not the model itself.
///
/// The rank is the one with the least predicted task error: the variance of each coordinate of a report times its weight, and
/// the variance times the weight of what is left out. The radius is that of the 90th percentile; what clipping costs, and what the model
/// makes of large noise, is not predicted. Where there is a model, [`super::fit`] tries it.
///
/// # Errors
/// When the sample has another dimension than the model or does not vary where it reacts, or there is no such mechanism.
pub fn fit_reaction(
    reaction: &Reaction,
    sample: &Rows,
    choice: &MechanismChoice,
) -> Result<Reshape, ReshapeError> {
    let full = Reshape::balanced(reaction, sample, choice.row)?;
    let geometry = Geometry::of(&full.clip()?);
    let mut best: Option<(f64, Reshape)> = None;
    for rank in 1..=full.rank() {
        let norm = geometry.norms(rank)[0];
        let reshape = full.truncated(rank, sample, choice.row)?.with_norm(norm);
        let reshaped = Reshaped::new(reshape.clone(), choice)?;
        let error = predicted_error(reaction, &full, &reshaped);
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, reshape));
        }
    }
    best.map(|(_, reshape)| reshape).ok_or(ReshapeError::NoVariation)
}

/// The first-order task error of one report.
fn predicted_error(reaction: &Reaction, full: &Reshape, reshaped: &Reshaped) -> f64 {
    let backward = &reshaped.reshape().backward;
    let weights = (reaction.task() * backward).component_mul(backward).row_sum();
    let variances = reshaped.mechanism().coordinate_variances();
    let noise: f64 = weights.iter().zip(variances).map(|(weight, variance)| weight * variance).sum();
    let left_out: f64 =
        full.strengths()[reshaped.reshape().rank()..].iter().map(|strength| strength * strength).sum();
    noise + left_out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::find;
    use crate::reshape::Reading;
    use nalgebra::DMatrix;
    use privet_core::{BuildOptions, Epsilon};

    #[test]
    fn a_larger_budget_pays_for_more_coordinates() {
        let values = (0..400 * 6).map(|place| ((place * place) as f64).sin()).collect();
        let sample = Rows::new(6, values).unwrap();
        let weights = DMatrix::from_diagonal(&nalgebra::dvector![5.0, 3.0, 1.0, 0.5, 0.1, 0.0]);
        let reaction = Reaction::of_weights(&weights, Reading::Values).unwrap();
        for name in ["privunit", "laplace-vector", "coordinate-laplace"] {
            let rank = |epsilon: f64| {
                let options = BuildOptions::default();
                let epsilon = Epsilon::new(epsilon).unwrap();
                let choice = MechanismChoice { row: find(name).unwrap(), epsilon, options };
                fit_reaction(&reaction, &sample, &choice).unwrap().rank()
            };
            let ranks = [0.5, 10.0, 400.0].map(rank);
            assert!(ranks.is_sorted() && ranks[0] == 1 && ranks[2] >= 4, "{name} {ranks:?}");
        }
    }
}
