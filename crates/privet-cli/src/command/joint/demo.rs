//! A whole joint collection on this machine: helpers, relay, people and collector.

mod processes;
mod threads;

use super::pair::MethodArgument;
use super::plan::variance;
use super::refused;
use crate::arguments::{generator, parse_epsilon};
use crate::failure::Failure;
use crate::output::{Output, table_of_numbers};
use clap::Args;
use privet::{ExposedEpsilon, Probability};
use privet_joint::collection::Tally;
use privet_joint::pairing::PairingError;
use privet_joint::statement::{Statement, shown_average};
use privet_joint::{BinaryStudy, Crowd, JointTable, Plan, Relay, Request};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  A hundred people, ten of whom hold a one, with all cryptography:
    privet joint demo --users 100

  The same with a limit on what a colluding partner learns, paired by the oblivious sort:
    privet joint demo --users 100 --cap 2 --method sort

  Every helper and every person in a process of its own:
    privet joint demo --users 8 --processes";

/// People are threads up to this number.
const MAX_THREADS: u64 = 1000;

/// People are processes up to this number.
const MAX_PROCESSES: u64 = 64;

/// Hold a joint collection on this machine, from pairing to estimate
///
/// Starts helpers, one of which is the relay, made-up people and a collector, all of which talk over TCP: people are paired
/// in secret, each two of them perturb together, and everybody reports. The estimate stands beside one by independent
/// randomised response, and beside what theory says about both. `privet joint simulate` is the fast way for studies.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DemoArguments {
    /// How many people take part
    #[arg(long, value_name = "COUNT")]
    users: u64,
    /// How many of them hold a one [default: a tenth]
    #[arg(long, value_name = "COUNT")]
    ones: Option<u64>,
    /// How many of the people may collude with the collector
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    colluders: u64,
    /// How much a report may reveal on average over the pairing
    #[arg(long, value_name = "NUMBER", default_value = "1", allow_hyphen_values = true)]
    epsilon: String,
    /// The most that a person may lose whose partner colludes [default: no limit]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cap: Option<String>,
    /// How many helpers shuffle
    #[arg(long, value_name = "COUNT", default_value_t = 3)]
    helpers: usize,
    /// How the helpers bring people into a random order
    #[arg(long, value_enum, default_value = "shuffle")]
    method: MethodArgument,
    /// Every helper and every person is a process of its own, for few people
    #[arg(long)]
    processes: bool,
    /// Draw from a generator that anybody can repeat; the reports then protect nobody
    #[arg(long, value_name = "NUMBER", conflicts_with = "processes")]
    insecure_seed: Option<u64>,
}

/// What happens, before it does.
#[derive(Debug, Clone)]
struct Script {
    table: JointTable,
    p: f64,
    rho: f64,
    users: u64,
    ones: u64,
    helpers: usize,
    method: MethodArgument,
}

/// What happened.
#[derive(Debug, Default)]
struct Course {
    reports: u64,
    reported_ones: u64,
    /// How many people perturbed with a partner, alone, and how many had to be left out.
    together: u64,
    alone: u64,
    left_out: u64,
    /// From the last share to the list.
    pairing: Duration,
    /// The mean over all runs of two people, if it was measured: time, and bytes in both directions.
    run: Option<(Duration, f64)>,
}

impl DemoArguments {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        let plan = self.plan()?;
        let script = self.script(&plan)?;
        let start = Instant::now();
        let mut rng = generator(self.insecure_seed)?;
        let study = BinaryStudy::new(plan.independent, plan.request.crowd, script.ones).map_err(refused)?;
        let independent = study.estimate(study.reported_ones_independently(&mut rng));
        let course = if self.processes { processes::hold(&script)? } else { threads::hold(&script, rng)? };
        let tally = Tally { reports: course.reports, ones: course.reported_ones };
        let findings = Findings {
            estimate: tally.estimate(&script.table),
            independent,
            statement: Statement::of(&plan, Relay::Helper, None),
            seconds: start.elapsed().as_secs_f64(),
            insecure: self.insecure_seed.is_some(),
            in_processes: self.processes,
            plan,
            script,
            course,
        };
        output.print(&findings.document(), || findings.page())
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let most = if self.processes { MAX_PROCESSES } else { MAX_THREADS };
        if self.users > most {
            let message = format!("the demo is for at most {most} people here: got {}", self.users);
            let hint = Some("`privet joint simulate` is for many people");
            return Err(Failure::Usage { message, hint });
        }
        let crowd = Crowd::new(self.users, self.colluders).map_err(refused)?;
        let epsilon = parse_epsilon(&self.epsilon)?;
        let cap = self.cap.as_deref().map(parse_epsilon).transpose()?;
        let ones = Some(self.ones.unwrap_or(self.users / 10));
        Request { crowd, epsilon, ones, cap }.plan().map_err(refused)
    }

    fn script(&self, plan: &Plan) -> Result<Script, Failure> {
        let most = privet_joint::pairing::MAX_HELPERS;
        if !(3..=most).contains(&self.helpers) {
            return Err(super::pair::failed(PairingError::HelperCount { got: self.helpers }));
        }
        if matches!(self.method, MethodArgument::Sort) && self.helpers != 3 {
            return Err(super::pair::failed(PairingError::SortHelperCount { got: self.helpers }));
        }
        // Made from the two numbers that are told to everybody, so that all have the same table.
        let table = JointTable::new(Probability::new(plan.p)?, plan.rho).map_err(refused)?;
        Ok(Script {
            table,
            p: plan.p,
            rho: plan.rho,
            users: self.users,
            ones: plan.request.ones.unwrap_or_default(),
            helpers: self.helpers,
            method: self.method,
        })
    }
}

/// All that there is to say.
struct Findings {
    plan: Plan,
    script: Script,
    course: Course,
    estimate: f64,
    independent: f64,
    statement: Statement,
    seconds: f64,
    insecure: bool,
    in_processes: bool,
}

impl Findings {
    fn document(&self) -> Value {
        let (plan, script, course) = (&self.plan, &self.script, &self.course);
        let exposed = match plan.table.exposed_epsilon() {
            ExposedEpsilon::Bounded(epsilon) => json!(epsilon.get()),
            ExposedEpsilon::Unbounded => json!("infinite"),
        };
        json!({
            "users": script.users,
            "ones": script.ones,
            "helpers": script.helpers,
            "processes": self.in_processes,
            "p": script.p,
            "rho": script.rho,
            "average_epsilon": shown_average(plan, Relay::Helper),
            "exposed_epsilon": exposed,
            "estimate": self.estimate,
            "estimate_independent": self.independent,
            "variance": plan.variance,
            "variance_independent": plan.variance_independent,
            "reports": course.reports,
            "together": course.together,
            "alone": course.alone,
            "left_out": course.left_out,
            "pairing_milliseconds": milliseconds(course.pairing),
            "run_milliseconds": course.run.map(|(duration, _)| milliseconds(duration)),
            "run_bytes": course.run.map(|(_, bytes)| bytes),
            "seconds": self.seconds,
            "insecure": self.insecure,
            "promised": self.statement.promised,
            "not_promised": self.statement.not_promised,
        })
    }

    fn page(&self) -> String {
        let (plan, script, course) = (&self.plan, &self.script, &self.course);
        let mut rows = table_of_numbers(
            &["", "ESTIMATED ONES", "TRUE ONES", "VARIANCE IN THEORY", "STANDARD DEVIATION"],
            1,
        );
        for (name, estimate, theory) in [
            ("joint", self.estimate, plan.variance),
            ("independent", self.independent, plan.variance_independent),
        ] {
            rows.add_row([
                name.to_owned(),
                format!("{estimate:.2}"),
                script.ones.to_string(),
                variance(theory),
                format!("{:.2}", theory.sqrt()),
            ]);
        }
        let run = course.run.map_or(String::new(), |(duration, bytes)| {
            format!(
                "; a run of two took {:.1} ms, with all of them at once, and {bytes:.0} bytes",
                milliseconds(duration)
            )
        });
        let insecure =
            if self.insecure { "\nDrawn from a fixed seed: the reports protect nobody.\n" } else { "" };
        format!(
            "{} people and {} helpers, p = {:.6}, rho = {:.6}\n\n{}\n\n{} people perturbed with a partner, {} alone, {} were left \
             out.\nThe helpers paired them in {:.1} ms{run}; {:.1} s for everything.\n{insecure}\n{}",
            script.users,
            script.helpers,
            script.p,
            script.rho,
            rows.trim_fmt(),
            course.together,
            course.alone,
            course.left_out,
            milliseconds(course.pairing),
            self.seconds,
            self.statement,
        )
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
