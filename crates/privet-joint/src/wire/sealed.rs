//! A link that only the two ends can read.

use super::{Kind, Link, WireError};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::IsIdentity;
use privet_core::CryptoRng;
use std::fmt;
use zeroize::Zeroize;

/// The first frame of either end: its fresh public key.
const PUBLIC_KEY: Kind = Kind(255);

/// Any link, encrypted from end to end: a relay between the ends sees lengths and kinds, nothing else.
///
/// Both ends draw a fresh key pair, agree on a secret (Diffie-Hellman on ristretto255) and seal every body with
/// ChaCha20-Poly1305 under a key for each direction; the number and the kind of a frame are authenticated with it.
/// The keys are forgotten with the link. This protects against whoever *listens*. The partner is unknown by intention,
/// so there is no identity to check: a relay that *replaces* the keys can read along. The honest-but-curious model
/// has none that does.
pub struct Sealed<L> {
    link: L,
    outgoing: Direction,
    incoming: Direction,
}

/// The key of one direction and the number of its next frame, which no other frame of the key has.
struct Direction {
    cipher: ChaCha20Poly1305,
    next: u64,
}

impl Direction {
    fn new(mut key: [u8; 32]) -> Self {
        let cipher = ChaCha20Poly1305::new((&key).into());
        key.zeroize();
        Self { cipher, next: 0 }
    }

    fn nonce(&mut self) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[..8].copy_from_slice(&self.next.to_le_bytes());
        self.next += 1;
        nonce
    }
}

impl<L: Link> Sealed<L> {
    /// Exchanges keys with the other end, which must do the same.
    ///
    /// # Errors
    /// When the link fails, or the other end's key is not a fresh point of the group.
    pub fn handshake(mut link: L, rng: &mut impl CryptoRng) -> Result<Self, WireError> {
        let mut secret = random_scalar(rng);
        let own = RistrettoPoint::mul_base(&secret).compress().to_bytes();
        link.send(PUBLIC_KEY, &own)?;
        let other = link.receive_exact(PUBLIC_KEY, 32)?;
        let key = valid_key(&other).filter(|_| other != own).ok_or(WireError::WrongKey)?;
        let mut shared = (key * secret).compress().to_bytes();
        secret.zeroize();
        let outgoing = Direction::new(direction_key(&shared, &own, &other));
        let incoming = Direction::new(direction_key(&shared, &other, &own));
        shared.zeroize();
        Ok(Self { link, outgoing, incoming })
    }
}

/// The key for frames from the end with key `sender` to the end with key `receiver`.
fn direction_key(shared: &[u8; 32], sender: &[u8], receiver: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("privet-joint sealed link v1");
    hasher.update(shared).update(sender).update(receiver);
    *hasher.finalize().as_bytes()
}

fn valid_key(bytes: &[u8]) -> Option<RistrettoPoint> {
    CompressedRistretto::from_slice(bytes).ok()?.decompress().filter(|point| !point.is_identity())
}

/// A uniform scalar.
pub(crate) fn random_scalar(rng: &mut impl CryptoRng) -> Scalar {
    let mut wide = [0; 64];
    rng.fill_bytes(&mut wide);
    let scalar = Scalar::from_bytes_mod_order_wide(&wide);
    wide.zeroize();
    scalar
}

impl<L: Link> Link for Sealed<L> {
    fn send(&mut self, kind: Kind, body: &[u8]) -> Result<(), WireError> {
        let nonce = self.outgoing.nonce();
        let payload = Payload { msg: body, aad: &[kind.0] };
        let sealed = self.outgoing.cipher.encrypt(&nonce.into(), payload);
        self.link.send(kind, &sealed.map_err(|_| WireError::TooLong { got: body.len() })?)
    }

    fn receive(&mut self, kind: Kind) -> Result<Vec<u8>, WireError> {
        let sealed = self.link.receive(kind)?;
        let nonce = self.incoming.nonce();
        let payload = Payload { msg: &sealed, aad: &[kind.0] };
        self.incoming.cipher.decrypt(&nonce.into(), payload).map_err(|_| WireError::NotAuthentic)
    }

    fn bytes_sent(&self) -> u64 {
        self.link.bytes_sent()
    }

    fn bytes_received(&self) -> u64 {
        self.link.bytes_received()
    }
}

impl<L> fmt::Debug for Sealed<L> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sealed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{MemoryLink, RunId, memory_pair};
    use privet_core::Generator;
    use std::time::Duration;

    fn ends() -> (MemoryLink, MemoryLink) {
        memory_pair(RunId::new([3; 16]), Duration::from_secs(10))
    }

    fn handshakes(one: MemoryLink, two: MemoryLink) -> (Sealed<MemoryLink>, Sealed<MemoryLink>) {
        let other = std::thread::spawn(move || {
            Sealed::handshake(two, &mut Generator::from_insecure_seed(2)).unwrap()
        });
        (Sealed::handshake(one, &mut Generator::from_insecure_seed(1)).unwrap(), other.join().unwrap())
    }

    #[test]
    fn bodies_arrive_and_are_not_readable_between() {
        let (one, two) = ends();
        let (mut one, mut two) = handshakes(one, two);
        one.send(Kind(1), b"attack at dawn").unwrap();
        two.send(Kind(2), b"").unwrap();
        let carried = two.link.receive(Kind(1)).unwrap();
        assert_eq!(carried.len(), 14 + 16);
        assert!(!carried.windows(6).any(|window| window == b"attack"));
        assert_eq!(one.receive(Kind(2)).unwrap(), b"");
        one.send(Kind(1), b"again").unwrap();
        two.incoming.next += 1;
        assert_eq!(two.receive(Kind(1)).unwrap(), b"again");
    }

    #[test]
    fn a_changed_body_is_not_authentic() {
        let (one, two) = ends();
        let (mut one, mut two) = handshakes(one, two);
        one.link.send(Kind(1), &[0; 40]).unwrap();
        assert_eq!(two.receive(Kind(1)), Err(WireError::NotAuthentic));
    }

    #[test]
    fn a_body_that_is_sent_again_or_as_another_kind_is_not_authentic() {
        for kind in [Kind(1), Kind(2)] {
            let (one, two) = ends();
            let (mut one, mut two) = handshakes(one, two);
            one.send(Kind(1), b"once").unwrap();
            let recorded = two.link.receive(Kind(1)).unwrap();
            if kind == Kind(1) {
                two.incoming.next += 1;
            }
            one.link.send(kind, &recorded).unwrap();
            assert_eq!(two.receive(kind), Err(WireError::NotAuthentic));
        }
    }

    #[test]
    fn a_frame_of_an_earlier_connection_is_not_authentic() {
        let (one, two) = ends();
        let (mut one, mut two) = handshakes(one, two);
        one.send(Kind(1), b"first connection").unwrap();
        let recorded = two.link.receive(Kind(1)).unwrap();
        let (three, four) = ends();
        let other = std::thread::spawn(move || {
            Sealed::handshake(four, &mut Generator::from_insecure_seed(4)).unwrap()
        });
        let mut three = Sealed::handshake(three, &mut Generator::from_insecure_seed(3)).unwrap();
        three.link.send(Kind(1), &recorded).unwrap();
        assert_eq!(other.join().unwrap().receive(Kind(1)), Err(WireError::NotAuthentic));
    }

    #[test]
    fn keys_that_nobody_draws_are_refused() {
        for key in [vec![0; 32], vec![255; 32], vec![1; 31]] {
            let (one, mut two) = ends();
            two.send(PUBLIC_KEY, &key).unwrap();
            let refused = Sealed::handshake(one, &mut Generator::from_insecure_seed(1)).unwrap_err();
            assert!(matches!(refused, WireError::WrongKey | WireError::WrongLength { .. }), "{refused}");
        }
    }

    #[test]
    fn an_own_key_that_comes_back_is_refused() {
        let (one, mut two) = ends();
        let secret = random_scalar(&mut Generator::from_insecure_seed(1));
        two.send(PUBLIC_KEY, RistrettoPoint::mul_base(&secret).compress().as_bytes()).unwrap();
        let refused = Sealed::handshake(one, &mut Generator::from_insecure_seed(1)).unwrap_err();
        assert_eq!(refused, WireError::WrongKey);
    }
}
