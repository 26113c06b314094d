//! The five questions, as a policy.

use crate::failure::Failure;
use privet::policy::{Date, DecimalEpsilon, PolicyError, ResolvedPolicy};
use std::fmt::Write;
use std::sync::Arc;

/// What is asked, and what a collector gets out of the reports and what not.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) name: &'static str,
    asked: &'static str,
    pub(super) domain: &'static str,
    goal: &'static str,
    /// How many cells an area has along each side.
    bins: Option<u32>,
    pub(super) can: &'static str,
    pub(super) cannot: &'static str,
}

pub(super) const QUESTIONS: [Question; 5] = [
    Question {
        name: "sick_leave",
        asked: "Have you ever called in sick when you were not?",
        domain: "categories:yes,no",
        goal: "frequency",
        bins: None,
        can: "The share of people who would say yes",
        cannot: "Whether you would. A report that says yes often comes from somebody who would say no: devices lie on \
                 purpose, at a known rate, and the collector takes that rate off the total.",
    },
    Question {
        name: "worry",
        asked: "What keeps you awake at night?",
        domain: "categories:money,work,health,family,loneliness,the neighbours,the news,nothing",
        goal: "frequency",
        bins: None,
        can: "How common each worry is",
        cannot: "Which one is yours. Every worry can give every report, and yours need not be what it names.",
    },
    Question {
        name: "pay",
        asked: "How much do you earn in a month, in euros?",
        domain: "interval:0,8000",
        goal: "distribution",
        bins: None,
        can: "Roughly how pay is distributed, and the mean",
        cannot: "What you earn. Every amount can give every report, and a single report says very little about where \
                 the true one lies.",
    },
    Question {
        name: "bedtime",
        asked: "At what time do you fall asleep, from 0 to 24 hours?",
        domain: "circle:24",
        goal: "distribution",
        bins: None,
        can: "When people go to sleep, on both sides of midnight, and the mean time",
        cannot: "When you do. Times near yours are likelier to be reported, but every time of the day can be.",
    },
    Question {
        name: "home",
        asked: "Where in the city do you live, in kilometres east and north of its corner?",
        domain: "rectangle:0,12,0,12",
        goal: "distribution",
        bins: Some(6),
        can: "How many people live in each part of the city",
        cannot: "Where you live. A report ticks many parts of the city, and yours need not be among them.",
    },
];

/// Nothing is shown of fewer reports.
pub(super) const MINIMUM_REPORTS: u32 = 100;

/// How long the collection stays open, so that one can answer in the browser, too.
const DAYS: u32 = 30;

/// The contract of the survey. Each question gets the same epsilon, and the mechanism that the advisor finds best.
pub(super) fn policy(epsilon: DecimalEpsilon, today: Date) -> Result<Arc<ResolvedPolicy>, Failure> {
    let closes = Date::from_days_since_1970(today.days_since_1970() + DAYS).unwrap_or(today);
    // Nine digits are all that an epsilon has.
    let budget = format!("{:.9}", QUESTIONS.len() as f64 * epsilon.to_f64());
    let mut text = format!(
        "name = \"A survey that keeps answers private\"\n\
         purpose = \"To show how it is done\"\n\
         origin = \"https://demo.example\"\n\
         opens = {today}\ncloses = {closes}\nepoch = \"month\"\nanswers = \"once\"\n\
         minimum_reports = {MINIMUM_REPORTS}\ncontribution = \"split\"\n\
         [budget]\nepsilon = {budget}\nperiod = \"collection\"\n"
    );
    let each = epsilon.to_f64();
    for Question { name, asked, domain, goal, bins, .. } in &QUESTIONS {
        // Writing to a text does not fail.
        let _ = write!(
            text,
            "[[attribute]]\nname = \"{name}\"\nquestion = \"{asked}\"\ndomain = \"{domain}\"\ngoal = \"{goal}\"\n\
             epsilon = {each}\n"
        );
        if let Some(bins) = bins {
            let _ = writeln!(text, "bins = {bins}");
        }
    }
    ResolvedPolicy::read(&text, &mut |_| Err("the survey has no files".into())).map_err(not_possible)
}

/// Whatever is wrong comes from the epsilon, which is all that is not fixed.
fn not_possible(error: PolicyError) -> Failure {
    Failure::Usage {
        message: format!("the survey cannot be held with this epsilon: {error}"),
        hint: Some("epsilons from 0.1 to 5 show most"),
    }
}
