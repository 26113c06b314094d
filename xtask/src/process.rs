//! Child processes: how they are started, and what is said when they fail.

use std::io::{IsTerminal, Read, Write};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// The cargo that started us, so that a toolchain chosen with `cargo +name` stays chosen.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments);
    if !std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "never");
    }
    command
}

/// Runs to the end with the output going straight through.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| cannot_start(&command))?;
    succeeded(&command, status)
}

/// Runs to the end and returns what it printed; its errors go straight through.
pub(crate) fn capture(mut command: Command) -> Result<String> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| cannot_start(&command))?;
    succeeded(&command, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed no UTF-8", line(&command)))
}

/// Passes the output on as it comes, and hands each finished line to `each_line`.
///
/// Bytes are passed on before their line ends: a test's name is on the screen while the test runs.
pub(crate) fn stream(mut command: Command, mut each_line: impl FnMut(&str)) -> Result<ExitStatus> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| cannot_start(&command))?;
    if let Some(mut output) = child.stdout.take() {
        let mut buffer = [0; 8192];
        let mut pending = Vec::new();
        loop {
            let count = output.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            let mut screen = std::io::stdout().lock();
            screen.write_all(&buffer[..count])?;
            screen.flush()?;
            pending.extend_from_slice(&buffer[..count]);
            while let Some(end) = pending.iter().position(|&byte| byte == b'\n') {
                let finished: Vec<u8> = pending.drain(..=end).collect();
                each_line(&String::from_utf8_lossy(&finished));
            }
        }
        each_line(&String::from_utf8_lossy(&pending));
    }
    Ok(child.wait()?)
}

/// The command as a person would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn cannot_start(command: &Command) -> String {
    format!("cannot start `{}`", line(command))
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}
