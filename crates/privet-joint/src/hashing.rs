//! Local hashing in pairs: the bucket is randomised by the truthfulness table.

use crate::accounting::guarantee_among;
use crate::crowd::Crowd;
use crate::error::JointError;
use crate::response::{PairedOracle, check_truthful, identify, told};
use crate::table::JointTable;
use crate::variance::SupportLaw;
use privet_core::{
    Categories, Category, CryptoRng, Domain, ExposedEpsilon, Fingerprint, FingerprintBuilder, Fraction,
    Guarantee, InputError, ReportBuffer, ReportError,
};
use privet_mechanisms::categorical::{FrequencyOracle, HashedReport, SeededHash, Support};

const SEED_BYTES: usize = 8;

/// Local hashing whose noisy bucket comes from a truthfulness bit that is correlated with the partner's.
///
/// Each person draws a seed of their own, so only the truthfulness of two partners is correlated, not their buckets. For
/// those who do *not* hold a category, support is then almost uncorrelated (exactly so if all buckets have the same size):
/// the correlation reduces the part of the variance that the holders cause, and nothing else. For a category that few
/// people hold, pairs therefore gain next to nothing over independent local hashing.
#[derive(Debug, Clone)]
pub struct JointHashing {
    categories: Categories,
    hash: SeededHash,
    table: JointTable,
}

impl JointHashing {
    /// Hashing into `buckets` buckets (or fewer, see [`SeededHash::new`]), with this truthfulness table.
    ///
    /// # Errors
    /// When there are too many categories, or a truthful bucket is not likelier than each other one.
    pub fn new(categories: Categories, buckets: u32, table: JointTable) -> Result<Self, JointError> {
        if categories.count() > SeededHash::MAX_KEYS {
            return Err(JointError::Incompatible { reason: "more categories than can be hashed" });
        }
        let hash = SeededHash::new(categories.count(), buckets);
        check_truthful(&table, hash.buckets())?;
        Ok(Self { categories, hash, table })
    }

    /// How many buckets there are.
    pub fn buckets(&self) -> u32 {
        self.hash.buckets()
    }

    /// What a report promises: the average over the pairing, and the loss of an exposed person. `None` if everybody else may
    /// collude and nothing is left.
    pub fn guarantee(&self, crowd: &Crowd) -> Option<Guarantee> {
        guarantee_among(&self.table, crowd, self.hash.buckets() - 1)
    }

    /// What a person reports who holds `value`. Takes the same random draws whether truthful or not.
    ///
    /// # Errors
    /// When the value is outside the categories.
    pub fn report<R: CryptoRng + ?Sized>(
        &self,
        value: &u32,
        is_truthful: bool,
        rng: &mut R,
    ) -> Result<HashedReport, InputError> {
        self.categories.check(value)?;
        let seed = rng.next_u64();
        let bucket = told(self.hash.bucket(seed, *value), is_truthful, self.hash.buckets(), rng);
        Ok(HashedReport { seed, bucket })
    }

    /// Writes a report into a slot of [`FrequencyOracle::oracle_report_bytes`] bytes.
    pub fn encode(&self, report: &HashedReport, slot: &mut [u8]) {
        if let Some((seed, bucket)) = slot.split_at_mut_checked(SEED_BYTES) {
            seed.copy_from_slice(&report.seed.to_le_bytes());
            Category(report.bucket).write(bucket);
        }
    }
}

impl FrequencyOracle for JointHashing {
    fn categories(&self) -> &Categories {
        &self.categories
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new("joint-local-hashing");
        self.categories.identify(&mut builder);
        builder.number(u64::from(self.hash.buckets()));
        identify(&self.table, &mut builder);
        builder.finish()
    }

    fn oracle_report_bytes(&self) -> usize {
        SEED_BYTES + Category::bits(self.hash.buckets()).div_ceil(8) as usize
    }

    fn support(&self) -> Support {
        let lies = Fraction::whole(u128::from(self.hash.buckets()) - 1);
        let own = Fraction::of_complement(self.table.lie_weight());
        let lie = &Fraction::of_weight(self.table.lie_weight()) / &lies;
        Support { other: self.hash.collision(&own, &lie), own }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        let mut narrow = vec![0u32; counts.len()];
        for slot in reports.iter() {
            let expected = self.oracle_report_bytes();
            let Some((seed, bucket)) = slot.split_at_checked(SEED_BYTES).filter(|_| slot.len() == expected)
            else {
                return Err(ReportError::Length { expected, got: slot.len() });
            };
            let mut bytes = [0; SEED_BYTES];
            bytes.copy_from_slice(seed);
            let Category(bucket) = Category::read(bucket, self.hash.buckets())?;
            self.hash.count_members(u64::from_le_bytes(bytes), bucket, &mut narrow);
            for (from, to) in narrow.iter_mut().zip(counts.iter_mut()) {
                *to += u64::from(std::mem::take(from));
            }
        }
        Ok(())
    }
}

impl PairedOracle for JointHashing {
    fn table(&self) -> &JointTable {
        &self.table
    }

    fn law(&self) -> SupportLaw {
        let support = self.support();
        // The probability that two different categories share a bucket, and that a lie hits the other's bucket.
        let shared = self.hash.collision(&Fraction::whole(1), &Fraction::whole(0)).to_f64();
        let hit = (1.0 - shared) / f64::from(self.hash.buckets() - 1);
        SupportLaw {
            own: self.table.p(),
            other: support.other.to_f64(),
            difference: support.own.minus(&support.other).to_f64(),
            own_loading: 1.0,
            other_loading: shared - hit,
            covariance: self.table.covariance(),
        }
    }

    fn exposed_epsilon(&self) -> ExposedEpsilon {
        crate::accounting::exposed(&self.table.exposed_ratio(self.hash.buckets() - 1))
    }

    fn report_together<R: CryptoRng>(
        &self,
        people: &[u32],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let truthful = self.table.read(rng.next_u64());
        for (value, is_truthful) in people.iter().zip(truthful) {
            let report = self.report(value, is_truthful, rng)?;
            reports.extend_slots(1).for_each(|slot| self.encode(&report, slot));
        }
        Ok(())
    }
}
