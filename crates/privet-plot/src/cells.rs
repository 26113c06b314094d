//! The shares of the cells of a rectangle, as a map.

use crate::map::{GridLine, Map, Tint, Unit, ring};
use crate::scale::Scale;
use privet_core::Rectangle;

/// More cells along a side are drawn together.
const MOST_CELLS: u32 = 24;

/// More lines along a side are not read.
const MOST_LINES: usize = 5;

impl Map {
    /// The shares of `side` by `side` cells, counted along the first coordinate first. The cell with the largest share has the full tint.
    pub fn of_cells(title: String, rectangle: &Rectangle, side: u32, shares: &[f64]) -> Self {
        let together = side.div_ceil(MOST_CELLS).max(1);
        let cells = side.div_ceil(together);
        let mut sums = vec![0.0; (cells * cells) as usize];
        for (index, share) in (0u32..).zip(shares) {
            let [column, line] = [index % side.max(1), index / side.max(1)].map(|cell| cell / together);
            if let Some(sum) = sums.get_mut((line * cells + column) as usize) {
                *sum += share;
            }
        }
        let most = sums.iter().copied().fold(0.0, f64::max);
        let corner = |cell: [u32; 2]| {
            rectangle.point_at(cell.map(|cell| (f64::from(cell * together) / f64::from(side)).min(1.0)))
        };
        let tint = |(index, share): (u32, &f64)| {
            let cell = [index % cells, index / cells];
            let corners = ring(corner(cell), corner(cell.map(|cell| cell + 1)));
            Tint { corners, share: if most > 0.0 { (share / most).clamp(0.0, 1.0) } else { 0.0 } }
        };
        let sides = rectangle.sides();
        let [low, high] = [[sides[0].low(), sides[1].low()], [sides[0].high(), sides[1].high()]];
        let most_written = format!("{:.1}\u{a0}%", 100.0 * most);
        Self {
            title,
            description: format!("{cells} by {cells} cells; the largest share of a cell is {most_written}"),
            bounds: [low, high],
            borders: vec![ring(low, high)],
            grid: [lines(low, high, 0), lines(low, high, 1)].concat(),
            unit: Unit::Unsaid,
            tints: (0u32..).zip(&sums).map(tint).collect(),
            tint_label: format!("up to {most_written} of people in a cell"),
            layers: Vec::new(),
        }
    }
}

/// Lines of round coordinates.
fn lines(low: [f64; 2], high: [f64; 2], axis: usize) -> Vec<GridLine> {
    let scale = Scale::between(low[axis], high[axis], 1.0);
    let ticks = scale.ticks();
    let stride = ticks.len().div_ceil(MOST_LINES).max(1);
    let line = |value: f64| {
        let (mut start, mut end) = (low, high);
        (start[axis], end[axis]) = (value, value);
        GridLine { ends: [start, end], text: scale.number(value), is_upright: axis == 0 }
    };
    ticks.into_iter().step_by(stride).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::DomainSpec;

    fn rectangle(text: &str) -> Rectangle {
        match text.parse().unwrap() {
            DomainSpec::Rectangle(rectangle) => rectangle,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_fullest_cell_has_the_full_tint() {
        let square = rectangle("rectangle:0,2,0,4");
        let map = Map::of_cells("Cells".into(), &square, 2, &[0.2, 0.4, -0.1, 0.1]);
        let tints: Vec<f64> = map.tints.iter().map(|tint| tint.share).collect();
        assert_eq!(tints, [0.5, 1.0, 0.0, 0.25]);
        assert_eq!(map.tints[1].corners, ring([1.0, 0.0], [2.0, 2.0]));
        assert_eq!(map.tint_label, "up to 40.0\u{a0}% of people in a cell");
    }

    #[test]
    fn many_cells_are_drawn_together() {
        let square = rectangle("rectangle:0,1,0,1");
        let map = Map::of_cells("Cells".into(), &square, 48, &[1.0 / 2304.0; 2304]);
        assert_eq!(map.tints.len(), 24 * 24);
        assert!(map.tints.iter().all(|tint| (tint.share - 1.0).abs() < 1e-9));
    }
}
