//! The end of every method: the shuffled tokens are opened, in their new order.

use super::commitment::reveal_together;
use super::committee::next_u128;
use super::{Committee, PairingError, bytes_of, words_of};
use crate::wire::Link;
use privet_core::CryptoRng;

/// A step that no round of a shuffle has.
const STEP: u32 = u32::MAX;

/// Opens the tokens behind `shares`. Shares are made fresh first, so that they say nothing beyond the tokens; and
/// every helper commits to its shares before it sees another's, so that none can choose the result.
pub(super) fn open<L: Link>(
    committee: &mut Committee<L>,
    mut shares: Vec<u128>,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Vec<u128>, PairingError> {
    for helper in committee.others() {
        let stream = committee.stream(helper)?;
        shares.iter_mut().for_each(|share| *share ^= next_u128(stream));
    }
    let everybody: Vec<usize> = (0..committee.helpers()).collect();
    let revealed = reveal_together(committee, &everybody, STEP, &bytes_of(&shares), rng)?;
    let mut tokens = vec![0; shares.len()];
    for share in &revealed {
        tokens.iter_mut().zip(words_of(share)).for_each(|(token, word)| *token ^= word);
    }
    let mut sorted = tokens.clone();
    sorted.sort_unstable();
    if sorted.windows(2).any(|two| two[0] == two[1]) {
        return Err(PairingError::DuplicateToken);
    }
    Ok(tokens)
}
