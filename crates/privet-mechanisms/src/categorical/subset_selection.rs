//! Report a random subset that is more likely to contain the true category.

use super::{BitCounter, FrequencyOracle, Support, at_most, categories_of, pure_guarantee};
use privet_core::sampling::{bernoulli, uniform_below, uniform_subset};
use privet_core::{
    BitVector, Build, Categories, Channel, CryptoRng, Domain, DomainSpec, Epsilon, ExpLowerBound,
    Fingerprint, FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics,
    ParameterError, Piece, ReportBuffer, ReportError,
};
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};

/// Subset selection: a subset of w categories, w near k / (e^epsilon + 1), in which the true one is more likely than
/// the others.
///
/// # What it protects
/// One category out of k.
/// # Formula
/// Each subset of size w that contains x has e^epsilon times the probability of each that does not:
/// P(x in subset) = w e^epsilon / (w e^epsilon + k - w), and the rest of the subset is uniform.
/// # Domain
/// `binary` or `categories:..`, up to 2^16 of them.
/// # Guarantee
/// Pure epsilon. Of the two sizes around k / (e^epsilon + 1) the one with the smaller total squared error over all categories
/// is taken, which is the same size for every population; so the total is never above that of
/// [`super::GeneralizedRandomizedResponse`], which is the size of one. A category that hardly anybody holds may be better served by the
/// other size: with 8 categories at epsilon 1.4 its standard error is 4.5 % above that of single categories, and the total
/// squared error 5.4 % below. In order of magnitude no epsilon-LDP mechanism does better.
/// # Cost
/// k bits per report; one random word and w + 1 bounded draws. The number of draws does not depend on whether the truth is in the subset.
/// # Numerics
/// Integer-exact: the threshold for "truth included" is rounded down so that the exact ratio is at most e^epsilon;
/// subsets are uniform by unbiased bounded integers.
/// # When not to use it
/// On slow devices with thousands of categories: [`super::OptimizedLocalHashing`] is nearly as accurate and its report
/// is shorter.
/// # Reference
/// M. Ye, A. Barg, "Optimal schemes for discrete distribution estimation under locally differential privacy",
/// IEEE Trans. Inf. Theory 64 (2018). Without deviation.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon};
/// use privet_mechanisms::categorical::SubsetSelection;
/// let mechanism = SubsetSelection::new(Categories::new(16)?, Epsilon::new(1.0)?)?;
/// assert_eq!(mechanism.subset_size(), 4);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[doc(alias = "SS")]
#[derive(Clone)]
pub struct SubsetSelection {
    categories: Categories,
    size: NonZeroU32,
    /// How many of 2^64 words include the truth.
    include: u64,
    guarantee: Guarantee,
}

impl SubsetSelection {
    /// The largest number of categories.
    pub const MAX_CATEGORIES: u32 = 1 << 16;

    /// Chooses the size and calibrates the threshold.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit thresholds, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let count = categories.count();
        let size = best_size(count, epsilon);
        let exclude = ExpLowerBound::of(epsilon).smallest_weight(
            u64::from(count - size),
            u64::from(size),
            u64::from(count - size),
        );
        let include = exclude.wrapping_neg();
        let ratio = inclusion_ratio(count, size, include);
        if ratio <= Fraction::whole(1) {
            return Err(ParameterError::EpsilonTooSmall { got: epsilon.get() });
        }
        let size = NonZeroU32::new(size).unwrap_or(NonZeroU32::MIN);
        Ok(Self { guarantee: pure_guarantee(&ratio)?, categories, size, include })
    }

    /// How many categories a report holds.
    pub fn subset_size(&self) -> u32 {
        self.size.get()
    }

    /// How many of 2^64 words include the truth.
    pub fn include_weight(&self) -> u64 {
        self.include
    }

    fn bits(&self) -> usize {
        self.categories.count() as usize
    }
}

/// The better of the two whole numbers around k / (e^epsilon + 1), by the total over all categories of the variance over draws. One
/// category is a person's own and all others are not, whatever the people are like: the mean over categories is that of a share of 1/k.
fn best_size(count: u32, epsilon: Epsilon) -> u32 {
    let exp = epsilon.get().min(60.0).exp();
    let count = f64::from(count);
    let variance = |size: f64| {
        let own = size * exp / (size * exp + count - size);
        let other = own * (size - 1.0) / (count - 1.0) + (1.0 - own) * size / (count - 1.0);
        let share = 1.0 / count;
        (share * own * (1.0 - own) + (1.0 - share) * other * (1.0 - other)) / (own - other).powi(2)
    };
    let below = (count / (exp + 1.0)).floor().clamp(1.0, count - 1.0);
    let above = (below + 1.0).min(count - 1.0);
    if variance(below) <= variance(above) { below as u32 } else { above as u32 }
}

/// How much likelier a subset with the truth is than one without.
fn inclusion_ratio(count: u32, size: u32, include: u64) -> Fraction {
    let odds = &Fraction::of_weight(include) / &Fraction::of_complement(include);
    &(&odds * &Fraction::whole(u128::from(count - size))) / &Fraction::whole(u128::from(size))
}

/// One over the number of subsets of `size` out of `count`.
fn one_subset(count: u32, size: u32) -> Fraction {
    (0..size).fold(Fraction::whole(1), |product, step| {
        let factor = &Fraction::whole(u128::from(size - step)) / &Fraction::whole(u128::from(count - step));
        &product * &factor
    })
}

impl Build for SubsetSelection {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl Mechanism for SubsetSelection {
    type Domain = Categories;
    type Report = BitVector;
    const INFO: MechanismInfo = MechanismInfo {
        id: "subset-selection",
        synonyms: &["ss"],
        title: "Subset selection",
        domain: "categories",
        goal: "frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-12 for up to 10 000 categories and epsilon up to 4",
        reference: "Ye, Barg 2018",
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
        builder.number(u64::from(self.subset_size())).number(self.include).finish()
    }

    fn report_bits(&self) -> u32 {
        self.categories.count()
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<BitVector, InputError> {
        self.categories.check(input)?;
        let include = bernoulli(self.include, rng);
        // Always w others; if the truth joins, one of them, uniformly chosen, leaves. So the draws are the same
        // either way, and their number does not tell whether the truth is in.
        let others = uniform_subset(self.categories.count() - 1, self.size.get(), rng);
        let leaving = uniform_below(NonZeroU64::from(self.size), rng) as u32;
        let mut report = BitVector::zeros(self.bits());
        let mut rank = 0;
        for other in 0..self.categories.count() - 1 {
            let chosen = others.get(other as usize);
            let stays = chosen && !(include && rank == leaving);
            rank += u32::from(chosen);
            report.set((other + u32::from(other >= *input)) as usize, stays);
        }
        report.set(*input as usize, include);
        Ok(report)
    }

    fn encode(&self, report: &BitVector, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<BitVector, ReportError> {
        self.check_length(slot)?;
        let report = BitVector::read(slot, self.bits())?;
        if report.count_ones() == self.subset_size() {
            Ok(report)
        } else {
            Err(ReportError::Impossible { reason: "the subset has another size" })
        }
    }
}

impl Channel for SubsetSelection {
    fn probability(&self, input: &u32, report: &BitVector) -> Fraction {
        let others = self.categories.count() - 1;
        if report.get(*input as usize) {
            &Fraction::of_weight(self.include) * &one_subset(others, self.subset_size() - 1)
        } else {
            &Fraction::of_complement(self.include) * &one_subset(others, self.subset_size())
        }
    }

    fn worst_ratio(&self) -> Fraction {
        inclusion_ratio(self.categories.count(), self.subset_size(), self.include)
    }

    fn worst_inputs(&self) -> [u32; 2] {
        [0, self.categories.count() - 1]
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<BitVector>> {
        let all = super::unary_encoding::all_bit_vectors(self.bits(), limit.saturating_mul(16))?;
        let subsets: Vec<_> =
            all.into_iter().filter(|bits| bits.count_ones() == self.subset_size()).collect();
        (subsets.len() <= limit).then_some(subsets)
    }

    fn pieces(&self, _input: Option<&u32>) -> Vec<Piece> {
        let support = self.support();
        vec![
            Piece::one("the subset holds the own category", &support.own),
            Piece::each(
                "the subset holds another category",
                u64::from(self.categories.count() - 1),
                &support.other,
            ),
        ]
    }
}

impl FrequencyOracle for SubsetSelection {
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
        let others = Fraction::whole(u128::from(self.categories.count()) - 1);
        let own = Fraction::of_weight(self.include);
        let with = &own * &Fraction::whole(u128::from(self.subset_size()) - 1);
        let without =
            &Fraction::of_complement(self.include) * &Fraction::whole(u128::from(self.subset_size()));
        Support { other: &(&with + &without) / &others, own }
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        let mut counter = BitCounter::new(self.bits());
        for slot in reports.iter() {
            self.decode(slot)?;
            counter.add(slot, counts)?;
        }
        counter.flush(counts);
        Ok(())
    }
}

impl fmt::Debug for SubsetSelection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.categories, self.guarantee)
    }
}
