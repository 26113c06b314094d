//! What is acknowledged survives a kill.

use crate::postgres::Postgres;
use crate::scenarios::assert_same_again;
use crate::support::{MANAGER, POLICY, Server, Visitor, reports, resolve, usual_config};
use privet_collector::{Collector, StoreAddress};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const STORE: &str = "PRIVET_TEST_STORE";

/// Not a test: the program that is killed.
#[test]
#[ignore = "started by the tests that kill it"]
fn collector_that_is_killed() {
    let Ok(store) = std::env::var(STORE) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let collector = runtime.block_on(Collector::start(usual_config(store.parse().unwrap()))).unwrap();
    println!("\nlistening on {}", collector.address());
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

struct Victim {
    child: Child,
    url: String,
}

impl Victim {
    fn start(store: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::collector_that_is_killed", "--ignored", "--nocapture"])
            .env(STORE, store)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
        Self { child, url: format!("http://{}", address.expect("it says where it listens")) }
    }

    fn manager(&self) -> Visitor {
        Visitor::new(&self.url).with_token(MANAGER)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills a collector again and again while people report; whatever was acknowledged counts, and nothing counts twice.
fn killed(store: &str, kills: u64) {
    let policy = resolve(POLICY);
    let all = reports(&policy, 12_000, 31);
    let requests: Vec<&[Vec<u8>]> = all.chunks(7).collect();
    let collection = Victim::start(store).manager().create(POLICY);
    let (waiting, acknowledged) =
        (Mutex::new((0..requests.len()).collect::<Vec<_>>()), Mutex::new(BTreeSet::new()));
    for kill in 0..kills {
        let mut victim = Victim::start(store);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let visitor = Visitor::new(&victim.url);
                let (waiting, acknowledged, requests, collection) =
                    (&waiting, &acknowledged, &requests, &collection);
                scope.spawn(move || {
                    while let Some(request) = { waiting.lock().unwrap().pop() } {
                        let path = format!("{collection}/reports");
                        let body = requests[request].concat();
                        let reply = visitor.try_request("POST", &path, "application/octet-stream", &body);
                        if reply.is_ok_and(|reply| reply.status == 200) {
                            acknowledged.lock().unwrap().insert(request);
                        } else {
                            // Sent again, to the next one.
                            waiting.lock().unwrap().push(request);
                            return;
                        }
                    }
                });
            }
            // The first request makes the mechanisms of the policy, which takes a while.
            let before = acknowledged.lock().unwrap().len();
            let begin = Instant::now();
            while acknowledged.lock().unwrap().len() == before && begin.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_millis(17 * kill % 50));
            victim.child.kill().unwrap();
        });
    }
    let last = Victim::start(store);
    let manager = last.manager();
    let sent = acknowledged.lock().unwrap().len();
    let rest: Vec<u8> =
        waiting.into_inner().unwrap().into_iter().flat_map(|request| requests[request].concat()).collect();
    assert_eq!(manager.submit(&collection, &rest).status, 200);
    assert!(
        sent as u64 >= kills && sent < requests.len(),
        "{sent} requests were acknowledged before the last kill"
    );
    assert_eq!(manager.reports(&collection), all.len() as u64);
    assert_same_again(&manager, &collection, all.len() as u64);
    crate::scenarios::assert_same_estimates(&manager, &collection, POLICY, &all);
}

#[test]
fn acknowledged_reports_survive_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    killed(&format!("sqlite:{}", folder.path().join("store.db").display()), 4);
}

#[test]
fn acknowledged_reports_survive_on_postgres() {
    let Some(postgres) = Postgres::start() else { return };
    let StoreAddress::Postgres(url) = postgres.address() else { panic!("it is one") };
    killed(&url, 3);
}

/// Stopping is not killing: what waits is stored and answered.
#[test]
fn stopping_answers_everybody() {
    let mut server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    let all = reports(&resolve(POLICY), 400, 32);
    let (url, counted) = (server.url(), Mutex::new(0));
    std::thread::scope(|scope| {
        for mine in all.chunks(100) {
            let (visitor, collection, counted) = (Visitor::new(&url), &collection, &counted);
            scope.spawn(move || {
                for report in mine {
                    let path = format!("{collection}/reports");
                    match visitor.try_request("POST", &path, "application/octet-stream", report) {
                        Ok(reply) if reply.status == 200 => *counted.lock().unwrap() += 1,
                        _ => return,
                    }
                }
            });
        }
        std::thread::sleep(Duration::from_millis(30));
        server.restart();
    });
    let counted = counted.into_inner().unwrap();
    // A request that was cut off before its body arrived was not stored; all others were answered.
    assert_eq!(server.visitor().reports(&collection), counted);
}
