//! What a policy means for a person: the same facts for programs and for people.

use crate::attribute::{Answering, Attribute};
use crate::resolved::ResolvedPolicy;
use crate::spending::Spending;
use crate::terms::{ComparedErrors, Contribution, Repetition};
use privet_core::Guarantee;
use serde::Serialize;
use std::fmt::Write;

/// What a policy means for a person. All numbers are computed from the mechanisms that run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statement {
    /// The policy's id, in digits.
    pub policy: String,
    /// What the collection is called.
    pub name: String,
    /// Who asks.
    pub origin: String,
    /// What the answers are for.
    pub purpose: String,
    /// The first day.
    pub opens: String,
    /// The last day.
    pub closes: String,
    /// How long one report stands for.
    pub epoch: &'static str,
    /// Each question.
    pub attributes: Vec<AttributeStatement>,
    /// What is sent as it is, without protection.
    pub public_fields: Vec<String>,
    /// How the questions share the budget.
    pub contribution: ContributionStatement,
    /// What one report costs at most.
    pub per_report: SpendingStatement,
    /// What all reports of one period cost at most.
    pub per_period: PeriodStatement,
    /// What all reports of the collection cost at most, whatever the person's values are.
    pub total: SpendingStatement,
    /// The epsilon of `total`.
    pub total_epsilon: f64,
    /// How many reports one person sends at most.
    pub reports: u32,
    /// Estimates from fewer reports are not shown.
    pub minimum_reports: u32,
    /// After how many days reports are deleted, if the policy says so.
    pub retention_days: Option<u32>,
    /// How many bytes each report has.
    pub report_bytes: usize,
    /// Whether reports of different epochs can be told to be of one person, by their content.
    pub linkable_by_content: bool,
}

/// What one question means.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttributeStatement {
    /// What programs call it.
    pub name: String,
    /// What people read.
    pub question: String,
    /// Where values come from.
    pub domain: String,
    /// What is to be learned.
    pub goal: &'static str,
    /// The mechanism.
    pub mechanism: String,
    /// The epsilon that each report is charged with.
    pub epsilon: f64,
    /// What each report adds, exactly.
    pub guarantee: GuaranteeStatement,
    /// For paths: how many places each report has, whatever the person's own number is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<u32>,
    /// For vectors: the size of the set that yours is clipped to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// For questions that two people answer together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<PairStatement>,
    /// For permanent answers.
    pub permanent: Option<PermanentStatement>,
    /// What all reports of the collection cost at most.
    pub total: SpendingStatement,
}

/// What permanent answers mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PermanentStatement {
    /// What all reports for ever reveal about one value that stays the same.
    pub epsilon_forever: f64,
    /// The same, exactly.
    pub guarantee: GuaranteeStatement,
    /// What a single report reveals if it stays the only one, exactly.
    pub single_report: GuaranteeStatement,
    /// How many values there are: each one that a person ever holds costs `epsilon_forever` again.
    pub values: u32,
}

/// What it means to answer together with a partner: nothing, without the feature.
#[cfg(not(feature = "pairs"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum PairStatement {}

/// What it means to answer together with a partner.
#[cfg(feature = "pairs")]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairStatement {
    /// How many people take part.
    pub users: u64,
    /// How many of them may be the collector's.
    pub colluders: u64,
    /// The promise on average over the secret pairing, exactly.
    pub average_epsilon: f64,
    /// The promise to a person whose partner colludes, exactly. Reports are charged with it.
    pub exposed_epsilon: f64,
    /// Where the helpers are through whom partners meet.
    pub relay: String,
    /// What holds, in sentences.
    pub promised: Vec<String>,
    /// What does not.
    pub not_promised: Vec<String>,
}

/// A guarantee as all surfaces write it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GuaranteeStatement {
    /// Its kind.
    pub kind: &'static str,
    /// Its epsilon, rounded up.
    pub epsilon: f64,
    /// Its delta.
    pub delta: f64,
}

impl From<Guarantee> for GuaranteeStatement {
    fn from(guarantee: Guarantee) -> Self {
        Self { kind: guarantee.kind(), epsilon: guarantee.epsilon().get(), delta: guarantee.delta() }
    }
}

/// How the questions share the budget.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContributionStatement {
    /// `split` or `sample`.
    pub kind: &'static str,
    /// If the advisor chose: the expected errors of both ways.
    pub compared: Option<ComparedErrors>,
    /// Why, in words.
    pub why: String,
}

/// What something costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SpendingStatement {
    /// The epsilon.
    pub epsilon: f64,
    /// The delta.
    pub delta: f64,
}

impl From<Spending> for SpendingStatement {
    fn from(spending: Spending) -> Self {
        Self { epsilon: spending.epsilon(), delta: spending.delta() }
    }
}

/// What a period costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeriodStatement {
    /// The period.
    pub period: &'static str,
    /// How many reports one person sends in it at most.
    pub reports: u32,
    /// What they cost at most.
    pub cost: SpendingStatement,
    /// What they may cost.
    pub budget: SpendingStatement,
}

impl ResolvedPolicy {
    /// What the policy means for a person.
    pub fn statement(&self) -> Statement {
        let terms = self.terms();
        let reports = self.reports_in_all();
        let total = self.cost_of_reports(reports).into();
        Statement {
            policy: self.id().to_string(),
            name: terms.name.clone(),
            origin: terms.origin.clone(),
            purpose: terms.purpose.clone(),
            opens: terms.opens.to_string(),
            closes: terms.closes.to_string(),
            epoch: terms.epoch.as_str(),
            attributes: self.attributes().iter().map(|one| AttributeStatement::of(one, reports)).collect(),
            public_fields: terms.public.iter().map(|field| field.name.clone()).collect(),
            contribution: self.contribution_statement(),
            per_report: self.cost_of_reports(1).into(),
            per_period: PeriodStatement {
                period: self.period().as_str(),
                reports: self.reports_per_period(),
                cost: self.period_cost().into(),
                budget: self.budget().into(),
            },
            total,
            total_epsilon: total.epsilon,
            reports,
            minimum_reports: terms.minimum_reports,
            retention_days: terms.retention_days,
            report_bytes: crate::report::Layout::of(self).length,
            linkable_by_content: self.attributes().iter().any(|one| one.permanence().is_some())
                && reports > 1,
        }
    }

    fn contribution_statement(&self) -> ContributionStatement {
        let terms = self.terms();
        let kind = terms.contribution.kind;
        let way = match kind {
            _ if terms.attributes.len() == 1 => "there is one question",
            Contribution::Split => "each report answers every question with a part of the epsilon",
            Contribution::Sample => "each report answers one question, drawn by lot, with the whole epsilon",
        };
        let why = match terms.contribution.compared {
            Some(ComparedErrors { split, sample }) => format!(
                "{way}; with {} reports the expected error, as a part of the domain's width and averaged over the \
                 questions, is {split:.6} if every question is answered and {sample:.6} if one is drawn",
                terms.minimum_reports
            ),
            None if terms.attributes.len() == 1 => way.to_owned(),
            None => format!("{way}, as the policy was written"),
        };
        ContributionStatement { kind: kind.as_str(), compared: terms.contribution.compared, why }
    }
}

impl AttributeStatement {
    fn of(attribute: &Attribute, reports: u32) -> Self {
        let terms = attribute.terms();
        let permanent = match (&attribute.answering, attribute.permanence()) {
            (Answering::Permanent(layers), Some(permanence)) => Some(PermanentStatement {
                epsilon_forever: permanence.one_value.epsilon(),
                guarantee: layers.permanent().into(),
                single_report: layers.single_report().into(),
                values: permanence.values,
            }),
            _ => None,
        };
        Self {
            name: terms.name.clone(),
            question: terms.question.clone(),
            domain: terms.domain.clone(),
            goal: terms.goal.as_str(),
            mechanism: terms.mechanism.clone(),
            epsilon: terms.epsilon.to_f64(),
            guarantee: attribute.guarantee().into(),
            places: terms.places,
            radius: terms.radius,
            pairs: pair_statement(attribute),
            permanent,
            total: attribute.cost_of_reports(reports).into(),
        }
    }
}

impl ResolvedPolicy {
    /// The statement in plain English, for the person who is asked.
    pub fn statement_text(&self) -> String {
        let statement = self.statement();
        let mut text = String::new();
        // Writing to a text cannot fail.
        let mut line = |words: String| writeln!(text, "{words}").unwrap_or_default();
        line(format!("{} asks: {}", statement.origin, statement.name));
        line(format!("What for: {}", statement.purpose));
        line(format!("Open from {} to {}. Policy {}.", statement.opens, statement.closes, statement.policy));
        line(String::new());
        for attribute in &statement.attributes {
            line(attribute_text(attribute));
        }
        line(String::new());
        if statement.attributes.len() > 1 {
            line(format!("Several questions: {}.", statement.contribution.why));
        }
        line(cost_text(&statement, self.terms().answers));
        line(String::new());
        sees_text(&statement).into_iter().for_each(line);
        text
    }
}

#[cfg(feature = "pairs")]
fn pair_statement(attribute: &Attribute) -> Option<PairStatement> {
    match (&attribute.answering, &attribute.terms().pairs) {
        (Answering::Pair(pair), Some(terms)) => Some(pair.statement(terms)),
        _ => None,
    }
}

#[cfg(not(feature = "pairs"))]
fn pair_statement(_: &Attribute) -> Option<PairStatement> {
    None
}

#[cfg(not(feature = "pairs"))]
fn pair_text(_: &str, pair: &PairStatement) -> String {
    match *pair {}
}

#[cfg(feature = "pairs")]
fn pair_text(question: &str, pair: &PairStatement) -> String {
    let mut text = format!(
        "\"{question}\" Your answer is randomised on your device, together with that of a partner whom neither of you nor the \
         collector knows. On average over all pairings one report changes what can be believed about your answer, in odds, by at \
         most a factor of e^{}; if your partner works with the collector, by at most e^{}, and that is what it is charged with. The \
         helpers at {} see that you take part and carry sealed messages between you and your partner; the collector sees the \
         reports alone.",
        pair.average_epsilon, pair.exposed_epsilon, pair.relay
    );
    for (title, lines) in [("Promised", &pair.promised), ("Not promised", &pair.not_promised)] {
        for line in lines {
            let _ = write!(text, " {title}: {line}");
        }
    }
    text
}

/// Only what the kind of the guarantee allows to say: the approximate one bounds probabilities of sets, not the odds of each report.
fn promise_text(guarantee: &GuaranteeStatement) -> String {
    let GuaranteeStatement { kind, epsilon, delta } = guarantee;
    if *kind == "approximate" {
        return format!(
            "Any set of reports is at most e^{epsilon} times as likely from your answer as from any other, plus {delta}."
        );
    }
    let except = if *delta > 0.0 { format!(", except with probability {delta}") } else { String::new() };
    format!(
        "Any one report changes what can be believed about your answer, in odds, by at most a factor of e^{epsilon}{except}."
    )
}

fn attribute_text(attribute: &AttributeStatement) -> String {
    if let Some(pair) = &attribute.pairs {
        return pair_text(&attribute.question, pair);
    }
    let mut text = format!(
        "\"{}\" Your answer is randomised on your device by {} before anything is sent. {}",
        attribute.question,
        attribute.mechanism,
        promise_text(&attribute.guarantee)
    );
    if let Some(radius) = attribute.radius {
        let _ = write!(text, " Your answer is a vector: it is first shortened to a set of size {radius}.");
    }
    if let Some(places) = attribute.places {
        let _ = write!(
            text,
            " Your answer is a path. Each of its places is randomised by itself with an equal part of that, and every report has \
             {places} places: if you have fewer, the last one is reported again. So neither how many there are nor when you \
             were there is told; their order is."
        );
    }
    if let Some(permanent) = &attribute.permanent {
        let _ = write!(
            text,
            " The same answer is randomised once and for ever, and each report adds fresh noise to that: as long as your \
             answer stays the same, all reports together change the odds by at most e^{}. Each further answer that you ever \
             hold costs as much again (there are {} possible ones). That your answer changed, and when, is not hidden. If the \
             storage of your device is cleared, the randomised answer is drawn again and costs as much again.",
            permanent.guarantee.epsilon, permanent.values
        );
    }
    text
}

fn cost_text(statement: &Statement, answers: Repetition) -> String {
    let PeriodStatement { period, reports, cost, budget } = &statement.per_period;
    let often = match answers {
        Repetition::Once => "You answer once".to_owned(),
        Repetition::EveryEpoch => format!("You answer once in each {} at most", statement.epoch),
    };
    let about = if statement.linkable_by_content {
        " (about which answers you held, not about when they changed)"
    } else {
        ""
    };
    format!(
        "{often}. One report costs epsilon {}; the {reports} possible in one {period} cost {} together (the policy allows {}); \
         all {} of this collection cost at most {}{about}. Your device keeps its own record and refuses to go beyond. If the record \
         is deleted, the device no longer knows what was spent.",
        statement.per_report.epsilon,
        cost.epsilon,
        budget.epsilon,
        statement.reports,
        statement.total_epsilon
    )
}

fn sees_text(statement: &Statement) -> Vec<String> {
    let fields = if statement.public_fields.is_empty() {
        String::new()
    } else {
        format!(" It also sees, as they are: {}.", statement.public_fields.join(", "))
    };
    let linkable = if statement.linkable_by_content {
        "Your reports of many days look alike, because they are noise around one answer: who sees enough of them can tell that \
         they are of one person."
    } else {
        "Reports hold nothing that links two of yours to each other beyond what your answers say."
    };
    let kept = statement.retention_days.map_or_else(
        || "The policy does not say when reports are deleted.".to_owned(),
        |days| format!("Reports are deleted after {days} days."),
    );
    vec![
        format!(
            "The collector sees the randomised report ({} bytes, the same for all answers), a random number that is the \
             report's name, and the {} that it stands for.{fields} Whoever carries the report may see your network address and \
             the time.",
            statement.report_bytes, statement.epoch
        ),
        linkable.to_owned(),
        format!("Nothing is shown before {} reports have arrived. {kept}", statement.minimum_reports),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_guarantee_is_promised_as_what_it_is() {
        let text = |kind, delta| promise_text(&GuaranteeStatement { kind, epsilon: 1.0, delta });
        assert!(text("pure", 0.0).ends_with("in odds, by at most a factor of e^1."));
        assert!(text("probabilistic", 0.1).ends_with("a factor of e^1, except with probability 0.1."));
        let approximate = text("approximate", 0.1);
        assert!(approximate.ends_with("from any other, plus 0.1.") && !approximate.contains("except"));
    }
}
