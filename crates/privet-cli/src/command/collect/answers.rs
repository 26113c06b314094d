//! One person's answers, which are not on the command line, where others could see them.

use crate::failure::Failure;
use crate::table::is_standard_stream;
use privet::policy::{Answers, ResolvedPolicy};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// More than any answers have.
const MOST_BYTES: u64 = 1 << 20;

/// Answers from a JSON object. Errors do not repeat what it holds.
pub(super) fn read_answers(policy: &ResolvedPolicy, path: &Path) -> Result<Answers, Failure> {
    let mut text = String::new();
    let read = if is_standard_stream(path) {
        std::io::stdin().take(MOST_BYTES).read_to_string(&mut text)
    } else {
        File::open(path).and_then(|file| file.take(MOST_BYTES).read_to_string(&mut text))
    };
    read.map_err(|source| Failure::File { action: "cannot read", path: path.to_owned(), source })?;
    let object: Map<String, Value> = serde_json::from_str(&text).map_err(|error| Failure::Data {
        message: format!(
            "{}: line {}, column {}: the answers are no JSON object",
            path.display(),
            error.line(),
            error.column()
        ),
        hint: Some("write {\"name\": \"value\", ..}, with the attributes and public fields of the policy"),
    })?;
    let is_public = |name: &str| policy.terms().public.iter().any(|field| field.name == name);
    Ok(object.iter().fold(Answers::new(), |answers, (name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if is_public(name) { answers.public(name, &text) } else { answers.value(name, &text) }
    }))
}
