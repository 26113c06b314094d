//! Mechanisms on vectors side by side.

use super::clip::{Clip, ClipArguments};
use super::dimension;
use crate::arguments::{OptionArguments, generator, parse_epsilons};
use crate::choice::Attempt;
use crate::command::evaluation::{self, Row, mean_of};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::read_vectors;
use crate::trials::Trials;
use crate::vectors;
use clap::Args;
use privet::vector::mechanism::VectorMechanism;
use privet::vector::reshape::Rows;
use privet::{Dimension, DomainSpec, Generator, ParameterError, Rng};
use std::f64::consts::TAU;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Random directions in 64 dimensions:
    privet vector evaluate --domain vector:64 --mechanism privunit,privunit-g,laplace-vector \\
      --epsilon 1,5,10

  Vectors that you may read, clipped to a set that holds nine in ten public ones:
    privet vector evaluate --in features.npy --public public.npy --mechanism all --delta 1e-5 \\
      --epsilon 1:10:1 --plot error.svg --out error.csv";

/// Compare mechanisms on vectors that you may read, or on random ones
///
/// mean-squared-error: the squared distance between a report and its vector, on average; what clipping takes away counts as an
/// error. Beside it stands what the mechanism states for vectors inside its clip set. distance-of-means: how far the mean of all
/// reports is from the mean of all vectors. Standard errors are those of the mean over trials.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EvaluateArguments {
    /// Mechanisms on vectors by id or synonym, or `all` for every one (those with a delta if one is given)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    mechanism: Vec<String>,
    /// Epsilons: a number, a list such as 1,5,10 or a range such as 1:8:0.5
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    options: OptionArguments,
    /// The vectors: .npy, .parquet, .arrow, .csv or .jsonl [default: random directions]
    #[arg(long = "in", value_name = "FILE")]
    input: Option<PathBuf>,
    /// The column of the vectors, or one for each coordinate; npy has none
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', requires = "input")]
    column: Vec<String>,
    /// The domain of random vectors, such as vector:64
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// How many random vectors
    #[arg(long, value_name = "COUNT", default_value_t = 1000, conflicts_with = "input",
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    count: u32,
    #[command(flatten)]
    clip: ClipArguments,
    /// How often everybody reports
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    trials: u32,
    /// Write the rows into a table: .csv, .jsonl, .parquet or .arrow
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the mean squared errors over epsilon into an .svg or .png file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

impl EvaluateArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let (out, plot) = (self.out.as_deref(), self.plot.as_deref());
        let epsilons = parse_epsilons(&self.epsilon)?;
        evaluation::check_files(out, plot, &epsilons)?;
        let options = self.options.build_options()?;
        let mechanisms = vectors::find_all(&self.mechanism, &options)?;
        vectors::check_taken(&mechanisms, &options)?;
        let mut rng = generator(self.insecure_seed)?;
        let vectors = self.vectors(&mut rng)?;
        let dimension = dimension(vectors.dimension())?;
        let clip: Clip = self.clip.read(dimension)?;
        let rounds = u64::from(self.trials) * (mechanisms.len() * epsilons.len()) as u64;
        let mut progress = Progress::new("trials", Some(rounds));
        let mut rows = Vec::new();
        for row in mechanisms {
            for epsilon in &epsilons {
                let set = clip.of(row, dimension)?;
                let options = vectors::taken(row, &options);
                let attempt = Attempt::new(&row.info, *epsilon, &options);
                let built = row.build(&set, *epsilon, &options);
                let Some(mechanism) = attempt.made(vectors::is_all(&self.mechanism), built)? else {
                    continue;
                };
                let trials = Trials::new(self.trials, &mut rng, &mut progress);
                let errors = trials.run(|mut rng| trial(&*mechanism, &vectors, &mut rng))?;
                rows.extend(measured(&*mechanism, epsilon.get(), vectors.count(), &errors));
            }
        }
        drop(progress);
        let title = format!("Mean squared error of a report, {dimension} dimensions");
        evaluation::show(&rows, title, [out, plot], output)
    }

    fn vectors(&self, rng: &mut Generator) -> Result<Rows, Failure> {
        if let Some(path) = &self.input {
            let vectors = read_vectors(path, &self.column)?;
            check_domain(self.domain.as_deref(), dimension(vectors.dimension())?)?;
            return Ok(vectors);
        }
        let Some(domain) = &self.domain else {
            return Err(Failure::Usage {
                message: "which vectors?".into(),
                hint: Some("read a file with --in, or say --domain vector:64 for random ones"),
            });
        };
        let width = parse_vectors(domain)?.get();
        let directions = (0..self.count).flat_map(|_| direction(width, rng)).collect();
        Ok(Rows::new(width, directions)?)
    }
}

/// Refuses vectors of another dimension than the flag says.
pub(super) fn check_domain(domain: Option<&str>, dimension: Dimension) -> Result<(), Failure> {
    match domain.map(parse_vectors).transpose()? {
        Some(wanted) if wanted != dimension => {
            let (expected, got) = (wanted.get(), dimension.get());
            Err(privet::InputError::Dimension { expected, got }.into())
        }
        _ => Ok(()),
    }
}

fn parse_vectors(domain: &str) -> Result<Dimension, Failure> {
    match domain.parse()? {
        DomainSpec::Vectors(vectors) => Ok(vectors.dimension()),
        other => Err(ParameterError::Incompatible {
            reason: format!("a domain of vectors is needed, such as vector:64: got {other}"),
        }
        .into()),
    }
}

/// A random vector of length one, for tests and comparisons.
fn direction(dimension: usize, rng: &mut Generator) -> Vec<f64> {
    let mut share = || (rng.next_u64() >> 11) as f64 / 2f64.powi(53);
    let mut normal = || (-2.0 * (1.0 - share()).ln()).sqrt() * (TAU * share()).cos();
    let vector: Vec<f64> = (0..dimension).map(|_| normal()).collect();
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    vector.into_iter().map(|x| x / length).collect()
}

/// The mean squared error, and the distance of the means.
fn trial(mechanism: &dyn VectorMechanism, vectors: &Rows, rng: &mut Generator) -> Result<[f64; 2], Failure> {
    let mut report = vec![0.0; vectors.dimension()];
    let mut sums = vec![0.0; vectors.dimension()];
    let mut squares = 0.0;
    for vector in vectors.iter() {
        mechanism.randomize(vector, &mut report, rng)?;
        for ((x, y), sum) in vector.iter().zip(&report).zip(&mut sums) {
            squares += (x - y).powi(2);
            *sum += y - x;
        }
    }
    let count = vectors.count() as f64;
    Ok([squares / count, sums.iter().map(|sum| (sum / count).powi(2)).sum::<f64>().sqrt()])
}

fn measured(mechanism: &dyn VectorMechanism, epsilon: f64, people: usize, errors: &[[f64; 2]]) -> [Row; 2] {
    let stated = [Some(mechanism.mean_squared_error()), None];
    let metrics = [("mean-squared-error", 1), ("distance-of-means", people)];
    std::array::from_fn(|index| {
        let trials: Vec<f64> = errors.iter().map(|error| error[index]).collect();
        let (value, standard_error) = mean_of(&trials);
        let (metric, people) = metrics[index];
        Row {
            mechanism: mechanism.id(),
            reshaped: false,
            recipe: "plain",
            data: "vectors",
            people,
            epsilon: Some(epsilon),
            metric,
            value,
            standard_error,
            stated: stated[index],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_directions_have_length_one_and_no_preference() {
        let mut rng = Generator::from_insecure_seed(5);
        let mut sums = [0.0; 3];
        for _ in 0..4000 {
            let vector = direction(3, &mut rng);
            assert!((vector.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12);
            sums.iter_mut().zip(&vector).for_each(|(sum, x)| *sum += x);
        }
        // Each sum has a deviation of 36.5; three of them fail together with probability below 2e-6.
        assert!(sums.iter().all(|sum| sum.abs() < 5.0 * 36.6), "{sums:?}");
    }
}
