//! The best channel there can be, and the proof.

mod answer;
mod picture;
mod search;
mod wanted;

use crate::arguments::parse_epsilons;
use crate::choice::read_solution;
use crate::failure::Failure;
use crate::output::Output;
use crate::plot;
use crate::table::replace_file;
use answer::Answer;
use clap::{Args, ValueEnum};
use privet::Epsilon;
use privet::limit::Solution;
use search::Search;
use std::path::{Path, PathBuf};
use std::time::Instant;
use wanted::Wanted;

const EXAMPLES: &str = "\
Examples:
  The channel with the smallest worst absolute error, as a file for the other verbs:
    privet optimize --domain interval:0,1 --loss absolute --epsilon 1 --out best.json
    privet perturb --mechanism file:best.json --column score --in people.csv --out reports.csv

  Is the file what it says it is?
    privet optimize --verify best.json

  How far are the known mechanisms from the best, over epsilon?
    privet optimize --domain interval:0,1 --loss squared --epsilon 1:4:1 --plot frontier.svg

  Unbiased reports for people who resemble those of a public table:
    privet optimize --domain interval:0,1 --loss squared --unbiased --objective average \\
      --prior public.csv --prior-column score --epsilon 2 --out fitted.json";

/// Find the best channel there can be, with a proof
///
/// Of all mechanisms that keep epsilon, whatever they do, none has a smaller error than the lower bound; the one that was
/// found achieves what is stated, exactly. The file holds the channel and a certificate: `--verify` checks both, without the
/// solver. Ctrl-C keeps the best so far.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Optimize {
    /// Where values come from: interval:0,1, circle:360, categories:16 (ordered, unless the loss is a matrix) or
    /// rectangle:0,1,0,1
    #[arg(long, value_name = "DOMAIN", required_unless_present = "verify")]
    domain: Option<String>,
    /// How a distance is counted: absolute or squared; for categories also matrix:FILE, with a line for each category and the
    /// losses of all outputs between commas
    #[arg(long, value_name = "LOSS", required_unless_present = "verify")]
    loss: Option<String>,
    /// How much one report may reveal: a number, a list such as .1,1,4 or a range such as 1:8:0.5
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, required_unless_present = "verify")]
    epsilon: Option<String>,
    /// Which error is made small
    #[arg(long, value_enum, default_value_t = Objective::Minimax)]
    objective: Objective,
    /// The mean report of every value is the value itself; reports may lie beyond the domain
    #[arg(long)]
    unbiased: bool,
    /// Where unbiased reports may lie; without it, wherever is best
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, requires = "unbiased")]
    range: Option<String>,
    /// What is publicly known about where values lie, for the average: a file with the weights of equal bins of the domain,
    /// separated by commas, blanks or lines (for categories a weight for each, for a rectangle a line for each part of its
    /// first side); or a table, with --prior-column. Without it all values are alike
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,
    /// The column of public values in the table (.csv, .jsonl, .ndjson, .parquet) of --prior. They are counted in equal bins,
    /// and each bin counts one more, so that no value is thought impossible
    #[arg(long, value_name = "NAME", requires = "prior")]
    prior_column: Option<String>,
    /// How many bins the column is counted in [default: 32]
    #[arg(long, value_name = "COUNT", requires = "prior_column",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    prior_bins: Option<u32>,
    /// The file for the channel and its proof; for several epsilons a name with {epsilon} in it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the error into an .svg or .png file, beside known mechanisms and the lower bound: over the domain for one
    /// epsilon, or over several epsilons
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Check a file that was written before, and say what it proves; nothing is solved
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["domain", "loss", "epsilon", "objective", "unbiased", "prior", "out", "plot"])]
    verify: Option<PathBuf>,
}

/// Which error is made small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Objective {
    /// The error at the worst value
    Minimax,
    /// The error on average over values that follow the prior
    Average,
}

impl Objective {
    fn as_str(self) -> &'static str {
        match self {
            Self::Minimax => "minimax",
            Self::Average => "average",
        }
    }
}

impl Optimize {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        match &self.verify {
            Some(path) => verify(path, output),
            None => self.solve(output),
        }
    }

    fn solve(&self, output: Output) -> Result<(), Failure> {
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        let wanted = Wanted::read(self)?;
        let epsilons = parse_epsilons(self.epsilon.as_deref().unwrap_or_default())?;
        self.check_out(&epsilons)?;
        let search = Search::new();
        let (mut answers, mut solutions) = (Vec::new(), Vec::new());
        for epsilon in epsilons {
            let found = match search.solve(&wanted.at(epsilon)?) {
                // What was found before is worth keeping.
                Err(Failure::Stopped) if !answers.is_empty() => break,
                found => found?,
            };
            let out = self.out_at(epsilon);
            if let Some(path) = &out {
                replace_file(path, found.solution.to_json().as_bytes())?;
            }
            let mut answer = Answer::of(&found.solution, found.seconds)?;
            answer.objective = self.objective.as_str();
            answer.prior = wanted.prior_name();
            answer.out = out.map(|path| path.display().to_string());
            answers.push(answer);
            solutions.push(found.solution);
            if search.is_stopped() {
                break;
            }
        }
        if let (true, Some(last)) = (search.is_stopped(), answers.last_mut()) {
            last.note = Some(STOPPED);
        }
        if let Some(path) = &self.plot {
            plot::save(&picture::draw(&solutions)?, path)?;
        }
        let page = || answer::page(&answers, self.plot.as_deref());
        match &answers[..] {
            [only] => output.print(only, page),
            several => output.print(&several, page),
        }
    }

    /// Two channels must not be written to one file.
    fn check_out(&self, epsilons: &[Epsilon]) -> Result<(), Failure> {
        let Some(out) = &self.out else { return Ok(()) };
        if epsilons.len() > 1 && !out.to_string_lossy().contains(PLACE) {
            return Err(Failure::Usage {
                message: format!("several channels do not fit into one file: got --out {}", out.display()),
                hint: Some("write {epsilon} where its number is to stand, such as --out best-{epsilon}.json"),
            });
        }
        Ok(())
    }

    fn out_at(&self, epsilon: Epsilon) -> Option<PathBuf> {
        let out = self.out.as_ref()?;
        match out.to_str() {
            Some(text) => Some(text.replace(PLACE, &epsilon.to_string()).into()),
            None => Some(out.clone()),
        }
    }
}

/// Stands for epsilon in the name of a file.
const PLACE: &str = "{epsilon}";

const STOPPED: &str = "stopped early: this is the best so far, and what it claims is proved";

fn verify(path: &Path, output: Output) -> Result<(), Failure> {
    let start = Instant::now();
    let solution: Solution = read_solution(path)?;
    solution.verify().map_err(|source| Failure::Unproved { path: path.to_owned(), source })?;
    let mut answer = Answer::of(&solution, start.elapsed().as_secs_f64())?;
    answer.verified = Some(true);
    output.print(&answer, || answer::verified_page(&answer, path))
}
