//! How far a report is from the value, on average.

mod elsewhere;
pub(super) mod picture;
mod vectors;

use super::loss::NamedLoss;
use super::prior;
use super::settings::Settings;
use crate::arguments::{OptionArguments, parse_epsilons};
use crate::choice::{self, Choices};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::plot;
use crate::progress::Progress;
use crate::vectors::{RadiusArguments, is_vector_domain};
use clap::Args;
use privet::DomainSpec;
use privet::analysis::{Analysis, AnyNumeric, Loss, Prior};
use privet::registry::AnyEstimator;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  How far off is a report at worst?
    privet error --mechanism ogpm --domain interval:0,1 --epsilon 1,2,4 --loss absolute --worst

  At one value, with its bias and variance:
    privet error --mechanism laplace --domain interval:-5,20 --epsilon 1 --loss squared --input 0

  Which mechanism is best where? One line for each, over the whole domain:
    privet error --mechanism ogpm,piecewise-truncated,laplace-truncated --domain interval:0,1 \\
      --epsilon 1 --loss absolute --worst --plot error.svg

  Ratings from one to five, where a wrong star costs one:
    privet error --mechanism grr,ordered-exponential --domain categories:5 --epsilon 1,2 \\
      --loss absolute --worst";

/// Compute the expected error of one report, exactly
///
/// The error is a sum over all reports, weighted with the integer weights that the sampler uses: nothing is simulated. On a
/// circle distances are the shorter way around; between categories they are those of their positions in the list, or what a
/// matrix says; in a rectangle they are Euclidean; of vectors it is the mean squared error, the largest over the clip set. It is the error of a single report; `privet simulate` is about estimates
/// from many.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["input", "worst", "average"])))]
pub(crate) struct Error {
    /// Mechanisms by id, synonym or file:PATH, or `all` for every one that fits the domain and need not be solved for
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    mechanism: Vec<String>,
    /// Where values come from: interval:0,1, circle:360, categories:5 or vector:64; a mechanism from a file has its own
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Epsilons: a number, a list such as .1,1,4 or a range such as 1:8:0.5; a mechanism from a file has its own
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: Option<String>,
    #[command(flatten)]
    options: OptionArguments,
    #[command(flatten)]
    clip: RadiusArguments,
    /// How a distance is counted: absolute or squared; for categories also matrix:FILE, with a line for each category
    #[arg(long, value_name = "LOSS")]
    loss: String,
    /// The error at this value
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    input: Option<String>,
    /// The largest error over all values, and where it is
    #[arg(long)]
    worst: bool,
    /// The error of a value that is drawn from the prior; its bias and variance are means over all values
    #[arg(long)]
    average: bool,
    /// A file with the weights of equal bins of the domain, as many as you like, separated by commas, blanks or lines;
    /// or a weight for each category; without it all values are alike
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "worst"])]
    prior: Option<PathBuf>,
    /// Draw the error into an .svg or .png file: over the whole domain for one epsilon, or over several epsilons
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Which error is asked for.
#[derive(Debug)]
enum Question {
    Input(f64),
    Worst,
    Average(Prior),
}

/// One row of the answer.
#[derive(Debug, Clone, Serialize)]
struct Answer {
    id: &'static str,
    domain: String,
    epsilon: f64,
    loss: &'static str,
    what: &'static str,
    error: f64,
    /// Where the error is, if it is that of one value.
    input: Option<Value>,
    /// Only for numbers and angles.
    bias: Option<f64>,
    variance: Option<f64>,
}

/// A mechanism at one epsilon.
struct Built {
    epsilon: f64,
    estimator: Box<dyn AnyEstimator>,
}

impl Built {
    fn channel(&self) -> Result<&dyn AnyNumeric, Failure> {
        self.estimator.numeric().ok_or_else(|| Failure::Usage {
            message: "errors are distances between numbers, and this mechanism's reports are not numbers"
                .into(),
            hint: Some(NUMBERS_ONLY),
        })
    }
}

const NUMBERS_ONLY: &str = "use a domain of numbers or angles, such as interval:0,1 or circle:360; `privet simulate` is about categories";

impl Error {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let loss = NamedLoss::read(&self.loss)?;
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        if let Some(domain) = self.domain.as_ref().filter(|domain| is_vector_domain(domain)) {
            return self.of_vectors(domain, &loss, output);
        }
        self.clip.refuse_elsewhere()?;
        let choices = Choices::read(&self.mechanism)?;
        let domain = choice::domain(choices.as_slice(), self.domain.as_ref())?;
        if !matches!(domain, DomainSpec::Interval(_) | DomainSpec::Circle(_)) {
            let answers = self.elsewhere(&choices, &domain, &loss)?;
            return print(&answers, output, || page(&answers, loss.name(), None));
        }
        let loss = loss.distance(&domain)?;
        let question = self.question()?;
        let built = self.build(&choices, &domain)?;
        let mut progress = Progress::new("errors", Some(built.len() as u64));
        let mut answers = Vec::new();
        for one in &built {
            answers.push(answer(one, &domain, loss, &question)?);
            progress.add(1);
        }
        drop(progress);
        if let Some(path) = &self.plot {
            let is_one_epsilon = answers.iter().all(|row| row.epsilon == answers[0].epsilon);
            let chart = if is_one_epsilon {
                picture::over_domain(&built, &answers, &domain, loss)?
            } else {
                picture::over_epsilon(&answers, &domain, loss)
            };
            plot::save(&chart, path)?;
        }
        print(&answers, output, || page(&answers, loss.as_str(), self.plot.as_deref()))
    }

    fn question(&self) -> Result<Question, Failure> {
        if self.worst {
            return Ok(Question::Worst);
        }
        if self.average {
            let prior = self.prior.as_deref().map(prior::of_weights).transpose()?;
            return Ok(Question::Average(prior.unwrap_or_else(Prior::uniform)));
        }
        let text = self.input.as_deref().unwrap_or_default();
        let value = text.trim().parse().map_err(|_| Failure::Data {
            message: "the input is not a number".into(),
            hint: Some("write a number of the domain, such as 0.5"),
        })?;
        Ok(Question::Input(value))
    }

    /// All mechanisms at all epsilons.
    fn build(&self, choices: &Choices, domain: &DomainSpec) -> Result<Vec<Built>, Failure> {
        let options = self.options.build_options()?;
        let mut settings = Settings::new(options, choices.as_slice().len() > 1);
        let mut built = Vec::new();
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        for epsilon in choice::epsilons(choices.as_slice(), epsilons)? {
            for choice in choices.at(domain, epsilon) {
                let estimator = settings.build(|options| choice.estimator(domain, epsilon, options));
                let attempt = choice.attempt(epsilon, &options);
                let estimator = attempt.made(choices.is_all, estimator)?;
                built.extend(estimator.map(|estimator| Built { epsilon: epsilon.get(), estimator }));
            }
        }
        settings.check()?;
        if built.is_empty() {
            return Err(Failure::Usage { message: format!("no mechanism works on {domain}"), hint: None });
        }
        Ok(built)
    }
}

/// One answer is one document, several are a list.
fn print(answers: &[Answer], output: Output, page: impl FnOnce() -> String) -> Result<(), Failure> {
    match answers {
        [only] => output.print(only, page),
        several => output.print(&several, page),
    }
}

fn answer(built: &Built, domain: &DomainSpec, loss: Loss, question: &Question) -> Result<Answer, Failure> {
    let channel = built.channel()?;
    let analysis = Analysis::new(channel);
    let row = |what, error, input: Option<f64>, bias, variance| Answer {
        id: channel.info().id,
        domain: domain.to_string(),
        epsilon: built.epsilon,
        loss: loss.as_str(),
        what,
        error,
        input: input.map(Value::from),
        bias: Some(bias),
        variance: Some(variance),
    };
    Ok(match question {
        Question::Average(prior) => {
            let all = analysis.average_error(loss, prior);
            row("average", all.error, None, all.bias, all.variance)
        }
        Question::Worst => {
            let at = analysis.worst(loss);
            row("worst", at.error, Some(at.input), at.bias, at.variance)
        }
        Question::Input(value) => {
            let at = analysis.law(*value)?.error(loss);
            row("input", at.error, Some(at.input), at.bias, at.variance)
        }
    })
}

fn page(answers: &[Answer], kind: &str, plot: Option<&Path>) -> String {
    let mut table = table_of_numbers(&["MECHANISM", "EPSILON", "ERROR", "AT", "BIAS", "VARIANCE"], 1);
    for row in answers {
        table.add_row([
            row.id.to_owned(),
            row.epsilon.to_string(),
            number(row.error),
            row.input.as_ref().map_or("-".into(), place),
            row.bias.map_or("-".into(), number),
            row.variance.map_or("-".into(), number),
        ]);
    }
    let what = match answers.first().map(|row| row.what) {
        Some("worst") => "at the worst value",
        Some("average") => "on average over all values",
        _ => "at one value",
    };
    let domain = answers.first().map(|row| row.domain.as_str()).unwrap_or_default();
    let drawn = plot.map(|path| format!("\nDrawn in {}.", path.display())).unwrap_or_default();
    format!("{}\n\nThe expected {kind} error of one report {what}, on {domain}.{drawn}", table.trim_fmt())
}

/// A number of the domain, or the name of a category or place.
fn place(input: &Value) -> String {
    input.as_f64().map_or_else(|| input.as_str().unwrap_or_default().to_owned(), number)
}
