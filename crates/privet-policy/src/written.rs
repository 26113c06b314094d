//! A policy as somebody writes it: TOML or JSON, with places for mistakes.

use crate::advisor::Goal;
use crate::date::{Date, Epoch, Period};
use crate::error::{Place, PolicyError, PolicyProblem};
use crate::kind::{MOST_PLACES, Sizes};
use crate::node::{self, Keys, Node, Value, check_count, text_of};
use crate::registry::{self, MechanismRow};
use crate::spending::DecimalEpsilon;
use crate::terms::{BudgetTerms, Contribution, PublicField, Repetition};
use privet_core::{Delta, DomainSpec};

/// A policy as written. It becomes usable by [`Policy::resolve`], which decides what it leaves open.
///
/// ```
/// let policy = privet_policy::Policy::from_toml(r#"
///     name = "How we travel"
///     purpose = "Plan bicycle lanes"
///     origin = "city.example"
///     opens = 2026-03-01
///     closes = 2026-03-31
///     epoch = "month"
///     minimum_reports = 500
///     [budget]
///     epsilon = 1
///     period = "month"
///     [[attribute]]
///     name = "commute"
///     question = "How do you get to work?"
///     domain = "categories:walk,bicycle,bus,car"
///     goal = "frequency"
/// "#)?;
/// let resolved = policy.resolve(&mut |_| Err("there are no files here".into()))?;
/// assert_eq!(resolved.terms().attributes[0].mechanism, "generalized-randomized-response");
/// # Ok::<(), privet_policy::PolicyError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Policy {
    pub(crate) name: String,
    pub(crate) purpose: String,
    pub(crate) origin: String,
    pub(crate) opens: Date,
    pub(crate) closes: Date,
    pub(crate) epoch: Epoch,
    pub(crate) answers: Repetition,
    pub(crate) minimum_reports: u32,
    pub(crate) retention_days: Option<u32>,
    pub(crate) budget: BudgetTerms,
    pub(crate) budget_place: Place,
    /// `None` if the advisor chooses.
    pub(crate) contribution: Option<Contribution>,
    pub(crate) contribution_place: Place,
    pub(crate) attributes: Vec<WrittenAttribute>,
    pub(crate) public: Vec<PublicField>,
}

/// One question as written.
#[derive(Debug, Clone)]
pub(crate) struct WrittenAttribute {
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) domain: DomainSpec,
    pub(crate) domain_place: Place,
    pub(crate) goal: Goal,
    pub(crate) goal_place: Place,
    pub(crate) mechanism: WrittenMechanism,
    pub(crate) mechanism_place: Place,
    pub(crate) epsilon: Option<DecimalEpsilon>,
    pub(crate) share: Option<f64>,
    pub(crate) epsilon_forever: Option<DecimalEpsilon>,
    pub(crate) delta: Option<Delta>,
    pub(crate) sizes: Sizes,
    pub(crate) radius: Option<f64>,
    pub(crate) pair: WrittenPair,
}

/// What only questions in pairs need.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenPair {
    pub(crate) users: Option<u32>,
    pub(crate) colluders: Option<u32>,
    pub(crate) cap: Option<DecimalEpsilon>,
    pub(crate) relay: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) enum WrittenMechanism {
    Auto,
    Row(&'static MechanismRow),
    /// The path of a file.
    File(String),
    /// The id of one on vectors.
    #[cfg(feature = "vectors")]
    Vector(&'static str),
    /// Joint randomised response.
    #[cfg(feature = "pairs")]
    Pair,
}

pub(crate) const MOST_ATTRIBUTES: usize = 64;
pub(crate) const MOST_FIELDS: usize = 8;
pub(crate) const MOST_FIELD_VALUES: usize = 1024;
pub(crate) const MOST_NAME_BYTES: usize = 100;
pub(crate) const MOST_TEXT_BYTES: usize = 2000;
pub(crate) const MOST_DOMAIN_BYTES: usize = 1 << 16;
/// Summaries have a counter for each category and each value of a public field.
pub(crate) const MOST_CATEGORIES: u32 = 1 << 16;
pub(crate) const MOST_CELLS_OF_A_SIDE: u32 = 256;

const POLICY_KEYS: &[&str] = &[
    "name",
    "purpose",
    "origin",
    "opens",
    "closes",
    "epoch",
    "answers",
    "minimum_reports",
    "retention_days",
    "budget",
    "contribution",
    "attribute",
    "public",
];
const BUDGET_KEYS: &[&str] = &["epsilon", "delta", "period"];
const ATTRIBUTE_KEYS: &[&str] = &[
    "name",
    "question",
    "domain",
    "goal",
    "mechanism",
    "epsilon",
    "share",
    "epsilon_forever",
    "delta",
    "bins",
    "places",
    "radius",
    "users",
    "colluders",
    "cap",
    "relay",
];
const PUBLIC_KEYS: &[&str] = &["name", "values"];

impl Policy {
    /// Reads TOML.
    ///
    /// # Errors
    /// When the text is no policy; the error says where and what is allowed.
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        Self::from_node(&node::of_toml(text)?)
    }

    /// Reads JSON with the same keys.
    ///
    /// # Errors
    /// When the text is no policy; the error says where and what is allowed.
    pub fn from_json(text: &str) -> Result<Self, PolicyError> {
        Self::from_node(&node::of_json(text)?)
    }

    fn from_node(root: &Node) -> Result<Self, PolicyError> {
        let keys = Keys::new("a policy", root, POLICY_KEYS)?;
        let (opens, closes) = (date(&keys, "opens")?, date(&keys, "closes")?);
        if closes < opens {
            return Err(PolicyProblem::DatesReversed { opens, closes }.at(keys.need("closes")?.place));
        }
        let budget_node = keys.need("budget")?;
        let contribution_words = [None, Some(Contribution::Split), Some(Contribution::Sample)];
        let contribution =
            keys.word("contribution", &contribution_words, |kind| kind.map_or("auto", Contribution::as_str))?;
        let minimum =
            keys.whole("minimum_reports", 1..=1_000_000_000, "a whole number from 1 to 1000000000")?;
        let minimum_reports = minimum.ok_or_else(|| {
            PolicyProblem::MissingKey { of: "a policy", key: "minimum_reports" }.at(keys.place)
        })?;
        Ok(Self {
            name: keys.text("name", MOST_NAME_BYTES)?.to_owned(),
            purpose: keys.text("purpose", MOST_TEXT_BYTES)?.to_owned(),
            origin: origin(&keys)?,
            opens,
            closes,
            epoch: keys.needed_word("epoch", &Epoch::ALL, Epoch::as_str)?,
            answers: keys.word("answers", &Repetition::ALL, Repetition::as_str)?.unwrap_or(Repetition::Once),
            minimum_reports,
            retention_days: keys.whole("retention_days", 0..=36_500, "a whole number of days up to 36500")?,
            budget: budget(budget_node)?,
            budget_place: budget_node.place,
            contribution: contribution.flatten(),
            contribution_place: keys.get("contribution").map_or(keys.place, |node| node.place),
            attributes: attributes(&keys)?,
            public: public_fields(&keys)?,
        })
    }
}

fn date(keys: &Keys<'_>, key: &'static str) -> Result<Date, PolicyError> {
    let node = keys.need(key)?;
    let text = text_of(key, node, 64)?;
    let allowed = "a date such as 2026-03-31, from 1970 to 9999";
    text.parse().map_err(|_| PolicyProblem::Value { key, allowed, got: format!("{text:?}") }.at(node.place))
}

/// Whether a text is the name of a host, with or without a scheme and a port.
pub(crate) fn is_origin(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic()) && !text.contains(['"', '\\', '<', '>'])
}

fn origin(keys: &Keys<'_>) -> Result<String, PolicyError> {
    let text = keys.text("origin", MOST_NAME_BYTES)?;
    if is_origin(text) {
        return Ok(text.to_owned());
    }
    let allowed = "a name without spaces, such as survey.example.org";
    let place = keys.need("origin")?.place;
    Err(PolicyProblem::Value { key: "origin", allowed, got: format!("{text:?}") }.at(place))
}

/// Whether a text can be a column of a table and a part of an address.
pub(crate) fn is_name(text: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    !text.is_empty() && text.bytes().all(is_letter)
}

fn name(keys: &Keys<'_>) -> Result<String, PolicyError> {
    let text = keys.text("name", MOST_NAME_BYTES)?;
    if is_name(text) {
        return Ok(text.to_owned());
    }
    let allowed = "made of a-z, 0-9, - and _";
    let place = keys.need("name")?.place;
    Err(PolicyProblem::Value { key: "name", allowed, got: format!("{text:?}") }.at(place))
}

fn epsilon(keys: &Keys<'_>, key: &'static str) -> Result<Option<DecimalEpsilon>, PolicyError> {
    let Some((number, place)) = keys.number(key)? else { return Ok(None) };
    let allowed = DecimalEpsilon::ALLOWED;
    let wrong = || PolicyProblem::Value { key, allowed, got: number.to_string() }.at(place);
    DecimalEpsilon::new(number).map(Some).ok_or_else(wrong)
}

fn delta(keys: &Keys<'_>) -> Result<Option<Delta>, PolicyError> {
    let Some((number, place)) = keys.number("delta")? else { return Ok(None) };
    Delta::new(number).map(Some).map_err(|error| PolicyProblem::Parameter(error).at(place))
}

fn budget(node: &Node) -> Result<BudgetTerms, PolicyError> {
    let keys = Keys::new("the budget", node, BUDGET_KEYS)?;
    let missing = || PolicyProblem::MissingKey { of: "the budget", key: "epsilon" }.at(keys.place);
    Ok(BudgetTerms {
        epsilon: epsilon(&keys, "epsilon")?.ok_or_else(missing)?,
        delta: delta(&keys)?.map_or(0.0, Delta::get),
        period: keys.needed_word("period", &Period::ALL, Period::as_str)?,
    })
}

fn attributes(keys: &Keys<'_>) -> Result<Vec<WrittenAttribute>, PolicyError> {
    let nodes = keys.tables("attribute", MOST_ATTRIBUTES)?;
    if nodes.is_empty() {
        return Err(PolicyProblem::MissingKey { of: "a policy", key: "attribute" }.at(keys.place));
    }
    let attributes: Vec<WrittenAttribute> = nodes.iter().map(attribute).collect::<Result<_, _>>()?;
    for (index, one) in attributes.iter().enumerate() {
        if attributes[..index].iter().any(|other| other.name == one.name) {
            return Err(PolicyProblem::Twice { what: "the attribute", name: one.name.clone() }.at(one.place));
        }
    }
    Ok(attributes)
}

fn attribute(node: &Node) -> Result<WrittenAttribute, PolicyError> {
    let keys = Keys::new("an attribute", node, ATTRIBUTE_KEYS)?;
    let domain_place = keys.need("domain")?.place;
    let domain: DomainSpec = keys
        .text("domain", MOST_DOMAIN_BYTES)?
        .parse()
        .map_err(|error| PolicyProblem::Parameter(error).at(domain_place))?;
    let (mechanism, mechanism_place) = match keys.get("mechanism") {
        Some(node) => (mechanism(node)?, node.place),
        None => (WrittenMechanism::Auto, keys.place),
    };
    let share = keys.number("share")?;
    if let Some((share, place)) = share.filter(|(share, _)| !(*share > 0.0 && *share <= 1.0)) {
        let allowed = "greater than 0 and at most 1";
        return Err(PolicyProblem::Value { key: "share", allowed, got: share.to_string() }.at(place));
    }
    let epsilon_of_report = epsilon(&keys, "epsilon")?;
    if let (Some(_), Some((_, place))) = (epsilon_of_report, share) {
        let reason = "an attribute has an epsilon or a share of the budget, not both".to_owned();
        return Err(PolicyProblem::Conflict { reason }.at(place));
    }
    Ok(WrittenAttribute {
        place: keys.place,
        name: name(&keys)?,
        question: keys.text("question", MOST_TEXT_BYTES)?.to_owned(),
        domain,
        domain_place,
        goal: keys.needed_word("goal", &Goal::ALL, Goal::as_str)?,
        goal_place: keys.need("goal")?.place,
        mechanism,
        mechanism_place,
        epsilon: epsilon_of_report,
        share: share.map(|(share, _)| share),
        epsilon_forever: epsilon(&keys, "epsilon_forever")?,
        delta: delta(&keys)?,
        sizes: Sizes {
            bins: keys.whole("bins", 2..=1 << 20, "a whole number from 2 to 1048576")?,
            places: keys.whole("places", 1..=MOST_PLACES, "a whole number from 1 to 1024")?,
        },
        radius: radius(&keys)?,
        pair: pair(&keys)?,
    })
}

fn radius(keys: &Keys<'_>) -> Result<Option<f64>, PolicyError> {
    let Some((radius, place)) = keys.number("radius")? else { return Ok(None) };
    if radius.is_finite() && radius > 0.0 {
        return Ok(Some(radius));
    }
    let allowed = "a finite number greater than 0";
    Err(PolicyProblem::Value { key: "radius", allowed, got: radius.to_string() }.at(place))
}

fn pair(keys: &Keys<'_>) -> Result<WrittenPair, PolicyError> {
    const ALLOWED: &str = "a whole number up to 1000000000";
    let relay = keys.get("relay").map(|_| keys.text("relay", MOST_TEXT_BYTES)).transpose()?;
    Ok(WrittenPair {
        users: keys.whole("users", 2..=1_000_000_000, "a whole number from 2 to 1000000000")?,
        colluders: keys.whole("colluders", 0..=1_000_000_000, ALLOWED)?,
        cap: epsilon(keys, "cap")?,
        relay: relay.map(str::to_owned),
    })
}

fn mechanism(node: &Node) -> Result<WrittenMechanism, PolicyError> {
    let text = text_of("mechanism", node, MOST_TEXT_BYTES)?;
    if text == "auto" {
        return Ok(WrittenMechanism::Auto);
    }
    if let Some(path) = text.strip_prefix("file:") {
        return Ok(WrittenMechanism::File(path.to_owned()));
    }
    #[cfg(feature = "vectors")]
    if let Some(id) = crate::vectors::find(text) {
        return Ok(WrittenMechanism::Vector(id));
    }
    #[cfg(feature = "pairs")]
    if text == crate::pairs::ID {
        return Ok(WrittenMechanism::Pair);
    }
    registry::find_mechanism(text).map(WrittenMechanism::Row).map_err(|_| {
        let nearest = registry::nearest_name(text);
        PolicyProblem::UnknownMechanism { got: text.to_owned(), nearest }.at(node.place)
    })
}

fn public_fields(keys: &Keys<'_>) -> Result<Vec<PublicField>, PolicyError> {
    let nodes = keys.tables("public", MOST_FIELDS)?;
    let mut fields: Vec<PublicField> = Vec::new();
    for node in nodes {
        let keys = Keys::new("a public field", node, PUBLIC_KEYS)?;
        let name = name(&keys)?;
        if fields.iter().any(|other| other.name == name) {
            return Err(PolicyProblem::Twice { what: "the public field", name }.at(node.place));
        }
        fields.push(PublicField { name, values: field_values(&keys)? });
    }
    Ok(fields)
}

fn field_values(keys: &Keys<'_>) -> Result<Vec<String>, PolicyError> {
    let node = keys.need("values")?;
    let Value::List(list) = &node.value else {
        return Err(PolicyProblem::Kind { key: "values", expected: "a list of texts" }.at(node.place));
    };
    check_count("values", list.len(), MOST_FIELD_VALUES, node.place)?;
    if list.is_empty() {
        return Err(
            PolicyProblem::Kind { key: "values", expected: "a list of at least one text" }.at(node.place)
        );
    }
    let mut values: Vec<String> = Vec::with_capacity(list.len());
    for node in list {
        let value = text_of("values", node, MOST_NAME_BYTES)?.to_owned();
        if values.contains(&value) {
            return Err(PolicyProblem::Twice { what: "the value", name: value }.at(node.place));
        }
        values.push(value);
    }
    Ok(values)
}
