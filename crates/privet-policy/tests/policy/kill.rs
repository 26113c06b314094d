//! A device that dies at any moment: nothing that left it is unrecorded.

use crate::{one_attribute, resolve};
use privet_core::Generator;
use privet_policy::ledger::{FileLedger, Ledger};
use privet_policy::{Answers, Client, Date};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const LEDGER: &str = "PRIVET_TEST_LEDGER";
const ROUNDS: u64 = 12;

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Answers day after day and prints each report, until it is killed.
fn answer_for_ever(path: &Path, seed: u8) {
    let attribute = "domain = \"binary\"\ngoal = \"frequency\"\nepsilon = 0.001";
    let top = "epoch = \"day\"\nanswers = \"every-epoch\"";
    let text = one_attribute(top, "epsilon = 1000\nperiod = \"collection\"", attribute)
        .replace("2026-12-31", "2999-12-31");
    let policy = resolve(&text).unwrap();
    let mut ledger = Ledger::open(FileLedger::open(path).unwrap()).unwrap();
    let mut rng = Generator::from_entropy([seed; 32]);
    let answers = Answers::new().value("a", "1");
    let first = policy.terms().opens.days_since_1970() + ledger.records().len() as u32;
    for days in first.. {
        let today = Date::from_days_since_1970(days).unwrap();
        let report = Client::new([1; 32]).answer(&policy, &answers, &mut ledger, &mut rng, today).unwrap();
        println!("report {}", digits(&report.bytes));
        std::io::stdout().flush().unwrap();
    }
}

/// What the child process runs; without the variable it is a test of nothing and passes.
#[test]
fn child() {
    if let Some(path) = std::env::var_os(LEDGER) {
        answer_for_ever(Path::new(&path), std::process::id() as u8);
    }
}

#[test]
fn every_report_that_left_is_in_the_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ledger");
    let mut left: Vec<String> = Vec::new();
    for round in 0..ROUNDS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::child", "--nocapture", "--test-threads", "1"])
            .env(LEDGER, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // From during the first write on, to some way into the run.
        let wanted = (round * 7) % 5;
        let mut seen = 0;
        while seen < wanted {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, report)) = line.split_once("report ") {
                left.push(report.to_owned());
                seen += 1;
            }
        }
        std::thread::sleep(std::time::Duration::from_micros(round * 137));
        child.kill().unwrap();
        child.wait().unwrap();
        // What was on its way when the child died has left it too; a last line without an end has not arrived.
        let rest = lines.map_while(Result::ok);
        left.extend(
            rest.filter_map(|line| Some(line.split_once("report ")?.1.to_owned()))
                .filter(|line| line.len() == 62),
        );
        let ledger = Ledger::open(FileLedger::open(&path).unwrap()).unwrap();
        let recorded: Vec<String> = ledger.records().iter().map(|record| digits(&record.report)).collect();
        assert!(left.iter().all(|report| recorded.contains(report)), "round {round}");
        assert!(
            recorded.len() <= left.len() + round as usize + 1,
            "at most one report of each round was not handed out"
        );
        let mut epochs: Vec<u32> = ledger.records().iter().map(|record| record.epoch).collect();
        epochs.dedup();
        assert_eq!(epochs.len(), recorded.len(), "no day was answered twice");
    }
    assert!(left.len() >= 12, "{}", left.len());
}
