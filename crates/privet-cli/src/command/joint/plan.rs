//! Which truthfulness and which correlation.

use super::refused;
use crate::arguments::{parse_epsilon, parse_epsilons};
use crate::failure::Failure;
use crate::output::{Output, number, table, table_of_numbers};
use clap::{Args, ValueEnum};
use privet::{Epsilon, ExposedEpsilon};
use privet_joint::accounting::colluders_epsilon;
use privet_joint::known_others::{KnownOthers, LEFT_OUT};
use privet_joint::statement::{exposed_in_words, shown_average};
use privet_joint::{Crowd, Plan, Relay, Request, Statement};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  Twenty thousand people of whom about 659 hold a one; up to five collude:
    privet joint plan --users 20000 --colluders 5 --epsilon 0.1 --ones 659

  The same if nobody may lose more than epsilon 2, whoever the partner is:
    privet joint plan --users 20000 --colluders 5 --epsilon 1 --ones 659 --cap 2

  What does somebody learn who knows the values of all others?
    privet joint plan --users 20000 --colluders 5 --epsilon 0.1,1 --known-others";

/// Plan a joint perturbation: the best truthfulness and correlation
///
/// Two people who perturb together lie together less often than by chance, so that the number of lies varies less, and with it
/// the estimate. The plan keeps epsilon on average over the secret pairing (Theorem 3 of the dissertation), and names what
/// is left of it for a person whose partner colludes: the exposed-pair epsilon, which is infinite unless it is capped.
///
/// The best p and rho are computed in closed form. Without an expected number of ones the plan minimises the mean of the
/// variance over all numbers of ones. If the number of people is odd, one perturbs alone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArguments {
    /// How many people take part
    #[arg(long, value_name = "COUNT")]
    users: u64,
    #[command(flatten)]
    wish: WishArguments,
    /// How many people are expected to hold a one
    #[arg(long, value_name = "COUNT")]
    ones: Option<u64>,
    /// Compute what somebody learns who knows the value of everybody else, but not the pairing
    #[arg(long)]
    known_others: bool,
    /// Who carries the messages between partners, and so sees the pairing
    #[arg(long, value_enum, default_value = "helper")]
    relay: RelayArgument,
}

/// What a plan must keep.
#[derive(Debug, Args)]
pub(super) struct WishArguments {
    /// How many of the people may collude with the collector
    #[arg(long, value_name = "COUNT")]
    colluders: u64,
    /// How much a report may reveal on average over the pairing: a number, a list such as .1,1 or a range such as 1:4:1
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    epsilon: String,
    /// The most that a person may lose whose partner colludes [default: no limit]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cap: Option<String>,
}

impl WishArguments {
    /// The best plan for each epsilon.
    pub(super) fn plans(&self, users: u64, ones: Option<u64>) -> Result<Vec<Plan>, Failure> {
        let crowd = Crowd::new(users, self.colluders).map_err(refused)?;
        let cap = self.cap.as_deref().map(parse_epsilon).transpose()?;
        let plan = |epsilon: Epsilon| Request { crowd, epsilon, ones, cap }.plan().map_err(refused);
        parse_epsilons(&self.epsilon)?.into_iter().map(plan).collect()
    }
}

/// Who carries the messages between partners.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RelayArgument {
    /// A helper that does not collude with the collector
    Helper,
    /// The collector itself: the average guarantee is withheld
    Collector,
}

/// A plan with all that is said about it.
struct Answer {
    plan: Plan,
    relay: Relay,
    known_others: Option<KnownOthers>,
    statement: Statement,
}

impl PlanArguments {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let plans = self.wish.plans(self.users, self.ones)?;
        let answers: Vec<Answer> =
            plans.into_iter().map(|plan| self.answer(plan)).collect::<Result<_, _>>()?;
        match &answers[..] {
            [only] => output.print(&only.document(), || only.page()),
            several => {
                let documents: Vec<Value> = several.iter().map(Answer::document).collect();
                output.print(&documents, || overview(several))
            }
        }
    }

    fn answer(&self, plan: Plan) -> Result<Answer, Failure> {
        let relay = match self.relay {
            RelayArgument::Helper => Relay::Helper,
            RelayArgument::Collector => Relay::Collector,
        };
        let limit = plan.guarantee.epsilon().get();
        let known_others = self
            .known_others
            .then(|| KnownOthers::new(&plan.table, self.users, limit))
            .transpose()
            .map_err(refused)?;
        let statement = Statement::of(&plan, relay, known_others.as_ref());
        Ok(Answer { plan, relay, known_others, statement })
    }
}

/// A number, or the word for what JSON has no number for.
fn finite(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!("infinite") }
}

impl Answer {
    fn exposed(&self) -> ExposedEpsilon {
        self.plan.table.exposed_epsilon()
    }

    fn document(&self) -> Value {
        let (plan, crowd) = (&self.plan, self.plan.request.crowd);
        let exposed = match self.exposed() {
            ExposedEpsilon::Bounded(epsilon) => json!(epsilon.get()),
            ExposedEpsilon::Unbounded => json!("infinite"),
        };
        let users = crowd.users();
        json!({
            "users": users,
            "colluders": crowd.colluders(),
            "epsilon": plan.request.epsilon.get(),
            "ones": plan.request.ones,
            "cap": plan.request.cap.map(Epsilon::get),
            "p": plan.p,
            "rho": plan.rho,
            "average_epsilon": shown_average(plan, self.relay),
            "exposed_epsilon": exposed,
            "colluders_epsilon": match self.relay {
                Relay::Helper => colluders_epsilon(&plan.table, &crowd).map_or(Value::Null, finite),
                Relay::Collector => Value::Null,
            },
            "probability_of_exposure": crowd.exposure(),
            "probability_of_any_exposure": crowd.any_exposure(),
            "variance": plan.variance,
            "variance_independent": plan.variance_independent,
            "ratio": plan.ratio(),
            "variance_if_none": plan.variance_at(0),
            "variance_if_half": plan.variance_at(users / 2),
            "guarantee": plan.guarantee.kind(),
            "reason": plan.choice.reason(),
            "alone": crowd.pairs().alone(),
            "known_others": self.known_others.as_ref().map(known_others_document),
            "promised": self.statement.promised,
            "not_promised": self.statement.not_promised,
        })
    }

    fn page(&self) -> String {
        let (plan, crowd) = (&self.plan, self.plan.request.crowd);
        let average = shown_average(plan, self.relay);
        let mut rows = vec![
            ("p", number(plan.p)),
            ("rho", number(plan.rho)),
            (
                "average epsilon",
                average.map_or("withheld: the collector sees the pairing".to_owned(), number),
            ),
            ("exposed-pair epsilon", exposed_in_words(self.exposed())),
            ("exposure of a given person", number(crowd.exposure())),
            ("exposure of anybody", number(crowd.any_exposure())),
            ("variance of the number of ones", variance(plan.variance)),
            ("variance of independent RR", variance(plan.variance_independent)),
            ("ratio", number(plan.ratio())),
        ];
        if plan.request.ones.is_none() {
            rows.push(("variance if nobody holds a one", variance(plan.variance_at(0))));
            rows.push(("variance if half of all do", variance(plan.variance_at(crowd.users() / 2))));
        }
        if let Some(found) = &self.known_others {
            rows.push(("loss if all others are known", number(found.typical_odds.ln().abs())));
            rows.push(("at worst", worst(found)));
            rows.push(("above the average epsilon with probability", number(found.beyond)));
        }
        let mut page = table(&["", ""]);
        rows.into_iter().for_each(|(name, value)| {
            page.add_row([name.to_owned(), value]);
        });
        let mut notes =
            format!("{}; {} people, {} may collude", plan.choice.reason(), crowd.users(), crowd.colluders());
        if plan.request.ones.is_none() {
            notes.push_str("; variances are means over all numbers of ones");
        }
        if crowd.pairs().alone() > 0 {
            notes.push_str("; one person is left over and perturbs alone");
        }
        format!("{}\n\n{notes}\n\n{}", page.trim_fmt().trim_start(), self.statement)
    }
}

fn known_others_document(found: &KnownOthers) -> Value {
    json!({
        "typical_odds": finite(found.typical_odds),
        "lowest_odds": finite(found.lowest_odds),
        "highest_odds": finite(found.highest_odds),
        "left_out": LEFT_OUT,
        "typical_loss": finite(found.typical_odds.ln().abs()),
        "mean_loss": finite(found.mean_loss),
        "worst_loss": finite(found.worst_loss()),
        "probability_beyond_average": found.beyond,
    })
}

fn worst(found: &KnownOthers) -> String {
    let worst = found.worst_loss();
    if worst.is_finite() { number(worst) } else { "infinite".to_owned() }
}

/// A variance in four digits, whatever its size.
pub(super) fn variance(value: f64) -> String {
    format!("{value:.3e}")
}

/// One row for each epsilon.
fn overview(answers: &[Answer]) -> String {
    let known_others = answers.iter().any(|answer| answer.known_others.is_some());
    let mut header = vec!["EPSILON", "P", "RHO", "AVERAGE", "EXPOSED", "VARIANCE", "INDEPENDENT", "RATIO"];
    header.extend(known_others.then_some("WORST IF OTHERS KNOWN"));
    let mut page = table_of_numbers(&header, 0);
    for answer in answers {
        let plan = &answer.plan;
        let mut row = vec![
            plan.request.epsilon.to_string(),
            number(plan.p),
            number(plan.rho),
            shown_average(plan, answer.relay).map_or("withheld".to_owned(), number),
            exposed_in_words(answer.exposed()),
            variance(plan.variance),
            variance(plan.variance_independent),
            number(plan.ratio()),
        ];
        row.extend(answer.known_others.as_ref().map(worst));
        page.add_row(row);
    }
    let statement = "AVERAGE holds over a secret pairing; EXPOSED is what is left for a person whose partner colludes. Ask for \
                     one epsilon to read all that is promised.";
    format!("{}\n\n{statement}", page.trim_fmt())
}
