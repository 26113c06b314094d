//! The exponential mechanism on ordered categories: near ones are likelier than far ones.

use super::{at_most, categories_of, pure_guarantee};
use privet_core::sampling::{AliasTable, WeightRow, WorstRatio};
use privet_core::{
    Build, Categories, Category, Channel, CryptoRng, Domain, DomainSpec, Epsilon, ExpLowerBound, Fingerprint,
    FingerprintBuilder, Fraction, Guarantee, InputError, Mechanism, MechanismInfo, Numerics, ParameterError,
    Piece, ReportError,
};
use std::fmt;

/// The exponential mechanism on ordered categories: P(y given x) proportional to e^(-s |x - y| / (k - 1)), with the
/// scale s as large as epsilon allows.
///
/// # What it protects
/// One category out of k where being off by one matters less than being off by ten: ratings, age groups.
/// # Formula
/// P(y given x) = e^(-s |x - y| / (k - 1)) / sum over z of e^(-s |x - z| / (k - 1)).
/// # Domain
/// `binary` or `categories:..` in their natural order, up to 1024 of them.
/// # Guarantee
/// Pure epsilon. The usual analysis bounds score and normaliser separately and sets s = epsilon / 2, which spends about
/// half of the budget. Here s is the largest scale whose exact worst ratio is at most e^epsilon: it equals epsilon up to
/// rounding, because the worst pair is the two ends, whose normalisers agree.
/// # Cost
/// ceil(log2 k) bits per report; one random word and one look-up per draw; up to 40 k^2 bytes of memory.
/// # Numerics
/// Integer-exact: every row is rounded to integers with the total 2^64, and the scale steps back from epsilon until the
/// worst ratio of the rounded integers is at most e^epsilon.
/// # When not to use it
/// Where categories have no order, or only frequencies matter: [`super::SubsetSelection`].
/// # Reference
/// F. McSherry, K. Talwar, "Mechanism design via differential privacy", FOCS 2007. Deviation: the calibrated scale.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::OrderedExponential;
/// let stars = OrderedExponential::new(Categories::new(5)?, Epsilon::new(2.0)?)?;
/// assert!(stars.guarantee().epsilon().get() > 2.0 - 1e-6);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Clone)]
pub struct OrderedExponential {
    categories: Categories,
    rows: Vec<WeightRow>,
    tables: Vec<AliasTable>,
    worst: WorstRatio,
    guarantee: Guarantee,
}

impl OrderedExponential {
    /// The largest number of categories: the channel is a table with a row for each.
    pub const MAX_CATEGORIES: u32 = 1024;

    /// Finds the scale and rounds the rows.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or there are too many categories.
    pub fn new(categories: Categories, epsilon: Epsilon) -> Result<Self, ParameterError> {
        at_most(&categories, Self::MAX_CATEGORIES)?;
        let too_small = || ParameterError::EpsilonTooSmall { got: epsilon.get() };
        let rows = calibrate(categories.count(), epsilon)?.ok_or_else(too_small)?;
        let worst = WorstRatio::of(&rows);
        if worst.ratio <= Fraction::whole(1) {
            return Err(too_small());
        }
        let tables = rows.iter().map(AliasTable::new).collect();
        Ok(Self { guarantee: pure_guarantee(&worst.ratio)?, categories, rows, tables, worst })
    }

    /// The integer weights: a row for each input.
    pub fn rows(&self) -> &[WeightRow] {
        &self.rows
    }
}

/// Beyond this scale the far weights vanish against 2^64, and a larger epsilon cannot be spent.
const MAX_SCALE: f64 = 40.0;

/// The rows with about the largest scale whose exact worst ratio keeps epsilon, or `None` if there is none.
///
/// Rounding costs the last few bits of epsilon, so the scale steps back from it, by eight times more each time.
fn calibrate(count: u32, epsilon: Epsilon) -> Result<Option<Vec<WeightRow>>, ParameterError> {
    let bound = ExpLowerBound::of(epsilon);
    let largest = epsilon.get().min(MAX_SCALE);
    let mut step = 0.0;
    while step < 1.0 {
        let rows = rows_at(count, largest * (1.0 - step))?;
        if WorstRatio::of(&rows).ratio.is_at_most(&bound) {
            return Ok(Some(rows));
        }
        step = if step == 0.0 { f64::EPSILON } else { 8.0 * step };
    }
    Ok(None)
}

fn rows_at(count: u32, scale: f64) -> Result<Vec<WeightRow>, ParameterError> {
    let step = scale / f64::from(count - 1);
    let by_distance: Vec<f64> = (0..count).map(|distance| (-step * f64::from(distance)).exp()).collect();
    (0..count)
        .map(|input| {
            let relative: Vec<f64> =
                (0..count).map(|output| by_distance[input.abs_diff(output) as usize]).collect();
            WeightRow::from_relative(&relative)
        })
        .collect()
}

impl Build for OrderedExponential {
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError> {
        Self::new(categories_of(&Self::INFO, domain)?, epsilon)
    }
}

impl Mechanism for OrderedExponential {
    type Domain = Categories;
    type Report = Category;
    const INFO: MechanismInfo = MechanismInfo {
        id: "ordered-exponential",
        synonyms: &["exponential", "em"],
        title: "Exponential mechanism on ordered categories",
        domain: "categories",
        goal: "point, frequency",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "below 1e-9 at epsilon from 0.01 to 20; capped at epsilon 40",
        reference: "McSherry, Talwar 2007",
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
        for weight in self.rows.iter().flat_map(WeightRow::weights) {
            builder.number(*weight);
        }
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.categories.count())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<Category, InputError> {
        self.categories.check(input)?;
        Ok(Category(self.tables[*input as usize].draw(rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.categories.count())
    }
}

impl Channel for OrderedExponential {
    fn probability(&self, input: &u32, report: &Category) -> Fraction {
        let row = self.rows.get(*input as usize).map_or(&[][..], WeightRow::weights);
        Fraction::of_weight(row.get(report.0 as usize).copied().unwrap_or(0))
    }

    fn worst_ratio(&self) -> Fraction {
        self.worst.ratio.clone()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        self.worst.rows
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        let count = self.categories.count();
        (count as usize <= limit).then(|| (0..count).map(Category).collect())
    }

    fn pieces(&self, input: Option<&u32>) -> Vec<Piece> {
        let input = input.copied().unwrap_or(0) as usize;
        let row = self.rows.get(input).map_or(&[][..], WeightRow::weights);
        let masses = (0u32..)
            .zip(row)
            .map(|(output, weight)| Piece::one(self.categories.label(output), &Fraction::of_weight(*weight)));
        masses.collect()
    }
}

impl fmt::Debug for OrderedExponential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", Self::INFO.title, self.categories, self.guarantee)
    }
}
