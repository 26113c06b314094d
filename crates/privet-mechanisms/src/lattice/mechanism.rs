//! Rows, a domain and a name: a mechanism.

use super::pieces::pieces_of;
use super::{LatticeChannel, Placement, Rows, Run};
#[cfg(not(target_family = "wasm"))]
use super::{Rounding, batch};
use privet_core::{
    Build, BuildOptions, Category, Channel, Circle, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Interval, Mechanism, MechanismInfo, ParameterError,
    Piece, ReportBuffer, ReportError,
};
use std::fmt;
use std::marker::PhantomData;

/// A domain of numbers that a lattice can be laid over.
pub trait NumberDomain: Domain<Value = f64> + Copy {
    /// Whether the upper end is the lower end again.
    const IS_RING: bool;

    /// The lower end.
    fn start(&self) -> f64;

    /// The distance from the lower to the upper end.
    fn length(&self) -> f64;

    /// Where a value lies between the ends.
    #[inline(always)]
    fn fraction(&self, value: f64) -> f64 {
        (value - self.start()) / self.length()
    }
}

impl NumberDomain for Interval {
    const IS_RING: bool = false;

    fn start(&self) -> f64 {
        self.low()
    }

    fn length(&self) -> f64 {
        self.width()
    }
}

impl NumberDomain for Circle {
    const IS_RING: bool = true;

    fn start(&self) -> f64 {
        0.0
    }

    fn length(&self) -> f64 {
        self.period()
    }
}

/// What rows are made from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// What may be spent.
    pub epsilon: Epsilon,
    /// Parameters that only some mechanisms take.
    pub options: BuildOptions,
    /// Into how many parts to cut the domain, if not into the mechanism's own number. Coarse lattices can be checked
    /// exhaustively.
    pub input_cells: Option<u32>,
}

impl Calibration {
    /// The mechanism's own lattice.
    pub fn new(epsilon: Epsilon) -> Self {
        Self { epsilon, options: BuildOptions::default(), input_cells: None }
    }
}

/// What distinguishes one lattice mechanism from another.
pub trait LatticeRule: Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;
    /// Where its values come from.
    type Domain: NumberDomain;
    /// The shape of its rows.
    type Rows: Rows;
}

/// A rule whose rows follow from an epsilon. The rows of others are found by a solver and arrive as data.
pub trait CalibratedRule: LatticeRule {
    /// Whether it takes a delta.
    const TAKES_DELTA: bool = false;
    /// Whether it takes a number of bins.
    const TAKES_BINS: bool = false;

    /// The rows for a calibration.
    ///
    /// # Errors
    /// When the parameters do not fit.
    fn rows(calibration: &Calibration) -> Result<Self::Rows, ParameterError>;
}

/// A mechanism on numbers or angles with finitely many rows and reports; see the named mechanisms.
pub struct LatticeMechanism<K: LatticeRule> {
    domain: K::Domain,
    rows: K::Rows,
    guarantee: Guarantee,
    rule: PhantomData<K>,
}

impl<K: LatticeRule> Clone for LatticeMechanism<K> {
    fn clone(&self) -> Self {
        Self { domain: self.domain, rows: self.rows.clone(), guarantee: self.guarantee, rule: PhantomData }
    }
}

impl<K: CalibratedRule> LatticeMechanism<K> {
    /// Calibrates the rows to an epsilon.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or the reports would not be finite numbers.
    pub fn new(domain: K::Domain, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::calibrate(domain, &Calibration::new(epsilon))
    }

    /// As [`LatticeMechanism::new`], with every parameter that there is.
    ///
    /// # Errors
    /// As for [`LatticeMechanism::new`], and when a parameter is given that this mechanism does not take.
    pub fn calibrate(domain: K::Domain, calibration: &Calibration) -> Result<Self, ParameterError> {
        calibration.options.refuse_unless(K::TAKES_DELTA, K::TAKES_BINS)?;
        if calibration.input_cells == Some(0) {
            return Err(ParameterError::Incompatible { reason: "a lattice needs at least one part".into() });
        }
        Self::with_rows(domain, K::rows(calibration)?)
    }
}

impl<K: LatticeRule> LatticeMechanism<K> {
    /// Lays rows over a domain.
    ///
    /// # Errors
    /// When the rows promise nothing, or the reports would not be finite numbers.
    pub fn with_rows(domain: K::Domain, rows: K::Rows) -> Result<Self, ParameterError> {
        let guarantee = rows.guarantee()?;
        let mechanism = Self { domain, rows, guarantee, rule: PhantomData };
        let last = mechanism.rows.output_cells().saturating_sub(1);
        let is_finite = [0, last].iter().all(|cell| mechanism.output_value(*cell).is_finite());
        is_finite.then_some(mechanism).ok_or_else(|| ParameterError::Incompatible {
            reason: format!("{domain} is so wide that reports would not be finite numbers"),
        })
    }

    /// The integer weights.
    pub fn rows(&self) -> &K::Rows {
        &self.rows
    }

    fn scale(&self, unit: f64) -> f64 {
        self.domain.start() + unit * self.domain.length()
    }

    #[inline]
    fn draw<R: CryptoRng + ?Sized>(&self, input: f64, rng: &mut R) -> u32 {
        let placed = self.place(input);
        let above = placed.node + 1;
        let next = if K::Domain::IS_RING && above == self.nodes() { 0 } else { above };
        self.rows.draw_rounded(placed, next, rng)
    }
}

impl<K: CalibratedRule> Build for LatticeMechanism<K> {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::build_with(domain, epsilon, &BuildOptions::default())
    }

    fn build_with(
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Self, ParameterError> {
        let numbers = K::Domain::from_spec(domain).ok_or_else(|| ParameterError::WrongDomain {
            mechanism: K::INFO.id,
            expected: K::INFO.domain,
            got: domain.to_string(),
        })?;
        Self::calibrate(*numbers, &Calibration { epsilon, options: *options, input_cells: None })
    }
}

impl<K: LatticeRule> Mechanism for LatticeMechanism<K> {
    type Domain = K::Domain;
    type Report = Category;
    const INFO: MechanismInfo = K::INFO;

    fn domain(&self) -> &K::Domain {
        &self.domain
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.domain.identify(&mut builder);
        self.rows.identify(&mut builder);
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.rows.output_cells())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &f64, rng: &mut R) -> Result<Category, InputError> {
        self.domain.check(input)?;
        Ok(Category(self.draw(*input, rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.rows.output_cells())
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[f64],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        // Programs in browsers must be small, and draw one report at a time.
        #[cfg(not(target_family = "wasm"))]
        if let Some(rows) = self.rows.as_window().filter(|rows| rows.rounding() == Rounding::Stochastic) {
            let domain = self.domain;
            batch::draw(rows, inputs, move |input| domain.fraction(input), rng, reports);
            return Ok(());
        }
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            Category(self.draw(*input, rng)).write(slot);
        }
        Ok(())
    }
}

impl<K: LatticeRule> LatticeChannel for LatticeMechanism<K> {
    fn input_cells(&self) -> u32 {
        self.rows.input_cells()
    }

    fn nodes(&self) -> u32 {
        self.rows.input_cells() + u32::from(!K::Domain::IS_RING)
    }

    fn node_value(&self, node: u32) -> f64 {
        self.scale(self.rows.node_unit(node))
    }

    fn output_cells(&self) -> u32 {
        self.rows.output_cells()
    }

    fn output_value(&self, cell: u32) -> f64 {
        self.scale(self.rows.unit_value(cell))
    }

    fn runs(&self, node: u32) -> Vec<Run> {
        self.rows.runs(node)
    }

    fn row_total(&self) -> u128 {
        self.rows.total()
    }

    fn weight(&self, node: u32, cell: u32) -> u64 {
        self.rows.weight(node, cell)
    }

    #[inline]
    fn place(&self, value: f64) -> Placement {
        let mut placed = self.rows.place(self.domain.fraction(value));
        if K::Domain::IS_RING && placed.node == self.rows.input_cells() {
            placed.node = 0;
        }
        placed
    }
}

impl<K: LatticeRule> Channel for LatticeMechanism<K> {
    fn probability(&self, input: &f64, report: &Category) -> Fraction {
        self.mixture(*input, report.0)
    }

    fn worst_ratio(&self) -> Fraction {
        self.rows.worst_ratio()
    }

    fn worst_inputs(&self) -> [f64; 2] {
        self.rows.worst_nodes().map(|node| {
            let value = self.node_value(node);
            // The last node of an interval is its upper end, whatever rounding says.
            if node == self.rows.input_cells() { self.domain.nearest(value) } else { value }
        })
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        let cells = self.rows.output_cells();
        (cells as usize <= limit).then(|| (0..cells).map(Category).collect())
    }

    fn pieces(&self, input: Option<&f64>) -> Vec<Piece> {
        // Programs in browsers must be small, and look at laws through `analysis`.
        if cfg!(target_family = "wasm") {
            return Vec::new();
        }
        let placed = self.place(input.copied().unwrap_or(self.domain.start()));
        pieces_of(&self.rows, placed, self.next_node(placed.node), |unit| self.scale(unit))
    }
}

impl<K: LatticeRule> fmt::Debug for LatticeMechanism<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.domain, self.guarantee)
    }
}
