//! Busy collectors, lost answers, and programs that end in between.

use crate::front::{Act, Front, Seen};
use crate::support::{Server, answers, counted, manager_at, policy, reports, today};
use privet::client::{CollectError, Collector, Device};
use std::time::Duration;

fn busy(status: u16) -> Act {
    Act::Say { status, headers: "", body: Vec::new() }
}

fn submissions(seen: &[Seen]) -> Vec<&[u8]> {
    seen.iter().filter(|seen| seen.line.ends_with("/reports")).map(|seen| seen.body.as_slice()).collect()
}

#[test]
fn the_same_request_is_sent_until_it_is_answered_and_counts_once() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let mut collector = Collector::open(manager_at(&front.address)).unwrap();
    let policy = policy("Sent again");
    front.expect([busy(503), Act::HangUp, Act::LoseTheAnswer]);
    // Its answer was lost, so it was there before.
    assert!(!collector.create(&policy, false).unwrap());
    assert_eq!(front.seen().len(), 4);
    let collection = collector.collection(policy.id()).unwrap();
    let all = reports(&policy, 20);
    let asked = Act::Say { status: 429, headers: "retry-after: 1\r\n", body: Vec::new() };
    front.expect([asked, busy(502), Act::LoseTheAnswer]);
    let sent = collector.submit(&collection, &all).unwrap();
    assert_eq!((sent.accepted, sent.duplicates, sent.refused), (0, 20, 0));
    let seen = front.seen();
    assert_eq!(submissions(&seen), [all.as_slice(); 4]);
    assert_eq!(counted(&mut collector, &collection), 20);
}

/// Pauses are at least what the collector asks for: if that is longer than patience, one request is enough.
#[test]
fn a_pause_that_is_longer_than_patience_is_not_begun() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let mut collector = Collector::open(manager_at(&front.address)).unwrap();
    let policy = policy("Patience");
    for status in [429, 503] {
        front.expect([Act::Say { status, headers: "retry-after: 3600\r\n", body: Vec::new() }]);
        let error = collector.create(&policy, false).unwrap_err();
        assert!(matches!(error, CollectError::Busy { status: got, .. } if got == status), "{error}");
        assert_eq!(front.seen().len(), 1);
    }
    // What the collector says about it is kept.
    let problem = br#"{"type":"urn:privet:problem:busy","detail":"too much at once"}"#.to_vec();
    front.expect([Act::Say { status: 503, headers: "retry-after: 3600\r\n", body: problem }]);
    assert_eq!(collector.create(&policy, false).unwrap_err().code(), "busy");
    // A refusal is not asked again.
    front.expect([busy(500)]);
    assert!(matches!(collector.create(&policy, false), Err(CollectError::NotUnderstood)));
    assert_eq!(front.seen().len(), 1);
}

#[test]
fn a_collector_that_is_away_ends_patience() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let connection = manager_at(&nobody).with_patience(Duration::ZERO);
    let error = Collector::open(connection).unwrap().create(&policy("Away"), false).unwrap_err();
    assert_eq!((error.code(), error.to_string().contains(&nobody)), ("network", true));
}

/// A program that ends between the draw and the answer sends the same bytes when it is started again, whatever is answered then.
#[test]
fn a_report_that_was_drawn_is_sent_whatever_happens() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let impatient = manager_at(&front.address).with_patience(Duration::ZERO);
    let ledger = server.folder.path().join("my.ledger");
    let policy = policy("Interrupted");
    let mut collector = Collector::open(impatient).unwrap();
    collector.create(&policy, false).unwrap();
    let collection = collector.collection(policy.id()).unwrap();

    // Before anything is sent.
    let drawn = Device::open(&ledger).unwrap().prepare(&policy, &answers("walk"), today()).unwrap();
    assert!(!drawn.is_repeated);
    // Before the collector has it, and after it has it.
    for (act, commute) in [(Act::HangUp, "bicycle"), (Act::LoseTheAnswer, "bus")] {
        front.expect([act]);
        let mut device = Device::open(&ledger).unwrap();
        let error = collector.answer(&collection, &mut device, &answers(commute), today()).unwrap_err();
        assert_eq!(error.code(), "network");
        assert_eq!(submissions(&front.seen()), [drawn.bytes.as_slice()]);
    }
    front.expect([]);
    let mut device = Device::open(&ledger).unwrap();
    let answered = collector.answer(&collection, &mut device, &answers("car"), today()).unwrap();
    assert_eq!((answered.is_repeated, answered.is_duplicate, answered.spent_epsilon), (true, true, 1.0));
    assert_eq!(submissions(&front.seen()), [drawn.bytes.as_slice()]);
    assert_eq!(counted(&mut collector, &collection), 1);
    // Two programs do not answer for one person at once.
    assert_eq!(Device::open(&ledger).unwrap_err().code(), "ledger-in-use");
}
