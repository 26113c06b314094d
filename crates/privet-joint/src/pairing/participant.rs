//! A participant's side of a pairing.

use super::request::{Opening, Reply, Request, SubmissionId, ask, seal};
use super::token::{Assignment, Secret, find_place};
use super::{MAX_HELPERS, PairingError};
use crate::wire::{RunId, TcpLink, WireError};
use privet_core::CryptoRng;
use std::fmt;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

/// How often a participant asks whether the list is there.
const PAUSE: Duration = Duration::from_millis(25);

/// Where a pairing takes place.
#[derive(Debug, Clone)]
pub struct Meeting {
    /// The helpers in their order. The first one is the relay.
    pub helpers: Vec<SocketAddr>,
    /// The name of this pairing, which no other one may have.
    pub run: RunId,
    /// How long one answer may take.
    pub time_out: Duration,
}

/// A participant whose shares are with all helpers.
pub struct Submission {
    meeting: Meeting,
    id: SubmissionId,
    secret: Secret,
}

impl Meeting {
    /// Draws a secret and sends each helper its share of the token.
    ///
    /// # Errors
    /// When there are too few helpers, or one of them does not answer or refuses.
    pub fn submit(&self, rng: &mut impl CryptoRng) -> Result<Submission, PairingError> {
        let helpers = self.helpers.len();
        if !(3..=MAX_HELPERS).contains(&helpers) {
            return Err(PairingError::HelperCount { got: helpers });
        }
        let secret = Secret::draw(rng);
        let mut id = SubmissionId::default();
        rng.fill_bytes(&mut id);
        let mut rest = secret.token();
        for helper in 0..helpers {
            let is_last = helper + 1 == helpers;
            let share = if is_last { rest } else { random_word(rng) };
            rest ^= share;
            match self.tell(helper, &Request::Submit { id, share }, rng)? {
                Reply::Done(_) => (),
                Reply::NotYet => return Err(PairingError::Failed),
                Reply::Error(error) => return Err(error),
            }
        }
        Ok(Submission { meeting: self.clone(), id, secret })
    }

    /// Sends a helper something that nobody else may read.
    fn tell(
        &self,
        helper: usize,
        request: &Request,
        rng: &mut impl CryptoRng,
    ) -> Result<Reply, PairingError> {
        let link = self.call(helper, self.time_out).and_then(|link| seal(link, rng));
        at(helper, link.map_err(PairingError::from).and_then(|mut link| ask(&mut link, &request.encode())))
    }

    /// Asks a helper for something that everybody may know.
    fn ask(&self, helper: usize, opening: Opening) -> Result<Reply, PairingError> {
        let link = TcpLink::connect(self.helpers[helper], self.run, self.time_out);
        at(helper, link.map_err(PairingError::from).and_then(|mut link| ask(&mut link, &opening.encode())))
    }

    /// Connects to a helper that may not have started yet. Its answers may take as long as `patience`.
    pub(super) fn call(&self, helper: usize, patience: Duration) -> Result<TcpLink, WireError> {
        let start = Instant::now();
        loop {
            match TcpLink::connect(self.helpers[helper], self.run, patience) {
                Err(WireError::Io(ErrorKind::ConnectionRefused)) if start.elapsed() < self.time_out => {
                    thread::sleep(PAUSE);
                }
                outcome => return outcome,
            }
        }
    }
}

/// Says whose connection failed.
fn at<T>(helper: usize, outcome: Result<T, PairingError>) -> Result<T, PairingError> {
    outcome.map_err(|error| match error {
        PairingError::Wire(source) => PairingError::Helper { helper, source },
        other => other,
    })
}

impl Submission {
    /// Waits until the helpers have published the list, and finds the own place in it.
    ///
    /// # Errors
    /// When the helpers fail, take too long, publish different lists, or the own token is not there exactly once.
    pub fn wait(&self, patience: Duration) -> Result<Assignment, PairingError> {
        let start = Instant::now();
        let id = self.id;
        let body = self.ask_until(0, Opening::List { id }, patience)?;
        let (list, rest) = body.as_chunks();
        if !rest.is_empty() {
            let source = WireError::WrongLength { expected: body.len() - rest.len(), got: body.len() };
            return Err(PairingError::Helper { helper: 0, source });
        }
        let expected = fingerprint(&body);
        for helper in 1..self.meeting.helpers.len() {
            let left = patience.saturating_sub(start.elapsed());
            if self.ask_until(helper, Opening::Fingerprint { id }, left)? != expected {
                return Err(PairingError::ListsDiffer { helper });
            }
        }
        find_place(&self.secret, self.meeting.run, list)
    }

    fn ask_until(
        &self,
        helper: usize,
        opening: Opening,
        patience: Duration,
    ) -> Result<Vec<u8>, PairingError> {
        let start = Instant::now();
        loop {
            match self.meeting.ask(helper, opening)? {
                Reply::Done(body) => return Ok(body),
                Reply::Error(error) => return Err(error),
                Reply::NotYet if start.elapsed() >= patience => return Err(PairingError::TimedOut),
                Reply::NotYet => thread::sleep(PAUSE),
            }
        }
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Submission")
    }
}

/// What all helpers must agree on: a fingerprint of the list as it is sent.
pub(super) fn fingerprint(list: &[u8]) -> [u8; 32] {
    blake3::derive_key("privet-joint published list v1", list)
}

fn random_word(rng: &mut impl CryptoRng) -> u128 {
    u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64())
}
