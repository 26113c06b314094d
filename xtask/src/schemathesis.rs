//! Requests that schemathesis makes up from the collector's own OpenAPI document: none may be answered with a server error, and none in
//! a way that the document does not say.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::process::{self, capture};
use crate::program;
use crate::report::Report;

const VERSION: &str = "4.32.5";

const TOKEN: &str = "the-token-of-the-manager";

/// What is expected of answers. Left out is what a document cannot say: that a request of the right shape may still be refused.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,negative_data_rejection,\
                      unsupported_method,allow_header_conformance,missing_required_header";

/// Requests of each kind. The seed is fixed: a change fails because of itself, not by chance.
const EXAMPLES: &str = "100";
const SEED: &str = "1";

const POLICY: &str = r#"
name = "How we travel"
purpose = "Plan bicycle lanes"
origin = "https://city.example"
opens = 2026-01-01
closes = 2095-12-31
epoch = "month"
minimum_reports = 10
contribution = "split"
[budget]
epsilon = 6
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
[[public]]
name = "region"
values = ["north", "south"]
"#;

pub(crate) fn run() -> Result<ExitCode> {
    let mut report = Report::default();
    report.check("schemathesis", check);
    Ok(report.close())
}

pub(crate) fn check() -> Result<()> {
    let target = program::target_folder()?;
    let program = install(&target.join(format!("schemathesis-{VERSION}")))?;
    let folder = target.join("schemathesis");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    control(&program, &folder)?;
    let collector = Collector::start(&program::privet()?, &folder)?;
    let config = collector.fill()?;
    std::fs::write(folder.join("schemathesis.toml"), config)?;
    process::run(schemathesis(&program, &folder, &collector.address))
}

/// A Python environment of its own.
fn install(environment: &Path) -> Result<PathBuf> {
    let program = environment.join("bin").join("st");
    if !program.exists() {
        crate::tools::python_environment(environment)?;
        let mut pip = Command::new(environment.join("bin").join("pip"));
        pip.args(["install", "--quiet", &format!("schemathesis=={VERSION}")]);
        process::run(pip).context("schemathesis cannot be installed: is there a network?")?;
    }
    Ok(program)
}

fn schemathesis(program: &Path, folder: &Path, address: &str) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .args(["run", &format!("http://{address}/openapi.json"), "--checks", CHECKS])
        .args(["--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES, "--seed", SEED])
        .args(["--workers", "1", "--request-timeout", "30", "--header"])
        .arg(format!("authorization: Bearer {TOKEN}"));
    command
}

/// A service whose only answer is a server error: if that passes, nothing is tested.
fn control(program: &Path, folder: &Path) -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    std::thread::spawn(move || listener.incoming().flatten().for_each(|stream| drop(fail(stream))));
    std::fs::write(folder.join("schemathesis.toml"), "")?;
    let output = schemathesis(program, folder, &address).output()?;
    let words = String::from_utf8_lossy(&output.stdout);
    if output.status.success() || !words.contains("Server error") {
        bail!("a service that answers 500 must fail:\n{words}");
    }
    Ok(())
}

/// Answers one request of the control.
fn fail(mut stream: TcpStream) -> Result<()> {
    let mut head = Vec::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    while !head.ends_with(b"\r\n\r\n") && reader.read_until(b'\n', &mut head)? > 0 {}
    let answers = json!({ "200": { "description": "" }, "5XX": { "description": "" } });
    let operation = json!({ "get": { "responses": answers } });
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "control", "version": "1" }, "paths": { "/fails": operation }
    });
    let is_document = head.starts_with(b"GET /openapi.json");
    let (status, body) =
        if is_document { ("200 OK", document) } else { ("500 Internal Server Error", json!({})) };
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    Ok(stream.write_all(format!("{head}{body}").as_bytes())?)
}

/// `privet serve` on an empty file.
struct Collector {
    process: Child,
    program: PathBuf,
    folder: PathBuf,
    address: String,
}

impl Collector {
    fn start(program: &Path, folder: &Path) -> Result<Self> {
        std::fs::write(folder.join("manage.token"), TOKEN)?;
        let mut process = Command::new(program)
            .current_dir(folder)
            .args(["serve", "--store", "sqlite:store.db", "--listen", "127.0.0.1:0"])
            .args(["--manage-token", "manage.token"])
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(folder.join("collector.log"))?)
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().rsplit("http://").next().unwrap_or_default().to_owned();
        Ok(Self { process, program: program.to_owned(), folder: folder.to_owned(), address })
    }

    /// Creates collections and sends reports; gives a configuration that names them.
    fn fill(&self) -> Result<String> {
        let with_tokens = self.create(&POLICY.replace("travel", "go"), "--submission-tokens")?;
        let to_be_closed = self.create(&POLICY.replace("travel", "ride"), "")?;
        let open = self.create(POLICY, "")?;
        let people = (0..60).map(|row| format!("{},{},north\n", ["walk", "bus", "car"][row % 3], row));
        let table = format!("commute,minutes,region\n{}", people.collect::<String>());
        std::fs::write(self.folder.join("people.csv"), table)?;
        self.privet("perturb --policy policy.toml --in people.csv --out reports.csv")?;
        self.privet(&format!(
            "collect submit --collector http://{} --collection {open} --in reports.csv",
            self.address
        ))?;
        let reports = std::fs::read_to_string(self.folder.join("reports.csv"))?;
        // A report's id is behind its version, its mark and the beginning of the policy's id.
        let ids: Vec<String> =
            reports.lines().skip(1).filter_map(|line| Some(format!("{:?}", line.get(20..52)?))).collect();
        Ok(format!(
            r#"
[dictionaries]
collections = {{ values = ["{open}", "{with_tokens}"] }}
closing = {{ values = ["{to_be_closed}"] }}
reports = {{ values = [{ids}] }}
attributes = {{ values = ["commute", "minutes"] }}
fields = {{ values = ["region"] }}
[parameters]
"path.id" = {{ dictionary = "collections", probability = 0.8 }}
"path.report_id" = {{ dictionary = "reports", probability = 0.5 }}
"query.attribute" = {{ dictionary = "attributes", probability = 0.8 }}
"query.rows" = {{ dictionary = "attributes", probability = 0.8 }}
"query.columns" = {{ dictionary = "attributes", probability = 0.8 }}
"query.by" = {{ dictionary = "fields", probability = 0.8 }}
[[operations]]
include-path = "/v1/collections/{{id}}/close"
parameters = {{ "path.id" = {{ dictionary = "closing", probability = 0.8 }} }}
"#,
            ids = ids.join(", ")
        ))
    }

    fn privet(&self, line: &str) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(line.split_whitespace());
        capture(command)
    }

    fn create(&self, policy: &str, flags: &str) -> Result<String> {
        std::fs::write(self.folder.join("policy.toml"), policy)?;
        let address = &self.address;
        let created = self.privet(&format!(
            "collect create --json --collector http://{address} --policy policy.toml --token manage.token {flags}"
        ))?;
        let created: Value = serde_json::from_str(&created)?;
        Ok(created["id"].as_str().context("a collection has an id")?.to_owned())
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
