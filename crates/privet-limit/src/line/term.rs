//! One term of G: what an element contributes at a report, and how that changes with its numbers.
//!
//! With d = y - x and c(d) = l L(d) - m - n d, the term is the mean of min(c, E c) over the inputs of the element. It is
//! concave in (l, m, n), and for a stretch of inputs it is smooth.

use super::layout::{Dual, Element};
use privet_mechanisms::analysis::Loss;

/// How terms are computed: the loss and E = e^epsilon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    pub loss: Loss,
    pub exp: f64,
}

/// The derivatives of a term by weight, price and slope. The term itself is linear in them along its ray, so it is the sum of
/// the numbers times these.
pub(super) type Gradient = [f64; 3];

/// A place where c changes its sign within the element: the second derivative there is -`strength` times the square of
/// `direction`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    pub direction: Gradient,
    pub strength: f64,
}

impl Dual {
    pub(super) fn mirrored(self) -> Self {
        Self { slope: -self.slope, ..self }
    }

    /// Weight, price and slope.
    pub(super) fn numbers(&self) -> [f64; 3] {
        [self.weight, self.price, self.slope]
    }

    /// The term with this gradient.
    pub(super) fn value(&self, gradient: &Gradient) -> f64 {
        self.weight * gradient[0] + self.price * gradient[1] + self.slope * gradient[2]
    }
}

impl Terms {
    /// The derivatives of an element's term at a report.
    pub(super) fn gradient(&self, element: &Element, dual: &Dual, report: f64) -> Gradient {
        let range = self.negative(dual);
        if element.is_point() {
            let distance = report - element.from;
            let factor = if range[0] < distance && distance < range[1] { self.exp } else { 1.0 };
            return self.parts(distance).map(|part| factor * part);
        }
        let (far, near) = (self.far(element, report), self.near(element, range, report));
        std::array::from_fn(|index| far[index] + near[index])
    }

    /// The derivatives as if c were nowhere negative; they do not depend on the numbers.
    pub(super) fn far(&self, element: &Element, report: f64) -> Gradient {
        let [from, to] = [report - element.to, report - element.from];
        self.integrals(from, to).map(|integral| integral / (to - from))
    }

    /// What the distances at which c is negative add to [`Terms::far`].
    pub(super) fn near(&self, element: &Element, [low, high]: [f64; 2], report: f64) -> Gradient {
        let [from, to] = [report - element.to, report - element.from];
        let factor = (self.exp - 1.0) / (to - from);
        self.integrals(from.clamp(low, high), to.clamp(low, high)).map(|integral| factor * integral)
    }

    /// Where c changes its sign within the element.
    pub(super) fn bends(
        &self,
        element: &Element,
        dual: &Dual,
        range: [f64; 2],
        report: f64,
    ) -> impl Iterator<Item = Bend> {
        let [from, to] = [report - element.to, report - element.from];
        let (more, width, dual, terms) = (self.exp - 1.0, to - from, *dual, *self);
        let inside = move |root: &f64| from < *root && *root < to;
        range.into_iter().filter(inside).filter_map(move |root| {
            let steepness = (dual.weight * terms.rate(root) - dual.slope).abs();
            let strength = more / (steepness * width);
            strength.is_finite().then(|| Bend { direction: terms.parts(root), strength })
        })
    }

    /// The distances between which c is negative; equal ends if nowhere.
    pub(super) fn negative(&self, dual: &Dual) -> [f64; 2] {
        let Dual { weight, price, slope } = *dual;
        if weight <= 0.0 {
            let root = -price / slope;
            return match slope {
                _ if slope > 0.0 => [root, f64::INFINITY],
                _ if slope < 0.0 => [f64::NEG_INFINITY, root],
                _ if price > 0.0 => [f64::NEG_INFINITY, f64::INFINITY],
                _ => [0.0; 2],
            };
        }
        match self.loss {
            Loss::Absolute => {
                let radius = (price / weight).max(0.0);
                [-radius, radius]
            }
            Loss::Squared => {
                let middle = slope / (2.0 * weight);
                let radius = (middle * middle + price / weight).max(0.0).sqrt();
                [middle - radius, middle + radius]
            }
        }
    }

    /// The derivatives of c.
    fn parts(&self, distance: f64) -> Gradient {
        let loss = match self.loss {
            Loss::Absolute => distance.abs(),
            Loss::Squared => distance * distance,
        };
        [loss, -1.0, -distance]
    }

    fn rate(&self, distance: f64) -> f64 {
        match self.loss {
            Loss::Absolute => distance.signum(),
            Loss::Squared => 2.0 * distance,
        }
    }

    /// The integrals of the derivatives of c.
    fn integrals(&self, from: f64, to: f64) -> Gradient {
        let at = |distance: f64| match self.loss {
            Loss::Absolute => distance * distance.abs() / 2.0,
            Loss::Squared => distance * distance * distance / 3.0,
        };
        [at(to) - at(from), from - to, (from * from - to * to) / 2.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// min(c, E c) averaged over many inputs of the element.
    fn averaged(terms: &Terms, element: &Element, dual: &Dual, report: f64) -> f64 {
        const STEPS: u32 = 20_000;
        let place = |step: u32| {
            element.from + (element.to - element.from) * (f64::from(step) + 0.5) / f64::from(STEPS)
        };
        let cost = |input: f64| dual.value(&terms.parts(report - input));
        let bent = |cost: f64| cost.min(terms.exp * cost);
        (0..STEPS).map(|step| bent(cost(place(step)))).sum::<f64>() / f64::from(STEPS)
    }

    fn moved(dual: Dual, axis: usize, by: f64) -> Dual {
        let mut numbers = dual.numbers();
        numbers[axis] += by;
        Dual { weight: numbers[0], price: numbers[1], slope: numbers[2] }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn terms_are_the_averages_that_they_stand_for(
            from in 0.0f64..0.8, length in 0.01f64..0.2, report in -1.0f64..2.0, weight in 0.05f64..1.0,
            price in 0.01f64..0.5, slope in -0.5f64..0.5, is_absolute in any::<bool>(),
        ) {
            let loss = if is_absolute { Loss::Absolute } else { Loss::Squared };
            let (terms, axes) = (Terms { loss, exp: 5.0 }, if is_absolute { 0..2 } else { 0..3 });
            let element = Element { to: from + length, ..Element::point(from) };
            let dual = Dual { weight, price, slope: if is_absolute { 0.0 } else { slope } };
            let gradient = terms.gradient(&element, &dual, report);
            let value = dual.value(&gradient);
            prop_assert!((value - averaged(&terms, &element, &dual, report)).abs() < 1e-3);
            // By small steps: what the value changes by, and what the derivatives change by.
            let range = terms.negative(&dual);
            let ends = [report - element.to, report - element.from];
            prop_assume!(range.iter().all(|root| ends.iter().all(|end| (root - end).abs() > 1e-3)));
            let bends: Vec<Bend> = terms.bends(&element, &dual, range, report).collect();
            let step = 1e-6;
            for axis in axes.clone() {
                let ahead = moved(dual, axis, step);
                let after = terms.gradient(&element, &ahead, report);
                let rise = (ahead.value(&after) - value) / step;
                prop_assert!((rise - gradient[axis]).abs() < 1e-2, "{rise} {}", gradient[axis]);
                for other in axes.clone() {
                    let bend = |bend: &Bend| -bend.strength * bend.direction[axis] * bend.direction[other];
                    let expected: f64 = bends.iter().map(bend).sum();
                    let found = (after[other] - gradient[other]) / step;
                    prop_assert!((found - expected).abs() < 1e-2 * (1.0 + expected.abs()), "{found} {expected}");
                }
            }
        }
    }
}
