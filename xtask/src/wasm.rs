//! `cargo xtask wasm`: the npm package `privet`, which the collector also serves to browsers.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use wasm_bindgen_cli_support::Bindgen;

use crate::process::{capture, cargo, run as run_process};
use crate::program;
use crate::report::Report;

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Where the package is kept in the repository, so that a collector can be built without the target.
const PACKAGE: &str = "web/client";

/// What people write of it.
const WRITTEN: &str = "bindings/wasm/npm";

/// What the package was built from and by: with another compiler the bytes are others.
const MANIFEST: &str = "built.json";

/// A browser loads all of it before the first question is shown.
const MOST_GZIPPED_BYTES: usize = 300_000;

const RENEW: &str = "run `cargo xtask wasm` and commit web/client";

/// The files of a package by name.
type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn run() -> Result<ExitCode> {
    let files = build()?;
    let folder = Path::new(PACKAGE);
    if folder.exists() {
        std::fs::remove_dir_all(folder).context("cannot empty web/client")?;
    }
    std::fs::create_dir_all(folder)?;
    for (name, content) in &files {
        std::fs::write(folder.join(name), content).with_context(|| format!("cannot write {name}"))?;
    }
    println!("{PACKAGE}: {} files, {} bytes gzipped", files.len(), gzipped_size(&files)?);
    Ok(ExitCode::SUCCESS)
}

/// The package in the repository is what its sources give, it is small, and it does what the Rust client does.
pub(crate) fn steps(report: &mut Report) {
    report.check("npm package", is_current);
    report.check("wasm and Rust draw the same", same_bytes);
}

fn is_current() -> Result<()> {
    let stored = read_package()?;
    let size = gzipped_size(&stored)?;
    ensure!(
        size <= MOST_GZIPPED_BYTES,
        "web/client has {size} bytes gzipped: at most {MOST_GZIPPED_BYTES} are allowed"
    );
    println!("web/client: {size} bytes gzipped");
    let compiler = compiler()?;
    let manifest = stored.get(MANIFEST).with_context(|| format!("web/client has no {MANIFEST}: {RENEW}"))?;
    let manifest: Value =
        serde_json::from_slice(manifest).context("the manifest of web/client is no JSON")?;
    if manifest["rustc"] != json!(compiler) {
        println!(
            "web/client was built by {}, here is {compiler}: the bytes are not compared",
            manifest["rustc"]
        );
        return Ok(());
    }
    let built = build()?;
    let mut names: Vec<&String> = built.keys().chain(stored.keys()).collect();
    names.sort();
    names.dedup();
    let stale: Vec<&str> =
        names.into_iter().filter(|name| built.get(*name) != stored.get(*name)).map(String::as_str).collect();
    ensure!(stale.is_empty(), "web/client is not what its sources give ({}): {RENEW}", stale.join(", "));
    Ok(())
}

fn read_package() -> Result<Files> {
    let entries = std::fs::read_dir(PACKAGE).with_context(|| format!("there is no {PACKAGE}: {RENEW}"))?;
    entries.map(|entry| read_file(&entry?.path())).collect()
}

fn read_file(path: &Path) -> Result<(String, Vec<u8>)> {
    let name = path.file_name().context("a file without a name")?.to_string_lossy().into_owned();
    let content = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((name, content))
}

fn gzipped_size(files: &Files) -> Result<usize> {
    let loaded = files.iter().filter(|(name, _)| name.ends_with(".js") || name.ends_with(".wasm"));
    let mut sum = 0;
    for (_, content) in loaded {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content)?;
        sum += encoder.finish()?.len();
    }
    Ok(sum)
}

fn build() -> Result<Files> {
    crate::check::install_wasm_target()?;
    let target_directory = program::target_folder()?;
    let mut command = cargo(&[
        "build",
        "--package",
        "privet-wasm",
        "--lib",
        "--profile",
        "wasm",
        "--target",
        TARGET,
        "--locked",
    ]);
    // Paths end up in messages of panics, and the bytes must not depend on the folder.
    let mut flags = Vec::new();
    for (folder, name) in
        [(cargo_home()?, "cargo"), (std::env::current_dir()?, "privet"), (target_directory.clone(), "target")]
    {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    run_process(command)?;
    let module = target_directory.join(TARGET).join("wasm/privet_wasm.wasm");
    let glue = target_directory.join("npm-package");
    if glue.exists() {
        std::fs::remove_dir_all(&glue)?;
    }
    Bindgen::new()
        .input_path(&module)
        .out_name("privet_wasm")
        .web(true)?
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&glue)
        .context("wasm-bindgen failed")?;
    let mut files = Files::new();
    for folder in [glue.as_path(), Path::new(WRITTEN)] {
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let (name, content) = read_file(&entry?.path())?;
            let content = if name.ends_with(".js") { without_comments(&content) } else { content };
            files.insert(name, content);
        }
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        let (name, content) = read_file(Path::new(licence))?;
        files.insert(name, content);
    }
    files.insert(MANIFEST.to_owned(), manifest(&files)?);
    Ok(files)
}

/// A script without its block comments: people read them in the sources, and browsers need not load them.
fn without_comments(script: &[u8]) -> Vec<u8> {
    let mut kept = String::new();
    let mut is_inside = false;
    for line in String::from_utf8_lossy(script).lines() {
        is_inside |= line.trim_start().starts_with("/**");
        if !is_inside {
            kept.push_str(line);
            kept.push('\n');
        }
        // Comments inside of a line of code stay.
        is_inside &= !line.trim_end().ends_with("*/");
    }
    kept.into_bytes()
}

fn manifest(files: &Files) -> Result<Vec<u8>> {
    let hashes: serde_json::Map<String, Value> = files
        .iter()
        .map(|(name, content)| (name.clone(), json!(blake3::hash(content).to_hex().as_str())))
        .collect();
    let text = serde_json::to_string_pretty(&json!({ "rustc": compiler()?, "blake3": hashes }))?;
    Ok(format!("{text}\n").into_bytes())
}

fn compiler() -> Result<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.arg("--version");
    Ok(capture(rustc)?.trim().to_owned())
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::home_dir().context("there is no home folder: set CARGO_HOME")?;
    Ok(home.join(".cargo"))
}

/// Reports of the Rust client for every mechanism, then the same in Node.
fn same_bytes() -> Result<()> {
    let expected = capture(Command::new(program::example("expected_reports")?))?;
    let file = program::target_folder()?.join("expected-reports.json");
    std::fs::write(&file, expected).context("cannot write the expected reports")?;
    let mut node = Command::new("node");
    node.args(["--test", "bindings/wasm/tests/"]).env("PRIVET_EXPECTED", &file);
    run_process(node).context("Node 18 or later runs these tests")
}
