//! Pages that are run: their blocks of code, and a shell with the `privet` of this build.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A piece of code between fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    pub(crate) text: &'a str,
}

/// The fenced blocks of a part of a page, in order.
pub(crate) fn blocks(part: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = part;
    while let Some((_, fenced)) = rest.split_once("\n```") {
        let (language, body) = fenced.split_once('\n').expect("a fence ends its line");
        let (text, after) = body.split_once("\n```").expect("a block has an end");
        blocks.push(Block { language, text });
        rest = after;
    }
    blocks
}

/// Runs commands as a reader would, with the `privet` of this build.
pub(crate) fn run(commands: &str, folder: &Path) -> Output {
    let binaries = Path::new(env!("CARGO_BIN_EXE_privet")).parent().expect("a binary is in a folder");
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(PathBuf::from(binaries)).chain(std::env::split_paths(&inherited));
    let path = std::env::join_paths(folders).expect("a path without separators");
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", commands]).current_dir(folder).env("PATH", path);
    shell.env("PRIVET_CACHE", folder.join("cache"));
    shell.output().expect("there is a shell")
}
