//! A channel between bins of values and groups of reports, stored by its jumps.

use super::groups::Groups;
use privet_mechanisms::analysis::{AnyNumeric, bin_rows};

/// For each column (a bin or a point of the domain) the density of reports: its probability per cell, averaged over each
/// group. Only the places where a column jumps are kept, so a window column costs a handful of numbers instead of
/// thousands, and applying the operator takes one pass over jumps and one over groups.
#[derive(Debug, Clone)]
pub(super) struct Operator {
    groups: usize,
    /// Where each column's jumps begin; one more than there are columns.
    starts: Vec<usize>,
    jumps: Vec<(u32, f64)>,
}

impl Operator {
    /// Columns are `bins` equal bins of the domain.
    pub(super) fn of_bins(channel: &dyn AnyNumeric, groups: Groups, bins: usize) -> Self {
        Self::of_rows(channel, groups, &bin_rows(channel, bins))
    }

    /// Columns are the given places, as fractions of the domain.
    pub(super) fn of_points(channel: &dyn AnyNumeric, groups: Groups, points: &[f64]) -> Self {
        let space = channel.space();
        let place = |point: &f64| {
            let placement = channel.place(space.from_unit(*point));
            let up = placement.up as f64 / 2f64.powi(64);
            let next = channel.next_node(placement.node);
            let rows = [(placement.node, 1.0 - up), (next, up)];
            rows.into_iter().filter(|(_, share)| *share > 0.0).collect()
        };
        Self::of_rows(channel, groups, &points.iter().map(place).collect::<Vec<_>>())
    }

    fn of_rows(channel: &dyn AnyNumeric, groups: Groups, columns: &[Vec<(u32, f64)>]) -> Self {
        let mut operator = Self { groups: groups.count(), starts: vec![0], jumps: Vec::new() };
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
                    operator.jumps.push((group as u32, jump));
                }
            }
            operator.starts.push(operator.jumps.len());
        }
        operator
    }

    pub(super) fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    fn column(&self, index: usize) -> &[(u32, f64)] {
        &self.jumps[self.starts[index]..self.starts[index + 1]]
    }

    /// Whether two columns are the same law.
    pub(super) fn same(&self, one: usize, two: usize) -> bool {
        let (one, two) = (self.column(one), self.column(two));
        one.len() == two.len()
            && one.iter().zip(two).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1e-12 * a.1.abs())
    }

    /// The density in each group when columns have these shares.
    pub(super) fn forward(&self, shares: &[f64], density: &mut Vec<f64>) {
        density.clear();
        density.resize(self.groups, 0.0);
        for (index, share) in shares.iter().enumerate() {
            for (group, jump) in self.column(index) {
                density[*group as usize] += share * jump;
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
        let of_column = |index: usize| {
            self.column(index).iter().map(|(group, jump)| jump * values[*group as usize]).sum()
        };
        sums.extend((0..self.columns()).map(|index| -> f64 { of_column(index) }));
    }
}
