//! The header of a frame, and the state that decides which one may come next.

use super::WireError;
use std::fmt;

pub(super) const VERSION: u8 = 1;

/// Version, kind, run, sequence number, length of the body.
pub(super) const HEADER_BYTES: usize = 1 + 1 + 16 + 4 + 4;

/// The longest body that a frame may have.
pub const MAX_BODY_BYTES: usize = 1 << 24;

/// What a frame is for. Each protocol has its own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(pub u8);

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of one run of one protocol. Both ends know it before they connect; a frame of another run is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RunId([u8; 16]);

impl RunId {
    /// A run with this name.
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The name that follows from something both ends know. The name does not reveal what it was made from, unless
    /// that can be guessed.
    pub fn derive(known: &[u8]) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&blake3::derive_key("privet-joint run id v1", known)[..16]);
        Self(bytes)
    }

    /// The bytes of the name.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Numbers the frames of both directions of one link, and counts their bytes.
#[derive(Debug)]
pub(super) struct Framing {
    run: RunId,
    next_out: u32,
    next_in: u32,
    pub(super) sent: u64,
    pub(super) received: u64,
    is_broken: bool,
}

impl Framing {
    pub(super) fn new(run: RunId) -> Self {
        Self { run, next_out: 0, next_in: 0, sent: 0, received: 0, is_broken: false }
    }

    /// After the first error nobody knows where the next frame begins, so nothing more is sent or received.
    pub(super) fn guard<T>(
        &mut self,
        action: impl FnOnce(&mut Self) -> Result<T, WireError>,
    ) -> Result<T, WireError> {
        if self.is_broken {
            return Err(WireError::Closed);
        }
        let outcome = action(self);
        self.is_broken = outcome.is_err();
        outcome
    }

    /// The bytes of the next frame to send.
    pub(super) fn encode(&mut self, kind: Kind, body: &[u8]) -> Result<Vec<u8>, WireError> {
        if body.len() > MAX_BODY_BYTES {
            return Err(WireError::TooLong { got: body.len() });
        }
        let number = self.next_out;
        self.next_out = number.checked_add(1).ok_or(WireError::TooMany)?;
        let mut frame = Vec::with_capacity(HEADER_BYTES + body.len());
        frame.extend_from_slice(&[VERSION, kind.0]);
        frame.extend_from_slice(&self.run.0);
        frame.extend_from_slice(&number.to_le_bytes());
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.extend_from_slice(body);
        self.sent += frame.len() as u64;
        Ok(frame)
    }

    /// Checks the header of the next frame and says how long its body is.
    pub(super) fn decode(&mut self, header: &[u8; HEADER_BYTES], kind: Kind) -> Result<usize, WireError> {
        let [version, got_kind, rest @ ..] = header;
        let (run, numbers) = rest.split_at(16);
        let number = little_endian(&numbers[..4]);
        let length = little_endian(&numbers[4..]) as usize;
        if *version != VERSION {
            return Err(WireError::WrongVersion { got: *version });
        }
        if run != self.run.0 {
            return Err(WireError::WrongRun);
        }
        let expected = self.next_in;
        if number < expected {
            return Err(WireError::Replayed { expected, got: number });
        }
        if number > expected {
            return Err(WireError::OutOfOrder { expected, got: number });
        }
        if *got_kind != kind.0 {
            return Err(WireError::WrongKind { expected: kind, got: Kind(*got_kind) });
        }
        if length > MAX_BODY_BYTES {
            return Err(WireError::TooLong { got: length });
        }
        self.next_in = expected.checked_add(1).ok_or(WireError::TooMany)?;
        self.received += (HEADER_BYTES + length) as u64;
        Ok(length)
    }
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: RunId = RunId([7; 16]);

    fn header(change: impl FnOnce(&mut [u8])) -> [u8; HEADER_BYTES] {
        let mut frame = Framing::new(RUN).encode(Kind(3), &[1, 2, 3]).unwrap();
        change(&mut frame);
        *frame.first_chunk().unwrap()
    }

    #[test]
    fn every_field_of_the_header_is_checked() {
        let decode = |change: fn(&mut [u8])| Framing::new(RUN).decode(&header(change), Kind(3));
        assert_eq!(decode(|_| ()), Ok(3));
        assert_eq!(decode(|frame| frame[0] = 2), Err(WireError::WrongVersion { got: 2 }));
        assert_eq!(
            decode(|frame| frame[1] = 4),
            Err(WireError::WrongKind { expected: Kind(3), got: Kind(4) })
        );
        assert_eq!(decode(|frame| frame[2] = 0), Err(WireError::WrongRun));
        assert_eq!(decode(|frame| frame[18] = 1), Err(WireError::OutOfOrder { expected: 0, got: 1 }));
        assert_eq!(decode(|frame| frame[25] = 1), Err(WireError::TooLong { got: (1 << 24) + 3 }));
    }

    #[test]
    fn a_replayed_frame_is_told_from_a_missing_one() {
        let (mut sender, mut receiver) = (Framing::new(RUN), Framing::new(RUN));
        let frames: Vec<_> = (0..3).map(|_| sender.encode(Kind(1), &[]).unwrap()).collect();
        let mut decode = |frame: &Vec<u8>| receiver.decode(frame.first_chunk().unwrap(), Kind(1));
        assert_eq!(decode(&frames[0]), Ok(0));
        assert_eq!(decode(&frames[0]), Err(WireError::Replayed { expected: 1, got: 0 }));
        assert_eq!(decode(&frames[2]), Err(WireError::OutOfOrder { expected: 1, got: 2 }));
    }

    #[test]
    fn a_body_that_is_too_long_is_not_sent() {
        let body = vec![0; MAX_BODY_BYTES + 1];
        let refused = Framing::new(RUN).encode(Kind(0), &body);
        assert_eq!(refused, Err(WireError::TooLong { got: body.len() }));
    }
}
