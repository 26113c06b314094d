//! Tree ensembles: the leaves are boxes, and for one or two sensitive features all of them fit on one grid.

use super::margin::{Margin, Question};
use super::partition::{Decider, Decision};
use crate::ClassifierError;
use crate::law::ReportLaw;
use crate::record::{Record, Sensitive};
use privet_model::{Combination, Model, Node, Trees};

/// The thresholds of the sensitive features. Between two of them no tree tells reports apart.
#[derive(Debug)]
pub(crate) struct TreeGrid<'a> {
    model: &'a Model,
    trees: &'a Trees,
    /// For each axis all thresholds in order. There are always two axes; one may have no threshold.
    thresholds: [Vec<f64>; 2],
    /// For each node of each tree: the axis and the place of its threshold, if it asks for a sensitive feature.
    places: Vec<Vec<Option<(usize, u32)>>>,
}

/// Grids beyond this are cut into boxes instead.
const MOST_CELLS: usize = 1 << 25;

impl<'a> TreeGrid<'a> {
    /// The grid of at most two sensitive features; `None` where there are more.
    pub(crate) fn new(model: &'a Model, trees: &'a Trees, sensitive: &Sensitive) -> Option<Self> {
        let features = sensitive.features();
        if features.len() > 2 {
            return None;
        }
        let axis_of = |feature: usize| features.iter().position(|one| *one == feature);
        let splits = |axis: usize| {
            let nodes = trees.trees().iter().flat_map(|tree| tree.nodes());
            let mut all: Vec<f64> = nodes
                .filter_map(|node| match node {
                    Node::Split { feature, threshold, .. } if axis_of(*feature) == Some(axis) => {
                        Some(*threshold)
                    }
                    _ => None,
                })
                .collect();
            all.sort_by(f64::total_cmp);
            all.dedup();
            all
        };
        let thresholds = [splits(0), splits(1)];
        let place = |node: &Node| match node {
            Node::Split { feature, threshold, .. } => axis_of(*feature)
                .map(|axis| (axis, thresholds[axis].partition_point(|one| one < threshold) as u32)),
            Node::Leaf { .. } => None,
        };
        let places = trees.trees().iter().map(|tree| tree.nodes().iter().map(place).collect()).collect();
        Some(Self { model, trees, thresholds, places })
    }

    /// The probabilities of reports before each cell of an axis, and of all.
    pub(crate) fn cumulative(&self, axis: usize, law: Option<&ReportLaw<'_>>) -> Vec<f64> {
        let law = law.filter(|_| !self.thresholds[axis].is_empty());
        let inner = self.thresholds[axis].iter().filter_map(|threshold| law.map(|law| law.cdf(*threshold)));
        std::iter::once(0.0).chain(inner).chain([1.0]).collect()
    }

    /// Where a record keeps its label; `None` if the grid is too large.
    pub(crate) fn region(&self, question: &Question<'_>) -> Result<Option<TreeRegion>, ClassifierError> {
        let leaves = self.leaves(question.record);
        let axes = [0, 1].map(|axis| LocalAxis::new(self.thresholds[axis].len() + 2, &leaves, axis));
        let outputs = self.trees.outputs();
        let [rows, columns] = [axes[0].cuts.len(), axes[1].cuts.len()];
        if rows.saturating_mul(columns).saturating_mul(outputs) > MOST_CELLS {
            return Ok(None);
        }
        let mut sums = vec![0.0; rows * columns * outputs];
        for leaf in &leaves {
            let [[top, bottom], [left, right]] =
                [0, 1].map(|axis| leaf.ends[axis].map(|end| axes[axis].local[end as usize]));
            for (row, column, sign) in
                [(top, left, 1.0), (top, right, -1.0), (bottom, left, -1.0), (bottom, right, 1.0)]
            {
                let start = (row as usize * columns + column as usize) * outputs;
                for (sum, value) in sums[start..start + outputs].iter_mut().zip(leaf.values) {
                    *sum += sign * value;
                }
            }
        }
        add_up(&mut sums, columns * outputs, outputs);
        let rounding = self.rounding(&leaves, rows + columns);
        self.read(&Sums { sums, axes, rounding }, question).map(Some)
    }

    /// No margin of a cell is wrong by more than this: every addition rounds by at most half a unit of the largest sum.
    fn rounding(&self, leaves: &[Leaf<'_>], steps: usize) -> f64 {
        let size: f64 = leaves.iter().flat_map(|leaf| leaf.values).map(|value| value.abs()).sum();
        let base: f64 = self.trees.base().iter().map(|base| base.abs()).sum();
        let additions = (4 * leaves.len() + steps) as f64;
        2.0 * f64::EPSILON * (additions * 4.0 * size / divisor(self.trees) + base)
    }

    /// The leaves that a record can reach, with their cells.
    fn leaves(&self, record: &Record) -> Vec<Leaf<'a>> {
        let whole = [0, 1].map(|axis| [0, self.thresholds[axis].len() as u32 + 1]);
        let mut leaves = Vec::new();
        let mut waiting = Vec::new();
        for (tree, places) in self.trees.trees().iter().zip(&self.places) {
            waiting.push((0, whole));
            while let Some((position, ends)) = waiting.pop() {
                match (&tree.nodes()[position], places[position]) {
                    (Node::Leaf { values }, _) => leaves.push(Leaf { ends, values }),
                    (Node::Split { feature, threshold, below, above }, None) => {
                        let is_below = record.values()[*feature] <= *threshold;
                        waiting.push((if is_below { *below } else { *above }, ends));
                    }
                    (Node::Split { below, above, .. }, Some((axis, place))) => {
                        let (mut low, mut high) = (ends, ends);
                        low[axis][1] = ends[axis][1].min(place + 1);
                        high[axis][0] = ends[axis][0].max(place + 1);
                        for (child, ends) in [(*below, low), (*above, high)] {
                            if ends[axis][0] < ends[axis][1] {
                                waiting.push((child, ends));
                            }
                        }
                    }
                }
            }
        }
        leaves
    }

    /// Reads the label of each cell and keeps the runs with the label that is wanted.
    fn read(&self, sums: &Sums, question: &Question<'_>) -> Result<TreeRegion, ClassifierError> {
        let mut region = TreeRegion::default();
        // The last cut of an axis is its end.
        let columns = sums.axes[1].cuts.len().saturating_sub(1);
        let is_same = self.cells(sums, question)?;
        for (row, pair) in sums.axes[0].cuts.windows(2).enumerate() {
            let mut runs: Vec<[u32; 2]> = Vec::new();
            for (column, ends) in sums.axes[1].cuts.windows(2).enumerate() {
                if !is_same[row * columns + column] {
                    continue;
                }
                match runs.last_mut() {
                    Some(last) if last[1] == ends[0] => last[1] = ends[1],
                    _ => runs.push([ends[0], ends[1]]),
                }
            }
            region.push([pair[0], pair[1]], &runs);
        }
        Ok(region)
    }

    /// Whether each cell has the record's label. Where rounding could decide, the classifier is asked, about all at once.
    fn cells(&self, sums: &Sums, question: &Question<'_>) -> Result<Vec<bool>, ClassifierError> {
        let [rows, columns] = [0, 1].map(|axis| sums.axes[axis].cuts.len().saturating_sub(1));
        let mut is_same = Vec::with_capacity(rows * columns);
        let (mut open, mut reports) = (Vec::new(), Vec::new());
        let mut scores = vec![0.0; self.trees.outputs()];
        for cell in (0..rows).flat_map(|row| (0..columns).map(move |column| [row, column])) {
            let known = self.is_same(sums, cell, question, &mut scores)?;
            if known.is_none() {
                open.push(is_same.len());
                let inside = [0, 1].map(|axis| self.inside(axis, sums.axes[axis].cuts[cell[axis]]));
                reports.extend(inside.iter().take(question.sensitive.count()));
            }
            is_same.push(known.unwrap_or(false));
        }
        for (place, answer) in open.into_iter().zip(question.ask_all(&reports)?) {
            is_same[place] = answer;
        }
        Ok(is_same)
    }

    /// Whether a cell has the record's label; `None` where rounding could decide.
    fn is_same(
        &self,
        sums: &Sums,
        cell: [usize; 2],
        question: &Question<'_>,
        scores: &mut [f64],
    ) -> Result<Option<bool>, ClassifierError> {
        let outputs = self.trees.outputs();
        let start = (cell[0] * sums.axes[1].cuts.len() + cell[1]) * outputs;
        let divisor = divisor(self.trees);
        let sums_here = &sums.sums[start..start + outputs];
        for ((score, sum), base) in scores.iter_mut().zip(sums_here).zip(self.trees.base()) {
            *score = base + sum / divisor;
        }
        let differences = question.margins.iter().map(|margin| (margin, margin.of(|score| scores[score])));
        if question.leaves_ties_open() {
            if differences.clone().any(|(margin, difference)| difference < margin.possible - sums.rounding) {
                return Ok(Some(false));
            }
            let is_clear = |(margin, difference): (&Margin, f64)| difference > margin.certain + sums.rounding;
            return Ok(differences.clone().all(is_clear).then_some(true));
        }
        let is_open = differences.clone().any(|(margin, difference)| {
            let is_clear = |level: f64| (difference - level).abs() > sums.rounding;
            !(is_clear(margin.certain) && is_clear(margin.possible))
        });
        if is_open {
            return Ok(None);
        }
        Ok(Some(self.model.label(scores)? == question.label()))
    }

    /// A number in a cell of an axis: cells end at a threshold, the last one has no end.
    fn inside(&self, axis: usize, cell: u32) -> f64 {
        let thresholds = &self.thresholds[axis];
        match thresholds.get(cell as usize) {
            Some(threshold) => *threshold,
            None => thresholds.last().map_or(0.0, |last| last.next_up()),
        }
    }
}

/// The sums of the leaves on a grid.
struct Sums {
    sums: Vec<f64>,
    axes: [LocalAxis; 2],
    rounding: f64,
}

/// What the sum of leaves is divided by.
fn divisor(trees: &Trees) -> f64 {
    match trees.combination() {
        Combination::Sum => 1.0,
        Combination::Mean => trees.trees().len() as f64,
    }
}

/// A leaf and the cells that lead to it.
struct Leaf<'a> {
    ends: [[u32; 2]; 2],
    values: &'a [f64],
}

/// The cells of one axis that a record can tell apart.
struct LocalAxis {
    /// Where they begin, and where the last one ends.
    cuts: Vec<u32>,
    /// The place among the cuts, for each cell that is one.
    local: Vec<u32>,
}

impl LocalAxis {
    fn new(cells: usize, leaves: &[Leaf<'_>], axis: usize) -> Self {
        let mut is_cut = vec![false; cells];
        for end in leaves.iter().flat_map(|leaf| leaf.ends[axis]) {
            is_cut[end as usize] = true;
        }
        let mut axis = Self { cuts: Vec::new(), local: vec![0; cells] };
        for cell in (0..cells).filter(|cell| is_cut[*cell]) {
            axis.local[cell] = axis.cuts.len() as u32;
            axis.cuts.push(cell as u32);
        }
        axis
    }
}

/// Turns differences into sums, along rows and then down the columns.
fn add_up(sums: &mut [f64], row_length: usize, outputs: usize) {
    for row in sums.chunks_mut(row_length) {
        for index in outputs..row.len() {
            row[index] += row[index - outputs];
        }
    }
    for index in row_length..sums.len() {
        sums[index] += sums[index - row_length];
    }
}

/// Where a label stays the same: rows of cells with the runs of each.
#[derive(Debug, Default)]
pub(crate) struct TreeRegion {
    /// The cells of the first axis, and where the runs of these rows end.
    rows: Vec<([u32; 2], u32)>,
    runs: Vec<[u32; 2]>,
}

impl TreeRegion {
    fn push(&mut self, cells: [u32; 2], runs: &[[u32; 2]]) {
        let last = self.rows.len().checked_sub(1);
        let before = self.rows.len().checked_sub(2).map_or(0, |index| self.rows[index].1 as usize);
        if let Some(last) = last
            && self.runs[before..] == *runs
        {
            self.rows[last].0[1] = cells[1];
            return;
        }
        self.runs.extend(runs);
        self.rows.push((cells, self.runs.len() as u32));
    }

    /// The probability of the region, given the probabilities before each cell of both axes.
    pub(crate) fn mass(&self, cumulative: [&[f64]; 2]) -> f64 {
        let mut sum = 0.0;
        let mut start = 0;
        for (cells, end) in &self.rows {
            let runs = &self.runs[start..*end as usize];
            start = *end as usize;
            let of_run = |run: &[u32; 2]| cumulative[1][run[1] as usize] - cumulative[1][run[0] as usize];
            let height = cumulative[0][cells[1] as usize] - cumulative[0][cells[0] as usize];
            sum += height * runs.iter().map(of_run).sum::<f64>();
        }
        sum
    }
}

/// Trees in more dimensions: bounds on boxes.
#[derive(Debug)]
pub(crate) struct TreeDecider<'a> {
    pub(crate) trees: &'a Trees,
    pub(crate) question: &'a Question<'a>,
}

impl Decider for TreeDecider<'_> {
    fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        self.question.ask(area)
    }

    fn decide(&self, area: &[[f64; 2]]) -> Result<Decision, ClassifierError> {
        let mut bounds: Vec<[f64; 2]> = self
            .question
            .margins
            .iter()
            .map(|margin| [margin.of(|score| self.trees.base()[score]); 2])
            .collect();
        let mut inside: Vec<Vec<f64>> = vec![Vec::new(); area.len()];
        let mut sizes: Vec<f64> = bounds.iter().map(|[low, _]| low.abs()).collect();
        let divisor = divisor(self.trees);
        for tree in self.trees.trees() {
            let mut ends = vec![[f64::INFINITY, f64::NEG_INFINITY]; self.question.margins.len()];
            let mut waiting = vec![0];
            while let Some(position) = waiting.pop() {
                match &tree.nodes()[position] {
                    Node::Leaf { values } => {
                        for (end, margin) in ends.iter_mut().zip(&self.question.margins) {
                            let value = margin.of(|score| values[score]);
                            *end = [end[0].min(value), end[1].max(value)];
                        }
                    }
                    Node::Split { feature, threshold, below, above } => {
                        let axis = self.question.sensitive.features().iter().position(|one| one == feature);
                        let [low, high] = axis
                            .map_or([f64::NEG_INFINITY, self.question.record.values()[*feature]], |axis| {
                                area[axis]
                            });
                        let is_cut = axis.is_some() && low < *threshold && *threshold < high;
                        if let (true, Some(axis)) = (is_cut, axis) {
                            inside[axis].push(*threshold);
                            waiting.extend([*below, *above]);
                        } else {
                            waiting.push(if high <= *threshold { *below } else { *above });
                        }
                    }
                }
            }
            for ((bound, size), end) in bounds.iter_mut().zip(&mut sizes).zip(ends) {
                *bound = [bound[0] + end[0] / divisor, bound[1] + end[1] / divisor];
                *size += end[0].abs().max(end[1].abs()) / divisor;
            }
        }
        // The model adds up in another order: leave room for the rounding of both.
        for (bound, size) in bounds.iter_mut().zip(sizes) {
            let rounding = 4.0 * f64::EPSILON * size * (self.trees.trees().len() + 1) as f64;
            *bound = [bound[0] - rounding, bound[1] + rounding];
        }
        Ok(self.conclude(&bounds, inside))
    }
}

impl TreeDecider<'_> {
    fn conclude(&self, bounds: &[[f64; 2]], inside: Vec<Vec<f64>>) -> Decision {
        let decided = bounds.iter().zip(&self.question.margins);
        if decided.clone().all(|([low, _], margin)| *low > margin.certain) {
            return Decision::Same;
        }
        if decided.clone().any(|([_, high], margin)| *high < margin.possible) {
            return Decision::Different;
        }
        let crowded = inside.into_iter().enumerate().max_by_key(|(_, thresholds)| thresholds.len());
        match crowded {
            Some((axis, mut thresholds)) if !thresholds.is_empty() => {
                thresholds.sort_by(f64::total_cmp);
                Decision::Split { axis, at: thresholds[thresholds.len() / 2] }
            }
            // All reports of the box have the same scores, so any of them tells the label.
            _ => Decision::Ask,
        }
    }
}
