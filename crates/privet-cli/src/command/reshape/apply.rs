//! Pre, clip, randomise, post.

use crate::arguments::generator;
use crate::command::vector::{ABOUT, ChoiceArguments, about};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Format, check_other_file, read_vectors, write_vectors};
use clap::{Args, ValueEnum};
use privet::document;
use privet::vector::reshape::{Reshape, ReshapeError, Reshaped, Rows};
use serde_json::json;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  From private vectors to what the model is fed with:
    privet reshape apply --reshape map.json --mechanism privunit --epsilon 5 \\
      --in features.npy --out noisy.npy

  The same in two steps: what devices send, and what the collector makes of fifty reports each:
    privet reshape apply --reshape map.json --mechanism privunit --epsilon 5 --step randomize \\
      --in features.npy --out reports.npy
    privet reshape apply --reshape map.json --mechanism privunit --epsilon 5 --step restore \\
      --people 50 --in reports.npy --out means.npy";

/// More than any map has; what is longer is refused without reading all of it.
const MOST_BYTES: u64 = (256 << 20) + 1;

/// Randomise vectors through a fitted map
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ApplyArguments {
    /// The file that `reshape fit` wrote
    #[arg(long, value_name = "FILE")]
    reshape: PathBuf,
    #[command(flatten)]
    choice: ChoiceArguments,
    /// What is done: all of it, only what devices do, or only what the collector does with reports
    #[arg(long, value_enum, default_value = "all")]
    step: Part,
    /// How many reports that follow each other are averaged before they are mapped back
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    people: u32,
    /// The private vectors, or reports to restore: .npy, .parquet, .arrow, .csv or .jsonl
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The column of the vectors, or one for each coordinate; npy has none
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    column: Vec<String>,
    /// The file to write: .npy, .parquet, .arrow, .csv or .jsonl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Draw from a generator that anybody can repeat. For tests: the reports protect nobody
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Pre, clip, randomise, average, post
    All,
    /// Pre, clip, randomise: what leaves a device
    Randomize,
    /// Average and post
    Restore,
}

impl ApplyArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let choice = self.choice.choice()?;
        let format = Format::of(&self.out, None)?;
        check_other_file(&self.input, &self.out)?;
        if self.step == Part::Randomize && self.people > 1 {
            return Err(Failure::Usage {
                message: "--people is about restoring: reports are averaged by the collector".into(),
                hint: None,
            });
        }
        let reshaped = Reshaped::new(read_map(&self.reshape)?, &choice)?;
        let mut vectors = read_vectors(&self.input, &self.column)?;
        let mut is_insecure = false;
        if self.step != Part::Restore {
            let mut rng = generator(self.insecure_seed)?;
            is_insecure = rng.is_insecure();
            let mut progress = Progress::new("vectors", Some(vectors.count() as u64));
            let mut reports = vec![0.0; vectors.count() * reshaped.report_len()];
            for (vector, slot) in vectors.iter().zip(reports.chunks_exact_mut(reshaped.report_len())) {
                reshaped.randomize(vector, slot, &mut rng)?;
                progress.add(1);
            }
            vectors = Rows::new(reshaped.report_len(), reports)?;
        }
        if self.step != Part::Randomize {
            vectors = self.restore(&reshaped, &vectors)?;
        }
        let (rows, guarantee) = (vectors.count(), reshaped.guarantee());
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": format.as_str(),
            "mechanism": reshaped.mechanism().id(),
            "reshape": reshaped.reshape().digest(),
            "dimension": vectors.dimension(),
            "people": self.people,
            "guarantee": document::guarantee(&guarantee),
            "fingerprint": reshaped.mechanism().fingerprint().to_string(),
            "insecure": is_insecure,
        });
        let name = if self.step == Part::Randomize { "report" } else { "vector" };
        write_vectors(&self.out, name, &vectors, (ABOUT, about(&document)))?;
        output.print(&document, || format!("{rows} {name}s in {} ({guarantee}, each)", self.out.display()))
    }

    /// The vectors that reports, or means of them, stand for.
    fn restore(&self, reshaped: &Reshaped, reports: &Rows) -> Result<Rows, Failure> {
        let (people, width) = (self.people as usize, reports.dimension());
        if !reports.count().is_multiple_of(people) {
            let message = format!("{} reports cannot be averaged {people} at a time", reports.count());
            return Err(Failure::Data { message, hint: Some("leave the last ones out, or change --people") });
        }
        let dimension = reshaped.reshape().dimension();
        let mut vectors = vec![0.0; reports.count() / people * dimension];
        let mut rows = reports.iter();
        for slot in vectors.chunks_exact_mut(dimension) {
            let mut mean = vec![0.0; width];
            for report in rows.by_ref().take(people) {
                mean.iter_mut().zip(report).for_each(|(sum, value)| *sum += value / people as f64);
            }
            reshaped.restore(&mean, slot)?;
        }
        Ok(Rows::new(dimension, vectors)?)
    }
}

/// Reads a map of which nothing was changed.
fn read_map(path: &Path) -> Result<Reshape, Failure> {
    let failed = |source| Failure::File { action: "cannot read", path: path.to_owned(), source };
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes)).map_err(failed)?;
    // What is not text is no map either, and the reader of maps says so.
    Reshape::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| match error {
        ReshapeError::File { reason } => {
            ReshapeError::File { reason: format!("{}: {reason}", path.display()) }.into()
        }
        other => other.into(),
    })
}
