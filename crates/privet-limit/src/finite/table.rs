//! From the smallest probability of each output to an integer table that keeps epsilon.
//!
//! Let q\[y\] be the smallest probability of output y over all inputs. Every row of a private channel lies between q and
//! e^epsilon q, and whatever the other rows are, the best one for an input raises the outputs with the smallest losses to the
//! high end, one after the other, until the row adds up to one. So the whole channel follows from q, and in integers
//! nothing has to be repaired: high ends are rounded down.

use super::LossMatrix;
use privet_core::sampling::WeightRow;
use privet_core::{Categories, Epsilon, ExpLowerBound, ParameterError};
use privet_mechanisms::categorical::SolvedCategories;

/// Outputs that are never likelier than this are not made: the solver cannot tell such floors from zero. Which of these
/// is right depends on how well it converged, so all are tried.
const RARE: [f64; 4] = [1e-9, 1e-7, 1e-5, 1e-3];

/// What rows need besides the floors, and room for the rounding of floors, as a share of all weights.
const ROOM: f64 = 1e-12;

/// Channels with about these floors, one for each idea of what is rare.
pub(super) fn candidates<'a>(
    categories: &'a Categories,
    losses: &'a LossMatrix,
    epsilon: Epsilon,
    floor: &'a [f64],
) -> impl Iterator<Item = Result<SolvedCategories, ParameterError>> + 'a {
    let exp = epsilon.get().exp();
    RARE.into_iter().map(move |rare| {
        let kept: Vec<usize> = (0..floor.len()).filter(|output| floor[*output] * exp > rare).collect();
        let total: f64 = kept.iter().map(|output| floor[*output]).sum();
        let scale = total.clamp((1.0 + ROOM) / exp, 1.0 - ROOM) / total * 2f64.powi(64);
        let ranges = Ranges::of(kept.iter().map(|output| floor[*output] * scale), epsilon);
        let rows =
            losses.rows().map(|row| ranges.row(&kept.iter().map(|output| row[*output]).collect::<Vec<_>>()));
        let outputs = kept.iter().map(|output| *output as u32).collect();
        SolvedCategories::new(categories.clone(), outputs, rows.collect::<Result<_, _>>()?, epsilon)
    })
}

/// Between which weights each output may lie.
struct Ranges {
    low: Vec<u64>,
    high: Vec<u64>,
}

impl Ranges {
    fn of(floors: impl Iterator<Item = f64>, epsilon: Epsilon) -> Self {
        let bound = ExpLowerBound::of(epsilon);
        let low: Vec<u64> = floors.map(|floor| (floor as u64).max(1)).collect();
        let high = low.iter().map(|low| bound.largest_weight(*low)).collect();
        Self { low, high }
    }

    /// The row with the smallest expected loss.
    fn row(&self, losses: &[f64]) -> Result<WeightRow, ParameterError> {
        let mut order: Vec<usize> = (0..losses.len()).collect();
        order.sort_by(|one, other| losses[*one].total_cmp(&losses[*other]));
        let used: u128 = self.low.iter().copied().map(u128::from).sum();
        let mut left = (1u128 << 64).saturating_sub(used);
        let mut weights = self.low.clone();
        for output in order {
            let more = u128::from(self.high[output] - self.low[output]).min(left) as u64;
            weights[output] += more;
            left -= u128::from(more);
        }
        // Where the ranges do not allow the total, the row refuses itself.
        WeightRow::new(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Mechanism;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the floors are, the table keeps epsilon, or there is none.
        #[test]
        fn tables_keep_epsilon(
            floor in prop::collection::vec(prop_oneof![0.0f64..1.0, 0.0f64..1e-8, Just(0.0)], 6),
            value in prop_oneof![1e-6f64..20.0, 20.0f64..1000.0],
        ) {
            let categories = Categories::new(6).unwrap();
            let losses = LossMatrix::ordered(privet_mechanisms::analysis::Loss::Absolute, &categories).unwrap();
            let epsilon = Epsilon::new(value).unwrap();
            for table in candidates(&categories, &losses, epsilon, &floor).flatten() {
                prop_assert!(table.guarantee().epsilon() <= epsilon);
            }
        }
    }

    #[test]
    fn sound_floors_make_a_table_at_every_epsilon() {
        let categories = Categories::new(4).unwrap();
        let losses = LossMatrix::ordered(privet_mechanisms::analysis::Loss::Squared, &categories).unwrap();
        for value in [1e-6, 0.1, 1.0, 10.0, 30.0, 44.0, 100.0, 1e6] {
            // Randomised response, at whose floors every row uses its whole range.
            let floor = [1.0 / (f64::exp(value) + 3.0); 4];
            let floor = if floor[0] == 0.0 { [f64::MIN_POSITIVE; 4] } else { floor };
            let made =
                candidates(&categories, &losses, Epsilon::new(value).unwrap(), &floor).flatten().count();
            assert!(made > 0, "{value}");
        }
    }
}
