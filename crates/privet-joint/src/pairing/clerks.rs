//! A listener whose connections are answered by a few threads.

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// So many connections are answered at the same time.
const CLERKS: usize = 32;

/// So many more are let in to wait; others wait outside.
const MAX_QUEUED: usize = 256;

/// A clerk needs little: a handshake and one answer.
const STACK_BYTES: usize = 1 << 18;

/// How often the door looks whether it is to close.
const PAUSE: Duration = Duration::from_millis(1);

/// Lets connections in until `is_closing`, and has each of them answered: when it returns, all answers were given. The
/// listener must not block.
pub(crate) fn serve_connections(
    listener: &TcpListener,
    is_closing: &AtomicBool,
    answer: impl Fn(TcpStream) + Clone + Send + 'static,
) {
    let (queue, queued) = sync_channel(MAX_QUEUED);
    let queued = Arc::new(Mutex::new(queued));
    let start = |_| {
        let (queued, answer) = (Arc::clone(&queued), answer.clone());
        let work = move || {
            while let Some(stream) = next_in(&queued) {
                answer(stream);
            }
        };
        thread::Builder::new().stack_size(STACK_BYTES).spawn(work)
    };
    // Where there cannot be so many threads, everybody waits a little longer.
    let clerks: Vec<_> = (0..CLERKS).map(start).filter_map(Result::ok).collect();
    drop(queued);
    while !is_closing.load(Ordering::Relaxed) {
        match listener.accept() {
            Ok((stream, _)) => {
                if queue.send(stream).is_err() {
                    break;
                }
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
    drop(queue);
    for clerk in clerks {
        // One that panicked has closed its connection.
        let _ = clerk.join();
    }
}

/// The next connection that waits, or none when there will be no more.
fn next_in(queue: &Mutex<Receiver<TcpStream>>) -> Option<TcpStream> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
