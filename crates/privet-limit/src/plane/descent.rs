//! The best channel on grids of places and outputs, by descent.
//!
//! For a measure q on the outputs, the best channel with q <= P(. given x) <= E q has the loss v(x) = max over r of
//! r + sum_y q(y) f(|x - y| - r) at x, where f(t) = min(t, E t); the best r is the radius of the window whose measure makes
//! the row add up to one. Weighted with the people p, this is convex in q, and its slope at y is the balance
//! G(y) = sum_x p(x) f(|x - y| - r(x)) of the certificate. So q falls where the balance is positive and rises where it is
//! negative; for the worst case, p rises at the same time where v is large. Steps are multiplicative, and it is averages over
//! many of them that count.

use super::sites::{Sites, distance};
use crate::Stop;
use privet_core::parallel;

/// A measure on the outputs and the people, both constant on orbits.
#[derive(Debug, Clone)]
pub(super) struct Descent {
    pub(super) people: Sites,
    pub(super) outputs: Sites,
    factor: f64,
    is_minimax: bool,
    /// For each leader of the people the outputs from the nearest to the farthest.
    orders: Vec<Vec<u32>>,
    /// The probability of each place, one number for each orbit of people.
    pub(super) shares: Vec<f64>,
    /// The measure of each output, one number for each orbit.
    pub(super) measure: Vec<f64>,
}

/// Where a descent stands.
#[derive(Debug, Clone)]
struct Standing {
    /// The radius of the window of each orbit of people.
    radii: Vec<f64>,
    /// The balance of each orbit of outputs.
    balances: Vec<f64>,
    /// How fast the balance rises when all radii shrink.
    slopes: Vec<f64>,
    /// The expected loss of each orbit of people.
    losses: Vec<f64>,
}

impl Descent {
    /// `shares` is the probability of each place of an orbit of people, or `None` if they may be anywhere.
    pub(super) fn new(people: Sites, outputs: Sites, factor: f64, shares: Option<Vec<f64>>) -> Self {
        let is_minimax = shares.is_none();
        let even = || vec![1.0 / people.places.len() as f64; people.leaders.len()];
        let shares = shares.unwrap_or_else(even);
        let orders = parallel::map(&people.leaders, |leader| {
            let from = people.places[*leader];
            let mut order: Vec<(f64, u32)> =
                (0u32..).zip(&outputs.places).map(|(index, place)| (distance(from, *place), index)).collect();
            order.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
            order.into_iter().map(|(_, index)| index).collect()
        });
        // A window of about the mass that balances high and low on a plane.
        let count = outputs.places.len() as f64;
        let share = 1.0 / (1.0 + factor.sqrt());
        let measure = vec![1.0 / (count * (1.0 + (factor - 1.0) * share)); outputs.leaders.len()];
        Self { people, outputs, factor, is_minimax, orders, shares, measure }
    }

    /// The total mass of the measure.
    fn mass(&self) -> f64 {
        self.measure.iter().zip(&self.outputs.sizes).map(|(measure, size)| measure * size).sum()
    }

    /// The measure of a window with which a row adds up to one.
    fn near_mass(&self) -> f64 {
        (1.0 - self.mass()) / (self.factor - 1.0)
    }

    fn standing(&self) -> Standing {
        let target = self.near_mass();
        let numbers: Vec<usize> = (0..self.orders.len()).collect();
        let rows = parallel::map(&numbers, |number| self.row(*number, target, self.is_minimax));
        let (radii, losses): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
        Standing { losses, ..self.with_radii(radii) }
    }

    /// The balances that belong to radii.
    fn with_radii(&self, radii: Vec<f64>) -> Standing {
        let weights: Vec<(f64, f64, [f64; 2])> = self
            .people
            .places
            .iter()
            .zip(&self.people.orbits)
            .map(|(place, orbit)| (self.shares[*orbit], radii[*orbit], *place))
            .collect();
        let columns = parallel::map(&self.outputs.leaders, |leader| {
            let place = self.outputs.places[*leader];
            let (mut positive, mut negative, mut inside) = (0.0, 0.0, 0.0);
            for (share, radius, from) in &weights {
                let excess = distance(*from, place) - radius;
                positive += share * excess;
                negative += share * excess.min(0.0);
                inside += if excess < 0.0 { *share } else { 0.0 };
            }
            let more = self.factor - 1.0;
            (positive + more * negative, 1.0 + more * inside)
        });
        let (balances, slopes) = columns.into_iter().unzip();
        Standing { radii, balances, slopes, losses: Vec::new() }
    }

    /// The radius of the window of a leader, and the loss there if it is asked for.
    fn row(&self, number: usize, target: f64, with_loss: bool) -> (f64, f64) {
        let from = self.people.places[self.people.leaders[number]];
        let (mut near, mut near_loss, mut all_loss) = (0.0, 0.0, 0.0);
        let (mut before, mut radius) = (0.0, None);
        for output in &self.orders[number] {
            let output = *output as usize;
            let measure = self.measure[self.outputs.orbits[output]];
            let away = distance(from, self.outputs.places[output]);
            all_loss += measure * away;
            if radius.is_none() {
                if near + measure >= target {
                    let part = ((target - near) / measure).clamp(0.0, 1.0);
                    radius = Some(before + part * (away - before));
                    near_loss += (target - near) * away;
                    if !with_loss {
                        break;
                    }
                } else {
                    near += measure;
                    near_loss += measure * away;
                }
            }
            before = away;
        }
        (radius.unwrap_or(before), all_loss + (self.factor - 1.0) * near_loss)
    }

    /// The average of a quantity over the people.
    fn average(&self, values: &[f64]) -> f64 {
        let weights = self.shares.iter().zip(&self.people.sizes);
        values.iter().zip(weights).map(|(value, (share, size))| value * share * size).sum()
    }

    /// One step. With a public prior the people stay where they are; otherwise they move to where they are served worst.
    ///
    /// `unit` is the size of a usual balance. It must not change within a round: the changes of a measure add up to the sum
    /// of its balances only then, and so the average balance of a round vanishes.
    fn step(&mut self, standing: &Standing, unit: f64, size: f64) {
        for (measure, balance) in self.measure.iter_mut().zip(&standing.balances) {
            *measure *= (-size * balance / unit).clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp();
        }
        // Rows can add up to one only if the mass lies between 1/E and 1.
        let mass = self.mass();
        let allowed = mass.clamp(self.factor.powf(-0.999), self.factor.powf(-0.001));
        self.measure.iter_mut().for_each(|measure| *measure *= allowed / mass);
        if self.is_minimax {
            let usual = self.average(&standing.losses);
            for (share, loss) in self.shares.iter_mut().zip(&standing.losses) {
                *share *= (size * (loss / usual - 1.0)).clamp(-LARGEST_CHANGE, LARGEST_CHANGE).exp();
            }
            let total = self.average(&vec![1.0; self.shares.len()]);
            self.shares.iter_mut().for_each(|share| *share /= total);
        }
    }

    /// How much the balance changes, where the outputs are, when all radii shrink to nothing.
    fn usual_balance(&self, standing: &Standing) -> f64 {
        let weights = self.measure.iter().zip(&self.outputs.sizes).map(|(measure, size)| measure * size);
        let sum: f64 = weights.zip(&standing.slopes).map(|(weight, slope)| weight * slope).sum();
        (sum / self.mass() * self.average(&standing.radii)).max(f64::MIN_POSITIVE)
    }

    /// Some steps, and the averages over them: both sides of the problem are convex, so averages are at least as good as
    /// the circle that the steps may run in.
    fn round(&mut self, steps: usize, size: f64, stop: &Stop) -> Averages {
        let mut sums = Averages::zero(self);
        let mut unit = None;
        for _ in 0..steps {
            let standing = self.standing();
            sums.add(self, &standing);
            let unit = *unit.get_or_insert_with(|| self.usual_balance(&standing));
            self.step(&standing, unit, size);
            if stop.is_requested() {
                break;
            }
        }
        sums.averaged()
    }

    /// What radii prove for the present people, as far as the grid sees it: the average radius, less by how much all of
    /// them must shrink so that no balance is negative.
    fn lower_bound(&self, radii: &[f64]) -> f64 {
        let standing = self.with_radii(radii.to_vec());
        let ratios = standing.balances.iter().zip(&standing.slopes).map(|(balance, slope)| -balance / slope);
        self.average(radii) - ratios.fold(f64::NEG_INFINITY, f64::max)
    }

    /// The loss of the present measure: the largest one, or the average over the people.
    fn upper_bound(&self) -> f64 {
        let target = self.near_mass();
        let numbers: Vec<usize> = (0..self.orders.len()).collect();
        let losses = parallel::map(&numbers, |number| self.row(*number, target, true).1);
        if self.is_minimax { losses.into_iter().fold(0.0, f64::max) } else { self.average(&losses) }
    }

    /// Runs until the bounds are within `goal` of each other, the rounds are used up, or the end is asked for.
    pub(super) fn run(&mut self, goal: f64, stop: &Stop, mut progress: impl FnMut(f64, f64)) -> Found {
        let mut best = Found {
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            radii: Vec::new(),
            shares: self.shares.clone(),
            measure: self.measure.clone(),
        };
        // The first round; later ones are longer, and their steps shorter where nothing was gained.
        let (mut steps, mut size) = if self.is_minimax { (150, 0.5) } else { (100, 0.6) };
        let mut idle = 0;
        for _ in 0..ROUNDS {
            let averages = self.round(steps, size, stop);
            let mut averaged = self.clone();
            averaged.measure.clone_from(&averages.measure);
            let upper = averaged.upper_bound();
            averaged.shares.clone_from(&averages.shares);
            let lower = averaged.lower_bound(&averages.radii);
            let is_better = lower - upper > best.lower - best.upper;
            idle = if lower > best.lower * (1.0 + STANDSTILL) { 0 } else { idle + 1 };
            if lower > best.lower {
                best = Found { lower, radii: averages.radii, shares: averages.shares, ..best };
            }
            if upper < best.upper {
                best = Found { upper, measure: averages.measure, ..best };
            }
            progress(best.lower, best.upper);
            // Cells that are not bound to a grid do better than the measure; only the worst case needs it.
            let is_idle = !self.is_minimax && idle >= if best.upper < 1.02 * best.lower { 1 } else { 3 };
            if is_idle || best.upper - best.lower <= goal * best.upper || stop.is_requested() {
                break;
            }
            if is_better {
                // The averages are a better place to go on from.
                *self = averaged;
            } else {
                size *= 0.7;
            }
            steps = steps * 5 / 4;
        }
        best
    }
}

/// No step changes a logarithm by more than this.
const LARGEST_CHANGE: f64 = 4.0;
const ROUNDS: usize = 12;
/// A lower bound that rises by less than this share in a round has arrived.
const STANDSTILL: f64 = 5e-4;

/// The best that a descent has met: bounds as the grids see them, and where they come from.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// The radius for each orbit of people, for the lower bound.
    pub(super) radii: Vec<f64>,
    /// The probability of each place of an orbit of people, for the lower bound.
    pub(super) shares: Vec<f64>,
    /// The measure of each output of an orbit, for the upper bound.
    pub(super) measure: Vec<f64>,
}

/// Sums or averages over steps. Radii are averaged with the people as weights, because the lower bound is concave in
/// people and in people times radii.
#[derive(Debug, Clone)]
struct Averages {
    measure: Vec<f64>,
    shares: Vec<f64>,
    radii: Vec<f64>,
    steps: f64,
}

impl Averages {
    fn zero(descent: &Descent) -> Self {
        let people = descent.shares.len();
        Self {
            measure: vec![0.0; descent.measure.len()],
            shares: vec![0.0; people],
            radii: vec![0.0; people],
            steps: 0.0,
        }
    }

    fn add(&mut self, descent: &Descent, standing: &Standing) {
        self.measure.iter_mut().zip(&descent.measure).for_each(|(sum, measure)| *sum += measure);
        for (orbit, share) in descent.shares.iter().enumerate() {
            self.shares[orbit] += share;
            self.radii[orbit] += share * standing.radii[orbit];
        }
        self.steps += 1.0;
    }

    fn averaged(mut self) -> Self {
        for (radius, share) in self.radii.iter_mut().zip(&mut self.shares) {
            *radius = if *share > 0.0 { *radius / *share } else { 0.0 };
            *share /= self.steps;
        }
        self.measure.iter_mut().for_each(|measure| *measure /= self.steps);
        self
    }
}
