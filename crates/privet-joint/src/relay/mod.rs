//! The relay: it carries bytes between the two holders of a mailbox and can read none of them.
//!
//! It is run by a helper, never by the collector, because whoever relays sees which two connections share a mailbox. A
//! participant proves that a place in the published list is its own by the secret behind the token, so nobody else can
//! sit down there. Whoever waited in vain may come again. The two holders seal their connection from end to end; that
//! they do not run twice is up to their ledgers, not to the relay.

use crate::pairing::{Mailbox, Meeting, PairingError, RELAY, REPLY, Reply, Request, ask, seal};
use crate::wire::{Link, Sealed, TcpLink, WireError};
use privet_core::CryptoRng;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So many bytes are carried in one direction of a mailbox. The two-party protocol needs a small part of it.
pub const MAX_MAILBOX_BYTES: usize = 1 << 20;

/// A thread that carries bytes needs room for little else than its buffer.
const STACK_BYTES: usize = 1 << 16;

const BUFFER_BYTES: usize = 1 << 13;

/// Opens a participant's mailbox and waits for the partner. What is sent over the result only the partner can read.
///
/// # Errors
/// When the relay refuses or does not answer, or the partner does not come in time.
pub fn open_mailbox(
    meeting: &Meeting,
    mailbox: &Mailbox,
    rng: &mut impl CryptoRng,
) -> Result<Sealed<TcpLink>, PairingError> {
    let relay = *meeting.helpers.get(RELAY).ok_or(PairingError::HelperCount { got: 0 })?;
    let stream = TcpStream::connect_timeout(&relay, meeting.time_out).map_err(WireError::from)?;
    let raw = stream.try_clone().map_err(WireError::from)?;
    // The relay waits for the partner as long as for any answer, so the participant waits a little longer.
    let link = TcpLink::from_stream(stream, meeting.run, meeting.time_out.saturating_mul(2))?;
    let mut to_relay = seal(link, rng)?;
    let request = Request::Join { place: mailbox.place(), secret: mailbox.secret().clone() };
    match ask(&mut to_relay, &request.encode())? {
        Reply::Done(_) => (),
        Reply::NotYet => return Err(PairingError::Refused),
        Reply::Error(error) => return Err(error),
    }
    let to_partner = TcpLink::from_stream(raw, mailbox.id(), meeting.time_out)?;
    Ok(Sealed::handshake(to_partner, rng)?)
}

/// One participant's connection to the relay.
struct Guest {
    place: u32,
    link: Sealed<TcpLink>,
    raw: TcpStream,
    since: Instant,
}

impl Guest {
    fn tell(&mut self, reply: &Reply) -> Result<(), WireError> {
        self.link.send(REPLY, &reply.encode())
    }
}

/// Who waits at which mailbox, and which places have had their conversation.
#[derive(Default)]
struct Guests {
    waiting: BTreeMap<u32, Guest>,
    served: BTreeSet<u32>,
}

/// The relay's state.
pub(crate) struct Relay {
    patience: Duration,
    guests: Mutex<Guests>,
    /// How many directions of mailboxes are being carried.
    busy: Arc<AtomicUsize>,
}

impl Relay {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { patience, guests: Mutex::default(), busy: Arc::default() }
    }

    fn guests(&self) -> MutexGuard<'_, Guests> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a participant sit down. The first of two waits without a thread; the second one starts the conversation.
    pub(crate) fn join(
        &self,
        place: u32,
        is_owner: bool,
        link: Sealed<TcpLink>,
        raw: TcpStream,
    ) -> Result<(), WireError> {
        let mut guest = Guest { place, link, raw, since: Instant::now() };
        if !is_owner {
            return guest.tell(&Reply::Error(PairingError::Refused));
        }
        let mut guests = self.guests();
        let mailbox = place / 2;
        let Some(partner) = guests.waiting.remove(&mailbox).filter(|waiting| waiting.place != place) else {
            guests.waiting.insert(mailbox, guest);
            return Ok(());
        };
        guests.served.extend([place, partner.place]);
        let conversation = Busy::new(&self.busy);
        drop(guests);
        let outcome = self.connect(partner, guest);
        drop(conversation);
        outcome
    }

    fn connect(&self, mut one: Guest, mut two: Guest) -> Result<(), WireError> {
        // Somebody who has left does not hear this; the other one will see the connection end.
        let _ = one.tell(&Reply::Done(Vec::new()));
        two.tell(&Reply::Done(Vec::new()))?;
        for (from, to) in [(&one, &two), (&two, &one)] {
            let (from, to) = (from.raw.try_clone()?, to.raw.try_clone()?);
            let (time_out, busy) = (self.patience, Busy::new(&self.busy));
            let work = move || {
                carry(from, to, time_out);
                drop(busy);
            };
            thread::Builder::new().stack_size(STACK_BYTES).spawn(work)?;
        }
        Ok(())
    }

    /// Whether everybody who has a partner, of so many people, has met them and gone.
    pub(crate) fn is_finished(&self, people: usize) -> bool {
        let guests = self.guests();
        guests.served.len() == people / 2 * 2
            && guests.waiting.is_empty()
            && self.busy.load(Ordering::Relaxed) == 0
    }

    /// Tells those who have waited too long that nobody will come.
    pub(crate) fn dismiss_the_forgotten(&self) {
        let mut guests = self.guests();
        let is_late = |guest: &Guest| guest.since.elapsed() >= self.patience;
        let late: Vec<Guest> =
            guests.waiting.extract_if(.., |_, guest| is_late(guest)).map(|(_, guest)| guest).collect();
        drop(guests);
        for mut guest in late {
            // Whoever has left in the meantime need not be told.
            let _ = guest.tell(&Reply::Error(PairingError::PartnerAbsent));
        }
    }
}

/// Counts a direction for as long as it is carried.
struct Busy(Arc<AtomicUsize>);

impl Busy {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Carries bytes in one direction until the sender closes, is silent for too long, or has sent too much. Then the
/// receiver sees the end of the connection.
fn carry(mut from: TcpStream, mut to: TcpStream, time_out: Duration) {
    // However it ended, what follows is the same; and streams that are closed already are as they should be.
    let _ = carry_bytes(&mut from, &mut to, time_out);
    let _ = to.shutdown(Shutdown::Write);
    let _ = from.shutdown(Shutdown::Read);
}

fn carry_bytes(from: &mut TcpStream, to: &mut TcpStream, time_out: Duration) -> io::Result<()> {
    from.set_read_timeout(Some(time_out))?;
    to.set_write_timeout(Some(time_out))?;
    let mut buffer = [0; BUFFER_BYTES];
    let mut left = MAX_MAILBOX_BYTES;
    loop {
        match from.read(&mut buffer) {
            Ok(count) if count == 0 || count > left => return Ok(()),
            Ok(count) => {
                to.write_all(&buffer[..count])?;
                left -= count;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}
