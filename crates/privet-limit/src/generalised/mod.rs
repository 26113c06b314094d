//! The generalised piecewise mechanism: m pieces, and how little they can lose.
//!
//! For an input x the report's density is constant on each of m pieces of the outputs. The m heights, and their
//! order from left to right, are the same for all inputs; where the pieces end depends on x. No height is more
//! than e^epsilon times another, which makes the mechanism epsilon-LDP. The loss is |y - x|^p.
//!
//! | question | answered by |
//! |---|---|
//! | the best density at one input | [`Generalised::point_optimum`] |
//! | the heights with the smallest worst error over all inputs (formulation 5.2) | [`Generalised::minimax`] |
//! | where pieces of given heights end best at x (formulation 5.3) | [`Generalised::place`] |
//! | how many pieces are really there | [`Density::merged`] |
//! | the closed form behind the numbers | [`Generalised::recover`] |
//!
//! "Best" is within this family. The best of all channels is better by 16 to 47 percent; see [`crate`].
//!
//! # Why the answers are right
//! **At one input.** The search (dynamic programming over cuts, with all m pieces free) gives a density; how good
//! it is does not rest on it. Take any number mu, a density f between q and E q with E = e^epsilon, and the loss
//! L(y) at this input. The error less mu is the integral of (L - mu) f, which is at least q times the integral of
//! (L - mu)+ - E (mu - L)+. So if the latter is not negative, no density with any number of pieces has an error
//! below mu. The largest such mu is [`PointOptimum::lower_bound`]. The density that is E q where L < mu and q
//! elsewhere has no gap, and as L grows with the distance it is a window: **three pieces are enough**, for every
//! epsilon, input and power. (The source supports this by random tests and leaves the proof open.)
//!
//! **At the worst input.** Let s be the length of the window and F(x, s) the error of the best window at x. The
//! integral of |y - x|^p over a window that begins at l is the integral of |l + u - x|^p over u from 0 to s:
//! convex in (x, l) together. Its minimum over l is therefore convex in x, and F, which adds the integral over all
//! outputs, is largest at an end of the inputs. (Lemma 1 of the source says the same of windows that do not move
//! with x, which they do; and it is not true of all heights: with E q, q, E q in this order both ends are as good
//! as they can be, and the middle is bad.) No heights between q and E q do better than the window at either end,
//! so for m of 3 or more the optimum is the s with the smallest max(F(a, s), F(b, s)), and the heights are q, E q,
//! q. Both errors are convex in q, as minima of linear programmes in the density and q together, and bisection
//! finds the best.
//!
//! **With one or two pieces** the mass fixes the boundary, so the density cannot follow x. If outputs and inputs
//! are the same interval, the best is the uniform density for m = 1 and m = 2 alike, at every epsilon: a density
//! of two pieces rises or falls, and one of the ends suffers from it. Three pieces are better nevertheless: that m
//! + 1 pieces are no better than m does *not* show that m is enough (Lemma 2 of the source).
//!
//! # Example
//! ```
//! use privet_core::{Epsilon, Interval};
//! use privet_limit::generalised::Generalised;
//! let unit = Interval::new(0.0, 1.0)?;
//! let five = Generalised::new(5, 1.0, unit, unit, Epsilon::new(1.0)?)?;
//!
//! // The best density of five pieces at .2 has two in truth: a window that begins at 0, and the rest.
//! let point = five.point_optimum(0.2)?;
//! assert_eq!((point.density.steps().len(), point.density.merged().len()), (5, 2));
//! assert!((point.density.peak() - 1.5459).abs() < 1e-4 && (point.error - 0.2414).abs() < 1e-4);
//! assert!(point.error - point.lower_bound < 1e-12);
//!
//! // The best heights for the worst input, and where they lie for the input .3.
//! let minimax = five.minimax();
//! assert!((minimax.error - 1.0 / (1.0 + 0.5f64.exp())).abs() < 1e-12);
//! assert!((minimax.at(0.3)?.peak() - 0.5f64.exp()).abs() < 1e-7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! # Reference
//! Y. Zheng's dissertation, chapter 5: Definition 4, formulations (5.2) and (5.3), Lemmas 1 and 2, Examples 4, 5
//! and 8.

mod density;
mod placement;
mod recovery;
mod search;
mod still;
mod view;
mod window;

pub use density::{Density, HEIGHT_TOLERANCE, LENGTH_TOLERANCE, Step};
pub use recovery::{ClosedForm, Line};

use placement::best_placement;
use privet_core::{Domain, Epsilon, Interval, ParameterError};
use view::View;
use window::{Window, best_length};

/// The largest number of pieces.
pub const MOST_PIECES: usize = 32;
/// The epsilons for which 64-bit numbers hold both the heights and the window.
pub const EPSILONS: [f64; 2] = [1e-6, 32.0];
/// Rounding in given heights whose ratio shall be at most e^epsilon.
const RATIO_SLACK: f64 = 1e-9;

/// A family of mechanisms with m pieces, and the loss that they shall keep small.
#[derive(Debug, Clone, PartialEq)]
pub struct Generalised {
    pieces: usize,
    loss_power: f64,
    input: Interval,
    output: Interval,
    epsilon: Epsilon,
    /// The largest distance between an input and an output.
    unit: f64,
}

/// The best density at one input.
#[derive(Debug, Clone, PartialEq)]
pub struct PointOptimum {
    /// The density found.
    pub density: Density,
    /// Its expected loss.
    pub error: f64,
    /// No density within the ratio, with any number of pieces, has a smaller expected loss, up to rounding
    /// (1e-13 of it, or 1e-9 for inputs outside the outputs).
    pub lower_bound: f64,
}

/// The heights whose worst error over all inputs is smallest.
#[derive(Debug, Clone, PartialEq)]
pub struct Minimax {
    /// The heights from left to right, without redundant ones.
    pub heights: Vec<f64>,
    /// The worst expected loss over all inputs.
    pub error: f64,
    problem: Generalised,
}

impl Generalised {
    /// A family with `pieces` pieces and the loss |y - x|^`loss_power`.
    ///
    /// # Errors
    /// When the pieces are not between 1 and [`MOST_PIECES`], the power is not finite or below 1, epsilon is
    /// outside [`EPSILONS`], or the largest possible loss is not a number.
    pub fn new(
        pieces: usize,
        loss_power: f64,
        input: Interval,
        output: Interval,
        epsilon: Epsilon,
    ) -> Result<Self, ParameterError> {
        let refuse = |reason: String| Err(ParameterError::Incompatible { reason });
        if !(1..=MOST_PIECES).contains(&pieces) {
            return refuse(format!("the number of pieces must be between 1 and {MOST_PIECES}: got {pieces}"));
        }
        if !(loss_power.is_finite() && loss_power >= 1.0) {
            return refuse(format!("the power of the loss must be finite and at least 1: got {loss_power}"));
        }
        let [least, most] = EPSILONS;
        if !(least..=most).contains(&epsilon.get()) {
            return refuse(format!("epsilon must be between {least} and {most} here: got {epsilon}"));
        }
        let unit = (input.high() - output.low()).max(output.high() - input.low());
        let largest_loss = unit.powf(loss_power);
        if !largest_loss.is_normal() {
            return refuse(format!("the largest loss, {unit} to the power {loss_power}, is out of range"));
        }
        Ok(Self { pieces, loss_power, input, output, epsilon, unit })
    }

    /// The inputs.
    pub fn input(&self) -> Interval {
        self.input
    }

    /// The outputs.
    pub fn output(&self) -> Interval {
        self.output
    }

    /// The same family with another epsilon.
    ///
    /// # Errors
    /// When it is outside [`EPSILONS`].
    pub fn with_epsilon(&self, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(self.pieces, self.loss_power, self.input, self.output, epsilon)
    }

    /// The density of m pieces with the smallest expected loss at one input.
    ///
    /// # Errors
    /// When the input lies outside.
    pub fn point_optimum(&self, x: f64) -> Result<PointOptimum, ParameterError> {
        self.check(x)?;
        let view = self.view(x);
        let cut = search::best_cut(&view, self.epsilon.get(), self.pieces);
        let ratio = self.epsilon.get().exp();
        let shapes: Vec<f64> = cut.high.iter().map(|is_high| if *is_high { ratio } else { 1.0 }).collect();
        let mass: f64 =
            shapes.iter().zip(cut.ends.windows(2)).map(|(shape, end)| shape * (end[1] - end[0])).sum();
        let heights: Vec<f64> = shapes.iter().map(|shape| shape / mass).collect();
        let lower_bound = Window { view, gain: self.epsilon.get().exp_m1() }.lower_bound();
        Ok(PointOptimum {
            density: self.density(x, &cut.ends, &heights),
            error: self.loss_in_units(cut.error),
            lower_bound: self.loss_in_units(lower_bound),
        })
    }

    /// The heights with the smallest worst error over all inputs.
    pub fn minimax(&self) -> Minimax {
        let ends = [self.input.low(), self.input.high()].map(|x| self.view(x));
        let (gain, ratio) = (self.epsilon.get().exp_m1(), self.epsilon.get().exp());
        let heights = match self.pieces {
            1 => vec![1.0 / ends[0].width()],
            2 => still::best_heights(ends, ratio).to_vec(),
            _ => {
                let windows = ends.map(|view| Window { view, gain });
                let low = windows[0].low_height(best_length(windows));
                vec![low, ratio * low, low]
            }
        };
        // The error is convex in the input for these heights, so it is largest at an end.
        let error = ends
            .iter()
            .filter_map(|view| best_placement(view, &heights))
            .map(|placed| placed.error)
            .fold(0.0, f64::max);
        let heights = heights.into_iter().map(|height| height / self.unit).collect();
        Minimax { heights, error: self.loss_in_units(error), problem: self.clone() }
    }

    /// The density at `x` with these heights, in this order from left to right, whose expected loss is smallest.
    /// Pieces that it leaves empty are left out.
    ///
    /// # Errors
    /// When the input lies outside, there are no or too many heights, their ratio is above e^epsilon, or no
    /// lengths make them a density.
    pub fn place(&self, heights: &[f64], x: f64) -> Result<Density, ParameterError> {
        self.check(x)?;
        let refuse = |reason: String| ParameterError::Incompatible { reason };
        if heights.len() > self.pieces {
            return Err(refuse(format!(
                "at most {} heights are allowed: got {}",
                self.pieces,
                heights.len()
            )));
        }
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = heights.iter().copied().fold(0.0, f64::max);
        let allowed = self.epsilon.get().exp() * (1.0 + RATIO_SLACK);
        // Written so that a height that is not a number is refused too.
        if !(least > 0.0 && most <= allowed * least && heights.iter().all(|height| height.is_finite())) {
            return Err(refuse(format!(
                "heights must be above 0 and differ by at most the factor e^{}: got {least} and {most}",
                self.epsilon
            )));
        }
        let scaled: Vec<f64> = heights.iter().map(|height| height * self.unit).collect();
        let placed = best_placement(&self.view(x), &scaled).ok_or_else(|| {
            let uniform = 1.0 / self.output.width();
            refuse(format!("heights must lie on both sides of {uniform}: got {least} to {most}"))
        })?;
        Ok(self.density(x, &placed.ends, &placed.heights))
    }

    fn check(&self, x: f64) -> Result<(), ParameterError> {
        self.input.check(&x).map_err(|error| ParameterError::Incompatible { reason: error.to_string() })
    }

    /// The outputs as seen from an input.
    fn view(&self, x: f64) -> View {
        let offset = |output: f64| (output - x) / self.unit;
        View { low: offset(self.output.low()), high: offset(self.output.high()), power: self.loss_power }
    }

    /// A loss measured in the unit of [`View`], as it is.
    fn loss_in_units(&self, loss: f64) -> f64 {
        loss * self.unit.powf(self.loss_power)
    }

    /// A density from what is seen from `x`.
    fn density(&self, x: f64, ends: &[f64], heights: &[f64]) -> Density {
        let mut places: Vec<f64> = ends.iter().map(|offset| x + offset * self.unit).collect();
        // The outer ends are known exactly.
        if let [first, .., last] = &mut places[..] {
            (*first, *last) = (self.output.low(), self.output.high());
        }
        let steps = places.windows(2).zip(heights).map(|(place, height)| Step {
            from: place[0],
            to: place[1],
            density: height / self.unit,
        });
        Density::new(steps.collect(), self.epsilon.get())
    }
}

impl Minimax {
    /// The density for an input.
    ///
    /// # Errors
    /// When the input lies outside.
    pub fn at(&self, x: f64) -> Result<Density, ParameterError> {
        self.problem.place(&self.heights, x)
    }
}
