//! The generalised piecewise mechanism against the papers' figures, against other mechanisms and against chance.

#![allow(clippy::unwrap_used)]

mod brute_force;
mod optima;
mod piece_number;

use privet_core::{Epsilon, Generator, Interval, Rng};
use privet_limit::generalised::Generalised;

fn interval(low: f64, high: f64) -> Interval {
    Interval::new(low, high).unwrap()
}

/// The problem with inputs and outputs in [0, 1].
fn on_unit(pieces: usize, power: f64, epsilon: f64) -> Generalised {
    let unit = interval(0.0, 1.0);
    Generalised::new(pieces, power, unit, unit, Epsilon::new(epsilon).unwrap()).unwrap()
}

/// A number between two others.
fn between(rng: &mut Generator, low: f64, high: f64) -> f64 {
    low + (high - low) * (rng.next_u64() >> 11) as f64 / 2f64.powi(53)
}
