//! Hash the category into few buckets under a fresh seed, then randomise the bucket. The named mechanisms differ
//! in the number of buckets only.

use super::{FrequencyOracle, Invariant, SeededHash, Support, at_most, categories_of, pure_guarantee};
use privet_core::sampling::PeakedRow;
use privet_core::{
    Build, Categories, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, ParameterError, Piece,
    ReportBuffer, ReportError,
};
use std::fmt;
use std::marker::PhantomData;

/// A fresh seed and the noisy bucket of the category under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HashedReport {
    /// Which hash function; uniform and independent of the category.
    pub seed: u64,
    /// The noisy bucket.
    pub bucket: u32,
}

/// What distinguishes one local hashing from another.
pub trait BucketRule: Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;

    /// How many buckets to use.
    fn buckets(epsilon: Epsilon) -> u32;
}

/// Local hashing; see the named mechanisms.
#[derive(Clone)]
pub struct LocalHashing<K> {
    categories: Categories,
    hash: SeededHash,
    row: PeakedRow,
    guarantee: Guarantee,
    rule: PhantomData<K>,
}

const SEED_BYTES: usize = 8;

impl<K: BucketRule> LocalHashing<K> {
    /// Calibrates the weights.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, SeededHash::MAX_KEYS)?;
        let hash = SeededHash::new(categories.count(), K::buckets(epsilon));
        let row = PeakedRow::calibrate(hash.buckets(), epsilon)?;
        Ok(Self { guarantee: pure_guarantee(&row.ratio())?, categories, hash, row, rule: PhantomData })
    }

    /// The hash family.
    pub fn hash(&self) -> &SeededHash {
        &self.hash
    }

    /// The integer weights over buckets.
    pub fn row(&self) -> &PeakedRow {
        &self.row
    }
}

impl<K: BucketRule> Build for LocalHashing<K> {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&K::INFO, domain)?, epsilon)
    }
}

impl<K: BucketRule> Mechanism for LocalHashing<K> {
    type Domain = Categories;
    type Report = HashedReport;
    const INFO: MechanismInfo = K::INFO;

    fn domain(&self) -> &Categories {
        &self.categories
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(K::INFO.id);
        self.categories.identify(&mut builder);
        builder.number(u64::from(self.hash.buckets())).number(self.row.high()).number(self.row.low()).finish()
    }

    fn report_bits(&self) -> u32 {
        64 + Category::bits(self.hash.buckets())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<HashedReport, InputError> {
        self.categories.check(input)?;
        let seed = rng.next_u64();
        let bucket = self.row.draw(self.hash.bucket(seed, *input), rng);
        Ok(HashedReport { seed, bucket })
    }

    #[inline]
    fn encode(&self, report: &HashedReport, slot: &mut [u8]) {
        if let Some((seed, bucket)) = slot.split_at_mut_checked(SEED_BYTES) {
            seed.copy_from_slice(&report.seed.to_le_bytes());
            Category(report.bucket).write(bucket);
        }
    }

    #[inline]
    fn decode(&self, slot: &[u8]) -> Result<HashedReport, ReportError> {
        self.check_length(slot)?;
        let (seed, bucket) = slot.split_at(SEED_BYTES);
        let mut bytes = [0; SEED_BYTES];
        bytes.copy_from_slice(seed);
        let bucket = Category::read(bucket, self.hash.buckets())?.0;
        Ok(HashedReport { seed: u64::from_le_bytes(bytes), bucket })
    }
}

impl<K: BucketRule> Channel for LocalHashing<K> {
    fn probability(&self, input: &u32, report: &HashedReport) -> Fraction {
        let bucket = self.hash.bucket(report.seed, *input);
        &Fraction::of_weight(self.row.weight(bucket, report.bucket)) * &Fraction::of_fair_bits(64)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    /// There are 2^64 seeds: never all.
    fn all_reports(&self, _limit: usize) -> Option<Vec<HashedReport>> {
        None
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let others = u64::from(self.hash.buckets() - 1);
        vec![
            Piece::one("the bucket of the own category", &Fraction::of_weight(self.row.high())),
            Piece::each("each other bucket", others, &Fraction::of_weight(self.row.low())),
        ]
    }
}

impl<K: BucketRule> FrequencyOracle for LocalHashing<K> {
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
        let (own, low) = (Fraction::of_weight(self.row.high()), Fraction::of_weight(self.row.low()));
        Support { other: self.hash.collision(&own, &low), own }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        // Narrow counters hold four keys in a vector register; they move on long before they overflow.
        let mut narrow = vec![0u32; counts.len()];
        for (number, slot) in (1u32..).zip(reports.iter()) {
            let report = self.decode(slot)?;
            self.hash.count_members(report.seed, report.bucket, &mut narrow);
            if number % (1 << 30) == 0 {
                drain(&mut narrow, counts);
            }
        }
        drain(&mut narrow, counts);
        Ok(())
    }

    fn invariant(&self) -> Invariant {
        Invariant::Seed
    }
}

fn drain(narrow: &mut [u32], counts: &mut [u64]) {
    for (from, to) in narrow.iter_mut().zip(counts) {
        *to += u64::from(std::mem::take(from));
    }
}

impl<K: BucketRule> fmt::Debug for LocalHashing<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.categories, self.guarantee)
    }
}
