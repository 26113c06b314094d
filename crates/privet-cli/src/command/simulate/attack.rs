//! What forgers can do.

mod picture;

use super::{Contest, Contestant};
use crate::arguments::{parse_named, parse_numbers};
use crate::command::true_values::TrueValues;
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::plot;
use clap::ValueEnum;
use privet::attack::{Attack, AttackError, AttackOutcome, Scenario, Target};
use privet::{Domain, DomainSpec, Generator, Probability, Values, Verdict};
use serde::Serialize;
use std::path::Path;

/// An attack by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    #[value(alias = "input-poisoning")]
    Input,
    #[value(alias = "output-poisoning")]
    Output,
    MaximalGain,
}

impl Kind {
    fn attack(self) -> Attack {
        match self {
            Self::Input => Attack::InputPoisoning,
            Self::Output => Attack::OutputPoisoning,
            Self::MaximalGain => Attack::MaximalGain,
        }
    }
}

/// What the flags say.
pub(super) struct Wishes<'a> {
    pub(super) kinds: &'a [Kind],
    pub(super) attackers: &'a str,
    pub(super) target: &'a str,
    pub(super) plot: Option<&'a Path>,
}

/// Attacks on the people of a table.
pub(super) struct Campaign<'a> {
    attacks: Vec<Attack>,
    shares: Vec<Probability>,
    target: Target,
    people: Values,
    plot: Option<&'a Path>,
}

/// The watch warns if honest reports would look so suspicious with at most this probability, as a collector's does.
const ALARM: f64 = 1e-3;

/// One row of the comparison: a mechanism under one attack, as means over the trials.
#[derive(Debug, Serialize)]
struct Comparison {
    mechanism: &'static str,
    epsilon: f64,
    attack: &'static str,
    /// The share of all reports that is forged.
    attackers: f64,
    /// The category, or `mean`.
    target: String,
    truth: f64,
    /// From the honest reports alone.
    estimate: f64,
    attacked_estimate: f64,
    /// How far the attack moved the estimate.
    gain: f64,
    /// From all reports.
    robust_estimate: f64,
    robust_gain: f64,
    /// In which share of the trials the watch warns of all reports, and of the honest ones alone.
    warned: f64,
    falsely_warned: f64,
    /// Of the attacked estimate.
    mean_absolute_error: f64,
    mean_squared_error: f64,
    n: u64,
    forged: u64,
    trials: u32,
}

impl<'a> Campaign<'a> {
    /// Reads the people and what forgers want of them.
    pub(super) fn new(
        wishes: Wishes<'a>,
        domain: &DomainSpec,
        table: &TrueValues<'_>,
    ) -> Result<Self, Failure> {
        wishes.plot.map(plot::Format::of).transpose()?;
        let target = target(wishes.target, domain)?;
        let shares = parse_numbers("the share of forgers", wishes.attackers)?;
        let share = |share: f64| match Probability::new(share) {
            Ok(probability) if share < 1.0 => Ok(probability),
            _ => Err(usage(format!("--attackers must be at least 0 and below 1: got {share}"))),
        };
        let people = match domain {
            DomainSpec::Categories(_) => {
                let mut people = Vec::new();
                table.for_each(domain, |values, _| {
                    if let Values::Categories(values) = values {
                        people.extend_from_slice(values);
                    }
                    Ok(())
                })?;
                Values::Categories(people)
            }
            _ => Values::Numbers(table.numbers(domain)?),
        };
        Ok(Self {
            attacks: wishes.kinds.iter().map(|kind| kind.attack()).collect(),
            shares: shares.into_iter().map(share).collect::<Result<_, _>>()?,
            target,
            people,
            plot: wishes.plot,
        })
    }

    /// Attacks every mechanism, and prints.
    pub(super) fn run(&self, contest: Contest, output: Output) -> Result<(), Failure> {
        let comparisons = contest.run(|contestant, trials| {
            let outcomes = trials.run(|mut rng| self.trial(contestant, &mut rng))?;
            Ok(self.compare(contestant, &outcomes))
        })?;
        let comparisons: Vec<Comparison> = comparisons.into_iter().flatten().collect();
        if let Some(path) = self.plot {
            plot::save(&picture::chart(&comparisons), path)?;
        }
        output.print(&comparisons, || page(&comparisons, self.plot))
    }

    /// Every attack with every share of forgers, once.
    fn trial(&self, contestant: &Contestant, rng: &mut Generator) -> Result<Vec<AttackOutcome>, Failure> {
        let mut outcomes = Vec::new();
        for share in &self.shares {
            let scenario = Scenario {
                mechanism: &*contestant.mechanism,
                estimator: &*contestant.estimator,
                honest: &self.people,
                target: self.target.clone(),
                fakes: *share,
                alpha: Probability::new(ALARM)?,
            };
            for attack in &self.attacks {
                outcomes.push(scenario.run(*attack, rng).map_err(refused)?);
            }
        }
        Ok(outcomes)
    }

    fn compare(&self, contestant: &Contestant, trials: &[Vec<AttackOutcome>]) -> Vec<Comparison> {
        let Some(first) = trials.first() else { return Vec::new() };
        let mut rows = Vec::new();
        for (index, outcome) in first.iter().enumerate() {
            let of_each: Vec<&AttackOutcome> = trials.iter().map(|trial| &trial[index]).collect();
            let targets = (0..outcome.rows.len()).filter(|row| outcome.rows[*row].is_target);
            rows.extend(targets.map(|target| {
                let truth = self.truth(target as u32);
                let share = self.shares[index / self.attacks.len()].get();
                comparison(contestant, &of_each, (target, truth), share)
            }));
        }
        rows
    }

    /// The share of a category, or the mean.
    fn truth(&self, category: u32) -> f64 {
        let count = self.people.len() as f64;
        match &self.people {
            Values::Categories(people) => {
                people.iter().filter(|held| **held == category).count() as f64 / count
            }
            Values::Numbers(numbers) => numbers.iter().sum::<f64>() / count,
            _ => f64::NAN,
        }
    }
}

/// What forgers want, in the words of the domain.
fn target(text: &str, domain: &DomainSpec) -> Result<Target, Failure> {
    match domain {
        DomainSpec::Categories(categories) => {
            let label = |label: &str| {
                categories.parse(label.trim()).map_err(|_| Failure::Usage {
                    message: format!("--target names categories of {domain}: {label:?} is none"),
                    hint: None,
                })
            };
            Ok(Target::Categories(text.split(',').map(label).collect::<Result<_, _>>()?))
        }
        DomainSpec::Interval(interval) => {
            let number = parse_named("--target", text)?;
            interval
                .check(&number)
                .map_err(|_| usage(format!("--target must lie in {domain}: got {number}")))?;
            Ok(Target::Number(number))
        }
        _ => Err(usage(format!("attacks are simulated on categories and intervals: got {domain}"))),
    }
}

fn usage(message: String) -> Failure {
    Failure::Usage { message, hint: None }
}

fn refused(error: AttackError) -> Failure {
    match error {
        AttackError::Input(error) => error.into(),
        AttackError::Report(error) => error.into(),
        AttackError::Estimate(error) => error.into(),
        other => usage(other.to_string()),
    }
}

fn comparison(
    contestant: &Contestant,
    trials: &[&AttackOutcome],
    (target, truth): (usize, f64),
    share: f64,
) -> Comparison {
    let mean = |part: &dyn Fn(&AttackOutcome) -> f64| {
        trials.iter().map(|trial| part(trial)).sum::<f64>() / trials.len() as f64
    };
    let error = |trial: &AttackOutcome| trial.rows[target].attacked[0] - truth;
    let is_warning = |verdict: Verdict| f64::from(u8::from(verdict == Verdict::Implausible));
    Comparison {
        mechanism: contestant.mechanism.info().id,
        epsilon: contestant.epsilon,
        attack: trials[0].attack.as_str(),
        attackers: share,
        target: trials[0].rows[target].label.clone(),
        truth,
        estimate: mean(&|trial| trial.rows[target].clean[0]),
        attacked_estimate: mean(&|trial| trial.rows[target].attacked[0]),
        gain: mean(&|trial| trial.rows[target].shift()),
        robust_estimate: mean(&|trial| trial.rows[target].attacked[1]),
        robust_gain: mean(&|trial| trial.rows[target].robust_shift()),
        warned: mean(&|trial| is_warning(trial.after.verdict)),
        falsely_warned: mean(&|trial| is_warning(trial.before.verdict)),
        mean_absolute_error: mean(&|trial| error(trial).abs()),
        mean_squared_error: mean(&|trial| error(trial).powi(2)),
        n: trials[0].honest,
        forged: trials[0].forged,
        trials: trials.len() as u32,
    }
}

fn page(comparisons: &[Comparison], plot: Option<&Path>) -> String {
    let header = [
        "MECHANISM",
        "ATTACK",
        "TARGET",
        "EPSILON",
        "FORGED",
        "TRUTH",
        "ESTIMATE",
        "ATTACKED",
        "GAIN",
        "ROBUST",
        "WARNED",
    ];
    let mut table = table_of_numbers(&header, 3);
    for row in comparisons {
        table.add_row([
            row.mechanism.to_owned(),
            row.attack.to_owned(),
            row.target.clone(),
            row.epsilon.to_string(),
            // Percent with at most four decimals.
            format!("{} %", (1e6 * row.attackers).round() / 1e4),
            number(row.truth),
            number(row.estimate),
            number(row.attacked_estimate),
            number(row.gain),
            number(row.robust_estimate),
            format!("{:.0} %", 100.0 * row.warned),
        ]);
    }
    let facts = comparisons.first().map(|row| format!("{} honest people, {} trials", row.n, row.trials));
    let drawn = plot.map(|path| format!("\nDrawn in {}.", path.display())).unwrap_or_default();
    format!("{}\n\n{}{drawn}", table.trim_fmt(), facts.unwrap_or_default())
}
