//! A link over TCP, with time-outs.

use super::frame::{Framing, HEADER_BYTES};
use super::{Kind, Link, RunId, WireError};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// So much memory is asked for at once, so that a header alone cannot make a receiver ask for all.
const READ_STEP: usize = 1 << 16;

/// Nobody waits longer than a day, so that a deadline is always a time that the clock knows.
const LONGEST_WAIT: Duration = Duration::from_secs(86_400);

/// One end of a TCP connection.
#[derive(Debug)]
pub struct TcpLink {
    stream: TcpStream,
    time_out: Duration,
    framing: Framing,
}

impl TcpLink {
    /// Connects to a listener.
    ///
    /// # Errors
    /// When nobody accepts in time, or the operating system refuses.
    pub fn connect(address: SocketAddr, run: RunId, time_out: Duration) -> Result<Self, WireError> {
        Self::from_stream(TcpStream::connect_timeout(&address, time_out)?, run, time_out)
    }

    /// Takes over a connection. A whole frame must be read or written within `time_out`.
    ///
    /// # Errors
    /// When `time_out` is zero, or the operating system refuses.
    pub fn from_stream(stream: TcpStream, run: RunId, time_out: Duration) -> Result<Self, WireError> {
        let time_out = time_out.min(LONGEST_WAIT);
        // Frames are small and each waits for an answer: delaying them to fill packets only costs time.
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(time_out))?;
        stream.set_read_timeout(Some(time_out))?;
        Ok(Self { stream, time_out, framing: Framing::new(run) })
    }
}

/// Reads exactly so many bytes before the deadline, however slowly they drip.
fn read_until(stream: &mut TcpStream, mut target: &mut [u8], deadline: Instant) -> Result<(), WireError> {
    while !target.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WireError::TimedOut);
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(target) {
            Ok(0) => return Err(WireError::Closed),
            Ok(count) => target = &mut target[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Writes all bytes before the deadline, however slowly they are taken.
fn write_until(stream: &mut TcpStream, mut source: &[u8], deadline: Instant) -> Result<(), WireError> {
    while !source.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(WireError::TimedOut);
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(source) {
            Ok(0) => return Err(WireError::Closed),
            Ok(count) => source = &source[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

impl Link for TcpLink {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        let deadline = Instant::now() + self.time_out;
        self.framing.guard(|framing| write_until(&mut self.stream, &framing.encode(kind, body)?, deadline))
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        let deadline = Instant::now() + self.time_out;
        self.framing.guard(|framing| {
            let mut header = [0; HEADER_BYTES];
            read_until(&mut self.stream, &mut header, deadline)?;
            let length = framing.decode(&header, kind)?;
            let mut body = Vec::new();
            while body.len() < length {
                let start = body.len();
                body.resize(length.min(start + READ_STEP), 0);
                read_until(&mut self.stream, &mut body[start..], deadline)?;
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
    use std::net::TcpListener;

    const RUN: RunId = RunId::new([2; 16]);

    fn pair(time_out: Duration) -> (TcpLink, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let link = TcpLink::connect(listener.local_addr().unwrap(), RUN, time_out).unwrap();
        (link, listener.accept().unwrap().0)
    }

    #[test]
    fn a_long_body_arrives_whole() {
        let (mut one, stream) = pair(Duration::from_secs(10));
        let mut two = TcpLink::from_stream(stream, RUN, Duration::from_secs(10)).unwrap();
        let body: Vec<u8> = (0..200_000u32).map(|index| (index % 251) as u8).collect();
        let sent = body.clone();
        let sender = std::thread::spawn(move || one.send(Kind(1), &sent));
        assert_eq!(two.receive(Kind(1)).unwrap(), body);
        sender.join().unwrap().unwrap();
        assert_eq!(two.bytes_received(), 200_026);
    }

    #[test]
    fn half_a_frame_is_a_closed_connection_or_a_time_out() {
        let (mut link, mut stream) = pair(Duration::from_secs(10));
        stream.write_all(&Framing::new(RUN).encode(Kind(1), &[0; 9]).unwrap()[..30]).unwrap();
        drop(stream);
        assert_eq!(link.receive(Kind(1)), Err(WireError::Closed));
        let (mut link, mut stream) = pair(Duration::from_millis(20));
        stream.write_all(&[1]).unwrap();
        assert_eq!(link.receive(Kind(1)), Err(WireError::TimedOut));
    }

    #[test]
    fn replayed_missing_and_foreign_frames_are_told_apart() {
        let frames: Vec<_> = {
            let mut framing = Framing::new(RUN);
            (0..3).map(|_| framing.encode(Kind(1), b"body").unwrap()).collect()
        };
        let foreign = Framing::new(RunId::new([3; 16])).encode(Kind(1), b"body").unwrap();
        for (frame, expected) in [
            (&frames[1], Ok(b"body".to_vec())),
            (&frames[0], Err(WireError::Replayed { expected: 1, got: 0 })),
            (&frames[2], Err(WireError::OutOfOrder { expected: 1, got: 2 })),
            (&foreign, Err(WireError::WrongRun)),
        ] {
            let (mut link, mut stream) = pair(Duration::from_secs(10));
            stream.write_all(&frames[0]).unwrap();
            stream.write_all(frame).unwrap();
            link.receive(Kind(1)).unwrap();
            assert_eq!(link.receive(Kind(1)), expected);
        }
    }

    #[test]
    fn a_time_out_of_zero_is_refused() {
        let (_link, stream) = pair(Duration::from_secs(1));
        let refused = TcpLink::from_stream(stream, RUN, Duration::ZERO).map(|_| ());
        assert_eq!(refused, Err(WireError::Io(io::ErrorKind::InvalidInput)));
    }
}
