//! A sketch for domains of a million categories.

use super::unary_encoding::all_bit_vectors;
use super::{BitThresholds, RowHash, categories_of, pure_guarantee};
use privet_core::sampling::PeakedRow;
use privet_core::{
    BitVector, Build, Categories, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError,
    Piece, ReportBuffer, ReportError,
};
use std::fmt;

/// The public sizes of a sketch, both powers of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SketchParameters {
    /// How many hash functions there are.
    pub rows: u32,
    /// How many buckets each has.
    pub width: u32,
}

/// A row and the noisy one-hot vector of the category's bucket in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SketchReport {
    /// Which hash function; uniform and independent of the category.
    pub row: u32,
    /// One noisy bit for each bucket.
    pub bits: BitVector,
}

/// Count-mean sketch: a random row, the category's bucket in it, and optimised unary encoding of the bucket.
///
/// # What it protects
/// One category out of up to 2^30.
/// # Formula
/// Report (r, b) with r uniform; P(b of the own bucket = 1) = 1/2; P(b of another = 1) = 1 / (1 + e^epsilon).
/// # Domain
/// `binary` or `categories:..`, up to 2^30 of them.
/// # Guarantee
/// Pure epsilon: the row is drawn before the category is looked at.
/// # Cost
/// log2(rows) + width bits per report (by default 256 rows of 1024 buckets), in 2 + width / 8 bytes. The collector keeps rows x width counters,
/// whatever the number of categories, and estimates any category from one counter in each row.
/// # Numerics
/// Integer-exact thresholds. The rows are strongly universal ([`super::RowHash`]) and public; categories that collide
/// in a row share its counter, and the estimate's error includes that.
/// # When not to use it
/// Where counting support for every category is affordable (up to some ten thousand of them):
/// [`super::OptimizedLocalHashing`] has no collisions to pay for.
/// # Reference
/// Apple Differential Privacy Team, "Learning with privacy at scale", 2017. Deviation: optimised instead of symmetric
/// flips, which have less variance at the same epsilon.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::CountMeanSketch;
/// let mechanism = CountMeanSketch::new(Categories::new(1_000_000)?, Epsilon::new(2.0)?)?;
/// assert_eq!(mechanism.report_bits(), 8 + 1024);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "CMS")]
#[derive(Clone)]
pub struct CountMeanSketch {
    categories: Categories,
    parameters: SketchParameters,
    thresholds: BitThresholds,
    guarantee: Guarantee,
    rows: Vec<RowHash>,
}

const ROW_BYTES: usize = 2;

impl CountMeanSketch {
    /// The sizes that [`CountMeanSketch::new`] uses.
    pub const DEFAULT: SketchParameters = SketchParameters { rows: 256, width: 1024 };

    /// Calibrates the thresholds for the default sizes.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit thresholds.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with_parameters(categories, epsilon, Self::DEFAULT)
    }

    /// Calibrates the thresholds for chosen sizes.
    ///
    /// # Errors
    /// When epsilon is too small, or a size is not a power of two from 2 to 65536.
    pub fn with_parameters(
        categories: Categories,
        epsilon: Epsilon,
        parameters: SketchParameters,
    ) -> Result<Self, ParameterError> {
        let fits = |size: u32| size.is_power_of_two() && (2..=1 << 16).contains(&size);
        if !fits(parameters.rows) || !fits(parameters.width) {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "rows and width must be powers of two from 2 to 65536: got {} and {}",
                    parameters.rows, parameters.width
                ),
            });
        }
        let row = PeakedRow::calibrate(2, epsilon)?;
        let thresholds = BitThresholds { set: 1 << 63, unset: row.low() };
        let guarantee = pure_guarantee(&thresholds.pair_ratio())?;
        let rows = (0..parameters.rows).map(|row| RowHash::new("count-mean-sketch", row)).collect();
        Ok(Self { categories, parameters, thresholds, guarantee, rows })
    }

    /// The public sizes.
    pub fn parameters(&self) -> SketchParameters {
        self.parameters
    }

    /// The integer thresholds.
    pub fn thresholds(&self) -> BitThresholds {
        self.thresholds
    }

    /// The bucket of a category in a row; rows count around.
    #[inline]
    pub fn bucket(&self, row: u32, category: u32) -> u32 {
        self.rows[(row & (self.parameters.rows - 1)) as usize]
            .bucket(u64::from(category), self.parameters.width)
    }

    fn fill<R: CryptoRng + ?Sized>(&self, input: u32, rng: &mut R, bits: &mut [u8]) -> u32 {
        let row = rng.next_u64() as u32 & (self.parameters.rows - 1);
        let bucket = self.bucket(row, input) as usize;
        self.thresholds.fill(self.parameters.width as usize, &[bucket], rng, bits);
        row
    }
}

impl Build for CountMeanSketch {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl Mechanism for CountMeanSketch {
    type Domain = Categories;
    type Report = SketchReport;
    const INFO: MechanismInfo = MechanismInfo {
        id: "count-mean-sketch",
        synonyms: &["cms"],
        title: "Count-mean sketch",
        domain: "categories",
        goal: "frequency, very many categories",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-15 at epsilon up to 9",
        reference: "Apple Differential Privacy Team 2017",
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
        builder.number(u64::from(self.parameters.rows)).number(u64::from(self.parameters.width));
        builder.number(self.thresholds.set).number(self.thresholds.unset).finish()
    }

    fn report_bits(&self) -> u32 {
        self.parameters.rows.trailing_zeros() + self.parameters.width
    }

    fn report_bytes(&self) -> usize {
        ROW_BYTES + (self.parameters.width as usize).div_ceil(8)
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<SketchReport, InputError> {
        self.categories.check(input)?;
        let width = self.parameters.width as usize;
        let mut slot = vec![0; width.div_ceil(8)];
        let row = self.fill(*input, rng, &mut slot);
        Ok(SketchReport { row, bits: BitVector::from_bytes(&slot, width) })
    }

    fn encode(&self, report: &SketchReport, slot: &mut [u8]) {
        if let Some((row, bits)) = slot.split_at_mut_checked(ROW_BYTES) {
            row.copy_from_slice(&(report.row as u16).to_le_bytes());
            report.bits.write(bits);
        }
    }

    fn decode(&self, slot: &[u8]) -> Result<SketchReport, ReportError> {
        self.check_length(slot)?;
        let (row, bits) = slot.split_at(ROW_BYTES);
        let row = u32::from(u16::from_le_bytes([row[0], row[1]]));
        if row >= self.parameters.rows {
            return Err(ReportError::Impossible { reason: "a row beyond the last" });
        }
        Ok(SketchReport { row, bits: BitVector::read(bits, self.parameters.width as usize)? })
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            let (row, bits) = slot.split_at_mut(ROW_BYTES);
            let chosen = self.fill(*input, rng, bits);
            row.copy_from_slice(&(chosen as u16).to_le_bytes());
        }
        Ok(())
    }
}

impl Channel for CountMeanSketch {
    fn probability(&self, input: &u32, report: &SketchReport) -> Fraction {
        let own = self.bucket(report.row, *input) as usize;
        let row = Fraction::of_fair_bits(self.parameters.rows.trailing_zeros());
        (0..self.parameters.width as usize).fold(row, |product, bit| {
            &product * &self.thresholds.probability(bit == own, report.bits.get(bit))
        })
    }

    fn likelihood_ratio(&self, inputs: &[u32; 2], report: &SketchReport) -> Option<Fraction> {
        let [first, second] = inputs.map(|input| [self.bucket(report.row, input) as usize]);
        self.thresholds.likelihood_ratio([&first, &second], &report.bits)
    }

    fn worst_ratio(&self) -> Fraction {
        self.thresholds.pair_ratio()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<SketchReport>> {
        let rows = self.parameters.rows;
        let vectors = all_bit_vectors(self.parameters.width as usize, limit / rows as usize)?;
        let of_row = |row| vectors.iter().map(move |bits| SketchReport { row, bits: bits.clone() });
        Some((0..rows).flat_map(of_row).collect())
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let others = u64::from(self.parameters.width - 1);
        vec![
            Piece::one("the bit of the own bucket is one", &self.thresholds.probability(true, true)),
            Piece::each("each other bit is one", others, &self.thresholds.probability(false, true)),
        ]
    }
}

impl fmt::Debug for CountMeanSketch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.categories, self.guarantee)
    }
}
