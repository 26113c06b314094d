//! Secret pairing: helpers shuffle the participants' tokens without seeing who owns which, and each participant learns
//! a mailbox that it shares with its unknown partner.
//!
//! # How
//! A participant draws a secret; its *token* is a hash of it. It sends every helper one share of the token; all shares
//! together are the token, fewer are random. The helpers shuffle the shared tokens and open them in the new order. Only
//! the owner recognises a token. Places 0 and 1 of the list are a pair, 2 and 3 the next, and so on; with an odd number
//! of participants the last one stays alone. To the relay a participant proves that it owns a place with the secret.
//!
//! Two methods lead to the list: [`Method::Shuffle`], a shuffle in linear time, and [`Method::Sort`], the oblivious
//! bitonic sort of the dissertation (4.4.1).
//!
//! # What is promised
//! Helpers are *honest but curious*: they follow the protocol and may look at all that they receive.
//!
//! - **Who learns nothing.** With `h` helpers, any coalition of at most `(h - 1) / 2` of them (one of three or four, two
//!   of five) learns nothing about the order beyond the places of participants who collude with it. For the sort, with
//!   its three helpers, this is one.
//! - **Who learns everything.** One more is enough: every permutation of the shuffle, or the shared values of the sort,
//!   are known to `(h - 1) / 2 + 1` helpers together, so *two of three* helpers know the whole pairing.
//! - **The relay** sees which connections share a mailbox, that is, the pairing. It is run by a helper and must not
//!   collude with the collector.
//!
//! # What is noticed
//! - No helper can choose a permutation of the shuffle: coins are tossed by commitment and opening. A coalition of the
//!   size above cannot bias the order even if it deviates: one round is made without it.
//! - No helper can choose the opened list after it has seen it: all commit to their shares first. It can only stop.
//! - A share that was changed, or permuted differently, makes tokens wrong. Their owners miss them in the list
//!   ([`PairingError::TokenMissing`]); such a pairing must not be used, and a new one needs new tokens. A helper that shows
//!   different lists to different people is noticed too, because everybody compares the fingerprints of all helpers.
//!
//! Not noticed:
//! - a helper that stops a run whose outcome it does not like, for example because participants who collude with it have
//!   become a pair;
//! - a helper that denies having somebody's share, and so leaves honest people out until colluders are many among the
//!   rest (the other helpers see how many were left out: [`PairingReport::incomplete`]);
//! - in the sort, a helper that flips comparisons, which biases the order without changing a token;
//! - helpers that invent participants, and participants who come more than once;
//! - whoever replaces the keys of a connection: connections are encrypted, but helpers have no certificates;
//! - more helpers that collude than stated above.
//!
//! Nothing here was audited.

mod clerks;
mod commitment;
mod committee;
mod desk;
mod error;
mod helper;
mod open;
mod participant;
mod replicated;
mod request;
mod shuffle;
mod sort;
mod token;

pub(crate) use clerks::serve_connections;
pub use committee::Committee;
pub use error::PairingError;
pub use helper::{HelperTask, PairingReport, RELAY, serve};
pub use participant::{Meeting, Submission};
pub(crate) use request::{REPLY, Reply, Request, ask, seal};
pub use shuffle::tolerated_collusion;
pub use token::{Assignment, Mailbox};

use crate::wire::Link;
use privet_core::CryptoRng;

/// More helpers than this would need hundreds of rounds.
pub const MAX_HELPERS: usize = 7;

/// So many people can be paired at once: their tokens fit into one frame.
pub const MAX_PARTICIPANTS: usize = 1 << 19;

/// How the helpers bring the tokens into a random order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A secret-shared shuffle in linear time, for three or more helpers.
    Shuffle,
    /// An oblivious sort by random keys, for three helpers.
    Sort,
}

/// One helper's part of a pairing: from its shares of all tokens to the tokens in a new, random order.
///
/// All helpers must call it at the same time with the participants in the same order.
///
/// # Errors
/// When there are too few participants, another helper fails or deviates, or a token occurs twice.
pub fn pair<L: Link>(
    method: Method,
    committee: &mut Committee<L>,
    shares: Vec<u128>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Vec<u128>, PairingError> {
    if !(2..=MAX_PARTICIPANTS).contains(&shares.len()) {
        return Err(PairingError::ParticipantCount { got: shares.len() });
    }
    let ordered = match method {
        Method::Shuffle => shuffle::shuffle(committee, shares, rng)?,
        Method::Sort => sort::sort(committee, shares, rng)?,
    };
    open::open(committee, ordered, rng)
}

fn bytes_of(words: &[u128]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words in a body whose length was checked.
fn words_of(bytes: &[u8]) -> impl Iterator<Item = u128> {
    bytes.as_chunks().0.iter().map(|&chunk| u128::from_le_bytes(chunk))
}
