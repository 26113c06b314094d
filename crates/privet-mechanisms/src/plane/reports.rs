//! What estimates from many reports need to know about a mechanism on places.

use super::{PlaneLaws, PlaneLayout, PlaneWindow, SquareWindow};
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

    /// The laws of all places, for functions of the place that change only at the lines of a grid with `side` cells along each
    /// side.
    fn place_laws(&self, side: u32) -> PlaneLaws;
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

    /// Where windows start between which the number of columns in each group changes in a straight line, and those on both sides of
    /// the lines of a grid.
    fn key_starts(&self, axis: usize, side: u32) -> Vec<u32> {
        let (cells, window, parts) = (self.lattice()[axis], self.window()[axis], self.parts()[axis]);
        let last = cells - window;
        let edges = (0..=parts.count).map(|part| parts.start(part));
        let bends = edges.flat_map(|edge| [Some(edge), edge.checked_sub(window)]).flatten();
        let lines = (1..side).flat_map(|line| {
            let start = f64::from(line) * f64::from(cells) / f64::from(side) - 0.5 * f64::from(window) + 0.5;
            let start = start as u32;
            [start.saturating_sub(1), start, start + 1]
        });
        let mut starts: Vec<u32> =
            bends.chain(lines).chain([0, last]).filter(|start| *start <= last).collect();
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The stretch of a side, in shares of it, whose windows start at a column.
    fn stretch_of(&self, axis: usize, start: u32) -> [f64; 2] {
        let (cells, window) = (self.lattice()[axis], self.window()[axis]);
        let share = |start: u32| (f64::from(start) + 0.5 * f64::from(window) - 0.5) / f64::from(cells);
        let high = if start == cells - window { 1.0 } else { share(start + 1).min(1.0) };
        [if start == 0 { 0.0 } else { share(start).max(0.0) }, high]
    }

    /// The number of columns of a window in each group.
    fn columns_inside(&self, axis: usize, start: u32) -> Vec<f64> {
        let (window, parts) = (self.window()[axis], self.parts()[axis]);
        let columns = |part: u32| {
            let (from, to) = (parts.start(part).max(start), parts.start(part + 1).min(start + window));
            f64::from(to.saturating_sub(from))
        };
        (0..parts.count).map(columns).collect()
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

    fn place_laws(&self, side: u32) -> PlaneLaws {
        let total = self.row().total() as f64;
        let (low, high) = (self.row().low() as f64 / total, self.row().high() as f64 / total);
        let starts = [0, 1].map(|axis| self.key_starts(axis, side));
        let stretches =
            [0, 1].map(|axis| starts[axis].iter().map(|start| self.stretch_of(axis, *start)).collect());
        let inside =
            [0, 1].map(|axis| starts[axis].iter().map(|start| self.columns_inside(axis, *start)).collect());
        let base = self.group_sizes().into_iter().map(|size| low * size).collect();
        PlaneLaws::of_product(stretches, base, high - low, inside)
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

    fn place_laws(&self, _side: u32) -> PlaneLaws {
        let total = self.row().total() as f64;
        let (low, high) = (self.row().low() as f64 / total, self.row().high() as f64 / total);
        let group_of: Vec<usize> = (0..self.cells() as usize).map(|cell| self.group_at(cell)).collect();
        let base: Vec<f64> = self.cells_of_groups().into_iter().map(|size| low * size).collect();
        let lattice = self.layout().lattice();
        let law = |node: u32| {
            let mut law = base.clone();
            self.window(node).iter().for_each(|cell| law[group_of[usize::from(*cell)]] += high - low);
            law
        };
        PlaneLaws::of_list(lattice.map(equal_parts), (0..lattice[0] * lattice[1]).map(law).collect())
    }
}

/// The equal parts of a side, in shares of it.
fn equal_parts(parts: u32) -> Vec<[f64; 2]> {
    (0..parts).map(|part| [part, part + 1].map(|edge| f64::from(edge) / f64::from(parts))).collect()
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

    /// Every place has the law of its stretch, and laws between two key ones are mixtures.
    fn check_places<M>(mechanism: &M, side: u32)
    where
        M: PlaneReports + Channel<Domain = Rectangle, Report = Category>,
    {
        let laws = mechanism.place_laws(side);
        let weights: Vec<f64> = (0..mechanism.groups()).map(|group| (group as f64 * 0.7).sin()).collect();
        let means = laws.means(&weights);
        let by_place = |place: [f64; 2]| -> f64 {
            let mut slot = vec![0; mechanism.report_bytes()];
            let reports = mechanism.all_reports(1 << 16).unwrap();
            let mean = |report: &Category| {
                mechanism.encode(report, &mut slot);
                let weight = weights[mechanism.group_of(&slot).unwrap()];
                weight * mechanism.probability(&mechanism.domain().point_at(place), report).to_f64()
            };
            reports.iter().map(mean).collect::<Vec<f64>>().iter().sum()
        };
        for (index, mean) in means.iter().enumerate() {
            let [first, second] = laws.places(index).map(|[low, high]| f64::midpoint(low, high));
            assert!((by_place([first, second]) - mean).abs() < 1e-9, "{index}");
            let by_law: f64 = laws.law(index).iter().zip(&weights).map(|(law, weight)| law * weight).sum();
            assert!((by_law - mean).abs() < 1e-9);
        }
        let extremes =
            means.iter().fold([f64::MAX, f64::MIN], |[low, high], mean| [low.min(*mean), high.max(*mean)]);
        for index in 0..400 {
            let place = [f64::from(index % 20), f64::from(index / 20)].map(|step| (step + 0.5) / 20.0);
            assert!((extremes[0] - 1e-12..=extremes[1] + 1e-12).contains(&by_place(place)));
        }
    }

    #[test]
    fn laws_of_places_stand_for_all_places() {
        for epsilon in [1.0, 4.0] {
            let square =
                SquareWindow::with_lattice(rectangle(0.0), Epsilon::new(epsilon).unwrap(), [40, 6]).unwrap();
            check_places(&square, 4);
        }
        let positions = (0..25).map(|cell| [13_000 * (cell / 5), 16_000 * (cell % 5)]).collect();
        let layout = PlaneLayout::new([4, 8], 4, positions).unwrap();
        check_places(&PlaneWindow::new(rectangle(2.0), Epsilon::new(2.0).unwrap(), layout).unwrap(), 4);
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
