//! A whole collection over TCP, and what is left of it when somebody leaves.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_core::{Generator, Probability};
use privet_joint::JointTable;
use privet_joint::collection::{
    CollectionError, Collector, Outcome, Reason, Setting, Tally, perturb, take_part,
};
use privet_joint::pairing::{Assignment, HelperTask, Meeting, Method, PairingError, serve};
use privet_joint::relay::open_mailbox;
use privet_joint::two_party::{self, LedgerError, MemoryLedger};
use privet_joint::wire::{Kind, Link, RunId, WireError};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const RUN: RunId = RunId::new([8; 16]);

/// Helpers and a collector in this process.
struct Place {
    setting: Setting,
    collector: Collector,
    stop: Arc<AtomicBool>,
    helpers: Vec<JoinHandle<()>>,
}

fn open_place(people: usize, window: Duration, time_out: Duration) -> Place {
    let bind = || TcpListener::bind("127.0.0.1:0").unwrap();
    let listeners: Vec<_> = (0..3).map(|_| bind()).collect();
    let addresses = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    let meeting = Meeting { helpers: addresses, run: RUN, time_out };
    let stop = Arc::new(AtomicBool::new(false));
    let helper = |(index, listener)| {
        let task = HelperTask {
            meeting: meeting.clone(),
            index,
            method: Method::Shuffle,
            participants: people,
            window,
            linger: Duration::from_secs(60),
        };
        let stop = Arc::clone(&stop);
        thread::spawn(move || {
            // What goes wrong here is what the participants see.
            let _ = serve(task, listener, Generator::from_insecure_seed(index as u64), &stop, |_| ());
        })
    };
    let helpers = listeners.into_iter().enumerate().map(helper).collect();
    let door = bind();
    let setting = Setting {
        meeting: meeting.clone(),
        patience: Duration::from_secs(20),
        table: JointTable::new(Probability::new(0.75).unwrap(), -0.3).unwrap(),
        collector: door.local_addr().unwrap(),
        report_window: Duration::from_millis(50),
    };
    let collector =
        Collector::start(door, RUN, Duration::from_secs(10), Generator::from_insecure_seed(50)).unwrap();
    Place { setting, collector, stop, helpers }
}

impl Place {
    fn person(&self, seed: u64) -> JoinHandle<Result<Outcome, CollectionError>> {
        let setting = self.setting.clone();
        thread::spawn(move || {
            let mut rng = Generator::from_insecure_seed(1000 + seed);
            take_part(&setting, seed.is_multiple_of(3), &mut MemoryLedger::default(), &mut rng)
        })
    }

    fn close(self) -> Tally {
        self.stop.store(true, Ordering::Relaxed);
        self.helpers.into_iter().for_each(|helper| helper.join().unwrap());
        self.collector.finish()
    }
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn everybody_reports_once_and_the_odd_one_alone() {
    let place = open_place(9, LONG, LONG);
    let people: Vec<_> = (0..9).map(|seed| place.person(seed)).collect();
    let outcomes: Vec<_> = people.into_iter().map(|person| person.join().unwrap().unwrap()).collect();
    let together = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Together { .. })).count();
    let odd = outcomes.iter().filter(|outcome| **outcome == Outcome::Odd).count();
    assert_eq!((together, odd), (8, 1), "{outcomes:?}");
    assert_eq!(place.close().reports, 9);
}

/// A link that carries so many frames in both directions together, and then is gone.
struct Cut<L> {
    link: L,
    left: usize,
}

impl<L: Link> Cut<L> {
    fn step(&mut self) -> Result<&mut L, WireError> {
        self.left = self.left.checked_sub(1).ok_or(WireError::Closed)?;
        Ok(&mut self.link)
    }
}

impl<L: Link> Link for Cut<L> {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        self.step()?.send(kind, body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        self.step()?.receive(kind)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

/// Where a person stops.
#[derive(Debug, Clone, Copy)]
enum Stop {
    BeforeSubmitting,
    AfterSubmitting,
    AfterPairing,
    AtTheMailbox,
    AfterFrames(usize),
    BeforeReporting,
}

/// Does what [`take_part`] does, up to some step.
fn take_part_until(stop: Stop, setting: &Setting) {
    let mut rng = Generator::from_insecure_seed(7);
    let mut ledger = MemoryLedger::default();
    if matches!(stop, Stop::BeforeSubmitting) {
        return;
    }
    let submission = setting.meeting.submit(&mut rng).unwrap();
    if matches!(stop, Stop::AfterSubmitting) {
        return;
    }
    let assignment = submission.wait(LONG).unwrap();
    if matches!(stop, Stop::AfterPairing) {
        return;
    }
    if matches!(stop, Stop::BeforeReporting) {
        perturb(&setting.meeting, &setting.table, Ok(assignment), &mut ledger, &mut rng).unwrap();
        return;
    }
    let Assignment::Mailbox(mailbox) = assignment else { panic!("four people make two pairs") };
    let link = open_mailbox(&setting.meeting, &mailbox, &mut rng).unwrap();
    if let Stop::AfterFrames(left) = stop {
        let mut link = Cut { link, left };
        assert!(
            two_party::run(mailbox.role(), &setting.table, &mut link, &mut rng, &mut ledger).is_err(),
            "the frame {left} must be needed"
        );
    }
}

/// Both ends of a run see so many frames. Whoever misses the last one is Second and has no bit, but First has.
const FRAMES: usize = 7;

/// Wherever one of four people stops, the other pair reports together. The partner reports alone, or is left out because its
/// run was spent; nothing else happens to anybody.
#[test]
fn a_person_who_stops_takes_nobody_but_the_partner_along() {
    let early = [Stop::BeforeSubmitting, Stop::AfterSubmitting, Stop::AfterPairing, Stop::AtTheMailbox];
    let stops = early.into_iter().chain((0..FRAMES).map(Stop::AfterFrames)).chain([Stop::BeforeReporting]);
    for stops in stops.collect::<Vec<_>>().chunks(4) {
        let threads: Vec<_> =
            stops.iter().map(|&stop| thread::spawn(move || check_the_others(stop))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }
}

fn check_the_others(stop: Stop) {
    let place = open_place(4, Duration::from_secs(2), Duration::from_secs(3));
    let people: Vec<_> = (0..3).map(|seed| place.person(seed)).collect();
    take_part_until(stop, &place.setting);
    let outcomes: Vec<_> = people.into_iter().map(|person| person.join().unwrap()).collect();
    let count = |is_counted: fn(&Result<Outcome, CollectionError>) -> bool| {
        outcomes.iter().filter(|outcome| is_counted(outcome)).count()
    };
    let together = count(|outcome| matches!(outcome, Ok(Outcome::Together { .. })));
    let alone = count(|outcome| matches!(outcome, Ok(Outcome::Odd | Outcome::Fallback(_))));
    let left_out = count(|outcome| matches!(outcome, Err(CollectionError::LeftOut(_))));
    let partner_has_a_bit = match stop {
        Stop::BeforeReporting => true,
        Stop::AfterFrames(frames) if frames + 1 == FRAMES => together == 3,
        _ => false,
    };
    let expected = if partner_has_a_bit { 3 } else { 2 };
    assert_eq!((together, alone + left_out), (expected, 3 - expected), "{stop:?}: {outcomes:?}");
    let may_be_spent = matches!(stop, Stop::AfterFrames(1..));
    assert!(left_out == 0 || may_be_spent, "{stop:?}: nobody is left out before the two have begun");
    assert_eq!(place.close().reports, 3 - left_out as u64, "{stop:?}");
}

#[test]
fn without_helpers_everybody_reports_alone() {
    let mut place = open_place(2, Duration::from_millis(50), Duration::from_secs(1));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    place.setting.meeting.helpers[1] = nobody;
    let outcome = place.person(1).join().unwrap().unwrap();
    let is_named =
        matches!(outcome, Outcome::Fallback(Reason::Pairing(PairingError::Helper { helper: 1, .. })));
    assert!(is_named, "{outcome:?}");
    assert_eq!(place.close().reports, 1);
}

#[test]
fn nobody_reports_twice() {
    let place = open_place(2, Duration::from_millis(50), Duration::from_secs(1));
    let mut rng = Generator::from_insecure_seed(1);
    let mut ledger = MemoryLedger::default();
    let odd = |ledger: &mut MemoryLedger, rng: &mut Generator| {
        perturb(&place.setting.meeting, &place.setting.table, Ok(Assignment::Alone), ledger, rng)
            .map(|perturbed| perturbed.outcome)
    };
    assert_eq!(odd(&mut ledger, &mut rng), Ok(Outcome::Odd));
    assert_eq!(odd(&mut ledger, &mut rng), Err(CollectionError::Ledger(LedgerError::Spent)));
    place.close();
}
