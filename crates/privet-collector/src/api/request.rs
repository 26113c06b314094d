//! What is read from requests.

use super::problem::Problem;
use crate::ingest::{Gate, Pass};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Query};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// The token that a client sent.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The content type without its parameters, if it is an allowed one.
pub(super) fn media_type(headers: &HeaderMap, allowed: &[&'static str]) -> Result<&'static str, Problem> {
    let sent = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = sent.split(';').next().unwrap_or_default().trim();
    let found = allowed.iter().find(|allowed| essence.eq_ignore_ascii_case(allowed));
    found.copied().ok_or_else(|| Problem::media_type(allowed))
}

/// Reads a body of limited length, when there is room for it in memory.
pub(crate) async fn read_body(
    gate: &Gate,
    headers: &HeaderMap,
    body: Body,
    most: usize,
) -> Result<(Bytes, Pass), Problem> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    // A body without a length can become as long as is allowed.
    let room = announced.unwrap_or(most);
    if room > most {
        return Err(Problem::too_large(most));
    }
    let pass = gate.enter(room)?;
    let bytes = to_bytes(body, most).await.map_err(|error| {
        let is_too_long = std::error::Error::source(&error)
            .is_some_and(|source| source.to_string().contains("length limit exceeded"));
        if is_too_long { Problem::too_large(most) } else { Problem::unreadable() }
    })?;
    Ok((bytes, pass))
}

/// JSON of a known shape.
pub(super) fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        // Not the reader's own words: they can quote the text.
        let (line, column) = (error.line(), error.column());
        Problem::json(format!("line {line}, column {column}: this is no JSON of the expected shape"))
    })
}

/// Bytes from hexadecimal digits.
pub(crate) fn read_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

/// The parameters of a query; unknown ones are refused.
#[derive(Debug)]
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let query: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        query.map(|Query(parameters)| Self(parameters)).map_err(|error| Problem::query(error.body_text()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_read_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            prop_assert_eq!(read_hex(&text), Some(bytes.clone()));
            prop_assert_eq!(read_hex(&text.to_uppercase()), Some(bytes));
            prop_assert_eq!(read_hex(&format!("{text}0")), None);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = read_hex(&text);
        }
    }

    #[test]
    fn other_letters_are_no_digits() {
        assert_eq!(read_hex("0g"), None);
        assert_eq!(read_hex("é"), None);
        assert_eq!(read_hex("+1"), None);
    }
}
