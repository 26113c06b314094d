//! The whole way, on made-up people: a collector, devices that answer, estimates, and pages that show them.

mod collection;
mod crowd;
mod host;
mod people;
mod pictures;
mod questions;
mod report;

use crate::arguments::parse_epsilon;
use crate::command::answers::Answered;
use crate::contract;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Output, table_of_numbers};
use crate::progress::Waiting;
use crate::table::Destination;
use clap::Args;
use collection::{Collection, Example};
use host::Host;
use people::{Held, Person};
use privet::client::{CollectError, Collector, Connection, Wanted};
use privet::policy::{Date, DecimalEpsilon, ResolvedPolicy, Showing};
use privet::{Budget, Guarantee};
use questions::QUESTIONS;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  A hundred thousand people; then look at the pages, and end them with Ctrl-C:
    privet demo

  Only the page in a file, of fewer people and a larger epsilon:
    privet demo --exit --people 20000 --epsilon 2 --out survey.html";

/// Let made-up people answer a survey privately, from their devices to the estimates
///
/// Starts a collector on this machine, creates a collection of five questions (yes or no, a choice, a number, a time of day, a
/// place), and lets everybody answer over HTTP; each answer is randomised before it is sent. Prints the estimates beside the truth,
/// which only a demo knows, and writes them to a page that is one file and loads nothing.
///
/// The pages of the collector stay open until Ctrl-C. Then its reports, which were in a temporary folder, are deleted.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// End when the page is written
    #[arg(long)]
    exit: bool,
    /// Where to write the page
    #[arg(long, value_name = "FILE", default_value = "privet-demo.html")]
    out: PathBuf,
    /// How many people answer, at most a million
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    people: u32,
    /// Epsilon of each question [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// Where the collector listens on this machine; 0 is any free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,
}

/// The demo's own choice. Real data have no default: whoever collects them must choose.
const EPSILON: f64 = 1.0;

/// The people are held in memory, because a demo has to know the truth.
const MOST_PEOPLE: u32 = 1_000_000;

/// Everything that the demo found out.
#[derive(Debug, Serialize)]
struct Findings {
    /// Where the page is.
    report: PathBuf,
    people: u32,
    /// What one person's report reveals, all answers together.
    epsilon: f64,
    /// The addresses that can be opened, as long as the demo runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<Pages>,
    /// One for each question.
    collections: Vec<Collection>,
}

/// Addresses of the collector's pages.
#[derive(Debug, Serialize)]
struct Pages {
    dashboard: String,
    collection: String,
    respond: String,
}

impl Demo {
    pub(crate) fn run(&self, output: Output) -> Result<(), Failure> {
        self.check()?;
        let today = contract::day(None)?;
        let policy = questions::policy(self.epsilon()?, today)?;
        // Before the work, so that a folder that is not there is found at once.
        let page = Destination::create(&self.out)?;
        let interrupt = Interrupt::listen()?;
        let host = Host::start(self.port)?;
        let held = self.hold(&host.url(), (&policy, today), page, &interrupt, output);
        // Whatever happened, the reports are deleted.
        let stopped = host.stop();
        held.and(stopped)
    }

    fn check(&self) -> Result<(), Failure> {
        if !(1..=MOST_PEOPLE).contains(&self.people) {
            return Err(Failure::Usage {
                message: format!(
                    "a survey needs at least one person and at most a million: got {}",
                    self.people
                ),
                hint: Some("estimates get useful from about 10000 people on"),
            });
        }
        if self.out.as_os_str() == "-" {
            return Err(Failure::Usage {
                message: "the page cannot go to standard output: the results are there".into(),
                hint: Some("name a file, such as --out survey.html"),
            });
        }
        Ok(())
    }

    fn epsilon(&self) -> Result<DecimalEpsilon, Failure> {
        let epsilon = self.epsilon.as_deref().map(parse_epsilon).transpose()?;
        let epsilon = epsilon.map_or(EPSILON, |epsilon| epsilon.get());
        DecimalEpsilon::new(epsilon).ok_or_else(|| Failure::Usage {
            message: format!(
                "the epsilon of a survey has at most nine digits after the point: got {epsilon}"
            ),
            hint: None,
        })
    }

    /// The survey at a collector, and then its pages until somebody has seen enough.
    fn hold(
        &self,
        url: &str,
        (policy, today): (&Arc<ResolvedPolicy>, Date),
        mut page: Destination,
        interrupt: &Interrupt,
        output: Output,
    ) -> Result<(), Failure> {
        let people = people::made_up(self.people)?;
        let collections = survey(url, policy, &people, today, interrupt)?;
        interrupt.check()?;
        let id = policy.id();
        let pages = Pages {
            dashboard: format!("{url}/"),
            collection: format!("{url}/collections/{id}"),
            respond: format!("{url}/respond/{id}"),
        };
        let findings = Findings {
            report: self.out.clone(),
            people: self.people,
            epsilon: total(&collections)?.map_or(0.0, |total| total.epsilon().get()),
            pages: (!self.exit).then_some(pages),
            collections,
        };
        page.write_all(report::page(&findings).as_bytes()).map_err(|source| page.failed(source))?;
        page.commit()?;
        output.print(&findings, || text(&findings))?;
        if !self.exit {
            interrupt.wait();
        }
        Ok(())
    }
}

/// Creates the collection, lets everybody answer, and asks what was learned.
fn survey(
    url: &str,
    policy: &Arc<ResolvedPolicy>,
    people: &[Person],
    today: Date,
    interrupt: &Interrupt,
) -> Result<Vec<Collection>, Failure> {
    let mut collector = Collector::open(Connection::to(url))?;
    collector.create(policy, false)?;
    let collection = collector.collection(policy.id())?;
    let first = crowd::answer(people, &mut collector, &collection, today, interrupt)?;
    let waiting = Waiting::on("estimating".to_owned());
    let results = collector.results(policy.id(), &Wanted { fresh: true, ..Wanted::default() })?;
    drop(waiting);
    let estimated = Answered::read(&results)?.estimates;
    let showing = Showing::new(Arc::clone(policy));
    let sent = showing.report(&first).map_err(|_| CollectError::NotUnderstood)?;
    let answered = estimated.iter().zip(sent.answers);
    let mut collections = Vec::new();
    for (index, ((question, attribute), (estimated, sent))) in
        QUESTIONS.iter().zip(policy.attributes()).zip(answered).enumerate()
    {
        let held: Vec<Held> = people.iter().map(|person| person.0[index]).collect();
        let truth = held.first().map(|held| held.written(question.domain)).unwrap_or_default();
        let channel = showing.channel(question.name, &truth).map_err(|source| Failure::Answer {
            path: None,
            row: None,
            source,
        })?;
        let example = Example { truth, channel, sent };
        collections.push(Collection::new(question, attribute, estimated, &held, example)?);
    }
    Ok(collections)
}

/// What one person spends who answers everything.
fn total(collections: &[Collection]) -> Result<Option<Guarantee>, Failure> {
    let budget = collections
        .iter()
        .try_fold(Budget::empty(), |budget, collection| budget.spend(collection.guarantee))?;
    Ok(budget.total())
}

/// How many rows a table on the terminal has at most.
const MAX_ROWS: usize = 10;

fn text(findings: &Findings) -> String {
    let mut text = format!(
        "{} made-up people answered {} questions; each answer was randomised before it left its device.\n",
        grouped(findings.people.into()),
        findings.collections.len()
    );
    for (number, collection) in (1..).zip(&findings.collections) {
        text.push_str(&format!("\n{number}. {}\n{}\n\n", collection.question, collection.facts()));
        text.push_str(&estimates(collection));
    }
    text.push_str(&format!(
        "\nAll answers of one person together reveal at most epsilon = {}.\n\nThe page with the plots: {}\n",
        rounded_up(findings.epsilon),
        findings.report.display()
    ));
    if let Some(Pages { dashboard, collection, respond }) = &findings.pages {
        text.push_str(&format!(
            "Open until Ctrl-C:\n  the dashboard    {dashboard}\n  the survey       {collection}\n  answer yourself  {respond}\n"
        ));
    }
    text
}

fn estimates(collection: &Collection) -> String {
    if collection.estimates.is_empty() {
        return collection.coverage() + "\n";
    }
    let rows = collection.largest(MAX_ROWS);
    let hidden = collection.estimates.len() - rows.len();
    let mut table = table_of_numbers(&["answer", "truth", "estimate", "95 % interval"], 1);
    for row in rows {
        let [estimate, interval] = row.in_words();
        table.add_row([row.label.clone(), (row.write)(row.truth), estimate, interval]);
    }
    let mut text = table.trim_fmt() + "\n";
    if hidden > 0 {
        text.push_str(&format!("and {hidden} more\n"));
    }
    text + &collection.coverage() + "\n"
}

/// A share in percent.
fn percent(share: f64) -> String {
    // Adding zero after rounding turns minus zero into zero.
    format!("{:.1} %", (share * 1000.0).round() / 10.0 + 0.0)
}

/// A number of two digits after the point.
fn hundredths(number: f64) -> String {
    format!("{:.2}", (number * 100.0).round() / 100.0 + 0.0)
}

/// The nearest whole number.
fn whole(number: f64) -> String {
    format!("{:.0}", number.round() + 0.0)
}

/// An epsilon with at most six decimals, never smaller than it is.
fn rounded_up(epsilon: f64) -> f64 {
    let rounded = (epsilon * 1e6).ceil() / 1e6;
    if rounded.is_finite() && rounded >= epsilon { rounded } else { epsilon }
}

/// A whole number with a space between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(100_000), "100 000");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(percent(0.3141), "31.4 %");
        assert_eq!(percent(-0.0001), "0.0 %");
        assert_eq!(
            (hundredths(-0.001), whole(-0.2), whole(2618.7)),
            ("0.00".into(), "0".into(), "2619".into())
        );
        assert_eq!(rounded_up(5.999999999999999), 6.0);
        assert_eq!(rounded_up(1.25), 1.25);
        assert!(rounded_up(f64::MAX) == f64::MAX);
    }
}
