//! What estimates from many reports need to know about a mechanism on places.

use super::{PlaneLayout, PlaneWindow, SquareWindow};
use privet_core::{Fingerprint, Mechanism, Rectangle, ReportError};
use std::fmt::Debug;

/// Reports on places in groups of neighbours, and how likely each group is from each part of the rectangle. Everything is a sum
/// over the integers that the sampler uses.
pub trait PlaneReports: Debug + Send + Sync {
    /// Where places lie.
    fn rectangle(&self) -> Rectangle;

    /// The mechanism with all its parameters, in short.
    fn reports_fingerprint(&self) -> Fingerprint;

    /// How many bytes an encoded report has.
    fn bytes_of_report(&self) -> usize;

    /// How many groups there are.
    fn groups(&self) -> usize;

    /// The group of an encoded report.
    ///
    /// # Errors
    /// When the report is none of this mechanism's.
    fn group_of(&self, report: &[u8]) -> Result<usize, ReportError>;

    /// The smallest and the largest probability of each group that any place can give it, or numbers beyond these.
    fn group_bounds(&self) -> Vec<[f64; 2]>;

    /// For each cell of a grid with `side` cells along each side of the rectangle the probability of each group, if the place is
    /// uniform in the cell. Cells are counted along the first coordinate first.
    fn cell_laws(&self, side: u32) -> Vec<Vec<f64>>;
}

/// Along each side reports are counted in at most so many groups: estimates are on grids of half as many cells or fewer.
const MOST_GROUPS: u32 = 32;

/// Equal parts of a number of steps, as equal as whole steps allow.
#[derive(Debug, Clone, Copy)]
struct Parts {
    steps: u32,
    count: u32,
}

impl Parts {
    fn of(steps: u32) -> Self {
        Self { steps, count: steps.min(MOST_GROUPS) }
    }

    fn part(self, step: u32) -> u32 {
        (u64::from(step) * u64::from(self.count) / u64::from(self.steps)) as u32
    }

    fn start(self, part: u32) -> u32 {
        (u64::from(part) * u64::from(self.steps)).div_ceil(u64::from(self.count)) as u32
    }

    fn size(self, part: u32) -> u32 {
        self.start(part + 1) - self.start(part)
    }
}

impl SquareWindow {
    fn parts(&self) -> [Parts; 2] {
        self.lattice().map(Parts::of)
    }

    /// For each of `side` equal stretches of an axis the expected number of the window's columns in each group.
    fn expected_inside(&self, axis: usize, side: u32) -> Vec<Vec<f64>> {
        let (cells, window, parts) = (self.lattice()[axis], self.window()[axis], self.parts()[axis]);
        let last = cells - window;
        let stretch = |index: u32| {
            // Where the window would start if it were not kept inside, in columns: uniform between these.
            let [from, to] = [index, index + 1].map(|edge| {
                f64::from(edge) * f64::from(cells) / f64::from(side) - 0.5 * f64::from(window) + 0.5
            });
            let mut inside = vec![0.0; parts.count as usize];
            let starts = (from.max(0.0) as u32).min(last)..=(to.max(0.0) as u32).min(last);
            for start in starts {
                let low = if start == 0 { from } else { from.max(f64::from(start)) };
                let high = if start == last { to } else { to.min(f64::from(start + 1)) };
                let share = (high - low).max(0.0) / (to - from);
                for part in parts.part(start)..=parts.part(start + window - 1) {
                    let columns = parts.start(part + 1).min(start + window) - parts.start(part).max(start);
                    inside[part as usize] += share * f64::from(columns);
                }
            }
            inside
        };
        (0..side).map(stretch).collect()
    }

    fn group_sizes(&self) -> Vec<f64> {
        let [first, second] = self.parts();
        let size = |group: u32| first.size(group / second.count) * second.size(group % second.count);
        (0..first.count * second.count).map(|group| f64::from(size(group))).collect()
    }
}

impl PlaneReports for SquareWindow {
    fn rectangle(&self) -> Rectangle {
        *self.domain()
    }

    fn reports_fingerprint(&self) -> Fingerprint {
        self.fingerprint()
    }

    fn bytes_of_report(&self) -> usize {
        self.report_bytes()
    }

    fn groups(&self) -> usize {
        self.parts().iter().map(|parts| parts.count as usize).product()
    }

    fn group_of(&self, report: &[u8]) -> Result<usize, ReportError> {
        let cell = self.decode(report)?.0;
        let ([first, second], rows) = (self.parts(), self.lattice()[1]);
        Ok((first.part(cell / rows) * second.count + second.part(cell % rows)) as usize)
    }

    fn group_bounds(&self) -> Vec<[f64; 2]> {
        let total = self.row().total() as f64;
        let ends = [self.row().low(), self.row().high()].map(|weight| weight as f64 / total);
        self.group_sizes().into_iter().map(|size| ends.map(|end| end * size)).collect()
    }

    fn cell_laws(&self, side: u32) -> Vec<Vec<f64>> {
        let total = self.row().total() as f64;
        let (low, high) = (self.row().low() as f64 / total, self.row().high() as f64 / total);
        let [first, second] = [0, 1].map(|axis| self.expected_inside(axis, side));
        let sizes = self.group_sizes();
        let law = |cell: usize| {
            let (columns, rows) = (&first[cell % side as usize], &second[cell / side as usize]);
            // Both coordinates are independent, so the window's cells in a group are a product.
            let inside = columns.iter().flat_map(|column| rows.iter().map(move |row| column * row));
            sizes.iter().zip(inside).map(|(size, inside)| low * size + (high - low) * inside).collect()
        };
        (0..(side * side) as usize).map(law).collect()
    }
}

impl PlaneWindow {
    /// The group of a cell: where its position lies.
    fn group_at(&self, cell: usize) -> usize {
        let [first, second] = self.layout().positions()[cell]
            .map(|place| (place / (PlaneLayout::UNIT / MOST_GROUPS)).min(MOST_GROUPS - 1));
        (first * MOST_GROUPS + second) as usize
    }

    fn cells_of_groups(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.groups()];
        (0..self.cells() as usize).for_each(|cell| sizes[self.group_at(cell)] += 1.0);
        sizes
    }
}

impl PlaneReports for PlaneWindow {
    fn rectangle(&self) -> Rectangle {
        *self.domain()
    }

    fn reports_fingerprint(&self) -> Fingerprint {
        self.fingerprint()
    }

    fn bytes_of_report(&self) -> usize {
        self.report_bytes()
    }

    fn groups(&self) -> usize {
        (MOST_GROUPS * MOST_GROUPS) as usize
    }

    fn group_of(&self, report: &[u8]) -> Result<usize, ReportError> {
        Ok(self.group_at(self.decode(report)?.0 as usize))
    }

    fn group_bounds(&self) -> Vec<[f64; 2]> {
        let total = self.row().total() as f64;
        let ends = [self.row().low(), self.row().high()].map(|weight| weight as f64 / total);
        self.cells_of_groups().into_iter().map(|size| ends.map(|end| end * size)).collect()
    }

    fn cell_laws(&self, side: u32) -> Vec<Vec<f64>> {
        let total = self.row().total() as f64;
        let (low, high) = (self.row().low() as f64 / total, self.row().high() as f64 / total);
        let group_of: Vec<usize> = (0..self.cells() as usize).map(|cell| self.group_at(cell)).collect();
        let base: Vec<f64> = self.cells_of_groups().into_iter().map(|size| low * size).collect();
        let mut laws = vec![base; (side * side) as usize];
        let lattice = self.layout().lattice();
        for node in 0..lattice[0] * lattice[1] {
            let place = [node / lattice[1], node % lattice[1]];
            let [columns, rows] = [0, 1].map(|axis| shares_of(place[axis], lattice[axis], side));
            for (row, along) in &rows {
                for (column, across) in &columns {
                    let law = &mut laws[(row * side + column) as usize];
                    for cell in self.window(node) {
                        law[group_of[usize::from(*cell)]] += (high - low) * along * across;
                    }
                }
            }
        }
        laws
    }
}

/// The stretches of `side` equal ones that a part of a lattice lies in, each with the share of the stretch that it takes.
fn shares_of(part: u32, parts: u32, side: u32) -> Vec<(u32, f64)> {
    // In units of which there are `parts * side`: both grids are whole numbers of them.
    let (from, to) = (part * side, (part + 1) * side);
    let taken = |stretch: u32| to.min((stretch + 1) * parts) - from.max(stretch * parts);
    (from / parts..=(to - 1) / parts)
        .map(|stretch| (stretch, f64::from(taken(stretch)) / f64::from(parts)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Category, Channel, Epsilon, Fraction, Interval};

    fn rectangle(second: f64) -> Rectangle {
        Rectangle::new([Interval::new(0.0, 1.0).unwrap(), Interval::new(-1.0, second).unwrap()]).unwrap()
    }

    /// The mean over a fine grid of points in each cell of the exact probabilities of all reports of a group.
    fn by_points<M>(mechanism: &M, side: u32, points: u32) -> Vec<Vec<f64>>
    where
        M: PlaneReports + Channel<Domain = Rectangle, Report = Category>,
    {
        let reports = mechanism.all_reports(1 << 16).unwrap();
        let mut slot = vec![0; mechanism.report_bytes()];
        let mut law_at = |shares: [f64; 2]| {
            let place = mechanism.domain().point_at(shares);
            let mut law = vec![Fraction::whole(0); mechanism.groups()];
            for report in &reports {
                mechanism.encode(report, &mut slot);
                let group = mechanism.group_of(&slot).unwrap();
                law[group] = &law[group] + &mechanism.probability(&place, report);
            }
            law.iter().map(Fraction::to_f64).collect::<Vec<f64>>()
        };
        let cell = |index: u32| {
            let mut sums = vec![0.0; mechanism.groups()];
            for point in 0..points * points {
                let at = |cell: u32, point: u32| {
                    (f64::from(cell) + (f64::from(point) + 0.5) / f64::from(points)) / f64::from(side)
                };
                let law = law_at([at(index % side, point % points), at(index / side, point / points)]);
                sums.iter_mut().zip(law).for_each(|(sum, mass)| *sum += mass);
            }
            sums.iter().map(|sum| sum / f64::from(points * points)).collect()
        };
        (0..side * side).map(cell).collect()
    }

    fn check<M>(mechanism: &M, side: u32, points: u32)
    where
        M: PlaneReports + Channel<Domain = Rectangle, Report = Category>,
    {
        let (laws, expected) = (mechanism.cell_laws(side), by_points(mechanism, side, points));
        let bounds = mechanism.group_bounds();
        for (law, expected) in laws.iter().zip(&expected) {
            assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for ((mass, expected), [low, high]) in law.iter().zip(expected).zip(&bounds) {
                assert!((mass - expected).abs() < 1e-12, "{mass} {expected}");
                assert!((low * (1.0 - 1e-12)..=high * (1.0 + 1e-12)).contains(mass));
            }
        }
    }

    /// Ten by six columns and windows that start at halves: points lie on both sides of every jump in equal numbers.
    #[test]
    fn laws_of_a_square_window_are_sums_of_the_channel() {
        for epsilon in [1.0, 4.0] {
            let mechanism =
                SquareWindow::with_lattice(rectangle(0.0), Epsilon::new(epsilon).unwrap(), [10, 6]).unwrap();
            assert_eq!(mechanism.groups(), 60);
            check(&mechanism, 2, 30);
        }
    }

    #[test]
    fn cells_beyond_the_number_of_groups_are_counted_together() {
        let mechanism =
            SquareWindow::with_lattice(rectangle(1.0), Epsilon::new(3.0).unwrap(), [40, 3]).unwrap();
        assert_eq!(mechanism.groups(), 96);
        check(&mechanism, 1, 120);
    }

    #[test]
    fn laws_of_a_solved_window_are_sums_of_the_channel() {
        let positions = (0..25).map(|cell| [13_000 * (cell / 5), 16_000 * (cell % 5)]).collect();
        let layout = PlaneLayout::new([4, 8], 4, positions).unwrap();
        let mechanism = PlaneWindow::new(rectangle(2.0), Epsilon::new(2.0).unwrap(), layout).unwrap();
        check(&mechanism, 4, 2);
        check(&mechanism, 3, 8);
    }
}
