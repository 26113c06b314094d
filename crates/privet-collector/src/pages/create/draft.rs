//! The fields of the form, and the policy that they make.

use crate::pages::words::Fields;
use privet_policy::Date;

/// The fields as they were typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) purpose: String,
    pub(super) origin: String,
    pub(super) opens: String,
    pub(super) closes: String,
    pub(super) epoch: String,
    pub(super) answers: String,
    pub(super) minimum: String,
    pub(super) retention: String,
    pub(super) epsilon: String,
    pub(super) period: String,
    pub(super) tokens: bool,
    /// How many people are expected: only for the expected errors.
    pub(super) people: String,
    pub(super) questions: Vec<Question>,
}

/// One question as it was typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    pub(super) question: String,
    pub(super) kind: String,
    /// The choices, or the ends.
    pub(super) values: String,
    pub(super) name: String,
    pub(super) goal: String,
    pub(super) mechanism: String,
    pub(super) bins: String,
}

/// A kind of question: its name in forms, what people read, the kind of domain, and its usual goal.
pub(super) struct Kind {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    domain: &'static str,
    goal: &'static str,
    /// What the field for values holds, for example.
    pub(super) values: &'static str,
}

pub(super) const KINDS: [Kind; 5] = [
    Kind { id: "yes-no", title: "Yes or no", domain: "categories:yes,no", goal: "frequency", values: "" },
    Kind {
        id: "choice",
        title: "Choices",
        domain: "categories:",
        goal: "frequency",
        values: "walk, bicycle, bus",
    },
    Kind { id: "number", title: "Number", domain: "interval:", goal: "distribution", values: "0, 120" },
    Kind {
        id: "angle",
        title: "Angle or time of day",
        domain: "circle:",
        goal: "distribution",
        values: "360, or 24",
    },
    Kind {
        id: "place",
        title: "Place",
        domain: "rectangle:",
        goal: "distribution",
        values: "west, east, south, north",
    },
];

impl Question {
    fn read(fields: &Fields, index: usize) -> Self {
        let get = |name: &str| fields.get(&format!("q{index}-{name}")).unwrap_or_default().trim().to_owned();
        Self {
            question: get("question"),
            kind: get("kind"),
            values: get("values"),
            name: get("name"),
            goal: get("goal"),
            mechanism: get("mechanism"),
            bins: get("bins"),
        }
    }

    fn kind(&self) -> &'static Kind {
        KINDS.iter().find(|kind| kind.id == self.kind).unwrap_or(&KINDS[0])
    }

    fn domain(&self) -> String {
        let kind = self.kind();
        if kind.id == "yes-no" {
            return kind.domain.to_owned();
        }
        let parts = self.values.split([',', '\n', ';']).map(str::trim).filter(|part| !part.is_empty());
        format!("{}{}", kind.domain, parts.collect::<Vec<_>>().join(","))
    }

    /// A name that tables can have: the one that was typed, or one from the question's letters.
    fn name(&self, index: usize) -> String {
        if !self.name.is_empty() {
            return self.name.clone();
        }
        let words = self.question.split(|letter: char| !letter.is_ascii_alphanumeric());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
        let start = words.len().saturating_sub(NAME_WORDS);
        let name = words[start..].join("-");
        if name.is_empty() || name.len() > 60 { format!("question-{}", index + 1) } else { name }
    }
}

/// The last words of a question say most: "minutes does it take".
const NAME_WORDS: usize = 3;

/// Beyond this a form is no way to write a policy.
pub(super) const MOST_QUESTIONS: usize = 32;

impl Draft {
    pub(super) fn read(fields: &Fields) -> Self {
        let get = |name: &str| fields.get(name).unwrap_or_default().trim().to_owned();
        let count = fields.get("questions").and_then(|count| count.parse::<usize>().ok()).unwrap_or(1);
        Self {
            name: get("name"),
            purpose: get("purpose"),
            origin: get("origin"),
            opens: get("opens"),
            closes: get("closes"),
            epoch: get("epoch"),
            answers: get("answers"),
            minimum: get("minimum"),
            retention: get("retention"),
            epsilon: get("epsilon"),
            period: get("period"),
            tokens: fields.get("tokens").is_some(),
            people: get("people"),
            questions: (0..count.clamp(1, MOST_QUESTIONS))
                .map(|index| Question::read(fields, index))
                .collect(),
        }
    }

    /// A form with dates, and nothing that is about privacy: that is for people to decide.
    pub(super) fn empty(today: u32) -> Self {
        let day = |later: u32| {
            Date::from_days_since_1970(today + later).map_or_else(String::new, |day| day.to_string())
        };
        Self {
            opens: day(0),
            closes: day(30),
            epoch: "day".to_owned(),
            answers: "once".to_owned(),
            minimum: "100".to_owned(),
            period: "collection".to_owned(),
            questions: vec![Question { kind: "yes-no".to_owned(), ..Question::default() }],
            ..Self::default()
        }
    }

    /// A policy to begin with.
    pub(super) fn example(today: u32) -> Self {
        let texts = |question: &str, kind: &str, values: &str, name: &str| Question {
            question: question.to_owned(),
            kind: kind.to_owned(),
            values: values.to_owned(),
            name: name.to_owned(),
            ..Question::default()
        };
        Self {
            name: "How we travel".to_owned(),
            purpose: "Plan bicycle lanes".to_owned(),
            origin: "city.example".to_owned(),
            epsilon: "2".to_owned(),
            questions: vec![
                texts("How do you get to work?", "choice", "walk, bicycle, bus, car", "commute"),
                texts("How many minutes does it take?", "number", "0, 120", "minutes"),
            ],
            ..Self::empty(today)
        }
    }

    /// Adds a question, or removes the one that a button belongs to.
    pub(super) fn change(&mut self, wish: &str) {
        if let Some(index) = wish.strip_prefix("remove-").and_then(|index| index.parse::<usize>().ok()) {
            if self.questions.len() > 1 && index < self.questions.len() {
                self.questions.remove(index);
            }
        } else if wish == "add" && self.questions.len() < MOST_QUESTIONS {
            self.questions.push(Question { kind: "yes-no".to_owned(), ..Question::default() });
        }
    }

    /// The policy in TOML.
    pub(super) fn written(&self) -> Written {
        let mut written = Written::default();
        written.text("name", &self.name, "name");
        written.text("purpose", &self.purpose, "purpose");
        written.text("origin", &self.origin, "origin");
        written.text("opens", &self.opens, "opens");
        written.text("closes", &self.closes, "closes");
        written.text("epoch", &self.epoch, "epoch");
        written.text("answers", &self.answers, "answers");
        written.number("minimum_reports", &self.minimum, "minimum");
        written.optional_number("retention_days", &self.retention, "retention");
        written.line("", None);
        written.line("[budget]", Some("epsilon"));
        written.number("epsilon", &self.epsilon, "epsilon");
        written.text("period", &self.period, "period");
        for (index, question) in self.questions.iter().enumerate() {
            question.write(index, &mut written);
        }
        written
    }
}

impl Question {
    fn write(&self, index: usize, written: &mut Written) {
        let field = |name: &str| format!("q{index}-{name}");
        let goal = if self.goal.is_empty() { self.kind().goal } else { &self.goal };
        written.line("", None);
        written.line("[[attribute]]", Some(&field("question")));
        written.text("name", &self.name(index), &field("name"));
        written.text("question", &self.question, &field("question"));
        written.text("domain", &self.domain(), &field("values"));
        written.text("goal", goal, &field("goal"));
        if !self.mechanism.is_empty() {
            written.text("mechanism", &self.mechanism, &field("mechanism"));
        }
        let bins = if self.kind == "place" && self.bins.is_empty() { PLACE_BINS } else { &self.bins };
        written.optional_number("bins", bins, &field("bins"));
    }
}

/// Cells along each side of a place, unless somebody says otherwise.
const PLACE_BINS: &str = "16";

/// The text of a policy, and the field that each of its lines came from.
#[derive(Debug, Clone, Default)]
pub(super) struct Written {
    pub(super) text: String,
    fields: Vec<Option<String>>,
}

impl Written {
    /// A text that came from no fields.
    pub(super) fn as_it_is(text: &str) -> Self {
        // Browsers end lines with two characters.
        Self { text: text.replace("\r\n", "\n"), fields: Vec::new() }
    }

    /// The field of a line, counted from 1.
    pub(super) fn field(&self, line: usize) -> Option<&str> {
        self.fields.get(line.checked_sub(1)?)?.as_deref()
    }

    fn line(&mut self, line: &str, field: Option<&str>) {
        self.text.push_str(line);
        self.text.push('\n');
        self.fields.push(field.map(str::to_owned));
    }

    fn text(&mut self, key: &str, value: &str, field: &str) {
        self.line(&format!("{key} = {}", quoted(value)), Some(field));
    }

    /// What is no number is written as a text, for the reader of the policy to complain about.
    fn number(&mut self, key: &str, value: &str, field: &str) {
        let is_number = value.parse::<f64>().is_ok_and(f64::is_finite) && !value.starts_with(['+', '.']);
        let value = if is_number { plain(value) } else { quoted(value) };
        self.line(&format!("{key} = {value}"), Some(field));
    }

    fn optional_number(&mut self, key: &str, value: &str, field: &str) {
        if !value.is_empty() {
            self.number(key, value, field);
        }
    }
}

/// A number as TOML has it: without zeros in front and points at the end.
fn plain(value: &str) -> String {
    value.parse::<f64>().map_or_else(|_| value.to_owned(), |number| number.to_string())
}

/// A text in TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            letter if letter.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_policy::Policy;

    fn filled() -> Draft {
        Draft::example(20_000)
    }

    #[test]
    fn a_form_makes_a_policy_of_every_kind() {
        let mut draft = filled();
        draft.questions.extend(KINDS.iter().map(|kind| {
            Question {
                question: format!("What about {}?", kind.id),
                kind: kind.id.to_owned(),
                values: match kind.id {
                    "angle" => "24",
                    "place" => "13.1, 13.7, 52.3, 52.7",
                    _ => kind.values,
                }
                .to_owned(),
                ..Question::default()
            }
        }));
        let policy = Policy::from_toml(&draft.written().text).unwrap();
        assert!(policy.resolve(&mut |_| Err("no files".to_owned())).is_ok());
    }

    #[test]
    fn mistakes_lead_to_their_fields() {
        let wrong = |change: fn(&mut Draft)| {
            let mut draft = filled();
            change(&mut draft);
            let written = draft.written();
            let read = Policy::from_toml(&written.text);
            let error = read.and_then(|policy| policy.resolve(&mut |_| Err(String::new()))).unwrap_err();
            written.field(error.place.unwrap().line).map(str::to_owned)
        };
        assert_eq!(wrong(|draft| draft.epsilon.clear()).as_deref(), Some("epsilon"));
        assert_eq!(wrong(|draft| draft.epsilon = "much".to_owned()).as_deref(), Some("epsilon"));
        assert_eq!(wrong(|draft| draft.minimum = "0".to_owned()).as_deref(), Some("minimum"));
        assert_eq!(wrong(|draft| draft.name.clear()).as_deref(), Some("name"));
        assert_eq!(wrong(|draft| draft.closes = "1999-01-01".to_owned()).as_deref(), Some("closes"));
        assert_eq!(wrong(|draft| draft.questions[1].values = "5".to_owned()).as_deref(), Some("q1-values"));
        assert_eq!(
            wrong(|draft| draft.questions[0].mechanism = "magic".to_owned()).as_deref(),
            Some("q0-mechanism")
        );
    }

    #[test]
    fn no_text_leaves_its_quotes() {
        let mut draft = filled();
        draft.name = "a\" \n[budget]\\".to_owned();
        draft.epsilon = "1\nperiod=2".to_owned();
        let text = draft.written().text;
        assert_eq!(text.lines().filter(|line| line.starts_with("[budget]")).count(), 1, "{text}");
        assert!(text.contains("\"1\\u000Aperiod=2\""), "{text}");
    }

    #[test]
    fn questions_come_and_go() {
        let mut draft = filled();
        draft.change("add");
        assert_eq!(draft.questions.len(), 3);
        for wish in ["remove-0", "remove-9", "remove-x", "something", "remove-0", "remove-0"] {
            draft.change(wish);
        }
        assert_eq!(draft.questions.len(), 1);
        (0..99).for_each(|_| draft.change("add"));
        assert_eq!(draft.questions.len(), MOST_QUESTIONS);
    }
}
