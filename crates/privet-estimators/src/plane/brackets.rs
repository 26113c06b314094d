//! Brackets of the shares of cells.

use super::symmetry::{Symmetry, Turn};
use crate::bounds::{Bracket, Design, Hunt, Purpose, Side};
use nalgebra::{DMatrix, DVector};
use privet_core::parallel;
use privet_mechanisms::plane::{PlaneLaws, PlaneReports};
use std::collections::BTreeMap;

/// The brackets of all cells of a grid, designed for one number of people.
#[derive(Debug)]
pub(super) struct Brackets {
    pub(super) of_cells: Vec<Bracket>,
}

/// Weights are designed at points of a grid along each side: the lines between cells, and more between them where there are few.
const FEWEST_STEPS: u32 = 16;

/// Shares of a side that differ by less are the same: both come from divisions.
const SAME: f64 = 1e-12;

/// What is this share of a side away from a point is beside it, and not beyond anything else.
const BESIDE: f64 = 1e-9;

/// Sums of likelihood ratios that vary less than this part of the others are left out: they are rounding.
const LEAST_VARIATION: f64 = 1e-12;

/// Lower ends are also looked for as if noise reached only so far.
const PARTS_OF_REACH: [f64; 3] = [1.0, 0.35, 0.12];
const SHARES_IN_CELL: [f64; 3] = [0.2, 0.5, 1.0];

/// How often places between points become conditions, and by how much weights fall short there if they do.
const ROUNDS: usize = 5;
const SHORT: f64 = 0.003;

/// Which side of an indicator weights are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Upper,
    Lower,
}

/// Designs weights of groups of reports.
///
/// The best weights are sums of likelihood ratios: `a(y) = sum over points i of w_i P_i(y) / p(y)`, where p is the law of reports
/// of the reference population. (The matrix of the programme is diagonal in p plus products of the laws, and so is its inverse
/// times a law.) There are fewer points than groups, so the programme is solved for w, in coordinates in which the sums are
/// uncorrelated.
struct Designer {
    laws: PlaneLaws,
    /// How many cells lie along each side, and how many steps between points.
    shape: [u32; 2],
    steps: [u32; 2],
    points: Vec<[f64; 2]>,
    /// Likelihood ratios: groups in rows, points in columns.
    ratios: DMatrix<f64>,
    /// The numbers w in columns, one for each coordinate.
    of_coordinates: DMatrix<f64>,
    /// The weights of groups in columns, one for each coordinate.
    basis: DMatrix<f64>,
    /// The means of the coordinates under the points, in rows.
    means: DMatrix<f64>,
    design: Option<Design>,
    symmetry: Symmetry,
    reach: f64,
}

impl Brackets {
    pub(super) fn new(reports: &dyn PlaneReports, side: u32, purpose: Purpose) -> Self {
        Self::of_laws(reports.place_laws(side), [side; 2], purpose)
    }

    /// The brackets of the cells of a grid with these numbers of cells along its sides, along the first side first.
    pub(super) fn of_laws(laws: PlaneLaws, shape: [u32; 2], purpose: Purpose) -> Self {
        let designer = Designer::new(laws, shape, purpose);
        let designed = designer.designed();
        let numbers = parallel::map(&designed, |cell| {
            [Direction::Upper, Direction::Lower].map(|direction| designer.numbers(*cell, direction))
        });
        let bracket = |cell: &[u32; 2]| {
            let (image, turn) = designer.image(*cell);
            let of_image = designed.iter().position(|designed| *designed == image).map(|at| &numbers[at]);
            let side = |index: usize, direction: Direction| {
                let numbers = of_image.and_then(|numbers| numbers[index].as_ref());
                designer.side(*cell, direction, numbers.map(|numbers| designer.turned(numbers, turn)))
            };
            Bracket::new(side(0, Direction::Upper), side(1, Direction::Lower), true)
        };
        Self { of_cells: parallel::map(&cells(shape).collect::<Vec<_>>(), bracket) }
    }
}

/// All cells, along the first coordinate first.
fn cells([columns, rows]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
    (0..columns * rows).map(move |cell| [cell % columns, cell / columns])
}

impl Designer {
    fn new(laws: PlaneLaws, shape: [u32; 2], purpose: Purpose) -> Self {
        let steps = shape.map(|side| side * FEWEST_STEPS.div_ceil(side));
        let at = move |index: u32, axis: usize| f64::from(index) / f64::from(steps[axis]);
        let points: Vec<[f64; 2]> = (0..=steps[1])
            .flat_map(|row| (0..=steps[0]).map(move |column| [at(column, 0), at(row, 1)]))
            .collect();
        let rows: Vec<Vec<f64>> = points.iter().map(|point| law_around(&laws, *point)).collect();
        let table = DMatrix::from_fn(points.len(), laws.groups(), |point, group| rows[point][group]);
        let reference = DVector::from_element(points.len(), 1.0 / points.len() as f64);
        let of_reports = table.tr_mul(&reference);
        let ratios = DMatrix::from_fn(laws.groups(), points.len(), |group, point| {
            table[(point, group)] / of_reports[group].max(f64::MIN_POSITIVE)
        });
        let products = &table * &ratios;
        let symmetry = Symmetry::of(&products, shape, steps);
        let eigen = products.symmetric_eigen();
        let largest = eigen.eigenvalues.max();
        let kept: Vec<usize> =
            (0..points.len()).filter(|at| eigen.eigenvalues[*at] > LEAST_VARIATION * largest).collect();
        let scaled = |power: f64| {
            let mut columns = eigen.eigenvectors.select_columns(&kept);
            for (mut column, at) in columns.column_iter_mut().zip(&kept) {
                column *= eigen.eigenvalues[*at].powf(power);
            }
            columns
        };
        let (of_coordinates, means) = (scaled(-0.5), scaled(0.5));
        let basis = &ratios * &of_coordinates;
        let squares = DMatrix::identity(kept.len(), kept.len());
        let design = Design::in_coordinates(&means, &reference, purpose.share(), squares);
        let reach = purpose.reach();
        Self { laws, shape, steps, points, ratios, of_coordinates, basis, means, design, symmetry, reach }
    }

    /// The cells that weights are looked for: one of all that are mirror images of each other.
    fn designed(&self) -> Vec<[u32; 2]> {
        cells(self.shape).filter(|cell| self.image(*cell).0 == *cell).collect()
    }

    /// The cell that stands for this one, and how to come to it.
    fn image(&self, cell: [u32; 2]) -> ([u32; 2], Turn) {
        self.symmetry.image(cell, self.shape)
    }

    /// The numbers w for one side of a cell; `None` where a constant is best.
    ///
    /// If everybody were anywhere, few reports could not tell that anybody is in a cell at all: nothing is the best lower end for
    /// the reference population. It is not for people who are close together, so lower ends are also looked for as if there
    /// were more reports, and those are taken that serve a few populations best.
    fn numbers(&self, cell: [u32; 2], direction: Direction) -> Option<DVector<f64>> {
        let design = self.design.as_ref()?;
        let wanted: Vec<f64> =
            self.points.iter().map(|point| self.wanted(cell, direction, point.map(|at| [at; 2]))).collect();
        let reaches = match direction {
            Direction::Upper => &PARTS_OF_REACH[..1],
            Direction::Lower => &PARTS_OF_REACH,
        };
        let mut hunt = design.hunt(&self.means, &wanted)?;
        let mut best: Option<(f64, f64)> = None;
        for reach in reaches.iter().map(|part| self.reach * part) {
            let Some(found) = hunt.majorant(reach) else { continue };
            let worth = if reaches.len() > 1 { self.worth(&found, &wanted) } else { 1.0 };
            if worth > best.map_or(0.0, |(most, _)| most) {
                best = Some((worth, reach));
            }
        }
        let found = self.refined((cell, direction), (&self.means, &wanted), hunt, best?.1, ROUNDS)?;
        Some(&self.of_coordinates * DVector::from_vec(found))
    }

    /// Coordinates of weights that majorise where there are conditions, and nearly so elsewhere: places between points where
    /// they fall short become conditions too, a few times over. What is left is for [`Designer::repair`].
    fn refined(
        &self,
        side: ([u32; 2], Direction),
        (rows, wanted): (&DMatrix<f64>, &[f64]),
        mut hunt: Hunt<'_>,
        reach: f64,
        rounds: usize,
    ) -> Option<Vec<f64>> {
        let found = hunt.majorant(reach)?;
        let weights = &self.basis * DVector::from_column_slice(&found);
        let short = if rounds > 0 { self.most_violated(weights.as_slice(), side) } else { Vec::new() };
        if short.is_empty() {
            return Some(found);
        }
        let mut more = rows.clone().insert_rows(rows.nrows(), short.len(), 0.0);
        for (row, (index, _)) in (rows.nrows()..).zip(&short) {
            more.set_row(row, &self.basis.tr_mul(&DVector::from_vec(self.laws.law(*index))).transpose());
        }
        let wanted: Vec<f64> =
            wanted.iter().copied().chain(short.into_iter().map(|(_, bound)| bound)).collect();
        self.refined(side, (&more, &wanted), hunt.under(&more, &wanted), reach, rounds - 1)
    }

    /// The laws under which weights fall short most, one for each step of the grid of points at most, and what is wanted there.
    fn most_violated(&self, weights: &[f64], (cell, direction): ([u32; 2], Direction)) -> Vec<(usize, f64)> {
        let mut worst: BTreeMap<[u32; 2], (f64, usize, f64)> = BTreeMap::new();
        for (index, mean) in self.laws.means(weights).into_iter().enumerate() {
            let places = self.laws.places(index);
            let bound = self.wanted(cell, direction, places);
            if bound - mean > SHORT {
                let step = [0, 1].map(|axis: usize| {
                    (f64::midpoint(places[axis][0], places[axis][1]) * f64::from(self.steps[axis])) as u32
                });
                let entry = worst.entry(step).or_insert((0.0, index, bound));
                if bound - mean > entry.0 {
                    *entry = (bound - mean, index, bound);
                }
            }
        }
        worst.into_values().map(|(_, index, bound)| (index, bound)).collect()
    }

    /// The lower ends that some weights give if certain shares of people are in a cell and all others anywhere, as parts of the
    /// shares.
    fn worth(&self, coordinates: &[f64], wanted: &[f64]) -> f64 {
        let means = &self.means * DVector::from_column_slice(coordinates);
        let missing = means.iter().zip(wanted).map(|(mean, wanted)| wanted - mean).fold(0.0, f64::max);
        let noise = self.design.as_ref().map_or(0.0, |design| self.reach * design.deviation(coordinates));
        let inside: Vec<f64> =
            means.iter().zip(wanted).filter(|(_, wanted)| **wanted < 0.0).map(|(mean, _)| *mean).collect();
        let of_cell = inside.iter().sum::<f64>() / inside.len().max(1) as f64;
        let end = |share: &f64| {
            let mean = share * of_cell + (1.0 - share) * means.mean();
            (-(mean + missing) - noise).max(0.0) / share
        };
        SHARES_IN_CELL.iter().map(end).sum()
    }

    /// The numbers w of a cell, from those of the cell that stands for it.
    fn turned(&self, of_image: &DVector<f64>, turn: Turn) -> DVector<f64> {
        DVector::from_fn(of_image.len(), |point, _| of_image[turn.of_point(point, self.steps)])
    }

    fn side(&self, cell: [u32; 2], direction: Direction, numbers: Option<DVector<f64>>) -> Side {
        let weights = match numbers {
            Some(numbers) => (&self.ratios * numbers).as_slice().to_vec(),
            None => vec![0.0; self.ratios.nrows()],
        };
        self.repair(weights, cell, direction)
    }

    /// What is to be majorised for places of two stretches. The lines around a cell count for both sides: reports cannot tell
    /// them from what is next to them.
    fn wanted(&self, cell: [u32; 2], direction: Direction, places: [[f64; 2]; 2]) -> f64 {
        let edges = |axis: usize| {
            [cell[axis], cell[axis] + 1].map(|edge| f64::from(edge) / f64::from(self.shape[axis]))
        };
        let touches = |axis: usize| {
            let ([from, to], [low, high]) = (edges(axis), places[axis]);
            high >= from - SAME && low <= to + SAME
        };
        let holds = |axis: usize| {
            let ([from, to], [low, high]) = (edges(axis), places[axis]);
            (low > from + SAME || from <= 0.0) && (high < to - SAME || to >= 1.0)
        };
        match direction {
            Direction::Upper => f64::from(u8::from(touches(0) && touches(1))),
            Direction::Lower => -f64::from(u8::from(holds(0) && holds(1))),
        }
    }

    /// Moves weights by a constant so that they majorise for every place, and no more than needed.
    fn repair(&self, mut weights: Vec<f64>, cell: [u32; 2], direction: Direction) -> Side {
        let means = self.laws.means(&weights);
        let missing =
            |(index, mean): (usize, &f64)| self.wanted(cell, direction, self.laws.places(index)) - mean;
        let shift = means.iter().enumerate().map(missing).fold(f64::NEG_INFINITY, f64::max);
        // Laws that are mixtures up to something have means that are off by that part of the range of the weights at most.
        let off = self.laws.slack() * range(&weights);
        weights.iter_mut().for_each(|weight| *weight += shift + off);
        // A place between others has a mixture of their laws, which may vary more than any of them.
        Side::of_means(weights, |numbers| self.laws.means(numbers), f64::INFINITY).up_to(off)
    }
}

fn range(weights: &[f64]) -> f64 {
    let most = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - weights.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The mean of the laws on all sides of a point. On a line between two laws neither is nearer, and taking one of them would
/// hide that a mechanism is symmetric.
fn law_around(laws: &PlaneLaws, [first, second]: [f64; 2]) -> Vec<f64> {
    let sides =
        [first - BESIDE, first + BESIDE].map(|first| [[first, second - BESIDE], [first, second + BESIDE]]);
    let mut mean = vec![0.0; laws.groups()];
    for beside in sides.into_iter().flatten() {
        let law = laws.law(laws.nearest(beside));
        mean.iter_mut().zip(law).for_each(|(sum, mass)| *sum += 0.25 * mass);
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Epsilon, Interval, Rectangle};
    use privet_mechanisms::plane::SquareWindow;

    /// Of 8 x 8 cells a quarter is looked for, and in a square, whose sides can be exchanged, only those on one side of its
    /// diagonal. The windows have even and odd numbers of columns: points of the design lie in the middle of a law's places, or
    /// on the line between two.
    #[test]
    fn mirror_images_are_looked_for_once() {
        let mut widths = Vec::new();
        for (second, expected) in [(2.0, 16), (1.0, 10)] {
            let sides = [1.0, second].map(|end| Interval::new(0.0, end).unwrap());
            for epsilon in [1.0, 2.0, 4.0, 8.0] {
                let (rectangle, epsilon) = (Rectangle::new(sides).unwrap(), Epsilon::new(epsilon).unwrap());
                let mechanism = SquareWindow::with_lattice(rectangle, epsilon, [64, 64]).unwrap();
                widths.extend(mechanism.window());
                let designer = Designer::new(mechanism.place_laws(8), [8; 2], Purpose::new(1000.0, 1.0));
                assert_eq!(designer.designed().len(), expected, "{:?}", mechanism.window());
            }
        }
        assert!(widths.iter().any(|width| width % 2 == 0) && widths.iter().any(|width| width % 2 == 1));
        // Control: a lattice that has no equal groups of columns looks otherwise from its other end.
        let sides = [Interval::new(0.0, 1.0).unwrap(); 2];
        let mechanism =
            SquareWindow::with_lattice(Rectangle::new(sides).unwrap(), Epsilon::new(4.0).unwrap(), [61, 64])
                .unwrap();
        let designer = Designer::new(mechanism.place_laws(8), [8; 2], Purpose::new(1000.0, 1.0));
        assert_eq!(designer.designed().len(), 32);
    }
}
