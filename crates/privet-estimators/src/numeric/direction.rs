//! The mean direction of angles, and how much they agree.

use super::brackets::Question;
use super::measure::Measure;
use crate::bounds::{Bracketed, Tail};
use crate::statistics::normal_upper_tail;
use privet_core::Estimate;
use std::f64::consts::{PI, TAU};

/// The mean of unit vectors, seen from many directions.
///
/// The mean vector has a component along every direction: the mean over people of the cosine of the difference, which is a linear
/// quantity with a bracket of its own. These components decide everything:
///
/// - **No direction can be told** unless some direction has a component that is surely below zero, with one probability of being
///   wrong for all directions together. For two normal coordinates that takes `sqrt(-2 ln 0.05)` deviations, the quantile of a
///   chi-square with two degrees of freedom.
/// - **A direction** can be the mean one if the component across it can be zero and the one along it can be above zero.
/// - **The length** is the largest component of all directions. One of those that are looked at is at most half a step beside that
///   direction, so its component is shorter by the cosine of half a step at most. From below: the length of a noisy
///   vector is above that of its mean; its law (Rice) is inverted.
pub(super) struct Directions<'a> {
    measure: &'a Measure<'a>,
    /// Components along directions that are spread evenly over one turn.
    along: Vec<Bracketed>,
}

/// How many directions are looked at in any case; a multiple of four.
const COUNT: usize = 72;
/// And how many of [`Question::ANGLES`] lie between two of them.
const STEP: usize = Question::ANGLES / COUNT;

/// The part of the error probability that goes to the sign of the component along a direction.
const SIGN: f64 = 0.02;

const METHOD: &str = "bracketing weights of cosine and sine";

/// What is learned about the mean of unit vectors.
pub(super) struct MeanVector {
    pub(super) direction: Estimate,
    pub(super) is_told: bool,
    pub(super) length: Estimate,
}

impl<'a> Directions<'a> {
    pub(super) fn new(measure: &'a Measure<'a>) -> Self {
        let questions = || (0..COUNT).map(|index| Question::Along(index * STEP));
        measure.brackets.prepare(questions());
        Self { measure, along: questions().map(|question| measure.bracketed(question)).collect() }
    }

    pub(super) fn mean_vector(&self) -> MeanVector {
        let centre = |index: usize| {
            let [low, high] = self.along[index].range();
            f64::midpoint(low, high)
        };
        let (cosine, sine) = (centre(0), centre(COUNT / 4));
        let length = self.length(cosine.hypot(sine));
        let angle = sine.atan2(cosine);
        // Whoever says that there is a direction cannot add that the length may be zero, or that it may be any.
        let reaches =
            if self.may_be_nothing() || length.interval[0] <= 0.0 { [PI; 2] } else { self.reaches(angle) };
        MeanVector {
            direction: self.direction(angle, reaches),
            is_told: reaches[0] + reaches[1] < TAU,
            length,
        }
    }

    /// Whether the mean vector may be zero: no component is surely below zero.
    fn may_be_nothing(&self) -> bool {
        let deviations = (-2.0 * (2.0 * Tail::ONE.get()).ln()).sqrt();
        let tail = Tail::beyond(deviations);
        self.along.iter().all(|component| component.ends(tail)[1] >= 0.0)
    }

    /// How far the mean direction may be on both sides of an angle.
    fn reaches(&self, angle: f64) -> [f64; 2] {
        [-1, 1].map(|side| self.reach(nearest(angle), side))
    }

    fn direction(&self, angle: f64, reaches: [f64; 2]) -> Estimate {
        let turn = self.measure.space.width() / TAU;
        let nearest = nearest(angle);
        let value = angle.rem_euclid(TAU) * turn;
        let across = self.component(nearest + Question::ANGLES as i64 / 4);
        let [low, high] = self.component(nearest).range();
        let length = f64::midpoint(low, high).max(f64::MIN_POSITIVE);
        let [left, right] = across.range();
        let of_length = |number: f64| (number / length).clamp(0.0, PI) * turn;
        Estimate {
            value,
            standard_error: of_length(across.standard_error()),
            bias_bound: of_length((right - left) / 2.0),
            interval: [value - reaches[0] * turn, value + reaches[1] * turn],
            n: self.measure.n,
            method: METHOD,
            target: self.measure.target,
        }
    }

    /// How far the mean direction may be on one side of the estimate: directions are looked at in steps up to half a turn, and
    /// between the last one that passes and the next one more closely.
    fn reach(&self, nearest: i64, side: i64) -> f64 {
        let is_possible = |distance: usize| self.can_be_mean(nearest + side * distance as i64);
        let last = (1..=COUNT / 2).rev().find(|steps| is_possible(steps * STEP)).unwrap_or(0);
        if last == COUNT / 2 {
            return PI;
        }
        let (mut inside, mut outside) = (last * STEP, (last + 1) * STEP);
        while inside + 1 < outside {
            let middle = inside.midpoint(outside);
            if is_possible(middle) { inside = middle } else { outside = middle }
        }
        // The estimate itself lies up to half a step beside the direction from which steps were counted.
        (outside as f64 + 0.5) * TAU / Question::ANGLES as f64
    }

    fn can_be_mean(&self, angle: i64) -> bool {
        let across = self.component(angle + Question::ANGLES as i64 / 4).interval(Tail::ONE.part(1.0 - SIGN));
        let along = self.component(angle).ends(Tail::ONE.part(2.0 * SIGN));
        across[0] <= 0.0 && across[1] >= 0.0 && along[1] >= 0.0
    }

    /// The component of the mean vector along a direction.
    fn component(&self, angle: i64) -> Bracketed {
        self.measure.bracketed(Question::Along(angle.rem_euclid(Question::ANGLES as i64) as usize))
    }

    fn length(&self, found: f64) -> Estimate {
        let largest = |of: &dyn Fn(&Bracketed) -> f64| self.along.iter().map(of).fold(0.0, f64::max);
        let deviation = largest(&|component| component.standard_error());
        let bias = largest(&|component| (component.range()[1] - component.range()[0]) / 2.0);
        let half_step = PI / COUNT as f64;
        let upper = (largest(&|component| component.ends(Tail::ONE)[1]) / half_step.cos()).min(1.0);
        let lower = (lower_length(found, deviation, Tail::ONE) - bias).clamp(0.0, upper);
        // Noise in the plane makes the vector longer.
        let value = (found * found - 2.0 * deviation * deviation).max(0.0).sqrt().clamp(lower, upper);
        Estimate {
            value,
            standard_error: deviation,
            bias_bound: bias,
            interval: [lower, upper],
            n: self.measure.n,
            method: METHOD,
            target: self.measure.target,
        }
    }
}

/// The nearest angle that is asked for.
fn nearest(angle: f64) -> i64 {
    (angle.rem_euclid(TAU) / TAU * Question::ANGLES as f64).round() as i64
}

/// The smallest length whose noisy vector is at least as long as the one that was found with the probability of the tail.
fn lower_length(found: f64, deviation: f64, tail: Tail) -> f64 {
    if deviation <= 0.0 {
        return found;
    }
    let scaled = found / deviation;
    let (mut low, mut high) = (0.0, scaled);
    if longer_than(scaled, 0.0) > tail.get() {
        return 0.0;
    }
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if longer_than(scaled, middle) > tail.get() { high = middle } else { low = middle }
    }
    low * deviation
}

/// The probability that a vector of two independent normal coordinates of variance one, whose mean has a length, is longer than
/// `limit`. Given the coordinate across the mean it is a normal tail; that is integrated by Simpson's rule over the angle at which
/// the coordinate meets the circle.
fn longer_than(limit: f64, length: f64) -> f64 {
    const STEPS: usize = 200;
    let step = PI / STEPS as f64;
    let term = |index: usize| {
        let angle = index as f64 * step - PI / 2.0;
        let (across, edge) = (limit * angle.sin(), limit * angle.cos());
        let density = (-across * across / 2.0).exp() / TAU.sqrt();
        let weight = match index {
            0 | STEPS => 1.0,
            _ if index % 2 == 1 => 4.0,
            _ => 2.0,
        };
        weight * density * edge * (normal_upper_tail(edge - length) + normal_upper_tail(edge + length))
    };
    2.0 * normal_upper_tail(limit) + (0..=STEPS).map(term).sum::<f64>() * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_noisy_vectors_follow_rayleigh_and_rice() {
        for limit in [0.5, 1.0, 2.4477, 3.0] {
            let rayleigh = (-limit * limit / 2.0f64).exp();
            assert!((longer_than(limit, 0.0) - rayleigh).abs() < 1e-6, "{limit}");
        }
        // Marcum's Q of order one, from scipy's noncentral chi-square with two degrees of freedom.
        for (limit, length, expected) in [(2.0, 1.0, 0.269012), (3.0, 2.0, 0.214362), (6.0, 5.0, 0.181850)] {
            assert!((longer_than(limit, length) - expected).abs() < 1e-6, "{limit} {length}");
        }
    }
}
