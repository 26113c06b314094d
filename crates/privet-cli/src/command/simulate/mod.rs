//! Truth against estimate.

mod attack;
mod contest;
mod frequency;
mod number;
mod place;

use super::estimate::question::{methods, parse_method};
use super::true_values::TrueValues;
use crate::arguments::{OptionArguments, generator, parse_epsilons};
use crate::choice::{self, Choices};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::Format;
use clap::{Args, ValueEnum};
use contest::{Contest, Contestant};
use privet::advisor::{AdvisorError, candidate};
use privet::numeric::Method;
use privet::{BuildOptions, Consistency, DomainSpec, Epsilon, Request};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  Which mechanism suits this column, and which epsilon?
    privet simulate --mechanism grr,oue,olh --domain categories:walk,bus,car --epsilon 0.5,1,2 \\
      --in people.csv --column transport --goal frequency --trials 100

  How far are the distributions of two mechanisms from that of a column of numbers, by two methods?
    privet simulate --mechanism optimal-piecewise,square-wave --domain interval:0,120 --epsilon 1:4:1 \\
      --in people.csv --column age --goal distribution --method ems,histogram --trials 100

  How far can forged reports, from one in fifty to one in ten, move a mean, and does anybody notice?
    privet simulate --mechanism piecewise,duchi --domain interval:0,120 --epsilon 1 \\
      --in people.csv --column age --attack maximal-gain,output,input \\
      --attackers 0.02:0.1:0.02 --target 120 --plot attack.svg";

/// Compare estimates with the truth, on a table of true values
///
/// In each trial everybody in the table reports once, and the estimates are compared with the shares, the mean or the
/// distribution in the table. This is for data that you may read: test data, or a public table that resembles the private
/// one.
///
/// With --attack, forgers join them, with reports that make categories look frequent or move a mean. The estimates without and with
/// them stand side by side, with robust estimates and how often the watch for implausible reports warns.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Simulate {
    /// Mechanisms by id, synonym or file:PATH, or `all` for every one that fits the domain and the other parameters and need
    /// not be solved for
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    mechanism: Vec<String>,
    /// Where values come from: binary, categories:128, categories:red,green,blue, interval:0,1, circle:360 or
    /// rectangle:0,1,0,1 (places, as texts such as 0.2,0.7); a mechanism from a file has its own
    #[arg(long, value_name = "DOMAIN")]
    domain: Option<String>,
    /// Epsilons: a number, a list such as .1,1,4 or a range such as 1:8:0.5; a mechanism from a file has its own
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: Option<String>,
    #[command(flatten)]
    options: OptionArguments,
    /// The table of true values: .csv, .jsonl, .ndjson or .parquet, or - for standard input
    #[arg(long = "in", value_name = "FILE")]
    input: PathBuf,
    /// The column that holds the values
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The format of the table, whatever it is called
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// What is estimated [default: frequency for categories, mean for numbers and angles, point for places]
    #[arg(long, value_enum)]
    goal: Option<Goal>,
    /// How often everybody reports
    #[arg(long, value_name = "COUNT", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    trials: u32,
    /// What to do about negative estimates: none, non-negative, norm-sub, simplex, expectation-maximization
    #[arg(long, value_name = "STEP", default_value = "none")]
    consistency: String,
    /// How distributions are estimated: em, ems, ems-cv, least-squares, histogram; a row for each [default: ems-cv]
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',', hide_possible_values = true, value_parser = methods())]
    method: Vec<String>,
    /// How many equal bins distributions have, up to 4096 [default: 50]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=4096))]
    distribution_bins: Option<u32>,
    /// What forgers do: input (they claim to hold the target), output (they leave out the noise), maximal-gain (they send what
    /// moves the estimates furthest and looks honest); a row for each
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', requires_all = ["attackers", "target"],
          hide_possible_values = true)]
    attack: Vec<attack::Kind>,
    /// Which share of all reports is forged, below 1: a number, a list such as .01,.05 or a range such as 0.01:0.1:0.01
    #[arg(long, value_name = "LIST", requires = "attack")]
    attackers: Option<String>,
    /// What forgers want: categories that look frequent, or a number towards which the mean moves
    #[arg(long, value_name = "LABEL,..", requires = "attack", allow_hyphen_values = true)]
    target: Option<String>,
    /// Draw what attacks gain, over the share of forgers or over epsilon, into a file (.svg or .png)
    #[arg(long, value_name = "FILE", requires = "attack")]
    plot: Option<PathBuf>,
    /// Draw from a generator that anybody can repeat, for the same numbers again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Goal {
    /// How often each category is held
    Frequency,
    /// The mean of numbers, or the mean direction of angles
    Mean,
    /// The shares of equal bins; Wasserstein distances are in units of the whole domain
    Distribution,
    /// The distance between each report and its value, without any estimate
    Point,
}

impl Goal {
    fn as_str(self) -> &'static str {
        match self {
            Self::Frequency => "frequency",
            Self::Mean => "mean",
            Self::Distribution => "distribution",
            Self::Point => "point",
        }
    }
}

impl Simulate {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let step = super::parse_consistency(&self.consistency)?;
        let choices = Choices::read(&self.mechanism)?;
        let domain = choice::domain(choices.as_slice(), self.domain.as_ref())?;
        let goal = self.goal(&domain)?;
        self.check_flags(goal, step)?;
        let table = TrueValues { input: &self.input, column: self.column.as_deref(), format: self.format };
        if let (Some(attackers), Some(target)) = (&self.attackers, &self.target) {
            let wishes =
                attack::Wishes { kinds: &self.attack, attackers, target, plot: self.plot.as_deref() };
            let campaign = attack::Campaign::new(wishes, &domain, &table)?;
            let contestants = self.contestants(&choices, &domain)?;
            let contest = Contest::new(contestants, generator(self.insecure_seed)?, self.trials);
            return campaign.run(contest, output);
        }
        match &domain {
            DomainSpec::Categories(categories) => {
                let contestants = self.contestants(&choices, &domain)?;
                let contest = Contest::new(contestants, generator(self.insecure_seed)?, self.trials);
                frequency::run(categories, step, &table, contest, output)
            }
            DomainSpec::Rectangle(_) => self.with_places(&choices, &domain, &table, output),
            _ => {
                let contestants = self.contestants(&choices, &domain)?;
                let values = table.numbers(&domain)?;
                let contest = Contest::new(contestants, generator(self.insecure_seed)?, self.trials);
                let methods = self.methods()?;
                let bins = self.distribution_bins.map_or(Request::default().bins, |bins| bins as usize);
                number::run(number::Task { goal, values, methods, bins }, contest, output)
            }
        }
    }

    fn methods(&self) -> Result<Vec<Method>, Failure> {
        match &self.method[..] {
            [] => Ok(vec![Method::default()]),
            names => names.iter().map(|name| parse_method(name)).collect(),
        }
    }

    fn goal(&self, domain: &DomainSpec) -> Result<Goal, Failure> {
        match (domain, self.goal) {
            (DomainSpec::Categories(_), None | Some(Goal::Frequency)) => Ok(Goal::Frequency),
            (DomainSpec::Interval(_) | DomainSpec::Circle(_), None) => Ok(Goal::Mean),
            (DomainSpec::Interval(_) | DomainSpec::Circle(_), Some(goal)) if goal != Goal::Frequency => {
                Ok(goal)
            }
            (DomainSpec::Rectangle(_), None | Some(Goal::Point)) => Ok(Goal::Point),
            (DomainSpec::Rectangle(_), Some(_)) => Err(Failure::Usage {
                message: format!("the goal for places is point: got {domain}"),
                hint: Some(
                    "`privet trajectory estimate --truth` compares what collectors read with the truth",
                ),
            }),
            (_, Some(Goal::Frequency) | None) => Err(Failure::Usage {
                message: format!("frequencies are simulated on categories: got {domain}"),
                hint: Some("write binary, categories:128 or categories:red,green,blue"),
            }),
            (_, Some(goal)) => Err(Failure::Usage {
                message: format!("the goal {} is about numbers and angles: got {domain}", goal.as_str()),
                hint: Some("write a domain such as interval:0,1 or circle:360"),
            }),
        }
    }

    /// Refuses flags that would be ignored.
    fn check_flags(&self, goal: Goal, step: Consistency) -> Result<(), Failure> {
        let wrong = |message: &str| Err(Failure::Usage { message: message.to_owned(), hint: None });
        if goal != Goal::Frequency && step != Consistency::None {
            return wrong("--consistency is about frequencies of categories");
        }
        if goal != Goal::Distribution && (!self.method.is_empty() || self.distribution_bins.is_some()) {
            return wrong("--method and --distribution-bins are about the goal distribution");
        }
        if !self.attack.is_empty()
            && (step != Consistency::None || !matches!(goal, Goal::Frequency | Goal::Mean))
        {
            return wrong("--attack is about frequencies and means, without a consistency step");
        }
        Ok(())
    }

    /// Every mechanism at every epsilon.
    fn contestants(&self, choices: &Choices, domain: &DomainSpec) -> Result<Vec<Contestant>, Failure> {
        let options = self.options.build_options()?;
        let mut contestants = Vec::new();
        let epsilons = self.epsilon.as_deref().map(parse_epsilons).transpose()?;
        for epsilon in choice::epsilons(choices.as_slice(), epsilons)? {
            let found = built(choices, domain, epsilon, &options)?;
            candidate::refuse_untaken(&options, found.iter().map(|built| built.taken))?;
            contestants.extend(found.into_iter().map(|built| contestant(epsilon, built)));
        }
        Ok(contestants)
    }
}

/// The chosen mechanisms that can be made.
fn built(
    choices: &Choices,
    domain: &DomainSpec,
    epsilon: Epsilon,
    options: &BuildOptions,
) -> Result<Vec<candidate::Built>, Failure> {
    let mut found = Vec::new();
    for choice in choices.at(domain, epsilon) {
        let advised = choice.advised();
        let _waiting = choice::wait_for(&advised, epsilon);
        let built = candidate::build(&advised, domain, epsilon, options);
        found.extend(choice.attempt(epsilon, options).made(choices.is_all, built)?);
    }
    if found.is_empty() {
        return Err(AdvisorError::NoMechanism { domain: domain.to_string() }.into());
    }
    Ok(found)
}

fn contestant(epsilon: Epsilon, built: candidate::Built) -> Contestant {
    Contestant { epsilon: epsilon.get(), mechanism: built.mechanism, estimator: built.estimator }
}
