//! The integers of a window mechanism in a rectangle: what its cells stand for, and which of them are near to an input.

use privet_core::{FingerprintBuilder, ParameterError, Rectangle};

/// What distinguishes one [`super::PlaneWindow`] from another besides its rectangle and its epsilon. All of it is public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaneLayout {
    lattice: [u32; 2],
    window: u32,
    positions: Vec<[u32; 2]>,
}

impl PlaneLayout {
    /// Positions are whole numbers of which this many make one side of the rectangle.
    pub const UNIT: u32 = 1 << 16;
    /// The largest number of cells.
    pub const MAX_CELLS: usize = 1 << 16;
    /// The largest number of parts of one side of the input lattice.
    pub const MAX_PARTS: u32 = 512;
    /// The largest number of entries of all windows together; each takes two bytes.
    pub const MAX_ENTRIES: u64 = 1 << 26;

    /// Checks the numbers: `lattice` says into how many equal parts each side of the rectangle is cut, `window` how many
    /// cells the window of each part has, `positions` where the cells lie, in units of a side over [`PlaneLayout::UNIT`].
    ///
    /// # Errors
    /// When a side is not cut into a power of two of parts, there are too few or too many cells, or one lies outside.
    pub fn new(lattice: [u32; 2], window: u32, positions: Vec<[u32; 2]>) -> Result<Self, ParameterError> {
        let refuse = |reason: String| Err(ParameterError::Incompatible { reason });
        if lattice.iter().any(|parts| !parts.is_power_of_two() || *parts > Self::MAX_PARTS) {
            let [first, second] = lattice;
            let most = Self::MAX_PARTS;
            return refuse(format!(
                "each side takes a power of two of parts up to {most}: got {first} x {second}"
            ));
        }
        let (cells, most) = (positions.len(), Self::MAX_CELLS);
        if !(2..=most).contains(&cells) {
            return refuse(format!("a rectangle takes between 2 and {most} cells: got {cells}"));
        }
        if window == 0 || window as usize >= cells {
            return refuse(format!("a window needs between 1 and {} cells: got {window}", cells - 1));
        }
        if positions.iter().flatten().any(|place| *place > Self::UNIT) {
            return refuse(format!("positions are between 0 and {}", Self::UNIT));
        }
        let entries = u64::from(lattice[0]) * u64::from(lattice[1]) * u64::from(window);
        if entries > Self::MAX_ENTRIES {
            return refuse(format!(
                "these windows would have {entries} entries: at most {} are allowed",
                Self::MAX_ENTRIES
            ));
        }
        Ok(Self { lattice, window, positions })
    }

    /// Into how many equal parts each side is cut.
    pub fn lattice(&self) -> [u32; 2] {
        self.lattice
    }

    /// How many parts the rectangle has.
    pub fn nodes(&self) -> u32 {
        self.lattice[0] * self.lattice[1]
    }

    /// How many cells a window has.
    pub fn window(&self) -> u32 {
        self.window
    }

    /// Where the cells lie, in units of a side over [`PlaneLayout::UNIT`].
    pub fn positions(&self) -> &[[u32; 2]] {
        &self.positions
    }

    /// Where a cell lies, in shares of the sides.
    pub(super) fn share(&self, cell: usize) -> [f64; 2] {
        let position = self.positions.get(cell).copied().unwrap_or([0, 0]);
        position.map(|place| f64::from(place) / f64::from(Self::UNIT))
    }

    /// The columns and rows of a node.
    pub(super) fn place_of(&self, node: u32) -> [u32; 2] {
        [node / self.lattice[1], node % self.lattice[1]]
    }

    /// The node of a column and a row.
    #[inline]
    pub(super) fn node_at(&self, place: [u32; 2]) -> u32 {
        place[0] * self.lattice[1] + place[1]
    }

    /// For each node the cells nearest to its middle, in rising order, one list after the other.
    ///
    /// Distances are compared as integers, in the metric of the rectangle; of two equally near cells the one with the
    /// smaller index counts as nearer.
    pub(super) fn windows(&self, rectangle: &Rectangle) -> Vec<u16> {
        let scales = metric(rectangle);
        let window = self.window as usize;
        let mut near: Vec<(u64, u16)> = Vec::with_capacity(self.positions.len());
        let mut windows = Vec::with_capacity(self.nodes() as usize * window);
        for node in 0..self.nodes() {
            let place = self.place_of(node);
            let middle: [u32; 2] =
                std::array::from_fn(|axis| (2 * place[axis] + 1) * (Self::UNIT / (2 * self.lattice[axis])));
            near.clear();
            near.extend((0u16..=u16::MAX).zip(&self.positions).map(|(cell, position)| {
                let squares: [u64; 2] = std::array::from_fn(|axis| {
                    (u64::from(position[axis].abs_diff(middle[axis])) * scales[axis]).pow(2)
                });
                (squares[0] + squares[1], cell)
            }));
            near.select_nth_unstable(window - 1);
            let start = windows.len();
            windows.extend(near[..window].iter().map(|(_, cell)| *cell));
            windows[start..].sort_unstable();
        }
        windows
    }

    pub(super) fn identify(&self, builder: &mut FingerprintBuilder) {
        builder.number(self.lattice[0].into()).number(self.lattice[1].into()).number(self.window.into());
        for place in self.positions.iter().flatten() {
            builder.number(u64::from(*place));
        }
    }
}

/// The sides as whole numbers, the longer one 2^15: with positions of at most 2^16 units, squares of distances fit into
/// 64 bits.
fn metric(rectangle: &Rectangle) -> [u64; 2] {
    const LONGEST: f64 = (1u32 << 15) as f64;
    let widths = rectangle.widths();
    let longest = widths[0].max(widths[1]);
    widths.map(|width| ((width / longest * LONGEST).round() as u64).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Interval;

    fn rectangle(first: f64, second: f64) -> Rectangle {
        Rectangle::new([Interval::new(0.0, first).unwrap(), Interval::new(0.0, second).unwrap()]).unwrap()
    }

    #[test]
    fn windows_follow_the_metric_of_the_rectangle() {
        // Four cells around the middle of the only node: two beside it, two above and below.
        let quarter = PlaneLayout::UNIT / 4;
        let cells = vec![
            [quarter, 2 * quarter],
            [3 * quarter, 2 * quarter],
            [2 * quarter, quarter],
            [2 * quarter, 3 * quarter],
        ];
        let layout = PlaneLayout::new([1, 1], 2, cells).unwrap();
        assert_eq!(layout.windows(&rectangle(1.0, 2.0)), [0, 1]);
        assert_eq!(layout.windows(&rectangle(2.0, 1.0)), [2, 3]);
        // In a square all are equally near, and the first ones are taken.
        assert_eq!(layout.windows(&rectangle(3.0, 3.0)), [0, 1]);
    }

    #[test]
    fn impossible_layouts_are_refused() {
        let cells = || vec![[0, 0], [PlaneLayout::UNIT, 5], [9, 9]];
        assert!(PlaneLayout::new([2, 4], 1, cells()).is_ok());
        for lattice in [[0, 1], [3, 1], [1024, 1]] {
            assert!(PlaneLayout::new(lattice, 1, cells()).is_err(), "{lattice:?}");
        }
        for window in [0, 3, 4] {
            assert!(PlaneLayout::new([2, 2], window, cells()).is_err(), "{window}");
        }
        assert!(PlaneLayout::new([2, 2], 1, vec![[0, 0]]).is_err());
        assert!(PlaneLayout::new([2, 2], 1, vec![[0, 0], [PlaneLayout::UNIT + 1, 0]]).is_err());
        assert!(PlaneLayout::new([2, 2], 1, vec![[0, 0]; PlaneLayout::MAX_CELLS + 1]).is_err());
        let too_many = PlaneLayout::new([512, 512], 300, vec![[0, 0]; 1000]).unwrap_err().to_string();
        assert!(too_many.contains("78643200 entries"), "{too_many}");
    }
}
