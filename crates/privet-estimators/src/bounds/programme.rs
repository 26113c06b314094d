//! Convex quadratic programmes.

use nalgebra::{Cholesky, DMatrix, DVector};

/// Minimises `x^T H x / 2 + g^T x` where all of some linear functions of x are at least given numbers, for one matrix H and
/// many others.
///
/// This is the dual method of Goldfarb and Idnani (Mathematical Programming 27, 1983): it begins at the minimum without
/// conditions, takes in the condition that is violated most, and drops those that no longer hold x back. Each step solves a small
/// triangular system; the number of steps is about that of the conditions which hold with equality in the end. The next g begins
/// with the conditions that held x back for the last one.
#[derive(Debug)]
pub(super) struct Programme {
    /// A matrix J with `J J^T` the inverse of H.
    root: DMatrix<f64>,
}

/// Conditions `row x >= bound`, with one row for each.
#[derive(Debug)]
pub(super) struct Conditions<'a> {
    pub(super) rows: &'a DMatrix<f64>,
    pub(super) bounds: &'a [f64],
}

/// A violation that is below this part of the bounds' range counts as none.
const SLACK: f64 = 1e-4;

/// A condition of which less than this part is not yet decided by the active ones cannot be told from them.
const FLAT: f64 = 1e-7;

/// Where one is in the search.
pub(super) struct Search<'a> {
    conditions: Conditions<'a>,
    x: DVector<f64>,
    /// Orthogonal transformations of the root: the first columns belong to the active conditions.
    j: DMatrix<f64>,
    /// The active conditions in the coordinates of these columns, upper triangular.
    r: DMatrix<f64>,
    active: Vec<usize>,
    is_active: Vec<bool>,
    /// How hard each active condition holds x back, never below zero.
    forces: Vec<f64>,
}

/// Which way a condition moves x, and what it does to the forces of the active ones.
struct Direction {
    transformed: DVector<f64>,
    step: DVector<f64>,
    of_forces: Vec<f64>,
}

impl Programme {
    /// For a symmetric positive definite matrix; `None` where it is not one, up to rounding.
    pub(super) fn new(matrix: DMatrix<f64>) -> Option<Self> {
        let size = matrix.nrows();
        let lower = Cholesky::new(matrix)?.l();
        let root = lower.solve_lower_triangular(&DMatrix::identity(size, size))?.transpose();
        Some(Self { root })
    }

    /// A search under some conditions.
    pub(super) fn search<'a>(&self, conditions: Conditions<'a>) -> Search<'a> {
        let size = self.root.nrows();
        Search {
            x: DVector::zeros(size),
            j: self.root.clone(),
            r: DMatrix::zeros(size, size),
            active: Vec::new(),
            is_active: vec![false; conditions.bounds.len()],
            forces: Vec::new(),
            conditions,
        }
    }
}

impl Search<'_> {
    /// The same search with more conditions behind those that there are.
    pub(super) fn under<'b>(self, conditions: Conditions<'b>) -> Search<'b> {
        let Search { x, j, r, active, mut is_active, forces, .. } = self;
        is_active.resize(conditions.bounds.len(), false);
        Search { conditions, x, j, r, active, is_active, forces }
    }

    /// The minimum for g, or the best that was found in a bounded number of steps.
    pub(super) fn minimise(&mut self, gradient: &DVector<f64>) -> &DVector<f64> {
        self.begin(gradient);
        let range = self.conditions.bounds.iter().fold(1.0f64, |largest, bound| largest.max(bound.abs()));
        for _ in 0..8 * gradient.len() {
            match self.most_violated(SLACK * range) {
                Some((index, violation)) => self.take_in(index, violation),
                None => break,
            }
        }
        &self.x
    }

    /// Goes to the minimum where the active conditions hold with equality, and lets those go that would pull.
    ///
    /// With `J^T N = [R; 0]` for the active conditions N and their bounds b, and `y = R^-T b`, the forces are
    /// `R^-1 (y + J_1^T g)` and x is `J_1 y - J_2 J_2^T g`.
    fn begin(&mut self, gradient: &DVector<f64>) {
        loop {
            let count = self.active.len();
            let slope = self.j.tr_mul(gradient);
            let mut y = vec![0.0; count];
            for row in 0..count {
                let sum: f64 = (0..row).map(|above| self.r[(above, row)] * y[above]).sum();
                y[row] = (self.conditions.bounds[self.active[row]] - sum) / self.r[(row, row)];
            }
            let pushed: Vec<f64> = y.iter().zip(slope.iter()).map(|(y, slope)| y + slope).collect();
            self.forces = self.solved(&pushed);
            let weakest = (0..count).min_by(|one, two| self.forces[*one].total_cmp(&self.forces[*two]));
            match weakest.filter(|position| self.forces[*position] < 0.0) {
                Some(position) => self.drop(position),
                None => {
                    let along =
                        DVector::from_fn(slope.len(), |row, _| y.get(row).copied().unwrap_or(-slope[row]));
                    self.x = &self.j * along;
                    return;
                }
            }
        }
    }

    /// The solution of the triangular system of the active conditions.
    fn solved(&self, right: &[f64]) -> Vec<f64> {
        let count = self.active.len();
        let mut found = vec![0.0; count];
        for row in (0..count).rev() {
            let sum: f64 = (row + 1..count).map(|column| self.r[(row, column)] * found[column]).sum();
            found[row] = (right[row] - sum) / self.r[(row, row)];
        }
        found
    }

    fn most_violated(&self, slack: f64) -> Option<(usize, f64)> {
        let values = self.conditions.rows * &self.x;
        let violation = |index: usize| self.conditions.bounds[index] - values[index];
        let outside = (0..values.len()).filter(|index| !self.is_active[*index]);
        let all = outside.map(|index| (index, violation(index))).filter(|(_, violation)| *violation > slack);
        all.fold(None, |worst: Option<(usize, f64)>, one| match worst {
            Some(worst) if worst.1 >= one.1 => Some(worst),
            _ => Some(one),
        })
    }

    /// Moves x until a condition holds, dropping others on the way.
    fn take_in(&mut self, index: usize, mut violation: f64) {
        let mut force = 0.0;
        loop {
            let direction = self.direction(index);
            let normal = (self.conditions.rows.row(index) * &direction.step)[0];
            let is_flat = normal <= FLAT * direction.transformed.norm_squared();
            let full = if is_flat { f64::INFINITY } else { violation / normal };
            let blocking = self.first_to_let_go(&direction.of_forces);
            let partial = blocking.map_or(f64::INFINITY, |(_, length)| length);
            let length = full.min(partial);
            if !length.is_finite() {
                return;
            }
            for (force, change) in self.forces.iter_mut().zip(&direction.of_forces) {
                *force = (*force - length * change).max(0.0);
            }
            force += length;
            if !is_flat {
                self.x.axpy(length, &direction.step, 1.0);
                violation -= length * normal;
            }
            match blocking {
                Some((position, _)) if partial < full => self.drop(position),
                _ => return self.add(index, &direction.transformed, force),
            }
        }
    }

    fn direction(&self, index: usize) -> Direction {
        let count = self.active.len();
        let transformed = self.j.tr_mul(&self.conditions.rows.row(index).transpose());
        let free = self.j.columns(count, self.j.ncols() - count);
        let step = free * transformed.rows(count, transformed.len() - count);
        let of_forces = self.solved(&transformed.as_slice()[..count]);
        Direction { transformed, step, of_forces }
    }

    /// The active condition whose force vanishes first, and after which length.
    fn first_to_let_go(&self, of_forces: &[f64]) -> Option<(usize, f64)> {
        let lengths = self.forces.iter().zip(of_forces).enumerate();
        let falling = lengths.filter(|(_, (_, change))| **change > 0.0);
        falling
            .map(|(position, (force, change))| (position, force / change))
            .min_by(|one, two| one.1.total_cmp(&two.1))
    }

    /// Makes a condition active: rotations turn its coordinates beyond the active ones into one.
    fn add(&mut self, index: usize, transformed: &DVector<f64>, force: f64) {
        let count = self.active.len();
        if count == self.j.ncols() {
            return;
        }
        let mut coordinates = transformed.clone();
        for row in (count + 1..coordinates.len()).rev() {
            let rotation = Rotation::onto_first(coordinates[row - 1], coordinates[row]);
            coordinates[row - 1] = rotation.length;
            coordinates[row] = 0.0;
            rotation.turn_columns(&mut self.j, row - 1);
        }
        self.r.view_mut((0, count), (count + 1, 1)).copy_from(&coordinates.rows(0, count + 1));
        self.active.push(index);
        self.is_active[index] = true;
        self.forces.push(force);
    }

    /// Lets an active condition go: the columns behind it move up, and rotations make them triangular again.
    fn drop(&mut self, position: usize) {
        let count = self.active.len();
        for column in position + 1..count {
            let moved = self.r.view((0, column), (column + 1, 1)).clone_owned();
            self.r.view_mut((0, column - 1), (column + 1, 1)).copy_from(&moved);
        }
        for row in position..count - 1 {
            let rotation = Rotation::onto_first(self.r[(row, row)], self.r[(row + 1, row)]);
            for column in row..count - 1 {
                let pair = [self.r[(row, column)], self.r[(row + 1, column)]];
                [self.r[(row, column)], self.r[(row + 1, column)]] = rotation.turn(pair);
            }
            rotation.turn_columns(&mut self.j, row);
        }
        self.is_active[self.active.remove(position)] = false;
        self.forces.remove(position);
    }
}

/// A rotation of two coordinates that makes the second one zero.
struct Rotation {
    cosine: f64,
    sine: f64,
    length: f64,
}

impl Rotation {
    fn onto_first(first: f64, second: f64) -> Self {
        let length = (first * first + second * second).sqrt();
        if length > 0.0 {
            Self { cosine: first / length, sine: second / length, length }
        } else {
            Self { cosine: 1.0, sine: 0.0, length: 0.0 }
        }
    }

    fn turn(&self, [first, second]: [f64; 2]) -> [f64; 2] {
        [self.cosine * first + self.sine * second, self.cosine * second - self.sine * first]
    }

    /// Turns a column and the next one.
    fn turn_columns(&self, matrix: &mut DMatrix<f64>, column: usize) {
        let (mut left, mut right) = matrix.columns_range_pair_mut(column, column + 1);
        for (first, second) in left.iter_mut().zip(right.iter_mut()) {
            [*first, *second] = self.turn([*first, *second]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The conditions of Karush, Kuhn and Tucker, which are enough for a convex programme: every condition holds, and the
        /// gradient is a sum of those that hold with equality, none of them pulling.
        #[test]
        fn solutions_are_optimal(
            entries in prop::collection::vec(-1.0f64..1.0, 36), rows in prop::collection::vec(-1.0f64..1.0, 120),
            bounds in prop::collection::vec(-1.0f64..0.5, 20), linear in prop::collection::vec(-1.0f64..1.0, 6),
        ) {
            let base = DMatrix::from_vec(6, 6, entries);
            let matrix = &base * base.transpose() + DMatrix::identity(6, 6) * 0.1;
            let gradient = DVector::from_vec(linear);
            // A direction in which every condition can be fulfilled.
            let mut rows = DMatrix::from_vec(20, 6, rows);
            rows.column_mut(0).fill(1.0);
            let conditions = Conditions { rows: &rows, bounds: &bounds };
            let programme = Programme::new(matrix.clone()).unwrap();
            let mut search = programme.search(conditions);
            // Another one first: where the search began must not matter.
            search.minimise(&(&gradient * -2.0));
            let x = search.minimise(&gradient).clone();
            let slack: Vec<f64> = (0..20).map(|row| (rows.row(row) * &x)[0] - bounds[row]).collect();
            prop_assert!(slack.iter().all(|slack| *slack > -2.0 * SLACK));
            let slope = &matrix * &x + &gradient;
            let tight: Vec<usize> = (0..20).filter(|row| slack[*row] < 1e-3).collect();
            let normals = rows.select_rows(&tight).transpose();
            let forces = non_negative_least_squares(&normals, &slope);
            prop_assert!((&normals * &forces - &slope).norm() < 1e-3 * (1.0 + slope.norm()));
        }
    }

    /// By projected gradients: slow, and another way than the solver's.
    fn non_negative_least_squares(columns: &DMatrix<f64>, wanted: &DVector<f64>) -> DVector<f64> {
        let square = columns.tr_mul(columns);
        let step = 1.0 / square.norm().max(1e-9);
        let right = columns.tr_mul(wanted);
        let mut found = DVector::zeros(columns.ncols());
        for _ in 0..200_000 {
            let next = (&found - (&square * &found - &right) * step).map(|force: f64| force.max(0.0));
            let moved = (&next - &found).norm();
            found = next;
            if moved < 1e-13 {
                break;
            }
        }
        found
    }
}
