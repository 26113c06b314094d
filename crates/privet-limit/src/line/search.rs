//! The best dual numbers for a layout, and the distributions of the reports that go with them.
//!
//! The numbers maximise the sum of the prices while G is nowhere negative and the weights add up to one at most. G is concave in
//! them, so a barrier does it: the sum of the prices over mu, plus the logarithms of everything that must stay above zero, is
//! maximised by Newton's method for smaller and smaller mu. What mu / G(y) is then is the smallest probability of report y in
//! the best channel: the price of asking for G(y) >= 0.
//!
//! Nothing that Privet says rests on how far the search came: see [`super::proof`].

use super::layout::{Dual, Element, Layout};
use super::newton::{Symmetric, dot};
use super::term::{Gradient, Terms};
use crate::{LimitError, Stop};
use std::ops::Range;

/// What was found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The numbers of each element of the layout.
    pub duals: Vec<Dual>,
    /// The smallest probability of each report, its mirror image included: for every mu that was small enough. With the smallest
    /// mu they are nearest to the best for this layout, with larger ones they are smoother.
    pub floors: Vec<Vec<f64>>,
}

/// What is left between the numbers and the best ones, as a share of the sum of the prices: at the end, and where floors are
/// kept.
const GOOD_ENOUGH: f64 = 3e-4;
const WORTH_KEEPING: f64 = 0.03;

/// What mu is multiplied with from one round to the next.
const LESS: f64 = 0.15;

/// So many steps in one round at most, and Newton's decrement that ends it: in passing, and where floors are kept.
const STEPS: usize = 40;
const PASSING: f64 = 0.3;
const EXACT: f64 = 1e-7;

/// Steps are halved until they improve; shorter ones than this cannot.
const SHORTEST: f64 = 1e-9;

/// Where the search for the first prices begins.
const SMALLEST_PRICE: f64 = 1e-30;

/// A single input is taken for a stretch that is this part of the distance of two reports wide, so that its terms are smooth.
const POINT_WIDTH: f64 = 0.1;

/// The search for the numbers of a layout.
pub(super) struct Search<'a> {
    terms: Terms,
    layout: &'a Layout,
    /// The elements and their mirror images, as stretches.
    stretches: Vec<[Element; 2]>,
    /// Which variables the numbers of each element are.
    places: Vec<Places>,
    variables: usize,
    /// For each report: the derivatives by all variables as if c were nowhere negative, and what the weights of a prior add.
    far: Vec<Vec<f64>>,
    fixed: Vec<f64>,
}

/// Which variable is the weight, the price and the slope of an element, if any.
type Places = [Option<usize>; 3];

/// Where c of an element, or of its mirror image, may be negative.
struct Near {
    element: usize,
    /// The image comes second.
    side: usize,
    /// The numbers as this side sees them, and the distances between which its c is negative.
    dual: Dual,
    range: [f64; 2],
    /// At which report.
    report: usize,
    /// What is added to the derivatives there.
    gradient: Gradient,
}

/// A point of the search.
#[derive(Debug, Clone)]
struct State {
    duals: Vec<Dual>,
    /// G at each report.
    values: Vec<f64>,
}

impl<'a> Search<'a> {
    pub(super) fn new(terms: Terms, layout: &'a Layout) -> Self {
        let half = POINT_WIDTH * layout.spacing() / 2.0;
        let stretch = |element: &Element| {
            let half = if element.is_point() { half } else { 0.0 };
            let wide = Element { from: element.from - half, to: element.to + half, ..*element };
            [wide, wide.image()]
        };
        let mut variables = 0;
        let places = layout.elements.iter().map(|element| {
            [element.share.is_none(), true, element.has_slope].map(|is_free| {
                is_free.then(|| {
                    variables += 1;
                    variables - 1
                })
            })
        });
        let places = places.collect();
        let stretches = layout.elements.iter().map(stretch).collect();
        let mut search =
            Self { terms, layout, stretches, places, variables, far: Vec::new(), fixed: Vec::new() };
        (search.far, search.fixed) = layout.reports.iter().map(|report| search.far_row(*report)).unzip();
        search
    }

    /// The numbers.
    ///
    /// # Errors
    /// When the end was asked for before they were found, or there is nowhere to begin.
    pub(super) fn run(&self, stop: &Stop) -> Result<Found, LimitError> {
        let failed = |reason: &str| LimitError::Solver { reason: reason.to_owned() };
        let mut state = self.start().ok_or_else(|| failed("it found no prices to begin with"))?;
        let count = (self.layout.reports.len() + self.variables) as f64;
        let mut mu = prices(&state.duals) / self.layout.reports.len() as f64;
        let mut floors = Vec::new();
        loop {
            let is_worth_keeping = mu * count <= WORTH_KEEPING * prices(&state.duals);
            let has_moved = self.climb(&mut state, mu, if is_worth_keeping { EXACT } else { PASSING }, stop);
            if stop.is_requested() {
                return Err(failed("it was stopped"));
            }
            if is_worth_keeping {
                floors.push(state.values.iter().map(|value| mu / value).collect());
            }
            if !has_moved || mu * count <= GOOD_ENOUGH * prices(&state.duals) {
                break;
            }
            mu *= LESS;
        }
        Ok(Found { duals: state.duals, floors })
    }

    /// Equal weights for equal lengths, prices that are half of what is possible then, and at the ends of the domain half the
    /// slopes with which two reports are proved to be good at a small epsilon.
    fn start(&self) -> Option<State> {
        let reach = 0.2 / (1.0 + self.terms.exp.sqrt());
        let length = |element: &Element| if element.is_point() { reach } else { element.to - element.from };
        let total: f64 = self.layout.elements.iter().map(length).sum();
        let slope = 0.5 * self.sides() as f64 * (self.terms.exp + 1.0) / (self.terms.exp - 1.0).powi(2);
        let with_price = |price: f64| {
            let dual = |element: &Element| {
                let weight = element.share.unwrap_or(0.9 * length(element) / total);
                // Where there is no weight any price above zero would be too much.
                let price = if weight > 0.0 { price * weight } else { -price * 1e-3 };
                let slope = if element.is_tip() { slope * element.outwards() } else { 0.0 };
                Dual { weight, price, slope }
            };
            self.state(self.layout.elements.iter().map(dual).collect())
        };
        let mut price = SMALLEST_PRICE;
        while with_price(2.0 * price).is_some() {
            price *= 2.0;
        }
        with_price(price / 2.0)
    }

    /// The state of some numbers, if nothing that must be above zero is not.
    fn state(&self, duals: Vec<Dual>) -> Option<State> {
        let mut elements = self.layout.elements.iter().zip(&duals);
        let is_allowed = |(element, dual): (&Element, &Dual)| {
            (element.share.is_some() || dual.weight > 0.0)
                && held(element, dual) > 0.0
                && self.room(element, dual).iter().all(|room| *room > 0.0)
        };
        if !elements.all(is_allowed) || self.rest(&duals) <= 0.0 {
            return None;
        }
        let numbers = self.numbers(&duals);
        let mut values: Vec<f64> =
            self.far.iter().zip(&self.fixed).map(|(row, fixed)| dot(row, &numbers) + fixed).collect();
        self.for_each_near(&duals, |near| {
            values[near.report] += near.dual.value(&near.gradient) / self.sides() as f64;
        });
        values.iter().all(|value| *value > 0.0).then_some(State { duals, values })
    }

    /// The variables.
    fn numbers(&self, duals: &[Dual]) -> Vec<f64> {
        let mut numbers = vec![0.0; self.variables];
        for (dual, places) in duals.iter().zip(&self.places) {
            for (number, place) in dual.numbers().into_iter().zip(places) {
                place.iter().for_each(|place| numbers[*place] = number);
            }
        }
        numbers
    }

    /// What the weights leave of one; one if a prior gives them.
    fn rest(&self, duals: &[Dual]) -> f64 {
        let is_free = |(dual, places): (&Dual, &Places)| places[0].map(|_| dual.weight);
        1.0 - duals.iter().zip(&self.places).filter_map(is_free).sum::<f64>()
    }

    /// How much lower and higher the slope of a cell could be. The window of a cell would lie beyond all reports then, and without
    /// a limit slopes could wander from cell to cell at a small epsilon, when hardly anything depends on which of them has it.
    /// Ones where there is no limit.
    fn room(&self, element: &Element, dual: &Dual) -> [f64; 2] {
        if !element.has_slope || element.is_tip() {
            return [1.0; 2];
        }
        let limit = dual.weight * 2.0 * self.layout.range();
        [limit + dual.slope, limit - dual.slope]
    }

    /// One, or two with the mirror image.
    fn sides(&self) -> usize {
        if self.layout.is_mirrored { 2 } else { 1 }
    }

    /// The derivatives at a report as if c were nowhere negative, and what fixed weights add.
    fn far_row(&self, report: f64) -> (Vec<f64>, f64) {
        let (mut row, mut fixed) = (vec![0.0; self.variables], 0.0);
        for ((stretch, places), element) in self.stretches.iter().zip(&self.places).zip(&self.layout.elements)
        {
            for (side, stretch) in stretch.iter().enumerate().take(self.sides()) {
                let gradient = seen_from(side, self.terms.far(stretch, report));
                for (place, entry) in places.iter().zip(gradient) {
                    place.iter().for_each(|place| row[*place] += entry / self.sides() as f64);
                }
                fixed += element.share.unwrap_or(0.0) * gradient[0] / self.sides() as f64;
            }
        }
        (row, fixed)
    }

    /// All pairs of an element and a report where c may be negative. Others are in [`Search::far`].
    fn for_each_near(&self, duals: &[Dual], mut visit: impl FnMut(Near)) {
        for (element, (dual, stretch)) in duals.iter().zip(&self.stretches).enumerate() {
            for (side, dual) in [*dual, dual.mirrored()].into_iter().enumerate().take(self.sides()) {
                let range = self.terms.negative(&dual);
                let stretch = &stretch[side];
                for report in self.reports_between(stretch.from + range[0], stretch.to + range[1]) {
                    let gradient = self.terms.near(stretch, range, self.layout.reports[report]);
                    visit(Near { element, side, dual, range, report, gradient });
                }
            }
        }
    }

    fn reports_between(&self, low: f64, high: f64) -> Range<usize> {
        let steps = |place: f64| (place - self.layout.reports[0]) / self.layout.spacing();
        let last = self.layout.reports.len() as f64;
        let [first, end] = [steps(low).ceil(), steps(high).floor() + 1.0].map(|step| step.clamp(0.0, last));
        first as usize..end as usize
    }

    /// What is maximised.
    fn height(&self, state: &State, mu: f64) -> f64 {
        let elements = self.layout.elements.iter().zip(&state.duals);
        let walls = elements.map(|(element, dual)| {
            let weight = if element.share.is_none() { dual.weight.ln() } else { 0.0 };
            let room = self.room(element, dual).map(f64::ln);
            weight + held(element, dual).ln() + room[0] + room[1]
        });
        let values = state.values.iter().map(|value| value.ln());
        let rest = self.rest(&state.duals).ln();
        prices(&state.duals) / mu + values.sum::<f64>() + walls.sum::<f64>() + rest
    }

    /// Newton's steps for one mu, until the decrement is below `close`. Says whether there was any.
    fn climb(&self, state: &mut State, mu: f64, close: f64, stop: &Stop) -> bool {
        for step in 0..STEPS {
            let Some((direction, decrement)) = self.direction(state, mu) else { return step > 0 };
            let height = self.height(state, mu);
            let mut length = 1.0;
            let next = loop {
                let found = self.state(self.moved(&state.duals, &direction, length));
                let is_better = |next: &State| self.height(next, mu) >= height + 0.1 * length * decrement;
                match found.filter(is_better) {
                    Some(next) => break next,
                    None if length < SHORTEST => return step > 0,
                    None => length /= 2.0,
                }
            };
            *state = next;
            if decrement < close || stop.is_requested() {
                return true;
            }
        }
        true
    }

    fn moved(&self, duals: &[Dual], direction: &[f64], length: f64) -> Vec<Dual> {
        let moved = |(dual, places): (&Dual, &Places)| {
            let by = places.map(|place| place.map_or(0.0, |place| length * direction[place]));
            Dual { weight: dual.weight + by[0], price: dual.price + by[1], slope: dual.slope + by[2] }
        };
        duals.iter().zip(&self.places).map(moved).collect()
    }

    /// Newton's direction, and by how much it promises to improve.
    fn direction(&self, state: &State, mu: f64) -> Option<(Vec<f64>, f64)> {
        let mut matrix = Symmetric::zeros(self.variables);
        let mut rows = self.far.clone();
        self.for_each_near(&state.duals, |near| {
            let gradient = seen_from(near.side, near.gradient);
            for (place, entry) in self.places[near.element].iter().zip(gradient) {
                place.iter().for_each(|place| rows[near.report][*place] += entry / self.sides() as f64);
            }
            self.add_bends(&mut matrix, &near, state.values[near.report]);
        });
        let mut slopes = vec![0.0; self.variables];
        for (row, value) in rows.iter_mut().zip(&state.values) {
            for (entry, slope) in row.iter_mut().zip(&mut slopes) {
                *entry /= value;
                *slope += *entry;
            }
        }
        matrix.add_squares(&rows);
        self.add_walls(&mut matrix, &mut slopes, &state.duals, mu);
        let direction = matrix.solve(&slopes)?;
        let decrement = dot(&direction, &slopes);
        (decrement.is_finite() && decrement > 0.0).then_some((direction, decrement))
    }

    fn add_bends(&self, matrix: &mut Symmetric, near: &Near, value: f64) {
        let (stretch, report) = (&self.stretches[near.element][near.side], self.layout.reports[near.report]);
        let places = &self.places[near.element];
        for bend in self.terms.bends(stretch, &near.dual, near.range, report) {
            let strength = bend.strength / value / self.sides() as f64;
            let direction = seen_from(near.side, bend.direction);
            for one in 0..places.len() {
                for other in 0..=one {
                    if let (Some(row), Some(column)) = (places[one], places[other]) {
                        matrix.add(row, column, strength * direction[one] * direction[other]);
                    }
                }
            }
        }
    }

    /// What the prices and the walls around weights and prices add.
    fn add_walls(&self, matrix: &mut Symmetric, slopes: &mut [f64], duals: &[Dual], mu: f64) {
        let mut of_rest = vec![0.0; self.variables];
        let rest = self.rest(duals).recip();
        let mut wall = |place: usize, number: f64| {
            slopes[place] += number.recip();
            matrix.add(place, place, number.powi(-2));
        };
        for ((places, dual), element) in self.places.iter().zip(duals).zip(&self.layout.elements) {
            if let Some(place) = places[0] {
                wall(place, dual.weight);
                of_rest[place] = rest;
            }
            match places {
                [_, _, Some(place)] if element.is_tip() => wall(*place, dual.slope),
                [_, Some(place), _] => wall(*place, dual.price),
                _ => {}
            }
            if let Some(place) = places[2].filter(|_| !element.is_tip()) {
                let [below, above] = self.room(element, dual);
                wall(place, below);
                wall(place, -above);
            }
        }
        matrix.add_square(&of_rest);
        slopes.iter_mut().zip(&of_rest).for_each(|(slope, rest)| *slope -= rest);
        self.places.iter().filter_map(|places| places[1]).for_each(|place| slopes[place] += mu.recip());
    }
}

/// The derivatives by an element's own numbers: its mirror image has the opposite slope.
fn seen_from(side: usize, [weight, price, slope]: Gradient) -> Gradient {
    [weight, price, if side == 0 { slope } else { -slope }]
}

/// The number of an element that must stay above zero beside its weight: the price, at a tip the slope outwards.
fn held(element: &Element, dual: &Dual) -> f64 {
    if element.is_tip() { dual.slope * element.outwards() } else { dual.price }
}

/// The sum of the prices.
fn prices(duals: &[Dual]) -> f64 {
    duals.iter().map(|dual| dual.price).sum()
}
