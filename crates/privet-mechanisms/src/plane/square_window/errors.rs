//! How far readings are from the truth.
//!
//! The error at one place is the sum over all cells, and that of uniform places has a closed form. There are too many cells to
//! do the same for every place: the worst place is searched for, and averages over other priors are sums over evenly spaced
//! places and cells, within one part in a thousand.

use super::SquareWindow;
use crate::plane::{PlaneErrors, PlanePrior};
use privet_core::{Domain, InputError, Mechanism, ReportError};

/// How many cells along a side are looked at while searching.
const COARSE: u32 = 64;
/// And around the place that was found.
const FINE: u32 = 256;

impl SquareWindow {
    /// The expected distance at a place, from at most `most` evenly spaced cells along each side of the rectangle and of the
    /// window.
    fn loss_at(&self, place: [f64; 2], most: u32) -> f64 {
        let start = self.window_start(&place);
        let everywhere = self.mean_distance(place, [0, 0], self.lattice, most);
        let near = self.mean_distance(place, start, self.window, most);
        let (high, low) = (self.row.high() as f64, self.row.low() as f64);
        let (cells, window) = (f64::from(self.row.cells()), f64::from(self.row.window()));
        (low * cells * everywhere + (high - low) * window * near) / self.row.total() as f64
    }

    /// The mean distance from a place to what a block of cells is read as.
    fn mean_distance(&self, place: [f64; 2], start: [u32; 2], count: [u32; 2], most: u32) -> f64 {
        // In units of the longer side, because squares of lengths must be finite.
        let [first, second] = self.rectangle.widths();
        let longest = first.max(second);
        let offsets: [Vec<f64>; 2] = std::array::from_fn(|axis| {
            let side = self.rectangle.sides()[axis];
            let at = (place[axis] - side.low()) / longest;
            let pieces = count[axis].min(most);
            let cell = |piece: u32| {
                let rank = (f64::from(piece) + 0.5) * f64::from(count[axis]) / f64::from(pieces);
                start[axis] + rank as u32
            };
            let reading = |piece| self.readings[axis].of_cell[cell(piece) as usize];
            (0..pieces).map(|piece| reading(piece) * (side.width() / longest) - at).collect()
        });
        let line = |one: &f64| offsets[1].iter().map(|other| (one * one + other * other).sqrt()).sum::<f64>();
        let sum: f64 = offsets[0].iter().map(line).sum();
        longest * sum / (offsets[0].len() * offsets[1].len()) as f64
    }

    /// The shares of the sides at which the error is largest, by smaller and smaller steps from the largest on a grid.
    fn worst_shares(&self) -> [f64; 2] {
        let steps = 32u32;
        let loss = |shares: [f64; 2], most| self.loss_at(self.rectangle.point_at(shares), most);
        let places = (0..=steps).flat_map(|first| (0..=steps).map(move |second| [first, second]));
        let mut best = ([0.0; 2], f64::NEG_INFINITY);
        for place in places {
            let shares = place.map(|step| f64::from(step) / f64::from(steps));
            let value = loss(shares, COARSE);
            best = if value > best.1 { (shares, value) } else { best };
        }
        best.1 = loss(best.0, FINE);
        let mut step = 0.5 / f64::from(steps);
        for _ in 0..8 {
            for [first, second] in [[step, 0.0], [-step, 0.0], [0.0, step], [0.0, -step]] {
                let shares = [(best.0[0] + first).clamp(0.0, 1.0), (best.0[1] + second).clamp(0.0, 1.0)];
                let value = loss(shares, FINE);
                best = if value > best.1 { (shares, value) } else { best };
            }
            step /= 2.0;
        }
        best.0
    }
}

impl PlaneErrors for SquareWindow {
    fn reported_place(&self, report: &[u8]) -> Result<[f64; 2], ReportError> {
        Ok(self.output_value(self.decode(report)?))
    }

    fn expected_loss(&self, place: [f64; 2]) -> Result<f64, InputError> {
        self.rectangle.check(&place)?;
        Ok(self.loss_at(place, u32::MAX))
    }

    /// The largest that a search finds; the error there is exact.
    fn worst_loss(&self) -> (f64, [f64; 2]) {
        let place = self.rectangle.point_at(self.worst_shares());
        (self.loss_at(place, u32::MAX), place)
    }

    fn average_loss(&self, prior: &PlanePrior) -> f64 {
        if prior.is_uniform() {
            return self.average_error;
        }
        let shape = prior.shape();
        let within = shape.map(|parts| COARSE.div_ceil(parts));
        let share = |axis: usize, part: u32, place: u32| {
            (f64::from(part) + (f64::from(place) + 0.5) / f64::from(within[axis])) / f64::from(shape[axis])
        };
        let of_part = |part: [u32; 2]| {
            let places = (0..within[0]).flat_map(|first| (0..within[1]).map(move |second| [first, second]));
            let loss = |place: [u32; 2]| {
                let shares = std::array::from_fn(|axis| share(axis, part[axis], place[axis]));
                self.loss_at(self.rectangle.point_at(shares), COARSE)
            };
            places.map(loss).sum::<f64>() / f64::from(within[0] * within[1])
        };
        let parts = (0..shape[0]).flat_map(|first| (0..shape[1]).map(move |second| [first, second]));
        let weighted = parts.map(|part| (part, prior.probability(part)));
        let sums = weighted.filter(|(_, probability)| *probability > 0.0);
        sums.map(|(part, probability)| probability * of_part(part)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Category, Channel, Epsilon, Interval, Rectangle};

    fn mechanism(lattice: [u32; 2]) -> SquareWindow {
        let sides = [Interval::new(0.0, 1.0).unwrap(), Interval::new(-1.0, 1.0).unwrap()];
        SquareWindow::with_lattice(Rectangle::new(sides).unwrap(), Epsilon::new(3.0).unwrap(), lattice)
            .unwrap()
    }

    #[test]
    fn the_error_at_a_place_is_the_sum_over_all_reports() {
        let mechanism = mechanism([12, 20]);
        for place in [[0.0, -1.0], [0.3, 0.45], [1.0, 0.0]] {
            let expected: f64 = (0..240)
                .map(|cell| {
                    let read = mechanism.output_value(Category(cell));
                    let distance = (read[0] - place[0]).hypot(read[1] - place[1]);
                    mechanism.probability(&place, &Category(cell)).to_f64() * distance
                })
                .sum();
            assert!((mechanism.expected_loss(place).unwrap() / expected - 1.0).abs() < 1e-12);
        }
        assert!(mechanism.expected_loss([1.1, 0.0]).is_err());
    }

    #[test]
    fn no_place_of_a_finer_grid_is_worse() {
        let mechanism = mechanism([200, 400]);
        let (worst, place) = mechanism.worst_loss();
        assert_eq!(mechanism.expected_loss(place).unwrap(), worst);
        for first in 0..=40 {
            for second in 0..=40 {
                let place = [f64::from(first) / 40.0, f64::from(second) / 20.0 - 1.0];
                assert!(mechanism.loss_at(place, FINE) < worst * 1.001);
            }
        }
    }

    #[test]
    fn averages_are_means_over_places() {
        let mechanism = mechanism([100, 200]);
        let mean = |low: [f64; 2], widths: [f64; 2]| {
            let at = |index: u32| (f64::from(index) + 0.5) / 40.0;
            let place =
                |index: u32| [low[0] + widths[0] * at(index / 40), low[1] + widths[1] * at(index % 40)];
            (0..1600).map(|index| mechanism.expected_loss(place(index)).unwrap()).sum::<f64>() / 1600.0
        };
        let uniform = mechanism.average_loss(&PlanePrior::uniform());
        assert!((uniform / mean([0.0, -1.0], [1.0, 2.0]) - 1.0).abs() < 2e-3);
        let corner = PlanePrior::new([2, 4], vec![0, 0, 0, 0, 3, 0, 0, 0]).unwrap();
        let there = mechanism.average_loss(&corner);
        assert!((there / mean([0.5, -1.0], [0.5, 0.5]) - 1.0).abs() < 1e-3);
        assert!(there > 1.08 * uniform, "{there} {uniform}");
    }
}
