//! A channel on categories that a solver found for losses of its own.

use super::{TableResponse, TableRule};
use privet_core::sampling::{WeightRow, WorstRatio};
use privet_core::{Categories, Epsilon, FingerprintBuilder, MechanismInfo, Numerics, ParameterError};

/// The rule of [`SolvedCategories`]: what each report stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundOnCategories {
    outputs: Vec<u32>,
}

/// A channel on categories that a solver found, for a loss that says how bad each output is for each category.
///
/// # What it protects
/// One category out of k where some mistakes matter more than others: ratings, diagnoses, places on a map.
/// # Formula
/// P(y given x) is between q_y and e^epsilon q_y: the outputs that are best for x have the high end, the others the low one,
/// and at most one lies between. The numbers q_y come from a file.
/// # Domain
/// `binary` or `categories:..`, up to 1024 of them. There are 2 to 1024 reports; each stands for an output of the problem that was
/// solved, which need not be a category.
/// # Guarantee
/// Pure epsilon, tight up to what the solver left: below 1e-6.
/// # Cost
/// ceil(log2 m) bits per report for m reports; one random word and one look-up per draw; up to 40 k m bytes of memory. The
/// channel itself is 8 k m bytes of integers: it is found once, by whoever asks for reports, and travels to the devices.
/// # Numerics
/// Integer-exact: every row is integers with the total 2^64, and a table whose worst ratio is above e^epsilon is refused.
/// # When not to use it
/// Where only frequencies matter: [`super::SubsetSelection`]. The best channel for a loss often makes fewer different
/// reports than there are categories, and then frequencies cannot be told from them.
/// # Reference
/// Own work: a linear programme over all channels, with a dual certificate (crate `privet-limit`).
/// # Example
/// ```
/// use privet_core::sampling::WeightRow;
/// use privet_core::{Categories, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::SolvedCategories;
/// // Three categories, but only two reports; a solver finds better weights.
/// let row = |relative: [f64; 2]| WeightRow::from_relative(&relative);
/// let rows = vec![row([0.7, 0.3])?, row([0.5, 0.5])?, row([0.3, 0.7])?];
/// let mechanism = SolvedCategories::new(Categories::new(3)?, vec![0, 2], rows, Epsilon::new(1.0)?)?;
/// assert_eq!(mechanism.report_bits(), 1);
/// assert_eq!(mechanism.outputs(), [0, 2]);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
pub type SolvedCategories = TableResponse<FoundOnCategories>;

impl SolvedCategories {
    /// Looks at a table with a row for each category. `outputs` are what the reports stand for, in ascending order.
    ///
    /// # Errors
    /// When the table does not keep epsilon, has zero weights, tells nothing, or does not fit the categories or outputs.
    pub fn new(
        categories: Categories,
        outputs: Vec<u32>,
        rows: Vec<WeightRow>,
        epsilon: Epsilon,
    ) -> Result<Self, ParameterError> {
        let wrong = |reason: String| Err(ParameterError::Incompatible { reason });
        if outputs.windows(2).any(|pair| pair[0] >= pair[1]) {
            return wrong("the outputs of a table must be in ascending order".into());
        }
        if rows.iter().any(|row| row.weights().len() != outputs.len()) {
            return wrong(format!(
                "every row of the table needs a weight for each of {} outputs",
                outputs.len()
            ));
        }
        if !WorstRatio::of(&rows).ratio.is_at_most_exp(epsilon) {
            return wrong(format!("the worst ratio of the table is above e^{epsilon}"));
        }
        Self::from_rows(categories, rows, FoundOnCategories { outputs })
    }

    /// What each report stands for.
    pub fn outputs(&self) -> &[u32] {
        &self.rule().outputs
    }
}

impl TableRule for FoundOnCategories {
    const INFO: MechanismInfo = MechanismInfo {
        id: "solved-categories",
        synonyms: &[],
        title: "Solved channel on categories",
        domain: "categories",
        goal: "point",
        guarantee: "pure",
        numerics: Numerics::IntegerExact,
        slack: "that of the table: below 1e-6 as solved",
        reference: "own work",
        status: "stable",
    };

    fn name_of(&self, report: u32, _categories: &Categories) -> String {
        self.outputs.get(report as usize).map_or_else(String::new, |output| format!("output {output}"))
    }

    fn identify(&self, builder: &mut FingerprintBuilder) {
        for output in &self.outputs {
            builder.number(u64::from(*output));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::{Channel, Mechanism};

    fn row(relative: &[f64]) -> WeightRow {
        WeightRow::from_relative(relative).unwrap()
    }

    fn build(outputs: &[u32], rows: &[&[f64]], epsilon: f64) -> Result<SolvedCategories, ParameterError> {
        let rows = rows.iter().map(|relative| row(relative)).collect();
        SolvedCategories::new(Categories::new(2)?, outputs.to_vec(), rows, Epsilon::new(epsilon)?)
    }

    #[test]
    fn tables_that_are_no_private_channel_are_refused() {
        let good: [&[f64]; 2] = [&[0.7, 0.3], &[0.3, 0.7]];
        assert!(build(&[0, 1], &good, 1.0).is_ok());
        assert!(build(&[0, 1], &good, 0.8).is_err(), "the ratio 7/3 needs epsilon .847");
        assert!(build(&[1, 0], &good, 1.0).is_err(), "outputs out of order");
        assert!(build(&[1, 1], &good, 1.0).is_err(), "one output twice");
        assert!(build(&[0, 1, 2], &good, 1.0).is_err(), "more outputs than weights");
        assert!(build(&[0, 1], &good[..1], 1.0).is_err(), "a row is missing");
        assert!(build(&[0, 1], &[&[0.5, 0.5], &[0.5, 0.5]], 1.0).is_err(), "nothing is told");
        assert!(build(&[0, 1, 2], &[&[0.5, 0.5, 0.0], &[0.4, 0.6, 0.0]], 1.0).is_err(), "a zero weight");
        assert!(build(&[0, 1], &[&[0.5, 0.5], &[0.3, 0.3, 0.4]], 1.0).is_err(), "ragged rows");
    }

    #[test]
    fn zero_in_one_row_only_is_refused_at_any_epsilon() {
        assert!(build(&[0, 1, 2], &[&[1.0, 1.0, 1.0], &[1.0, 1.0, 0.0]], 1e300).is_err());
    }

    #[test]
    fn the_fingerprint_knows_what_the_reports_stand_for() {
        let table: [&[f64]; 2] = [&[0.7, 0.3], &[0.3, 0.7]];
        let one = build(&[0, 1], &table, 1.0).unwrap();
        let other = build(&[0, 2], &table, 1.0).unwrap();
        assert_ne!(one.fingerprint(), other.fingerprint());
        assert_eq!(other.pieces(Some(&1))[1].what, "output 2");
    }
}
