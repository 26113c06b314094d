//! From a policy to estimates, and what can be wrong with the collector.

use crate::front::{Act, Front};
use crate::support::{MANAGER, Server, counted, manager_at, policy, reports};
use privet::client::{CollectError, Collector, Connection, Wanted};
use privet_collector::TlsFiles;
use std::process::Command;
use std::time::Duration;

#[test]
fn many_reports_go_in_several_requests() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let mut manager = Collector::open(manager_at(&front.address)).unwrap();
    let policy = policy("Many");
    assert!(manager.create(&policy, false).unwrap());
    assert!(!manager.create(&policy, false).unwrap());
    let collection = manager.collection(policy.id()).unwrap();
    let mut all = reports(&policy, 60_000);
    // The last one but one is broken, so it is refused by its place among all.
    let length = all.len() / 60_000;
    all[59_998 * length] = 77;
    front.expect([]);
    let sent = manager.submit(&collection, &all).unwrap();
    assert_eq!((sent.accepted, sent.refused), (59_999, 1));
    assert_eq!((sent.problems[0].index, sent.problems[0].code.as_str()), (59_998, "report-version"));
    let requests = front.seen();
    assert!(requests.len() == 2 && requests.iter().all(|request| request.body.len() <= 1 << 20));
    let wanted = Wanted { attribute: Some("commute".to_owned()), fresh: true, ..Wanted::default() };
    let results = manager.results(policy.id(), &wanted).unwrap();
    assert_eq!(results["estimates"][0]["n"], 59_999);
    let unknown = Wanted { attribute: Some("a & b".to_owned()), ..Wanted::default() };
    assert_eq!(manager.results(policy.id(), &unknown).unwrap_err().code(), "name-unknown");
    let cut = manager.submit(&collection, &all[1..]).unwrap_err();
    assert_eq!(cut.code(), "report-length");
}

#[test]
fn another_policy_is_refused() {
    let server = Server::start();
    let front = Front::before(&server.address());
    let mut manager = Collector::open(manager_at(&front.address)).unwrap();
    let (wanted, other) = (policy("The one that was meant"), policy("A more curious one"));
    manager.create(&wanted, false).unwrap();
    let said = |text: &str| Act::Say { status: 200, headers: "", body: text.as_bytes().to_vec() };
    front.expect([said(other.to_json())]);
    assert!(matches!(manager.collection(wanted.id()), Err(CollectError::OtherPolicy)));
    front.expect([said(&wanted.to_json().replace("bicycle lanes", "car parks"))]);
    assert!(matches!(manager.collection(wanted.id()), Err(CollectError::OtherPolicy)));
    front.expect([said("no policy at all")]);
    assert!(matches!(manager.collection(wanted.id()), Err(CollectError::NotUnderstood)));
    front.expect([said(&format!("{{\"id\":\"{}\",\"created\":true}}", other.id()))]);
    assert!(matches!(manager.create(&wanted, false), Err(CollectError::OtherPolicy)));
    assert!(manager.collection(wanted.id()).is_ok());
    assert_eq!(manager.collection(other.id()).unwrap_err().code(), "collection-unknown");
}

#[test]
fn a_collection_that_is_closed_in_between_says_so() {
    let server = Server::start();
    let mut manager = server.manager();
    let policy = policy("Closed");
    manager.create(&policy, false).unwrap();
    let collection = manager.collection(policy.id()).unwrap();
    let all = reports(&policy, 6);
    let half = all.len() / 2;
    assert_eq!(manager.submit(&collection, &all[..half]).unwrap().accepted, 3);
    let close = format!("http://{}/v1/collections/{}/close", server.address(), policy.id());
    let closed = ureq::post(&close).header("authorization", format!("Bearer {MANAGER}")).send_empty();
    assert_eq!(closed.unwrap().status(), 204);
    let late = manager.submit(&collection, &all[half..]).unwrap();
    assert_eq!((late.accepted, late.refused), (0, 3));
    assert!(late.problems.iter().all(|problem| problem.code == "collection-closed"));
    let alone = manager.send(&collection, &all[half..half + all.len() / 6], None).unwrap_err();
    assert_eq!(alone.code(), "collection-closed");
    assert_eq!(counted(&mut manager, &collection), 3);
}

#[test]
fn own_certificates_are_trusted_and_no_others() {
    let mut made = None;
    let server = Server::start_with(|config, folder| {
        let files =
            TlsFiles { certificate: folder.path().join("certificate"), key: folder.path().join("key") };
        let output = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(&files.key)
            .arg("-out")
            .arg(&files.certificate)
            .output();
        if output.is_ok_and(|output| output.status.success()) {
            made = std::fs::read(&files.certificate).ok();
            config.tls = Some(files);
        }
    });
    let Some(certificate) = made else {
        assert!(std::env::var_os("CI").is_none(), "openssl is missing");
        eprintln!("skipped: openssl is missing");
        return;
    };
    let connection = Connection::to(&format!("https://{}", server.address()))
        .with_bearer(MANAGER)
        .with_patience(Duration::ZERO);
    let policy = policy("Encrypted");
    let mut stranger = Collector::open(connection.clone()).unwrap();
    assert_eq!(stranger.create(&policy, false).unwrap_err().code(), "network");
    let mut manager = Collector::open(connection.clone().trusting(&certificate)).unwrap();
    assert!(manager.create(&policy, false).unwrap());
    let none = Collector::open(connection.trusting(b"no certificate")).unwrap_err();
    assert!(matches!(none, CollectError::NoCertificate));
}

#[test]
fn nothing_secret_is_shown() {
    let connection = Connection::to("nowhere").with_bearer("a-token-that-is-secret");
    assert!(!format!("{connection:?}").contains("secret"));
    let error = Collector::open(connection).unwrap().create(&policy("Nowhere"), false).unwrap_err();
    assert!(
        matches!(error, CollectError::Address { .. }) && !error.to_string().contains("secret"),
        "{error}"
    );
}
