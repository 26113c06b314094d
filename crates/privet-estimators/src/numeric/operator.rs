//! A channel between bins of values and groups of reports, stored by its jumps.

use super::groups::Groups;
use nalgebra::DMatrix;
use privet_mechanisms::analysis::{AnyNumeric, bin_rows};

/// For each column (a bin or a point of the domain) the density of reports: its probability per cell, averaged over each
/// group. Only the places where a column jumps are kept, so a window column costs a handful of numbers instead of
/// thousands, and applying the operator takes one pass over jumps and one over groups.
#[derive(Debug, Clone)]
pub(super) struct Operator {
    groups: usize,
    columns: Vec<Column>,
    jumps: Vec<f64>,
    /// The group of each jump, for columns that jump here and there.
    places: Vec<u32>,
}

/// Which jumps are a column's.
#[derive(Debug, Clone, Copy)]
struct Column {
    /// The first one and one past the last.
    jumps: [usize; 2],
    where_from: Where,
}

/// In which groups a column jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    /// In neighbouring groups from this one on: columns of additive noise, which jump nearly everywhere. Reading them needs no places.
    From(usize),
    /// In those whose places begin here.
    At(usize),
}

/// So many columns are summed side by side: each sum has its own order, and none waits for another.
const SIDE_BY_SIDE: usize = 8;

/// Adds a jump to a column whose jumps come in order, the last two of which may be added to.
fn add_jump(column: &mut Vec<(usize, f64)>, group: usize, jump: f64) {
    match column.iter_mut().rev().take(2).find(|(known, _)| *known == group) {
        Some((_, sum)) => *sum += jump,
        None => column.push((group, jump)),
    }
}

impl Operator {
    /// Columns are `bins` equal bins of the domain.
    pub(super) fn of_bins(channel: &dyn AnyNumeric, groups: Groups, bins: usize) -> Self {
        Self::of_rows(channel, groups, &bin_rows(channel, bins))
    }

    /// Columns are mixtures of rows, given with their shares.
    pub(super) fn of_rows(channel: &dyn AnyNumeric, groups: Groups, columns: &[Vec<(u32, f64)>]) -> Self {
        let mut operator =
            Self { groups: groups.count(), columns: Vec::new(), jumps: Vec::new(), places: Vec::new() };
        let mut column = Vec::new();
        let mut scratch = vec![0.0; groups.count() + 1];
        let mut touched = Vec::new();
        let total = channel.row_total() as f64;
        for rows in columns {
            for (node, share) in rows {
                let mut level = 0.0;
                let runs = channel.runs(*node);
                // A row with more runs than groups jumps everywhere.
                let everywhere = 2 * runs.len() > groups.count();
                if everywhere {
                    touched.clear();
                    touched.extend(0..=groups.count());
                }
                for run in runs {
                    let rise = run.weight as f64 - level;
                    level = run.weight as f64;
                    let group = groups.group(run.first);
                    // A jump inside a group shows in it by the part of the group behind the jump.
                    let behind =
                        f64::from(groups.start(group + 1) - run.first) / f64::from(groups.size(group));
                    scratch[group] += share * rise * behind;
                    scratch[group + 1] += share * rise * (1.0 - behind);
                    if !everywhere {
                        touched.extend([group, group + 1]);
                    }
                }
            }
            touched.sort_unstable();
            touched.dedup();
            for group in touched.drain(..) {
                let jump = std::mem::take(&mut scratch[group]) / total;
                if jump != 0.0 && group < groups.count() {
                    column.push((group, jump));
                }
            }
            operator.push(&column);
            column.clear();
        }
        operator
    }

    fn push(&mut self, column: &[(usize, f64)]) {
        let first = column.first().map_or(0, |(group, _)| *group);
        let is_row = column.iter().zip(first..).all(|((group, _), expected)| *group == expected);
        let where_from = if is_row {
            Where::From(first)
        } else {
            let start = self.places.len();
            self.places.extend(column.iter().map(|(group, _)| *group as u32));
            Where::At(start)
        };
        let start = self.jumps.len();
        self.jumps.extend(column.iter().map(|(_, jump)| jump));
        self.columns.push(Column { jumps: [start, self.jumps.len()], where_from });
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    fn jumps(&self, column: Column) -> &[f64] {
        &self.jumps[column.jumps[0]..column.jumps[1]]
    }

    fn places(&self, start: usize, column: Column) -> &[u32] {
        &self.places[start..start + column.jumps[1] - column.jumps[0]]
    }

    /// The group and the size of each jump of a column, in order.
    fn column(&self, index: usize) -> impl Iterator<Item = (usize, f64)> {
        let column = self.columns[index];
        let jumps = self.jumps(column);
        let group = move |position: usize| match column.where_from {
            Where::From(first) => first + position,
            Where::At(start) => self.places[start + position] as usize,
        };
        jumps.iter().enumerate().map(move |(position, jump)| (group(position), *jump))
    }

    /// Whether the second column is a mixture of the first and the third, with this share of the third.
    pub(super) fn is_between(&self, columns: [usize; 3], share: f64) -> bool {
        let signs = [1.0 - share, -1.0, share];
        let mut sides = columns.map(|index| self.column(index).peekable());
        let largest = self.column(columns[1]).map(|(_, jump)| jump.abs()).fold(0.0, f64::max);
        loop {
            let next = sides.iter_mut().filter_map(|side| side.peek().map(|(group, _)| *group)).min();
            let Some(group) = next else { return true };
            let mut sum = 0.0;
            for (side, sign) in sides.iter_mut().zip(signs) {
                sum += side.next_if(|(other, _)| *other == group).map_or(0.0, |(_, jump)| sign * jump);
            }
            if sum.abs() > 1e-9 * largest {
                return false;
            }
        }
    }

    /// The same with some of the columns.
    pub(super) fn select(&self, columns: &[usize]) -> Self {
        let mut selected =
            Self { groups: self.groups, columns: Vec::new(), jumps: Vec::new(), places: Vec::new() };
        for index in columns {
            selected.push(&self.column(*index).collect::<Vec<_>>());
        }
        selected
    }

    /// The same for groups that are unions of these.
    pub(super) fn coarsened(&self, fine: Groups, coarse: Groups) -> Self {
        let mut merged =
            Self { groups: coarse.count(), columns: Vec::new(), jumps: Vec::new(), places: Vec::new() };
        let mut column = Vec::new();
        for index in 0..self.columns.len() {
            column.clear();
            for (group, jump) in self.column(index) {
                let into = coarse.group(fine.start(group));
                // A jump inside a group shows in it by the part of the group behind the jump.
                let behind =
                    f64::from(coarse.start(into + 1) - fine.start(group)) / f64::from(coarse.size(into));
                add_jump(&mut column, into, jump * behind);
                if behind < 1.0 && into + 1 < coarse.count() {
                    add_jump(&mut column, into + 1, jump * (1.0 - behind));
                }
            }
            merged.push(&column);
        }
        merged
    }

    /// The probability of each group under each column, columns in rows.
    pub(super) fn dense(&self, groups: Groups) -> DMatrix<f64> {
        let mut table = DMatrix::zeros(self.columns.len(), groups.count());
        for index in 0..self.columns.len() {
            let mut jumps = self.column(index).peekable();
            let mut level = 0.0;
            for group in 0..groups.count() {
                level += jumps.next_if(|(at, _)| *at == group).map_or(0.0, |(_, jump)| jump);
                table[(index, group)] = (level * f64::from(groups.size(group))).max(0.0);
            }
        }
        table
    }

    /// The density in each group when columns have these shares.
    pub(super) fn forward(&self, shares: &[f64], density: &mut Vec<f64>) {
        density.clear();
        density.resize(self.groups, 0.0);
        for (column, share) in self.columns.iter().zip(shares) {
            let jumps = self.jumps(*column);
            match column.where_from {
                Where::From(first) => {
                    let groups = &mut density[first..first + jumps.len()];
                    groups.iter_mut().zip(jumps).for_each(|(value, jump)| *value += share * jump);
                }
                Where::At(start) => {
                    for (group, jump) in self.places(start, *column).iter().zip(jumps) {
                        density[*group as usize] += share * jump;
                    }
                }
            }
        }
        let mut level = 0.0;
        for value in density.iter_mut() {
            level += *value;
            *value = level.max(f64::MIN_POSITIVE);
        }
    }

    /// For each column the sum over groups of its density times `values`. Turns `values` into sums from each group on.
    pub(super) fn backward(&self, values: &mut [f64], sums: &mut Vec<f64>) {
        let mut sum = 0.0;
        for value in values.iter_mut().rev() {
            sum += *value;
            *value = sum;
        }
        sums.clear();
        let (blocks, rest) = self.columns.as_chunks::<SIDE_BY_SIDE>();
        for block in blocks {
            match self.side_by_side(block, values) {
                Some(of_block) => sums.extend(of_block),
                None => sums.extend(block.iter().map(|column| self.sum(*column, values))),
            }
        }
        sums.extend(rest.iter().map(|column| self.sum(*column, values)));
    }

    fn sum(&self, column: Column, values: &[f64]) -> f64 {
        let jumps = self.jumps(column);
        match column.where_from {
            Where::From(first) => jumps.iter().zip(&values[first..]).map(|(jump, value)| jump * value).sum(),
            Where::At(start) => {
                let places = self.places(start, column).iter();
                places.zip(jumps).map(|(group, jump)| jump * values[*group as usize]).sum()
            }
        }
    }

    /// The sums of columns that jump in the same neighbouring groups.
    fn side_by_side(&self, block: &[Column; SIDE_BY_SIDE], values: &[f64]) -> Option<[f64; SIDE_BY_SIDE]> {
        let Where::From(first) = block[0].where_from else { return None };
        let length = self.jumps(block[0]).len();
        let is_alike =
            |column: &Column| column.where_from == block[0].where_from && self.jumps(*column).len() == length;
        if !block.iter().all(is_alike) {
            return None;
        }
        let jumps = block.map(|column| self.jumps(column));
        let mut sums = [0.0; SIDE_BY_SIDE];
        for (index, value) in values[first..first + length].iter().enumerate() {
            for (sum, jumps) in sums.iter_mut().zip(&jumps) {
                *sum += jumps[index] * value;
            }
        }
        Some(sums)
    }
}
