//! The source papers, figure by figure, with what they print beside what is measured here.

use crate::failure::Failure;
use crate::output::{Output, table_of_numbers};
use crate::progress::Waiting;
use clap::Args;
use privet_papers::{
    Effort, Outcome, Paper, Place, ReproduceError, Reproduction, Request, Row, Verdict, data, report,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Every figure of every paper, in less than half an hour, and then open papers/index.html:
    privet reproduce all --out papers

  The same with fewer repetitions and coarser grids, in less than three minutes:
    privet reproduce all --quick --out papers

  One figure of one paper, as JSON:
    privet reproduce ogpm --figure 5.9 --quick --out figure --json";

/// Compute the figures and tables of a source paper, with what it claims beside them
///
/// Papers: jrr, ogpm, tracs, classifier, reshape, or all. The folder gets the rows as csv, the charts as SVG and PNG, a page for each
/// paper with the verdict on each claim, and an index. Data sets are read from the folder that PRIVET_DATA names; a figure
/// whose data are missing is skipped, and the exit status is then 74. It is 1 if a verdict is not the stored one.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reproduce {
    /// Which paper
    #[arg(value_name = "PAPER")]
    paper: String,
    /// Only this figure, table or example, such as 5.9 or "table 4.3"
    #[arg(long, value_name = "NAME")]
    figure: Option<String>,
    /// The folder to write: a new or empty one, or one with an earlier run of the same request
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Fewer repetitions and coarser grids
    #[arg(long)]
    quick: bool,
}

/// A row as JSON has it.
#[derive(Debug, Serialize)]
struct Cell {
    source: &'static str,
    figure: &'static str,
    series: String,
    x: X,
    ours: f64,
    paper: Option<f64>,
    verdict: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum X {
    Number(f64),
    Name(String),
}

impl Cell {
    fn new(reproduction: &Reproduction, row: Row) -> Self {
        let outcome = reproduction.outcomes.iter().find(|outcome| outcome.claim.id == row.series);
        Self {
            source: reproduction.paper.as_str(),
            figure: row.figure,
            x: match row.x {
                Place::Number(number) => X::Number(number),
                Place::Name(name) => X::Name(name),
            },
            ours: row.ours,
            paper: row.paper,
            verdict: outcome.map(Outcome::verdict_in_words),
            series: row.series,
        }
    }
}

impl Reproduce {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let papers =
            if self.paper == "all" { Paper::ALL.to_vec() } else { vec![self.paper.parse::<Paper>()?] };
        let effort = if self.quick { Effort::Quick } else { Effort::Full };
        let request = Request { papers, figure: self.figure.clone(), effort, data: data::folder() };
        // Before the work, so that a folder of somebody else is found at once.
        let folder = report::Folder::open(&self.out, &request)?;
        let waiting = Waiting::on("computing figures".to_owned());
        let reproductions = privet_papers::reproduce(&request, &|progress| {
            let (paper, figure) = (progress.paper.as_str(), progress.figure.id);
            waiting.say(format!("{} of {} figures, last {paper} {figure}", progress.done, progress.of));
        })?;
        drop(waiting);
        let index = folder.write(&reproductions)?;
        let cells: Vec<Cell> = reproductions
            .iter()
            .flat_map(|reproduction| reproduction.rows().into_iter().map(|row| Cell::new(reproduction, row)))
            .collect();
        output.print(&cells, || text(&reproductions, &index))?;
        complain(&reproductions)
    }
}

fn text(reproductions: &[Reproduction], index: &Path) -> String {
    let mut header = vec!["paper", "figures"];
    header.extend(Verdict::ALL.map(Verdict::as_str));
    header.push("not run");
    let mut table = table_of_numbers(&header, 1);
    for reproduction in reproductions {
        let computed = reproduction.figures.len() - reproduction.skipped().count();
        let mut row = vec![reproduction.paper.as_str().to_owned(), computed.to_string()];
        row.extend(Verdict::ALL.map(|verdict| reproduction.count(verdict).to_string()));
        row.push(reproduction.not_run().to_string());
        table.add_row(row);
    }
    let mut text = table.trim_fmt();
    for outcome in reproductions.iter().flat_map(Reproduction::changed) {
        let Outcome { claim, verdict, .. } = outcome;
        text.push_str(&format!("\n{}: {verdict}, expected {}", claim.id, claim.verdict));
    }
    for (figure, problem) in reproductions.iter().flat_map(Reproduction::failed) {
        text.push_str(&format!("\n{}: {problem}", figure.heading()));
    }
    text.push_str(&format!("\n\nThe pages begin at {}", index.display()));
    text
}

/// Everything is written by now; the exit status says what is wrong with it, the worst first.
fn complain(reproductions: &[Reproduction]) -> Result<(), Failure> {
    let mut failed = reproductions.iter().flat_map(Reproduction::failed);
    if let Some((figure, problem)) = failed.next() {
        let message = format!("{} could not be computed: {problem}", figure.heading());
        return Err(Failure::Data { message, hint: Some("the other figures are written") });
    }
    let changed: Vec<&str> = reproductions
        .iter()
        .flat_map(Reproduction::changed)
        .map(|outcome| outcome.claim.id.as_str())
        .collect();
    if !changed.is_empty() {
        return Err(Failure::Verdicts { claims: changed.join(", ") });
    }
    let mut figures = Vec::new();
    let mut files = Vec::new();
    for reproduction in reproductions {
        for skipped in reproduction.skipped() {
            figures.push(format!("{} {}", reproduction.paper.as_str(), skipped.figure.id));
            files.extend(skipped.missing.iter().copied());
        }
    }
    let mut how: Vec<String> = files.iter().map(|file| file.how_to_get()).collect();
    how.sort();
    how.dedup();
    if figures.is_empty() {
        return Ok(());
    }
    Err(Failure::MissingData { figures: figures.join(", "), how: how.join("\nhint: ") })
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        let message = error.to_string();
        match error {
            ReproduceError::File { path, source } => Self::File { action: "cannot write", path, source },
            ReproduceError::Data { .. } => Self::Data { message, hint: None },
            ReproduceError::NotOurs { .. } | ReproduceError::OtherRun { .. } => {
                Self::Usage { message, hint: Some("name a folder that does not exist yet") }
            }
            _ => Self::Usage { message, hint: None },
        }
    }
}
