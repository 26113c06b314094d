//! Tokens that operators carry.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A secret text that gives a right to whoever sends it. Only its hash is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BearerToken(blake3::Hash);

impl fmt::Debug for BearerToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("BearerToken(..)")
    }
}

/// A text that is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a bearer token has at least 16 visible characters without spaces: `openssl rand -hex 32` makes one")]
pub struct NotAToken;

impl FromStr for BearerToken {
    type Err = NotAToken;

    fn from_str(text: &str) -> Result<Self, NotAToken> {
        let is_token = text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_token { Ok(Self(blake3::hash(text.as_bytes()))) } else { Err(NotAToken) }
    }
}

impl BearerToken {
    /// Whether a text is this token.
    pub(crate) fn is(self, text: &str) -> bool {
        // Comparing hashes takes the same time wherever they differ.
        self == Self(blake3::hash(text.as_bytes()))
    }
}

/// What a request wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Create and close collections, add summaries, sign tokens, read raw reports.
    Manage,
    /// See estimates.
    Read,
}

/// Which tokens are needed. Without any, everybody may create collections and read estimates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Access {
    /// For creating and closing collections. Adding summaries, signing submission tokens and reading raw reports are only possible with it.
    pub manage: Option<BearerToken>,
    /// For reading estimates. The token for managing does as well.
    pub read: Option<BearerToken>,
}

impl Access {
    /// Whether the holder of a token, if one was sent, has a right.
    pub(crate) fn allows(&self, right: Right, sent: Option<&str>) -> bool {
        let is_sent = |needed: BearerToken| sent.is_some_and(|text| needed.is(text));
        match right {
            Right::Manage => self.manage.is_none_or(is_sent),
            Right::Read => self.read.is_none_or(is_sent) || self.manage.is_some_and(is_sent),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_need_their_token() {
        let [manage, read] = ["manage-manage-manage", "read-read-read-read"];
        let access = Access { manage: manage.parse().ok(), read: read.parse().ok() };
        let rights = |sent| [Right::Manage, Right::Read].map(|right| access.allows(right, sent));
        assert_eq!(rights(None), [false, false]);
        assert_eq!(rights(Some("something else altogether")), [false, false]);
        assert_eq!(rights(Some(read)), [false, true]);
        assert_eq!(rights(Some(manage)), [true, true]);
        let open = Access::default();
        assert!(open.allows(Right::Manage, None) && open.allows(Right::Read, Some("anything")));
        let half = Access { manage: manage.parse().ok(), read: None };
        assert!(half.allows(Right::Read, None) && !half.allows(Right::Manage, None));
    }

    #[test]
    fn short_texts_are_no_tokens_and_nothing_is_shown() {
        assert_eq!("short".parse::<BearerToken>(), Err(NotAToken));
        assert_eq!("with a space in between".parse::<BearerToken>(), Err(NotAToken));
        let token: BearerToken = "a-secret-that-is-long".parse().unwrap();
        assert_eq!(format!("{token:?}"), "BearerToken(..)");
    }
}
