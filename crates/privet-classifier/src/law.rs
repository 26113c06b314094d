//! What a report of one number between 0 and 1 is: the law from which everything else is derived.

use privet_core::sampling::{bernoulli, uniform_below};
use privet_core::{
    BuildOptions, CryptoRng, DomainSpec, Epsilon, Guarantee, InputError, Interval, ParameterError,
    ReportError,
};
use privet_estimators::registry::{AnyEstimator, ROWS};
use privet_limit::SolvedChannel;
use privet_mechanisms::analysis::{AnyNumeric, Space};
use privet_mechanisms::lattice::Run;
use privet_mechanisms::registry::Row as MechanismRow;
use std::fmt;
use std::num::NonZeroU64;

/// A mechanism on the numbers from 0 to 1, with all its parameters.
#[derive(Debug)]
pub struct ReportChannel {
    source: Source,
    id: &'static str,
    epsilon: f64,
    guarantee: Guarantee,
}

#[derive(Debug)]
enum Source {
    /// Estimators are what the registry builds by name; each keeps its channel.
    Named(Box<dyn AnyEstimator>),
    Own(Box<dyn AnyNumeric>),
}

fn not_on_numbers(name: &str) -> ParameterError {
    ParameterError::Incompatible { reason: format!("{name} is no mechanism on numbers from 0 to 1") }
}

impl ReportChannel {
    /// The mechanism of this id or synonym, at an epsilon.
    ///
    /// # Errors
    /// When there is none, it is not about numbers in an interval, or the parameters do not fit.
    pub fn named(name: &str, epsilon: Epsilon, options: &BuildOptions) -> Result<Self, ParameterError> {
        let is_named = |row: &&MechanismRow| row.info.id == name || row.info.synonyms.contains(&name);
        let solved = privet_limit::registry::MECHANISMS.iter().find(is_named);
        let id = match solved {
            Some(row) => row.info.id,
            None => privet_mechanisms::registry::find(name)?.info.id,
        };
        let mut rows = ROWS.iter().chain(privet_limit::registry::ESTIMATORS);
        let row = rows.find(|row| row.id == id).ok_or_else(|| not_on_numbers(name))?;
        let domain = DomainSpec::Interval(Interval::new(0.0, 1.0)?);
        let estimator = row.build_with(&domain, epsilon, options)?;
        let guarantee = estimator.numeric().ok_or_else(|| not_on_numbers(name))?.guarantee();
        Ok(Self { source: Source::Named(estimator), id, epsilon: epsilon.get(), guarantee })
    }

    /// A channel that a solver found.
    ///
    /// # Errors
    /// When it is not about numbers from 0 to 1.
    pub fn solved(channel: &SolvedChannel) -> Result<Self, ParameterError> {
        let numeric = channel.numeric()?.ok_or_else(|| not_on_numbers(channel.id()))?;
        Self::of(numeric)
    }

    /// Any channel on the numbers from 0 to 1.
    ///
    /// # Errors
    /// When it is about other numbers.
    pub fn of(channel: Box<dyn AnyNumeric>) -> Result<Self, ParameterError> {
        if channel.space() != (Space::Line { low: 0.0, high: 1.0 }) {
            return Err(not_on_numbers(channel.info().id));
        }
        let (id, guarantee) = (channel.info().id, channel.guarantee());
        Ok(Self { source: Source::Own(channel), id, epsilon: guarantee.epsilon().get(), guarantee })
    }

    fn numeric(&self) -> Option<&dyn AnyNumeric> {
        match &self.source {
            Source::Named(estimator) => estimator.numeric(),
            Source::Own(channel) => Some(channel.as_ref()),
        }
    }

    /// What one report promises.
    pub fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    /// The epsilon that was asked for, or that the channel has.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The mechanism's id.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The number that an encoded report stands for.
    ///
    /// # Errors
    /// When the mechanism cannot have written it.
    pub fn read(&self, report: &[u8]) -> Result<f64, ReportError> {
        let channel = self.numeric().ok_or(ReportError::Length { expected: 0, got: report.len() })?;
        Ok(channel.output_value(channel.decode(report)?.0))
    }

    /// The law of the report of one number.
    ///
    /// # Errors
    /// When the number lies outside [0, 1].
    pub fn law(&self, input: f64) -> Result<ReportLaw<'_>, InputError> {
        let outside = || InputError::OutsideDomain { domain: "interval:0,1".to_owned() };
        let channel = self.numeric().ok_or_else(outside)?;
        channel.check(input)?;
        let placement = channel.place(input);
        let total = channel.row_total();
        let mut rows = vec![Row::of(channel.runs(placement.node))];
        if placement.up > 0 {
            rows.push(Row::of(channel.runs(channel.next_node(placement.node))));
        }
        Ok(ReportLaw { channel, up: placement.up, total, rows })
    }
}

/// A row of the channel with the sums of its weights.
struct Row {
    runs: Vec<Run>,
    /// The weights of all cells before each run. All weights together are at most 2^64.
    before: Vec<u64>,
}

impl Row {
    fn of(runs: Vec<Run>) -> Self {
        let mut sum = 0u64;
        let before = runs
            .iter()
            .map(|run| {
                let start = sum;
                sum = sum.wrapping_add(run.weight.wrapping_mul(u64::from(run.count)));
                start
            })
            .collect();
        Self { runs, before }
    }

    /// The weights of the first `cells` cells.
    fn weight_before(&self, cells: u32) -> u128 {
        let index = self.runs.partition_point(|run| run.first < cells);
        let Some(last) = index.checked_sub(1) else { return 0 };
        let run = self.runs[last];
        u128::from(self.before[last])
            + u128::from(run.weight) * u128::from((cells - run.first).min(run.count))
    }

    /// The cell in which a word falls.
    fn cell_of(&self, word: u64) -> u32 {
        let last = self.before.partition_point(|before| *before <= word).saturating_sub(1);
        let run = self.runs[last];
        let inside = (word - self.before[last]).checked_div(run.weight).unwrap_or(0);
        run.first + inside.min(u64::from(run.count - 1)) as u32
    }
}

/// The exact probabilities of all reports of one private number. A report is a number, and neighbouring cells stand for
/// numbers that do not fall.
pub struct ReportLaw<'a> {
    channel: &'a dyn AnyNumeric,
    /// How many of 2^64 words lead to the second row.
    up: u64,
    total: u128,
    rows: Vec<Row>,
}

impl fmt::Debug for ReportLaw<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReportLaw(of a private number)")
    }
}

impl ReportLaw<'_> {
    /// How many different reports there are.
    pub fn cells(&self) -> u32 {
        self.channel.output_cells()
    }

    /// The number that a report stands for; that of the last one for cells beyond.
    pub fn value(&self, cell: u32) -> f64 {
        self.channel.output_value(cell.min(self.cells().saturating_sub(1)))
    }

    /// The smallest and the largest report.
    pub fn ends(&self) -> [f64; 2] {
        [self.value(0), self.value(self.cells().saturating_sub(1))]
    }

    /// How many cells stand for at most this number.
    pub fn cells_at_most(&self, value: f64) -> u32 {
        self.count_while(|report| report <= value)
    }

    /// How many cells stand for less than this number.
    pub fn cells_below(&self, value: f64) -> u32 {
        self.count_while(|report| report < value)
    }

    fn count_while(&self, holds: impl Fn(f64) -> bool) -> u32 {
        let (mut low, mut high) = (0, self.cells());
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(self.value(middle)) { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// The probability of a report among the first `cells` cells.
    pub fn mass_before(&self, cells: u32) -> f64 {
        let up = self.up as f64 / 2f64.powi(64);
        let shares = [1.0 - up, up];
        let parts = self.rows.iter().zip(shares);
        parts.map(|(row, share)| share * row.weight_before(cells) as f64).sum::<f64>() / self.total as f64
    }

    /// The probability of one report; none for cells beyond the last.
    pub fn mass_of(&self, cell: u32) -> f64 {
        if cell >= self.cells() {
            return 0.0;
        }
        let up = self.up as f64 / 2f64.powi(64);
        let weight = |row: &Row| row.weight_before(cell + 1) - row.weight_before(cell);
        let parts = self.rows.iter().zip([1.0 - up, up]);
        parts.map(|(row, share)| share * weight(row) as f64).sum::<f64>() / self.total as f64
    }

    /// The probability of a report of at most this number.
    pub fn cdf(&self, value: f64) -> f64 {
        self.mass_before(self.cells_at_most(value))
    }

    /// The probability of a report from the first to the second number, both included.
    pub fn mass(&self, [from, to]: [f64; 2]) -> f64 {
        if from > to {
            return 0.0;
        }
        self.mass_before(self.cells_at_most(to)) - self.mass_before(self.cells_below(from))
    }

    /// Draws a report, with the integers of the channel.
    pub fn draw<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.value(self.draw_cell(rng))
    }

    pub(crate) fn draw_cell<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> u32 {
        let row = if self.up > 0 && bernoulli(self.up, rng) { self.rows.last() } else { self.rows.first() };
        let word = match u64::try_from(self.total).ok().and_then(NonZeroU64::new) {
            Some(total) => uniform_below(total, rng),
            // All of 2^64 words.
            None => rng.next_u64(),
        };
        row.map_or(0, |row| row.cell_of(word))
    }

    /// Whether another law has the same reports, so that their probabilities can be compared.
    pub(crate) fn has_the_reports_of(&self, other: &ReportLaw<'_>) -> bool {
        let cells = self.cells();
        cells == other.cells() && (0..cells).all(|cell| self.value(cell) == other.value(cell))
    }

    /// How many times as likely a report is at most as under another law with the same reports.
    pub(crate) fn largest_ratio(&self, other: &ReportLaw<'_>) -> f64 {
        // Both are constant between two starts of runs.
        let starts = self.rows.iter().chain(&other.rows).flat_map(|row| row.runs.iter().map(|run| run.first));
        let ratio = |cell: u32| match self.mass_of(cell) {
            0.0 => 0.0,
            mass => mass / other.mass_of(cell),
        };
        // Rounding must not make the bound too small.
        starts.map(ratio).fold(0.0, f64::max) * (1.0 + 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;
    use privet_estimators::statistics::chi_square_upper_tail;

    fn channel(name: &str) -> ReportChannel {
        ReportChannel::named(name, Epsilon::new(2.0).unwrap(), &BuildOptions::default()).unwrap()
    }

    #[test]
    fn the_masses_of_all_cells_are_those_between_their_ends() {
        for name in ["optimal-piecewise", "laplace-truncated", "duchi", "grid-exponential"] {
            let channel = channel(name);
            let law = channel.law(0.3217).unwrap();
            let total: f64 = (0..law.cells()).map(|cell| law.mass_of(cell)).sum();
            assert!(
                (total - 1.0).abs() < 1e-9 && (law.mass_before(law.cells()) - 1.0).abs() < 1e-12,
                "{name}"
            );
            assert_eq!(
                (law.mass_of(u32::MAX), law.mass_before(u32::MAX)),
                (0.0, law.mass_before(law.cells()))
            );
            let [low, high] = law.ends();
            assert_eq!((law.cdf(low.next_down()), law.mass([0.6, 0.4])), (0.0, 0.0));
            assert!((law.mass([low, high]) - 1.0).abs() < 1e-12);
            // The analysis of the mechanisms counts in another way.
            let analysis = privet_mechanisms::analysis::Analysis::new(channel.numeric().unwrap());
            let other = analysis.law(0.3217).unwrap();
            for value in [0.0, 0.1, 0.3217, 0.5, 0.955, 1.0] {
                assert!((law.cdf(value) - other.cdf(value)).abs() < 1e-9, "{name} {value}");
            }
        }
    }

    /// Draws against masses in twenty ranges, alpha 1e-6; the law of another number must not pass.
    #[test]
    fn draws_follow_the_masses() {
        for name in ["optimal-piecewise", "laplace-truncated", "duchi"] {
            let channel = channel(name);
            let law = channel.law(0.3217).unwrap();
            let mut rng = Generator::from_insecure_seed(11);
            let draws: Vec<f64> = (0..20_000).map(|_| law.draw(&mut rng)).collect();
            let p_value = |law: &ReportLaw<'_>| {
                let (mut statistic, mut ranges) = (0.0, 0);
                let [low, high] = law.ends();
                for index in 0..20 {
                    let end = |index: i32| low + (high - low) * f64::from(index) / 19.5 - 1e-9;
                    let inside = [end(index), end(index + 1)];
                    let expected = 20_000.0 * law.mass(inside);
                    let seen = draws.iter().filter(|draw| inside[0] <= **draw && **draw <= inside[1]).count();
                    if expected > 5.0 {
                        statistic += (seen as f64 - expected).powi(2) / expected;
                        ranges += 1;
                    }
                }
                chi_square_upper_tail(statistic, ranges)
            };
            assert!(p_value(&law) > 1e-6, "{name}");
            assert!(p_value(&channel.law(0.42).unwrap()) < 1e-6, "{name}");
        }
    }

    #[test]
    fn ratios_are_those_of_the_guarantee() {
        let channel = channel("optimal-piecewise");
        let ratio = channel.law(0.0).unwrap().largest_ratio(&channel.law(1.0).unwrap());
        assert!((ratio.ln() - 2.0).abs() < 1e-6);
        assert!(channel.law(0.0).unwrap().has_the_reports_of(&channel.law(1.0).unwrap()));
        let other =
            ReportChannel::named("duchi", Epsilon::new(2.0).unwrap(), &BuildOptions::default()).unwrap();
        assert!(!channel.law(0.0).unwrap().has_the_reports_of(&other.law(0.0).unwrap()));
    }
}
