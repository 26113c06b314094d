//! Vectors to randomised vectors.

use super::clip::ClipArguments;
use super::{ChoiceArguments, dimension};
use crate::arguments::generator;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{Format, check_other_file, read_vectors, write_vectors};
use clap::Args;
use privet::document;
use privet::vector::mechanism::VectorMechanism;
use privet::vector::reshape::Rows;
use privet::{Generator, InputError};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  An array with a row for each person:
    privet vector perturb --mechanism privunit --epsilon 5 --radius 2 --in features.npy --out reports.npy

  A list column of a parquet file, with a clip set that holds nine in ten public vectors:
    privet vector perturb --mechanism laplace-vector --epsilon 4 --public public.npy \\
      --in people.parquet --column features --out reports.parquet

  A column for each coordinate:
    privet vector perturb --mechanism gaussian-vector --delta 1e-6 --epsilon 2 --radius 3 \\
      --in people.csv --column weight,height,age --out reports.csv";

/// Turn vectors into randomised vectors
///
/// Every report is a vector of as many numbers as the input has: an array of NumPy, a fixed-size list column `report` in parquet
/// and arrow, a list in jsonl, and numbers with commas between them in csv. It is read from the integers that the mechanism
/// draws, so that it reveals no more than they do. All vectors are in memory.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PerturbArguments {
    #[command(flatten)]
    choice: ChoiceArguments,
    /// The vectors' domain, such as vector:64; files with other vectors are refused
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    #[command(flatten)]
    clip: ClipArguments,
    /// The private vectors: .npy, .parquet, .arrow, .csv or .jsonl
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

impl PerturbArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let choice = self.choice.choice()?;
        let format = Format::of(&self.out, None)?;
        check_other_file(&self.input, &self.out)?;
        let vectors = read_vectors(&self.input, &self.column)?;
        let dimension = dimension(vectors.dimension())?;
        super::evaluate::check_domain(self.domain.as_deref(), dimension)?;
        let clip = self.clip.read(dimension)?.of(choice.row, dimension)?;
        let mechanism = choice.row.build(&clip, choice.epsilon, &choice.options)?;
        let mut rng = generator(self.insecure_seed)?;
        let reports = randomize_all(&*mechanism, &vectors, &mut rng)?;
        let rows = reports.count();
        let document = json!({
            "rows": rows,
            "out": self.out.display().to_string(),
            "format": format.as_str(),
            "mechanism": mechanism.id(),
            "dimension": dimension.get(),
            "guarantee": document::guarantee(&mechanism.guarantee()),
            "fingerprint": mechanism.fingerprint().to_string(),
            "insecure": rng.is_insecure(),
        });
        write_vectors(&self.out, "report", &reports, (ABOUT, about(&document)))?;
        let guarantee = mechanism.guarantee();
        output.print(&document, || format!("{rows} reports in {} ({guarantee}, each)", self.out.display()))
    }
}

/// The name under which a file says what made its reports.
pub(in crate::command) const ABOUT: &str = "privet";

/// What a file says about its reports: all but where it lies.
pub(in crate::command) fn about(document: &Value) -> String {
    let mut about = document.clone();
    if let Some(about) = about.as_object_mut() {
        about.remove("out");
        about.remove("format");
    }
    about.to_string()
}

/// How many vectors are randomised between two looks at the clock.
const AT_ONCE: usize = 1024;

/// A report for each vector.
pub(super) fn randomize_all(
    mechanism: &dyn VectorMechanism,
    vectors: &Rows,
    rng: &mut Generator,
) -> Result<Rows, Failure> {
    let mut progress = Progress::new("vectors", Some(vectors.count() as u64));
    let mut reports = vec![0.0; vectors.count() * vectors.dimension()];
    let width = vectors.dimension();
    for (index, slots) in reports.chunks_mut(AT_ONCE * width).enumerate() {
        let part: Vec<f64> = vectors.iter().skip(index * AT_ONCE).take(AT_ONCE).flatten().copied().collect();
        mechanism.randomize_batch(&part, slots, rng).map_err(|error| at(error.into(), index * AT_ONCE))?;
        progress.add((slots.len() / width) as u64);
    }
    Ok(Rows::new(width, reports)?)
}

/// The same failure, with positions that count from the first vector of all.
fn at(failure: Failure, before: usize) -> Failure {
    match failure {
        Failure::Input(InputError::OutsideDomainAt { position, domain }) => {
            InputError::OutsideDomainAt { position: position + before as u64, domain }.into()
        }
        other => other,
    }
}
