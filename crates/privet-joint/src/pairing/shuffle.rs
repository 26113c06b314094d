//! A shuffle of secret-shared tokens in linear time.
//!
//! The tokens are the exclusive or of the helpers' shares. There is one round for each set of helpers that may collude,
//! and in it this set is *absent*: its members hand their shares over to the others, who toss coins for one permutation,
//! apply it to their shares, and give the absent ones fresh shares back. Somebody who was absent in one round does not
//! know its permutation, and with it not the final order, whatever it knows of the other rounds.

use super::commitment::toss_coins;
use super::committee::next_u128;
use super::{Committee, PairingError, bytes_of, words_of};
use crate::wire::{Kind, Link};
use privet_core::sampling::uniform_below;
use privet_core::{CryptoRng, Generator};
use std::num::NonZeroU64;

const HANDED_OVER: Kind = Kind(13);

/// How many helpers may put together what they know: fewer than half of them.
///
/// More would be all the helpers that are present in some round, and these hold all shares then.
pub const fn tolerated_collusion(helpers: usize) -> usize {
    helpers.saturating_sub(1) / 2
}

/// Shuffles the tokens behind `shares`. All helpers must call it at the same time.
pub(super) fn shuffle<L: Link>(
    committee: &mut Committee<L>,
    mut shares: Vec<u128>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Vec<u128>, PairingError> {
    let helpers = committee.helpers();
    for (round, absent) in subsets(helpers, tolerated_collusion(helpers)).iter().enumerate() {
        let present: Vec<usize> = (0..helpers).filter(|helper| !absent.contains(helper)).collect();
        for &leaving in absent {
            hand_over(committee, leaving, &present, &mut shares)?;
        }
        if present.contains(&committee.index()) {
            let seed = toss_coins(committee, &present, round as u32, rng)?;
            permute(&mut shares, &mut Generator::from_entropy(seed));
        }
        for &returning in absent {
            // The fresh share of the one that returns is the sum of what those present take off theirs.
            mask_between(committee, returning, &present, &mut shares)?;
        }
    }
    Ok(shares)
}

/// Splits the share of `leaving` among those present: the first of them gets what the common streams with the others
/// leave over.
fn hand_over<L: Link>(
    committee: &mut Committee<L>,
    leaving: usize,
    present: &[usize],
    shares: &mut [u128],
) -> Result<(), PairingError> {
    let Some((&receiver, others)) = present.split_first() else { return Ok(()) };
    mask_between(committee, leaving, others, shares)?;
    if committee.index() == leaving {
        committee.send(receiver, HANDED_OVER, &bytes_of(shares))?;
        shares.fill(0);
    } else if committee.index() == receiver {
        let rest = committee.receive_exact(leaving, HANDED_OVER, size_of_val(shares))?;
        shares.iter_mut().zip(words_of(&rest)).for_each(|(share, word)| *share ^= word);
    }
    Ok(())
}

/// The helper `one` and each of `others` add the words of their common stream, which cancel in the sum.
fn mask_between<L: Link>(
    committee: &mut Committee<L>,
    one: usize,
    others: &[usize],
    shares: &mut [u128],
) -> Result<(), PairingError> {
    let index = committee.index();
    let partners: Vec<usize> = if index == one {
        others.to_vec()
    } else if others.contains(&index) {
        vec![one]
    } else {
        Vec::new()
    };
    for partner in partners {
        let stream = committee.stream(partner)?;
        shares.iter_mut().for_each(|share| *share ^= next_u128(stream));
    }
    Ok(())
}

/// A uniform permutation.
pub(super) fn permute<T>(items: &mut [T], rng: &mut Generator) {
    for last in (1..items.len()).rev() {
        let choices = NonZeroU64::MIN.saturating_add(last as u64);
        items.swap(last, uniform_below(choices, rng) as usize);
    }
}

/// All sets of so many of the numbers below `count`, each in order.
fn subsets(count: usize, size: usize) -> Vec<Vec<usize>> {
    let is_wanted = |bits: &u32| bits.count_ones() as usize == size;
    let members = |bits: u32| (0..count).filter(|member| bits >> member & 1 == 1).collect();
    (0..1u32 << count).filter(is_wanted).map(members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tolerated_collusion_is_absent_once() {
        assert_eq!(subsets(3, tolerated_collusion(3)), [[0], [1], [2]]);
        assert_eq!(tolerated_collusion(4), 1);
        assert_eq!(tolerated_collusion(5), 2);
        let rounds = subsets(5, 2);
        assert_eq!(rounds.len(), 10);
        assert!(rounds.iter().all(|set| set.len() == 2 && set[0] < set[1]));
    }
}
