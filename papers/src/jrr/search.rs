//! What a search for (p, rho) on a grid loses against the closed form.

use super::{People, average_epsilon, plan, table, truth, variance};
use crate::channel::{curve, grid};
use crate::figure::Spacing;
use crate::{Panel, ReproduceError};

const PEOPLE: u64 = 10_000;
const ONES: f64 = 1000.0;

/// The variance of the best point on a grid of p and rho that keeps epsilon on average without colluders, as a multiple of that of
/// the closed form; infinite where the grid has no such point.
fn grid_loss(epsilon: f64, step: f64) -> Result<f64, ReproduceError> {
    let mut best = f64::INFINITY;
    for p in (1..).map(|count| 0.5 + f64::from(count) * step).take_while(|p| *p < truth(epsilon)) {
        // With few ones the variance falls with rho: the smallest that a table has is the best of its row.
        let rho = -((1.0 / p - 1.0) / step).floor() * step;
        let table = table(p, rho)?;
        if average_epsilon(&table, PEOPLE, 0)? <= epsilon {
            best = best.min(variance(&table, PEOPLE, ONES));
        }
    }
    let people = People { count: PEOPLE, colluders: 0, ones: ONES as u64 };
    Ok(best / plan(people, epsilon, None)?.variance)
}

/// The mean of that loss over the epsilons at which the grid has one p above one half.
pub(super) fn mean_loss(step: f64) -> Result<f64, ReproduceError> {
    const PARTS: u32 = 20;
    let epsilon_of = |p: f64| (p / (1.0 - p)).ln();
    let (low, high) = (epsilon_of(0.5 + step), epsilon_of(0.5 + 2.0 * step));
    let epsilon = |part: u32| low + (high - low) * (f64::from(part) + 0.5) / f64::from(PARTS);
    let losses = (0..PARTS).map(|part| grid_loss(epsilon(part), step));
    Ok(losses.sum::<Result<f64, ReproduceError>>()? / f64::from(PARTS))
}

/// What grids lose by epsilon.
pub(super) fn panel() -> Result<Panel, ReproduceError> {
    let epsilons: Vec<f64> = grid(0.005f64.ln(), 0.0, 60).into_iter().map(f64::exp).collect();
    let mut curves = Vec::new();
    for step in [0.01, 0.001] {
        let mut losses =
            curve(&format!("grid with steps of {step}"), &epsilons, |epsilon| grid_loss(epsilon, step))?;
        losses.points.retain(|[_, loss]| loss.is_finite());
        curves.push(losses);
    }
    Ok(Panel {
        name: "a grid instead of the closed form".to_owned(),
        x_name: "epsilon",
        x_spacing: Spacing::Logarithmic,
        y_name: "variance / variance of the closed form",
        curves,
        ..Panel::default()
    })
}
