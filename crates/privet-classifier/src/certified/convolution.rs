//! One half-space in many dimensions: the law of a sum of independent terms, on a grid.
//!
//! Every term is rounded down to the grid. The sum is then too small by less than one step for each term, which bounds it
//! from both sides.

use super::linear::HalfSpace;
use crate::law::ReportLaw;

/// The first grid that is tried, and the finest one.
const STEPS: [u32; 2] = [1 << 13, 1 << 20];

/// A lower and an upper bound of the mass in the half-space.
pub(crate) fn mass(half_space: &HalfSpace, laws: &[ReportLaw<'_>], tolerance: f64) -> [f64; 2] {
    let terms: Vec<Term<'_>> = half_space
        .weights
        .iter()
        .zip(laws)
        .filter(|(weight, _)| **weight != 0.0)
        .map(|(weight, law)| Term::new(*weight, law))
        .collect();
    let lowest: f64 = terms.iter().map(|term| term.low).sum();
    let width: f64 = terms.iter().map(|term| term.high - term.low).sum();
    let [certain, possible] = [half_space.certain - lowest, half_space.possible - lowest];
    if certain <= 0.0 || possible > width {
        let sure = f64::from(u8::from(certain <= 0.0));
        return [sure, sure];
    }
    let mut steps = STEPS[0];
    loop {
        let step = width / f64::from(steps);
        let sums = law_of_sum(&terms, step, steps);
        let at_least = |level: f64, extra: f64| {
            let first = ((level / step) - extra).ceil().max(0.0) as usize;
            sums.iter().skip(first).sum::<f64>()
        };
        let bounds = [at_least(certain, 0.0), at_least(possible, terms.len() as f64)];
        if bounds[1] - bounds[0] <= tolerance || steps >= STEPS[1] {
            return bounds;
        }
        steps *= 4;
    }
}

/// One weight times one report.
struct Term<'a> {
    weight: f64,
    law: &'a ReportLaw<'a>,
    low: f64,
    high: f64,
}

impl<'a> Term<'a> {
    fn new(weight: f64, law: &'a ReportLaw<'a>) -> Self {
        let [one, two] = law.ends().map(|end| weight * end);
        Self { weight, law, low: one.min(two), high: one.max(two) }
    }

    /// The probability of each step of the grid above the lowest term.
    fn histogram(&self, step: f64, length: usize) -> Vec<f64> {
        let steps = (((self.high - self.low) / step) as usize + 2).min(length);
        // Of the terms below a step, those with a negative weight are the largest reports.
        let below = |index: usize| {
            let end = (self.low + index as f64 * step) / self.weight;
            if self.weight > 0.0 {
                self.law.mass_before(self.law.cells_below(end))
            } else {
                1.0 - self.law.mass_before(self.law.cells_at_most(end))
            }
        };
        let mut before = 0.0;
        let mut masses: Vec<f64> = (1..steps)
            .map(|index| {
                let now = below(index);
                let mass = now - before;
                before = now;
                mass
            })
            .collect();
        masses.push(1.0 - before);
        masses.resize(length, 0.0);
        masses
    }
}

fn law_of_sum(terms: &[Term<'_>], step: f64, steps: u32) -> Vec<f64> {
    let length = (steps as usize + 2 * terms.len() + 2).next_power_of_two();
    let mut product = vec![Complex { re: 1.0, im: 0.0 }; length];
    for term in terms {
        let mut transformed: Vec<Complex> =
            term.histogram(step, length).into_iter().map(|re| Complex { re, im: 0.0 }).collect();
        transform(&mut transformed, 1.0);
        for (total, factor) in product.iter_mut().zip(transformed) {
            *total = total.times(factor);
        }
    }
    transform(&mut product, -1.0);
    product.into_iter().map(|number| number.re / length as f64).collect()
}

#[derive(Debug, Clone, Copy)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn times(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }

    fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    fn minus(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

/// The discrete Fourier transform of a power of two of numbers, in place; a negative direction is the inverse but for the
/// length.
fn transform(numbers: &mut [Complex], direction: f64) {
    let length = numbers.len();
    let bits = length.trailing_zeros();
    for index in 0..length {
        let mirrored = index.reverse_bits() >> (usize::BITS - bits).min(usize::BITS - 1);
        if bits > 0 && index < mirrored {
            numbers.swap(index, mirrored);
        }
    }
    let mut half = 1;
    while half < length {
        // Each root on its own: roots found by multiplication lose a digit with each thousand of them.
        let angle = |index: usize| direction * std::f64::consts::PI * index as f64 / half as f64;
        let roots: Vec<Complex> =
            (0..half).map(|index| Complex { re: angle(index).cos(), im: angle(index).sin() }).collect();
        for block in numbers.chunks_exact_mut(2 * half) {
            let (left, right) = block.split_at_mut(half);
            for ((one, two), root) in left.iter_mut().zip(right).zip(&roots) {
                let turned = two.times(*root);
                (*one, *two) = (one.plus(turned), one.minus(turned));
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transform_there_and_back_changes_nothing() {
        let original: Vec<f64> = (0..64).map(|index| f64::from(index * index % 7)).collect();
        let mut numbers: Vec<Complex> = original.iter().map(|re| Complex { re: *re, im: 0.0 }).collect();
        transform(&mut numbers, 1.0);
        let total: f64 = original.iter().sum();
        assert!((numbers[0].re - total).abs() < 1e-12);
        transform(&mut numbers, -1.0);
        for (number, wanted) in numbers.iter().zip(original) {
            assert!((number.re / 64.0 - wanted).abs() < 1e-12 && number.im.abs() < 1e-10);
        }
    }
}
