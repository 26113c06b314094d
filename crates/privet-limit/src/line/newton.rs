//! Dense linear equations, for Newton's method.

/// A symmetric matrix of which only the lower half is kept, row by row.
pub(super) struct Symmetric {
    size: usize,
    entries: Vec<f64>,
}

/// What is added to the diagonal, as a share of it, so that rounding cannot make the matrix indefinite.
const RIDGE: f64 = 1e-13;

impl Symmetric {
    pub(super) fn zeros(size: usize) -> Self {
        Self { size, entries: vec![0.0; size * size] }
    }

    /// Adds the product of a vector with itself.
    pub(super) fn add_square(&mut self, vector: &[f64]) {
        for (row, factor) in vector.iter().enumerate() {
            add_multiple(&mut self.entries[row * self.size..=row * self.size + row], *factor, vector);
        }
    }

    /// Adds the products of vectors with themselves: four vectors and two rows at a time, because bringing numbers from memory
    /// takes longer than multiplying them.
    pub(super) fn add_squares(&mut self, vectors: &[Vec<f64>]) {
        let mut groups = vectors.chunks_exact(4);
        for group in &mut groups {
            let mut rows = self.entries.chunks_exact_mut(2 * self.size);
            for (pair, entries) in (&mut rows).enumerate() {
                let (upper, lower) = entries.split_at_mut(self.size);
                // The entry above the diagonal that the first row gets too much is never read.
                let length = 2 * pair + 2;
                let factors = |row: usize| [0, 1, 2, 3].map(|index| group[index][row]);
                let (one, other) = (factors(length - 2), factors(length - 1));
                let [a, b, c, d] = [0, 1, 2, 3].map(|index| &group[index][..length]);
                let (upper, lower) = (&mut upper[..length], &mut lower[..length]);
                for column in 0..length {
                    let [a, b, c, d] = [a[column], b[column], c[column], d[column]];
                    upper[column] += one[0] * a + one[1] * b + one[2] * c + one[3] * d;
                    lower[column] += other[0] * a + other[1] * b + other[2] * c + other[3] * d;
                }
            }
            if self.size % 2 == 1 {
                let row = self.size - 1;
                let entries = &mut self.entries[row * self.size..];
                for vector in group {
                    add_multiple(entries, vector[row], vector);
                }
            }
        }
        groups.remainder().iter().for_each(|vector| self.add_square(vector));
    }

    /// Adds to an entry; the larger index comes first.
    pub(super) fn add(&mut self, row: usize, column: usize, amount: f64) {
        self.entries[row * self.size + column] += amount;
    }

    /// The solution x of (matrix) x = right, or nothing if the matrix is not positive definite.
    pub(super) fn solve(mut self, right: &[f64]) -> Option<Vec<f64>> {
        let size = self.size;
        // With ones on the diagonal, numbers of very different sizes are equally exact.
        let scales: Vec<f64> =
            (0..size).map(|index| self.entries[index * size + index].sqrt().recip()).collect();
        if scales.iter().any(|scale| !scale.is_finite()) {
            return None;
        }
        for row in 0..size {
            for column in 0..=row {
                self.entries[row * size + column] *= scales[row] * scales[column];
            }
            self.entries[row * size + row] += RIDGE;
        }
        self.factorise()?;
        let mut solution: Vec<f64> = right.iter().zip(&scales).map(|(value, scale)| value * scale).collect();
        for row in 0..size {
            let known = dot(&self.entries[row * size..row * size + row], &solution[..row]);
            solution[row] = (solution[row] - known) / self.entries[row * size + row];
        }
        for row in (0..size).rev() {
            solution[row] /= self.entries[row * size + row];
            let found = solution[row];
            add_multiple(&mut solution[..row], -found, &self.entries[row * size..row * size + row]);
        }
        solution.iter_mut().zip(&scales).for_each(|(value, scale)| *value *= scale);
        Some(solution)
    }

    /// Cholesky's factor in place of the matrix.
    fn factorise(&mut self) -> Option<()> {
        let size = self.size;
        for row in 0..size {
            let (above, current) = self.entries.split_at_mut(row * size);
            for column in 0..=row {
                let sum = match column < row {
                    true => dot(&current[..column], &above[column * size..column * size + column]),
                    false => dot(&current[..column], &current[..column]),
                };
                let rest = current[column] - sum;
                if column < row {
                    current[column] = rest / above[column * size + column];
                } else if rest > 0.0 {
                    current[column] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(())
    }
}

fn add_multiple(entries: &mut [f64], factor: f64, vector: &[f64]) {
    entries.iter_mut().zip(vector).for_each(|(entry, other)| *entry += factor * other);
}

/// The scalar product, in parts that the processor can add at the same time.
pub(super) fn dot(one: &[f64], other: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f64 = ones.remainder().iter().zip(others.remainder()).map(|(one, other)| one * other).sum();
    for (one, other) in ones.zip(others) {
        for lane in 0..LANES {
            sums[lane] += one[lane] * other[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_have_their_solution() {
        let mut matrix = Symmetric::zeros(3);
        matrix.add_square(&[1e6, 2.0, 3e-4]);
        matrix.add_square(&[1e6, -1.0, 1e-4]);
        matrix.add(2, 2, 1e-8);
        matrix.add(1, 0, 5e5);
        // With x = (1e-6, 2, 3e4): (1e6, 2, 3e-4) x = 14 and (1e6, -1, 1e-4) x = 2.
        let right = [14e6 + 2e6 + 5e5 * 2.0, 28.0 - 2.0 + 5e5 * 1e-6, 42e-4 + 2e-4 + 1e-8 * 3e4];
        let solution = matrix.solve(&right).unwrap();
        for (found, expected) in solution.iter().zip([1e-6, 2.0, 3e4]) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn what_is_not_definite_is_refused() {
        let mut matrix = Symmetric::zeros(2);
        matrix.add_square(&[1.0, 1.0]);
        matrix.add(1, 1, -0.5);
        assert!(matrix.solve(&[1.0, 1.0]).is_none());
    }
}
