//! Report an index that is more likely to agree with the category's row of a Hadamard matrix.

use super::{FrequencyOracle, Invariant, Support, at_most, categories_of, pure_guarantee};
use privet_core::sampling::{PeakedRow, bernoulli};
use privet_core::{
    Build, Categories, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError,
    Piece, ReportBuffer, ReportError,
};
use std::fmt;

/// Hadamard response: an index y below K (the power of two above k), which with probability
/// e^epsilon / (1 + e^epsilon) is one where the category's row of the K x K Hadamard matrix is +1.
///
/// # What it protects
/// One category out of k.
/// # Formula
/// Row x + 1 has +1 where the number of common one bits of x + 1 and y is even. P(y) =
/// 2 e^epsilon / (K (1 + e^epsilon)) there and 2 / (K (1 + e^epsilon)) elsewhere.
/// # Domain
/// `binary` or `categories:..`, up to 2^20 of them.
/// # Guarantee
/// Pure epsilon.
/// # Cost
/// log2 K bits per report; two random words per draw. Counting n reports for all k categories takes n + K log2 K
/// additions (a fast Walsh transform). The variance of a frequency is that of [`super::BinaryLocalHashing`].
/// # Numerics
/// Integer-exact: one threshold, then a uniform index whose parity is mended by flipping one public bit.
/// # When not to use it
/// At epsilon above 0.35, where one agreeing bit carries less than [`super::SubsetSelection`] and
/// [`super::OptimizedLocalHashing`] do, unless the speed of the collector's transform matters more.
/// # Reference
/// J. Acharya, Z. Sun, H. Zhang, "Hadamard response", AISTATS 2019. Deviation: one block (their choice for small
/// epsilon) at every epsilon.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::HadamardResponse;
/// let mechanism = HadamardResponse::new(Categories::new(100)?, Epsilon::new(1.0)?)?;
/// assert_eq!(mechanism.report_bits(), 7);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "HR")]
#[derive(Clone)]
pub struct HadamardResponse {
    categories: Categories,
    /// The order of the matrix, a power of two above the number of categories.
    order: u32,
    row: PeakedRow,
    guarantee: Guarantee,
}

impl HadamardResponse {
    /// The largest number of categories.
    pub const MAX_CATEGORIES: u32 = 1 << 20;

    /// Calibrates the threshold.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit thresholds, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let order = (categories.count() + 1).next_power_of_two();
        let row = PeakedRow::calibrate(2, epsilon)?;
        Ok(Self { guarantee: pure_guarantee(&row.ratio())?, categories, order, row })
    }

    /// The integer weights of agreeing and disagreeing.
    pub fn row(&self) -> &PeakedRow {
        &self.row
    }

    /// The order of the Hadamard matrix: reports are indices below it.
    pub fn order(&self) -> u32 {
        self.order
    }
}

/// Whether the entry of the Hadamard matrix is +1.
#[inline]
fn agrees(category: u32, index: u32) -> bool {
    (category.wrapping_add(1) & index).count_ones().is_multiple_of(2)
}

impl Build for HadamardResponse {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl Mechanism for HadamardResponse {
    type Domain = Categories;
    type Report = Category;
    const INFO: MechanismInfo = MechanismInfo {
        id: "hadamard-response",
        synonyms: &["hr"],
        title: "Hadamard response",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 9",
        reference: "Acharya, Sun, Zhang 2019",
        status: "stable",
    };

    fn domain(&self) -> &Categories {
        &self.categories
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.categories.identify(&mut builder);
        builder.number(self.row.high()).number(self.row.low()).finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.order)
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<Category, InputError> {
        self.categories.check(input)?;
        let agree = bernoulli(self.row.high(), rng);
        let index = (rng.next_u64() >> (64 - self.order.trailing_zeros())) as u32;
        // Flipping a bit of the index that the row has changes the parity, and is a bijection between both halves.
        let row = *input + 1;
        let mended = if agrees(*input, index) == agree { index } else { index ^ (row & row.wrapping_neg()) };
        Ok(Category(mended))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.order)
    }
}

impl Channel for HadamardResponse {
    fn probability(&self, input: &u32, report: &Category) -> Fraction {
        let threshold = if agrees(*input, report.0) { self.row.high() } else { self.row.low() };
        &Fraction::of_weight(threshold) * &Fraction::of_fair_bits(self.order.trailing_zeros() - 1)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        (self.order as usize <= limit).then(|| (0..self.order).map(Category).collect())
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let half = Fraction::of_fair_bits(self.order.trailing_zeros() - 1);
        let outcomes = u64::from(self.order / 2);
        vec![
            Piece::each("an index that agrees", outcomes, &(&Fraction::of_weight(self.row.high()) * &half)),
            Piece::each("an index that disagrees", outcomes, &(&Fraction::of_weight(self.row.low()) * &half)),
        ]
    }
}

impl FrequencyOracle for HadamardResponse {
    fn categories(&self) -> &Categories {
        &self.categories
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        self.fingerprint()
    }

    fn oracle_report_bytes(&self) -> usize {
        self.report_bytes()
    }

    fn support(&self) -> Support {
        // Two different rows agree in exactly half of the places where one of them is +1.
        Support { own: Fraction::of_weight(self.row.high()), other: Fraction::of_fair_bits(1) }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        let mut spectrum = vec![0i64; self.order as usize];
        for slot in reports.iter() {
            spectrum[self.decode(slot)?.0 as usize] += 1;
        }
        walsh_transform(&mut spectrum);
        let total = reports.len() as i64;
        // Agreeing minus disagreeing reports is the transform; agreeing ones are half of total plus that.
        for (count, difference) in counts.iter_mut().zip(&spectrum[1..]) {
            *count += ((total + difference) / 2) as u64;
        }
        Ok(())
    }

    /// Index zero agrees with every category.
    fn invariant(&self) -> Invariant {
        Invariant::Zero(self.probability(&0, &Category(0)))
    }
}

/// The fast Walsh-Hadamard transform, in place.
fn walsh_transform(values: &mut [i64]) {
    let mut half = 1;
    while half < values.len() {
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
}

impl fmt::Debug for HadamardResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.categories, self.guarantee)
    }
}
