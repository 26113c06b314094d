//! Randomised response over any number of categories: the true one with a high weight, each other one with
//! the same low weight. The named mechanisms differ in their domains only.

use super::{FrequencyOracle, Support, categories_of, pure_guarantee};
use crate::wrapper::Relayed;
use privet_core::sampling::PeakedRow;
use privet_core::{
    Build, Categories, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, ParameterError, Piece,
    ReportBuffer, ReportError,
};
use std::fmt;
use std::marker::PhantomData;

/// What distinguishes one randomised response from another.
pub trait PeakedRule: Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;
    /// The largest number of categories.
    const MAX_CATEGORIES: u32;
}

/// Randomised response; see the named mechanisms.
#[derive(Clone)]
pub struct PeakedResponse<K> {
    categories: Categories,
    row: PeakedRow,
    guarantee: Guarantee,
    rule: PhantomData<K>,
}

impl<K: PeakedRule> PeakedResponse<K> {
    /// Calibrates the weights.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        super::at_most(&categories, K::MAX_CATEGORIES)?;
        let row = PeakedRow::calibrate(categories.count(), epsilon)?;
        Ok(Self { guarantee: pure_guarantee(&row.ratio())?, categories, row, rule: PhantomData })
    }

    /// The integer weights.
    pub fn row(&self) -> &PeakedRow {
        &self.row
    }
}

impl<K: PeakedRule> Build for PeakedResponse<K> {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&K::INFO, domain)?, epsilon)
    }
}

impl<K: PeakedRule> Mechanism for PeakedResponse<K> {
    type Domain = Categories;
    type Report = Category;
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
        builder.number(self.row.high()).number(self.row.low()).finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.categories.count())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<Category, InputError> {
        self.categories.check(input)?;
        Ok(Category(self.row.draw(*input, rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.categories.count())
    }
}

impl<K: PeakedRule> Channel for PeakedResponse<K> {
    fn probability(&self, input: &u32, report: &Category) -> Fraction {
        Fraction::of_weight(self.row.weight(*input, report.0))
    }

    fn worst_ratio(&self) -> Fraction {
        self.row.ratio()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        let count = self.categories.count();
        (count as usize <= limit).then(|| (0..count).map(Category).collect())
    }

    fn pieces(&self, input: Option<&u32>) -> Vec<Piece> {
        let own = input.map_or("the own category".into(), |input| self.categories.label(*input));
        vec![
            Piece::one(own, &Fraction::of_weight(self.row.high())),
            Piece::each(
                "each other category",
                u64::from(self.categories.count() - 1),
                &Fraction::of_weight(self.row.low()),
            ),
        ]
    }
}

impl<K: PeakedRule> FrequencyOracle for PeakedResponse<K> {
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
        Support { own: Fraction::of_weight(self.row.high()), other: Fraction::of_weight(self.row.low()) }
    }

    fn is_single(&self) -> bool {
        true
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        for slot in reports.iter() {
            let Category(category) = self.decode(slot)?;
            if let Some(count) = counts.get_mut(category as usize) {
                *count += 1;
            }
        }
        Ok(())
    }
}

impl<K: PeakedRule> Relayed for PeakedResponse<K> {
    fn relay<R: CryptoRng + ?Sized>(&self, permanent: &Category, rng: &mut R) -> Category {
        Category(self.row.draw(permanent.0, rng))
    }

    fn relayed_support(permanent: &Self, instantaneous: &Self) -> Support {
        let (first, second) = (permanent.support(), instantaneous.support());
        let others = Fraction::whole(u128::from(permanent.categories.count()) - 1);
        let rest = Fraction::whole(u128::from(permanent.categories.count()) - 2);
        let through_other = &first.other * &second.other;
        let kept = &first.own * &second.own;
        let swapped = &(&first.own * &second.other) + &(&first.other * &second.own);
        Support { own: &kept + &(&others * &through_other), other: &swapped + &(&rest * &through_other) }
    }

    fn relayed_ratio(support: &Support) -> Fraction {
        &support.own / &support.other
    }
}

impl<K: PeakedRule> fmt::Debug for PeakedResponse<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.categories, self.guarantee)
    }
}
