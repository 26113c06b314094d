//! One-time tokens, so that one person counts once and stays unknown.
//!
//! A device draws 32 random bytes, the token's name, blinds them and has them signed by whoever knows that the person has not had a token
//! yet. Unblinded, the signature belongs to a name that the signer has never seen (RFC 9474, RSABSSA-SHA384-PSS-Deterministic; the name is
//! random, so it needs no further randomness). A report comes with the name and the signature, and a name is taken once.

use blind_rsa_signatures::{
    DefaultRng, KeyPairSha384PSSDeterministic, PublicKeySha384PSSDeterministic,
    SecretKeySha384PSSDeterministic, Signature,
};
use std::fmt;
use thiserror::Error;

/// The random bytes that a token is known by.
pub(crate) type TokenName = [u8; 32];

/// Signs and checks the tokens of one collection.
pub(crate) struct SubmissionKey {
    secret: SecretKeySha384PSSDeterministic,
    public: PublicKeySha384PSSDeterministic,
}

impl fmt::Debug for SubmissionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SubmissionKey(..)")
    }
}

/// A key that cannot be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the key of the submission tokens cannot be used")]
pub(crate) struct NotAKey;

/// A blinded name that cannot be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a blinded name has {} bytes and is below the modulus of the key", SubmissionKey::SIGNATURE_BYTES)]
pub(crate) struct NotBlinded;

impl SubmissionKey {
    const BITS: usize = 2048;
    /// How many bytes a signature has, and a blinded name.
    pub(crate) const SIGNATURE_BYTES: usize = Self::BITS / 8;
    /// How many bytes a token has: its name and the signature.
    pub(crate) const TOKEN_BYTES: usize = size_of::<TokenName>() + Self::SIGNATURE_BYTES;

    /// A new key, from the randomness of the operating system. Takes about a second.
    pub(crate) fn generate() -> Result<Self, NotAKey> {
        let pair =
            KeyPairSha384PSSDeterministic::generate(&mut DefaultRng, Self::BITS).map_err(|_| NotAKey)?;
        Ok(Self { secret: pair.sk, public: pair.pk })
    }

    /// A key that was stored.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, NotAKey> {
        let secret = SecretKeySha384PSSDeterministic::from_der(bytes).map_err(|_| NotAKey)?;
        let public = secret.public_key().map_err(|_| NotAKey)?;
        Ok(Self { secret, public })
    }

    /// The bytes to store. They are secret.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, NotAKey> {
        self.secret.to_der().map_err(|_| NotAKey)
    }

    /// The public key, for devices.
    pub(crate) fn public_pem(&self) -> Result<String, NotAKey> {
        self.public.to_pem().map_err(|_| NotAKey)
    }

    /// Signs a blinded name.
    pub(crate) fn sign(&self, blinded: &[u8]) -> Result<Vec<u8>, NotBlinded> {
        Ok(self.secret.blind_sign(blinded).map_err(|_| NotBlinded)?.0)
    }

    /// The name of a token, if the signature is right.
    pub(crate) fn check(&self, token: &[u8]) -> Option<TokenName> {
        let (name, signature) = token.split_first_chunk::<{ size_of::<TokenName>() }>()?;
        self.public.verify(&Signature(signature.to_vec()), None, name).ok()?;
        Some(*name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signed_name_passes_and_nothing_else_does() {
        let key = SubmissionKey::from_bytes(&SubmissionKey::generate().unwrap().to_bytes().unwrap()).unwrap();
        let device = PublicKeySha384PSSDeterministic::from_pem(&key.public_pem().unwrap()).unwrap();
        let name = [7; 32];
        let blinded = device.blind(&mut DefaultRng, name).unwrap();
        // The signer sees nothing of the name.
        assert!(!blinded.blind_message.0.windows(4).any(|window| window == [7; 4]));
        let signed = key.sign(&blinded.blind_message.0).unwrap();
        let signature = device.finalize(&signed.into(), &blinded, name).unwrap();
        let token = [name.as_slice(), &signature.0].concat();
        assert_eq!(token.len(), SubmissionKey::TOKEN_BYTES);
        assert_eq!(key.check(&token), Some(name));
        for changed in [0, 40, token.len() - 1] {
            let mut forged = token.clone();
            forged[changed] ^= 1;
            assert_eq!(key.check(&forged), None);
        }
        assert_eq!(key.check(&token[1..]), None);
        assert_eq!(key.sign(&[1, 2, 3]), Err(NotBlinded));
        assert_eq!(key.sign(&[255; 256]), Err(NotBlinded));
        assert_eq!(format!("{key:?}"), "SubmissionKey(..)");
        assert_eq!(SubmissionKey::from_bytes(b"no key").unwrap_err(), NotAKey);
    }
}
