//! A folder of results: rows, charts, pages.

mod chart;
mod page;

use crate::{Outcome, ReproduceError, Reproduction, Request};
use std::path::{Path, PathBuf};

/// The file by which a folder is known to be ours. Its first line says what the folder holds.
const MARKER: &str = ".privet-reproduce";
const INDEX: &str = "index.html";

/// A folder that may be written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// What the folder holds, in words.
    holds: String,
}

impl Folder {
    /// A folder that does not exist, is empty, or holds an earlier run of the same request. It is tried whether files can be made
    /// in it, so that nobody computes for nothing.
    ///
    /// # Errors
    /// When the folder is somebody else's, holds something that would be lost, or cannot be written.
    pub fn open(path: &Path, request: &Request) -> Result<Self, ReproduceError> {
        let folder = Self { path: path.to_owned(), holds: request.to_string() };
        folder.check()?;
        let nearest = path.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let trial = nearest.join(format!(".privet-trial-{}", std::process::id()));
        write(&trial, b"")?;
        std::fs::remove_file(&trial).map_err(folder.failed())?;
        Ok(folder)
    }

    fn check(&self) -> Result<(), ReproduceError> {
        let path = self.path.clone();
        if !path.exists() {
            return Ok(());
        }
        if let Ok(marker) = std::fs::read_to_string(path.join(MARKER)) {
            let holds = marker.lines().next().unwrap_or_default().to_owned();
            return if holds == self.holds { Ok(()) } else { Err(ReproduceError::OtherRun { path, holds }) };
        }
        let is_empty = path.is_dir() && path.read_dir().map_err(self.failed())?.next().is_none();
        if is_empty { Ok(()) } else { Err(ReproduceError::NotOurs { path }) }
    }

    fn failed(&self) -> impl Fn(std::io::Error) -> ReproduceError + '_ {
        |source| ReproduceError::File { path: self.path.clone(), source }
    }

    /// Where files wait until all are written, so that a full disk costs nothing that was there before.
    fn part(&self) -> PathBuf {
        self.path.join(format!(".part-{}", std::process::id()))
    }

    /// Writes rows, charts and a page for each paper, and an index; gives the path of the index.
    ///
    /// # Errors
    /// When a file cannot be written. Then the folder is as it was.
    pub fn write(&self, reproductions: &[Reproduction]) -> Result<PathBuf, ReproduceError> {
        let part = self.part();
        std::fs::create_dir_all(&part).map_err(self.failed())?;
        let written = self.write_part(&part, reproductions).and_then(|()| self.replace(&part));
        if written.is_err() {
            std::fs::remove_dir_all(&part).ok();
        }
        written.map(|()| self.path.join(INDEX))
    }

    fn write_part(&self, part: &Path, reproductions: &[Reproduction]) -> Result<(), ReproduceError> {
        let text = format!(
            "{}\nWritten by `privet reproduce`, which may replace everything beside this file.\n",
            self.holds
        );
        write(&part.join(MARKER), text.as_bytes())?;
        for reproduction in reproductions {
            let own = part.join(reproduction.paper.as_str());
            std::fs::create_dir(&own).map_err(self.failed())?;
            write_rows(&own.join("rows.csv"), reproduction)?;
            write_claims(&own.join("claims.csv"), &reproduction.outcomes)?;
            chart::write_all(&own, reproduction)?;
            let page = part.join(page::name(reproduction.paper));
            write(&page, page::of_paper(reproduction).as_bytes())?;
        }
        write(&part.join(INDEX), page::index(&self.holds, reproductions).as_bytes())
    }

    /// Moves what was written to its place; what lay there goes away.
    fn replace(&self, part: &Path) -> Result<(), ReproduceError> {
        for entry in part.read_dir().map_err(self.failed())? {
            let entry = entry.map_err(self.failed())?;
            let place = self.path.join(entry.file_name());
            if place.is_dir() {
                std::fs::remove_dir_all(&place).map_err(self.failed())?;
            }
            std::fs::rename(entry.path(), place).map_err(self.failed())?;
        }
        std::fs::remove_dir(part).map_err(self.failed())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), ReproduceError> {
    std::fs::write(path, bytes).map_err(|source| ReproduceError::File { path: path.to_owned(), source })
}

/// Writes a table of texts.
fn write_table(path: &Path, header: &[&str], rows: Vec<Vec<String>>) -> Result<(), ReproduceError> {
    let failed = |error: csv::Error| ReproduceError::File {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    };
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    writer.write_record(header).map_err(failed)?;
    for row in rows {
        writer.write_record(row).map_err(failed)?;
    }
    writer.flush().map_err(|source| ReproduceError::File { path: path.to_owned(), source })
}

fn write_rows(path: &Path, reproduction: &Reproduction) -> Result<(), ReproduceError> {
    let rows = reproduction.rows().into_iter().map(|row| {
        let paper = row.paper.map_or_else(String::new, |paper| paper.to_string());
        vec![row.figure.to_owned(), row.series, row.x.to_string(), row.ours.to_string(), paper]
    });
    write_table(path, &["figure", "series", "x", "ours", "paper"], rows.collect())
}

fn write_claims(path: &Path, outcomes: &[Outcome]) -> Result<(), ReproduceError> {
    let rows = outcomes.iter().map(|outcome| {
        let Outcome { claim, ours, basis, .. } = outcome;
        let (ours, tolerance) =
            (ours.map_or_else(String::new, |ours| ours.to_string()), claim.tolerance.to_string());
        let verdict = outcome.verdict_in_words().to_owned();
        let texts = [
            &claim.id,
            &claim.figure,
            &claim.place,
            &claim.sentence,
            &claim.quantity,
            &claim.x,
            &claim.printed,
            &ours,
            &claim.unit,
            &tolerance,
            &verdict,
        ];
        let mut row: Vec<String> = texts.map(String::clone).to_vec();
        row.extend([basis.as_str().to_owned(), claim.note.clone()]);
        row
    });
    let header = [
        "id",
        "figure",
        "place",
        "sentence",
        "quantity",
        "x",
        "printed",
        "ours",
        "unit",
        "tolerance",
        "verdict",
        "basis",
        "note",
    ];
    write_table(path, &header, rows.collect())
}
