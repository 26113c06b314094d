//! Promises that are made before they are kept: commitments, and coins that nobody can bias.

use super::{Committee, PairingError};
use crate::wire::{Kind, Link, RunId};
use privet_core::CryptoRng;

const COMMITMENT: Kind = Kind(11);
const OPENING: Kind = Kind(12);

/// The random bytes that hide what was committed to.
const HIDING_BYTES: usize = 32;

/// What a helper commits to, and for what.
struct Promise<'a> {
    run: RunId,
    /// Which step of the protocol, so that no promise is taken for another one.
    step: u32,
    helper: usize,
    /// The hiding bytes, then the message.
    opening: &'a [u8],
}

impl Promise<'_> {
    fn commitment(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("privet-joint commitment of a helper v1");
        hasher.update(self.run.as_bytes()).update(&self.step.to_le_bytes());
        hasher.update(&(self.helper as u32).to_le_bytes()).update(self.opening);
        *hasher.finalize().as_bytes()
    }
}

/// Every member commits to its message before anybody reveals one. Returns the messages of all members in their order,
/// this helper's own included. All must be members, and all messages of one length.
pub(super) fn reveal_together<L: Link>(
    committee: &mut Committee<L>,
    members: &[usize],
    step: u32,
    message: &[u8],
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Vec<Vec<u8>>, PairingError> {
    let (run, index) = (committee.run(), committee.index());
    let mut opening = vec![0; HIDING_BYTES];
    rng.fill_bytes(&mut opening);
    opening.extend_from_slice(message);
    let own = Promise { run, step, helper: index, opening: &opening }.commitment();
    let mut commitments = vec![Vec::new(); members.len()];
    for (commitment, &helper) in commitments.iter_mut().zip(members).filter(|(_, helper)| **helper != index) {
        *commitment = committee.exchange(helper, COMMITMENT, &own)?;
    }
    let mut messages = Vec::with_capacity(members.len());
    for (commitment, &helper) in commitments.iter().zip(members) {
        if helper == index {
            messages.push(message.to_vec());
            continue;
        }
        let mut received = committee.exchange(helper, OPENING, &opening)?;
        let promise = Promise { run, step, helper, opening: &received };
        if received.len() != opening.len() || promise.commitment()[..] != commitment[..] {
            return Err(PairingError::BrokenCommitment { helper });
        }
        messages.push(received.split_off(HIDING_BYTES));
    }
    Ok(messages)
}

/// A seed that is uniform if one of the members is honest, and that only members know.
pub(super) fn toss_coins<L: Link>(
    committee: &mut Committee<L>,
    members: &[usize],
    step: u32,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<[u8; 32], PairingError> {
    let mut own = [0; 32];
    rng.fill_bytes(&mut own);
    let contributions = reveal_together(committee, members, step, &own, rng)?;
    let mut hasher = blake3::Hasher::new_derive_key("privet-joint coins of several helpers v1");
    for contribution in &contributions {
        hasher.update(contribution);
    }
    Ok(*hasher.finalize().as_bytes())
}
