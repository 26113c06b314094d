//! What a model is worth on randomised vectors, with and without reshaping.

use super::recipe::{Maps, Recipe, Setting};
use super::{PublicArguments, Read, read_model};
use crate::arguments::{OptionArguments, generator, parse_epsilons};
use crate::choice::Attempt;
use crate::command::evaluation::{self, Row};
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::table::{read_numbers, read_vectors};
use crate::trials::Trials;
use crate::vectors;
use clap::Args;
use privet::model::Model;
use privet::vector::reshape::{
    Evaluation, MechanismChoice, Metric, Reading, Reshaped, Rows, Targets, answer_then_respond, evaluate,
};
use privet::{BuildOptions, DomainSpec, Epsilon, Generator};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  Two mechanisms with and without reshaping, beside the honest baseline:
    privet reshape evaluate --model head.onnx --public public.npy --in test.npy \\
      --labels labels.npy --mechanism privunit,laplace-vector --epsilon 2,5,10 \\
      --out accuracy.csv --plot accuracy.svg

  What the parts do, also on vectors from elsewhere:
    privet reshape evaluate --model head.onnx --public public.npy --in test.npy \\
      --labels labels.npy --shift bright.npy --mechanism privunit --epsilon 5 \\
      --recipe centred,balanced,printed,no-reshaping,no-pre,no-post,clip-only

  A regression from the averaged reports of a hundred people:
    privet reshape evaluate --model demand.json --read values --people 100 --public households.npy \\
      --in test.npy --labels demand.npy --mechanism laplace-vector --epsilon 1,4";

/// The mechanism of the rows that randomise nothing.
const NONE: &str = "none";
/// The mechanism of the honest baseline.
const BASELINE: &str = "answer-then-respond";

/// Measure a model on randomised vectors, with and without reshaping
///
/// Accuracy is the share of right classes; rmse the root of the mean squared error of the first score. Maps are fitted to public
/// vectors for each mechanism and epsilon. The row `none` is the model on unrandomised vectors. The rows `answer-then-respond`
/// are the honest baseline: each person runs the model and sends its class through k-ary randomised response; where people can
/// do that, they should. Standard errors are those of the mean over trials, for these vectors.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct EvaluateArguments {
    /// The public model: .onnx, .safetensors, .json or .csv, and .gz may follow
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    #[command(flatten)]
    public: PublicArguments,
    /// The vectors to randomise, which you may read: .npy, .parquet, .arrow, .csv or .jsonl
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The column of the vectors, or one for each coordinate; npy has none
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    column: Vec<String>,
    /// What is right: a class (from 0 on) or a number for each vector [default: the model's own answers]
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The column of the labels; npy has none
    #[arg(long, value_name = "NAME", default_value = "label")]
    label_column: String,
    /// A second data set, such as vectors under a distribution shift, in the form of the first
    #[arg(long, value_name = "FILE")]
    shift: Option<PathBuf>,
    /// What is right there [default: as --labels, if there are as many]
    #[arg(long, value_name = "FILE", requires = "shift")]
    shift_labels: Option<PathBuf>,
    /// Mechanisms on vectors by id or synonym, or `all` for every one (those with a delta if one is given)
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    mechanism: Vec<String>,
    /// Epsilons: a number, a list such as 1,5,10 or a range such as 1:8:0.5
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
    #[command(flatten)]
    options: OptionArguments,
    /// How vectors are mapped before and after the noise
    #[arg(
        long,
        value_enum,
        value_name = "NAME,..",
        value_delimiter = ',',
        default_value = "centred,balanced"
    )]
    recipe: Vec<Recipe>,
    /// What is read from the scores
    #[arg(long, value_enum, default_value = "class")]
    read: Read,
    /// How many people's reports are averaged for one answer: people who follow each other, of one class
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    people: u32,
    /// How often all vectors are randomised
    #[arg(long, value_name = "COUNT", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    trials: u32,
    /// Write the rows into a table: .csv, .jsonl, .parquet or .arrow
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw the first data set over epsilon into an .svg or .png file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

/// Vectors and what is right about them.
struct Data {
    name: &'static str,
    rows: Rows,
    truth: Truth,
}

#[derive(Clone)]
enum Truth {
    Labels(Vec<usize>),
    Values(Vec<f64>),
}

impl Truth {
    fn targets(&self) -> Targets<'_> {
        match self {
            Self::Labels(labels) => Targets::Labels(labels),
            Self::Values(values) => Targets::Values(values),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Labels(labels) => labels.len(),
            Self::Values(values) => values.len(),
        }
    }
}

impl EvaluateArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let (out, plot) = (self.out.as_deref(), self.plot.as_deref());
        let epsilons = parse_epsilons(&self.epsilon)?;
        evaluation::check_files(out, plot, &epsilons)?;
        let options = self.options.build_options()?;
        let mechanisms = vectors::find_all(&self.mechanism, &options)?;
        vectors::check_taken(&mechanisms, &options)?;
        let setting = Setting {
            model: read_model(&self.model)?,
            reading: Reading::from(self.read),
            public: self.public.read()?,
            people: self.people as usize,
        };
        let data = self.data(&setting.model)?;
        let choices = self.choices(&mechanisms, &epsilons, &options, setting.model.inputs())?;
        let mut rows = computed(&setting.model, &data, &epsilons)?;
        let mut rng = generator(self.insecure_seed)?;
        let mut progress = Progress::new("fits", Some(choices.len() as u64));
        let trials = Trials::new(choices.len() as u32, &mut rng, &mut progress);
        let measured =
            trials.run_each(|place, mut rng| self.measure(&setting, &choices[place], &data, &mut rng))?;
        rows.extend(measured.into_iter().flatten());
        drop(progress);
        let title = format!("{} on randomised vectors", self.model.file_name().unwrap_or_default().display());
        evaluation::show(&rows, title, [out, plot], output)
    }

    /// Every mechanism at every epsilon, as far as they can be made.
    fn choices(
        &self,
        mechanisms: &[&'static vectors::Row],
        epsilons: &[Epsilon],
        options: &BuildOptions,
        inputs: usize,
    ) -> Result<Vec<MechanismChoice>, Failure> {
        let domain: DomainSpec = format!("vector:{inputs}").parse()?;
        let is_all = vectors::is_all(&self.mechanism);
        let mut choices = Vec::new();
        for row in mechanisms {
            let options = vectors::taken(row, options);
            for epsilon in epsilons {
                let choice = MechanismChoice { row, epsilon: *epsilon, options };
                let built = row.build_on(&domain, *epsilon, &options).map(|_| choice);
                choices.extend(Attempt::new(&row.info, *epsilon, &options).made(is_all, built)?);
            }
        }
        Ok(choices)
    }

    fn data(&self, model: &Model) -> Result<Vec<Data>, Failure> {
        let rows = read_vectors(&self.input, &self.column)?;
        let truth = self.truth(model, &rows, self.labels.as_deref())?;
        let mut data = vec![Data { name: "test", rows, truth }];
        if let Some(path) = &self.shift {
            let rows = read_vectors(path, &self.column)?;
            let truth = match (&self.shift_labels, &self.labels) {
                (None, Some(_)) if rows.count() == data[0].truth.len() => data[0].truth.clone(),
                (None, Some(_)) => {
                    return Err(Failure::Usage {
                        message: format!(
                            "the second data set has {} vectors and the first {}, so it needs labels of its own",
                            rows.count(),
                            data[0].rows.count()
                        ),
                        hint: Some("say them with --shift-labels"),
                    });
                }
                (given, _) => self.truth(model, &rows, given.as_deref())?,
            };
            data.push(Data { name: "shift", rows, truth });
        }
        Ok(data)
    }

    /// What is right: from a file, or what the model says.
    fn truth(&self, model: &Model, rows: &Rows, path: Option<&Path>) -> Result<Truth, Failure> {
        check_width(model, rows)?;
        let failed = |source| Failure::Model { path: self.model.clone(), source };
        let Some(path) = path else {
            return Ok(match self.read {
                Read::Class => {
                    let labels = rows.iter().map(|row| model.predict(row)).collect::<Result<_, _>>();
                    Truth::Labels(labels.map_err(failed)?)
                }
                Read::Values => Truth::Values(first_scores(model, rows).map_err(failed)?),
            });
        };
        let numbers = read_numbers(path, &self.label_column)?;
        if numbers.len() != rows.count() {
            let message =
                format!("{} has {} labels for {} vectors", path.display(), numbers.len(), rows.count());
            return Err(Failure::Data { message, hint: None });
        }
        if self.read == Read::Values {
            return Ok(Truth::Values(numbers));
        }
        let classes = model.classes();
        let label = |number: &f64| {
            let is_class = number.fract() == 0.0 && (0.0..classes as f64).contains(number);
            is_class.then_some(*number as usize)
        };
        let labels: Option<Vec<usize>> = numbers.iter().map(label).collect();
        labels.map(Truth::Labels).ok_or_else(|| Failure::Data {
            message: format!("{}: classes are whole numbers from 0 to {}", path.display(), classes - 1),
            hint: Some("for numbers instead of classes, say --read values"),
        })
    }

    fn measure(
        &self,
        setting: &Setting,
        choice: &MechanismChoice,
        data: &[Data],
        rng: &mut Generator,
    ) -> Result<Vec<Row>, Failure> {
        let evaluation = Evaluation { repetitions: self.trials as usize, people: setting.people };
        let mut maps = Maps::new(setting, choice);
        let mut rows = Vec::new();
        for recipe in &self.recipe {
            let reshaped = Reshaped::new(maps.make(*recipe, rng)?, choice)?;
            for Data { name, rows: vectors, truth } in data {
                let measured =
                    evaluate(&setting.model, vectors, truth.targets(), &reshaped, evaluation, rng)?;
                rows.push(Row {
                    mechanism: choice.row.info.id,
                    reshaped: recipe.is_reshaped(),
                    recipe: recipe.as_str(),
                    data: name,
                    people: setting.people,
                    epsilon: Some(choice.epsilon.get()),
                    metric: measured.metric.as_str(),
                    value: measured.value,
                    standard_error: measured.standard_error,
                    stated: None,
                });
            }
        }
        Ok(rows)
    }
}

fn check_width(model: &Model, rows: &Rows) -> Result<(), Failure> {
    if model.inputs() == rows.dimension() {
        return Ok(());
    }
    let message = format!(
        "the model takes vectors of {} coordinates: got vectors of {}",
        model.inputs(),
        rows.dimension()
    );
    Err(Failure::Data { message, hint: None })
}

fn first_scores(model: &Model, rows: &Rows) -> Result<Vec<f64>, privet::model::ModelError> {
    let mut scores = vec![0.0; model.outputs()];
    let mut values = Vec::with_capacity(rows.count());
    for row in rows.iter() {
        model.scores(row, &mut scores)?;
        values.push(scores[0]);
    }
    Ok(values)
}

/// The rows that need no trials: the model itself, and the honest baseline. They are of single people.
fn computed(model: &Model, data: &[Data], epsilons: &[Epsilon]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for Data { name, rows: vectors, truth } in data {
        let row = |mechanism, recipe, epsilon, metric: Metric, value| Row {
            mechanism,
            reshaped: false,
            recipe,
            data: name,
            people: 1,
            epsilon,
            metric: metric.as_str(),
            value,
            standard_error: 0.0,
            stated: None,
        };
        match truth {
            Truth::Labels(labels) => {
                let mut right = 0;
                for (vector, label) in vectors.iter().zip(labels) {
                    let answer =
                        model.predict(vector).map_err(privet::vector::reshape::ReshapeError::from)?;
                    right += usize::from(answer == *label);
                }
                let share = right as f64 / labels.len() as f64;
                rows.push(row(NONE, "unrandomised", None, Metric::Accuracy, share));
                for epsilon in epsilons {
                    let share = answer_then_respond(model, vectors, labels, *epsilon)?;
                    rows.push(row(BASELINE, "on-device", Some(epsilon.get()), Metric::Accuracy, share));
                }
            }
            Truth::Values(values) => {
                let scores =
                    first_scores(model, vectors).map_err(privet::vector::reshape::ReshapeError::from)?;
                let squares: f64 = scores.iter().zip(values).map(|(x, y)| (x - y).powi(2)).sum();
                let root = (squares / values.len() as f64).sqrt();
                rows.push(row(NONE, "unrandomised", None, Metric::RootMeanSquaredError, root));
            }
        }
    }
    Ok(rows)
}
