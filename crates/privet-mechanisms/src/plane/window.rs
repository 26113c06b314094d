//! A window of constant measure around a place, and cells whose positions were chosen for it.

use super::PlaneLayout;
use crate::categorical::pure_guarantee;
use privet_core::sampling::WindowRow;
use privet_core::{
    Category, Channel, CryptoRng, Domain, Epsilon, Fingerprint, FingerprintBuilder, Fraction, Guarantee,
    InputError, Mechanism, MechanismInfo, Numerics, ParameterError, Piece, Rectangle, ReportBuffer,
    ReportError,
};
use std::fmt;

/// A window of constant measure in a rectangle: the cells nearest to the place are e^epsilon times as likely as all
/// others, and each cell stands for a position that was chosen to make the expected distance small.
///
/// # What it protects
/// One place in a rectangle: any two places of it, however far from each other, are indistinguishable up to epsilon.
/// # Formula
/// There are K cells. A place is rounded to the part of a public lattice that it lies in; the W cells nearest to the
/// middle of that part are its window. P(cell) = e^epsilon / (K + (e^epsilon - 1) W) in the window, 1 / (K +
/// (e^epsilon - 1) W) elsewhere. A report is read as the position of its cell.
/// # Domain
/// `rectangle:LOW_A,HIGH_A,LOW_B,HIGH_B`.
/// # Guarantee
/// Pure epsilon, for the whole rectangle at once.
/// # Cost
/// ceil(log2 K) bits per report; one random word, a look-up and a binary search of W entries; 2 W bytes of memory for each
/// part of the lattice.
/// # Numerics
/// Integer-exact: weights are integers, windows are compared as integers, and every row has the same weights in another
/// order. Rounding to the lattice is deterministic (the part that holds the place) and happens before anything is drawn,
/// so it costs accuracy and no privacy. Every draw takes the same steps, whether or not it falls into the window.
/// # When not to use it
/// Where means of coordinates are wanted: reports are biased towards the middle, because that makes them more accurate.
/// # Reference
/// Privet's own. That some best channel has this shape is the bang-bang form of the linear programme over channels: each
/// weight is at its lower or its upper limit.
/// # Example
/// ```
/// use privet_core::{Epsilon, Interval, Rectangle};
/// use privet_mechanisms::plane::{PlaneErrors, PlaneLayout, PlanePrior, PlaneWindow};
/// let side = Interval::new(0.0, 1.0)?;
/// let thirds = (0..9).map(|cell| [10_923 + 21_845 * (cell / 3), 10_923 + 21_845 * (cell % 3)]).collect();
/// let layout = PlaneLayout::new([8, 8], 1, thirds)?;
/// let mechanism = PlaneWindow::new(Rectangle::new([side, side])?, Epsilon::new(6.0)?, layout)?;
/// assert!(mechanism.average_loss(&PlanePrior::uniform()) < 0.15);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct PlaneWindow {
    rectangle: Rectangle,
    layout: PlaneLayout,
    row: WindowRow,
    /// The window of each node, in rising order, one after the other.
    windows: Vec<u16>,
    /// Two nodes with different windows.
    contrast: [u32; 2],
    guarantee: Guarantee,
}

impl PlaneWindow {
    /// Finds the windows and calibrates the weights.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or all places have the same window, so that nothing is reported.
    pub fn new(rectangle: Rectangle, epsilon: Epsilon, layout: PlaneLayout) -> Result<Self, ParameterError> {
        let row = WindowRow::calibrate(layout.positions().len() as u32, layout.window(), epsilon)?;
        let windows = layout.windows(&rectangle);
        let size = layout.window() as usize;
        let (first, rest) = windows.split_at(size);
        // From the opposite corner: windows that have little in common are told apart by few reports.
        let others = (1u32..).zip(rest.chunks_exact(size)).collect::<Vec<_>>();
        let other = others.into_iter().rev().find(|(_, window)| *window != first);
        let (other, _) = other.ok_or_else(|| ParameterError::Incompatible {
            reason: "all places have the same window: the reports would say nothing".into(),
        })?;
        let guarantee = pure_guarantee(&row.ratio())?;
        Ok(Self { rectangle, layout, row, windows, contrast: [0, other], guarantee })
    }

    /// The integers that it was made from.
    pub fn layout(&self) -> &PlaneLayout {
        &self.layout
    }

    /// The integer weights.
    pub fn row(&self) -> &WindowRow {
        &self.row
    }

    /// How many cells there are.
    pub fn cells(&self) -> u32 {
        self.row.cells()
    }

    /// The place that a report stands for.
    pub fn output_value(&self, cell: u32) -> [f64; 2] {
        self.rectangle.point_at(self.layout.share(cell as usize))
    }

    /// The node of a place: the part of the lattice that holds it.
    #[inline]
    pub fn node_of(&self, place: [f64; 2]) -> u32 {
        let sides = self.rectangle.sides();
        let part = |axis: usize| {
            let parts = self.layout.lattice()[axis];
            let share = (place[axis] - sides[axis].low()) / sides[axis].width();
            // A conversion saturates, so nothing lies before the first part.
            ((share * f64::from(parts)) as u32).min(parts - 1)
        };
        self.layout.node_at([part(0), part(1)])
    }

    /// The middle of a node's part.
    pub fn node_value(&self, node: u32) -> [f64; 2] {
        let (place, lattice) = (self.layout.place_of(node), self.layout.lattice());
        self.rectangle
            .point_at(std::array::from_fn(|axis| (f64::from(place[axis]) + 0.5) / f64::from(lattice[axis])))
    }

    /// The cells in the window of a node, in rising order.
    pub fn window(&self, node: u32) -> &[u16] {
        let size = self.layout.window() as usize;
        let start = node as usize * size;
        self.windows.get(start..start + size).unwrap_or(&[])
    }

    /// The integer weight of a cell at a node; all rows have the same total.
    pub fn weight(&self, node: u32, cell: u32) -> u64 {
        if cell >= self.cells() {
            return 0;
        }
        let is_inside = u16::try_from(cell).is_ok_and(|cell| self.window(node).binary_search(&cell).is_ok());
        if is_inside { self.row.high() } else { self.row.low() }
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, place: [f64; 2], rng: &mut R) -> u32 {
        let window = self.window(self.node_of(place));
        let outcome = self.row.draw(0, rng);
        let size = window.len() as u32;
        // Both readings are made whichever is needed: the time must not tell whether the window was hit.
        let inside = u32::from(window[outcome.min(size - 1) as usize]);
        let outside = nth_other(window, outcome.saturating_sub(size));
        if outcome < size { inside } else { outside }
    }
}

/// The `rank`-th number that is not in a rising list. How many steps it takes depends on the length of the list only.
#[inline]
fn nth_other(window: &[u16], rank: u32) -> u32 {
    // The number of entries before the wanted one: entry i is, if at most `rank` numbers before it are not in the list.
    let (mut before, mut rest) = (0, window.len());
    while rest > 0 {
        let step = rest.div_ceil(2);
        let last = before + step - 1;
        let is_before = u32::from(window[last]) - last as u32 <= rank;
        before += step & usize::from(is_before).wrapping_neg();
        rest -= step;
    }
    rank + before as u32
}

impl Mechanism for PlaneWindow {
    type Domain = Rectangle;
    type Report = Category;
    const INFO: MechanismInfo = MechanismInfo {
        id: "plane-window",
        synonyms: &[],
        title: "Window in the plane",
        domain: "rectangle",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9",
        reference: "Privet",
        status: "stable",
    };

    fn domain(&self) -> &Rectangle {
        &self.rectangle
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.rectangle.identify(&mut builder);
        self.layout.identify(&mut builder);
        builder.number(self.row.high()).number(self.row.low());
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.cells())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &[f64; 2],
        rng: &mut R,
    ) -> Result<Category, InputError> {
        self.rectangle.check(input)?;
        Ok(Category(self.draw(*input, rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.cells())
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[[f64; 2]],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            Category(self.draw(*input, rng)).write(slot);
        }
        Ok(())
    }
}

impl Channel for PlaneWindow {
    fn probability(&self, input: &[f64; 2], report: &Category) -> Fraction {
        let weight = self.weight(self.node_of(*input), report.0);
        Fraction::new(u128::from(weight), self.row.total()).unwrap_or_else(|| Fraction::whole(0))
    }

    /// Two nodes with different windows of one size have a cell that is high under the first and low under the second.
    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [[f64; 2]; 2] {
        self.contrast.map(|node| self.node_value(node))
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        (self.cells() as usize <= limit).then(|| (0..self.cells()).map(Category).collect())
    }

    fn pieces(&self, _input: Option<&[f64; 2]>) -> Vec<Piece> {
        let (inside, all) = (u64::from(self.row.window()), u64::from(self.cells()));
        let mass = |weight: u64| {
            Fraction::new(u128::from(weight), self.row.total()).unwrap_or_else(|| Fraction::whole(0))
        };
        vec![
            Piece::each("cell near the input", inside, &mass(self.row.high())),
            Piece::each("other cell", all - inside, &mass(self.row.low())),
        ]
    }
}

impl fmt::Debug for PlaneWindow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cells, window) = (self.cells(), self.row.window());
        let title = Self::INFO.title;
        write!(formatter, "{title}({}, {window} of {cells} cells, {})", self.rectangle, self.guarantee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Interval;
    use proptest::prelude::*;

    fn square() -> Rectangle {
        Rectangle::new([Interval::new(0.0, 1.0).unwrap(); 2]).unwrap()
    }

    proptest! {
        #[test]
        fn numbers_outside_a_list_are_counted(list in prop::collection::btree_set(0u16..300, 1..200)) {
            let window: Vec<u16> = list.iter().copied().collect();
            let others = (0u16..400).filter(|number| !list.contains(number));
            for (rank, other) in (0u32..).zip(others) {
                prop_assert_eq!(nth_other(&window, rank), u32::from(other));
            }
        }
    }

    #[test]
    fn different_numbers_are_different_mechanisms() {
        let cells = |last: u32| vec![[0, 0], [0, 65_536], [65_536, 0], [65_536, last]];
        let make = |layout| PlaneWindow::new(square(), Epsilon::new(1.0).unwrap(), layout).unwrap();
        let one = make(PlaneLayout::new([2, 2], 1, cells(65_536)).unwrap());
        let other = make(PlaneLayout::new([2, 2], 1, cells(65_535)).unwrap());
        assert_ne!(Mechanism::fingerprint(&one), Mechanism::fingerprint(&other));
        assert_ne!(
            Mechanism::fingerprint(&one),
            Mechanism::fingerprint(&make(PlaneLayout::new([4, 2], 1, cells(65_536)).unwrap()))
        );
    }

    #[test]
    fn a_channel_that_says_nothing_is_refused() {
        let same = PlaneLayout::new([2, 2], 1, vec![[5, 5], [5, 5]]).unwrap();
        let one = Epsilon::new(1.0).unwrap();
        assert!(matches!(PlaneWindow::new(square(), one, same), Err(ParameterError::Incompatible { .. })));
        let corners = PlaneLayout::new([2, 2], 1, vec![[0, 0], [65_536, 65_536]]).unwrap();
        let tiny = Epsilon::new(1e-25).unwrap();
        assert!(matches!(
            PlaneWindow::new(square(), tiny, corners),
            Err(ParameterError::EpsilonTooSmall { .. })
        ));
    }
}
