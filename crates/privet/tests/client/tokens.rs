//! One-time tokens.

use crate::front::{Act, Front};
use crate::support::{Server, answers, counted, day, manager_at, policy, reports, today};
use privet::client::{CollectError, Collector, Connection, Device};
use std::time::Duration;

#[test]
fn one_person_counts_once_and_a_token_is_spent_once() {
    let server = Server::start();
    let mut manager = server.manager();
    let policy = policy("With tokens");
    manager.create(&policy, true).unwrap();
    let collection = manager.collection(policy.id()).unwrap();
    let key = collection.token_key().unwrap();

    // The person asks, somebody who may signs, and the person sends the report without any right.
    let mut device = Device::open(&server.folder.path().join("one.ledger")).unwrap();
    let mut person = Collector::open(Connection::to(&format!("http://{}", server.address()))).unwrap();
    let report = device.prepare(&policy, &answers("bus"), today()).unwrap().bytes;
    let id = privet::policy::ReportCodec::new(policy.clone()).decode(&report).unwrap().id();
    let request = device.token_request(&policy, id, key).unwrap();
    let refused = person.sign(&collection, request.blinded()).unwrap_err();
    assert_eq!(refused.code(), "unauthorized");
    let signature = manager.sign(&collection, request.blinded()).unwrap();
    let token = request.finish(&signature).unwrap();
    assert!(!person.send(&collection, &report, Some(&token)).unwrap());
    assert!(person.send(&collection, &report, Some(&token)).unwrap());

    // Another report with the same token is refused, and one without a token.
    let other = reports(&policy, 1);
    assert_eq!(person.send(&collection, &other, Some(&token)).unwrap_err().code(), "token-spent");
    assert_eq!(person.send(&collection, &other, None).unwrap_err().code(), "report-length");
    // Other signatures are noticed on the device.
    let mut changed = signature;
    changed[100] ^= 1;
    assert!(matches!(request.finish(&changed), Err(CollectError::Signature)));
    assert!(matches!(request.finish(&[]), Err(CollectError::Signature)));
    assert_eq!(counted(&mut manager, &collection), 1);
}

/// Interrupted anywhere between the draw and the answer, the same blinded token is asked for and the same bytes are sent.
#[test]
fn a_token_is_neither_lost_nor_spent_twice() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let mut manager = Collector::open(manager_at(&front.address).with_patience(Duration::ZERO)).unwrap();
    let policy = policy("Interrupted tokens");
    manager.create(&policy, true).unwrap();
    let collection = manager.collection(policy.id()).unwrap();
    let ledger = server.folder.path().join("my.ledger");
    let mut seen = Vec::new();
    for acts in [
        vec![Act::HangUp],
        vec![Act::LoseTheAnswer],
        vec![Act::Pass, Act::HangUp],
        vec![Act::Pass, Act::LoseTheAnswer],
        vec![],
    ] {
        let is_last = acts.is_empty();
        front.expect(acts);
        // The program starts anew each time.
        let mut device = Device::open(&ledger).unwrap();
        let sent = manager.answer(&collection, &mut device, &answers("car"), today());
        match sent {
            Ok(answered) => assert!(is_last && answered.is_repeated && answered.is_duplicate),
            Err(error) => assert!(!is_last && error.code() == "network", "{error}"),
        }
        seen.extend(front.seen());
    }
    let of = |end: &str| -> Vec<&[u8]> {
        seen.iter().filter(|seen| seen.line.ends_with(end)).map(|seen| seen.body.as_slice()).collect()
    };
    let (asked, sent) = (of("/tokens"), of("/reports"));
    assert_eq!((asked.len(), sent.len()), (5, 3));
    assert!(asked.iter().all(|body| *body == asked[0]) && sent.iter().all(|body| *body == sent[0]));
    assert_eq!(counted(&mut manager, &collection), 1);
    // The next day has another report and another token.
    front.expect([]);
    let mut device = Device::open(&ledger).unwrap();
    let next = manager.answer(&collection, &mut device, &answers("car"), day("2026-03-16")).unwrap();
    assert!(!next.is_repeated && !next.is_duplicate);
    assert_ne!(front.seen()[0].body, asked[0]);
}

#[test]
fn tables_get_a_token_for_each_report() {
    let server = Server::start();
    let mut manager = server.manager();
    let policy = policy("A table with tokens");
    manager.create(&policy, true).unwrap();
    let collection = manager.collection(policy.id()).unwrap();
    let all = reports(&policy, 12);
    let sent = manager.submit(&collection, &all).unwrap();
    assert_eq!((sent.accepted, sent.duplicates, sent.refused), (12, 0, 0));
    // Sent again, they count once and their new tokens are not spent.
    let again = manager.submit(&collection, &all).unwrap();
    assert_eq!((again.accepted, again.duplicates), (0, 12));
    // Whoever has no right to tokens cannot send a table.
    let mut person = Collector::open(Connection::to(&format!("http://{}", server.address()))).unwrap();
    assert_eq!(person.submit(&collection, &all).unwrap_err().code(), "unauthorized");
}
