//! A helper as a process: it listens, collects shares, shuffles with the others, publishes, and may relay.

use super::clerks::serve_connections;
use super::desk::{Desk, Shares};
use super::request::{Opening, REPLY, REQUEST, Reply, Request, SubmissionId, seal};
use super::{Committee, MAX_HELPERS, Meeting, Method, PairingError, pair};
use crate::relay::Relay;
use crate::wire::{Kind, Link, Sealed, TcpLink, WireError};
use privet_core::Generator;
use std::collections::BTreeSet;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const SUBMISSIONS: Kind = Kind(15);

/// The place of the helper that relays.
pub const RELAY: usize = 0;

/// So long a helper tells participants that there is no pairing.
const FAREWELL: Duration = Duration::from_secs(2);

/// How often a helper looks whether something has changed.
const PAUSE: Duration = Duration::from_millis(1);

/// What a helper needs to know about its task.
#[derive(Debug, Clone)]
pub struct HelperTask {
    /// Where all helpers are, and the name of the pairing.
    pub meeting: Meeting,
    /// This helper's place among them; the one at [`RELAY`] relays.
    pub index: usize,
    /// How the tokens are shuffled.
    pub method: Method,
    /// The pairing begins when so many participants are there.
    pub participants: usize,
    /// Or when so much time has passed.
    pub window: Duration,
    /// How long the helper goes on telling the list, and relaying, afterwards.
    pub linger: Duration,
}

/// How a pairing went, from one helper's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairingReport {
    /// How many were paired, the one left over included.
    pub participants: usize,
    /// How many sent a share to this helper, but not one to each helper.
    pub incomplete: usize,
    /// From the last share to the list.
    pub duration: Duration,
    /// What this helper sent to the others.
    pub bytes_sent: u64,
}

/// The state that all connections of a helper share.
struct Shop {
    task: HelperTask,
    desk: Desk,
    relay: Relay,
    rng: Mutex<Generator>,
    is_closing: AtomicBool,
}

impl Shop {
    fn rng(&self) -> Generator {
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).split()
    }
}

type PeerLink = Sealed<TcpLink>;

/// Another helper's connection, with its place.
type Arrival = (usize, PeerLink);

/// Does a helper's work from beginning to end. `publish` is called when the list is there; afterwards the helper tells
/// the participants, and relays if it is the first one, until everybody is served, `stop` says so, or time is over.
///
/// # Errors
/// When the task is wrong, another helper fails or deviates, or there are too few participants. Participants are told
/// that the pairing failed.
pub fn serve(
    task: HelperTask,
    listener: TcpListener,
    mut rng: Generator,
    stop: &AtomicBool,
    publish: impl FnOnce(PairingReport),
) -> Result<PairingReport, PairingError> {
    let helpers = task.meeting.helpers.len();
    if !(3..=MAX_HELPERS).contains(&helpers) {
        return Err(PairingError::HelperCount { got: helpers });
    }
    if task.index >= helpers {
        return Err(PairingError::HelperPlace { helpers, got: task.index });
    }
    listener.set_nonblocking(true).map_err(WireError::from)?;
    let relay = Relay::new(task.meeting.time_out);
    let shop = Arc::new(Shop {
        task,
        desk: Desk::default(),
        relay,
        rng: Mutex::new(rng.split()),
        is_closing: AtomicBool::new(false),
    });
    let (arrivals, arrived) = channel();
    let door = thread::spawn({
        let shop = Arc::clone(&shop);
        move || {
            let inner = Arc::clone(&shop);
            // A connection that fails concerns nobody but the one who made it, who sees it fail.
            let answer = move |stream| answer(&inner, stream, &arrivals).unwrap_or_default();
            serve_connections(&listener, &shop.is_closing, answer);
        }
    });
    let outcome = work(&shop, &arrived, &mut rng);
    match &outcome {
        Ok(report) => {
            publish(*report);
            linger(&shop, stop, shop.task.linger);
        }
        Err(_) => {
            shop.desk.fail();
            linger(&shop, stop, shop.task.linger.min(FAREWELL));
        }
    }
    shop.is_closing.store(true, Ordering::Relaxed);
    // The door has nothing to say; if it panicked there is nothing to do about it.
    let _ = door.join();
    outcome
}

fn linger(shop: &Shop, stop: &AtomicBool, time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time && !stop.load(Ordering::Relaxed) {
        shop.relay.dismiss_the_forgotten();
        let people = shop.desk.tokens().map_or(0, |tokens| tokens.len());
        let is_relaying = shop.task.index == RELAY && !shop.relay.is_finished(people);
        if shop.desk.has_told_everybody() && !is_relaying {
            break;
        }
        thread::sleep(PAUSE);
    }
}

/// Meets the other helpers, waits for participants, shuffles.
fn work(
    shop: &Shop,
    arrived: &Receiver<Arrival>,
    rng: &mut Generator,
) -> Result<PairingReport, PairingError> {
    let task = &shop.task;
    let links = meet(task, arrived, rng)?;
    let mut committee = Committee::new(task.meeting.run, links, rng)?;
    let shares = shop.desk.close(task.participants, task.window);
    let received = shares.len();
    let start = Instant::now();
    let common = complete(&mut committee, shares)?;
    let included: BTreeSet<SubmissionId> = common.keys().copied().collect();
    let list = pair(task.method, &mut committee, common.into_values().collect(), rng)?;
    let report = PairingReport {
        participants: list.len(),
        incomplete: received - list.len(),
        duration: start.elapsed(),
        bytes_sent: committee.bytes_sent(),
    };
    shop.desk.publish(list, included);
    Ok(report)
}

/// Connects to the helpers before this one and waits for those after it.
fn meet(
    task: &HelperTask,
    arrived: &Receiver<Arrival>,
    rng: &mut Generator,
) -> Result<Vec<Option<PeerLink>>, PairingError> {
    let helpers = task.meeting.helpers.len();
    let start = Instant::now();
    let mut links: Vec<Option<PeerLink>> = (0..helpers).map(|_| None).collect();
    for (helper, slot) in links.iter_mut().enumerate().take(task.index) {
        let link = call(task, helper, rng);
        *slot = Some(link.map_err(|source| PairingError::Helper { helper, source })?);
    }
    while let Some(helper) = (task.index + 1..helpers).find(|&helper| links[helper].is_none()) {
        let left = task.meeting.time_out.saturating_sub(start.elapsed());
        let late = PairingError::Helper { helper, source: WireError::TimedOut };
        let (index, link) = arrived.recv_timeout(left).map_err(|_| late)?;
        match links.get_mut(index) {
            Some(slot @ None) if index > task.index => *slot = Some(link),
            _ => return Err(PairingError::HelperPlace { helpers, got: index }),
        }
    }
    Ok(links)
}

/// Connects to another helper.
fn call(task: &HelperTask, helper: usize, rng: &mut Generator) -> Result<PeerLink, WireError> {
    // While one helper shuffles, another may still wait for participants.
    let link = task.meeting.call(helper, task.meeting.time_out.saturating_add(task.window))?;
    let mut link = seal(link, rng)?;
    link.send(REQUEST, &Request::Peer { index: task.index as u8 }.encode())?;
    Ok(link)
}

/// Keeps the shares of those participants whose submissions all helpers have.
fn complete<L: Link>(committee: &mut Committee<L>, mut shares: Shares) -> Result<Shares, PairingError> {
    let own: Vec<u8> = shares.keys().flatten().copied().collect();
    for helper in committee.others() {
        let theirs = committee.exchange(helper, SUBMISSIONS, &own)?;
        let (ids, rest) = theirs.as_chunks();
        if !rest.is_empty() {
            let source = WireError::WrongLength { expected: theirs.len() - rest.len(), got: theirs.len() };
            return Err(PairingError::Helper { helper, source });
        }
        let theirs: BTreeSet<SubmissionId> = ids.iter().copied().collect();
        shares.retain(|id, _| theirs.contains(id));
    }
    Ok(shares)
}

/// Answers one connection.
fn answer(shop: &Shop, stream: TcpStream, arrivals: &Sender<Arrival>) -> Result<(), WireError> {
    stream.set_nonblocking(false)?;
    let meeting = &shop.task.meeting;
    let raw = stream.try_clone()?;
    let mut link = TcpLink::from_stream(stream, meeting.run, meeting.time_out)?;
    match Opening::decode(&link.receive(REQUEST)?) {
        Some(Opening::List { id }) => link.send(REPLY, &shop.desk.list(&id)),
        Some(Opening::Fingerprint { id }) => link.send(REPLY, &shop.desk.fingerprint(&id)),
        Some(Opening::Private) => {
            answer_privately(shop, Sealed::handshake(link, &mut shop.rng())?, raw, arrivals)
        }
        None => link.send(REPLY, &Reply::Error(PairingError::Refused).encode()),
    }
}

fn answer_privately(
    shop: &Shop,
    mut link: Sealed<TcpLink>,
    raw: TcpStream,
    arrivals: &Sender<Arrival>,
) -> Result<(), WireError> {
    let reply = match Request::decode(&link.receive(REQUEST)?) {
        Some(Request::Submit { id, share }) => shop.desk.submit(id, share),
        Some(Request::Join { place, secret }) => {
            let tokens = shop.desk.tokens().filter(|_| shop.task.index == RELAY);
            let is_owner = tokens.is_some_and(|tokens| tokens.get(place as usize) == Some(&secret.token()));
            return shop.relay.join(place, is_owner, link, raw);
        }
        Some(Request::Peer { index }) => {
            // The helper that waits for this one may be gone; then there is nobody to tell.
            let _ = arrivals.send((usize::from(index), link));
            return Ok(());
        }
        None => Reply::Error(PairingError::Refused),
    };
    link.send(REPLY, &reply.encode())
}
