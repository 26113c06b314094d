//! How far reports are from the truth: expected Euclidean distances, in closed form.
//!
//! Within one part of the lattice the law of the report does not change, so the expected distance is a fixed positive
//! combination of distances to fixed points. That makes it convex: its maximum over the part is at a corner. And its
//! integral over the part is a sum of integrals of a distance over a rectangle, which have a closed form. Both results are
//! exact up to floating-point rounding, which is below one part in 10^10.

use super::{PlaneErrors, PlanePrior, PlaneWindow};
use privet_core::{Domain, InputError, Mechanism, ReportError};

impl PlaneWindow {
    /// The expected distance at `place` under the row of a node.
    fn loss_under(&self, node: u32, place: [f64; 2]) -> f64 {
        let distance = |cell: u32| {
            let [first, second] = self.output_value(cell);
            (first - place[0]).hypot(second - place[1])
        };
        let all: f64 = (0..self.cells()).map(distance).sum();
        let near: f64 = self.window(node).iter().map(|cell| distance(u32::from(*cell))).sum();
        self.mix(all, near)
    }

    /// The mean of a quantity from its sum over all cells and its sum over the window.
    fn mix(&self, all: f64, near: f64) -> f64 {
        let (high, low) = (self.row().high() as f64, self.row().low() as f64);
        (low * all + (high - low) * near) / self.row().total() as f64
    }

    /// The longer side. Sums are made in units of it: cubes of the sides themselves might not be finite.
    fn longest_width(&self) -> f64 {
        let [first, second] = self.domain().widths();
        first.max(second)
    }

    fn relative_widths(&self) -> [f64; 2] {
        self.domain().widths().map(|width| width / self.longest_width())
    }

    /// Where the cells lie, counted from the lower ends in units of the longer side.
    fn positions(&self) -> Vec<[f64; 2]> {
        let widths = self.relative_widths();
        let place = |cell| {
            let share = self.layout().share(cell);
            std::array::from_fn(|axis| share[axis] * widths[axis])
        };
        (0..self.cells() as usize).map(place).collect()
    }

    /// The nodes whose parts meet at a corner.
    fn parts_around(&self, corner: [u32; 2]) -> impl Iterator<Item = u32> + '_ {
        let [columns, rows] = self.layout().lattice();
        let beside = |place: u32, parts: u32| place.saturating_sub(1)..(place + 1).min(parts);
        beside(corner[0], columns).flat_map(move |column| {
            beside(corner[1], rows).map(move |row| self.layout().node_at([column, row]))
        })
    }

    /// The lines of the lattice and of the prior along one axis.
    fn axis(&self, axis: usize, prior: &PlanePrior) -> Axis {
        let (lattice, grid) = (self.layout().lattice()[axis], prior.shape()[axis]);
        let width = self.relative_widths()[axis];
        // Lines as numerators over lattice * grid, where both kinds are whole.
        let mut lines: Vec<u64> = (0..=u64::from(lattice))
            .map(|line| line * u64::from(grid))
            .chain((0..=u64::from(grid)).map(|line| line * u64::from(lattice)))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let all = f64::from(lattice) * f64::from(grid);
        let parts = lines.windows(2).map(|pair| AxisPart {
            of_lattice: (pair[0] / u64::from(grid)) as u32,
            of_prior: (pair[0] / u64::from(lattice)) as u32,
        });
        Axis {
            parts: parts.collect(),
            lines: lines.iter().map(|line| width * (*line as f64 / all)).collect(),
            prior_width: width / f64::from(grid),
        }
    }
}

impl PlaneErrors for PlaneWindow {
    fn reported_place(&self, report: &[u8]) -> Result<[f64; 2], ReportError> {
        Ok(self.output_value(self.decode(report)?.0))
    }

    fn expected_loss(&self, place: [f64; 2]) -> Result<f64, InputError> {
        self.domain().check(&place)?;
        Ok(self.loss_under(self.node_of(place), place))
    }

    /// It occurs at a corner of a part of the lattice.
    fn worst_loss(&self) -> (f64, [f64; 2]) {
        let [columns, rows] = self.layout().lattice();
        let values = self.positions();
        let mut worst = (f64::NEG_INFINITY, [0.0; 2]);
        let mut distances = vec![0.0; values.len()];
        for column in 0..=columns {
            for row in 0..=rows {
                let shares = [f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows)];
                let corner: [f64; 2] =
                    std::array::from_fn(|axis| shares[axis] * self.relative_widths()[axis]);
                for (distance, value) in distances.iter_mut().zip(&values) {
                    let (first, second) = (value[0] - corner[0], value[1] - corner[1]);
                    *distance = (first * first + second * second).sqrt();
                }
                let all: f64 = distances.iter().sum();
                for node in self.parts_around([column, row]) {
                    let near = self.window(node).iter().map(|cell| distances[usize::from(*cell)]).sum();
                    let loss = self.mix(all, near);
                    if loss > worst.0 {
                        worst = (loss, shares);
                    }
                }
            }
        }
        (worst.0 * self.longest_width(), self.domain().point_at(worst.1))
    }

    fn average_loss(&self, prior: &PlanePrior) -> f64 {
        let axes: [Axis; 2] = std::array::from_fn(|axis| self.axis(axis, prior));
        let (across, along) = (axes[0].parts.len(), axes[1].parts.len());
        let densities: Vec<f64> = (0..across * along)
            .map(|patch| {
                let (first, second) = (&axes[0].parts[patch / along], &axes[1].parts[patch % along]);
                prior.probability([first.of_prior, second.of_prior])
                    / (axes[0].prior_width * axes[1].prior_width)
            })
            .collect();
        let mut members = Members::of(self);
        let mut integrals = vec![0.0; across * along];
        let total: f64 = (0u32..)
            .zip(self.positions())
            .map(|(cell, position)| {
                distance_integrals(position, &axes, &mut integrals);
                let nodes = members.nodes_of(cell);
                let (mut all, mut near) = (0.0, 0.0);
                for (patch, (integral, density)) in integrals.iter().zip(&densities).enumerate() {
                    let part =
                        [axes[0].parts[patch / along].of_lattice, axes[1].parts[patch % along].of_lattice];
                    let mass = integral * density;
                    all += mass;
                    near += if nodes[self.layout().node_at(part) as usize] { mass } else { 0.0 };
                }
                self.mix(all, near)
            })
            .sum();
        total * self.longest_width()
    }
}

/// One axis, cut at the lines of the lattice and of the prior.
struct Axis {
    lines: Vec<f64>,
    parts: Vec<AxisPart>,
    prior_width: f64,
}

/// Between two neighbouring lines.
struct AxisPart {
    of_lattice: u32,
    of_prior: u32,
}

/// For each cell the nodes whose windows hold it.
struct Members {
    starts: Vec<usize>,
    nodes: Vec<u32>,
    marks: Vec<bool>,
    marked: Option<u32>,
}

impl Members {
    fn of(mechanism: &PlaneWindow) -> Self {
        let nodes = mechanism.layout().nodes();
        let mut starts = vec![0; mechanism.cells() as usize + 1];
        for node in 0..nodes {
            mechanism.window(node).iter().for_each(|cell| starts[usize::from(*cell) + 1] += 1);
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut next = starts.clone();
        let mut members = vec![0; starts[starts.len() - 1]];
        for node in 0..nodes {
            for cell in mechanism.window(node) {
                members[next[usize::from(*cell)]] = node;
                next[usize::from(*cell)] += 1;
            }
        }
        Self { starts, nodes: members, marks: vec![false; nodes as usize], marked: None }
    }

    /// A mark for each node whose window holds the cell.
    fn nodes_of(&mut self, cell: u32) -> &[bool] {
        let range = |cell: u32| self.starts[cell as usize]..self.starts[cell as usize + 1];
        if let Some(before) = self.marked.replace(cell) {
            self.nodes[range(before)].iter().for_each(|node| self.marks[*node as usize] = false);
        }
        self.nodes[range(cell)].iter().for_each(|node| self.marks[*node as usize] = true);
        &self.marks
    }
}

/// The integral of the distance to a point over each patch between the lines.
fn distance_integrals(point: [f64; 2], axes: &[Axis; 2], integrals: &mut [f64]) {
    let along = axes[1].parts.len();
    let corner_line = |first: f64| -> Vec<f64> {
        axes[1].lines.iter().map(|second| corner_integral(first - point[0], second - point[1])).collect()
    };
    let mut before = corner_line(axes[0].lines[0]);
    for (across, first) in axes[0].lines[1..].iter().enumerate() {
        let after = corner_line(*first);
        for (place, integral) in integrals[across * along..][..along].iter_mut().enumerate() {
            *integral = (after[place + 1] - after[place]) - (before[place + 1] - before[place]);
        }
        before = after;
    }
}

/// The integral of the distance to the origin over the rectangle with the opposite corner (a, b), odd in both:
/// (2 a b r + a^3 arsinh(b / |a|) + b^3 arsinh(a / |b|)) / 6, where r is the diagonal.
pub(super) fn corner_integral(a: f64, b: f64) -> f64 {
    let part = |one: f64, other: f64| {
        let cube = one.powi(3);
        // A vanishing side would meet an infinite quotient.
        if cube == 0.0 { 0.0 } else { cube * (other / one.abs()).asinh() }
    };
    (2.0 * a * b * (a * a + b * b).sqrt() + part(a, b) + part(b, a)) / 6.0
}

#[cfg(test)]
mod tests;
