//! A collector in a process of its own, and commands that talk to it.

#![cfg(unix)]
// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Folder, TRAVEL, people};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// The policy of the tests, open whenever they run.
fn policy() -> String {
    TRAVEL
        .replace("2026-03-01", "2026-01-01")
        .replace("2026-03-31", "2095-12-31")
        .replace("epoch = \"day\"", "epoch = \"month\"")
}

/// A collector that ends with its test.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(folder: &Folder, flags: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_privet"))
            .args(["serve", "--store", "sqlite:store.db", "--listen", "127.0.0.1:0", "--json"])
            .args(flags.split_whitespace())
            .current_dir(folder.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        // The document is closed by a line with a brace only.
        let lines: Vec<String> =
            stdout.lines().map_while(Result::ok).take_while(|line| line != "}").collect();
        let document: Value = serde_json::from_str(&format!("{}}}", lines.concat())).unwrap();
        Self { process, url: document["url"].as_str().unwrap().to_owned() }
    }

    /// Asks it to end, and waits until it has. Gives its log.
    fn stop(mut self) -> String {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
        std::io::read_to_string(self.process.stderr.take().unwrap()).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("travel.toml", policy());
    folder.write("manage.token", "the-token-of-the-manager\n");
    folder
}

/// Creates the collection and gives the flags that name it.
fn create(folder: &Folder, server: &Server) -> String {
    let at = format!("--collector {}", server.url);
    let created = folder.json(&format!("collect create {at} --policy travel.toml --token manage.token"));
    format!("{at} --collection {}", created["id"].as_str().unwrap())
}

#[test]
fn the_whole_way() {
    let folder = folder();
    let server = Server::start(&folder, "--manage-token manage.token");
    let refused = folder.run(&format!("collect create --collector {} --policy travel.toml", server.url));
    assert_eq!(refused.code, 2);
    assert_eq!(refused.stderr, "error: the collector refuses: this needs a bearer token [unauthorized]\n");
    let flags = create(&folder, &server);
    assert_eq!(create(&folder, &server), flags);
    folder.write("people.csv", people(1500));
    folder.succeed("perturb --policy travel.toml --in people.csv --out reports.csv");
    let sent = folder.json(&format!("collect submit {flags} --in reports.csv"));
    assert_eq!(
        (&sent["accepted"], &sent["duplicates"], &sent["refused"]),
        (&1500.into(), &0.into(), &0.into())
    );
    let log = server.stop();
    assert!(log.contains("\"message\":\"stopped\""), "{log}");
    // Another collector on the same file knows them.
    let server = Server::start(&folder, "--manage-token manage.token");
    let flags = create(&folder, &server);
    let again = folder.json(&format!("collect submit {flags} --in reports.csv"));
    assert_eq!((&again["accepted"], &again["duplicates"]), (&0.into(), &1500.into()));
    let results = folder.json(&format!("collect results {flags} --fresh"));
    let estimates = folder.json("estimate --policy travel.toml --in reports.csv");
    for (theirs, ours) in
        results["estimates"].as_array().unwrap().iter().zip(estimates["estimates"].as_array().unwrap())
    {
        let always = ["attribute", "n", "guarantee", "withheld", "method", "target"];
        let numbers = ["value", "standard_error", "bias_bound", "interval", "distribution", "quantiles"];
        for key in [&always[..], &numbers, &["estimates"]].concat() {
            assert_eq!(theirs[key], ours[key], "{key}");
        }
    }
    let drawn = folder.json(&format!("collect results {flags} --target population"));
    let ours = folder.json("estimate --policy travel.toml --in reports.csv --target population");
    let (theirs, ours) = (&drawn["estimates"][0], &ours["estimates"][0]);
    assert_eq!((&theirs["target"], &theirs["estimates"]), (&"population".into(), &ours["estimates"]));
    let wrong = folder.run(&format!("collect results {flags} --target everybody"));
    assert!(
        wrong.code == 2 && wrong.stderr.contains("a target is reported or population"),
        "{}",
        wrong.stderr
    );
    let text = folder.succeed(&format!("collect results {flags} --attribute commute --by region"));
    assert!(text.contains("commute, south") && !text.contains("minutes"), "{text}");
    let unknown = folder.run(&format!("collect results {flags} --attribute colour"));
    assert!(unknown.code == 2 && unknown.stderr.contains("[name-unknown]"), "{}", unknown.stderr);
}

#[test]
fn bad_reports_are_named_by_their_rows() {
    let folder = folder();
    let server = Server::start(&folder, "--manage-token manage.token");
    let flags = create(&folder, &server);
    folder.write("people.csv", people(5));
    folder.succeed("perturb --policy travel.toml --in people.csv --out reports.csv");
    let text = folder.text("reports.csv");
    // The epoch of the third report lies behind the end of the collection.
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut bad = lines.clone();
    bad[3].replace_range(52..60, "ffffff7f");
    folder.write("bad.csv", bad.join("\n"));
    let ending = folder.run(&format!("collect submit {flags} --in bad.csv --json"));
    let document: Value = serde_json::from_str(&ending.stdout).unwrap();
    assert_eq!((ending.code, &document["accepted"], &document["refused"]), (65, &4.into(), &1.into()));
    assert_eq!(
        (&document["problems"][0]["row"], &document["problems"][0]["code"]),
        (&3.into(), &"report-epoch".into())
    );
    assert!(ending.stderr.contains("row 3") && ending.stderr.contains("[report-epoch]"), "{}", ending.stderr);
    // Alone, and all of several.
    folder.write("bad.csv", format!("report\n{}\n", bad[3]));
    let alone = folder.run(&format!("collect submit {flags} --in bad.csv"));
    assert_eq!((alone.code, alone.stdout.as_str()), (65, "0 reports accepted, 0 there before, 1 refused\n"));
    folder.write("bad.csv", format!("report\n{0}\n{0}\n", bad[3]));
    let all = folder.run(&format!("collect submit {flags} --in bad.csv"));
    assert_eq!((all.code, all.stdout.as_str()), (65, "0 reports accepted, 0 there before, 2 refused\n"));
    // Seeded reports protect nobody, and are not even sent.
    folder.run("perturb --policy travel.toml --in people.csv --out seeded.csv --insecure-seed 1");
    let seeded = folder.run(&format!("collect submit {flags} --in seeded.csv"));
    assert!(seeded.code == 65 && seeded.stderr.contains("row 1"), "{}", seeded.stderr);
}

#[test]
fn a_person_answers_once_and_keeps_a_ledger() {
    let folder = folder();
    let server = Server::start(&folder, "--manage-token manage.token");
    let flags = create(&folder, &server);
    let line = format!("collect submit {flags} --answers - --ledger my.ledger --json");
    let answer = |line: &str, text: &str| folder.run_with(&line.split_whitespace().collect::<Vec<_>>(), text);
    let json = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let bus = r#"{"commute": "bus", "minutes": 12.5, "region": "north"}"#;
    let first = answer(&line, bus);
    assert_eq!((first.code, first.stderr.as_str()), (0, ""));
    let first = json(&first.stdout);
    assert_eq!(
        (&first["accepted"], &first["repeated"], &first["spent_epsilon"]),
        (&1.into(), &false.into(), &3.0.into())
    );
    // The same report goes again, whatever is answered now.
    let again = json(&answer(&line, &bus.replace("bus", "car")).stdout);
    assert_eq!(
        (&again["duplicates"], &again["repeated"], &again["report"]),
        (&1.into(), &true.into(), &first["report"])
    );
    assert_eq!(folder.read("my.ledger.secret").len(), 32);
    let limited = format!("collect submit {flags} --answers - --ledger other.ledger --limit 2.5");
    let refused = answer(&limited, bus);
    assert!(refused.code == 65 && refused.stderr.contains("[answer-origin-limit]"), "{}", refused.stderr);
    let wrong = answer(&limited, "{\"commute\": secret-balloon}");
    assert!(wrong.code == 65 && !wrong.stderr.contains("secret-balloon"), "{}", wrong.stderr);
    std::fs::remove_file(folder.path("my.ledger.secret")).unwrap();
    let lost = answer(&line, bus);
    assert!(lost.code == 74 && lost.stderr.contains("[ledger-damaged]"), "{}", lost.stderr);
}

/// Tables and a person's own report get their tokens on the way, if they are sent by somebody who may have them signed.
#[test]
fn reports_are_sent_with_tokens_where_they_are_needed() {
    let folder = folder();
    let server = Server::start(&folder, "--manage-token manage.token");
    let at = format!("--collector {}", server.url);
    let created = folder
        .json(&format!("collect create {at} --policy travel.toml --token manage.token --submission-tokens"));
    let flags = format!("{at} --collection {}", created["id"].as_str().unwrap());
    folder.write("people.csv", people(5));
    folder.succeed("perturb --policy travel.toml --in people.csv --out reports.csv");
    let refused = folder.run(&format!("collect submit {flags} --in reports.csv"));
    assert!(refused.code == 2 && refused.stderr.contains("[unauthorized]"), "{}", refused.stderr);
    let table = format!("collect submit {flags} --in reports.csv --token manage.token");
    assert_eq!(folder.json(&table)["accepted"], 5);
    assert_eq!(folder.json(&table)["duplicates"], 5);
    let own = format!("collect submit {flags} --answers - --ledger my.ledger --token manage.token --json");
    for (accepted, repeated) in [(1, false), (0, true)] {
        let answers = r#"{"commute": "bus", "minutes": 12.5, "region": "north"}"#;
        let ending = folder.run_with(&own.split_whitespace().collect::<Vec<_>>(), answers);
        let document: Value = serde_json::from_str(&ending.stdout).unwrap();
        assert_eq!((&document["accepted"], &document["repeated"]), (&accepted.into(), &repeated.into()));
    }
}

/// Something that is busy at first and does not answer at all then; the third time it answers.
#[test]
fn busy_collectors_are_asked_again() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let id = folder.json("policy check travel.toml")["policy"].as_str().unwrap().to_owned();
    let good = format!("{{\"id\":\"{id}\",\"created\":true}}");
    let busy =
        "HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned();
    let created =
        format!("HTTP/1.1 201 Created\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{good}", good.len());
    let serving = std::thread::spawn(move || {
        [busy, String::new(), created].map(|answer| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    break;
                }
            }
            let mut body = vec![0; length];
            std::io::Read::read_exact(&mut reader, &mut body).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            body
        })
    });
    let created = folder.json(&format!("collect create --collector {url} --policy travel.toml"));
    assert_eq!(created["id"], id);
    let [first, second, third] = serving.join().unwrap();
    assert!(first == second && second == third && !first.is_empty());
    // Nobody listens any more.
    let line = format!("collect create --collector {url} --policy travel.toml --patience 0");
    let ending = folder.run(&line);
    assert!(ending.code == 74 && ending.stderr.contains("[network]"), "{}", ending.stderr);
    let ending = folder.run("collect create --collector nowhere --policy travel.toml");
    assert_eq!(ending.code, 2, "{}", ending.stderr);
}

#[test]
fn wrong_flags_are_explained() {
    let folder = folder();
    folder.write("short.token", "short");
    for (flags, words) in [
        ("--store reports.db", "a store is written sqlite:FILE"),
        ("--store sqlite:r.db --manage-token short.token", "at least 16 visible characters"),
        ("--store sqlite:r.db --tls-key key.pem", "--tls-certificate <FILE>"),
    ] {
        let ending = folder.run(&format!("serve {flags}"));
        assert!(ending.code == 2 && ending.stderr.contains(words), "{}", ending.stderr);
    }
    let ending = folder.run("serve --store sqlite:none/r.db --listen 127.0.0.1:0");
    assert!(ending.code == 74 && ending.stderr.contains("[serve]"), "{}", ending.stderr);
    let ending = folder.run("collect results --collector http://localhost --collection 12");
    assert!(ending.code == 2 && ending.stderr.contains("64 hexadecimal digits"), "{}", ending.stderr);
}
