//! What a helper has received from participants and tells them: the part of it that many connections share.

use super::participant::fingerprint;
use super::request::{Reply, SubmissionId};
use super::{MAX_PARTICIPANTS, PairingError, bytes_of};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shares by the names of their submissions, in the order of the names.
pub(super) type Shares = BTreeMap<SubmissionId, u128>;

#[derive(Default)]
pub(super) struct Desk {
    phase: Mutex<Phase>,
    received: Condvar,
}

enum Phase {
    Open(Shares),
    Busy,
    Published(Publication),
    Failed,
}

impl Default for Phase {
    fn default() -> Self {
        Self::Open(Shares::new())
    }
}

struct Publication {
    list: Arc<[u128]>,
    /// What everybody is answered, ready to be sent.
    list_reply: Arc<[u8]>,
    fingerprint_reply: Arc<[u8]>,
    included: BTreeSet<SubmissionId>,
    /// Those who have not asked yet.
    expected: BTreeSet<SubmissionId>,
}

impl Desk {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        // A thread that died while it held the lock left the phase as it was: every change is one assignment.
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a participant's share.
    pub(super) fn submit(&self, id: SubmissionId, share: u128) -> Reply {
        let mut phase = self.phase();
        let Phase::Open(shares) = &mut *phase else { return Reply::Error(PairingError::Closed) };
        if shares.contains_key(&id) {
            return Reply::Error(PairingError::DuplicateSubmission);
        }
        if shares.len() == MAX_PARTICIPANTS {
            return Reply::Error(PairingError::Closed);
        }
        shares.insert(id, share);
        self.received.notify_all();
        Reply::Done(Vec::new())
    }

    /// Waits until so many shares are there or the time is over, and takes no more.
    pub(super) fn close(&self, participants: usize, window: Duration) -> Shares {
        let start = Instant::now();
        let mut phase = self.phase();
        loop {
            let left = window.saturating_sub(start.elapsed());
            match &mut *phase {
                Phase::Open(shares) if shares.len() < participants && !left.is_zero() => (),
                Phase::Open(shares) => {
                    let shares = std::mem::take(shares);
                    *phase = Phase::Busy;
                    return shares;
                }
                _ => return Shares::new(),
            }
            let waited = self.received.wait_timeout(phase, left);
            phase = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(super) fn publish(&self, list: Vec<u128>, included: BTreeSet<SubmissionId>) {
        let body = bytes_of(&list);
        let fingerprint_reply = Reply::Done(fingerprint(&body).to_vec()).encode().into();
        let list_reply = Reply::Done(body).encode().into();
        let (list, expected) = (list.into(), included.clone());
        *self.phase() =
            Phase::Published(Publication { list, list_reply, fingerprint_reply, included, expected });
    }

    pub(super) fn fail(&self) {
        *self.phase() = Phase::Failed;
    }

    /// The list, as a reply to the participants in it. Everybody gets all of it, so nobody tells which place is theirs.
    pub(super) fn list(&self, id: &SubmissionId) -> Arc<[u8]> {
        self.published(id, |publication| &publication.list_reply)
    }

    /// The fingerprint of the list, as a reply.
    pub(super) fn fingerprint(&self, id: &SubmissionId) -> Arc<[u8]> {
        self.published(id, |publication| &publication.fingerprint_reply)
    }

    fn published(&self, id: &SubmissionId, answer: impl Fn(&Publication) -> &Arc<[u8]>) -> Arc<[u8]> {
        let reply = match &mut *self.phase() {
            Phase::Open(_) | Phase::Busy => Reply::NotYet,
            Phase::Failed => Reply::Error(PairingError::Failed),
            Phase::Published(publication) if !publication.included.contains(id) => {
                Reply::Error(PairingError::NotIncluded)
            }
            Phase::Published(publication) => {
                publication.expected.remove(id);
                return Arc::clone(answer(publication));
            }
        };
        reply.encode().into()
    }

    /// The tokens in their new order, for the relay.
    pub(super) fn tokens(&self) -> Option<Arc<[u128]>> {
        match &*self.phase() {
            Phase::Published(publication) => Some(Arc::clone(&publication.list)),
            _ => None,
        }
    }

    /// Whether every participant has been told.
    pub(super) fn has_told_everybody(&self) -> bool {
        matches!(&*self.phase(), Phase::Published(publication) if publication.expected.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_taken_once_and_only_while_the_desk_is_open() {
        let desk = Desk::default();
        assert_eq!(desk.submit([1; 16], 5), Reply::Done(vec![]));
        assert_eq!(desk.submit([1; 16], 6), Reply::Error(PairingError::DuplicateSubmission));
        assert_eq!(*desk.list(&[1; 16]), Reply::NotYet.encode());
        assert_eq!(desk.close(9, Duration::ZERO), Shares::from([([1; 16], 5)]));
        assert_eq!(desk.submit([2; 16], 5), Reply::Error(PairingError::Closed));
        assert_eq!(*desk.list(&[1; 16]), Reply::NotYet.encode());
    }

    #[test]
    fn only_participants_of_the_pairing_get_the_list() {
        let desk = Desk::default();
        desk.publish(vec![3, 4], BTreeSet::from([[1; 16]]));
        assert_eq!(*desk.list(&[2; 16]), Reply::Error(PairingError::NotIncluded).encode());
        assert!(!desk.has_told_everybody());
        assert_eq!(*desk.list(&[1; 16]), Reply::Done(bytes_of(&[3, 4])).encode());
        assert!(desk.has_told_everybody());
        assert_eq!(desk.fingerprint(&[1; 16]).len(), 1 + 32);
        desk.fail();
        assert_eq!(*desk.list(&[1; 16]), Reply::Error(PairingError::Failed).encode());
    }
}
