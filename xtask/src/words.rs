//! What tracked files may not contain.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::capture;

/// Paths that exist on one machine only. Written in pieces, so that this file does not contain them.
const MACHINE_PATHS: &[&str] = &[concat!("/", "root/"), concat!("/", "home/"), concat!("/", "tmp/")];

/// Longer files are split, so that a file can be read in one go.
const MAX_LINES: usize = 600;

pub(crate) fn check() -> Result<()> {
    let mut problems = Vec::new();
    for path in tracked_files()? {
        // A file that is tracked but deleted, a link or a submodule has no text to check.
        if path == "Cargo.lock" || !std::fs::symlink_metadata(&path).is_ok_and(|file| file.is_file()) {
            continue;
        }
        let content = std::fs::read(&path).with_context(|| format!("cannot read {path}"))?;
        problems.extend(inspect(&path, &String::from_utf8_lossy(&content)));
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

pub(crate) fn tracked_files() -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z"]);
    let names = capture(git).context("the tracked files are asked from git, in a clone")?;
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn inspect(path: &str, content: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, line) in content.lines().enumerate() {
        for needle in MACHINE_PATHS.iter().filter(|needle| line.contains(**needle)) {
            problems.push(format!("{path}:{}: contains `{needle}`, a path of one machine", index + 1));
        }
    }
    let lines = content.lines().count();
    if Path::new(path).extension().is_some_and(|extension| extension == "rs") && lines > MAX_LINES {
        problems.push(format!("{path}: {lines} lines, a file over {MAX_LINES} lines becomes a folder"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_found_with_their_line() {
        for needle in MACHINE_PATHS {
            let problems = inspect("notes.md", &format!("fine\nsee {needle}x\n"));
            assert!(matches!(problems.as_slice(), [only] if only.starts_with("notes.md:2:")), "{problems:?}");
        }
        assert!(inspect("notes.md", "see target/debug and ../shared\n").is_empty());
    }

    #[test]
    fn long_source_files_become_folders() {
        assert!(inspect("a.rs", &"x\n".repeat(MAX_LINES)).is_empty());
        let problems = inspect("a.rs", &"x\n".repeat(MAX_LINES + 1));
        assert!(matches!(problems.as_slice(), [only] if only.contains("becomes a folder")), "{problems:?}");
        assert!(inspect("data.csv", &"x\n".repeat(MAX_LINES + 1)).is_empty());
    }
}
