//! Helpers and people as processes: the roles `joint pair` and `joint perturb`, as anybody would start them.

use super::{Course, Script};
use crate::failure::Failure;
use crate::progress::Progress;
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const COLLECTION: &str = "privet joint demo";

/// A process that ends with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended by itself, unless something went wrong.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How a person took part, and what they reported.
struct Report {
    is_alone: bool,
    is_one: bool,
}

/// Holds the collection. The reports are files, which this process reads as the collector.
pub(super) fn hold(script: &Script) -> Result<Course, Failure> {
    let program = std::env::current_exe()?;
    let folder = tempfile::tempdir()?;
    let addresses = free_addresses(script.helpers)?;
    let start = |index| start_helper(&program, script, index, &addresses);
    let helpers = (0..script.helpers).map(start).collect::<Result<Vec<Process>, Failure>>()?;
    let people: Vec<_> = (0..script.users)
        .map(|person| {
            let own = Person {
                program: program.clone(),
                folder: folder.path().join(format!("person{person}")),
                addresses: addresses.clone(),
                script: script.clone(),
                value: person < script.ones,
            };
            thread::spawn(move || own.take_part())
        })
        .collect();
    let mut course = Course::default();
    let mut progress = Progress::new("people", Some(script.users));
    for person in people {
        match person.join().map_err(|_| broken("a person"))? {
            Ok(report) => {
                course.reports += 1;
                course.reported_ones += u64::from(report.is_one);
                *if report.is_alone { &mut course.alone } else { &mut course.together } += 1;
            }
            Err(_) => course.left_out += 1,
        }
        progress.add(1);
    }
    for helper in helpers {
        course.pairing = course.pairing.max(pairing_time(helper)?);
    }
    Ok(course)
}

/// Addresses at which nobody listens now.
fn free_addresses(count: usize) -> Result<String, Failure> {
    let listeners = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<Vec<_>, _>>()?;
    let addresses = listeners.iter().map(|listener| listener.local_addr().map(|address| address.to_string()));
    Ok(addresses.collect::<Result<Vec<_>, _>>()?.join(","))
}

fn start_helper(program: &Path, script: &Script, index: usize, addresses: &str) -> Result<Process, Failure> {
    let mut command = Command::new(program);
    command.args(["joint", "pair", "helper", "--json", "--collection", COLLECTION, "--helpers", addresses]);
    command.args(["--index", &index.to_string(), "--participants", &script.users.to_string()]);
    command.args(["--method", script.method.name(), "--linger", "20"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    Ok(Process(command.spawn()?))
}

/// Waits for a helper's own report.
fn pairing_time(mut helper: Process) -> Result<Duration, Failure> {
    let stdout = helper.0.stdout.take().ok_or_else(|| broken("a helper"))?;
    let report: Value = serde_json::from_reader(stdout).map_err(|_| broken("a helper"))?;
    let milliseconds = report["milliseconds"].as_f64().ok_or_else(|| broken("a helper"))?;
    Duration::try_from_secs_f64(milliseconds / 1e3).map_err(|_| broken("a helper"))
}

/// A person with a value and a folder of their own.
struct Person {
    program: PathBuf,
    folder: PathBuf,
    addresses: String,
    script: Script,
    value: bool,
}

impl Person {
    fn take_part(&self) -> Result<Report, Failure> {
        std::fs::create_dir(&self.folder)?;
        std::fs::write(self.folder.join("value"), u8::from(self.value).to_string())?;
        self.run(&["pair", "participant", "--helpers", &self.addresses, "--out", "mailbox"])?;
        let is_alone = !self.folder.join("mailbox").exists();
        let relay = self.addresses.split(',').next().unwrap_or_default();
        let partner = if is_alone { vec!["--alone"] } else { vec!["--mailbox", "mailbox", "--relay", relay] };
        let (p, rho) = (self.script.p.to_string(), self.script.rho.to_string());
        let perturb =
            ["perturb", "--p", &p, "--rho", &rho, "--in", "value", "--ledger", ".", "--out", "report"];
        self.run(&[&perturb[..], &partner].concat())?;
        let report: Value = serde_json::from_slice(&std::fs::read(self.folder.join("report"))?)
            .map_err(|_| broken("a person"))?;
        Ok(Report { is_alone, is_one: report["value"] == 1 })
    }

    fn run(&self, arguments: &[&str]) -> Result<(), Failure> {
        let mut command = Command::new(&self.program);
        command.arg("joint").args(arguments).args(["--collection", COLLECTION]).current_dir(&self.folder);
        let output = command.stdin(Stdio::null()).output()?;
        if output.status.success() { Ok(()) } else { Err(broken("a person")) }
    }
}

fn broken(who: &str) -> Failure {
    Failure::Data { message: format!("{who} of the demo broke off"), hint: None }
}
