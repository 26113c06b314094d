//! From dual numbers to a certificate.

use super::layout::{Dual, Element, Layout};
use super::term::Terms;
use super::{LineProblem, Unbiased};
use crate::certificate::{Cell, LineCertificate, Point, SCALE};
use crate::channels::whole;

/// The reports at which G is looked at are so many times closer to each other than those of the search.
const CLOSER: usize = 8;

/// Reports are looked at this far beyond those of the search, as a share of their range, where they may lie anywhere.
const BEYOND: f64 = 0.15;

/// What G is above zero at least, as a share of what would cost the whole bound. It costs this share of the bound, and saves
/// whoever checks the certificate from looking at G too closely.
const MARGIN: f64 = 5e-4;

/// So many times prices are lowered at most.
const ROUNDS: usize = 12;

/// The ends of the domain count like this weight at least when prices are lowered: beyond them only their prices help.
const TIP_PART: f64 = 0.05;

/// Weights below this are not worth a place in a certificate.
const NO_WEIGHT: f64 = 1e-11;

/// The certificate that the numbers of a search make. They are lowered until G is nowhere negative, as far as can be seen.
/// `total` is what the smallest probabilities of all reports add up to.
pub(super) fn certificate(
    problem: &LineProblem,
    layout: &Layout,
    terms: Terms,
    duals: &[Dual],
    total: f64,
) -> LineCertificate {
    let (elements, mut duals) = unfolded(layout, duals);
    normalise(&elements, &mut duals);
    let prices: f64 = duals.iter().map(|dual| dual.price).sum();
    let margin = MARGIN * prices / total;
    lower(terms, &elements, &mut duals, &reports(problem, layout), margin);
    written(problem, layout.cells, &elements, &duals)
}

/// All elements, mirror images included, from the lowest to the highest.
fn unfolded(layout: &Layout, duals: &[Dual]) -> (Vec<Element>, Vec<Dual>) {
    if !layout.is_mirrored {
        return (layout.elements.clone(), duals.to_vec());
    }
    let halves = || {
        duals.iter().map(|dual| Dual {
            weight: dual.weight / 2.0,
            price: dual.price / 2.0,
            slope: dual.slope / 2.0,
        })
    };
    let images = layout.elements.iter().rev().map(Element::image);
    let elements = layout.elements.iter().copied().chain(images).collect();
    (elements, halves().chain(halves().rev().map(Dual::mirrored)).collect())
}

/// Weights that add up to one at most, however the integers round: a common factor changes nothing else. Weights that a prior
/// gives stay as they are.
fn normalise(elements: &[Element], duals: &mut [Dual]) {
    const LESS: f64 = 1.0 - 1e-10;
    if elements.iter().any(|element| element.share.is_some()) {
        return;
    }
    let factor = LESS / duals.iter().map(|dual| dual.weight).sum::<f64>();
    for dual in duals {
        *dual = Dual { weight: dual.weight * factor, price: dual.price * factor, slope: dual.slope * factor };
    }
}

/// Where G is looked at.
fn reports(problem: &LineProblem, layout: &Layout) -> Vec<f64> {
    let [low, high] = problem.output_range();
    let is_open = matches!(problem.unbiased, Some(Unbiased { range: None }));
    let more = if is_open { BEYOND * (high - low) } else { 0.0 };
    // G of a mirrored layout is symmetric.
    let (first, last) = (low - more, if layout.is_mirrored { 0.5 } else { high + more });
    let count = ((last - first) / layout.spacing()).ceil() * CLOSER as f64;
    (0..=count as usize).map(|index| first + (last - first) * index as f64 / count).collect()
}

/// Lowers all prices, in proportion to their weights, until G is at least `margin`. G is concave in the common part by which
/// they are lowered, so Newton's method comes from below and never takes too much.
fn lower(terms: Terms, elements: &[Element], duals: &mut [Dual], reports: &[f64], margin: f64) {
    let part = |(element, dual): (&Element, &Dual)| {
        if element.is_tip() { dual.weight.max(TIP_PART) } else { dual.weight }
    };
    let parts: Vec<f64> = elements.iter().zip(duals.iter()).map(part).collect();
    for _ in 0..ROUNDS {
        let missing = |report: &f64| {
            let (mut value, mut rate) = (0.0, 0.0);
            for ((element, dual), part) in elements.iter().zip(duals.iter()).zip(&parts) {
                let gradient = terms.gradient(element, dual, *report);
                value += dual.value(&gradient);
                rate -= part * gradient[1];
            }
            (margin - value) / rate
        };
        let most = reports.iter().map(missing).fold(0.0, f64::max);
        if most <= 0.0 || !most.is_finite() {
            return;
        }
        // A little more than the last digits say, or the last round would never come.
        let most = most * (1.0 + 1e-6);
        duals.iter_mut().zip(&parts).for_each(|(dual, part)| dual.price -= most * part);
    }
}

/// The numbers as whole ones.
fn written(problem: &LineProblem, cells: usize, elements: &[Element], duals: &[Dual]) -> LineCertificate {
    let largest = duals.iter().map(|dual| dual.price.abs().max(dual.slope.abs())).fold(0.0, f64::max);
    let magnitude = LineCertificate::magnitude_for(largest);
    let unit = 2f64.powi(magnitude as i32);
    let mut certificate = LineCertificate {
        epsilon: problem.epsilon,
        loss: problem.loss,
        setting: problem.setting(),
        magnitude,
        points: Vec::new(),
        cells: vec![Cell { weight: 0, price: 0, slope: 0 }; cells],
    };
    for (element, dual) in elements.iter().zip(duals) {
        let weight = (dual.weight * SCALE).floor() as i64;
        let [price, slope] = [dual.price, dual.slope].map(|number| whole(number / unit));
        if element.is_point() {
            certificate.points.push(Point { place: whole(element.from), weight, price, slope });
        } else if dual.weight > NO_WEIGHT {
            let index = (element.from * cells as f64).round() as usize;
            certificate.cells[index] = Cell { weight, price: price.max(0), slope };
        }
    }
    certificate
}
