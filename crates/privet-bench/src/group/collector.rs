//! Reports over HTTP into the store, beside the store alone.

use crate::BenchError;
use crate::task::{Group, Task};
use crate::timing::{Measured, Patience};
use privet::Generator;
use privet::policy::{Answers, Client, Date, ResolvedPolicy};
use privet_collector::{Clock, Collector, Config, ServeError, StoreAddress};
use rusqlite::{Connection, params};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// How people's programs send: the connections at once, the requests of each in a round, and the reports of a request.
#[derive(Debug, Clone, Copy)]
struct Load {
    connections: usize,
    requests: usize,
    reports: usize,
}

impl Load {
    fn all_reports(self) -> usize {
        self.connections * self.requests * self.reports
    }
}

const BATCHES: Load = Load { connections: 4, requests: 1, reports: 10_000 };
const SINGLE: Load = Load { connections: 16, requests: 10, reports: 1 };

pub(crate) fn tasks() -> Vec<Task> {
    vec![
        Task::new(Group::Collector, "collector-batches", |patience| {
            let alone = "as many rows into the same SQLite tables in one transaction, without a collector";
            let note =
                format!("{alone}; {} connections send {} at a time", BATCHES.connections, BATCHES.reports);
            ingest(BATCHES, BATCHES.all_reports(), note, patience)
        }),
        Task::new(Group::Collector, "collector-single-reports", |patience| {
            let alone = "a transaction for each row into the same SQLite tables, without a collector";
            let note = format!("{alone}; {} connections send one report at a time", SINGLE.connections);
            ingest(SINGLE, 1, note, patience)
        }),
    ]
}

/// How many reports per second are kept, beside how many rows the store alone takes in transactions of this many.
fn ingest(load: Load, rows: usize, note: String, patience: Patience) -> Result<Measured, BenchError> {
    let host = Host::start()?;
    let mut alone = BareStore::new()?;
    let mut senders: Vec<Sender> =
        (0..load.connections).map(|number| Sender::new(&host, number as u64)).collect::<Result<_, _>>()?;
    let mut made_up = Reports::new(u64::MAX >> 40)?;
    let timed = patience.of_all_threads().take_turns(
        || {
            send_all(&mut senders, load)?;
            Ok::<_, BenchError>(load.all_reports())
        },
        || {
            for _ in 0..load.all_reports() / rows {
                alone.insert(&made_up.batch(rows), made_up.report_bytes())?;
            }
            Ok(load.all_reports())
        },
    );
    drop(senders);
    host.stop()?;
    Ok(timed?.in_units("reports/s", note))
}

fn send_all(senders: &mut [Sender], load: Load) -> Result<(), BenchError> {
    std::thread::scope(|scope| {
        let send = |sender: &mut Sender| (0..load.requests).try_for_each(|_| sender.send(load.reports));
        let threads: Vec<_> = senders.iter_mut().map(|sender| scope.spawn(move || send(sender))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(BenchError::Answer { status: "nothing".to_owned() }))
        })
    })
}

/// Three questions of three kinds and a public field.
const POLICY: &str = r#"
name = "How we travel"
purpose = "Measure how fast reports are kept"
origin = "https://bench.example"
opens = 2026-03-01
closes = 2026-03-31
epoch = "day"
minimum_reports = 100
contribution = "split"

[budget]
epsilon = 9
period = "collection"

[[attribute]]
name = "commute"
question = "How do you get to work?"
domain = "categories:walk,bicycle,bus,car"
goal = "frequency"
mechanism = "grr"
epsilon = 3

[[attribute]]
name = "minutes"
question = "How many minutes does it take?"
domain = "interval:0,120"
goal = "mean"
mechanism = "pm"
epsilon = 3

[[attribute]]
name = "stop"
question = "Which stop is next to you?"
domain = "categories:20"
goal = "frequency"
mechanism = "oue"
epsilon = 3

[[public]]
name = "region"
values = ["north", "south"]
"#;

/// The 15th of March, on which all reports are made.
const EPOCH: u32 = 14;

fn today() -> Option<Date> {
    Date::new(2026, 3, 15)
}

/// A collector in this process whose store is deleted when it ends.
struct Host {
    runtime: Runtime,
    collector: Collector,
    folder: TempDir,
    reports_path: String,
}

impl Host {
    fn start() -> Result<Self, BenchError> {
        let folder = tempfile::tempdir()?;
        let store = StoreAddress::Sqlite(folder.path().join("reports.db"));
        let mut config = Config::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), store);
        config.clock = today().map_or(Clock::System, Clock::at_noon);
        let runtime = Runtime::new()?;
        let collector = runtime.block_on(Collector::start(config))?;
        let mut connection = Connected::to(collector.address())?;
        let created = connection.post("/v1/collections", "application/toml", POLICY.as_bytes())?;
        let document: serde_json::Value = serde_json::from_slice(&created).unwrap_or_default();
        let id = document["id"].as_str().unwrap_or_default();
        let reports_path = format!("/v1/collections/{id}/reports");
        Ok(Self { runtime, collector, folder, reports_path })
    }

    fn stop(self) -> Result<(), BenchError> {
        let Self { runtime, collector, folder, .. } = self;
        let stopped: Result<(), ServeError> = runtime.block_on(collector.stop());
        // The store is closed when the last thread that uses it has ended.
        drop(runtime);
        folder.close()?;
        Ok(stopped?)
    }
}

/// A connection that costs the machine as little as possible.
struct Connected(BufReader<TcpStream>);

impl Connected {
    fn to(address: SocketAddr) -> Result<Self, BenchError> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Sends a body, and gives that of the answer.
    fn post(&mut self, path: &str, content_type: &str, body: &[u8]) -> Result<Vec<u8>, BenchError> {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: bench\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n\r\n"
        );
        self.0.get_mut().write_all(&[head.as_bytes(), body].concat())?;
        let (mut status, mut line, mut length) = (String::new(), String::new(), 0);
        self.0.read_line(&mut status)?;
        while self.0.read_line(&mut line)? > 2 {
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer)?;
        if status.contains(" 200 ") || status.contains(" 201 ") {
            Ok(answer)
        } else {
            Err(BenchError::Answer { status: status.trim().to_owned() })
        }
    }
}

/// Somebody's program.
struct Sender {
    connection: Connected,
    reports: Reports,
    path: String,
}

impl Sender {
    fn new(host: &Host, number: u64) -> Result<Self, BenchError> {
        let connection = Connected::to(host.collector.address())?;
        Ok(Self { connection, reports: Reports::new(number)?, path: host.reports_path.clone() })
    }

    fn send(&mut self, count: usize) -> Result<(), BenchError> {
        let body = self.reports.batch(count);
        self.connection.post(&self.path, "application/octet-stream", &body).map(drop)
    }
}

/// Sound reports without end: a few, each with a new id.
struct Reports {
    some: Vec<Vec<u8>>,
    next: u64,
    sender: u64,
}

const DISTINCT: usize = 256;

/// Where a report has its id.
const ID: std::ops::Range<usize> = 10..26;

impl Reports {
    fn new(sender: u64) -> Result<Self, BenchError> {
        let policy = ResolvedPolicy::read(POLICY, &mut |_| Err("there are no files here".to_owned()))?;
        let (client, mut rng) = (Client::new([9; 32]), Generator::from_entropy([7; 32]));
        let report = |person: usize| {
            let answers = Answers::new()
                .value("commute", ["walk", "bicycle", "bus", "car", "car"][person % 5])
                .value("minutes", &(person % 97).to_string())
                .value("stop", &(person % 20).to_string())
                .public("region", ["north", "south", "south"][person % 3]);
            client.perturb(&policy, &answers, EPOCH, &mut rng)
        };
        Ok(Self { some: (0..DISTINCT).map(report).collect::<Result<_, _>>()?, next: 0, sender })
    }

    fn report_bytes(&self) -> usize {
        self.some[0].len()
    }

    fn batch(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count * self.report_bytes());
        for _ in 0..count {
            // A mixed counter: as spread out as random ids, and never twice the same.
            let mixed = (self.next + (self.sender << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let id = u128::from(mixed ^ (mixed >> 29)) << 64 | u128::from(mixed);
            let report = &mut self.some[self.next as usize % DISTINCT];
            report[ID].copy_from_slice(&id.to_be_bytes());
            bytes.extend_from_slice(report);
            self.next += 1;
        }
        bytes
    }
}

/// The collector's tables without a collector.
struct BareStore {
    connection: Connection,
    rows: i64,
    // Deleted after the connection is closed.
    _folder: TempDir,
}

impl BareStore {
    fn new() -> Result<Self, BenchError> {
        let folder = tempfile::tempdir()?;
        let connection = Connection::open(folder.path().join("rows.db"))?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
             PRAGMA wal_autocheckpoint = 16384;
             CREATE TABLE reports (sequence INTEGER PRIMARY KEY, day INTEGER NOT NULL, bytes BLOB NOT NULL);
             CREATE TABLE report_ids (collection INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL,
                PRIMARY KEY (collection, id)) WITHOUT ROWID;",
        )?;
        Ok(Self { connection, rows: 0, _folder: folder })
    }

    /// Writes reports in one transaction, sorted as the collector sorts them.
    fn insert(&mut self, bytes: &[u8], report_bytes: usize) -> Result<(), BenchError> {
        let mut sorted: Vec<&[u8]> = bytes.chunks_exact(report_bytes).collect();
        sorted.sort_unstable_by_key(|report| &report[ID]);
        let transaction = self.connection.transaction()?;
        {
            let mut ids = transaction.prepare_cached("INSERT INTO report_ids VALUES (1, ?1, ?2)")?;
            let mut rows = transaction.prepare_cached("INSERT INTO reports VALUES (?1, 20000, ?2)")?;
            for report in sorted {
                self.rows += 1;
                ids.execute(params![&report[ID], self.rows])?;
                rows.execute(params![self.rows, report])?;
            }
        }
        Ok(transaction.commit()?)
    }
}
