//! Arbitrary integer rows.

use crate::error::ParameterError;
use crate::fraction::Fraction;
use rand_core::Rng;

/// Weights that add up to 2^64, one for each outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightRow(Vec<u64>);

impl WeightRow {
    /// Checks that the weights add up to 2^64.
    ///
    /// # Errors
    /// When they do not, or when there are too many.
    pub fn new(weights: Vec<u64>) -> Result<Self, ParameterError> {
        let total: u128 = weights.iter().copied().map(u128::from).sum();
        if total == 1 << 64 && weights.len() <= 1 << 30 {
            Ok(Self(weights))
        } else {
            Err(ParameterError::Incompatible {
                reason: format!(
                    "the weights of a row must add up to 2^64: {} weights add up to {total}",
                    weights.len()
                ),
            })
        }
    }

    /// Rounds relative weights (finite, not negative, not all zero) to integers. No outcome with a positive
    /// weight gets zero; what rounding leaves over goes to the largest weight, where it matters least.
    ///
    /// # Errors
    /// When a weight is not finite or negative, or fewer than two are positive.
    pub fn from_relative(relative: &[f64]) -> Result<Self, ParameterError> {
        let total: f64 = relative.iter().sum();
        let valid = relative.iter().all(|weight| *weight >= 0.0) && total.is_finite() && total > 0.0;
        if !valid {
            return Err(ParameterError::Incompatible {
                reason: "relative weights must be finite, not negative and not all zero".into(),
            });
        }
        // Relative to the largest, so that tiny weights do not overflow the scale.
        let largest_relative = relative.iter().copied().fold(0.0, f64::max);
        let scale = 2f64.powi(64) / (total / largest_relative);
        let mut weights: Vec<u64> = relative
            .iter()
            .map(|weight| if *weight > 0.0 { ((weight / largest_relative * scale) as u64).max(1) } else { 0 })
            .collect();
        let largest = (0..weights.len()).max_by_key(|index| weights[*index]).unwrap_or(0);
        let others: u128 =
            weights.iter().copied().map(u128::from).sum::<u128>() - u128::from(weights[largest]);
        weights[largest] = ((1u128 << 64) - others.min(1 << 64)).min(u128::from(u64::MAX)) as u64;
        Self::new(weights)
    }

    /// The weights.
    pub fn weights(&self) -> &[u64] {
        &self.0
    }
}

/// The largest ratio between two rows' weights of one outcome, and the rows that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorstRatio {
    /// The ratio, exactly.
    pub ratio: Fraction,
    /// The row with the larger weight, and the one with the smaller.
    pub rows: [u32; 2],
}

impl WorstRatio {
    /// Looks at every outcome of a table: its largest against its smallest weight.
    pub fn of(table: &[WeightRow]) -> Self {
        let outcomes = table.first().map_or(0, |row| row.0.len());
        let of_outcome = |outcome: usize| {
            let weight = |row: &u32| table[*row as usize].0.get(outcome).copied().unwrap_or(0);
            let rows = 0..table.len() as u32;
            let largest = rows.clone().max_by_key(weight).unwrap_or(0);
            let smallest = rows.min_by_key(weight).unwrap_or(0);
            ([weight(&largest), weight(&smallest)], [largest, smallest])
        };
        // The larger of two fractions by cross-multiplication in 128 bits.
        let product = |one: u64, two: u64| u128::from(one) * u128::from(two);
        let ([largest, smallest], rows) = (0..outcomes)
            .map(of_outcome)
            .max_by(|(a, _), (b, _)| product(a[0], b[1]).cmp(&product(b[0], a[1])))
            .unwrap_or(([1, 1], [0, 0]));
        Self { ratio: &Fraction::of_weight(largest) / &Fraction::of_weight(smallest), rows }
    }
}

/// Draws from a [`WeightRow`] with one random word and one look-up (Walker's method, in integers).
///
/// The number of columns is a power of two, so that the high bits of the word choose a column without bias
/// and the low bits are compared with the column's threshold.
#[derive(Debug, Clone)]
pub struct AliasTable {
    columns: Vec<Column>,
    /// How many low bits are compared; columns hold 2^low_bits words each.
    low_bits: u32,
}

#[derive(Debug, Clone, Copy)]
struct Column {
    /// Low parts below this give the column's own index.
    threshold: u64,
    alias: u32,
}

impl AliasTable {
    /// Builds the table. Every step moves whole words between columns, so nothing is rounded.
    pub fn new(row: &WeightRow) -> Self {
        // At least two columns, so that a column's capacity fits into 64 bits.
        let column_count = row.0.len().next_power_of_two().max(2);
        let low_bits = 64 - column_count.trailing_zeros();
        let capacity = 1u64 << low_bits;
        let mut left: Vec<u64> = row.0.clone();
        left.resize(column_count, 0);
        let mut columns: Vec<Column> =
            (0u32..).zip(&left).map(|(index, weight)| Column { threshold: *weight, alias: index }).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..column_count).partition(|index| left[*index] < capacity);
        while let (Some(poor), Some(rich)) = (small.pop(), large.last().copied()) {
            columns[poor] = Column { threshold: left[poor], alias: rich as u32 };
            left[rich] -= capacity - left[poor];
            if left[rich] < capacity {
                large.pop();
                small.push(rich);
            }
        }
        for full in large {
            columns[full] = Column { threshold: capacity, alias: full as u32 };
        }
        Self { columns, low_bits }
    }

    /// Draws an outcome.
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> u32 {
        let word = rng.next_u64();
        let index = (word >> self.low_bits) as usize;
        let column = self.columns[index];
        let low = word & ((1 << self.low_bits) - 1);
        if low < column.threshold { index as u32 } else { column.alias }
    }

    /// How many of the 2^64 words lead to each outcome, counted from the table itself.
    pub fn word_counts(&self) -> Vec<u128> {
        let mut counts = vec![0u128; self.columns.len()];
        for (index, column) in self.columns.iter().enumerate() {
            counts[index] += u128::from(column.threshold);
            counts[column.alias as usize] += u128::from((1u64 << self.low_bits) - column.threshold);
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_table_holds_exactly_the_row(relative in prop::collection::vec(0.0f64..1e6, 1..70)) {
            prop_assume!(relative.iter().filter(|weight| **weight > 0.0).count() > 1);
            let row = WeightRow::from_relative(&relative).unwrap();
            let counts = AliasTable::new(&row).word_counts();
            for (index, count) in counts.iter().enumerate() {
                prop_assert_eq!(*count, u128::from(row.weights().get(index).copied().unwrap_or(0)));
            }
        }
    }

    #[test]
    fn positive_weights_never_vanish() {
        let tiny = WeightRow::from_relative(&[1e-310, 1e-310]).unwrap();
        assert_eq!(tiny.weights(), [1 << 63, 1 << 63]);
        let row = WeightRow::from_relative(&[1.0, 1e-300, 0.0]).unwrap();
        assert_eq!(row.weights(), [u64::MAX, 1, 0]);
    }

    #[test]
    fn the_worst_ratio_is_that_of_the_most_telling_outcome() {
        let row = |weights: [u64; 3]| WeightRow::new(weights.to_vec()).unwrap();
        let (quarter, half) = (1 << 62, 1 << 63);
        let table =
            [row([half, quarter, quarter]), row([quarter, half, quarter]), row([quarter, quarter, half])];
        let worst = WorstRatio::of(&table);
        assert_eq!(worst.ratio, Fraction::whole(2));
        assert_ne!(worst.rows[0], worst.rows[1]);
        assert_eq!(WorstRatio::of(&[]).ratio, Fraction::whole(1));
    }

    #[test]
    fn bad_rows_are_refused() {
        assert!(WeightRow::new(vec![1, 2, 3]).is_err());
        for bad in [vec![], vec![0.0], vec![f64::NAN, 1.0], vec![-1.0, 2.0], vec![f64::INFINITY]] {
            assert!(WeightRow::from_relative(&bad).is_err(), "{bad:?}");
        }
    }
}
