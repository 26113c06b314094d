//! The few commands that build, test and generate: `cargo xtask help` lists them.

mod arrows;
mod browser;
mod check;
mod docs;
mod fuzz;
mod process;
mod program;
mod prove;
mod python;
mod report;
mod schemathesis;
mod site;
mod test;
mod tools;
mod wasm;
mod words;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

struct Task {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<ExitCode>,
}

/// One table feeds both the dispatch and the help, so that neither can forget a command.
const TASKS: &[Task] = &[
    Task { name: "test", about: "formatting, checks, clippy, docs and all tests", run: test::run },
    Task {
        name: "check",
        about: "direction of the arrows, wasm build, generated docs, links, words",
        run: check::run,
    },
    Task {
        name: "prove",
        about: "the full-size tests, the laboratory and the benchmarks, in release",
        run: prove::run,
    },
    Task {
        name: "prove coverage",
        about: "only the coverage laboratory, as a page in target/coverage",
        run: prove::coverage,
    },
    Task { name: "wasm", about: "builds the npm package into web/client", run: wasm::run },
    Task {
        name: "openapi",
        about: "requests made up from the collector's OpenAPI document",
        run: schemathesis::run,
    },
    Task { name: "fuzz", about: "made-up bytes for every decoder, ten minutes each", run: fuzz::run },
    Task {
        name: "screenshots",
        about: "pictures of the pages, in target/screenshots",
        run: browser::screenshots,
    },
    Task { name: "wheel", about: "the pip package, in release, in target/wheels", run: python::wheel },
    Task { name: "docs", about: "rewrites the generated parts of README.md", run: docs::run },
    Task { name: "site", about: "the documentation as pages, in target/site", run: site::run },
    Task { name: "help", about: "this list", run: help },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    dispatch(&arguments).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn dispatch(arguments: &[String]) -> Result<ExitCode> {
    let asks_for_help = arguments.iter().any(|argument| argument == "--help" || argument == "-h");
    let Some(first) = arguments.first().filter(|_| !asks_for_help) else {
        return help();
    };
    let find = |name: &str| TASKS.iter().find(|task| task.name == name);
    let Some(task) = find(&arguments.join(" ")) else {
        return Ok(match find(first) {
            Some(_) => misuse(&format!("`cargo xtask {first}` does not take these arguments")),
            None => misuse(&format!("unknown command `{first}`")),
        });
    };
    enter_repository_root()?;
    (task.run)()
}

fn help() -> Result<ExitCode> {
    print!("{}", usage());
    Ok(ExitCode::SUCCESS)
}

/// Exit code 2, as for wrong parameters of the `privet` command.
fn misuse(problem: &str) -> ExitCode {
    eprint!("error: {problem}\n\n{}", usage());
    ExitCode::from(2)
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND\n\n");
    for task in TASKS {
        text.push_str(&format!("  {:<16}{}\n", task.name, task.about));
    }
    text
}

/// The alias works in every subdirectory; the commands use paths relative to the root.
fn enter_repository_root() -> Result<()> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").context("start this as `cargo xtask`")?;
    let root = Path::new(&manifest).parent().context("xtask has no parent directory")?;
    std::env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))
}
