//! A participant's secret, its token, and the mailbox that the token's place in the list stands for.

use super::PairingError;
use crate::two_party::Role;
use crate::wire::{RunId, WireError};
use privet_core::CryptoRng;
use std::fmt;
use zeroize::Zeroize;

/// What only the participant knows. Whoever shows it owns the place of its token in the list.
#[derive(Clone)]
pub(crate) struct Secret([u8; Secret::BYTES]);

impl Secret {
    pub(crate) const BYTES: usize = 32;

    pub(super) fn draw(rng: &mut (impl CryptoRng + ?Sized)) -> Self {
        let mut bytes = [0; Self::BYTES];
        rng.fill_bytes(&mut bytes);
        Self(bytes)
    }

    pub(crate) fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The token: published, in the new order, when the shuffle is over.
    pub(crate) fn token(&self) -> u128 {
        let digest = blake3::derive_key("privet-joint token of a participant v1", &self.0);
        digest.first_chunk().map_or(0, |&bytes| u128::from_le_bytes(bytes))
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A place in the list that has a partner: which mailbox, which role, and the secret that opens it.
#[derive(Clone)]
pub struct Mailbox {
    id: RunId,
    place: u32,
    secret: Secret,
}

impl Mailbox {
    /// How many bytes a mailbox has when it is written down.
    pub const BYTES: usize = 16 + 4 + Secret::BYTES;

    /// The name of the mailbox, which both of its holders know and which follows from the published list.
    pub fn id(&self) -> RunId {
        self.id
    }

    /// Which of the two this participant is.
    pub fn role(&self) -> Role {
        if self.place.is_multiple_of(2) { Role::First } else { Role::Second }
    }

    /// The place in the list.
    pub(crate) fn place(&self) -> u32 {
        self.place
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.secret
    }

    /// Everything that is needed to open the mailbox later. Keep it as secret as a password.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..16].copy_from_slice(self.id.as_bytes());
        bytes[16..20].copy_from_slice(&self.place.to_le_bytes());
        bytes[20..].copy_from_slice(&self.secret.0);
        bytes
    }

    /// A mailbox that was written down.
    ///
    /// # Errors
    /// When the length is another.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PairingError> {
        let wrong = WireError::WrongLength { expected: Self::BYTES, got: bytes.len() };
        let bytes: &[u8; Self::BYTES] = bytes.try_into().map_err(|_| wrong)?;
        let (id, rest) = bytes.split_first_chunk().ok_or(wrong)?;
        let (place, secret) = rest.split_first_chunk().ok_or(wrong)?;
        let secret = secret.try_into().map_err(|_| wrong)?;
        Ok(Self { id: RunId::new(*id), place: u32::from_le_bytes(*place), secret: Secret(secret) })
    }
}

impl fmt::Debug for Mailbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Mailbox")
    }
}

/// What a participant learns from a pairing.
#[derive(Debug, Clone)]
pub enum Assignment {
    /// It has a partner, whom it can meet here.
    Mailbox(Mailbox),
    /// It is the odd one out and perturbs alone, with the same probabilities.
    Alone,
}

/// Finds the participant's own token in the published list.
pub(super) fn find_place(secret: &Secret, run: RunId, list: &[[u8; 16]]) -> Result<Assignment, PairingError> {
    let token = secret.token().to_le_bytes();
    let mut places = list.iter().enumerate().filter(|(_, other)| **other == token);
    let (Some((place, _)), None) = (places.next(), places.next()) else {
        return Err(PairingError::TokenMissing);
    };
    let first = place - place % 2;
    let Some([one, two]) = list.get(first..first + 2) else { return Ok(Assignment::Alone) };
    let id = RunId::derive(&[run.as_bytes(), one, two].map(|name| &name[..]).concat());
    Ok(Assignment::Mailbox(Mailbox { id, place: place as u32, secret: secret.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;

    const RUN: RunId = RunId::new([1; 16]);

    fn place_in(list: &[[u8; 16]], secret: &Secret) -> Mailbox {
        match find_place(secret, RUN, list).unwrap() {
            Assignment::Mailbox(mailbox) => mailbox,
            Assignment::Alone => panic!("must have a partner"),
        }
    }

    #[test]
    fn neighbours_share_a_mailbox_and_the_last_of_an_odd_number_is_alone() {
        let mut rng = Generator::from_insecure_seed(1);
        let secrets: Vec<Secret> = (0..5).map(|_| Secret::draw(&mut rng)).collect();
        let list: Vec<_> = secrets.iter().map(|secret| secret.token().to_le_bytes()).collect();
        let [one, two, three] = [0, 1, 2].map(|place| place_in(&list, &secrets[place]));
        assert_eq!(one.id(), two.id());
        assert_ne!(one.id(), three.id());
        assert_eq!([one.role(), two.role(), three.role()], [Role::First, Role::Second, Role::First]);
        assert!(matches!(find_place(&secrets[4], RUN, &list).unwrap(), Assignment::Alone));
        let again = Mailbox::from_bytes(&two.to_bytes()).unwrap();
        assert_eq!((again.id(), again.place(), again.secret().token()), (two.id(), 1, secrets[1].token()));
        assert!(Mailbox::from_bytes(&[0; 51]).is_err());
    }

    #[test]
    fn a_token_must_be_there_exactly_once() {
        let secret = Secret::draw(&mut Generator::from_insecure_seed(1));
        let token = secret.token().to_le_bytes();
        for list in [vec![[1; 16], [2; 16]], vec![token, token], vec![]] {
            assert_eq!(find_place(&secret, RUN, &list).unwrap_err(), PairingError::TokenMissing);
        }
    }
}
