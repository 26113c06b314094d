//! A PostgreSQL server that a test starts for itself.

// The helpers of a test may end it.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A server in a temporary folder, on a free port of this machine. It does not run as root.
#[derive(Debug)]
pub struct Postgres {
    folder: TempDir,
    programs: PathBuf,
    port: u16,
    /// Further settings, as options of the server.
    settings: &'static str,
}

impl Postgres {
    /// `None` where PostgreSQL is not installed; continuous integration must have it.
    pub fn start() -> Option<Self> {
        let postgres = Self::prepare("")?;
        postgres.go_on();
        Some(postgres)
    }

    /// The same, for a server that takes encrypted connections only.
    pub fn start_with_tls() -> Option<Self> {
        let postgres = Self::prepare("-c ssl=on")?;
        let data = postgres.data();
        run(postgres
            .as_server("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"])
            .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(data.join("server.key"))
            .arg("-out")
            .arg(data.join("server.crt"))
            .stderr(Stdio::null()));
        let only_encrypted = "hostssl all all 127.0.0.1/32 trust\n";
        std::fs::write(data.join("pg_hba.conf"), only_encrypted).unwrap();
        postgres.go_on();
        Some(postgres)
    }

    fn prepare(settings: &'static str) -> Option<Self> {
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
        let postgres = Self { folder, programs, port, settings };
        run(postgres
            .program("initdb")
            .args(["-A", "trust", "-U", "postgres", "-N", "-D"])
            .arg(postgres.data()));
        Some(postgres)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The certificate of a server that was started with TLS.
    pub fn certificate(&self) -> PathBuf {
        self.data().join("server.crt")
    }

    fn program(&self, name: &str) -> Command {
        self.as_server(self.programs.join(name))
    }

    fn as_server(&self, program: impl AsRef<Path>) -> Command {
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program.as_ref());
            command
        } else {
            Command::new(program.as_ref())
        };
        command.current_dir(self.folder.path());
        command
    }

    /// Starts the server, at first or again.
    pub fn go_on(&self) {
        let options = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' {}",
            self.port, self.settings
        );
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
    pub fn stop(&self) {
        run(self.program("pg_ctl").args(["-m", "immediate", "-w", "-s", "-D"]).arg(self.data()).arg("stop"));
    }

    /// Runs SQL that gives nothing back.
    pub fn execute(&self, sql: &str) {
        let port = self.port.to_string();
        run(self
            .program("psql")
            .args(["-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres", "-p", &port])
            .args(["-c", sql]));
    }

    /// Where it is: `postgres://..`.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
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

/// Whether this process may do everything.
pub fn is_root() -> bool {
    let own = std::fs::metadata("/proc/self");
    own.is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn run(command: &mut Command) {
    // The server inherits the output, so waiting for its end would last for ever: files instead of pipes.
    let status = command.stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}");
}
