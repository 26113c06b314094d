//! Where an activation can be when its input lies in a range: ends, and a line below and above it.
//!
//! The values of `erfc`, `tanh` and `exp` are rounded by the mathematical library, which states errors of a few units
//! in the last place. [`ERROR`] is some thousand of these units, because the error of GELU's argument grows in its
//! far tail by up to 1500.

use super::activation::Activation;
use super::rounded::{Range, Sum, or_else};

/// Relative error of an activation's computed value, and absolute error of its derivative.
const ERROR: f64 = 1.0 / (1u64 << 40) as f64;
/// Values that vanish below the smallest number are closer to zero than this.
const VANISHING: f64 = 1e-300;

/// GELU falls up to a point between these two, and rises from there.
const GELU_TURN: (f64, f64) = (-0.7518, -0.7517);
/// Just below its value there, -0.16997120748.
const GELU_LOWEST: f64 = -0.169_971_208;
/// Just below its smallest derivative, -0.12890414519, which is the one at minus the root of 2.
const GELU_STEEPEST: f64 = -0.128_905;
/// GELU is convex between the negative and the positive root of 2, which lies between these two, and concave outside.
const ROOT_OF_TWO: (f64, f64) = (1.4141, 1.4143);

/// The line slope x + offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub(super) slope: f64,
    pub(super) offset: f64,
}

/// A line that is nowhere above, and one that is nowhere below an activation on a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lines {
    pub(super) lower: Line,
    pub(super) upper: Line,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Convex,
    Concave,
    Mixed,
}

/// The range of an activation's value at one point.
fn at(activation: Activation, x: f64) -> Range {
    if activation == Activation::Relu {
        return Range { low: x.max(0.0), high: x.max(0.0) };
    }
    // At minus infinity the formula of GELU is infinity times zero; the limit is zero.
    let value = or_else(activation.value(x), 0.0);
    let error = value.abs() * ERROR + VANISHING;
    Range { low: value - error, high: value + error }
}

/// The range of an activation on a range.
pub(super) fn image(activation: Activation, range: Range) -> Range {
    let (first, last) = (at(activation, range.low), at(activation, range.high));
    let ends = Range { low: first.low.min(last.low), high: first.high.max(last.high) };
    match activation {
        Activation::Gelu if range.low < GELU_TURN.1 && range.high > GELU_TURN.0 => {
            Range { low: GELU_LOWEST, high: ends.high }
        }
        _ => ends,
    }
}

/// Lines below and above an activation on a range.
pub(super) fn lines(activation: Activation, range: Range) -> Lines {
    let Range { low, high } = range;
    let identity = Line { slope: 1.0, offset: 0.0 };
    let zero = Line { slope: 0.0, offset: 0.0 };
    let is_relu = activation == Activation::Relu;
    if is_relu && low >= 0.0 {
        return Lines { lower: identity, upper: identity };
    }
    if is_relu && high <= 0.0 {
        return Lines { lower: zero, upper: zero };
    }
    let chord = (activation.value(high) - activation.value(low)) / (high - low);
    if !(chord.is_finite() && (high - low).is_finite()) {
        let image = image(activation, range);
        return Lines {
            lower: Line { offset: image.low, ..zero },
            upper: Line { offset: image.high, ..zero },
        };
    }
    if is_relu {
        let lower = if high > -low { identity } else { zero };
        return Lines { lower, upper: above_ends(activation, range, chord) };
    }
    match shape(activation, range) {
        Shape::Convex => {
            Lines { lower: below_tangent(activation, range), upper: above_ends(activation, range, chord) }
        }
        Shape::Concave => {
            Lines { lower: below_ends(activation, range, chord), upper: above_tangent(activation, range) }
        }
        Shape::Mixed => {
            // Less this slope times x the activation rises, so it is lowest and highest at the ends.
            let slope = smallest_derivative(activation, range);
            Lines {
                lower: Line { slope, offset: offset(at(activation, low).low, slope, low).low() },
                upper: Line { slope, offset: offset(at(activation, high).high, slope, high).high() },
            }
        }
    }
}

fn offset(value: f64, slope: f64, x: f64) -> Sum {
    let mut offset = Sum::of(value);
    offset.add(-slope, x);
    offset
}

/// A line above a convex function: it is enough to be above at both ends, whatever the slope.
fn above_ends(activation: Activation, range: Range, slope: f64) -> Line {
    let end = |x| offset(at(activation, x).high, slope, x).high();
    Line { slope, offset: end(range.low).max(end(range.high)) }
}

/// A line below a concave function, in the same way.
fn below_ends(activation: Activation, range: Range, slope: f64) -> Line {
    let end = |x| offset(at(activation, x).low, slope, x).low();
    Line { slope, offset: end(range.low).min(end(range.high)) }
}

/// A line below a convex function: the tangent in the middle, lowered by what an error of its slope can make at the
/// ends.
fn below_tangent(activation: Activation, range: Range) -> Line {
    let (middle, slope) = tangent(activation, range);
    let mut offset = offset(at(activation, middle).low, slope, middle);
    offset.add(-ERROR, range.high - range.low);
    Line { slope, offset: offset.low() }
}

/// A line above a concave function, in the same way.
fn above_tangent(activation: Activation, range: Range) -> Line {
    let (middle, slope) = tangent(activation, range);
    let mut offset = offset(at(activation, middle).high, slope, middle);
    offset.add(ERROR, range.high - range.low);
    Line { slope, offset: offset.high() }
}

fn tangent(activation: Activation, range: Range) -> (f64, f64) {
    let middle = range.low + (range.high - range.low) / 2.0;
    (middle, activation.derivative(middle))
}

fn shape(activation: Activation, Range { low, high }: Range) -> Shape {
    let (inner, outer) = ROOT_OF_TWO;
    let (convex, concave) = match activation {
        Activation::Relu => (true, false),
        Activation::Gelu => (low >= -inner && high <= inner, low >= outer || high <= -outer),
        Activation::Tanh | Activation::Sigmoid => (high <= 0.0, low >= 0.0),
    };
    match (convex, concave) {
        (true, _) => Shape::Convex,
        (false, true) => Shape::Concave,
        (false, false) => Shape::Mixed,
    }
}

/// A number that no derivative on the range is below. Derivatives rise to one peak and fall from there; that of GELU
/// falls before.
fn smallest_derivative(activation: Activation, Range { low, high }: Range) -> f64 {
    let ends = activation.derivative(low).min(activation.derivative(high)) - ERROR;
    let (inner, outer) = ROOT_OF_TWO;
    match activation {
        Activation::Gelu if low < -inner && high > -outer => ends.min(GELU_STEEPEST),
        _ => ends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn activations_stay_in_their_image_and_between_their_lines(
            which in 0usize..4, low in -6.0f64..6.0, width in 0.0f64..8.0, part in 0.0f64..=1.0,
        ) {
            let activation = [Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid][which];
            let range = Range { low, high: low + width };
            let x = (low + part * width).clamp(range.low, range.high);
            let y = activation.value(x);
            let image = image(activation, range);
            prop_assert!(image.low <= y && y <= image.high);
            let Lines { lower, upper } = lines(activation, range);
            prop_assert!(lower.slope * x + lower.offset <= y + 1e-13);
            prop_assert!(upper.slope * x + upper.offset >= y - 1e-13);
        }
    }

    #[test]
    fn the_lines_of_a_narrow_range_are_near() {
        for activation in [Activation::Gelu, Activation::Tanh, Activation::Sigmoid] {
            for low in [-2.0, -1.4145, -0.76, -0.005, 0.5, 1.411, 3.0] {
                let Lines { lower, upper } = lines(activation, Range { low, high: low + 0.01 });
                let gap = (upper.slope - lower.slope) * low + upper.offset - lower.offset;
                assert!((0.0..1e-3).contains(&gap), "{activation:?} {low}: {gap}");
            }
        }
    }

    #[test]
    fn ends_without_a_limit_claim_nothing_false() {
        let all = Range { low: f64::NEG_INFINITY, high: f64::INFINITY };
        assert_eq!(image(Activation::Gelu, all).high, f64::INFINITY);
        assert_eq!(image(Activation::Gelu, all).low, GELU_LOWEST);
        assert!(image(Activation::Tanh, all).high >= 1.0);
        assert_eq!(lines(Activation::Relu, all).upper.offset, f64::INFINITY);
    }
}
