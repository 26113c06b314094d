//! What is asked of a helper, and what it answers.

use super::PairingError;
use super::token::Secret;
use crate::wire::{Kind, Link, Sealed, WireError};
use privet_core::CryptoRng;

pub(crate) const REQUEST: Kind = Kind(1);
pub(crate) const REPLY: Kind = Kind(2);

/// The random name of a submission, the same at all helpers.
pub(crate) type SubmissionId = [u8; 16];

/// The first frame on every connection to a helper, in the open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// The shuffled list, which is public.
    List { id: SubmissionId },
    /// A fingerprint of the shuffled list.
    Fingerprint { id: SubmissionId },
    /// The connection is sealed from here on, and a [`Request`] follows.
    Private,
}

impl Opening {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::List { id } => [&[0], &id[..]].concat(),
            Self::Fingerprint { id } => [&[1], &id[..]].concat(),
            Self::Private => vec![2],
        }
    }

    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        match body.split_first()? {
            (0, id) => Some(Self::List { id: id.try_into().ok()? }),
            (1, id) => Some(Self::Fingerprint { id: id.try_into().ok()? }),
            (2, []) => Some(Self::Private),
            _ => None,
        }
    }
}

/// What only the helper may read.
#[derive(Clone)]
pub(crate) enum Request {
    /// Another helper connects.
    Peer { index: u8 },
    /// A participant's share of its token.
    Submit { id: SubmissionId, share: u128 },
    /// A participant opens its mailbox.
    Join { place: u32, secret: Secret },
}

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Peer { index } => vec![0, *index],
            Self::Submit { id, share } => [&[1], &id[..], &share.to_le_bytes()].concat(),
            Self::Join { place, secret } => [&[2], &place.to_le_bytes()[..], secret.as_bytes()].concat(),
        }
    }

    pub(crate) fn decode(body: &[u8]) -> Option<Self> {
        match body.split_first()? {
            (0, &[index]) => Some(Self::Peer { index }),
            (1, rest) => {
                let (id, share) = rest.split_first_chunk()?;
                Some(Self::Submit { id: *id, share: u128::from_le_bytes(share.try_into().ok()?) })
            }
            (2, rest) => {
                let (place, secret) = rest.split_first_chunk()?;
                let secret = Secret::from_bytes(secret.try_into().ok()?);
                Some(Self::Join { place: u32::from_le_bytes(*place), secret })
            }
            _ => None,
        }
    }
}

/// A helper's answer: a body, or one of few reasons why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Done(Vec<u8>),
    NotYet,
    Error(PairingError),
}

/// The errors that a helper may answer with, by their numbers on the wire.
const ERRORS: [PairingError; 6] = [
    PairingError::Closed,
    PairingError::DuplicateSubmission,
    PairingError::NotIncluded,
    PairingError::Failed,
    PairingError::Refused,
    PairingError::PartnerAbsent,
];

impl Reply {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Done(body) => [&[0], &body[..]].concat(),
            Self::NotYet => vec![1],
            Self::Error(error) => {
                let failed = PairingError::Failed;
                let place_of = |error| ERRORS.iter().position(|known| *known == error);
                vec![2 + place_of(*error).or(place_of(failed)).unwrap_or_default() as u8]
            }
        }
    }

    pub(crate) fn decode(mut body: Vec<u8>) -> Result<Self, WireError> {
        let empty = WireError::WrongLength { expected: 1, got: 0 };
        match *body.first().ok_or(empty)? {
            0 => Ok(Self::Done(body.split_off(1))),
            1 => Ok(Self::NotYet),
            tag => {
                let error = ERRORS.get(usize::from(tag) - 2).copied();
                Ok(Self::Error(error.unwrap_or(PairingError::Failed)))
            }
        }
    }
}

/// Seals a connection to a helper.
pub(crate) fn seal<L: Link>(mut link: L, rng: &mut impl CryptoRng) -> Result<Sealed<L>, WireError> {
    link.send(REQUEST, &Opening::Private.encode())?;
    Sealed::handshake(link, rng)
}

/// Sends a request or an opening and waits for its answer.
pub(crate) fn ask(link: &mut impl Link, request: &[u8]) -> Result<Reply, PairingError> {
    link.send(REQUEST, request)?;
    Ok(Reply::decode(link.receive(REPLY)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_wrong_lengths_are_none() {
        let requests = [
            Request::Peer { index: 1 },
            Request::Submit { id: [7; 16], share: 1 << 100 },
            Request::Join { place: 9, secret: Secret::from_bytes([3; 32]) },
        ];
        for request in requests {
            let body = request.encode();
            assert_eq!(Request::decode(&body).map(|request| request.encode()), Some(body.clone()));
            assert!(Request::decode(&body[..body.len() - 1]).is_none());
            assert!(Request::decode(&[&body[..], &[0]].concat()).is_none());
        }
        for opening in [Opening::List { id: [1; 16] }, Opening::Fingerprint { id: [2; 16] }, Opening::Private]
        {
            let body = opening.encode();
            assert_eq!(Opening::decode(&body), Some(opening));
            assert_eq!(Opening::decode(&body[..body.len() - 1]), None);
            assert_eq!(Opening::decode(&[&body[..], &[0]].concat()), None);
        }
        assert!(Request::decode(&[]).is_none() && Request::decode(&[5, 0]).is_none());
    }

    #[test]
    fn replies_survive_the_wire_and_own_troubles_of_a_helper_stay_with_it() {
        let kept = [Reply::Done(vec![1, 2]), Reply::NotYet, Reply::Error(PairingError::PartnerAbsent)];
        for reply in kept {
            assert_eq!(Reply::decode(reply.encode()), Ok(reply));
        }
        let inner = Reply::Error(PairingError::BrokenCommitment { helper: 1 });
        assert_eq!(Reply::decode(inner.encode()), Ok(Reply::Error(PairingError::Failed)));
        assert!(Reply::decode(vec![]).is_err());
    }
}
