//! Who looks at a page, and whether a form was sent from one of ours.
//!
//! The cookie of a signed-in visitor holds the token that was typed. Forms carry the visitor's key, which is in a cookie as well: another
//! site can neither read nor send it, so it cannot send our forms. Programs use bearer tokens, and cookies mean nothing to them.

use super::PageError;
use crate::api::{App, Problem};
use crate::tokens::Right;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::fmt;

const TOKEN: &str = "privet_token";
const KEY: &str = "privet_form";
const SECONDS: u32 = 12 * 60 * 60;

/// A visitor.
#[derive(Clone)]
pub(crate) struct Session {
    token: Option<String>,
    key: String,
    is_new: bool,
    /// What was asked for, to come back to.
    pub(super) address: String,
}

/// Tokens are not shown.
impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("address", &self.address).finish_non_exhaustive()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Session {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let address = parts.uri.path_and_query().map_or("/", |address| address.as_str());
        Ok(Self::read(&parts.headers, address))
    }
}

impl Session {
    fn read(headers: &HeaderMap, address: &str) -> Self {
        let token = cookie(headers, TOKEN).and_then(from_hex);
        let known = cookie(headers, KEY).filter(|key| is_key(key)).map(str::to_owned);
        let (key, is_new) = known.map_or_else(|| (new_key(), true), |key| (key, false));
        Self { token, key, is_new, address: address.to_owned() }
    }

    pub(super) fn is_signed_in(&self) -> bool {
        self.token.is_some()
    }

    /// What forms of this visitor hold.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn new_key_cookie(&self) -> Option<String> {
        self.is_new.then(|| format!("{KEY}={}; Path=/; HttpOnly; SameSite=Strict", self.key))
    }

    /// Whether the visitor has a right.
    pub(super) fn may(&self, app: &App, right: Right) -> bool {
        app.access.allows(right, self.token.as_deref())
    }

    /// Asks for a token if the visitor does not have a right.
    pub(super) fn demand(&self, app: &App, right: Right) -> Result<(), PageError> {
        if self.may(app, right) { Ok(()) } else { Err(PageError::SignIn { session: self.clone(), right }) }
    }

    /// Refuses a form that was not sent from a page of this visitor.
    pub(super) fn check_form(&self, key: Option<&str>) -> Result<(), Problem> {
        let is_ours = !self.is_new && key.is_some_and(|key| key == self.key);
        if is_ours { Ok(()) } else { Err(Problem::foreign_form()) }
    }
}

/// The cookie that signs a visitor in.
pub(super) fn token_cookie(token: &str, is_tls: bool) -> String {
    let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
    let secure = if is_tls { "; Secure" } else { "" };
    format!("{TOKEN}={hex}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Strict{secure}")
}

/// The cookie that signs a visitor out.
pub(super) fn no_token_cookie() -> String {
    format!("{TOKEN}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn from_hex(text: &str) -> Option<String> {
    let bytes = crate::api::read_hex(text).filter(|bytes| !bytes.is_empty())?;
    String::from_utf8(bytes).ok()
}

const KEY_BYTES: usize = 16;

fn is_key(text: &str) -> bool {
    text.len() == 2 * KEY_BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A key that nobody can guess. Without randomness from the system it is no key, and forms are refused.
fn new_key() -> String {
    let mut bytes = [0; KEY_BYTES];
    match getrandom::fill(&mut bytes) {
        Ok(()) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn session(cookies: &str) -> Session {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(cookies).unwrap());
        Session::read(&headers, "/")
    }

    #[test]
    fn a_form_needs_the_key_of_its_visitor() {
        let key = "00112233445566778899aabbccddeeff";
        let known = session(&format!("other=1; {KEY}={key}"));
        assert!(known.check_form(Some(key)).is_ok());
        assert!(known.new_key_cookie().is_none());
        for wrong in [None, Some(""), Some("00112233445566778899aabbccddeefe")] {
            assert!(known.check_form(wrong).is_err());
        }
        // Whoever comes without a cookie has not seen a form of ours, even if the key that would be made is guessed.
        let new = session("other=1");
        let made = new.key().to_owned();
        assert!(new.check_form(Some(&made)).is_err());
        assert_ne!(made, session("").key());
        assert!(session(&format!("{KEY}=short")).check_form(Some("short")).is_err());
    }

    #[test]
    fn any_token_survives_its_cookie_and_none_is_shown() {
        let token = "a;b,c=\"d\"-long-enough";
        let cookie = token_cookie(token, true);
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && cookie.contains("Secure")
        );
        let pair = cookie.split(';').next().unwrap();
        let read = session(pair);
        assert_eq!(read.token.as_deref(), Some(token));
        assert!(!format!("{read:?}").contains("long-enough"));
        assert!(!session(&format!("{TOKEN}=zz")).is_signed_in());
    }
}
