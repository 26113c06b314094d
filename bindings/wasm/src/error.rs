//! Errors on their way to JavaScript.

use privet_core::{InputError, ParameterError};
use privet_policy::ledger::LedgerError;
use privet_policy::{ClientError, NotADate, NotAPolicyId, PolicyError, SubmissionError};
use wasm_bindgen::JsValue;

/// What JavaScript makes an error of: a stable code and a message without anything private.
#[derive(Debug)]
pub(crate) struct Thrown {
    code: &'static str,
    message: String,
}

impl Thrown {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    pub(crate) fn no_entropy() -> Self {
        Self::new(
            "no-entropy",
            "there is no randomness from the system, and without it nothing can be protected",
        )
    }

    pub(crate) fn json(what: &str) -> Self {
        Self::new("argument", format!("{what} cannot be read"))
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> Self {
        JsValue::from_str(&format!("{}\n{}", thrown.code, thrown.message))
    }
}

macro_rules! with_code {
    ($($error:ty),*) => {$(
        impl From<$error> for Thrown {
            fn from(error: $error) -> Self {
                Self::new(error.code(), error.to_string())
            }
        }
    )*};
}

with_code!(ClientError, InputError, LedgerError, ParameterError, PolicyError, SubmissionError);

impl From<NotADate> for Thrown {
    fn from(error: NotADate) -> Self {
        Self::new("argument", error.to_string())
    }
}

impl From<NotAPolicyId> for Thrown {
    fn from(error: NotAPolicyId) -> Self {
        Self::new("argument", error.to_string())
    }
}
