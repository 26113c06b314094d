//! Helpers, relay and participants over TCP on this machine.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use privet_core::Generator;
use privet_joint::pairing::{
    Assignment, HelperTask, Mailbox, Meeting, Method, PairingError, PairingReport, Submission, serve,
};
use privet_joint::relay::open_mailbox;
use privet_joint::two_party::Role;
use privet_joint::wire::{Kind, Link, RunId, TcpLink, WireError};
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const RUN: RunId = RunId::new([6; 16]);

/// Helpers in threads of their own.
struct Helpers {
    meeting: Meeting,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<PairingReport, PairingError>>>,
}

fn start(
    method: Method,
    helpers: usize,
    participants: usize,
    window: Duration,
    time_out: Duration,
) -> Helpers {
    let listeners: Vec<_> = (0..helpers).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let addresses = listeners.iter().map(|listener| listener.local_addr().unwrap()).collect();
    let meeting = Meeting { helpers: addresses, run: RUN, time_out };
    let stop = Arc::new(AtomicBool::new(false));
    let threads = listeners.into_iter().enumerate().map(|(index, listener)| {
        let linger = Duration::from_secs(60);
        let task = HelperTask { meeting: meeting.clone(), index, method, participants, window, linger };
        let (stop, rng) = (Arc::clone(&stop), Generator::from_insecure_seed(index as u64));
        thread::spawn(move || serve(task, listener, rng, &stop, |_| ()))
    });
    let threads = threads.collect();
    Helpers { meeting, stop, threads }
}

impl Helpers {
    fn finish(self) -> Vec<Result<PairingReport, PairingError>> {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    }
}

/// Lets so many people be paired, with some threads that play several of them.
fn pair_people(meeting: &Meeting, people: usize, players: usize) -> Vec<Result<Assignment, PairingError>> {
    let play = |player: usize| {
        let meeting = meeting.clone();
        thread::spawn(move || {
            let mut rng = Generator::from_insecure_seed(1000 + player as u64);
            let own = (player..people).step_by(players);
            let submissions: Vec<_> = own.map(|_| meeting.submit(&mut rng)).collect();
            let wait = |submission: Result<Submission, _>| submission?.wait(Duration::from_secs(60));
            submissions.into_iter().map(wait).collect::<Vec<_>>()
        })
    };
    let threads: Vec<_> = (0..players).map(play).collect();
    threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
}

/// Checks that every mailbox has two holders of different roles, and returns the mailboxes and the number of those alone.
fn check_mailboxes(assignments: Vec<Result<Assignment, PairingError>>) -> (Vec<Mailbox>, usize) {
    let mut alone = 0;
    let mut mailboxes = Vec::new();
    for assignment in assignments {
        match assignment.unwrap() {
            Assignment::Mailbox(mailbox) => mailboxes.push(mailbox),
            Assignment::Alone => alone += 1,
        }
    }
    mailboxes.sort_by_key(|mailbox| (*mailbox.id().as_bytes(), mailbox.role() as u8));
    for pair in mailboxes.chunks(2) {
        assert_eq!(pair[0].id(), pair[1].id());
        assert_eq!([pair[0].role(), pair[1].role()], [Role::First, Role::Second]);
    }
    assert!(
        mailboxes.chunks(2).zip(mailboxes.chunks(2).skip(1)).all(|(one, two)| one[0].id() != two[0].id())
    );
    (mailboxes, alone)
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn people_get_mailboxes_and_can_talk_through_them() {
    for (method, helpers, people) in [(Method::Shuffle, 3, 9), (Method::Sort, 3, 4), (Method::Shuffle, 4, 2)]
    {
        let helpers = start(method, helpers, people, LONG, LONG);
        let (mailboxes, alone) = check_mailboxes(pair_people(&helpers.meeting, people, 3));
        assert_eq!((mailboxes.len(), alone), (people / 2 * 2, people % 2));
        let talk = |mailbox: Mailbox| {
            let meeting = helpers.meeting.clone();
            thread::spawn(move || {
                let mut rng = Generator::from_insecure_seed(u64::from(mailbox.role() as u8));
                let mut link = open_mailbox(&meeting, &mailbox, &mut rng).unwrap();
                link.send(Kind(7), &[mailbox.role() as u8]).unwrap();
                link.receive(Kind(7)).unwrap()
            })
        };
        let roles: Vec<u8> = mailboxes.iter().map(|mailbox| mailbox.role() as u8).collect();
        let threads: Vec<_> = mailboxes.into_iter().map(talk).collect();
        for (role, thread) in roles.into_iter().zip(threads) {
            assert_eq!(thread.join().unwrap(), [3 - role]);
        }
        for report in helpers.finish() {
            assert_eq!(report.unwrap().participants, people);
        }
    }
}

#[test]
fn a_mailbox_opens_only_for_its_owner_who_may_come_again() {
    let helpers = start(Method::Shuffle, 3, 2, LONG, Duration::from_millis(300));
    let (mailboxes, _) = check_mailboxes(pair_people(&helpers.meeting, 2, 2));
    let mut rng = Generator::from_insecure_seed(5);
    let mut open =
        |mailbox: &Mailbox| open_mailbox(&helpers.meeting, mailbox, &mut rng).map(|_| ()).unwrap_err();
    let mut stolen = mailboxes[1].to_bytes();
    stolen[20] ^= 1;
    assert_eq!(open(&Mailbox::from_bytes(&stolen).unwrap()), PairingError::Refused);
    let mut elsewhere = mailboxes[0].to_bytes();
    elsewhere[16] ^= 1;
    assert_eq!(open(&Mailbox::from_bytes(&elsewhere).unwrap()), PairingError::Refused);
    assert_eq!(open(&mailboxes[0]), PairingError::PartnerAbsent);
    assert_eq!(open(&mailboxes[1]), PairingError::PartnerAbsent);
    assert_eq!(open(&mailboxes[0]), PairingError::PartnerAbsent);
    helpers.finish();
}

#[test]
fn a_partner_who_leaves_closes_the_connection() {
    let helpers = start(Method::Shuffle, 3, 2, LONG, LONG);
    let (mailboxes, _) = check_mailboxes(pair_people(&helpers.meeting, 2, 2));
    let meeting = helpers.meeting.clone();
    let other = mailboxes[1].clone();
    let leaving = thread::spawn(move || {
        drop(open_mailbox(&meeting, &other, &mut Generator::from_insecure_seed(2)).unwrap());
    });
    let mut link =
        open_mailbox(&helpers.meeting, &mailboxes[0], &mut Generator::from_insecure_seed(1)).unwrap();
    leaving.join().unwrap();
    assert_eq!(link.receive(Kind(7)), Err(WireError::Closed));
    helpers.finish();
}

/// Whoever reaches only some of the helpers is left out, and the others are paired.
#[test]
fn an_incomplete_participant_is_left_out() {
    let helpers = start(Method::Shuffle, 3, 4, Duration::from_secs(2), LONG);
    let mut partly = helpers.meeting.clone();
    partly.time_out = Duration::from_millis(500);
    partly.helpers[2] = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let lost = partly.submit(&mut Generator::from_insecure_seed(1)).unwrap_err();
    assert!(matches!(lost, PairingError::Helper { helper: 2, .. }), "{lost}");
    let (mailboxes, alone) = check_mailboxes(pair_people(&helpers.meeting, 3, 1));
    assert_eq!((mailboxes.len(), alone), (2, 1));
    let late = helpers.meeting.submit(&mut Generator::from_insecure_seed(2)).unwrap_err();
    assert_eq!(late, PairingError::Closed);
    let reports: Vec<_> = helpers.finish().into_iter().map(Result::unwrap).collect();
    assert_eq!(reports.iter().map(|report| report.incomplete).collect::<Vec<_>>(), [1, 1, 0]);
}

#[test]
fn one_participant_or_a_missing_helper_fails_for_everybody() {
    let helpers = start(Method::Shuffle, 3, 2, Duration::from_millis(300), LONG);
    assert_eq!(pair_people(&helpers.meeting, 1, 1)[0].as_ref().unwrap_err(), &PairingError::Failed);
    let outcomes = helpers.finish();
    assert!(outcomes.iter().all(|outcome| *outcome == Err(PairingError::ParticipantCount { got: 1 })));

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let addresses = vec![nobody, listener.local_addr().unwrap(), nobody];
    let meeting = Meeting { helpers: addresses, run: RUN, time_out: Duration::from_millis(200) };
    let task = HelperTask {
        meeting,
        index: 1,
        method: Method::Shuffle,
        participants: 2,
        window: Duration::from_millis(200),
        linger: Duration::ZERO,
    };
    let outcome =
        serve(task, listener, Generator::from_insecure_seed(1), &AtomicBool::new(false), |_| ()).unwrap_err();
    assert!(matches!(outcome, PairingError::Helper { helper: 0, .. }), "{outcome}");
}

/// Junk, another run and a connection that says nothing disturb nobody.
#[test]
fn strangers_are_turned_away() {
    let helpers = start(Method::Shuffle, 3, 2, LONG, Duration::from_secs(5));
    let mut rng = Generator::from_insecure_seed(1);
    let mut junk = TcpStream::connect(helpers.meeting.helpers[0]).unwrap();
    junk.write_all(&[0xff; 100]).unwrap();
    let silent = TcpStream::connect(helpers.meeting.helpers[1]).unwrap();
    let other = Meeting { run: RunId::new([1; 16]), ..helpers.meeting.clone() };
    let refused = other.submit(&mut rng).unwrap_err();
    assert!(matches!(refused, PairingError::Helper { helper: 0, .. }), "{refused}");
    let mut odd = TcpLink::connect(helpers.meeting.helpers[0], RUN, LONG).unwrap();
    odd.send(Kind(1), b"what is this?").unwrap();
    assert!(odd.receive(Kind(2)).is_ok(), "an answer, which is a refusal");
    let (mailboxes, alone) = check_mailboxes(pair_people(&helpers.meeting, 2, 2));
    assert_eq!((mailboxes.len(), alone), (2, 0));
    drop((junk, silent));
    for report in helpers.finish() {
        assert_eq!(report.unwrap().participants, 2);
    }
}

#[test]
fn too_few_helpers_are_refused_at_once() {
    let helpers = vec!["127.0.0.1:1".parse().unwrap(); 2];
    let meeting = Meeting { helpers, run: RUN, time_out: LONG };
    let refused = meeting.submit(&mut Generator::from_insecure_seed(1)).unwrap_err();
    assert_eq!(refused, PairingError::HelperCount { got: 2 });
}

/// The figures of the documentation: everything over TCP, submission and publication included.
#[test]
#[ignore = "full size: cargo xtask prove"]
fn ten_thousand_people_by_shuffle_and_256_by_sort() {
    for (method, people) in [(Method::Sort, 256), (Method::Shuffle, 10_000)] {
        let begin = Instant::now();
        let helpers = start(method, 3, people, Duration::from_secs(120), Duration::from_secs(120));
        let (mailboxes, alone) = check_mailboxes(pair_people(&helpers.meeting, people, 16));
        assert_eq!((mailboxes.len(), alone), (people, 0));
        let total = begin.elapsed();
        for report in helpers.finish() {
            let report = report.unwrap();
            println!(
                "{method:?} of {people}: helpers {:?} and {} bytes sent, with all participants {total:?}",
                report.duration, report.bytes_sent
            );
        }
    }
}
