//! RAPPOR-style reports: a noisy Bloom filter under one of several public hash functions.

use super::unary_encoding::all_bit_vectors;
use super::{BitThresholds, RowHash, at_most, categories_of, pure_guarantee};
use privet_core::sampling::PeakedRow;
use privet_core::{
    BitVector, Build, Categories, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError,
    Piece, ReportError,
};
use std::fmt;

/// The public sizes of a Bloom filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BloomParameters {
    /// How many groups of people there are, each with its own hash functions. A power of two.
    pub cohorts: u32,
    /// How many bits the filter has: `hashes` blocks of equal size.
    pub bits: u32,
    /// How many bits each category sets: one in each block.
    pub hashes: u32,
}

/// A cohort and a noisy filter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BloomReport {
    /// Which hash functions; uniform and independent of the category.
    pub cohort: u32,
    /// The noisy filter.
    pub bits: BitVector,
}

/// RAPPOR: a random cohort, the category's Bloom filter under the cohort's hash functions, and every bit flipped with
/// probability 1 / (1 + e^(epsilon / 2h)).
///
/// # What it protects
/// One category out of many, in reports much shorter than one bit for each category.
/// # Formula
/// The filter has h blocks; a category sets one bit in each. P(set bit stays one) = e^a / (1 + e^a) and
/// P(unset bit becomes one) = 1 / (1 + e^a) with a = epsilon / (2 h): two categories differ in at most 2 h bits.
/// # Domain
/// `binary` or `categories:..`, up to 1024 of them (the estimate solves a system of that size).
/// # Guarantee
/// Pure epsilon for one report. For repeated reports see [`crate::wrapper::Memoized`].
/// # Cost
/// log2(cohorts) + bits per report (by default 64 cohorts and 128 bits with two hashes), in 2 + bits / 8 bytes.
/// # Numerics
/// Integer-exact: one threshold. The exact epsilon is that of two categories that share no bit in some cohort; where all
/// pairs share bits in all cohorts the true one would be smaller still.
/// # When not to use it
/// Where one bit for each category is affordable, or a 64-bit seed: [`super::OptimizedUnaryEncoding`] and
/// [`super::OptimizedLocalHashing`] have less variance at the same epsilon.
/// # Reference
/// U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR", CCS 2014. Deviations: the filter is partitioned, so that every
/// category sets exactly h bits; the cohort is drawn anew for each report, so that it does not mark a person.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::Rappor;
/// let mechanism = Rappor::new(Categories::new(1000)?, Epsilon::new(2.0)?)?;
/// assert_eq!(mechanism.report_bits(), 6 + 128);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "Bloom filter")]
#[derive(Clone)]
pub struct Rappor {
    categories: Categories,
    parameters: BloomParameters,
    thresholds: BitThresholds,
    guarantee: Guarantee,
    rows: Vec<RowHash>,
}

const COHORT_BYTES: usize = 2;

impl Rappor {
    /// The largest number of categories.
    pub const MAX_CATEGORIES: u32 = 1024;

    /// The sizes that [`Rappor::new`] uses.
    pub const DEFAULT: BloomParameters = BloomParameters { cohorts: 64, bits: 128, hashes: 2 };

    /// Calibrates the flips for the default sizes.
    ///
    /// # Errors
    /// When epsilon is too small, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::with_parameters(categories, epsilon, Self::DEFAULT)
    }

    /// Calibrates the flips for chosen sizes.
    ///
    /// # Errors
    /// When epsilon is too small, there are too many categories, or the sizes do not fit together.
    pub fn with_parameters(
        categories: Categories,
        epsilon: Epsilon,
        parameters: BloomParameters,
    ) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let BloomParameters { cohorts, bits, hashes } = parameters;
        let block_fits = hashes > 0 && bits % hashes == 0 && bits / hashes >= 2 && bits <= 1 << 16;
        if !block_fits || !cohorts.is_power_of_two() || cohorts > 1 << 16 || hashes > 4 {
            return Err(ParameterError::Incompatible {
                reason: format!(
                    "cohorts must be a power of two up to 65536, hashes at most 4, and bits a multiple of hashes with at \
                     least two bits for each: got {cohorts} cohorts, {bits} bits, {hashes} hashes"
                ),
            });
        }
        let row = PeakedRow::calibrate(2, epsilon.divided(2 * hashes)?)?;
        let thresholds = BitThresholds { set: row.high(), unset: row.low() };
        let guarantee = pure_guarantee(&thresholds.pair_ratio().pow(hashes))?;
        let rows = (0..cohorts * hashes).map(|row| RowHash::new("rappor", row)).collect();
        Ok(Self { categories, parameters, thresholds, guarantee, rows })
    }

    /// The public sizes.
    pub fn parameters(&self) -> BloomParameters {
        self.parameters
    }

    /// The integer thresholds.
    pub fn thresholds(&self) -> BitThresholds {
        self.thresholds
    }

    /// The bits that a category sets in a cohort, one in each block; cohorts count around.
    pub fn positions(&self, cohort: u32, category: u32) -> Vec<usize> {
        let BloomParameters { cohorts, bits, hashes } = self.parameters;
        let (cohort, block) = (cohort & (cohorts - 1), bits / hashes);
        let position = |hash: u32| {
            let row = &self.rows[(cohort * hashes + hash) as usize];
            (hash * block + row.bucket(u64::from(category), block)) as usize
        };
        (0..hashes).map(position).collect()
    }
}

impl Build for Rappor {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl Mechanism for Rappor {
    type Domain = Categories;
    type Report = BloomReport;
    const INFO: MechanismInfo = MechanismInfo {
        id: "rappor",
        synonyms: &["bloom", "bloom-filter"],
        title: "RAPPOR Bloom reports",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-12 at epsilon up to 40",
        reference: "Erlingsson, Pihur, Korolova 2014",
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
        let BloomParameters { cohorts, bits, hashes } = self.parameters;
        for number in [cohorts, bits, hashes] {
            builder.number(u64::from(number));
        }
        builder.number(self.thresholds.set).number(self.thresholds.unset).finish()
    }

    fn report_bits(&self) -> u32 {
        self.parameters.cohorts.trailing_zeros() + self.parameters.bits
    }

    fn report_bytes(&self) -> usize {
        COHORT_BYTES + (self.parameters.bits as usize).div_ceil(8)
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<BloomReport, InputError> {
        self.categories.check(input)?;
        let bits = self.parameters.bits as usize;
        let cohort = rng.next_u64() as u32 & (self.parameters.cohorts - 1);
        let mut slot = vec![0; bits.div_ceil(8)];
        self.thresholds.fill(bits, &self.positions(cohort, *input), rng, &mut slot);
        Ok(BloomReport { cohort, bits: BitVector::from_bytes(&slot, bits) })
    }

    fn encode(&self, report: &BloomReport, slot: &mut [u8]) {
        if let Some((cohort, bits)) = slot.split_at_mut_checked(COHORT_BYTES) {
            cohort.copy_from_slice(&(report.cohort as u16).to_le_bytes());
            report.bits.write(bits);
        }
    }

    fn decode(&self, slot: &[u8]) -> Result<BloomReport, ReportError> {
        self.check_length(slot)?;
        let (cohort, bits) = slot.split_at(COHORT_BYTES);
        let cohort = u32::from(u16::from_le_bytes([cohort[0], cohort[1]]));
        if cohort >= self.parameters.cohorts {
            return Err(ReportError::Impossible { reason: "a cohort beyond the last" });
        }
        Ok(BloomReport { cohort, bits: BitVector::read(bits, self.parameters.bits as usize)? })
    }
}

impl Channel for Rappor {
    fn probability(&self, input: &u32, report: &BloomReport) -> Fraction {
        let set = self.positions(report.cohort, *input);
        let cohort = Fraction::of_fair_bits(self.parameters.cohorts.trailing_zeros());
        (0..self.parameters.bits as usize).fold(cohort, |product, bit| {
            &product * &self.thresholds.probability(set.contains(&bit), report.bits.get(bit))
        })
    }

    fn likelihood_ratio(&self, inputs: &[u32; 2], report: &BloomReport) -> Option<Fraction> {
        let [first, second] = inputs.map(|input| self.positions(report.cohort, input));
        self.thresholds.likelihood_ratio([&first, &second], &report.bits)
    }

    fn worst_ratio(&self) -> Fraction {
        self.thresholds.pair_ratio().pow(self.parameters.hashes)
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<BloomReport>> {
        let cohorts = self.parameters.cohorts;
        let filters = all_bit_vectors(self.parameters.bits as usize, limit / cohorts as usize)?;
        let of_cohort = |cohort| filters.iter().map(move |bits| BloomReport { cohort, bits: bits.clone() });
        Some((0..cohorts).flat_map(of_cohort).collect())
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let BloomParameters { bits, hashes, .. } = self.parameters;
        let unset = u64::from(bits - hashes);
        vec![
            Piece::each(
                "a bit of the own category is one",
                u64::from(hashes),
                &self.thresholds.probability(true, true),
            ),
            Piece::each("each other bit is one", unset, &self.thresholds.probability(false, true)),
        ]
    }
}

impl fmt::Debug for Rappor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.categories, self.guarantee)
    }
}
