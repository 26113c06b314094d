//! Where pictures are drawn: runs commands with the `privet` of this workspace, each page in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::markdown::{Picture, Pictures, shell_blocks};
use crate::program;

/// A page with this line has commands that can be run one after the other; a test of the command does so.
const RUNNABLE: &str = "<!-- A test runs the commands of this page. -->";

pub(crate) struct Workshop {
    folder: PathBuf,
    /// The folder of the program, first in the path.
    path: std::ffi::OsString,
}

impl Workshop {
    /// Builds the program and empties the folder.
    pub(crate) fn open(folder: PathBuf) -> Result<Self> {
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        let program = program::privet()?;
        let programs = program.parent().context("a program is in a folder")?.to_owned();
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&inherited)))?;
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder: folder.canonicalize()?, path })
    }

    /// What the shell blocks of a page draw, by block.
    pub(crate) fn pictures_of_page(&self, path: &str, text: &str) -> Result<Pictures> {
        let blocks = shell_blocks(text);
        if !text.contains(RUNNABLE) || blocks.iter().all(|block| plot_of(block).is_none()) {
            return Ok(Pictures::new());
        }
        let name = path.trim_end_matches(".md").replace('/', "-");
        let folder = self.folder_for(&name)?;
        // One shell for all blocks, because a reader has one too.
        self.run(&blocks.join("\n"), &folder).with_context(|| format!("the commands of {path}"))?;
        let drawn = blocks.into_iter().filter_map(|block| plot_of(&block).map(|file| (file, block)));
        drawn.map(|(file, block)| Ok((block, picture(&name, &folder, &file)?))).collect()
    }

    /// What a command prints, and what it draws.
    pub(crate) fn exhibit(&self, name: &str, command: &str) -> Result<(String, Option<Picture>)> {
        let folder = self.folder_for(name)?;
        let shown = self.run(command, &folder)?;
        let picture = plot_of(command).map(|file| picture(name, &folder, &file)).transpose()?;
        Ok((shown, picture))
    }

    fn folder_for(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    fn run(&self, commands: &str, folder: &Path) -> Result<String> {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", commands]).current_dir(folder).stdin(Stdio::null());
        shell.env("PATH", &self.path).env("PRIVET_CACHE", self.folder.join("cache"));
        let output = shell.output().context("cannot start a shell")?;
        if !output.status.success() {
            bail!("{commands}\n{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(String::from_utf8(output.stdout)?)
    }
}

/// The file that a command draws into. Maps are drawn with `--out`.
fn plot_of(commands: &str) -> Option<String> {
    let words: Vec<&str> = commands.split_whitespace().collect();
    let drawn =
        words.windows(2).find(|pair| matches!(pair[0], "--plot" | "--out") && pair[1].ends_with(".svg"));
    drawn.map(|pair| pair[1].to_owned())
}

fn picture(name: &str, folder: &Path, file: &str) -> Result<Picture> {
    let drawn = folder.join(file);
    let content = std::fs::read(&drawn).with_context(|| format!("cannot read {}", drawn.display()))?;
    let words = described(&String::from_utf8_lossy(&content));
    Ok(Picture { address: format!("pictures/{name}-{file}"), content, words })
}

/// The title and the description that every drawing has.
fn described(svg: &str) -> String {
    let between = |from: &str, to: &str| {
        let (_, rest) = svg.split_once(from)?;
        let (_, text) = rest.split_once('>')?;
        text.split_once(to).map(|(text, _)| text)
    };
    let parts = [between("<title", "</title>"), between("<desc", "</desc>")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_plot_is_found() {
        assert_eq!(plot_of("privet error --plot a.svg --json").as_deref(), Some("a.svg"));
        assert_eq!(plot_of("privet error --epsilon 1 \\\n  --plot a.svg").as_deref(), Some("a.svg"));
        assert_eq!(plot_of("privet error --plot a.png"), None);
        assert_eq!(plot_of("privet trajectory map --out a.svg").as_deref(), Some("a.svg"));
        assert_eq!(plot_of("privet perturb --out a.csv"), None);
    }

    /// The line is written on the pages, here, and in the test that runs them.
    #[test]
    fn pages_with_pictures_are_known_by_their_line() {
        let page = include_str!("../../../docs/CONCEPTS.md");
        assert!(page.contains(RUNNABLE));
        assert_eq!(shell_blocks(page).iter().filter_map(|block| plot_of(block)).count(), 5);
    }

    #[test]
    fn a_drawing_says_what_it_shows() {
        assert_eq!(
            described("<svg><title id=\"t\">Errors</title><desc id=\"d\">A line.</desc></svg>"),
            "Errors. A line."
        );
        assert_eq!(described("<svg></svg>"), "");
    }
}
