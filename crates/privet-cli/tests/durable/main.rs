//! What a collector has acknowledged stays: whatever is killed, full or gone in the meantime.
//!
//! Each test runs `privet serve` while people report and try again until they have an answer. At the end every report that was ever sent
//! is kept and counted exactly once, and the estimates are those of the library.

#![cfg(unix)]
// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod collector;
mod crowd;

use collector::{Collector, Place};
use crowd::Crowd;
use privet::Rng;
use privet_testkit::postgres::{Postgres, is_root};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A number below `end`, drawn anew each time.
fn draw(end: u64) -> u64 {
    privet::generator().unwrap().next_u64() % end
}

/// Up to so many milliseconds.
fn moment(most: u64) -> Duration {
    Duration::from_micros(draw(1000 * most))
}

/// Kills collectors on one store, in their work and now and then while they start.
fn killed(place: &Place, kills: usize) {
    let crowd = Crowd::new(&Collector::start(place));
    crowd.report(|crowd| {
        for kill in 0..kills {
            if kill % 5 == 4 {
                let starting = Collector::spawn(place);
                std::thread::sleep(moment(60));
                drop(starting);
            }
            let collector = Collector::start(place);
            crowd.move_to(&collector);
            crowd.wait_for_answers(1 + draw(40));
            std::thread::sleep(moment(60));
            drop(collector);
        }
        let last = Collector::start(place);
        crowd.move_to(&last);
        last
    });
    crowd.assert_all_count_once(kills);
}

#[test]
fn kills_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    killed(&Place::sqlite(folder.path()), 4);
}

#[test]
fn kills_on_postgres() {
    let Some(postgres) = Postgres::start() else { return };
    killed(&Place::new(postgres.url()), 3);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn fifty_kills_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    killed(&Place::sqlite(folder.path()), 50);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn fifty_kills_on_postgres() {
    let Some(postgres) = Postgres::start() else { return };
    killed(&Place::new(postgres.url()), 50);
}

/// The server of the store goes away and comes back; every second time the collector is killed meanwhile.
fn without_server(times: usize) {
    let Some(postgres) = Postgres::start() else { return };
    let place = Place::new(postgres.url());
    let mut collector = Collector::start(&place);
    let crowd = Crowd::new(&collector);
    crowd.report(|crowd| {
        for time in 0..times {
            crowd.wait_for_answers(1);
            std::thread::sleep(moment(60));
            postgres.stop();
            crowd.wait_for_problem("store-unavailable");
            let is_killed = time % 2 == 1;
            if is_killed {
                collector.kill();
            }
            postgres.go_on();
            if is_killed {
                collector = Collector::start(&place);
                crowd.move_to(&collector);
            }
        }
        crowd.wait_for_answers(1);
        collector
    });
    crowd.assert_all_count_once(times);
}

#[test]
fn postgres_stops_and_starts() {
    without_server(2);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn postgres_stops_and_starts_twenty_times() {
    without_server(20);
}

/// The disk fills up and is emptied; the collector is killed while it is full.
fn full_disk(
    place: &Place,
    kills: usize,
    problem: &str,
    mut fill: impl FnMut(&Collector) -> Box<dyn FnOnce()>,
) {
    let mut collector = Collector::start(place);
    let crowd = Crowd::new(&collector);
    crowd.report(|crowd| {
        for kill in 0..kills {
            crowd.wait_for_answers(1);
            std::thread::sleep(moment(60));
            let empty = fill(&collector);
            crowd.wait_for_problem(problem);
            // Every third one sees the disk emptied and goes on.
            if kill % 3 != 2 {
                std::thread::sleep(moment(60));
                collector.kill();
                empty();
                collector = Collector::start(place);
                crowd.move_to(&collector);
            } else {
                empty();
            }
        }
        crowd.wait_for_answers(1);
        collector
    });
    crowd.assert_all_count_once(kills);
}

/// A file system in memory, as long as it is needed.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` without the rights of root.
    fn mount(folder: &Path, size: &str) -> Option<Self> {
        if !is_root() {
            return None;
        }
        let options = format!("size={size}");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &options, "privet-test"]).arg(folder);
        mount.status().unwrap().success().then(|| Self(folder.to_owned()))
    }

    /// Takes all room; what it gives back makes room again.
    fn fill(&self) -> Box<dyn FnOnce()> {
        let path = self.0.join("ballast");
        let mut ballast = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        while ballast.write(&[0; 1 << 16]).is_ok() {}
        Box::new(move || std::fs::remove_file(path).unwrap())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn small_disk(kills: usize) {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(folder.path(), "256m") else {
        eprintln!(
            "skipped: only root can mount a small disk; files of limited length are tested all the same"
        );
        return;
    };
    full_disk(&Place::sqlite(folder.path()), kills, "store-full", |_| disk.fill());
}

#[test]
fn a_full_disk() {
    small_disk(3);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn a_full_disk_fifty_times() {
    small_disk(50);
}

/// Without the rights of root: the system refuses to let the files of the collector grow.
fn limited_files(kills: usize) {
    let folder = tempfile::tempdir().unwrap();
    full_disk(&Place::sqlite(folder.path()), kills, "store-unavailable", |collector| {
        let process = collector.process();
        limit_files(process, "4096:");
        Box::new(move || limit_files(process, "unlimited:"))
    });
}

fn limit_files(process: u32, limits: &str) {
    let mut prlimit = Command::new("prlimit");
    prlimit.args(["--pid", &process.to_string(), &format!("--fsize={limits}")]);
    // A process that was killed has no limits.
    let _ = prlimit.stderr(std::process::Stdio::null()).status().unwrap();
}

#[test]
fn files_that_cannot_grow() {
    limited_files(3);
}

#[test]
#[ignore = "full size: cargo xtask prove"]
fn files_that_cannot_grow_fifty_times() {
    limited_files(50);
}
