//! The oblivious sort of the dissertation: secret-shared tokens are sorted by secret random keys.
//!
//! A bitonic network compares places that do not depend on the data; whether two places change their content is a shared
//! bit that nobody sees. A key is the exclusive or of a contribution of the participant (a part of its token) and one of
//! each helper. Two keys of 63 bits are equal with a probability below n^2 / 2^64; then they keep their places.

use super::replicated::{HOLDERS, Shared};
use super::{Committee, PairingError};
use crate::wire::Link;
use privet_core::CryptoRng;

/// So many comparisons are made at once, so that a message fits into a frame.
const BATCH: usize = 1 << 16;

/// What is sorted: a key and the two halves of a token.
struct Records {
    key: Shared,
    high: Shared,
    low: Shared,
}

/// Two places of which the first shall hold the smaller key.
type Comparator = (usize, usize);

/// Sorts the tokens behind `shares` by random keys. All helpers must call it at the same time.
pub(super) fn sort<L: Link>(
    committee: &mut Committee<L>,
    shares: Vec<u128>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Vec<u128>, PairingError> {
    if committee.helpers() != HOLDERS {
        return Err(PairingError::SortHelperCount { got: committee.helpers() });
    }
    let count = shares.len();
    let mut records = records(committee, &shares, rng)?;
    for stage in bitonic_network(records.key.len()) {
        for comparators in stage.chunks(BATCH) {
            compare_and_swap(committee, &mut records, comparators)?;
        }
    }
    let tokens = records.high.own.iter().zip(&records.low.own);
    Ok(tokens.take(count).map(|(&high, &low)| u128::from(high) << 64 | u128::from(low)).collect())
}

/// Shares of all records, with as many at the end as a power of two needs. Their keys are larger than all others.
fn records<L: Link>(
    committee: &mut Committee<L>,
    shares: &[u128],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Records, PairingError> {
    let high: Vec<u64> = shares.iter().map(|share| (share >> 64) as u64).collect();
    let low = shares.iter().map(|&share| share as u64).collect();
    let key = high.iter().map(|share| (share ^ rng.next_u64()) >> 1).collect();
    let mut records = Records {
        key: Shared::from_sum(committee, key)?,
        high: Shared::from_sum(committee, high)?,
        low: Shared::from_sum(committee, low)?,
    };
    let padding = shares.len().next_power_of_two() - shares.len();
    records.key.extend_with_public(committee, std::iter::repeat_n(u64::MAX, padding));
    records.high.extend_with_public(committee, std::iter::repeat_n(0, padding));
    records.low.extend_with_public(committee, std::iter::repeat_n(0, padding));
    Ok(records)
}

fn compare_and_swap<L: Link>(
    committee: &mut Committee<L>,
    records: &mut Records,
    comparators: &[Comparator],
) -> Result<(), PairingError> {
    let first = comparators.iter().map(|comparator| comparator.0);
    let second = comparators.iter().map(|comparator| comparator.1);
    let is_swapped =
        less_than(committee, &records.key.select(second.clone()), &records.key.select(first.clone()))?;
    let columns = [&mut records.key, &mut records.high, &mut records.low];
    let differences: Vec<Shared> = columns
        .iter()
        .map(|column| column.select(first.clone()).xor(&column.select(second.clone())))
        .collect();
    let differences = Shared::concatenate(&differences.iter().collect::<Vec<_>>());
    let mask = Shared::concatenate(&[&is_swapped; 3]);
    let mut changes = differences.and(&mask, committee)?;
    for column in columns {
        let (change, rest) = changes.split_at(comparators.len());
        for (place, &(first, second)) in comparators.iter().enumerate() {
            for side in [first, second] {
                column.own[side] ^= change.own[place];
                column.next[side] ^= change.next[place];
            }
        }
        changes = rest;
    }
    Ok(())
}

/// For each pair of words whether the first is smaller: all ones or zero.
///
/// Neighbouring groups of bits are joined until one is left: the upper group decides, unless it is equal on both sides.
fn less_than<L: Link>(
    committee: &mut Committee<L>,
    one: &Shared,
    two: &Shared,
) -> Result<Shared, PairingError> {
    let count = one.len();
    let mut is_less = one.not(committee).and(two, committee)?;
    let mut is_equal = one.xor(two).not(committee);
    for width in [1, 2, 4, 8, 16, 32] {
        let upper_equal = is_equal.map(|word| word >> width);
        let upper_less = is_less.map(|word| word >> width);
        let lower = Shared::concatenate(&[&is_less, &is_equal]);
        let joined = Shared::concatenate(&[&upper_equal, &upper_equal]).and(&lower, committee)?;
        let (lower_less, both_equal) = joined.split_at(count);
        is_less = upper_less.xor(&lower_less);
        is_equal = both_equal;
    }
    Ok(is_less.map(|word| (word & 1).wrapping_neg()))
}

/// The comparators of a bitonic network, stage by stage; those of one stage touch different places.
fn bitonic_network(count: usize) -> Vec<Vec<Comparator>> {
    let mut stages = Vec::new();
    let sizes = std::iter::successors(Some(2), |size| Some(size * 2)).take_while(|&size| size <= count);
    for size in sizes {
        let distances = std::iter::successors(Some(size / 2), |distance| Some(distance / 2));
        for distance in distances.take_while(|&distance| distance > 0) {
            let lower_places = (0..count).filter(|place| place & distance == 0);
            let comparator = |place: usize| {
                let is_ascending = place & size == 0;
                if is_ascending { (place, place | distance) } else { (place | distance, place) }
            };
            stages.push(lower_places.map(comparator).collect());
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros and ones suffice: a network that sorts all of them sorts everything.
    #[test]
    fn the_network_sorts_all_zeros_and_ones() {
        for count in [1, 2, 4, 8, 16] {
            let network = bitonic_network(count);
            for bits in 0..1u32 << count {
                let mut items: Vec<u32> = (0..count).map(|place| bits >> place & 1).collect();
                for &(first, second) in network.iter().flatten() {
                    if items[second] < items[first] {
                        items.swap(first, second);
                    }
                }
                assert!(items.is_sorted(), "{count} {bits:b}");
            }
        }
        let stages = bitonic_network(256);
        assert_eq!((stages.len(), stages.iter().map(Vec::len).sum::<usize>()), (36, 36 * 128));
    }
}
