//! Brackets of everything that is asked about numbers and angles.

use super::values::{Direction, Function, Points, Values};
use crate::bounds::{Bracket, Design, Purpose, Side};
use nalgebra::{DMatrix, DVector};
use privet_core::parallel;
use std::collections::HashMap;
use std::f64::consts::TAU;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A question about the value of each person, whose mean over people is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// The value itself.
    Value,
    /// Whether it lies in a range of fractions of the domain, given by their bits.
    Inside([u64; 2]),
    /// The cosine of its difference to an angle: so many of [`Question::ANGLES`] parts of a turn.
    Along(usize),
}

impl Question {
    /// Directions are told apart up to this part of a turn.
    pub(super) const ANGLES: usize = 3600;

    pub(super) fn inside(range: [f64; 2]) -> Self {
        Self::Inside(range.map(f64::to_bits))
    }
}

/// Designs brackets for one channel and one number of reports, and keeps them.
#[derive(Debug)]
pub(super) struct Brackets {
    /// For the groups that weights of ranges are designed for.
    values: Values,
    points: Points,
    reference: Reference,
    purpose: Purpose,
    /// For the groups that reports are counted in.
    finest: Arc<Values>,
    /// For smooth functions: weights that are broken lines.
    smooth: OnceLock<Smooth>,
    /// For ranges, where each group has a weight of its own.
    free: OnceLock<Arc<Local>>,
    known: Mutex<HashMap<Question, Arc<Bracket>>>,
    circular: OnceLock<Circular>,
}

/// Weights for cosine and sine, and for the products of their means: of the cosine with itself, of both, of the sine with itself.
#[derive(Debug)]
struct Circular {
    components: Vec<Vec<f64>>,
    products: Vec<Vec<f64>>,
}

/// What weights for smooth functions are designed with.
#[derive(Debug)]
struct Smooth {
    points: Points,
    local: Local,
}

/// A design for weights that have fewer degrees of freedom than there are groups.
#[derive(Debug)]
struct Local {
    shape: Shape,
    design: Option<Design>,
    /// The points at which weights are designed.
    rows: Vec<usize>,
    /// Their laws in the coordinates of the shape, in rows.
    laws: DMatrix<f64>,
}

/// How the weights of groups follow from fewer numbers: each is a mean of two of them.
#[derive(Debug)]
struct Shape {
    of_groups: Vec<Mean>,
    count: usize,
}

/// `(1 - share) x first + share x second`.
#[derive(Debug, Clone, Copy)]
struct Mean {
    first: usize,
    second: usize,
    share: f64,
}

/// The share of the reference population that is evenly spread; the rest is at both ends, where intervals of means are longest.
const EVEN_FOR_MEANS: f64 = 0.6;
const EVEN_FOR_RANGES: f64 = 0.95;

/// Weights are designed for groups that are halved where that makes intervals shorter by more than this part.
const WORTH_IT: f64 = 0.03;
const FEWEST_GROUPS: u32 = 32;
/// Up to so many groups each has a weight of its own. Beyond, only those have which tell the ends of a question from what is
/// next to them, and so many on each side of them.
const MOST_FREE: usize = 64;
const ON_EACH_SIDE: usize = 20;
/// Where the law of a value changes in more groups than these, it does not tell more if groups are finer.
const MOST_AT_AN_END: usize = 24;
/// The most groups that weights are designed for.
pub(super) const MOST_GROUPS: u32 = 256;

/// The most points that weights are designed at.
const MOST_POINTS: usize = 1100;
/// Where all groups around share one weight, there is a condition for one of so many points.
const FAR_STEP: usize = 16;

impl Brackets {
    /// With groups as fine as it is worth. `values` are those for the finest groups.
    pub(super) fn new(values: &Arc<Values>, purpose: Purpose) -> Self {
        let finest = values.groups();
        let mut count = FEWEST_GROUPS;
        let mut best = Self::with_values(values, values.coarsened(finest.coarsened(count)), purpose);
        let mut shortest = best.typical_length();
        while count < finest.count() as u32 {
            count *= 2;
            let finer = Self::with_values(values, values.coarsened(finest.coarsened(count)), purpose);
            let length = finer.typical_length();
            if length >= (1.0 - WORTH_IT) * shortest {
                break;
            }
            (best, shortest) = (finer, length);
        }
        best
    }

    fn with_values(finest: &Arc<Values>, values: Values, purpose: Purpose) -> Self {
        let points = values.points(MOST_POINTS);
        let reference = Reference { even: EVEN_FOR_RANGES, is_ring: values.is_ring() };
        Self {
            finest: Arc::clone(finest),
            values,
            points,
            reference,
            purpose,
            smooth: OnceLock::new(),
            free: OnceLock::new(),
            known: Mutex::default(),
            circular: OnceLock::new(),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Question, Arc<Bracket>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ranges that end at these values, in order, have the shortest intervals.
    pub(super) fn edges(&self, most: usize) -> Vec<f64> {
        let mut edges: Vec<f64> = self.points.reaches.iter().flatten().copied().collect();
        edges.sort_by(f64::total_cmp);
        edges.dedup_by(|one, two| *one - *two < 1.0 / most as f64);
        edges
    }

    /// About half of the length of the interval for the share of a range, on average over a few that end nowhere special.
    fn typical_length(&self) -> f64 {
        const ENDS: [f64; 3] = [0.0513, 0.3179, 0.6180];
        parallel::map(&ENDS, |end| self.length_up_to(*end)).iter().sum::<f64>() / ENDS.len() as f64
    }

    /// About half of the length of the interval for the share of people up to a value; endless where there are too many groups.
    fn length_up_to(&self, end: f64) -> f64 {
        let range = [0.0, end];
        let local = self.local(range);
        let Some((local, design)) = local.as_ref().and_then(|local| Some((local, local.design.as_ref()?)))
        else {
            return f64::INFINITY;
        };
        let numbers = self.numbers(local, Function::Inside(range), Direction::Upper);
        let weights = local.shape.spread(&numbers);
        let first = weights[0];
        let repaired = self.values.repair(weights, Function::Inside(range), Direction::Upper);
        let shift = repaired.weights[0] - first;
        let length = design.mean(&numbers) + shift + self.purpose.reach() * design.deviation(&numbers);
        length - self.reference.share_up_to(end)
    }

    /// Weights for the groups that reports are counted in.
    fn refined(&self, side: Side) -> Side {
        let (coarse, fine) = (self.values.groups(), self.finest.groups());
        let of_group = |group: usize| coarse.group(fine.start(group));
        let weights = (0..fine.count()).map(|group| side.weights[of_group(group)]).collect();
        side.with_weights(weights)
    }

    /// The bracket of a question.
    pub(super) fn bracket(&self, question: Question) -> Arc<Bracket> {
        let known = self.known().get(&question).cloned();
        known.unwrap_or_else(|| {
            let bracket = Arc::new(self.design(question));
            self.known().insert(question, Arc::clone(&bracket));
            bracket
        })
    }

    /// Designs the brackets of many questions on all cores.
    pub(super) fn prepare(&self, questions: impl Iterator<Item = Question>) {
        let known = self.known();
        let mut new: Vec<Question> = questions.filter(|question| !known.contains_key(question)).collect();
        drop(known);
        new.dedup();
        let designed = parallel::map(&new, |question| Arc::new(self.design(*question)));
        self.known().extend(new.into_iter().zip(designed));
    }

    fn design(&self, question: Question) -> Bracket {
        match question {
            Question::Value => self.of_value(),
            Question::Inside(bits) => self.of_range(bits.map(f64::from_bits)),
            Question::Along(index) => self.along(TAU * index as f64 / Question::ANGLES as f64),
        }
    }

    fn of_value(&self) -> Bracket {
        let smooth = self.smooth();
        let function = Function::Smooth(&|value| value, 0.0);
        let side = |direction: Direction| {
            let wanted =
                smooth.points.reaches.iter().map(|reach| self.finest.largest(function, direction, *reach));
            let weights = smooth.weights(&wanted.collect::<Vec<_>>(), self.purpose);
            self.with_squares(self.finest.repair(weights, function, direction))
        };
        Bracket::new(side(Direction::Upper), side(Direction::Lower), false)
    }

    fn smooth(&self) -> &Smooth {
        self.smooth.get_or_init(|| {
            let points = self.finest.points(MOST_POINTS);
            let shape = Shape::broken_line(self.finest.groups().count());
            let rows = (0..points.reaches.len()).collect();
            let reference = Reference { even: EVEN_FOR_MEANS, is_ring: self.finest.is_ring() };
            let local = Local::new(shape, rows, &points, reference, self.purpose);
            Smooth { points, local }
        })
    }

    fn of_range(&self, range: [f64; 2]) -> Bracket {
        let local = self.local(range);
        let side = |direction: Direction| {
            let function = Function::Inside(range);
            let weights = match &local {
                Some(local) => local.shape.spread(&self.numbers(local, function, direction)),
                None => vec![0.0; self.values.groups().count()],
            };
            self.refined(self.values.repair(weights, function, direction))
        };
        // People who are spread over a stretch that a range cuts are neither inside nor outside.
        Bracket::new(side(Direction::Upper), side(Direction::Lower), !self.values.is_spread())
    }

    /// The design for a range, if there are not too many groups.
    fn local(&self, range: [f64; 2]) -> Option<Arc<Local>> {
        let (groups, points) = (self.values.groups().count(), self.points.reaches.len());
        if groups <= MOST_FREE {
            let make = || {
                let rows = (0..points).collect();
                Local::new(Shape::free(groups), rows, &self.points, self.reference, self.purpose)
            };
            return Some(Arc::clone(self.free.get_or_init(|| Arc::new(make()))));
        }
        // On a line nothing lies beyond the ends of the domain.
        let is_ring = self.values.is_ring();
        let from = Some(range[0]).filter(|from| is_ring || *from > 0.0);
        let to = Some(range[1]).filter(|to| is_ring || *to < 1.0);
        let ends: Vec<f64> = from.into_iter().chain(to).collect();
        let mut matters = vec![false; groups];
        for end in &ends {
            let near = self.values.groups_that_change(*end);
            if near.len() > MOST_AT_AN_END {
                return None;
            }
            matters[near].fill(true);
        }
        let shape = Shape::free_where(&matters);
        // Wherever reports fall into groups with weights of their own, every point has a condition of its own.
        let own = shape.own_groups();
        let mass = |point: usize| own.iter().map(|group| self.points.laws[(point, *group)]).sum::<f64>();
        let masses: Vec<f64> = (0..points).map(mass).collect();
        let [low, high] =
            masses.iter().fold([f64::MAX, f64::MIN], |[low, high], x| [low.min(*x), high.max(*x)]);
        let is_near = |point: usize| masses[point] > low + 0.05 * (high - low);
        let rows =
            (0..points).filter(|point| is_near(*point) || point % FAR_STEP == 0 || point + 1 == points);
        Some(Arc::new(Local::new(shape, rows.collect(), &self.points, self.reference, self.purpose)))
    }

    /// Weights for one side of a range, in the coordinates of the shape. They are not repaired yet.
    fn numbers(&self, local: &Local, function: Function<'_>, direction: Direction) -> Vec<f64> {
        let ends = match function {
            Function::Inside(range) => self.values.laws_at(&range),
            _ => Vec::new(),
        };
        let reaches = local.rows.iter().map(|row| self.points.reaches[*row]);
        let reaches = reaches.chain(ends.iter().map(|(end, _)| [*end; 2]));
        let wanted: Vec<f64> = reaches.map(|reach| self.values.largest(function, direction, reach)).collect();
        let mut laws = local.laws.clone().resize_vertically(wanted.len(), 0.0);
        for (row, (_, law)) in (local.laws.nrows()..).zip(&ends) {
            laws.row_mut(row).copy_from_slice(&local.shape.merge(law));
        }
        let design = local.design.as_ref();
        let found = design.and_then(|design| design.majorant(&laws, &wanted, self.purpose.reach()));
        found.unwrap_or_else(|| vec![0.0; local.laws.ncols()])
    }

    /// The bracket of the cosine of the difference to an angle, in radians. It is made of the same weights for all angles, each
    /// with the bias that it has there.
    fn along(&self, angle: f64) -> Bracket {
        let circular = self.circular.get_or_init(|| self.circular());
        let (cosine, sine) = (angle.cos(), angle.sin());
        let weights = combined(&circular.components, &[cosine, sine]);
        let function = |value: f64| (TAU * value - angle).cos();
        let side = |sign: f64, direction: Direction| {
            let signed = weights.iter().map(|weight| sign * weight).collect();
            let side = self.finest.repair(signed, Function::Smooth(&function, TAU * TAU), direction);
            let products = [cosine * cosine, 2.0 * cosine * sine, sine * sine].map(|part| -part);
            self.with_squares_from(side, combined(&circular.products, &products))
        };
        Bracket::new(side(1.0, Direction::Upper), side(-1.0, Direction::Lower), false)
    }

    fn circular(&self) -> Circular {
        let smooth = self.smooth();
        let of_points = |of: &dyn Fn(f64) -> f64| -> Vec<f64> {
            let middle = |reach: &[f64; 2]| TAU * f64::midpoint(reach[0], reach[1]);
            smooth.points.reaches.iter().map(|reach| of(middle(reach))).collect()
        };
        let centre = |wanted: &Vec<f64>| smooth.centre(wanted, self.purpose);
        let [cosine, sine] = [of_points(&f64::cos), of_points(&f64::sin)].map(|wanted| centre(&wanted));
        let [along, across] = [&cosine, &sine].map(|weights| smooth.means(weights));
        let product =
            |one: &[f64], two: &[f64]| -> Vec<f64> { one.iter().zip(two).map(|(a, b)| a * b).collect() };
        let products = [product(&along, &along), product(&along, &across), product(&across, &across)];
        Circular { components: vec![cosine, sine], products: products.iter().map(centre).collect() }
    }

    /// A side with a lower bound of its squared means.
    fn with_squares(&self, side: Side) -> Side {
        let smooth = self.smooth();
        let squares: Vec<f64> = smooth.means(&side.weights).iter().map(|mean| -mean * mean).collect();
        let weights = smooth.weights(&squares, self.purpose);
        self.with_squares_from(side, weights)
    }

    /// A side with a lower bound of its squared means that comes from weights for their negative.
    fn with_squares_from(&self, side: Side, negative: Vec<f64>) -> Side {
        let known = self.finest.squared_means(&side.weights);
        let below = self.finest.repair(negative, Function::Known(&known), Direction::Lower);
        side.with_squares(below.weights.iter().map(|weight| -weight).collect())
    }
}

/// The population for which intervals are shortest.
#[derive(Debug, Clone, Copy)]
struct Reference {
    /// The share of people who are spread evenly over the domain. The others are at the ends of a line.
    even: f64,
    is_ring: bool,
}

impl Reference {
    /// The share of people up to a value.
    fn share_up_to(self, value: f64) -> f64 {
        if self.is_ring { value } else { self.even * value + (1.0 - self.even) / 2.0 }
    }

    /// The shares of some points, at which the people around them are counted.
    fn shares(self, reaches: &[[f64; 2]]) -> DVector<f64> {
        let count = reaches.len();
        let mut shares: DVector<f64> = DVector::zeros(count);
        for (index, reach) in reaches.iter().enumerate() {
            shares[index] += reach[1] - reach[0];
            let next = (index + 1) % count;
            if next > 0 || self.is_ring {
                let gap = reaches[next][0] - reach[1] + if next == 0 { 1.0 } else { 0.0 };
                shares[index] += gap / 2.0;
                shares[next] += gap / 2.0;
            }
        }
        let even = if self.is_ring { 1.0 } else { self.even };
        shares *= even / shares.sum().max(f64::MIN_POSITIVE);
        shares[0] += (1.0 - even) / 2.0;
        shares[count - 1] += (1.0 - even) / 2.0;
        shares
    }
}

impl Smooth {
    /// Weights of all groups whose means at the points are at least what is wanted.
    fn weights(&self, wanted: &[f64], purpose: Purpose) -> Vec<f64> {
        let design = self.local.design.as_ref();
        let found = design.and_then(|design| design.majorant(&self.local.laws, wanted, purpose.reach()));
        // A constant, which is moved to where it must be.
        self.local.shape.spread(&found.unwrap_or_else(|| vec![0.0; self.local.laws.ncols()]))
    }

    /// Weights between both sides of a function of the points.
    fn centre(&self, wanted: &[f64], purpose: Purpose) -> Vec<f64> {
        let negative: Vec<f64> = wanted.iter().map(|value| -value).collect();
        let [upper, lower] = [wanted, &negative].map(|wanted| self.weights(wanted, purpose));
        upper.iter().zip(lower).map(|(upper, lower)| (upper - lower) / 2.0).collect()
    }

    /// The means of weights of groups at the points.
    fn means(&self, weights: &[f64]) -> Vec<f64> {
        (&self.points.laws * DVector::from_column_slice(weights)).as_slice().to_vec()
    }
}

impl Local {
    fn new(shape: Shape, rows: Vec<usize>, points: &Points, reference: Reference, purpose: Purpose) -> Self {
        let laws = shape.merge_all(&points.laws, &rows);
        let reaches: Vec<[f64; 2]> = rows.iter().map(|row| points.reaches[*row]).collect();
        // Of the same points that the conditions are about: others would be free to fall below.
        let design = Design::new(&laws, &reference.shares(&reaches), purpose.share());
        Self { shape, design, rows, laws }
    }
}

impl Shape {
    /// A number for each group.
    fn free(groups: usize) -> Self {
        let of_groups = (0..groups).map(|group| Mean { first: group, second: group, share: 0.0 }).collect();
        Self { of_groups, count: groups }
    }

    /// A broken line.
    fn broken_line(groups: usize) -> Self {
        let count = groups.min(MOST_FREE);
        let place = |group: usize| {
            let at = group as f64 * (count - 1) as f64 / (groups.max(2) - 1) as f64;
            let first = (at as usize).min(count.saturating_sub(2));
            Mean { first, second: (first + 1).min(count - 1), share: at - first as f64 }
        };
        Self { of_groups: (0..groups).map(place).collect(), count }
    }

    /// A number for each group near to one that matters, and one for all between two such stretches.
    fn free_where(matters: &[bool]) -> Self {
        let is_near = |group: usize| {
            let near = group.saturating_sub(ON_EACH_SIDE)..(group + ON_EACH_SIDE + 1).min(matters.len());
            matters[near].contains(&true)
        };
        let mut of_groups = Vec::with_capacity(matters.len());
        let mut count = 0;
        let mut was_near = true;
        for group in 0..matters.len() {
            let is_near = is_near(group);
            count += usize::from(is_near || was_near);
            was_near = is_near;
            of_groups.push(Mean { first: count - 1, second: count - 1, share: 0.0 });
        }
        Self { of_groups, count }
    }

    /// The groups that share their weight with no other.
    fn own_groups(&self) -> Vec<usize> {
        let mut members = vec![0usize; self.count];
        self.of_groups.iter().for_each(|mean| members[mean.first] += 1);
        (0..self.of_groups.len()).filter(|group| members[self.of_groups[*group].first] == 1).collect()
    }

    /// A law in the coordinates of the shape.
    fn merge(&self, law: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (mass, Mean { first, second, share }) in law.iter().zip(&self.of_groups) {
            sums[*first] += (1.0 - share) * mass;
            sums[*second] += share * mass;
        }
        sums
    }

    /// Some laws in the coordinates of the shape.
    fn merge_all(&self, laws: &DMatrix<f64>, rows: &[usize]) -> DMatrix<f64> {
        let mut sums = DMatrix::zeros(rows.len(), self.count);
        for (column, Mean { first, second, share }) in laws.column_iter().zip(&self.of_groups) {
            for (at, row) in rows.iter().enumerate() {
                sums[(at, *first)] += (1.0 - share) * column[*row];
                sums[(at, *second)] += share * column[*row];
            }
        }
        sums
    }

    /// The weights of all groups.
    fn spread(&self, numbers: &[f64]) -> Vec<f64> {
        let weight =
            |mean: &Mean| numbers[mean.first] + mean.share * (numbers[mean.second] - numbers[mean.first]);
        self.of_groups.iter().map(weight).collect()
    }
}

/// A sum of weights.
fn combined(weights: &[Vec<f64>], factors: &[f64]) -> Vec<f64> {
    let group =
        |group: usize| weights.iter().zip(factors).map(|(weights, factor)| factor * weights[group]).sum();
    (0..weights.first().map_or(0, Vec::len)).map(group).collect()
}
