//! Something that stands before a collector and does what the test wants with each request.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What is done with a request.
#[derive(Clone)]
pub(crate) enum Act {
    /// It is passed on, and so is the answer.
    Pass,
    /// It is not passed on; this is the answer.
    Say { status: u16, headers: &'static str, body: Vec<u8> },
    /// The connection ends before anything is passed on.
    HangUp,
    /// It is passed on, and the connection ends before the answer.
    LoseTheAnswer,
}

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Method and path.
    pub(crate) line: String,
    pub(crate) body: Vec<u8>,
}

struct Shared {
    acts: VecDeque<Act>,
    seen: Vec<Seen>,
}

/// Does one act after the other, and passes on when they are done.
pub(crate) struct Front {
    pub(crate) address: String,
    shared: Arc<Mutex<Shared>>,
}

impl Front {
    pub(crate) fn before(collector: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Arc::new(Mutex::new(Shared { acts: VecDeque::new(), seen: Vec::new() }));
        let (theirs, collector) = (Arc::clone(&shared), collector.to_owned());
        // It ends with the process.
        std::thread::spawn(move || {
            for visitor in listener.incoming().map_while(Result::ok) {
                let (shared, collector) = (Arc::clone(&theirs), collector.clone());
                std::thread::spawn(move || attend(&visitor, &shared, &collector));
            }
        });
        Self { address, shared }
    }

    /// What happens to the next requests.
    pub(crate) fn expect(&self, acts: impl IntoIterator<Item = Act>) {
        let mut shared = self.shared.lock().unwrap();
        shared.acts = acts.into_iter().collect();
        shared.seen.clear();
    }

    /// The requests that came since, those that were never answered too.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.shared.lock().unwrap().seen.clone()
    }
}

fn attend(visitor: &TcpStream, shared: &Mutex<Shared>, collector: &str) -> Option<()> {
    let mut reader = BufReader::new(visitor.try_clone().ok()?);
    loop {
        let (head, body) = read_message(&mut reader)?;
        let act = {
            let mut shared = shared.lock().ok()?;
            let line = head.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
            shared.seen.push(Seen { line, body: body.clone() });
            shared.acts.pop_front().unwrap_or(Act::Pass)
        };
        let mut out = visitor;
        match act {
            Act::HangUp => return None,
            Act::Say { status, headers, body } => {
                let head =
                    format!("HTTP/1.1 {status} Said\r\n{headers}content-length: {}\r\n\r\n", body.len());
                out.write_all(&[head.as_bytes(), &body].concat()).ok()?;
            }
            Act::Pass => out.write_all(&pass(&head, &body, collector)?).ok()?,
            Act::LoseTheAnswer => {
                pass(&head, &body, collector)?;
                return None;
            }
        }
    }
}

fn pass(head: &str, body: &[u8], collector: &str) -> Option<Vec<u8>> {
    let mut stream = TcpStream::connect(collector).ok()?;
    stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
    let (head, body) = read_message(&mut BufReader::new(stream))?;
    Some([head.as_bytes(), &body].concat())
}

/// The head of a message with the empty line behind it, and the body.
fn read_message(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let start = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        let line = head[start..].to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    Read::read_exact(reader, &mut body).ok()?;
    Some((head, body))
}
