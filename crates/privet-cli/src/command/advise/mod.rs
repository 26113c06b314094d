//! Which mechanism, which epsilon.

use crate::arguments::{OptionArguments, parse_epsilon, parse_named};
use crate::choice::{self, Choice};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::plot::{self, Chart, Range, Series};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use privet::advisor::{self, Advice, Candidate, LeftOut, Question, Wish};
use privet::document;
use privet::{BuildOptions, DomainSpec, registry};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Which mechanism tells most about the shares of 128 categories, from 100000 reports at epsilon 1?
    privet advise --domain categories:128 --goal frequency --users 100000 --epsilon 1

  Which epsilon is enough for a mean age to half a year?
    privet advise --domain interval:0,120 --goal mean --users 20000 --target-error 0.5 --plot error.svg

  Which report is nearest to the value?
    privet advise --domain circle:360 --goal point --users 1 --epsilon 2 --loss squared

  How much better is the best that there can be?
    privet advise --domain interval:0,1 --goal point --users 1 --epsilon 2 --mechanism minimax-absolute";

/// Advise on the mechanism and the epsilon
///
/// Every mechanism that fits the domain and the goal is compared by its expected error, which is computed from its channel;
/// nothing is simulated. The answer says what the error is: a standard error for frequencies and means, the root mean square
/// error of a share for distributions, the error of a single report at the worst value for points.
///
/// With a target error, the answer is the smallest epsilon between 0.01 and 16 at which each mechanism reaches it; one from
/// a file has its own epsilon only.
///
/// Mechanisms that have to be solved for take seconds and are left out unless --mechanism names them.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Advise {
    /// Where values come from: binary, categories:128, categories:red,green,blue, interval:0,1, circle:360 or
    /// rectangle:0,1,0,1
    #[arg(long, value_name = "DOMAIN")]
    domain: String,
    /// What is to be learned
    #[arg(long, value_enum)]
    goal: Goal,
    /// How many people report, once each
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    users: u64,
    /// How much one report may reveal
    #[arg(
        long,
        value_name = "NUMBER",
        allow_hyphen_values = true,
        required_unless_present = "target_error",
        conflicts_with = "target_error"
    )]
    epsilon: Option<String>,
    /// How large the error may be, in units of the values (shares for frequencies and distributions)
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    target_error: Option<String>,
    /// How a wrong report is counted, for the goal point: absolute or squared [default: absolute]
    #[arg(long, value_name = "LOSS")]
    loss: Option<String>,
    /// Into how many equal bins the domain is cut, for the goal distribution [default: 8]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=64))]
    distribution_bins: Option<u32>,
    #[command(flatten)]
    options: OptionArguments,
    /// Mechanisms to compare as well: those that have to be solved for (minimax-absolute, minimax-squared,
    /// minimax-unbiased; with --epsilon), or file:PATH
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    mechanism: Vec<String>,
    /// Draw the expected errors of the best mechanisms over epsilon: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// What is to be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Goal {
    /// The mean of numbers, or the mean direction of angles
    Mean,
    /// The distribution of numbers or angles
    Distribution,
    /// How often each category is held
    Frequency,
    /// Each value by itself, from its one report
    Point,
}

impl From<Goal> for advisor::Goal {
    fn from(goal: Goal) -> Self {
        match goal {
            Goal::Mean => Self::Mean,
            Goal::Distribution => Self::Distribution,
            Goal::Frequency => Self::Frequency,
            Goal::Point => Self::Point,
        }
    }
}

/// The mechanisms that a plot shows, and the epsilons around the advised one.
const DRAWN: usize = 6;
const EPSILONS: [f64; 9] = [0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0];

/// The expected errors of the best mechanisms, over epsilons around the advised one.
fn chart(domain: &DomainSpec, question: &Question, options: &BuildOptions, advice: &Advice) -> Chart {
    let best = std::iter::once(&advice.recommended).chain(advice.alternatives.iter().map(|(other, _)| other));
    let epsilons = EPSILONS.map(|factor| factor * advice.recommended.epsilon);
    let series = best.take(DRAWN).map(|candidate| {
        let own = [candidate.epsilon, candidate.expected_error];
        let line = advisor::curve(domain, question, options, candidate.id, &epsilons);
        Series {
            label: candidate.id.to_owned(),
            line: line.unwrap_or_else(|| vec![own]),
            dots: vec![own],
            ..Series::default()
        }
    });
    let name = plot::domain_name(domain);
    Chart {
        title: format!("Expected error over epsilon on {name}"),
        description: format!("Lines of the best mechanisms; {}", question.criterion(domain)),
        x_name: "epsilon of one report (dots: advised)".to_owned(),
        x_range: Range::Line([epsilons[0], epsilons[EPSILONS.len() - 1]]),
        y_name: "expected error".to_owned(),
        stem_name: String::new(),
        may_be_logarithmic: true,
        series: series.collect(),
    }
}

impl Advise {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let domain: DomainSpec = self.domain.parse()?;
        let question = self.question(&domain)?;
        let wish = self.wish()?;
        self.plot.as_deref().map(plot::Format::of).transpose()?;
        let options = self.options.build_options()?;
        let further = self.further(&domain, wish)?;
        let choices: Vec<advisor::Choice<'_>> = further.iter().map(Choice::advised).collect();
        let compared = registry::ready_mechanisms().len() + choices.len();
        let mut progress = Progress::new("mechanisms", Some(compared as u64));
        let mut waiting = None;
        let mut before_each = |choice: &advisor::Choice<'_>| {
            progress.add(1);
            if let Wish::Epsilon(epsilon) = wish {
                waiting = choice::wait_for(choice, epsilon);
            }
        };
        let advice = advisor::advise(&domain, &question, wish, &options, &choices, &mut before_each)?;
        drop((progress, waiting));
        if let Some(path) = &self.plot {
            plot::save(&chart(&domain, &question, &options, &advice), path)?;
        }
        let document = json!({
            "domain": domain.to_string(),
            "goal": question.goal.as_str(),
            "users": self.users,
            "criterion": question.criterion(&domain),
            "target_error": wish.target(),
            "recommended": document::candidate(&advice.recommended),
            "alternatives": advice.alternatives.iter().map(alternative_json).collect::<Vec<_>>(),
            "left_out": advice.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
        });
        output.print(&document, || page(&question.criterion(&domain), self.users, &advice))
    }

    fn question(&self, domain: &DomainSpec) -> Result<Question, Failure> {
        let wrong = |message: String, hint| Err(Failure::Usage { message, hint });
        let question = Question::about(domain, self.goal.into(), self.users)?;
        let is_distance = self.loss.as_deref().is_none_or(|loss| loss == "absolute");
        if matches!(domain, DomainSpec::Rectangle(_)) && !is_distance {
            return wrong("losses of places are distances".to_owned(), Some("leave --loss out"));
        }
        if self.loss.is_some() && self.goal != Goal::Point {
            return wrong("--loss is about the goal point".to_owned(), None);
        }
        if self.distribution_bins.is_some() && self.goal != Goal::Distribution {
            return wrong("--distribution-bins is about the goal distribution".to_owned(), None);
        }
        let loss = self.loss.as_deref().map_or(Ok(question.loss), str::parse);
        let loss = loss.map_err(|message| Failure::Usage { message, hint: None })?;
        let bins = self.distribution_bins.map_or(question.bins, |bins| bins as usize);
        Ok(Question { loss, bins, ..question })
    }

    /// What is compared beyond the mechanisms that are made at once.
    fn further(&self, domain: &DomainSpec, wish: Wish) -> Result<Vec<Choice>, Failure> {
        let mut further =
            self.mechanism.iter().map(|name| Choice::find(name)).collect::<Result<Vec<_>, _>>()?;
        choice::domains(&further, &[domain.to_string()])?;
        if let Wish::Epsilon(epsilon) = wish {
            choice::epsilons(&further, Some(vec![epsilon]))?;
        }
        further.retain(|choice| !matches!(choice, Choice::Row(row) if !registry::is_solved(row)));
        Ok(further)
    }

    fn wish(&self) -> Result<Wish, Failure> {
        if let Some(epsilon) = &self.epsilon {
            return Ok(Wish::Epsilon(parse_epsilon(epsilon)?));
        }
        let target = parse_named("the target error", self.target_error.as_deref().unwrap_or_default())?;
        if target.is_finite() && target > 0.0 {
            return Ok(Wish::Error(target));
        }
        let message = format!("the target error must be finite and greater than 0: got {target}");
        Err(Failure::Usage { message, hint: None })
    }
}

fn alternative_json((candidate, why_not): &(Candidate, String)) -> Value {
    let mut row = document::candidate(candidate);
    row["why_not"] = json!(why_not);
    row
}

fn left_out_json(left_out: &LeftOut) -> Value {
    json!({ "id": left_out.id, "why": left_out.why })
}

fn page(criterion: &str, users: u64, advice: &Advice) -> String {
    let mut table = table_of_numbers(&["MECHANISM", "EPSILON", "EXPECTED ERROR", "REPORT BITS"], 1);
    let header = table.header().cloned();
    if let Some(mut header) = header {
        header.add_cell("WHY NOT".into());
        table.set_header(header);
    }
    let recommended = (&advice.recommended, "recommended");
    let others = advice.alternatives.iter().map(|(candidate, why)| (candidate, why.as_str()));
    for (candidate, why) in std::iter::once(recommended).chain(others) {
        table.add_row([
            candidate.id.to_owned(),
            number(candidate.epsilon),
            number(candidate.expected_error),
            candidate.report_bits.to_string(),
            why.to_owned(),
        ]);
    }
    let mut page = format!("{}\n\nerror: {criterion}; {users} people", table.trim_fmt());
    for LeftOut { id, why } in &advice.left_out {
        page.push_str(&format!("\nleft out: {id}: {why}"));
    }
    page
}
