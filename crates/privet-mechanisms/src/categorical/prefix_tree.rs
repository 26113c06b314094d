//! Heavy hitters among words that nobody listed in advance.

use super::{OptimizedBuckets, RowHash, pure_guarantee, wrong_domain};
use crate::categorical::BucketRule;
use privet_core::domain::Word;
use privet_core::sampling::{PeakedRow, uniform_below};
use privet_core::{
    Build, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint, FingerprintBuilder,
    Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError, Piece, ReportError,
    Words,
};
use std::fmt;
use std::num::NonZeroU64;

/// A prefix length, a hash function, and the noisy bucket of the word's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PrefixReport {
    /// How many bytes of the word were hashed, less one; uniform and independent of the word.
    pub level: u32,
    /// Which hash function; uniform and independent of the word.
    pub row: u32,
    /// The noisy bucket.
    pub bucket: u32,
}

/// Prefix tree: each person reports on one prefix length, drawn at random; the collector grows frequent prefixes byte by
/// byte.
///
/// # What it protects
/// One word of bounded length from a dictionary that nobody knows.
/// # Formula
/// Report (l, r, y) with l uniform over prefix lengths and r over 4096 public hash functions; y is the bucket of the
/// word's first l bytes under function r, through k-ary randomised response over g buckets, g near e^epsilon + 1 and at most 64.
/// # Domain
/// `words:N`: UTF-8 words of 1 to N bytes, N at most 32. Shorter words count as padded, so the length does not show.
/// # Guarantee
/// Pure epsilon for the whole word: only one prefix is ever reported.
/// # Cost
/// Four or more bytes per report. The collector keeps N x 4096 x g counters and looks at 256 extensions of each
/// surviving prefix.
/// # Numerics
/// Integer-exact: bounded integers for level and row, integer weights for the bucket.
/// # When not to use it
/// When the dictionary is known: [`super::OptimizedUnaryEncoding`], [`super::OptimizedLocalHashing`] and
/// [`super::SubsetSelection`] spend nobody on prefixes.
/// # Reference
/// T. Wang, N. Li, S. Jha, "Locally differentially private heavy hitter identification", IEEE TDSC 18 (2021), one byte
/// at a time. Deviation: a public list of hash functions instead of a seed per person, so that summaries merge and have
/// a fixed size.
/// # Example
/// ```
/// use privet_core::{Epsilon, Mechanism, Words};
/// use privet_mechanisms::categorical::PrefixTree;
/// let mechanism = PrefixTree::new(Words::new(8)?, Epsilon::new(4.0)?)?;
/// assert_eq!(mechanism.levels(), 8);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "PEM")]
#[derive(Clone)]
pub struct PrefixTree {
    words: Words,
    row: PeakedRow,
    guarantee: Guarantee,
    hashes: Vec<RowHash>,
}

impl PrefixTree {
    /// How many public hash functions there are.
    pub const ROWS: u32 = 4096;

    /// Calibrates the weights.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights.
    pub fn new(words: Words, epsilon: Epsilon) -> Result<Self, ParameterError> {
        // The collector keeps a counter for each bucket of each row and length: bounded, at the price of some accuracy
        // above epsilon 4.
        let buckets = OptimizedBuckets::buckets(epsilon).min(64);
        let row = PeakedRow::calibrate(buckets, epsilon)?;
        let hashes = (0..Self::ROWS).map(|row| RowHash::new("prefix-tree", row)).collect();
        Ok(Self { guarantee: pure_guarantee(&row.ratio())?, words, row, hashes })
    }

    /// How many prefix lengths there are: one for each byte of the longest word.
    pub fn levels(&self) -> u32 {
        self.words.longest()
    }

    /// The integer weights over buckets.
    pub fn weights(&self) -> &PeakedRow {
        &self.row
    }

    /// A 64-bit key for a prefix; different prefixes share one with probability 2^-64.
    pub fn prefix_key(&self, prefix: &[u8]) -> u64 {
        let mut key = [0; 8];
        key.copy_from_slice(&blake3::hash(prefix).as_bytes()[..8]);
        u64::from_le_bytes(key)
    }

    /// The bucket of a prefix in a row; rows count around.
    #[inline]
    pub fn bucket(&self, row: u32, key: u64) -> u32 {
        self.hashes[(row & (Self::ROWS - 1)) as usize].bucket(key, self.row.count())
    }

    fn bucket_of(&self, word: &Word, level: u32, row: u32) -> u32 {
        let end = (level as usize + 1).min(Words::MAX_BYTES as usize);
        self.bucket(row, self.prefix_key(&word.padded()[..end]))
    }
}

const LEVEL_BYTES: usize = 1;
const ROW_BYTES: usize = 2;

impl Build for PrefixTree {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        let words = Words::from_spec(domain).ok_or_else(|| wrong_domain(&Self::INFO, domain))?;
        Self::new(*words, epsilon)
    }
}

impl Mechanism for PrefixTree {
    type Domain = Words;
    type Report = PrefixReport;
    const INFO: MechanismInfo = MechanismInfo {
        id: "prefix-tree",
        synonyms: &["pem", "heavy-hitters"],
        title: "Prefix-tree heavy hitters",
        domain: "words",
        goal: "frequent words, unknown dictionary",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-12 at epsilon up to 6",
        reference: "Wang, Li, Jha 2021",
        status: "stable",
    };

    fn domain(&self) -> &Words {
        &self.words
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        self.words.identify(&mut builder);
        builder.number(u64::from(Self::ROWS)).number(u64::from(self.row.count()));
        builder.number(self.row.high()).number(self.row.low()).finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.levels()) + Category::bits(Self::ROWS) + Category::bits(self.row.count())
    }

    fn report_bytes(&self) -> usize {
        LEVEL_BYTES + ROW_BYTES + (Category::bits(self.row.count()) as usize).div_ceil(8)
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &Word,
        rng: &mut R,
    ) -> Result<PrefixReport, InputError> {
        self.words.check(input)?;
        let levels = NonZeroU64::new(u64::from(self.levels())).unwrap_or(NonZeroU64::MIN);
        let level = uniform_below(levels, rng) as u32;
        let row = rng.next_u64() as u32 & (Self::ROWS - 1);
        let bucket = self.row.draw(self.bucket_of(input, level, row), rng);
        Ok(PrefixReport { level, row, bucket })
    }

    fn encode(&self, report: &PrefixReport, slot: &mut [u8]) {
        if let [level, low, high, bucket @ ..] = slot {
            *level = report.level as u8;
            [*low, *high] = (report.row as u16).to_le_bytes();
            Category(report.bucket).write(bucket);
        }
    }

    fn decode(&self, slot: &[u8]) -> Result<PrefixReport, ReportError> {
        self.check_length(slot)?;
        let level = u32::from(slot[0]);
        let row = u32::from(u16::from_le_bytes([slot[1], slot[2]]));
        if level >= self.levels() || row >= Self::ROWS {
            return Err(ReportError::Impossible { reason: "a prefix length or a row beyond the last" });
        }
        let bucket = Category::read(&slot[LEVEL_BYTES + ROW_BYTES..], self.row.count())?.0;
        Ok(PrefixReport { level, row, bucket })
    }
}

impl Channel for PrefixTree {
    fn probability(&self, input: &Word, report: &PrefixReport) -> Fraction {
        let bucket = self.bucket_of(input, report.level, report.row);
        let public = u128::from(self.levels()) * u128::from(Self::ROWS);
        &Fraction::of_weight(self.row.weight(bucket, report.bucket)) / &Fraction::whole(public)
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [Word; 2] {
        // Different in their first byte, so that every prefix differs.
        let word = |text| Word::new(text).unwrap_or_else(|| self.words.nearest(Word::default()));
        [word("a"), word("b")]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<PrefixReport>> {
        let (levels, buckets) = (self.levels(), self.row.count());
        let count = levels as usize * Self::ROWS as usize * buckets as usize;
        let report = |index: u32| PrefixReport {
            level: index / (Self::ROWS * buckets),
            row: index / buckets % Self::ROWS,
            bucket: index % buckets,
        };
        (count <= limit).then(|| (0..count as u32).map(report).collect())
    }

    fn pieces(&self, _input: Option<&Word>) -> Vec<Piece> {
        let others = u64::from(self.row.count() - 1);
        vec![
            Piece::one("the bucket of the own prefix", &Fraction::of_weight(self.row.high())),
            Piece::each("each other bucket", others, &Fraction::of_weight(self.row.low())),
        ]
    }
}

impl fmt::Debug for PrefixTree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.words, self.guarantee)
    }
}
