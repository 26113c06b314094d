//! Any channel from categories to finitely many reports: a table of integer weights, a row for each category. The named
//! mechanisms differ in where the table comes from and in what the reports stand for.

use super::pure_guarantee;
use privet_core::sampling::{AliasTable, WeightRow, WorstRatio};
use privet_core::{
    Categories, Category, Channel, CryptoRng, Domain, Fingerprint, FingerprintBuilder, Fraction, Guarantee,
    InputError, Mechanism, MechanismInfo, ParameterError, Piece, ReportError,
};
use std::fmt;

/// What distinguishes one table from another.
pub trait TableRule: fmt::Debug + Clone + Send + Sync + 'static {
    /// The page's facts.
    const INFO: MechanismInfo;

    /// What people call a report.
    fn name_of(&self, report: u32, categories: &Categories) -> String;

    /// Adds what the table alone does not say to the fingerprint.
    fn identify(&self, _builder: &mut FingerprintBuilder) {}
}

/// A table of weights; see the named mechanisms.
#[derive(Clone)]
pub struct TableResponse<K> {
    categories: Categories,
    rows: Vec<WeightRow>,
    samplers: Vec<AliasTable>,
    worst: WorstRatio,
    guarantee: Guarantee,
    rule: K,
}

impl<K: TableRule> TableResponse<K> {
    /// The largest number of categories, and of reports.
    pub const MAX_CATEGORIES: u32 = 1024;

    /// Looks at a table.
    ///
    /// # Errors
    /// When it has not a row for each category and at least two reports, or one weight is zero, or all rows are the same.
    pub(super) fn from_rows(
        categories: Categories,
        rows: Vec<WeightRow>,
        rule: K,
    ) -> Result<Self, ParameterError> {
        super::at_most(&categories, Self::MAX_CATEGORIES)?;
        let wrong = |reason: String| Err(ParameterError::Incompatible { reason });
        let (count, reports) = (categories.count(), rows.first().map_or(0, |row| row.weights().len()));
        if rows.len() != count as usize {
            return wrong(format!("a table needs a row for each of {count} categories: got {}", rows.len()));
        }
        if !(2..=Self::MAX_CATEGORIES as usize).contains(&reports) {
            return wrong(format!("a table needs 2 to {} reports: got {reports}", Self::MAX_CATEGORIES));
        }
        if rows.iter().any(|row| row.weights().len() != reports) {
            return wrong("the rows of a table must have the same number of reports".into());
        }
        if rows.iter().flat_map(WeightRow::weights).any(|weight| *weight == 0) {
            return wrong("a weight of a table must be above zero".into());
        }
        let worst = WorstRatio::of(&rows);
        if worst.ratio <= Fraction::whole(1) {
            return wrong("all rows of the table are the same, so reports would tell nothing".into());
        }
        let samplers = rows.iter().map(AliasTable::new).collect();
        Ok(Self { guarantee: pure_guarantee(&worst.ratio)?, categories, rows, samplers, worst, rule })
    }

    /// The integer weights: a row for each input.
    pub fn rows(&self) -> &[WeightRow] {
        &self.rows
    }

    /// How many reports there are.
    pub fn report_count(&self) -> u32 {
        self.rows[0].weights().len() as u32
    }

    pub(super) fn rule(&self) -> &K {
        &self.rule
    }

    fn row(&self, input: u32) -> &[u64] {
        self.rows.get(input as usize).map_or(&[][..], WeightRow::weights)
    }
}

impl<K: TableRule> Mechanism for TableResponse<K> {
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
        self.rule.identify(&mut builder);
        for weight in self.rows.iter().flat_map(WeightRow::weights) {
            builder.number(*weight);
        }
        builder.finish()
    }

    fn report_bits(&self) -> u32 {
        Category::bits(self.report_count())
    }

    #[inline]
    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<Category, InputError> {
        self.categories.check(input)?;
        Ok(Category(self.samplers[*input as usize].draw(rng)))
    }

    fn encode(&self, report: &Category, slot: &mut [u8]) {
        report.write(slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<Category, ReportError> {
        self.check_length(slot)?;
        Category::read(slot, self.report_count())
    }
}

impl<K: TableRule> Channel for TableResponse<K> {
    fn probability(&self, input: &u32, report: &Category) -> Fraction {
        Fraction::of_weight(self.row(*input).get(report.0 as usize).copied().unwrap_or(0))
    }

    fn worst_ratio(&self) -> Fraction {
        self.worst.ratio.clone()
    }

    fn worst_inputs(&self) -> [u32; 2] {
        self.worst.rows
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<Category>> {
        let count = self.report_count();
        (count as usize <= limit).then(|| (0..count).map(Category).collect())
    }

    fn pieces(&self, input: Option<&u32>) -> Vec<Piece> {
        let piece = |(report, weight): (u32, &u64)| {
            Piece::one(self.rule.name_of(report, &self.categories), &Fraction::of_weight(*weight))
        };
        (0u32..).zip(self.row(input.copied().unwrap_or(0))).map(piece).collect()
    }
}

impl<K: TableRule> fmt::Debug for TableResponse<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({}, {})", K::INFO.title, self.categories, self.guarantee)
    }
}
