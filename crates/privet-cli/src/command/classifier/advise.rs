//! Which mechanism and which epsilon keep the answers.

use super::bounds::{BoundArguments, share_of};
use super::channels::{ChannelArguments, Setting};
use super::people::{ModelArguments, People, PeopleArguments};
use crate::arguments::{generator, parse_named};
use crate::failure::Failure;
use crate::output::{Output, number, table_of_numbers};
use crate::progress::Waiting;
use clap::{Args, ValueEnum};
use privet::classifier::{
    Approach, Bound, Case, DataRow, FeatureCost, Goal, Options, ProductChannel, Recommendation, Sensitive,
    Split, quantify_all, smallest_epsilons,
};
use privet::{Epsilon, Generator, ParameterError};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  Nine answers of ten on average over a table:
    privet classifier advise --model stroke_lr.json --data stroke.csv --label stroke --clamp \\
      --sensitive age,bmi --epsilon 1:12:0.5 --target 0.9 --goal average

  For one record, with the budget divided between its features as well as possible:
    privet classifier advise --model stroke_lr.json --record .79,1,0,1,.5804,.48 --sensitive 0,5 \\
      --mechanism ogpm,laplace-truncated --epsilon 1:12:1 --target 0.9 --split optimised";

/// Find the smallest epsilon at which a classifier keeps its answers
///
/// For each mechanism the smallest of the epsilons whose lower bound meets the target, the smallest of all first. For the best
/// one, what each sensitive feature costs: the bound if it alone is randomised, and if all others are.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AdviseArguments {
    #[command(flatten)]
    model: ModelArguments,
    #[command(flatten)]
    people: PeopleArguments,
    #[command(flatten)]
    channels: ChannelArguments,
    #[command(flatten)]
    bounds: BoundArguments,
    /// The probability of the same label that must be certain
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    target: String,
    /// For whom it must be
    #[arg(long, value_name = "GOAL", value_enum, default_value_t = GoalName::Everyone)]
    goal: GoalName,
    /// For the goal share: which share of the records
    #[arg(long, value_name = "NUMBER", default_value = "0.95", allow_hyphen_values = true)]
    share: String,
    /// How the total epsilon is divided between the features
    #[arg(long, value_name = "SPLIT", value_enum, default_value_t = SplitName::Equal)]
    split: SplitName,
    /// Draw reports from a generator that anybody can repeat, for the same answer again
    #[arg(long, value_name = "NUMBER")]
    insecure_seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GoalName {
    /// For every record
    Everyone,
    /// On average over all records
    Average,
    /// For a share of the records
    Share,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SplitName {
    /// The same for each
    Equal,
    /// Moved between the features as long as that helps
    Optimised,
}

/// What is advised.
struct Advice {
    ranked: Vec<Recommendation>,
    /// `None` for a mechanism from a file, which has one epsilon only.
    costs: Option<Vec<FeatureCost>>,
    split: Option<Split>,
}

impl AdviseArguments {
    pub(super) fn run(&self, output: Output) -> Result<(), Failure> {
        let target = self.target()?;
        let goal = self.goal()?;
        let (classifier, people) = self.people.read(&self.model)?;
        let settings = self.channels.build(&people.sensitive)?;
        let products: Vec<ProductChannel> = settings.iter().map(|setting| setting.product.clone()).collect();
        let counts = [products.len(), people.records.len()];
        let options = self.bounds.options(Approach::Automatic, counts, self.channels.indicator()?)?;
        let options = Options { beside: 0, ..options };
        let _waiting = Waiting::on("asking the classifier".to_owned());
        let mut rng = generator(self.insecure_seed)?;
        let People { records, sensitive, .. } = &people;
        let rows = quantify_all(&*classifier, records, sensitive, &products, &options, &mut rng)?;
        let ranked = smallest_epsilons(&rows, goal, target);
        let Some(best) = ranked.first().copied() else { return Err(unreached(&rows, goal)) };
        let found = settings.iter().find(|setting| is_of(setting, &best)).and_then(|one| one.options);
        let (mut costs, mut split) = (None, None);
        if let Some(parameters) = found {
            let (classifier, mechanism) = (&*classifier, best.mechanism);
            let case = Case { classifier, records, sensitive, mechanism, parameters, goal, options };
            costs = Some(case.feature_costs(Epsilon::new(best.epsilon)?, &mut rng)?);
            split = self.divide(&case, &best, &mut rng)?;
        }
        let advice = Advice { ranked, costs, split };
        let totals = advice.ranked.iter().map(|one| total(one, sensitive)).collect::<Result<Vec<_>, _>>()?;
        output.print(&document(&advice, &totals, &people), || self.page(&advice, &totals, &people, target))
    }

    fn target(&self) -> Result<f64, Failure> {
        let target = parse_named("target", &self.target)?;
        if target > 0.0 && target <= 1.0 {
            return Ok(target);
        }
        let message = format!("the target must be a probability above 0 and at most 1: got {target}");
        Err(Failure::Usage { message, hint: None })
    }

    fn goal(&self) -> Result<Goal, Failure> {
        Ok(match self.goal {
            GoalName::Everyone => Goal::Everyone,
            GoalName::Average => Goal::Average,
            GoalName::Share => Goal::Share(share_of(&self.share)?),
        })
    }

    fn divide(
        &self,
        case: &Case<'_>,
        best: &Recommendation,
        rng: &mut Generator,
    ) -> Result<Option<Split>, Failure> {
        if self.split == SplitName::Equal {
            return Ok(None);
        }
        Ok(Some(case.split(total(best, case.sensitive)?, rng)?))
    }

    fn page(&self, advice: &Advice, totals: &[Epsilon], people: &People, target: f64) -> String {
        let mut ranking = table_of_numbers(&["MECHANISM", "EPSILON", "TOTAL", "LOWER", "UPPER"], 1);
        for (one, total) in advice.ranked.iter().zip(totals) {
            let epsilons = [one.epsilon, total.get()].map(|epsilon| epsilon.to_string());
            let bounds = [one.bound.lower, one.bound.upper].map(number);
            ranking.add_row([&[one.mechanism.to_owned()], &epsilons[..], &bounds[..]].concat());
        }
        let whose = match self.goal {
            GoalName::Everyone => "for every record".to_owned(),
            GoalName::Average => "on average over all records".to_owned(),
            GoalName::Share => format!("for a share of {} of the records", self.share),
        };
        let mut page = format!(
            "{}\n\nThe smallest epsilons of each feature at which the same label has a probability of at least {target}, \
             {whose} (of {}).",
            ranking.trim_fmt(),
            people.records.len()
        );
        if let (Some(costs), Some(best)) = (&advice.costs, advice.ranked.first()) {
            let mut table = table_of_numbers(&["RANDOMISED", "ALONE", "ALL OTHERS"], 1);
            for cost in costs {
                let others = cost.without.map_or("-".to_owned(), |bound| number(bound.lower));
                table.add_row([name(people, cost.feature), number(cost.alone.lower), others]);
            }
            let what = format!("Lower bounds with {} at epsilon {}", best.mechanism, best.epsilon);
            page.push_str(&format!("\n\n{}\n\n{what}; the most expensive feature first.", table.trim_fmt()));
        }
        if let Some(split) = &advice.split {
            let parts: Vec<String> = people
                .names
                .iter()
                .zip(&split.epsilons)
                .map(|(name, epsilon)| format!("{name} {}", number(*epsilon)))
                .collect();
            page.push_str(&format!(
                "\n\nThe same total divided better: {}. The lower bound is then {} instead of {}.",
                parts.join(", "),
                number(split.bound.lower),
                number(split.equal.lower)
            ));
        }
        page
    }
}

/// What all sensitive features cost together.
fn total(one: &Recommendation, sensitive: &Sensitive) -> Result<Epsilon, ParameterError> {
    Epsilon::new(one.epsilon)?.times(u32::try_from(sensitive.count()).unwrap_or(u32::MAX))
}

fn is_of(setting: &Setting, best: &Recommendation) -> bool {
    setting.product.id() == best.mechanism && setting.product.epsilon() == best.epsilon
}

fn name(people: &People, feature: usize) -> String {
    let place = people.sensitive.features().iter().position(|one| *one == feature);
    place.and_then(|place| people.names.get(place)).cloned().unwrap_or_default()
}

/// The failure when no mechanism meets the target.
fn unreached(rows: &[DataRow], goal: Goal) -> Failure {
    let bounds = rows.iter().map(|row| (row, goal.bound(row).lower));
    let best = bounds.max_by(|(_, one), (_, two)| one.total_cmp(two));
    let message = match best {
        Some((row, lower)) => format!(
            "no mechanism meets this target: the best is {} at epsilon {} with {}",
            row.mechanism,
            row.epsilon,
            number(lower)
        ),
        None => "there is no mechanism to choose from".to_owned(),
    };
    Failure::Usage { message, hint: Some("a larger epsilon, a lower target or another goal may be met") }
}

fn document(advice: &Advice, totals: &[Epsilon], people: &People) -> Value {
    let ends = |bound: &Bound| json!({ "lower": bound.lower, "upper": bound.upper });
    let ranked = |(one, total): (&Recommendation, &Epsilon)| {
        json!({
            "mechanism": one.mechanism,
            "epsilon": one.epsilon,
            "total_epsilon": total.get(),
            "lower": one.bound.lower,
            "upper": one.bound.upper,
            "method": one.bound.method.as_str(),
            "confidence": one.bound.confidence,
        })
    };
    let cost = |cost: &FeatureCost| {
        json!({
            "feature": cost.feature,
            "name": name(people, cost.feature),
            "alone": ends(&cost.alone),
            "all_others": cost.without.as_ref().map(ends),
        })
    };
    json!({
        "recommended": advice.ranked.iter().zip(totals).next().map(ranked),
        "alternatives": advice.ranked.iter().zip(totals).skip(1).map(ranked).collect::<Vec<_>>(),
        "features": advice.costs.as_ref().map(|costs| costs.iter().map(cost).collect::<Vec<_>>()),
        "split": advice.split.as_ref().map(|split| json!({
            "epsilons": split.epsilons,
            "lower": split.bound.lower,
            "upper": split.bound.upper,
            "equal": ends(&split.equal),
        })),
    })
}
