//! How fast it is, beside the store's own speed in the same run. Measured in release, alone on the machine.

use crate::support::{EPOCH, POLICY, Server, outcomes, reports, resolve};
use rusqlite::{Connection, params};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Sound reports without end: a few, each with a new id.
struct Reports {
    some: Vec<Vec<u8>>,
    next: u64,
    thread: u64,
}

impl Reports {
    fn new(thread: u64) -> Self {
        let some = reports(&resolve(POLICY), 1000, 41);
        Self { some, next: 0, thread }
    }

    fn next(&mut self) -> &[u8] {
        let index = self.next as usize % self.some.len();
        // A mixed counter: as spread out as random ids, and never twice the same.
        let mixed = (self.next + (self.thread << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.next += 1;
        let report = &mut self.some[index];
        report[10..18].copy_from_slice(&(mixed ^ (mixed >> 29)).to_be_bytes());
        report[18..26].copy_from_slice(&mixed.to_le_bytes());
        report[26..30].copy_from_slice(&EPOCH.to_le_bytes());
        report
    }

    fn batch(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count * self.some[0].len());
        (0..count).for_each(|_| bytes.extend_from_slice(self.next()));
        bytes
    }
}

/// A connection that costs the machine as little as possible.
struct Connected {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Connected {
    fn new(server: &Server, collection: &str) -> Self {
        let stream = TcpStream::connect(server.url().strip_prefix("http://").unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        let head = format!(
            "POST {collection}/reports HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: "
        );
        Self { stream: BufReader::new(stream), head }
    }

    fn send(&mut self, body: &[u8]) {
        let head = format!("{}{}\r\n\r\n", self.head, body.len());
        let stream = self.stream.get_mut();
        stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
        let (mut line, mut length, mut status) = (String::new(), 0, String::new());
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            if status.is_empty() {
                status = line.clone();
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut answer = vec![0; length];
        self.stream.read_exact(&mut answer).unwrap();
        assert!(status.contains(" 200 "), "{status}{}", String::from_utf8_lossy(&answer));
    }
}

/// Reports each second into the same tables without a collector.
fn bulk_insert_rate(count: usize, batch: usize) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("bulk.db")).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
             PRAGMA wal_autocheckpoint = 16384;
             CREATE TABLE reports (sequence INTEGER PRIMARY KEY, day INTEGER NOT NULL, bytes BLOB NOT NULL);
             CREATE TABLE report_ids (collection INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL,
                PRIMARY KEY (collection, id)) WITHOUT ROWID;",
        )
        .unwrap();
    let mut reports = Reports::new(99);
    let (mut time, mut sequence) = (Duration::ZERO, 0i64);
    for _ in 0..count / batch {
        let bytes = reports.batch(batch);
        let begin = Instant::now();
        let length = bytes.len() / batch;
        let mut sorted: Vec<&[u8]> = bytes.chunks_exact(length).collect();
        sorted.sort_unstable_by_key(|report| &report[10..26]);
        connection.execute_batch("BEGIN").unwrap();
        let mut ids = connection.prepare_cached("INSERT INTO report_ids VALUES (1, ?1, ?2)").unwrap();
        let mut rows = connection.prepare_cached("INSERT INTO reports VALUES (?1, 20000, ?2)").unwrap();
        for report in sorted {
            sequence += 1;
            ids.execute(params![&report[10..26], sequence]).unwrap();
            rows.execute(params![sequence, report]).unwrap();
        }
        connection.execute_batch("COMMIT").unwrap();
        time += begin.elapsed();
    }
    count as f64 / time.as_secs_f64()
}

fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn batches_are_stored_at_half_the_speed_of_the_store_itself() {
    const BATCH: usize = 10_000;
    const REPORTS: usize = 5_000_000;
    let bulk = bulk_insert_rate(REPORTS, 4 * BATCH);
    let server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    assert_eq!(server.visitor().reports(&collection), 0);
    let (done, memory) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (server, collection, done, memory) = (&server, &collection, &done, &memory);
            scope.spawn(move || {
                let (mut connected, mut reports) = (Connected::new(server, collection), Reports::new(thread));
                for _ in 0..REPORTS / BATCH / 4 {
                    connected.send(&reports.batch(BATCH));
                    let done = done.fetch_add(BATCH, Ordering::Relaxed) + BATCH;
                    if done.is_multiple_of(1_000_000) {
                        let megabytes = resident_megabytes();
                        println!("{done} reports, {:.1} s, {megabytes} MB", begin.elapsed().as_secs_f64());
                        memory.lock().unwrap().push(megabytes);
                    }
                }
            });
        }
    });
    let rate = REPORTS as f64 / begin.elapsed().as_secs_f64();
    println!("bulk insert {bulk:.0}/s, collector {rate:.0}/s, {:.0} %", 100.0 * rate / bulk);
    let visitor = server.visitor();
    for query in ["?attribute=commute", "?attribute=minutes", "?attribute=stops"] {
        visitor.estimates(&collection, query);
        // The best of some: the machine may be busy with what the load has left behind.
        let ask = |_| {
            let begin = Instant::now();
            assert_eq!(visitor.estimates(&collection, query)[0]["n"], REPORTS);
            begin.elapsed()
        };
        let time = (0..5).map(ask).min().unwrap();
        println!("estimate {query}: {time:?}");
        assert!(time < Duration::from_millis(50), "{time:?}");
    }
    assert!(rate > 100_000.0 && rate > bulk / 2.0);
    // The filters of ids take a byte and a half for each report, which is 6 MB here; everything else has its limit.
    let memory = memory.into_inner().unwrap();
    assert!(memory[4] < memory[0] + 20, "{memory:?} MB");
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn single_reports_share_transactions() {
    const CONNECTIONS: u64 = 64;
    const EACH: usize = 1000;
    let server = Server::sqlite();
    let collection = server.manager().create(POLICY);
    let mut first = Reports::new(77);
    assert_eq!(outcomes(&server.visitor().submit(&collection, first.next())), [1, 0, 0]);
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..CONNECTIONS {
            let (server, collection) = (&server, &collection);
            scope.spawn(move || {
                let (mut connected, mut reports) = (Connected::new(server, collection), Reports::new(thread));
                (0..EACH).for_each(|_| connected.send(reports.next()));
            });
        }
    });
    let rate = (CONNECTIONS as usize * EACH) as f64 / begin.elapsed().as_secs_f64();
    println!("{rate:.0} single-report requests each second");
    assert!(rate > 5000.0);
}
