//! Helpers, people and collector as threads that talk over TCP.

use super::{Course, Script};
use crate::command::joint::pair::failed;
use crate::failure::Failure;
use crate::progress::Progress;
use privet::Generator;
use privet_joint::collection::{CollectionError, Collector, Outcome, Setting, take_part};
use privet_joint::pairing::{HelperTask, Meeting, PairingError, PairingReport, serve};
use privet_joint::two_party::MemoryLedger;
use privet_joint::wire::RunId;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long an answer may take; many people share one machine.
const TIME_OUT: Duration = Duration::from_secs(60);

/// A person needs little.
const STACK_BYTES: usize = 1 << 19;

/// Reports are spread over so much time for each person.
const REPORT_SPREAD: Duration = Duration::from_millis(10);

type PersonThread = JoinHandle<Result<Outcome, CollectionError>>;
type HelperThread = JoinHandle<Result<PairingReport, PairingError>>;

/// Holds the collection.
pub(super) fn hold(script: &Script, mut rng: Generator) -> Result<Course, Failure> {
    let bind = || TcpListener::bind("127.0.0.1:0");
    let listeners = (0..script.helpers).map(|_| bind()).collect::<Result<Vec<_>, _>>()?;
    let helpers = listeners.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?;
    let meeting = Meeting { helpers, run: RunId::derive(b"privet joint demo"), time_out: TIME_OUT };
    let stop = Arc::new(AtomicBool::new(false));
    let helpers = start_helpers(script, &meeting, listeners, &stop, &mut rng);
    let door = bind()?;
    let setting = Setting {
        patience: TIME_OUT,
        table: script.table,
        collector: door.local_addr()?,
        report_window: REPORT_SPREAD * script.users as u32,
        meeting,
    };
    let collector = Collector::start(door, setting.meeting.run, TIME_OUT, rng.split())
        .map_err(|error| failed(error.into()))?;
    let people = start_people(script, &setting, &mut rng)?;
    let mut course = follow(people, script.users)?;
    stop.store(true, Ordering::Relaxed);
    for helper in helpers {
        let report = joined(helper)?.map_err(failed)?;
        course.pairing = course.pairing.max(report.duration);
    }
    let tally = collector.finish();
    (course.reports, course.reported_ones) = (tally.reports, tally.ones);
    Ok(course)
}

fn start_helpers(
    script: &Script,
    meeting: &Meeting,
    listeners: Vec<TcpListener>,
    stop: &Arc<AtomicBool>,
    rng: &mut Generator,
) -> Vec<HelperThread> {
    let start = |(index, listener)| {
        let task = HelperTask {
            meeting: meeting.clone(),
            index,
            method: script.method.into(),
            participants: script.users as usize,
            window: TIME_OUT,
            linger: TIME_OUT * 60,
        };
        let (stop, rng) = (Arc::clone(stop), rng.split());
        thread::spawn(move || serve(task, listener, rng, &stop, |_| ()))
    };
    listeners.into_iter().enumerate().map(start).collect()
}

fn start_people(
    script: &Script,
    setting: &Setting,
    rng: &mut Generator,
) -> Result<Vec<PersonThread>, Failure> {
    let start = |person: u64| {
        let (setting, mut rng) = (setting.clone(), rng.split());
        let value = person < script.ones;
        let life = move || take_part(&setting, value, &mut MemoryLedger::default(), &mut rng);
        thread::Builder::new().stack_size(STACK_BYTES).spawn(life)
    };
    Ok((0..script.users).map(start).collect::<Result<_, _>>()?)
}

/// Waits for everybody and counts how they took part.
fn follow(people: Vec<PersonThread>, users: u64) -> Result<Course, Failure> {
    let mut course = Course::default();
    let mut runs = (Duration::ZERO, 0);
    let mut progress = Progress::new("people", Some(users));
    for person in people {
        match joined(person)? {
            Ok(Outcome::Together { duration, bytes_sent }) => {
                course.together += 1;
                runs = (runs.0 + duration, runs.1 + bytes_sent);
            }
            Ok(Outcome::Odd | Outcome::Fallback(_)) => course.alone += 1,
            Err(_) => course.left_out += 1,
        }
        progress.add(1);
    }
    if let Ok(together @ 1..) = u32::try_from(course.together) {
        // Each end measured the time of its run, and counted the bytes that it sent.
        course.run = Some((runs.0 / together, 2.0 * runs.1 as f64 / f64::from(together)));
    }
    Ok(course)
}

fn joined<T>(thread: JoinHandle<T>) -> Result<T, Failure> {
    thread.join().map_err(|_| Failure::Data { message: "a part of the demo broke off".into(), hint: None })
}
