//! Cells that are equally likely, moved until their windows serve the people best.
//!
//! Three steps are taken in turn, and none of them makes the average loss larger: the window of a place becomes the cells
//! nearest to it; the number of cells in a window becomes the best one; each cell moves towards the place whose expected
//! distance to the people who report it is smallest (their weighted geometric median, by Weiszfeld's step).

use super::sites::{Motion, Sites, Symmetry, distance};
use privet_core::parallel;

/// Cells as leaders and motions: each leader stands for all places that the motions take it to, so the whole is symmetric.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    leaders: Vec<[f64; 2]>,
    motions: Vec<Motion>,
    widths: [f64; 2],
}

/// The people that cells are moved for.
#[derive(Debug, Clone)]
pub(super) struct Served<'a> {
    /// Where they are.
    pub(super) people: &'a Sites,
    /// The probability of each place of an orbit.
    pub(super) shares: Vec<f64>,
    /// e^epsilon.
    pub(super) factor: f64,
    /// Whether the worst place counts, not the average.
    pub(super) is_minimax: bool,
}

/// Cells with the best number of them in a window, and the loss that they have.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) cells: Cells,
    pub(super) window: usize,
    pub(super) loss: f64,
}

/// For each leader of the people: the cells from the nearest to the farthest, and the sums of the distances on the way.
struct Neighbours {
    order: Vec<u32>,
    sums: Vec<f64>,
}

impl Cells {
    /// About `count` cells, as dense as a measure on a grid of outputs says; outputs that get several have them in a small
    /// circle.
    pub(super) fn of_measure(
        outputs: &Sites,
        measure: &[f64],
        symmetry: Symmetry,
        widths: [f64; 2],
        count: usize,
    ) -> Self {
        let motions = symmetry.motions();
        let wanted = (count as f64 / motions.len() as f64).max(2.0);
        let masses: Vec<f64> =
            measure.iter().zip(&outputs.sizes).map(|(measure, size)| measure * size).collect();
        let total: f64 = masses.iter().sum();
        let spacing = (widths[0] / outputs.shape[0] as f64).min(widths[1] / outputs.shape[1] as f64);
        let mut leaders = Vec::new();
        let mut due = 0.5;
        for (mass, leader) in masses.iter().zip(&outputs.leaders) {
            due += mass / total * wanted;
            let here = due.floor().max(0.0);
            due -= here;
            let middle = outputs.places[*leader];
            for number in 0..here as usize {
                // The golden angle spreads points evenly over a disc.
                let (angle, radius) = (2.4 * number as f64, 0.35 * spacing * (number as f64 / here).sqrt());
                let moved = [middle[0] + radius * angle.cos(), middle[1] + radius * angle.sin()];
                leaders.push(std::array::from_fn(|axis: usize| moved[axis].clamp(0.0, widths[axis])));
            }
        }
        Self { leaders, motions, widths }
    }

    /// Where all cells lie: the images of the first leader, then those of the second, and so on.
    pub(super) fn places(&self) -> Vec<[f64; 2]> {
        let images = |leader: &[f64; 2]| {
            let leader = *leader;
            self.motions.iter().map(move |motion| motion.place(leader, self.widths))
        };
        self.leaders.iter().flat_map(images).collect()
    }

    /// Moves the cells for at most `rounds` rounds and gives the best that was met.
    pub(super) fn improve(
        mut self,
        mut served: Served<'_>,
        rounds: usize,
        mut goes_on: impl FnMut(f64) -> bool,
    ) -> Option<Placed> {
        let mut best: Option<Placed> = None;
        for _ in 0..rounds {
            let neighbours = served.neighbours(&self.places());
            let (window, loss) = served.best_window(&neighbours);
            if best.as_ref().is_none_or(|best| loss < best.loss) {
                best = Some(Placed { cells: self.clone(), window, loss });
            }
            if !goes_on(best.as_ref().map_or(loss, |best| best.loss)) {
                break;
            }
            if served.is_minimax {
                served.blame(&neighbours, window);
            }
            self.step(&served, &neighbours, window);
        }
        best
    }

    /// Moves each cell towards its median, with the windows as they are.
    fn step(&mut self, served: &Served<'_>, neighbours: &[Neighbours], window: usize) {
        const MEDIAN_STEPS: usize = 3;
        let count = self.leaders.len() * self.motions.len();
        // Which cells are in the window of which leader of the people, cell by cell.
        let mut is_near = vec![false; count * neighbours.len()];
        for (number, neighbours_of) in neighbours.iter().enumerate() {
            for cell in &neighbours_of.order[..window] {
                is_near[*cell as usize * neighbours.len() + number] = true;
            }
        }
        let people: Vec<([f64; 2], f64)> = served.people_leaders().collect();
        let numbers: Vec<usize> = (0..self.leaders.len()).collect();
        self.leaders = parallel::map(&numbers, |number| {
            let mut leader = self.leaders[*number];
            for _ in 0..MEDIAN_STEPS {
                leader = self.median_step(leader, *number, &people, &is_near, served.factor);
            }
            leader
        });
    }

    /// One step of Weiszfeld's: the mean of the people, each weighted with its share over its distance.
    fn median_step(
        &self,
        leader: [f64; 2],
        number: usize,
        people: &[([f64; 2], f64)],
        is_near: &[bool],
        factor: f64,
    ) -> [f64; 2] {
        // Closer than this a distance counts as this: a cell must be able to leave a place where somebody is.
        const CLOSEST: f64 = 1e-3;
        let (mut sum, mut total) = ([0.0; 2], 0.0);
        for (image, motion) in self.motions.iter().enumerate() {
            let place = motion.place(leader, self.widths);
            let row = (number * self.motions.len() + image) * people.len();
            let (mut part, mut weight_sum) = ([0.0; 2], 0.0);
            for ((from, share), is_near) in people.iter().zip(&is_near[row..]) {
                let weight =
                    share * if *is_near { factor } else { 1.0 } / distance(*from, place).max(CLOSEST);
                part[0] += weight * from[0];
                part[1] += weight * from[1];
                weight_sum += weight;
            }
            if weight_sum > 0.0 {
                let back = motion.origin([part[0] / weight_sum, part[1] / weight_sum], self.widths);
                sum[0] += weight_sum * back[0];
                sum[1] += weight_sum * back[1];
                total += weight_sum;
            }
        }
        if total > 0.0 { [sum[0] / total, sum[1] / total] } else { leader }
    }
}

impl Served<'_> {
    /// The leaders of the people with the probability of their orbits.
    fn people_leaders(&self) -> impl Iterator<Item = ([f64; 2], f64)> + '_ {
        let weights = self.shares.iter().zip(&self.people.sizes).map(|(share, size)| share * size);
        self.people.leaders.iter().map(|leader| self.people.places[*leader]).zip(weights)
    }

    fn neighbours(&self, cells: &[[f64; 2]]) -> Vec<Neighbours> {
        parallel::map(&self.people.leaders, |leader| {
            let from = self.people.places[*leader];
            let mut near: Vec<(f64, u32)> =
                (0u32..).zip(cells).map(|(index, place)| (distance(from, *place), index)).collect();
            near.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
            let mut sum = 0.0;
            let sums = near.iter().map(|(away, _)| {
                sum += away;
                sum
            });
            let sums = sums.collect();
            Neighbours { order: near.into_iter().map(|(_, index)| index).collect(), sums }
        })
    }

    /// The loss of one leader of the people for a window of `window` cells.
    fn loss(&self, neighbours: &Neighbours, window: usize) -> f64 {
        let (count, more) = (neighbours.sums.len() as f64, self.factor - 1.0);
        let all = neighbours.sums.last().copied().unwrap_or(0.0);
        (all + more * neighbours.sums[window - 1]) / (count + more * window as f64)
    }

    /// The number of cells in a window for which the loss is smallest, and that loss.
    fn best_window(&self, neighbours: &[Neighbours]) -> (usize, f64) {
        let count = neighbours.first().map_or(0, |first| first.sums.len());
        let weights: Vec<f64> = self.people_leaders().map(|(_, weight)| weight).collect();
        let loss_of = |window: usize| {
            let losses = neighbours.iter().map(|neighbours| self.loss(neighbours, window));
            if self.is_minimax {
                losses.fold(0.0, f64::max)
            } else {
                losses.zip(&weights).map(|(loss, weight)| loss * weight).sum()
            }
        };
        let mut best = (1, f64::INFINITY);
        for window in 1..count {
            let loss = loss_of(window);
            if loss < best.1 {
                best = (window, loss);
            }
        }
        best
    }

    /// Moves the people to where they are served worst.
    fn blame(&mut self, neighbours: &[Neighbours], window: usize) {
        const STEP: f64 = 0.3;
        let losses: Vec<f64> = neighbours.iter().map(|neighbours| self.loss(neighbours, window)).collect();
        let mean: f64 = self.people_leaders().zip(&losses).map(|((_, weight), loss)| weight * loss).sum();
        for (share, loss) in self.shares.iter_mut().zip(&losses) {
            *share *= (STEP * (loss / mean - 1.0)).exp();
        }
        let total: f64 = self.people_leaders().map(|(_, weight)| weight).sum();
        self.shares.iter_mut().for_each(|share| *share /= total);
    }
}
