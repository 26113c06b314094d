//! Branch and bound: reports are cut into boxes, and boxes are decided, the likeliest undecided one first.

use super::linear::{Cells, HalfSpace, in_a_plane, on_a_line};
use crate::ClassifierError;
use crate::bound::{Bound, Method};
use crate::law::ReportLaw;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What is known about a box of reports. A box has for each feature the reports above its first number and up to the second.
#[derive(Debug)]
pub(crate) enum Decision {
    /// All have the record's label.
    Same,
    /// None has.
    Different,
    /// Those inside all half-spaces have. For at most two features.
    HalfSpaces(Vec<HalfSpace>),
    /// Not known; it is to be cut at a number inside.
    Split {
        /// Across which feature.
        axis: usize,
        /// Where.
        at: f64,
    },
    /// All have the same label, which one report tells.
    Ask,
}

/// Something that can judge boxes.
pub(crate) trait Decider {
    /// Whether the report in the upper corner of a box has the record's label.
    fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError>;

    fn decide(&self, area: &[[f64; 2]]) -> Result<Decision, ClassifierError>;
}

/// When the search ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// The undecided mass of every law at which it ends.
    pub(crate) tolerance: f64,
    /// The largest number of boxes.
    pub(crate) boxes: usize,
}

struct Piece {
    area: Vec<[f64; 2]>,
    /// Its largest mass under any of the laws.
    mass: f64,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Piece {}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.mass.total_cmp(&other.mass)
    }
}

/// A search over the reports of one record under several products of laws at once. Its bounds never get worse.
pub(crate) struct Partition<'a> {
    decider: &'a dyn Decider,
    products: &'a [Vec<ReportLaw<'a>>],
    tolerance: f64,
    waiting: BinaryHeap<Piece>,
    same: Vec<f64>,
    different: Vec<f64>,
}

impl<'a> Partition<'a> {
    pub(crate) fn new(decider: &'a dyn Decider, products: &'a [Vec<ReportLaw<'a>>], tolerance: f64) -> Self {
        let features = products.first().map_or(0, Vec::len);
        let whole = |feature: usize| {
            let ends = products.iter().map(|laws| laws[feature].ends());
            ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], [from, to]| {
                [low.min(from.next_down()), high.max(to)]
            })
        };
        let area = (0..features).map(whole).collect();
        let zeros = vec![0.0; products.len()];
        Self {
            decider,
            products,
            tolerance,
            waiting: BinaryHeap::from([Piece { area, mass: 1.0 }]),
            same: zeros.clone(),
            different: zeros,
        }
    }

    /// Decides boxes until the undecided mass is small or there were enough of them.
    pub(crate) fn run(&mut self, stop: Stop) -> Result<(), ClassifierError> {
        for _ in 0..stop.boxes {
            let undecided =
                self.same.iter().zip(&self.different).map(|(same, different)| 1.0 - same - different);
            if undecided.fold(0.0, f64::max) <= stop.tolerance || !self.step()? {
                break;
            }
        }
        Ok(())
    }

    /// Decides or cuts one box. `false` when there is none left.
    pub(crate) fn step(&mut self) -> Result<bool, ClassifierError> {
        let Some(Piece { area, .. }) = self.waiting.pop() else { return Ok(false) };
        match self.decider.decide(&area)? {
            Decision::Same => self.count(&area, true),
            Decision::Different => self.count(&area, false),
            Decision::Ask => {
                let is_same = self.decider.ask(&area)?;
                self.count(&area, is_same);
            }
            Decision::HalfSpaces(half_spaces) => self.count_half_spaces(&area, &half_spaces),
            Decision::Split { axis, at } => self.split(area, axis, at)?,
        }
        Ok(true)
    }

    fn split(&mut self, area: Vec<[f64; 2]>, axis: usize, at: f64) -> Result<(), ClassifierError> {
        let [low, high] = area[axis];
        if !(low < at && at < high) {
            // No number lies between: the box is one report wide, and this is the last feature that can be cut.
            let is_same = self.decider.ask(&area)?;
            self.count(&area, is_same);
            return Ok(());
        }
        for ends in [[low, at], [at, high]] {
            let mut part = area.clone();
            part[axis] = ends;
            let masses = self.products.iter().map(|laws| mass(laws, &part));
            let mass = masses.fold(0.0, f64::max);
            if mass > 0.0 {
                self.waiting.push(Piece { area: part, mass });
            }
        }
        Ok(())
    }

    fn count(&mut self, area: &[[f64; 2]], is_same: bool) {
        let sums = if is_same { &mut self.same } else { &mut self.different };
        for (sum, laws) in sums.iter_mut().zip(self.products) {
            *sum += mass(laws, area);
        }
    }

    fn count_half_spaces(&mut self, area: &[[f64; 2]], half_spaces: &[HalfSpace]) {
        for (index, laws) in self.products.iter().enumerate() {
            let total = mass(laws, area);
            if total <= 0.0 {
                continue;
            }
            let cells = |feature: usize| Cells {
                first: laws[feature].cells_at_most(area[feature][0]),
                end: laws[feature].cells_at_most(area[feature][1]),
            };
            let [low, high] = match laws.as_slice() {
                [law] => on_a_line(half_spaces, law, cells(0)),
                [first, second] => {
                    in_a_plane(half_spaces, [first, second], [cells(0), cells(1)], self.tolerance / 4.0)
                }
                _ => [0.0, total],
            };
            self.same[index] += low;
            self.different[index] += (total - high).max(0.0);
        }
    }

    /// The bounds so far, one for each product.
    pub(crate) fn bounds(&self) -> Vec<Bound> {
        let bound =
            |(same, different): (&f64, &f64)| Bound::proven(*same, 1.0 - different, Method::Partition);
        self.same.iter().zip(&self.different).map(bound).collect()
    }
}

fn mass(laws: &[ReportLaw<'_>], area: &[[f64; 2]]) -> f64 {
    let of_feature = |(law, [low, high]): (&ReportLaw<'_>, &[f64; 2])| law.cdf(*high) - law.cdf(*low);
    laws.iter().zip(area).map(of_feature).product()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReportChannel;
    use privet_core::{BuildOptions, Epsilon};

    /// Same label inside a disc, which no box boundary ever fits.
    struct Disc;

    impl Decider for Disc {
        fn ask(&self, _: &[[f64; 2]]) -> Result<bool, ClassifierError> {
            Ok(false)
        }

        fn decide(&self, area: &[[f64; 2]]) -> Result<Decision, ClassifierError> {
            let nearest = area.iter().map(|[from, to]| 0.5f64.clamp(*from, *to) - 0.5);
            let farthest = area.iter().map(|[from, to]| (from - 0.5).abs().max((to - 0.5).abs()));
            let [near, far]: [f64; 2] =
                [nearest.map(|one| one * one).sum(), farthest.map(|one| one * one).sum()];
            if far < 0.09 {
                return Ok(Decision::Same);
            }
            if near > 0.09 {
                return Ok(Decision::Different);
            }
            let axis = usize::from(area[1][1] - area[1][0] > area[0][1] - area[0][0]);
            Ok(Decision::Split { axis, at: area[axis][0].midpoint(area[axis][1]) })
        }
    }

    #[test]
    fn bounds_never_get_worse_and_close_in_on_the_truth() {
        let channel = |epsilon: f64| {
            let epsilon = Epsilon::new(epsilon).unwrap();
            ReportChannel::named("optimal-piecewise", epsilon, &BuildOptions::default()).unwrap()
        };
        let channels = [channel(1.0), channel(4.0)];
        let products = channels.each_ref().map(|one| vec![one.law(0.5).unwrap(), one.law(0.7).unwrap()]);
        let mut partition = Partition::new(&Disc, &products, 1e-3);
        let mut before = partition.bounds();
        assert_eq!((before[0].lower, before[0].upper), (0.0, 1.0));
        for _ in 0..2_000 {
            assert!(partition.step().unwrap());
            let now = partition.bounds();
            for (one, two) in before.iter().zip(&now) {
                assert!(one.lower <= two.lower && two.upper <= one.upper && two.lower <= two.upper);
            }
            before = now;
        }
        // The same mass, cell by cell.
        for (bound, laws) in before.iter().zip(&products) {
            let of_row = |row: u32| {
                let height = 0.09 - (laws[0].value(row) - 0.5).powi(2);
                if height < 0.0 {
                    return 0.0;
                }
                laws[0].mass_of(row) * laws[1].mass([0.5 - height.sqrt(), 0.5 + height.sqrt()])
            };
            let truth: f64 = (0..laws[0].cells()).map(of_row).sum();
            assert!(bound.lower <= truth && truth <= bound.upper, "{bound:?} {truth}");
            assert!(bound.width() < 0.02, "{bound:?}");
        }
    }

    #[test]
    fn a_budget_ends_the_search_and_a_tolerance_too() {
        let channel =
            ReportChannel::named("laplace-truncated", Epsilon::new(1.0).unwrap(), &BuildOptions::default())
                .unwrap();
        let products = [vec![channel.law(0.5).unwrap(), channel.law(0.5).unwrap()]];
        let mut partition = Partition::new(&Disc, &products, 1e-3);
        partition.run(Stop { tolerance: 1e-9, boxes: 10 }).unwrap();
        let wide = partition.bounds()[0];
        partition.run(Stop { tolerance: 0.05, boxes: 100_000 }).unwrap();
        let narrow = partition.bounds()[0];
        assert!(wide.width() > 0.05 && narrow.width() <= 0.0501 && narrow.width() > 0.01);
    }
}
