//! Which counter a report goes to.

/// Cells in groups of neighbours. Summaries keep one counter for each group.
///
/// There are as many groups as cells, but at most [`Groups::MOST`]: cell c belongs to group `floor(c * groups / cells)`. The
/// channel onto groups is exact (sums of integer weights), so estimates know what was merged; only detail below one group
/// is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups {
    cells: u32,
    count: u32,
}

impl Groups {
    /// The largest number of groups: 32 kilobytes of counters.
    pub(crate) const MOST: u32 = 4096;

    pub(crate) fn of(cells: u32) -> Self {
        Self::at_most(cells, Self::MOST)
    }

    /// At most `most` groups, where a power of two up to [`Groups::MOST`] gives unions of those of [`Groups::of`].
    pub(crate) fn at_most(cells: u32, most: u32) -> Self {
        Self { cells, count: cells.min(most) }
    }

    /// At most `most` groups of the same cells.
    pub(crate) fn coarsened(self, most: u32) -> Self {
        Self::at_most(self.cells, most.min(self.count))
    }

    pub(crate) fn count(self) -> usize {
        self.count as usize
    }

    pub(crate) fn group(self, cell: u32) -> usize {
        (u64::from(cell) * u64::from(self.count) / u64::from(self.cells)) as usize
    }

    /// The first cell of a group.
    pub(crate) fn start(self, group: usize) -> u32 {
        (group as u64 * u64::from(self.cells)).div_ceil(u64::from(self.count)) as u32
    }

    /// How many cells a group has.
    pub(crate) fn size(self, group: usize) -> u32 {
        self.start(group + 1) - self.start(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn groups_are_their_cells(cells in 1u32..3_000_000, cell in any::<prop::sample::Index>()) {
            let groups = Groups::of(cells);
            let cell = cell.index(cells as usize) as u32;
            let group = groups.group(cell);
            prop_assert!(group < groups.count());
            prop_assert!((groups.start(group)..groups.start(group + 1)).contains(&cell));
            prop_assert_eq!((0..groups.count()).map(|group| groups.size(group)).sum::<u32>(), cells);
        }
    }
}
