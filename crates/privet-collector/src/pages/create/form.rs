//! The form, and what comes out of it.

use super::advice::{Advice, QuestionAdvice, error_text};
use super::draft::{Draft, KINDS, MOST_QUESTIONS, Question};
use super::{Mistake, Source};
use crate::pages::error::sentence;
use crate::pages::words::{count, number};
use maud::{Markup, html};
use privet_policy::advisor::Goal;
use privet_policy::registry;
use privet_policy::{Epoch, Period, Repetition};

pub(super) fn body(key: &str, source: &Source, result: Option<Result<&Advice, &Mistake>>) -> Markup {
    let is_form = matches!(source, Source::Form(_));
    let wrong = result.and_then(Result::err).and_then(|mistake| mistake.field.as_deref());
    html! {
        h1 { "New collection" }
        p.lead { "What is asked, how it is protected, and what a person gives away at most: a policy, which people’s devices check before \
                  they answer." }
        p {
            @if is_form { "You can also " a href="/new?from=text" { "write the policy as text" } "." }
            @else { "You can also " a href="/new" { "fill in a form" } "." }
        }
        div.beside {
            form method="post" action="/new" #draft novalidate {
                input type="hidden" name="key" value=(key);
                // The first button is the one that the Enter key presses.
                button type="submit" name="do" value="look" hidden { "Look at it" }
                @match source {
                    Source::Form(draft) => (fields(draft, wrong)),
                    Source::Text { policy, tokens, people } => (text_fields(policy, *tokens, people, result)),
                }
                div.buttons {
                    button.button type="submit" name="do" value="create" { "Create the collection" }
                    button.button.plain type="submit" name="do" value="look" { "Look at it first" }
                }
            }
            aside #outcome aria-live="polite" aria-label="What the policy means" {
                @match result {
                    Some(result) => (outcome(source, result)),
                    None => div.panel {
                        h2 { "What it will mean" }
                        p { "Fill in the form: which mechanism fits, how wrong the estimates will be, and what a person gives away, is worked \
                             out here." }
                    },
                }
            }
        }
    }
}

/// One labelled field.
struct Field {
    id: String,
    label: &'static str,
    value: String,
    hint: String,
    kind: &'static str,
    is_wide: bool,
    is_needed: bool,
}

impl Field {
    /// A text that is needed.
    fn new(id: impl Into<String>, label: &'static str, value: &str) -> Self {
        let (id, value) = (id.into(), value.to_owned());
        Self { id, label, value, hint: String::new(), kind: "text", is_wide: false, is_needed: true }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    fn number(mut self) -> Self {
        self.kind = "number";
        self
    }

    fn date(mut self) -> Self {
        self.kind = "date";
        self
    }

    fn wide(mut self) -> Self {
        self.is_wide = true;
        self
    }

    fn optional(mut self) -> Self {
        self.is_needed = false;
        self
    }

    fn draw(&self, wrong: Option<&str>) -> Markup {
        let hint_id = format!("{}-hint", self.id);
        let is_number = self.kind == "number";
        html! {
            div.wide[self.is_wide] {
                label for=(self.id) { (self.label) }
                input id=(self.id) name=(self.id) type=(self.kind) value=(self.value) required[self.is_needed]
                    inputmode=[is_number.then_some("decimal")]
                    step=[is_number.then_some("any")]
                    aria-invalid=[(wrong == Some(&*self.id)).then_some("true")]
                    aria-describedby=[(!self.hint.is_empty()).then_some(&hint_id)];
                @if !self.hint.is_empty() { p.hint id=(hint_id) { (self.hint) } }
            }
        }
    }
}

fn select(id: &str, label: &str, chosen: &str, choices: &[(&str, &str)]) -> Markup {
    html! {
        div {
            label for=(id) { (label) }
            select id=(id) name=(id) {
                @for (value, title) in choices { option value=(value) selected[*value == chosen] { (title) } }
            }
        }
    }
}

fn fields(draft: &Draft, wrong: Option<&str>) -> Markup {
    html! {
        fieldset.panel {
            legend { "What it is about" }
            div.fields {
                (Field::new("name", "Name", &draft.name).wide().draw(wrong))
                (Field::new("purpose", "Purpose", &draft.purpose).wide()
                    .hint("What the answers are for: people read this first.").draw(wrong))
                (Field::new("origin", "Who asks", &draft.origin)
                    .hint("A name without spaces, such as city.example. Budgets are kept for each.").draw(wrong))
                (Field::new("minimum", "Reports before anything is shown", &draft.minimum).number().draw(wrong))
                (Field::new("opens", "First day", &draft.opens).date().draw(wrong))
                (Field::new("closes", "Last day", &draft.closes).date().draw(wrong))
            }
        }
        @for (index, question) in draft.questions.iter().enumerate() {
            (question_fields(index, question, draft.questions.len() > 1, wrong))
        }
        @if draft.questions.len() < MOST_QUESTIONS {
            p { button.button.plain type="submit" name="do" value="add" { "Add a question" } }
        }
        input type="hidden" name="questions" value=(draft.questions.len());
        (privacy_fields(draft, wrong))
    }
}

const EPSILON_HINT: &str = "What a person gives away at most, in all questions together: odds change by a factor of e to the epsilon. \
                            At 1 a report is private, at 4 it says much.";

fn privacy_fields(draft: &Draft, wrong: Option<&str>) -> Markup {
    let epochs = Epoch::ALL.map(|epoch| (epoch.as_str(), epoch.as_str()));
    let often = Repetition::ALL.map(|repetition| match repetition {
        Repetition::Once => (repetition.as_str(), "once"),
        Repetition::EveryEpoch => (repetition.as_str(), "again and again"),
    });
    let periods = Period::ALL.map(|period| {
        let words = if period == Period::Collection { "the whole collection" } else { period.as_str() };
        (period.as_str(), words)
    });
    html! {
        fieldset.panel {
            legend { "How it is protected" }
            div.fields {
                (Field::new("epsilon", "Epsilon", &draft.epsilon).number().hint(EPSILON_HINT).draw(wrong))
                (select("period", "Counted over", &draft.period, &periods))
                (select("answers", "People answer", &draft.answers, &often))
                (select("epoch", "A report stands for a", &draft.epoch, &epochs))
                (Field::new("retention", "Days until reports are deleted", &draft.retention).number().optional()
                    .hint("Left empty, the policy does not say when.").draw(wrong))
                (people_field(&draft.people))
            }
            (tokens_field(draft.tokens))
        }
    }
}

fn people_field(people: &str) -> Markup {
    let field = Field::new("people", "How many people will answer?", people).number().optional();
    field.hint("Only for the expected errors on this page.").draw(None)
}

fn tokens_field(tokens: bool) -> Markup {
    html! {
        p {
            label.check {
                input type="checkbox" name="tokens" value="yes" checked[tokens];
                "Each report needs a one-time token, so that nobody is counted twice"
            }
        }
    }
}

fn question_fields(index: usize, question: &Question, may_go: bool, wrong: Option<&str>) -> Markup {
    let id = |name: &str| format!("q{index}-{name}");
    let kinds: Vec<(&str, &str)> = KINDS.iter().map(|kind| (kind.id, kind.title)).collect();
    let goals = Goal::ALL.map(|goal| (goal.as_str(), goal.as_str()));
    let goals: Vec<(&str, &str)> = [("", "what fits")].into_iter().chain(goals).collect();
    let mechanisms = registry::ready_mechanisms().iter().map(|row| (row.info.id, row.info.title));
    let mechanisms: Vec<(&str, &str)> = [("", "the best one")].into_iter().chain(mechanisms).collect();
    let further = ["name", "goal", "mechanism", "bins"].map(id);
    let is_open = wrong.is_some_and(|wrong| further.iter().any(|one| one == wrong));
    html! {
        fieldset.panel {
            legend { "Question " (index + 1) }
            div.fields {
                (Field::new(id("question"), "Question", &question.question).wide().draw(wrong))
                (select(&id("kind"), "Kind of answer", &question.kind, &kinds))
                (Field::new(id("values"), "Choices or ends", &question.values).optional().hint(values_hint()).draw(wrong))
            }
            details open[is_open] {
                summary { "More about this question" }
                div.fields {
                    (Field::new(id("name"), "Name in tables", &question.name).optional().hint("a-z, 0-9, - and _").draw(wrong))
                    (select(&id("goal"), "What is to be learned", &question.goal, &goals))
                    (select(&id("mechanism"), "Mechanism", &question.mechanism, &mechanisms))
                    (Field::new(id("bins"), "Cells", &question.bins).number().optional()
                        .hint("Along each side of a place: 16 unless you say otherwise.").draw(wrong))
                }
            }
            @if may_go {
                button.link type="submit" name="do" value=(format!("remove-{index}")) { "Remove question " (index + 1) }
            }
        }
    }
}

/// What belongs into the field for values, of every kind: without scripts the hint cannot follow the choice.
fn values_hint() -> String {
    let some = KINDS.iter().filter(|kind| !kind.values.is_empty());
    some.map(|kind| format!("{}: {}.", kind.title, kind.values)).collect::<Vec<_>>().join(" ")
}

fn text_fields(
    policy: &str,
    tokens: bool,
    people: &str,
    result: Option<Result<&Advice, &Mistake>>,
) -> Markup {
    let is_wrong = matches!(result, Some(Err(_)));
    html! {
        div.panel {
            label for="policy" { "Policy, in TOML or JSON" }
            textarea.code #policy name="policy" rows="24" spellcheck="false" required aria-invalid=[is_wrong.then_some("true")] { (policy) }
            (people_field(people))
            (tokens_field(tokens))
        }
    }
}

/// What the policy means, or what is wrong with it.
pub(super) fn outcome(source: &Source, result: Result<&Advice, &Mistake>) -> Markup {
    match result {
        Ok(advice) => advised(advice),
        Err(mistake) => mistaken(source, mistake),
    }
}

fn mistaken(source: &Source, mistake: &Mistake) -> Markup {
    let told = mistake.problem.told();
    html! {
        div.notice.error role="alert" {
            p { strong { "Not yet a policy. " } (sentence(&told.detail)) }
            @if let Some(hint) = &told.hint { p { (sentence(hint)) } }
            @match &mistake.field {
                Some(field) => p { a href=(format!("#{field}")) { "Go to the field" } },
                None => @if let (Some(line), Some(column)) = (told.line, told.column) { p { "Line " (line) ", column " (column) "." } },
            }
        }
        @if let (Source::Text { .. }, Some(line)) = (source, told.line) { (excerpt(&source.written().text, line as usize)) }
    }
}

/// The line of a mistake, with some lines around it.
fn excerpt(text: &str, line: usize) -> Markup {
    let first = line.saturating_sub(4);
    html! {
        pre tabindex="0" aria-label="Around the mistake" {
            @for (index, content) in text.lines().enumerate().skip(first).take(7) {
                @let row = format!("{:>3}  {content}\n", index + 1);
                @if index + 1 == line { mark.wrong { (row) } } @else { (row) }
            }
        }
    }
}

fn advised(advice: &Advice) -> Markup {
    html! {
        div.panel {
            h2 { "What it means" }
            p { "A person gives away at most ε = " strong { (number(advice.total_epsilon)) } " in the whole collection." }
            p.facts { "Expected errors if " (count(advice.people)) " people report. " (sentence(&advice.contribution)) }
            @for question in &advice.questions { (advised_question(question)) }
            details {
                summary { "The privacy statement" }
                pre.words tabindex="0" { (advice.statement) }
            }
            details {
                summary { "The resolved policy" }
                p.facts { "Its hash is the collection’s id: " code { (advice.id) } }
                pre.words tabindex="0" { code { (advice.policy) } }
            }
        }
    }
}

fn advised_question(advice: &QuestionAdvice) -> Markup {
    html! {
        h3 { (advice.question) }
        p {
            (mechanism_title(&advice.mechanism)) ", ε = " (number(advice.epsilon))
            @if let Ok((error, criterion)) = &advice.expected {
                br; span.big { (error_text(*error, criterion)) } br; span.facts { (sentence(criterion)) }
            }
            @if let Err(why) = &advice.expected { br; span.facts { (sentence(why)) } }
        }
        @if let (Some((better, error)), Ok((_, criterion))) = (&advice.better, &advice.expected) {
            p.notice { (mechanism_title(better)) " would be better: " (error_text(*error, criterion)) "." }
        }
        @if !advice.alternatives.is_empty() {
            details {
                summary { "Other mechanisms" }
                ul {
                    @for (id, _, why) in &advice.alternatives { li { (mechanism_title(id)) ": " (why) } }
                }
            }
        }
    }
}

fn mechanism_title(id: &str) -> &str {
    registry::find_mechanism(id).map_or(id, |row| row.info.title)
}
