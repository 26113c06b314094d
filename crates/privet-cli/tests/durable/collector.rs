//! `privet serve`, and where it keeps its reports.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::NamedTempFile;

pub(crate) const MANAGER: &str = "the-token-of-the-manager";

/// Where reports are kept.
pub(crate) struct Place {
    store: String,
    token: NamedTempFile,
}

impl Place {
    pub(crate) fn new(store: String) -> Self {
        let mut token = NamedTempFile::new().unwrap();
        token.write_all(MANAGER.as_bytes()).unwrap();
        Self { store, token }
    }

    pub(crate) fn sqlite(folder: &Path) -> Self {
        Self::new(format!("sqlite:{}", folder.join("store.db").display()))
    }
}

/// A collector in a process of its own, which is killed when it is dropped.
pub(crate) struct Collector {
    process: Child,
    pub(crate) url: String,
}

impl Collector {
    /// Starts one, without waiting until it listens.
    pub(crate) fn spawn(place: &Place) -> Self {
        // A process that may not make a file longer is killed, unless it ignores that signal.
        let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
        let process = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_privet")])
            .args(["serve", "--store", &place.store, "--listen", "127.0.0.1:0", "--json", "--manage-token"])
            .arg(place.token.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { process, url: String::new() }
    }

    /// Starts one that listens.
    pub(crate) fn start(place: &Place) -> Self {
        let mut collector = Self::spawn(place);
        let stdout = BufReader::new(collector.process.stdout.take().unwrap());
        // The document is closed by a line with a brace only.
        let lines: Vec<String> =
            stdout.lines().map_while(Result::ok).take_while(|line| line != "}").collect();
        let document: Value = serde_json::from_str(&format!("{}}}", lines.concat())).expect("it listens");
        document["url"].as_str().unwrap().clone_into(&mut collector.url);
        collector
    }

    pub(crate) fn process(&self) -> u32 {
        self.process.id()
    }

    /// Ends it at once, in the middle of whatever it does (SIGKILL).
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        // It may have been killed already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
