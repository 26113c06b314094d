//! Linear models: the label stays the same in an intersection of half-spaces.

use super::convolution;
use super::margin::{Margin, Question};
use crate::law::ReportLaw;
use privet_model::Linear;

/// The reports y with `weights * y` above a level.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HalfSpace {
    pub(crate) weights: Vec<f64>,
    /// Reports at or above this level are inside.
    pub(crate) certain: f64,
    /// Reports below this level are outside.
    pub(crate) possible: f64,
}

/// How far rounding can move the sum of this many products, relative to the sum of their sizes, in any order.
pub(crate) fn slack(products: usize) -> f64 {
    (2.0 * f64::EPSILON * products as f64).max(1e-13)
}

impl HalfSpace {
    /// The half-spaces in which a linear model keeps the label of reports from an area. Rounding grows with the reports,
    /// which can be far outside [0, 1].
    pub(crate) fn of_question(model: &Linear, question: &Question<'_>, area: &[[f64; 2]]) -> Vec<Self> {
        let Question { record, sensitive, .. } = question;
        let slack = slack(record.values().len() + 1);
        let half_space = |margin: &Margin| {
            let weight = |feature: usize| margin.of(|score| model.weights()[(score, feature)]);
            let mut constant = margin.of(|score| model.intercepts()[score]);
            let mut scale = constant.abs() + margin.certain.abs();
            for (feature, value) in record.values().iter().enumerate() {
                scale += (weight(feature) * value).abs();
                if !sensitive.features().contains(&feature) {
                    constant += weight(feature) * value;
                }
            }
            let weights: Vec<f64> = sensitive.features().iter().map(|feature| weight(*feature)).collect();
            let size = |[from, to]: &[f64; 2]| from.abs().max(to.abs()).max(1.0);
            scale += weights.iter().zip(area).map(|(weight, ends)| weight.abs() * size(ends)).sum::<f64>();
            if !scale.is_finite() {
                // Numbers that overflow: nothing is certain and everything is possible.
                let weights = vec![0.0; weights.len()];
                return Self { weights, certain: f64::INFINITY, possible: f64::NEG_INFINITY };
            }
            Self {
                weights,
                certain: margin.certain - constant + slack * scale,
                possible: margin.possible - constant - slack * scale,
            }
        };
        question.margins.iter().map(half_space).collect()
    }

    /// The same where what is compared with the levels may be wrong by this much.
    pub(crate) fn widened(self, deviation: f64) -> Self {
        Self { certain: self.certain + deviation, possible: self.possible - deviation, ..self }
    }

    /// Whether a whole box, ends included, is inside.
    pub(crate) fn holds(&self, area: &[[f64; 2]]) -> bool {
        let least = |(weight, [from, to]): (&f64, &[f64; 2])| (weight * from).min(weight * to);
        self.weights.iter().zip(area).map(least).sum::<f64>() >= self.certain
    }
}

/// The reports of one feature between two numbers, both included.
#[derive(Debug, Clone, Copy)]
struct Range {
    from: f64,
    to: f64,
}

impl Range {
    const ALL: Self = Self { from: f64::NEG_INFINITY, to: f64::INFINITY };
    const NONE: Self = Self { from: f64::INFINITY, to: f64::NEG_INFINITY };

    /// The part where `weight * y >= level`.
    fn above(self, weight: f64, level: f64) -> Self {
        if weight > 0.0 {
            Self { from: self.from.max(level / weight), ..self }
        } else if weight < 0.0 {
            Self { to: self.to.min(level / weight), ..self }
        } else if level <= 0.0 {
            self
        } else {
            Self::NONE
        }
    }

    fn mass(self, law: &ReportLaw<'_>, cells: &Cells) -> f64 {
        if self.from > self.to {
            return 0.0;
        }
        let first = law.cells_below(self.from).max(cells.first);
        let end = law.cells_at_most(self.to).min(cells.end);
        if first < end { law.mass_before(end) - law.mass_before(first) } else { 0.0 }
    }
}

/// Neighbouring cells of one feature.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cells {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

impl Cells {
    pub(crate) fn all(law: &ReportLaw<'_>) -> Self {
        Self { first: 0, end: law.cells() }
    }
}

/// A lower and an upper bound of the mass inside all half-spaces, at most `tolerance` apart where there are one or two
/// features; `None` for several half-spaces in more dimensions.
pub(crate) fn mass(half_spaces: &[HalfSpace], laws: &[ReportLaw<'_>], tolerance: f64) -> Option<[f64; 2]> {
    match (laws, half_spaces) {
        (_, []) => Some([1.0, 1.0]),
        ([law], _) => Some(on_a_line(half_spaces, law, Cells::all(law))),
        ([first, second], _) => {
            Some(in_a_plane(half_spaces, [first, second], [Cells::all(first), Cells::all(second)], tolerance))
        }
        (_, [one]) => Some(convolution::mass(one, laws, tolerance)),
        _ => None,
    }
}

/// Exact: a range of reports.
pub(crate) fn on_a_line(half_spaces: &[HalfSpace], law: &ReportLaw<'_>, cells: Cells) -> [f64; 2] {
    let range = |level: fn(&HalfSpace) -> f64| {
        half_spaces.iter().fold(Range::ALL, |range, half| range.above(half.weights[0], level(half)))
    };
    [range(|half| half.certain).mass(law, &cells), range(|half| half.possible).mass(law, &cells)]
}

/// A sweep over the reports of one feature; for each the reports of the other are a range. Neighbouring reports of the first
/// are taken together as long as that moves the result by no more than the tolerance.
pub(crate) fn in_a_plane(
    half_spaces: &[HalfSpace],
    laws: [&ReportLaw<'_>; 2],
    cells: [Cells; 2],
    tolerance: f64,
) -> [f64; 2] {
    // The feature that matters less moves the range of the other one less.
    let effect = |feature: usize| {
        let [low, high] = laws[feature].ends();
        let weights = half_spaces.iter().map(|half| half.weights[feature].abs());
        weights.fold(0.0, f64::max) * (high - low)
    };
    let outer = usize::from(effect(1) < effect(0));
    let inner = 1 - outer;
    let height = laws[inner].mass_before(cells[inner].end) - laws[inner].mass_before(cells[inner].first);
    let sweep = Sweep {
        half_spaces,
        outer: (outer, laws[outer]),
        inner: (inner, laws[inner]),
        inner_cells: cells[inner],
        // Parts of a plane share the tolerance by their mass.
        tolerance: tolerance * height,
    };
    sweep.mass(cells[outer])
}

struct Sweep<'a> {
    half_spaces: &'a [HalfSpace],
    outer: (usize, &'a ReportLaw<'a>),
    inner: (usize, &'a ReportLaw<'a>),
    inner_cells: Cells,
    tolerance: f64,
}

impl Sweep<'_> {
    fn mass(&self, cells: Cells) -> [f64; 2] {
        let (_, law) = self.outer;
        let mut sum = [0.0, 0.0];
        let mut waiting = vec![cells];
        while let Some(Cells { first, end }) = waiting.pop() {
            if first >= end {
                continue;
            }
            let weight = law.mass_before(end) - law.mass_before(first);
            if weight <= 0.0 {
                continue;
            }
            let ends = [law.value(first), law.value(end - 1)];
            let [low, high] = self.inside(ends);
            if high - low <= self.tolerance || end - first == 1 || ends[0] == ends[1] {
                sum[0] += weight * low;
                sum[1] += weight * high;
                continue;
            }
            let middle = first + (end - first) / 2;
            waiting.push(Cells { first, end: middle });
            waiting.push(Cells { first: middle, end });
        }
        sum
    }

    /// Bounds of the inner mass that hold for all outer reports between two.
    fn inside(&self, [from, to]: [f64; 2]) -> [f64; 2] {
        let (outer, (inner, law)) = (self.outer.0, self.inner);
        let (mut certain, mut possible) = (Range::ALL, Range::ALL);
        for half in self.half_spaces {
            let [one, two] = [half.weights[outer] * from, half.weights[outer] * to];
            certain = certain.above(half.weights[inner], half.certain - one.min(two));
            possible = possible.above(half.weights[inner], half.possible - one.max(two));
        }
        [certain.mass(law, &self.inner_cells), possible.mass(law, &self.inner_cells)]
    }
}
