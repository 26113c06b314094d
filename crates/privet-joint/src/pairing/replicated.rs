//! Words that are shared among three helpers so that any two know them, and how to combine them.
//!
//! A word is the exclusive or of three components; helper i holds the components i and i + 1. Exclusive or and shifts are
//! done by everybody alone. A product of bits takes one message: each helper computes its part from what it holds, hides
//! it with a share of zero that comes from common streams, and passes it to the helper before.

use super::{Committee, PairingError};
use crate::wire::{Kind, Link};
use privet_core::Rng;

const PASSED_ON: Kind = Kind(14);

/// How many helpers share a word.
pub(super) const HOLDERS: usize = 3;

/// Many shared words, as one helper holds them.
#[derive(Clone, Default)]
pub(super) struct Shared {
    /// The component with the helper's own number.
    pub(super) own: Vec<u64>,
    /// The component with the number of the helper after it.
    pub(super) next: Vec<u64>,
}

impl Shared {
    /// The same words that were shared by exclusive or among the helpers, one share each.
    pub(super) fn from_sum<L: Link>(
        committee: &mut Committee<L>,
        mut own: Vec<u64>,
    ) -> Result<Self, PairingError> {
        add_zero_share(committee, &mut own)?;
        let next = pass_to_previous(committee, &own)?;
        Ok(Self { own, next })
    }

    /// Appends words that everybody knows.
    pub(super) fn extend_with_public<L: Link>(
        &mut self,
        committee: &Committee<L>,
        words: impl Iterator<Item = u64>,
    ) {
        let (in_own, in_next) = first_component(committee);
        for word in words {
            self.own.push(word & in_own);
            self.next.push(word & in_next);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.own.len()
    }

    /// Some of the words, chosen by a public rule.
    pub(super) fn select(&self, places: impl Iterator<Item = usize> + Clone) -> Self {
        Self {
            own: places.clone().map(|place| self.own[place]).collect(),
            next: places.map(|place| self.next[place]).collect(),
        }
    }

    /// Any function of single words that respects exclusive or.
    pub(super) fn map(&self, linear: impl Fn(u64) -> u64) -> Self {
        Self {
            own: self.own.iter().map(|&word| linear(word)).collect(),
            next: self.next.iter().map(|&word| linear(word)).collect(),
        }
    }

    pub(super) fn xor(&self, other: &Self) -> Self {
        let sum = |one: &[u64], two: &[u64]| one.iter().zip(two).map(|(one, two)| one ^ two).collect();
        Self { own: sum(&self.own, &other.own), next: sum(&self.next, &other.next) }
    }

    /// Every bit the other way round.
    pub(super) fn not<L: Link>(&self, committee: &Committee<L>) -> Self {
        let (in_own, in_next) = first_component(committee);
        Self {
            own: self.own.iter().map(|word| word ^ in_own).collect(),
            next: self.next.iter().map(|word| word ^ in_next).collect(),
        }
    }

    /// The words of several vectors, one after the other.
    pub(super) fn concatenate(parts: &[&Self]) -> Self {
        Self {
            own: parts.iter().flat_map(|part| &part.own).copied().collect(),
            next: parts.iter().flat_map(|part| &part.next).copied().collect(),
        }
    }

    /// The first words as one vector, the rest as another.
    pub(super) fn split_at(mut self, count: usize) -> (Self, Self) {
        let rest = Self { own: self.own.split_off(count), next: self.next.split_off(count) };
        (self, rest)
    }

    /// Bit by bit the product of two vectors. All helpers must call it at the same time.
    pub(super) fn and<L: Link>(
        &self,
        other: &Self,
        committee: &mut Committee<L>,
    ) -> Result<Self, PairingError> {
        let mine = self.own.iter().zip(&self.next);
        let theirs = other.own.iter().zip(&other.next);
        let mut own: Vec<u64> = mine
            .zip(theirs)
            .map(|((a_own, a_next), (b_own, b_next))| a_own & (b_own ^ b_next) ^ a_next & b_own)
            .collect();
        add_zero_share(committee, &mut own)?;
        let next = pass_to_previous(committee, &own)?;
        Ok(Self { own, next })
    }
}

/// Which of this helper's two components is the first of all: a mask for each, all ones or zero.
fn first_component<L: Link>(committee: &Committee<L>) -> (u64, u64) {
    match committee.index() {
        0 => (u64::MAX, 0),
        index if index + 1 == HOLDERS => (0, u64::MAX),
        _ => (0, 0),
    }
}

/// Adds words whose sum over all helpers is zero and which no single helper can tell from random ones.
fn add_zero_share<L: Link>(committee: &mut Committee<L>, words: &mut [u64]) -> Result<(), PairingError> {
    for helper in committee.others() {
        let stream = committee.stream(helper)?;
        words.iter_mut().for_each(|word| *word ^= stream.next_u64());
    }
    Ok(())
}

/// Sends words to the helper before and returns those of the helper after. The first helper begins and the others wait
/// for their turn, so that no full buffer stops all three.
fn pass_to_previous<L: Link>(committee: &mut Committee<L>, words: &[u64]) -> Result<Vec<u64>, PairingError> {
    let index = committee.index();
    let (previous, next) = ((index + HOLDERS - 1) % HOLDERS, (index + 1) % HOLDERS);
    let body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    if index == 0 {
        committee.send(previous, PASSED_ON, &body)?;
    }
    let received = committee.receive_exact(next, PASSED_ON, body.len())?;
    if index != 0 {
        committee.send(previous, PASSED_ON, &body)?;
    }
    Ok(received.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect())
}
