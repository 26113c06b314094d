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
            let at = f64::from(line) / f64::from(lines.steps);
            let node = self.stretches.partition_point(|stretch| stretch[1] < at);
            let is_of_cells =
                (u64::from(line) * u64::from(lines.cells)).is_multiple_of(u64::from(lines.steps));
            let around = if is_of_cells { node.saturating_sub(2)..=node + 4 } else { node..=node };
            around.filter(|node| *node <= last).for_each(|node| is_key[node] = true);
        }
        self.at((0..=last).filter(|node| is_key[*node]).collect())
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
