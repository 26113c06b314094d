//! TOML and JSON as one tree in which everything knows its place.

use crate::error::{Place, PolicyError, PolicyProblem};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and where it begins.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    /// Any number; whole ones up to 2^53 are exact.
    Number(f64),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// What no policy needs: switches, nothing at all.
    Other,
}

/// A key with its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) node: Node,
}

/// Longer texts are no policies.
pub(crate) const MOST_BYTES: usize = 1 << 18;

/// Policies have tables in lists in a table; deeper ones are refused before they use up the stack.
const MOST_DEPTH: usize = 8;

fn check_length(text: &str) -> Result<(), PolicyError> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let what = "a policy".to_owned();
    Err(PolicyProblem::TooLong { what, most: MOST_BYTES, unit: "bytes", got: text.len() }.into())
}

pub(crate) fn of_toml(text: &str) -> Result<Node, PolicyError> {
    check_length(text)?;
    let table = DeTable::parse(text).map_err(|error| {
        let place = Place::of_offset(text, error.span().map_or(0, |span| span.start));
        let reason = error.message().replace('\n', ", ");
        PolicyProblem::Syntax { format: "TOML", reason }.at(place)
    })?;
    let place = Place { line: 1, column: 1 };
    Ok(Node { place, value: toml_table(text, table.get_ref()) })
}

fn toml_table(text: &str, table: &DeTable<'_>) -> Value {
    let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| Entry {
        key: key.get_ref().to_string(),
        place: Place::of_offset(text, key.span().start),
        node: toml_node(text, value),
    };
    Value::Table(table.iter().map(entry).collect())
}

fn toml_node(text: &str, value: &Spanned<DeValue<'_>>) -> Node {
    let digits = |digits: &str| digits.replace('_', "").parse().map_or(Value::Other, Value::Number);
    let node = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => digits(number.as_str()),
        DeValue::Float(number) => digits(number.as_str()),
        DeValue::Datetime(time) => Value::Text(time.to_string()),
        DeValue::Array(list) => Value::List(list.iter().map(|value| toml_node(text, value)).collect()),
        DeValue::Table(table) => toml_table(text, table),
        DeValue::Integer(_) | DeValue::Boolean(_) => Value::Other,
    };
    Node { place: Place::of_offset(text, value.span().start), value: node }
}

pub(crate) fn of_json(text: &str) -> Result<Node, PolicyError> {
    check_length(text)?;
    let whole: &RawValue = serde_json::from_str(text).map_err(|error| {
        let place = Place { line: error.line().max(1), column: error.column().max(1) };
        PolicyProblem::Syntax { format: "JSON", reason: reason_of(&error) }.at(place)
    })?;
    JsonReader { text }.node(whole, MOST_DEPTH)
}

/// What the reader says without the place, which is said elsewhere.
pub(crate) fn reason_of(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.rfind(" at line ").map_or(message.clone(), |end| message[..end].to_owned())
}

struct JsonReader<'a> {
    text: &'a str,
}

impl JsonReader<'_> {
    /// Raw values are parts of the text, so where they begin is where they lie in it.
    fn place(&self, raw: &RawValue) -> Place {
        let offset = (raw.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        Place::of_offset(self.text, offset)
    }

    fn node(&self, raw: &RawValue, depth: usize) -> Result<Node, PolicyError> {
        let place = self.place(raw);
        let wrong = |reason: String| PolicyProblem::Syntax { format: "JSON", reason }.at(place);
        let Some(depth) = depth.checked_sub(1) else {
            return Err(wrong(format!("nothing in a policy is nested deeper than {MOST_DEPTH}")));
        };
        let json = raw.get();
        let failed = |error: serde_json::Error| wrong(reason_of(&error));
        let value = match json.as_bytes().first() {
            Some(b'{') => {
                let pairs: Pairs<'_> = serde_json::from_str(json).map_err(failed)?;
                let entry = |(key, raw): (String, &RawValue)| {
                    Ok(Entry { key, place: self.place(raw), node: self.node(raw, depth)? })
                };
                Value::Table(pairs.0.into_iter().map(entry).collect::<Result<_, PolicyError>>()?)
            }
            Some(b'[') => {
                let list: Vec<&RawValue> = serde_json::from_str(json).map_err(failed)?;
                Value::List(list.into_iter().map(|raw| self.node(raw, depth)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Value::Text(serde_json::from_str(json).map_err(failed)?),
            Some(b't' | b'f' | b'n') => Value::Other,
            _ => Value::Number(serde_json::from_str(json).map_err(failed)?),
        };
        Ok(Node { place, value })
    }
}

/// The pairs of an object in the order of the text, also if a key is there twice.
struct Pairs<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> serde::Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairVisitor;
        impl<'de> Visitor<'de> for PairVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs)
            }
        }
        deserializer.deserialize_map(PairVisitor).map(Pairs)
    }
}

/// The keys of one table, which are taken one by one.
#[derive(Debug)]
pub(crate) struct Keys<'a> {
    of: &'static str,
    pub(crate) place: Place,
    entries: &'a [Entry],
}

impl<'a> Keys<'a> {
    /// The keys of a table, of which only these are allowed, each of them once.
    pub(crate) fn new(
        of: &'static str,
        node: &'a Node,
        allowed: &'static [&'static str],
    ) -> Result<Self, PolicyError> {
        let Value::Table(entries) = &node.value else {
            return Err(PolicyProblem::Kind { key: of, expected: "a table" }.at(node.place));
        };
        for (index, entry) in entries.iter().enumerate() {
            if !allowed.contains(&entry.key.as_str()) {
                let nearest = crate::registry::nearest_of(allowed.iter().copied(), &entry.key);
                let key = shortened(&entry.key);
                return Err(PolicyProblem::UnknownKey { of, key, allowed, nearest }.at(entry.place));
            }
            if entries[..index].iter().any(|other| other.key == entry.key) {
                return Err(PolicyProblem::Twice { what: "the key", name: entry.key.clone() }.at(entry.place));
            }
        }
        Ok(Self { of, place: node.place, entries })
    }

    pub(crate) fn get(&self, key: &'static str) -> Option<&'a Node> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    pub(crate) fn need(&self, key: &'static str) -> Result<&'a Node, PolicyError> {
        self.get(key).ok_or_else(|| PolicyProblem::MissingKey { of: self.of, key }.at(self.place))
    }

    /// A text of at most `most` bytes that is not empty and has no control characters.
    pub(crate) fn text(&self, key: &'static str, most: usize) -> Result<&'a str, PolicyError> {
        text_of(key, self.need(key)?, most)
    }

    /// A number, if there is one.
    pub(crate) fn number(&self, key: &'static str) -> Result<Option<(f64, Place)>, PolicyError> {
        let Some(node) = self.get(key) else { return Ok(None) };
        match node.value {
            Value::Number(number) => Ok(Some((number, node.place))),
            _ => Err(PolicyProblem::Kind { key, expected: "a number" }.at(node.place)),
        }
    }

    /// A whole number in a range, if there is one.
    pub(crate) fn whole(
        &self,
        key: &'static str,
        range: std::ops::RangeInclusive<u32>,
        allowed: &'static str,
    ) -> Result<Option<u32>, PolicyError> {
        let Some((number, place)) = self.number(key)? else { return Ok(None) };
        let is_inside =
            number.fract() == 0.0 && number >= f64::from(*range.start()) && number <= f64::from(*range.end());
        if is_inside {
            Ok(Some(number as u32))
        } else {
            Err(PolicyProblem::Value { key, allowed, got: number.to_string() }.at(place))
        }
    }

    /// One of several things by its word, if there is one.
    pub(crate) fn word<T: Copy>(
        &self,
        key: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<Option<T>, PolicyError> {
        let Some(node) = self.get(key) else { return Ok(None) };
        let got = text_of(key, node, 64)?;
        let found = all.iter().copied().find(|one| name(*one) == got);
        found.map(Some).ok_or_else(|| {
            let allowed = all.iter().map(|one| name(*one)).collect();
            PolicyProblem::Word { key, allowed, got: got.to_owned() }.at(node.place)
        })
    }

    /// As [`Keys::word`], for a key that is needed.
    pub(crate) fn needed_word<T: Copy>(
        &self,
        key: &'static str,
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, PolicyError> {
        self.need(key)?;
        self.word(key, all, name)?
            .ok_or_else(|| PolicyProblem::MissingKey { of: self.of, key }.at(self.place))
    }

    /// The tables of a list; none if the key is missing.
    pub(crate) fn tables(&self, key: &'static str, most: usize) -> Result<&'a [Node], PolicyError> {
        let Some(node) = self.get(key) else { return Ok(&[]) };
        let Value::List(list) = &node.value else {
            return Err(PolicyProblem::Kind { key, expected: "a list of tables" }.at(node.place));
        };
        check_count(key, list.len(), most, node.place)?;
        Ok(list)
    }
}

/// Refuses a list that is too long.
pub(crate) fn check_count(key: &str, got: usize, most: usize, place: Place) -> Result<(), PolicyError> {
    if got <= most {
        return Ok(());
    }
    Err(PolicyProblem::TooLong { what: key.to_owned(), most, unit: "entries", got }.at(place))
}

/// A text that is not empty, not too long and can be shown.
pub(crate) fn text_of<'a>(key: &'static str, node: &'a Node, most: usize) -> Result<&'a str, PolicyError> {
    let Value::Text(text) = &node.value else {
        return Err(PolicyProblem::Kind { key, expected: "a text" }.at(node.place));
    };
    if text.len() > most {
        let what = key.to_owned();
        return Err(PolicyProblem::TooLong { what, most, unit: "bytes", got: text.len() }.at(node.place));
    }
    if !is_readable(text) {
        let allowed = "a text with at least one letter and without control characters";
        return Err(PolicyProblem::Value { key, allowed, got: format!("{text:?}") }.at(node.place));
    }
    Ok(text)
}

/// Whether a text says something and can be shown as it is.
pub(crate) fn is_readable(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(|letter| letter.is_control() && letter != '\n')
}

/// What a message shows of a text that somebody wrote.
fn shortened(text: &str) -> String {
    text.chars().take(64).collect()
}
