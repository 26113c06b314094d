//! What is asked of the explorer, checked.

use crate::api::App;
use crate::pages::words::Fields;
use privet_core::{BuildOptions, DomainSpec, Epsilon, ParameterError};
use privet_policy::advisor::candidate::{self, Built};
use privet_policy::advisor::{Choice, Goal, Question, Wish, advise};
use privet_policy::registry;

/// The fields of the form, as they were typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) domain: String,
    pub(super) mechanism: String,
    pub(super) epsilon: String,
    pub(super) input: String,
}

impl Asked {
    pub(super) fn new(domain: &str, epsilon: &str) -> Self {
        Self { domain: domain.to_owned(), epsilon: epsilon.to_owned(), ..Self::default() }
    }

    pub(super) fn read(fields: &Fields) -> Self {
        let get = |name: &str| fields.get(name).unwrap_or_default().trim().to_owned();
        Self {
            domain: get("domain"),
            mechanism: get("mechanism"),
            epsilon: get("epsilon"),
            input: get("input"),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        [&self.domain, &self.mechanism, &self.epsilon, &self.input].iter().all(|field| field.is_empty())
    }

    /// Where this is shown.
    pub(super) fn address(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("domain", &self.domain).append_pair("mechanism", &self.mechanism);
        query.append_pair("epsilon", &self.epsilon).append_pair("input", &self.input);
        format!("/explore?{}", query.finish())
    }
}

/// A field that cannot be used, and what can.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) field: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Wrong {
    pub(super) fn new(field: &'static str, message: impl Into<String>) -> Self {
        Self { field, message: message.into(), hint: None }
    }

    pub(super) fn parameter(field: &'static str, error: &ParameterError) -> Self {
        Self { field, message: error.to_string(), hint: error.hint().map(str::to_owned) }
    }
}

/// A mechanism with everything that is needed to look at it.
#[derive(Debug)]
pub(super) struct Explored {
    pub(super) domain: DomainSpec,
    pub(super) epsilon: Epsilon,
    pub(super) built: Built,
    /// The answer that is hidden.
    pub(super) input: String,
    /// Whether nobody asked for this mechanism by name.
    pub(super) is_recommended: bool,
}

/// More categories make tables that take long.
const MOST_CATEGORIES: u32 = 1024;

const SHOWN: &str =
    "binary, categories:K or categories:A,B,.. up to 1024, interval:LOW,HIGH and circle:PERIOD";

impl Explored {
    pub(super) fn of(app: &App, asked: &Asked) -> Result<Self, Wrong> {
        let domain = read_domain(&asked.domain)?;
        let epsilon = read_epsilon(&asked.epsilon)?;
        let (id, is_recommended) = match asked.mechanism.as_str() {
            "" => (recommended(app, &domain, epsilon)?, true),
            name => (name.to_owned(), false),
        };
        let built = build(&id, &domain, epsilon)?;
        let input = if asked.input.is_empty() { usual_input(&domain) } else { asked.input.clone() };
        built.mechanism.pieces(Some(&input)).map_err(|error| Wrong::new("input", error.to_string()))?;
        Ok(Self { domain, epsilon, built, input, is_recommended })
    }

    /// What is usually to be learned.
    pub(super) fn goal(&self) -> Goal {
        usual_goal(&self.domain)
    }
}

fn read_domain(text: &str) -> Result<DomainSpec, Wrong> {
    let mut wrong = match text.parse::<DomainSpec>() {
        Ok(DomainSpec::Categories(categories)) if categories.count() > MOST_CATEGORIES => {
            Wrong::new("domain", format!("the explorer shows up to {MOST_CATEGORIES} categories"))
        }
        Ok(domain @ (DomainSpec::Categories(_) | DomainSpec::Interval(_) | DomainSpec::Circle(_))) => {
            return Ok(domain);
        }
        Ok(other) => {
            Wrong::new("domain", format!("the explorer shows categories, numbers and angles: got {other}"))
        }
        Err(error) => Wrong::parameter("domain", &error),
    };
    wrong.hint = Some(format!("allowed are {SHOWN}"));
    Err(wrong)
}

/// Beyond, nothing is private any more and pictures are empty.
const EPSILONS: [f64; 2] = [0.01, 20.0];

fn read_epsilon(text: &str) -> Result<Epsilon, Wrong> {
    let [least, most] = EPSILONS;
    let wrong = || Wrong::new("epsilon", format!("epsilon is a number from {least} to {most}: got {text:?}"));
    let value: f64 = text.parse().map_err(|_| wrong())?;
    Epsilon::new(value).ok().filter(|_| (least..=most).contains(&value)).ok_or_else(wrong)
}

fn usual_goal(domain: &DomainSpec) -> Goal {
    match domain {
        DomainSpec::Interval(_) | DomainSpec::Circle(_) => Goal::Point,
        _ => Goal::Frequency,
    }
}

/// The mechanism with the smallest expected error. Comparing all of them takes a while, so the answer is kept.
fn recommended(app: &App, domain: &DomainSpec, epsilon: Epsilon) -> Result<String, Wrong> {
    // On a longer interval all errors are larger by the same factor, and labels do not matter.
    let unit = match domain {
        DomainSpec::Interval(_) => "interval:0,1".to_owned(),
        // The best there is, which is proved: nothing has to be compared.
        DomainSpec::Circle(_) => return Ok("optimal-piecewise-circle".to_owned()),
        DomainSpec::Categories(categories) => format!("categories:{}", categories.count()),
        other => other.to_string(),
    };
    let key = blake3::hash(format!("{unit} {}", epsilon.get()).as_bytes());
    let compare = move || {
        let best = unit.parse().ok().and_then(|unit| best(&unit, epsilon).ok());
        Ok(best)
    };
    match app.caches.advice.fresh(key, blake3::hash(b""), compare) {
        Ok(Some(id)) => Ok(id),
        // Asked again for the reason.
        _ => best(domain, epsilon),
    }
}

fn best(domain: &DomainSpec, epsilon: Epsilon) -> Result<String, Wrong> {
    let wrong = |error: privet_policy::advisor::AdvisorError| Wrong::new("mechanism", error.to_string());
    // How many people there are does not change which one is best.
    let question = Question::about(domain, usual_goal(domain), 1000).map_err(wrong)?;
    let advice =
        advise(domain, &question, Wish::Epsilon(epsilon), &BuildOptions::default(), &[], &mut |_| ());
    Ok(advice.map_err(wrong)?.recommended.id.to_owned())
}

fn build(id: &str, domain: &DomainSpec, epsilon: Epsilon) -> Result<Built, Wrong> {
    let row = registry::ready_mechanisms()
        .iter()
        .find(|row| row.info.id == id || row.info.synonyms.contains(&id))
        .ok_or_else(|| {
            fitting(
                Wrong::new("mechanism", format!("the explorer knows no mechanism {id:?}")),
                domain,
                epsilon,
            )
        })?;
    candidate::build(&Choice::Row(row), domain, epsilon, &BuildOptions::default())
        .map_err(|error| fitting(Wrong::parameter("mechanism", &error), domain, epsilon))
}

/// Says which mechanisms would fit.
fn fitting(mut wrong: Wrong, domain: &DomainSpec, epsilon: Epsilon) -> Wrong {
    let all = candidate::all_that_fit(domain, epsilon, &BuildOptions::default()).unwrap_or_default();
    let ids: Vec<&str> = all.iter().map(|built| built.mechanism.info().id).collect();
    if !ids.is_empty() {
        wrong.hint = Some(format!("these fit {domain}: {}", ids.join(", ")));
    }
    wrong
}

/// A value to look at: not an end, where mechanisms are not themselves.
fn usual_input(domain: &DomainSpec) -> String {
    match domain {
        DomainSpec::Interval(interval) => (interval.low() + 0.3 * interval.width()).to_string(),
        DomainSpec::Circle(circle) => (0.3 * circle.period()).to_string(),
        DomainSpec::Categories(categories) => categories.label(0),
        _ => String::new(),
    }
}
