//! A link inside one process, for tests and studies.

use super::frame::{Framing, HEADER_BYTES};
use super::{Kind, Link, RunId, WireError};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// One end of a connection inside this process. Frames look as they do over TCP.
#[derive(Debug)]
pub struct MemoryLink {
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Vec<u8>>,
    time_out: Duration,
    framing: Framing,
}

/// Two connected ends. Each waits at most `time_out` for a frame.
pub fn memory_pair(run: RunId, time_out: Duration) -> (MemoryLink, MemoryLink) {
    let (to_second, from_first) = channel();
    let (to_first, from_second) = channel();
    let end = |outgoing, incoming| MemoryLink { outgoing, incoming, time_out, framing: Framing::new(run) };
    (end(to_second, from_second), end(to_first, from_first))
}

impl Link for MemoryLink {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.framing.guard(|framing| {
            let frame = framing.encode(kind, body)?;
            self.outgoing.send(frame).map_err(|_| WireError::Closed)
        })
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        self.framing.guard(|framing| {
            let mut frame = self.incoming.recv_timeout(self.time_out).map_err(|error| match error {
                RecvTimeoutError::Timeout => WireError::TimedOut,
                RecvTimeoutError::Disconnected => WireError::Closed,
            })?;
            let header = frame.first_chunk().ok_or(WireError::Closed)?;
            let expected = framing.decode(header, kind)?;
            let body = frame.split_off(HEADER_BYTES);
            if body.len() != expected {
                return Err(WireError::WrongLength { expected, got: body.len() });
            }
            Ok(body)
        })
    }

    fn bytes_sent(&self) -> u64 {
        self.framing.sent
    }

    fn bytes_received(&self) -> u64 {
        self.framing.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: RunId = RunId::new([1; 16]);

    fn pair() -> (MemoryLink, MemoryLink) {
        memory_pair(RUN, Duration::from_secs(10))
    }

    #[test]
    fn frames_arrive_in_both_directions_and_are_counted() {
        let (mut one, mut two) = pair();
        one.send(Kind(1), b"to two").unwrap();
        two.send(Kind(2), b"to one").unwrap();
        assert_eq!(two.receive(Kind(1)).unwrap(), b"to two");
        assert_eq!(one.receive_exact(Kind(2), 6).unwrap(), b"to one");
        assert_eq!((one.bytes_sent(), one.bytes_received()), (32, 32));
    }

    #[test]
    fn silence_and_absence_are_told_apart() {
        let (mut one, two) = memory_pair(RUN, Duration::from_millis(1));
        assert_eq!(one.receive(Kind(1)), Err(WireError::TimedOut));
        let (mut three, _) = pair();
        assert_eq!(three.receive(Kind(1)), Err(WireError::Closed));
        assert_eq!(three.send(Kind(1), &[]), Err(WireError::Closed));
        drop(two);
    }

    #[test]
    fn after_an_error_a_link_is_closed() {
        let (mut one, mut two) = pair();
        one.send(Kind(1), &[]).unwrap();
        one.send(Kind(2), &[]).unwrap();
        assert_eq!(two.receive(Kind(2)), Err(WireError::WrongKind { expected: Kind(2), got: Kind(1) }));
        assert_eq!(two.receive(Kind(2)), Err(WireError::Closed));
        assert_eq!(two.send(Kind(2), &[]), Err(WireError::Closed));
    }

    #[test]
    fn a_body_of_another_length_is_refused() {
        let (mut one, mut two) = pair();
        one.send(Kind(1), &[1, 2]).unwrap();
        assert_eq!(two.receive_exact(Kind(1), 3), Err(WireError::WrongLength { expected: 3, got: 2 }));
    }
}
