//! One-time tokens: signed by somebody who does not see them (RFC 9474).

use super::error::CollectError;
use crate::{Generator, Rng};
use blind_rsa_signatures::{BlindSignature, BlindingResult, PublicKeySha384PSSDeterministic};
use std::fmt;

/// The public key of a collection whose reports need tokens.
#[derive(Clone)]
pub struct TokenKey {
    key: PublicKeySha384PSSDeterministic,
    pem: String,
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenKey(..)")
    }
}

const NAME_BYTES: usize = 32;

impl TokenKey {
    pub(super) fn from_pem(pem: &str) -> Result<Self, CollectError> {
        let key = PublicKeySha384PSSDeterministic::from_pem(pem).map_err(|_| CollectError::NotUnderstood)?;
        Ok(Self { key, pem: pem.to_owned() })
    }

    pub(super) fn pem(&self) -> &str {
        &self.pem
    }

    /// How many bytes a token has: its name and the signature.
    pub(super) fn token_bytes(&self) -> usize {
        let modulus = self.key.components().n();
        NAME_BYTES + modulus.iter().skip_while(|byte| **byte == 0).count()
    }

    /// Draws a token and blinds it: its name, the salt and the blinding factor come from the generator.
    ///
    /// # Errors
    /// When the key cannot be used.
    pub fn request(&self, rng: &mut Generator) -> Result<TokenRequest, CollectError> {
        let mut name = [0; NAME_BYTES];
        rng.fill_bytes(&mut name);
        let blinding = self.key.blind(rng, name).map_err(|_| CollectError::NotUnderstood)?;
        Ok(TokenRequest { key: self.clone(), name, blinding })
    }
}

/// A token that is not signed yet. Keep it: only it can read the signature.
pub struct TokenRequest {
    key: TokenKey,
    name: [u8; NAME_BYTES],
    blinding: BlindingResult,
}

impl fmt::Debug for TokenRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenRequest(..)")
    }
}

impl TokenRequest {
    /// What is signed. It says nothing about the token.
    pub fn blinded(&self) -> &[u8] {
        &self.blinding.blind_message.0
    }

    /// The token, from the blind signature.
    ///
    /// # Errors
    /// When the signature is not one of the collection's key.
    pub fn finish(&self, signature: &[u8]) -> Result<Token, CollectError> {
        let signature = BlindSignature(signature.to_vec());
        let signed = self.key.key.finalize(&signature, &self.blinding, self.name);
        let signature = signed.map_err(|_| CollectError::Signature)?;
        Ok(Token([self.name.as_slice(), &signature.0].concat()))
    }
}

/// A signed token. It is spent by the report that it is sent with.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Vec<u8>);

impl Token {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(..)")
    }
}
