//! A helper's place among the helpers, and its links to all others.

use super::{MAX_HELPERS, PairingError};
use crate::wire::{Kind, Link, RunId, WireError};
use privet_core::{CryptoRng, Generator, Rng};
use std::fmt;

const SEED: Kind = Kind(10);

/// One helper's links to the others, and randomness that it shares with each of them alone.
///
/// Two helpers that share a stream of random words can hide a vector from everybody else without a message: one adds
/// the words to it, the other takes the words as its share.
pub struct Committee<L> {
    index: usize,
    run: RunId,
    peers: Vec<Option<Peer<L>>>,
}

struct Peer<L> {
    link: L,
    stream: Generator,
}

impl<L: Link> Committee<L> {
    /// Takes the links to all helpers, in their order, with none at this helper's own place. All helpers must do this
    /// at the same time: each two of them agree on a common seed.
    ///
    /// # Errors
    /// When there are too few or too many helpers, a link is missing, or a helper does not answer.
    pub fn new(
        run: RunId,
        links: Vec<Option<L>>,
        rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Self, PairingError> {
        let helpers = links.len();
        if !(3..=MAX_HELPERS).contains(&helpers) {
            return Err(PairingError::HelperCount { got: helpers });
        }
        let index = links.iter().position(Option::is_none).unwrap_or(helpers);
        let mut peers = Vec::with_capacity(helpers);
        for (helper, link) in links.into_iter().enumerate() {
            peers.push(match link {
                None if helper == index => None,
                None => return Err(PairingError::Helper { helper, source: WireError::Closed }),
                Some(mut link) => {
                    let stream = common_stream(&mut link, index < helper, rng)
                        .map_err(|source| PairingError::Helper { helper, source })?;
                    Some(Peer { link, stream })
                }
            });
        }
        if index == helpers {
            return Err(PairingError::HelperPlace { helpers, got: index });
        }
        Ok(Self { index, run, peers })
    }

    /// This helper's place, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// How many helpers there are.
    pub fn helpers(&self) -> usize {
        self.peers.len()
    }

    /// How many bytes this helper sent to the others.
    pub fn bytes_sent(&self) -> u64 {
        self.peers.iter().flatten().map(|peer| peer.link.bytes_sent()).sum()
    }

    pub(super) fn run(&self) -> RunId {
        self.run
    }

    /// The places of all other helpers, in order.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<L> {
        let index = self.index;
        (0..self.peers.len()).filter(move |&helper| helper != index)
    }

    pub(super) fn send(&mut self, helper: usize, kind: Kind, body: &[u8]) -> Result<(), PairingError> {
        self.with(helper, |link| link.send(kind, body))
    }

    pub(super) fn receive(&mut self, helper: usize, kind: Kind) -> Result<Vec<u8>, PairingError> {
        self.with(helper, |link| link.receive(kind))
    }

    pub(super) fn receive_exact(
        &mut self,
        helper: usize,
        kind: Kind,
        bytes: usize,
    ) -> Result<Vec<u8>, PairingError> {
        self.with(helper, |link| link.receive_exact(kind, bytes))
    }

    /// Sends a body and waits for one. The helper with the lower place sends first and everybody takes the others in
    /// their order, so that no two helpers wait for each other with full buffers.
    pub(super) fn exchange(
        &mut self,
        helper: usize,
        kind: Kind,
        body: &[u8],
    ) -> Result<Vec<u8>, PairingError> {
        if self.index < helper {
            self.send(helper, kind, body)?;
            self.receive(helper, kind)
        } else {
            let received = self.receive(helper, kind)?;
            self.send(helper, kind, body)?;
            Ok(received)
        }
    }

    /// The stream of random words that this helper and `helper` have in common.
    pub(super) fn stream(&mut self, helper: usize) -> Result<&mut Generator, PairingError> {
        self.peer(helper).map(|peer| &mut peer.stream)
    }

    fn with<T>(
        &mut self,
        helper: usize,
        action: impl FnOnce(&mut L) -> Result<T, WireError>,
    ) -> Result<T, PairingError> {
        action(&mut self.peer(helper)?.link).map_err(|source| PairingError::Helper { helper, source })
    }

    fn peer(&mut self, helper: usize) -> Result<&mut Peer<L>, PairingError> {
        let helpers = self.peers.len();
        let peer = self.peers.get_mut(helper).and_then(Option::as_mut);
        peer.ok_or(PairingError::HelperPlace { helpers, got: helper })
    }
}

/// Both ends contribute to the seed; the link is sealed, so nobody else knows it.
fn common_stream<L: Link>(
    link: &mut L,
    is_first: bool,
    rng: &mut (impl CryptoRng + ?Sized),
) -> Result<Generator, WireError> {
    let mut own = [0; 32];
    rng.fill_bytes(&mut own);
    link.send(SEED, &own)?;
    let other = link.receive_exact(SEED, own.len())?;
    let mut hasher = blake3::Hasher::new_derive_key("privet-joint stream of two helpers v1");
    if is_first {
        hasher.update(&own).update(&other);
    } else {
        hasher.update(&other).update(&own);
    }
    Ok(Generator::from_entropy(*hasher.finalize().as_bytes()))
}

impl<L> fmt::Debug for Committee<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Committee(helper {} of {})", self.index, self.peers.len())
    }
}

/// The next 128 bits of a stream.
pub(super) fn next_u128(stream: &mut Generator) -> u128 {
    u128::from(stream.next_u64()) << 64 | u128::from(stream.next_u64())
}
