//! Everything on PostgreSQL, on a server that the tests start themselves.

use crate::scenarios;
use crate::support::{POLICY, Server, outcomes, reports, resolve, usual_config};
use privet_collector::StoreAddress;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A server in a temporary folder, which does not run as root.
pub(crate) struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    /// `None` where PostgreSQL is not installed; continuous integration must have it.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(
                std::env::var_os("CI").is_none(),
                "PostgreSQL is missing: install the package postgresql"
            );
            eprintln!("skipped: PostgreSQL is missing (package postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let postgres = Self { folder, programs, port };
        run(postgres
            .program("initdb")
            .args(["-A", "trust", "-U", "postgres", "-N", "-D"])
            .arg(postgres.data()));
        postgres.go_on();
        Some(postgres)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir(self.folder.path());
        command
    }

    /// Starts the server, at first or again.
    pub(crate) fn go_on(&self) {
        let options = format!("-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", self.port);
        let log = self.folder.path().join("log");
        run(self
            .program("pg_ctl")
            .args(["-w", "-s", "-o", &options, "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(log)
            .arg("start"));
    }

    /// Stops the server as a power cut would.
    pub(crate) fn stop(&self) {
        run(self.program("pg_ctl").args(["-m", "immediate", "-w", "-s", "-D"]).arg(self.data()).arg("stop"));
    }

    pub(crate) fn address(&self) -> StoreAddress {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port).parse().unwrap()
    }

    pub(crate) fn server(&self) -> Server {
        Server::start(usual_config(self.address()))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self
            .program("pg_ctl")
            .args(["-m", "immediate", "-s", "-D"])
            .arg(self.data())
            .arg("stop")
            .output();
    }
}

fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = versions.flatten().map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.into_iter().rev().find(|folder| folder.join("initdb").exists())
}

fn is_root() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(Path::new("/proc/self")).unwrap()) == 0
}

fn run(command: &mut Command) {
    // The server inherits the output, so waiting for its end would last for ever: files instead of pipes.
    let status = command.stdout(std::process::Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}");
}

#[test]
fn what_must_hold_on_every_store() {
    let Some(postgres) = Postgres::start() else { return };
    scenarios::all(&mut postgres.server());
}

#[test]
fn two_collectors_agree_and_a_lost_server_comes_back() {
    let Some(postgres) = Postgres::start() else { return };
    let servers = [postgres.server(), postgres.server()];
    let collection = servers[0].manager().create(POLICY);
    let all = reports(&resolve(POLICY), 600, 11);
    // Each report goes to both, in requests of 30 that overlap in another order.
    std::thread::scope(|scope| {
        for (server, step) in [(&servers[0], 1), (&servers[1], 7)] {
            let (visitor, collection, all) = (server.visitor(), &collection, &all);
            scope.spawn(move || {
                for chunk in 0..20 {
                    let start = chunk * step % 20 * 30;
                    let reply = visitor.submit(collection, &all[start..start + 30].concat());
                    assert_eq!(outcomes(&reply)[2], 0);
                }
            });
        }
    });
    for server in &servers {
        assert_eq!(server.visitor().reports(&collection), 600);
        scenarios::assert_same_again(&server.manager(), &collection, 600);
        scenarios::assert_same_estimates(&server.visitor(), &collection, POLICY, &all);
    }
    postgres.stop();
    let more = &reports(&resolve(POLICY), 1, 12)[0];
    let reply = servers[0].visitor().submit(&collection, more);
    assert_eq!(reply.problem(), (503, "store-unavailable".to_owned()));
    assert!(reply.header("retry-after").parse::<u32>().is_ok());
    assert_eq!(servers[0].visitor().get("/healthz").problem().0, 503);
    postgres.go_on();
    let mut reply = servers[0].visitor().submit(&collection, more);
    for _ in 0..20 {
        if reply.status == 200 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        reply = servers[0].visitor().submit(&collection, more);
    }
    assert_eq!(outcomes(&reply), [1, 0, 0]);
    assert_eq!(servers[1].visitor().reports(&collection), 601);
    scenarios::assert_same_again(&servers[1].manager(), &collection, 601);
}
