//! A folder of results: rows, charts, pages.

mod chart;
mod page;

use crate::{Outcome, Paper, ReproduceError, Reproduction};
use std::path::{Path, PathBuf};

/// The file by which a folder is known to be ours.
const MARKER: &str = ".privet-reproduce";

/// Refuses a folder with files that this program did not write. One that does not exist, is empty or ours may be written.
///
/// # Errors
/// When the folder is somebody else's, or cannot be read.
pub fn check(folder: &Path) -> Result<(), ReproduceError> {
    if !folder.exists() || folder.join(MARKER).exists() {
        return Ok(());
    }
    let failed = |source: std::io::Error| ReproduceError::File { path: folder.to_owned(), source };
    let is_empty = folder.is_dir() && folder.read_dir().map_err(failed)?.next().is_none();
    if is_empty { Ok(()) } else { Err(ReproduceError::NotOurs { path: folder.to_owned() }) }
}

fn prepare(folder: &Path) -> Result<(), ReproduceError> {
    check(folder)?;
    std::fs::create_dir_all(folder)
        .map_err(|source| ReproduceError::File { path: folder.to_owned(), source })?;
    let text = b"Written by `privet reproduce`, which may replace everything beside this file.\n";
    write(&folder.join(MARKER), text)
}

/// Writes rows, charts and a page for each paper, and an index; gives the path of the index.
///
/// # Errors
/// When a file cannot be written.
pub fn write_all(folder: &Path, reproductions: &[Reproduction]) -> Result<PathBuf, ReproduceError> {
    prepare(folder)?;
    for reproduction in reproductions {
        let own = folder.join(reproduction.paper.as_str());
        std::fs::create_dir_all(&own).map_err(|source| ReproduceError::File { path: own.clone(), source })?;
        write_rows(&own.join("rows.csv"), reproduction)?;
        write_claims(&own.join("claims.csv"), &reproduction.outcomes)?;
        chart::write_all(&own, reproduction)?;
        write(&page_path(folder, reproduction.paper), page::of_paper(reproduction).as_bytes())?;
    }
    let index = folder.join("index.html");
    let has_page = |paper: Paper| page_path(folder, paper).exists();
    write(&index, page::index(reproductions, has_page).as_bytes())?;
    Ok(index)
}

fn page_path(folder: &Path, paper: Paper) -> PathBuf {
    folder.join(format!("{}.html", paper.as_str()))
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
    let rows = outcomes.iter().map(|Outcome { claim, ours, verdict, basis }| {
        let ours = ours.map_or_else(String::new, |ours| ours.to_string());
        let texts = [&claim.id, &claim.figure, &claim.sentence, &claim.x, &claim.printed, &ours, &claim.unit];
        let mut row: Vec<String> = texts.map(String::clone).to_vec();
        row.extend([verdict.to_string(), basis.as_str().to_owned(), claim.note.clone()]);
        row
    });
    let header = ["id", "figure", "sentence", "x", "printed", "ours", "unit", "verdict", "basis", "note"];
    write_table(path, &header, rows.collect())
}
