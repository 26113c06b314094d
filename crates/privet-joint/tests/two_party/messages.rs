//! Messages that do not belong where they arrive.

use crate::{PATIENCE, RUN, exclusive, links, run_both, table};
use privet_core::Generator;
use privet_joint::two_party::{MemoryLedger, Role, RunFailure, run};
use privet_joint::wire::{Kind, Link, MemoryLink, RunId, Sealed, TcpLink, WireError};
use std::net::TcpListener;

type Change = fn(Kind, &mut Vec<u8>) -> Kind;

/// A party that follows the protocol, on a link that changes one of its messages.
struct Changing {
    link: MemoryLink,
    /// Which message that is sent.
    place: usize,
    change: Change,
    sent: usize,
}

impl Link for Changing {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        let (mut kind, mut body) = (kind, body.to_vec());
        if self.sent == self.place {
            kind = (self.change)(kind, &mut body);
        }
        self.sent += 1;
        self.link.send(kind, &body)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        self.link.receive(kind)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

/// What the other end says when a message of this role is changed.
fn failure(role: Role, place: usize, change: Change) -> RunFailure {
    let (one, two) = links();
    let changing = |link| Changing { link, place, change, sent: 0 };
    let mut ledgers = [(); 2].map(|()| MemoryLedger::default());
    let [first_ledger, second_ledger] = &mut ledgers;
    let ledgers: [&mut (dyn privet_joint::two_party::RunLedger + Send); 2] = [first_ledger, second_ledger];
    let [(first, _), (second, _)] = match role {
        Role::First => run_both(&exclusive(), (changing(one), two), ledgers, 590),
        Role::Second => run_both(&exclusive(), (one, changing(two)), ledgers, 590),
    };
    let outcome = if role == Role::First { second } else { first };
    outcome.map(|_| ()).unwrap_err().failure()
}

/// First sends four messages, Second three.
fn all_messages() -> impl Iterator<Item = (Role, usize)> {
    (0..4).map(|place| (Role::First, place)).chain((0..3).map(|place| (Role::Second, place)))
}

#[test]
fn wrong_lengths_are_refused_everywhere() {
    let shorter: Change = |kind, body| {
        body.pop();
        kind
    };
    let longer: Change = |kind, body| {
        body.push(0);
        kind
    };
    for (role, place) in all_messages() {
        for change in [shorter, longer] {
            let got = failure(role, place, change);
            assert!(
                matches!(got, RunFailure::Wire(WireError::WrongLength { .. })),
                "{role:?} {place}: {got}"
            );
        }
    }
}

#[test]
fn messages_of_another_kind_or_another_attempt_are_refused_everywhere() {
    for (role, place) in all_messages() {
        let got = failure(role, place, |kind, _| Kind(kind.0 % 6 + 1));
        assert!(matches!(got, RunFailure::Wire(WireError::WrongKind { .. })), "{role:?} {place}: {got}");
        if place > 0 {
            let got = failure(role, place, |kind, body| {
                body[0] ^= 1;
                kind
            });
            assert_eq!(got, RunFailure::Wire(WireError::WrongRun), "{role:?} {place}");
        }
    }
}

#[test]
fn bodies_of_noise_are_noticed() {
    let noise: Change = |kind, body| {
        body[16..].fill(0xfd);
        kind
    };
    for (role, place) in [(Role::First, 1), (Role::First, 3), (Role::Second, 1), (Role::Second, 2)] {
        let got = failure(role, place, noise);
        assert!(matches!(got, RunFailure::Deviation { .. }), "{role:?} {place}: {got}");
    }
    // Gates of noise give Second labels of noise, which First does not take.
    let (one, two) = links();
    let one = Changing { link: one, place: 2, change: noise, sent: 0 };
    let mut ledgers = [(); 2].map(|()| MemoryLedger::default());
    let [first_ledger, second_ledger] = &mut ledgers;
    let [(first, _), (second, _)] = run_both(&exclusive(), (one, two), [first_ledger, second_ledger], 591);
    assert!(matches!(first.unwrap_err().failure(), RunFailure::Deviation { .. }));
    assert_eq!(second.unwrap_err().failure(), RunFailure::Wire(WireError::Closed));
}

#[test]
fn ends_that_do_not_fit_say_so_before_anything_is_spent() {
    let end = |role, joint, mut link: MemoryLink| {
        std::thread::spawn(move || {
            let (mut rng, mut ledger) = (Generator::from_insecure_seed(592), MemoryLedger::default());
            run(role, &joint, &mut link, &mut rng, &mut ledger).map(|_| ()).unwrap_err()
        })
    };
    let (one, two) = links();
    let ends = [end(Role::First, exclusive(), one), end(Role::Second, table(0.75, 0.0), two)];
    for error in ends.map(|end| end.join().unwrap()) {
        assert_eq!(error.failure(), RunFailure::OtherTable);
        assert!(!error.is_final() && !error.is_retryable());
    }
    let (one, two) = links();
    let ends = [end(Role::Second, exclusive(), one), end(Role::Second, exclusive(), two)];
    for error in ends.map(|end| end.join().unwrap()) {
        assert_eq!(error.failure(), RunFailure::SameRole);
    }
}

#[test]
fn another_run_over_tcp_is_refused_and_a_sealed_one_completes() {
    for other_run in [RunId::new([8; 16]), RUN] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let second = std::thread::spawn(move || {
            let mut rng = Generator::from_insecure_seed(593);
            let mut link = Sealed::handshake(TcpLink::connect(address, other_run, PATIENCE)?, &mut rng)?;
            Ok(run(Role::Second, &exclusive(), &mut link, &mut rng, &mut MemoryLedger::default()).is_ok())
        });
        let mut rng = Generator::from_insecure_seed(594);
        let plain = TcpLink::from_stream(listener.accept().unwrap().0, RUN, PATIENCE).unwrap();
        match Sealed::handshake(plain, &mut rng) {
            Ok(mut link) => {
                let outcome =
                    run(Role::First, &exclusive(), &mut link, &mut rng, &mut MemoryLedger::default());
                assert!(outcome.is_ok() && other_run == RUN);
                assert_eq!(second.join().unwrap(), Ok(true));
            }
            Err(error) => {
                assert!(error == WireError::WrongRun && other_run != RUN);
                assert!(matches!(second.join().unwrap(), Err(WireError::WrongRun | WireError::Closed)));
            }
        }
    }
}
