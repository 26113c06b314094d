//! Whatever is sent, the collector answers with a problem and goes on.

use crate::support::{POLICY, Server, reports, resolve};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn no_bytes_end_the_collector() {
    let server = Server::sqlite();
    let (manager, collection) = (server.manager(), server.manager().create(POLICY));
    let sound = reports(&resolve(POLICY), 1, 1).remove(0);
    let paths = [
        ("/v1/collections".to_owned(), "application/toml"),
        ("/v1/collections".to_owned(), "application/json"),
        (format!("{collection}/reports"), "application/octet-stream"),
        (format!("{collection}/reports"), "application/json"),
        (format!("{collection}/summaries"), "application/json"),
        (format!("{collection}/tokens"), "application/octet-stream"),
    ];
    let mut runner = TestRunner::new(Config { cases: 150, failure_persistence: None, ..Config::default() });
    let strange = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        "[\\[\\]{}\":, a-z0-9=\n]{0,200}".prop_map(String::into_bytes),
        // A sound report with some bytes exchanged.
        prop::collection::vec((0..sound.len(), any::<u8>()), 1..4).prop_map(move |changes| {
            let mut report = sound.clone();
            changes.into_iter().for_each(|(at, byte)| report[at] = byte);
            report
        }),
    ];
    let input = (0..paths.len(), strange);
    runner
        .run(&input, |(path, body)| {
            let reply = manager.post(&paths[path].0, paths[path].1, &body);
            prop_assert!(reply.status < 500, "{:?}", reply);
            if reply.status >= 400 {
                reply.problem();
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(manager.get("/healthz").status, 200);
}
