//! Oblivious transfer: Second gets one of two labels for each of its bits, First does not learn which.
//!
//! The "simplest" transfer (T. Chou, C. Orlandi, 2015), here in the honest-but-curious model. First sends A = aG. For a
//! bit b Second sends B = xG + bA with a fresh x, which is a uniform point whatever b is; so First learns nothing, even
//! with unlimited power. The keys are hashes of aB and of aB - aA; Second knows xA, which is the one of its bit. The
//! other is a Diffie-Hellman secret that it cannot compute.
//!
//! The label of 0 is the first key itself, and the label of 1 lies at the common difference: one correction for each
//! bit, which Second adds where its bit is 1.

use super::label::{LABEL_BYTES, Label, shorten};
use crate::wire::random_scalar;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoBasepointTable, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{Identity, IsIdentity};
use privet_core::CryptoRng;
use subtle::ConditionallySelectable;
use zeroize::Zeroizing;

pub(super) const POINT_BYTES: usize = 32;

/// First's half.
pub(super) struct Sender {
    secret: Zeroizing<Scalar>,
    /// A, as it is sent.
    pub(super) public: [u8; POINT_BYTES],
}

/// The labels of 0 for Second's bits, and the corrections to send.
pub(super) struct SentLabels {
    pub(super) zeros: Zeroizing<Vec<Label>>,
    pub(super) corrections: Vec<u8>,
}

impl Sender {
    pub(super) fn new(rng: &mut impl CryptoRng) -> Self {
        let secret = Zeroizing::new(random_scalar(rng));
        let public = RistrettoPoint::mul_base(&secret).compress().to_bytes();
        Self { secret, public }
    }

    /// The labels for Second's points; `None` if one is not a point.
    pub(super) fn labels(&self, session: &[u8; 32], points: &[u8], difference: Label) -> Option<SentLabels> {
        let hash = KeyHash::new(session, &self.public);
        let square = RistrettoPoint::mul_base(&self.secret) * *self.secret;
        let points = points.as_chunks::<POINT_BYTES>().0;
        let mut zeros = Zeroizing::new(Vec::with_capacity(points.len()));
        let mut corrections = Vec::with_capacity(points.len() * LABEL_BYTES);
        for (index, bytes) in points.iter().enumerate() {
            let shared = CompressedRistretto(*bytes).decompress()? * *self.secret;
            let zero = hash.of(index, bytes, &shared);
            let one = hash.of(index, bytes, &(shared - square));
            zeros.push(zero);
            corrections.extend_from_slice(&(zero ^ one ^ difference).to_bytes());
        }
        Some(SentLabels { zeros, corrections })
    }
}

/// Second's half.
pub(super) struct Receiver {
    /// One point for each bit, as they are sent.
    pub(super) points: Vec<u8>,
    share: Zeroizing<u64>,
    keys: Zeroizing<Vec<Label>>,
}

impl Receiver {
    /// Chooses by the lowest `width` bits of the share; `None` if First's public point is not one, or is zero.
    pub(super) fn new(
        session: &[u8; 32],
        public: &[u8],
        (share, width): (u64, usize),
        rng: &mut impl CryptoRng,
    ) -> Option<Self> {
        let public = CompressedRistretto::from_slice(public).ok()?;
        let base = public.decompress().filter(|point| !point.is_identity())?;
        // One table for all products with A is several times faster than a product at a time.
        let table = RistrettoBasepointTable::create(&base);
        let hash = KeyHash::new(session, public.as_bytes());
        let mut points = Vec::with_capacity(width * POINT_BYTES);
        let mut keys = Zeroizing::new(Vec::with_capacity(width));
        for index in 0..width {
            let secret = Zeroizing::new(random_scalar(rng));
            let bit = ((share >> index & 1) as u8).into();
            let chosen = RistrettoPoint::conditional_select(&RistrettoPoint::identity(), &base, bit);
            let point = (RistrettoPoint::mul_base(&secret) + chosen).compress();
            points.extend_from_slice(point.as_bytes());
            keys.push(hash.of(index, point.as_bytes(), &(&*secret * &table)));
        }
        Some(Self { points, share: Zeroizing::new(share), keys })
    }

    /// The labels of the bits.
    pub(super) fn labels(self, corrections: &[u8]) -> Zeroizing<Vec<Label>> {
        let corrected = self.keys.iter().zip(Label::from_body(corrections)).enumerate();
        let labels = corrected.map(|(index, (&key, fix))| key ^ fix.times(*self.share >> index & 1 == 1));
        Zeroizing::new(labels.collect())
    }
}

/// Hashes a shared point to a key, together with all that was sent for it.
struct KeyHash {
    start: blake3::Hasher,
}

impl KeyHash {
    fn new(session: &[u8; 32], public: &[u8; POINT_BYTES]) -> Self {
        let mut start = blake3::Hasher::new_derive_key("privet-joint two-party transfer v1");
        start.update(session).update(public);
        Self { start }
    }

    fn of(&self, index: usize, point: &[u8; POINT_BYTES], shared: &RistrettoPoint) -> Label {
        let mut hasher = self.start.clone();
        hasher.update(&(index as u64).to_le_bytes()).update(point).update(shared.compress().as_bytes());
        shorten(&hasher.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_core::Generator;

    #[test]
    fn the_receiver_gets_the_label_of_its_bit_and_not_the_other() {
        let mut rng = Generator::from_insecure_seed(511);
        let (session, difference, share) = ([1; 32], Label(0x1234_5679), 0b1011_0010);
        let sender = Sender::new(&mut rng);
        let receiver = Receiver::new(&session, &sender.public, (share, 8), &mut rng).unwrap();
        let sent = sender.labels(&session, &receiver.points, difference).unwrap();
        let labels = receiver.labels(&sent.corrections);
        for (index, (&label, &zero)) in labels.iter().zip(sent.zeros.iter()).enumerate() {
            assert!(label == zero ^ difference.times(share >> index & 1 == 1), "{index}");
        }
    }

    #[test]
    fn what_is_not_a_point_is_refused() {
        let mut rng = Generator::from_insecure_seed(512);
        assert!(Receiver::new(&[1; 32], &[0; 32], (1, 2), &mut rng).is_none());
        assert!(Receiver::new(&[1; 32], &[255; 32], (1, 2), &mut rng).is_none());
        assert!(Sender::new(&mut rng).labels(&[1; 32], &[255; 64], Label(1)).is_none());
    }
}
