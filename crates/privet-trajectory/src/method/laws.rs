//! How likely groups of reports are from all places at once.
//!
//! Estimates that hold for every population need the law of a report from *every* place, and a rectangle has too many of them.
//! But the law moves along each axis through finitely many nodes, and between two of them it is a mixture. Where the
//! probabilities of groups change in a straight line over many nodes, the first and the last of these stand for all: what holds
//! for the means of weights under both holds for every mixture. How far from straight the lines are is measured at
//! all nodes, and whoever designs weights allows for it.

use crate::Place;
use privet_mechanisms::plane::PlaneLaws;

/// Groups of reports, and their laws from all places of the smallest rectangle around a space, in inner coordinates.
pub struct ReportLaws<'a> {
    /// The group of a report; reports that no draw gives are read as the nearest that some draw does.
    pub group_of: Box<dyn Fn(&Place) -> u32 + Send + Sync + 'a>,
    /// The laws of groups.
    pub laws: PlaneLaws,
}

impl std::fmt::Debug for ReportLaws<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ReportLaws({} laws of {} groups)", self.laws.count(), self.laws.groups())
    }
}

/// Reports are counted in so many groups along a side of the space that is cut into `side` cells: enough to see each cell and
/// what is around it, and few enough for weights to be found in seconds.
pub(super) fn parts_of(side: u32) -> u32 {
    (2 * side).clamp(24, 32)
}

/// Where each of `count` equal parts of some reports begins, or each report where there are fewer. They are the same from both
/// ends, so that weights of mirror images need not be looked for twice; of an odd number of reports the one in the middle may be
/// a part of its own.
pub(super) fn equal_parts(reports: u32, count: u32) -> Vec<u32> {
    let count = count.min(reports);
    let before = |part: u32| (u64::from(part) * u64::from(reports) / u64::from(count)) as u32;
    let from_end = (1..=count / 2).rev().map(|part| reports - before(part));
    let mut edges: Vec<u32> = (0..=count / 2).map(before).chain(from_end).collect();
    edges.dedup();
    edges
}

/// The part of a report, where each begins at one of these.
pub(super) fn part_at(report: u32, edges: &[u32]) -> u32 {
    edges.partition_point(|edge| *edge <= report).saturating_sub(1) as u32
}

/// What the mean over places may hinge on: the lines between cells, and others between which weights are looked for.
pub(super) struct Lines {
    cells: u32,
    steps: u32,
}

impl Lines {
    pub(super) fn new(cells: u32) -> Self {
        Self { cells, steps: cells * 16u32.div_ceil(cells) }
    }

    /// Where no line means more than the others.
    pub(super) fn of_steps(steps: u32) -> Self {
        Self { cells: 1, steps }
    }
}

/// All nodes of one axis: which values can become each, and the numbers of the groups there.
pub(super) struct Nodes {
    /// In shares of the side.
    pub(super) stretches: Vec<[f64; 2]>,
    pub(super) numbers: Vec<Vec<f64>>,
}

/// Some nodes that stand for all.
pub(super) struct Keys {
    pub(super) stretches: Vec<[f64; 2]>,
    pub(super) numbers: Vec<Vec<f64>>,
    /// The largest sum of absolute differences between a node's numbers and the mixture of both keys around it.
    pub(super) residual: f64,
}

/// Shares of a side that differ by less are the same: both come from divisions.
const SAME: f64 = 1e-12;

/// So many nodes on both sides of a line between cells are keys, so that no stretch of a key crosses it that need not.
const BESIDE: usize = 2;

/// A bend of a line is one above rounding.
const BEND: f64 = 1e-12;

impl Nodes {
    /// The ends, the bends, and the nodes next to lines.
    pub(super) fn keys(&self, lines: &Lines) -> Keys {
        let last = self.numbers.len() - 1;
        let mut is_key = vec![false; last + 1];
        (is_key[0], is_key[last]) = (true, true);
        // Numbers may be counts of columns, so what is small depends on them.
        let size = self.numbers[0].iter().map(|number| number.abs()).sum::<f64>();
        for (is_key, around) in is_key[1..].iter_mut().zip(self.numbers.windows(3)) {
            let bend = |group: usize| (around[0][group] - 2.0 * around[1][group] + around[2][group]).abs();
            *is_key = (0..around[1].len()).map(bend).sum::<f64>() > BEND * size;
        }
        for line in 1..lines.steps {
            let is_of_cells =
                (u64::from(line) * u64::from(lines.cells)).is_multiple_of(u64::from(lines.steps));
            let [first, end] = self.touching(f64::from(line) / f64::from(lines.steps));
            let more = if is_of_cells { BESIDE } else { 0 };
            is_key[first.saturating_sub(more)..(end + more).min(last + 1)].fill(true);
        }
        self.at((0..=last).filter(|node| is_key[*node]).collect())
    }

    /// The first node that values at a share of the side can become, and the first after those.
    fn touching(&self, at: f64) -> [usize; 2] {
        let first = self.stretches.partition_point(|[_, high]| *high < at - SAME);
        [first, self.stretches.partition_point(|[low, _]| *low <= at + SAME).max(first)]
    }

    fn at(&self, keys: Vec<usize>) -> Keys {
        let last = self.numbers.len() - 1;
        let stretch = |index: usize| {
            // Up to the keys before and after: nodes between are mixtures of this one and them.
            let from = if index == 0 { 0 } else { keys[index - 1] + 1 };
            let to = keys.get(index + 1).map_or(last, |next| next - 1);
            [self.stretches[from][0], self.stretches[to][1]]
        };
        Keys {
            stretches: (0..keys.len()).map(stretch).collect(),
            residual: keys.windows(2).map(|pair| self.residual([pair[0], pair[1]])).fold(0.0, f64::max),
            numbers: keys.iter().map(|key| self.numbers[*key].clone()).collect(),
        }
    }

    fn residual(&self, [from, to]: [usize; 2]) -> f64 {
        let of_node = |node: usize| {
            let share = (node - from) as f64 / (to - from) as f64;
            let ends = self.numbers[from].iter().zip(&self.numbers[to]);
            let straight = ends.map(|(one, two)| one + share * (two - one));
            straight.zip(&self.numbers[node]).map(|(straight, number)| (straight - number).abs()).sum::<f64>()
        };
        (from + 1..to).map(of_node).fold(0.0, f64::max)
    }
}

impl Keys {
    fn total(&self) -> f64 {
        self.numbers.iter().map(|numbers| numbers.iter().sum()).fold(0.0, f64::max)
    }
}

/// The laws `base + more x first x second`.
pub(super) fn of_product(base: Vec<f64>, more: f64, [first, second]: [Keys; 2]) -> PlaneLaws {
    let residual = first.residual * (second.total() + second.residual) + second.residual * first.total();
    let stretches = [first.stretches, second.stretches];
    PlaneLaws::of_product(stretches, base, more, [first.numbers, second.numbers]).up_to(more * residual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{LocationMethod, References, TracsC, Window2d};
    use crate::space::Space;
    use privet_core::{Epsilon, Interval, Rectangle};

    #[test]
    fn parts_are_equal_and_the_same_from_both_ends() {
        for (reports, count) in [(6, 24), (7, 3), (24, 24), (61, 24), (64, 24), (1843, 32), (2276, 25)] {
            let edges = equal_parts(reports, count);
            let ends = edges[1..].iter().copied().chain([reports]);
            let mirrored: Vec<u32> = ends.map(|end| reports - end).rev().collect();
            assert_eq!(edges, mirrored, "{reports} {count}");
            let least = reports / count.min(reports);
            let middle = edges.len() / 2;
            let sizes = edges.windows(2).map(|pair| pair[1] - pair[0]).enumerate();
            assert!(sizes.into_iter().all(|(part, size)| size >= least || part == middle), "{edges:?}");
            assert!((0..reports).all(|report| (part_at(report, &edges) as usize) < edges.len()));
        }
    }

    /// The laws of places are those of their mirror images, which spares three of four designs.
    #[test]
    fn what_stands_for_all_places_is_the_same_from_both_ends() {
        let sides = [Interval::new(0.0, 1.3).unwrap(), Interval::new(0.0, 1.0).unwrap()];
        let space = Space::rectangle(Rectangle::new(sides).unwrap());
        for epsilon in [3.0, 4.0, 8.0] {
            let epsilon = Epsilon::new(epsilon).unwrap();
            let methods: [Box<dyn LocationMethod>; 2] = [
                Box::new(Window2d::new(space.clone(), epsilon).unwrap()),
                Box::new(TracsC::new(space.clone(), epsilon).unwrap()),
            ];
            for method in &methods {
                let laws = method.report_laws(References::Fixed([0.5, 0.5]), [4, 4]).unwrap().laws;
                // All pairs of stretches along both sides, so the last law is the mirror image of the first.
                for index in 0..laws.count() {
                    let image =
                        laws.places(laws.count() - 1 - index).map(|[low, high]| [1.0 - high, 1.0 - low]);
                    let differs = |axis: usize, end: usize| {
                        (laws.places(index)[axis][end] - image[axis][end]).abs() > 1e-9
                    };
                    assert!(![[0, 0], [0, 1], [1, 0], [1, 1]].iter().any(|[axis, end]| differs(*axis, *end)));
                }
                let (first, mut last) = (laws.law(1), laws.law(laws.count() - 2));
                last.reverse();
                assert!(first.iter().zip(&last).all(|(one, two)| (one - two).abs() < 1e-12));
            }
        }
    }
}
