//! Cells that are mirror images of each other, so that weights are looked for only once.

use nalgebra::DMatrix;

/// What a grid may be turned by without a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symmetry {
    is_mirrored: [bool; 2],
    is_exchanged: bool,
}

/// Turns a grid over along some of its sides, and then exchanges these.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    is_mirrored: [bool; 2],
    is_exchanged: bool,
}

/// Laws whose products differ by less than this part are the same for the purpose of design.
const ALIKE: f64 = 1e-6;

impl Turn {
    /// Where a node comes to that is so far along both sides, whose last nodes these are. Both have as many nodes if they are
    /// exchanged.
    fn of(self, node: [u32; 2], last: [u32; 2]) -> [u32; 2] {
        let turned = [0, 1]
            .map(|axis: usize| if self.is_mirrored[axis] { last[axis] - node[axis] } else { node[axis] });
        if self.is_exchanged { [turned[1], turned[0]] } else { turned }
    }

    /// Where a point of a grid comes to that has so many steps along its sides, points being counted along the first side first.
    pub(super) fn of_point(self, point: usize, steps: [u32; 2]) -> usize {
        let row = steps[0] + 1;
        let [column, above] = self.of([point as u32 % row, point as u32 / row], steps);
        (above * row + column) as usize
    }
}

impl Symmetry {
    /// From the products of the laws of all points of a grid that has `steps` between them, the first side running fastest, for
    /// cells of this shape.
    pub(super) fn of(products: &DMatrix<f64>, shape: [u32; 2], steps: [u32; 2]) -> Self {
        let keeps = |turn: Turn| is_kept(products, steps, turn);
        let is_mirrored =
            [[true, false], [false, true]].map(|is_mirrored| keeps(Turn { is_mirrored, ..Turn::default() }));
        // Where the sides can be exchanged, what can be done along one can be done along the other.
        let is_exchanged = shape[0] == shape[1]
            && is_mirrored[0] == is_mirrored[1]
            && keeps(Turn { is_exchanged: true, ..Turn::default() });
        Self { is_mirrored, is_exchanged }
    }

    /// The cell that stands for all that can be turned into each other, and how this one is turned into it.
    pub(super) fn image(self, cell: [u32; 2], shape: [u32; 2]) -> ([u32; 2], Turn) {
        let last = shape.map(|side| side - 1);
        let is_mirrored = [0, 1].map(|axis: usize| self.is_mirrored[axis] && 2 * cell[axis] > last[axis]);
        let mut turn = Turn { is_mirrored, ..Turn::default() };
        let [first, second] = turn.of(cell, last);
        turn.is_exchanged = self.is_exchanged && first > second;
        (turn.of(cell, last), turn)
    }
}

fn is_kept(products: &DMatrix<f64>, steps: [u32; 2], turn: Turn) -> bool {
    let image = |point: usize| turn.of_point(point, steps);
    let largest = products.amax();
    let is_alike = |one: usize, two: usize| {
        (products[(one, two)] - products[(image(one), image(two))]).abs() < ALIKE * largest
    };
    (0..products.nrows()).all(|one| (0..=one).all(|two| is_alike(one, two)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_turned_into_one_that_stands_for_itself() {
        let all = [false, true];
        for symmetry in all
            .iter()
            .flat_map(|one| all.map(|is_exchanged| Symmetry { is_mirrored: [*one; 2], is_exchanged }))
        {
            let shape = [5, 5];
            for cell in (0..25).map(|cell| [cell % 5, cell / 5]) {
                let (image, turn) = symmetry.image(cell, shape);
                assert_eq!(turn.of(cell, [4, 4]), image);
                assert_eq!(symmetry.image(image, shape).0, image, "{symmetry:?} {cell:?}");
            }
        }
    }
}
