//! Answers that stay the same: what protects a person who is asked every day.

use crate::categorical::{FrequencyOracle, Invariant, Support};
use privet_core::{
    Budget, Categories, CryptoRng, Epsilon, Fingerprint, FingerprintBuilder, Fraction, Generator, Guarantee,
    InputError, Mechanism, MechanismInfo, ParameterError, ReportBuffer, ReportError,
};
use std::fmt;
use zeroize::Zeroize;

/// A mechanism whose reports can go through a second one of its kind.
pub trait Relayed: Mechanism<Domain = Categories> + FrequencyOracle {
    /// Fresh noise on a permanent report.
    fn relay<R: CryptoRng + ?Sized>(&self, permanent: &Self::Report, rng: &mut R) -> Self::Report;

    /// How probable support is after both layers.
    fn relayed_support(permanent: &Self, instantaneous: &Self) -> Support;

    /// The largest ratio that a support pair of this kind of channel allows.
    fn relayed_ratio(support: &Support) -> Fraction;
}

/// Two layers: a permanent noisy answer that never changes for a value, and fresh noise on it for each report.
///
/// # What it protects
/// A person who is asked the same question again and again. Without the permanent layer, averaging the reports of a
/// year shows the truth; without the fresh layer, equal reports link a person's days to each other.
/// # Formula
/// permanent = M(value) at epsilon_infinity, drawn with randomness that is a keyed function of (client secret, origin,
/// attribute, domain and mechanism, value); report = M'(permanent) at epsilon_1, drawn afresh.
/// # Guarantee
/// One report on its own: less than the smaller of epsilon_1 and epsilon_infinity, computed exactly from both layers
/// ([`Memoized::single_report`]). That number does not add up over reports, because they share the permanent draw; what does
/// is epsilon_1 each, which is what a client's `guarantee` is. While the value stays the same, any number of reports
/// together are at most epsilon_infinity.
///
/// All reports for ever ([`Memoized::forever`]): epsilon_infinity for each distinct value that the person ever holds, at
/// most k of them, if the secret is kept. This compares two histories that change, and return to earlier values, on the
/// *same days*. That a value changed, and when, is not hidden: "always 0" and "0, then 1" are told apart in the end.
/// # When not to use it
/// Where days must not be linked: a few reports of one person are hard to recognise as the same person's, but many are not,
/// because they all look like the same permanent answer. Where a collector would estimate from several reports of one
/// person: the permanent noise does not average out. When the domain, epsilon or mechanism of a question changes, a new permanent answer is drawn and another
/// epsilon_infinity is spent. A re-created collection with the same origin and attribute reuses the old one.
/// # Reference
/// U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR", CCS 2014. Deviation: permanent answers are derived, not stored.
/// # Example
/// ```
/// use privet_core::{Categories, Epsilon, Generator, Mechanism};
/// use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
/// use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized};
/// let layer = |epsilon| GeneralizedRandomizedResponse::new(Categories::new(4)?, Epsilon::new(epsilon)?);
/// let memoized = Memoized::new(layer(2.0)?, layer(1.0)?)?;
/// let client = memoized.for_client(
///     ClientSecret::from_entropy([7; 32]), // 32 bytes from the operating system, kept on the device
///     MemoContext { origin: "example.org", attribute: "commute" },
/// );
/// let mut rng = Generator::from_insecure_seed(1);
/// let monday = client.randomize(&2, &mut rng)?;
/// let tuesday = client.randomize(&2, &mut rng)?;
/// assert!(monday.0 < 4 && tuesday.0 < 4);
/// assert!(memoized.single_report().epsilon().get() < 1.0);
/// assert_eq!(memoized.forever(3)?.epsilon().get().round(), 6.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Memoized<M> {
    permanent: M,
    instantaneous: M,
    single_report: Guarantee,
}

impl<M: Relayed> Memoized<M> {
    /// Puts two layers on top of each other.
    ///
    /// # Errors
    /// When the layers have different domains.
    pub fn new(permanent: M, instantaneous: M) -> Result<Self, ParameterError> {
        if permanent.domain() != instantaneous.domain() {
            return Err(ParameterError::Incompatible {
                reason: "both layers of a memoised answer need the same domain".into(),
            });
        }
        let ratio = M::relayed_ratio(&M::relayed_support(&permanent, &instantaneous));
        let single_report = Guarantee::Pure { epsilon: Epsilon::new(ratio.log_rounded_up())? };
        Ok(Self { permanent, instantaneous, single_report })
    }

    /// What a single report promises if it stays the only one. Two reports share the permanent draw, so this must not be
    /// added up: a [`Budget`] takes the client's `guarantee`, or [`Memoized::forever`] once.
    pub fn single_report(&self) -> Guarantee {
        self.single_report
    }

    /// What all reports together promise, for ever, to a person who holds `distinct_values` different values over time:
    /// how well two such histories that change on the same days can be told apart. When a value changed is not hidden.
    ///
    /// # Errors
    /// When the number is zero.
    pub fn forever(&self, distinct_values: u32) -> Result<Guarantee, ParameterError> {
        let distinct = distinct_values.min(self.permanent.domain().count());
        Budget::repeated(self.permanent.guarantee(), distinct)?.total().ok_or_else(|| {
            ParameterError::Incompatible { reason: "a person holds at least one value".into() }
        })
    }

    /// Binds the layers to one person's secret and to one question.
    pub fn for_client(&self, secret: ClientSecret, context: MemoContext<'_>) -> MemoizedClient<M>
    where
        M: Clone,
    {
        MemoizedClient {
            layers: self.clone(),
            secret,
            origin: context.origin.to_owned(),
            attribute: context.attribute.to_owned(),
        }
    }
}

impl<M: Relayed> FrequencyOracle for Memoized<M> {
    fn categories(&self) -> &Categories {
        self.permanent.domain()
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new("memoized");
        for layer in [&self.permanent, &self.instantaneous] {
            builder.number(u64::from_le_bytes(layer.fingerprint().to_bytes()));
        }
        builder.finish()
    }

    fn oracle_report_bytes(&self) -> usize {
        self.instantaneous.report_bytes()
    }

    fn support(&self) -> Support {
        M::relayed_support(&self.permanent, &self.instantaneous)
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        self.instantaneous.tally(reports, counts)
    }

    fn is_single(&self) -> bool {
        self.instantaneous.is_single()
    }

    /// Bits that are noisy independently in both layers are so in one report.
    fn invariant(&self) -> Invariant {
        match self.instantaneous.invariant() {
            Invariant::Ones => Invariant::Ones,
            _ => Invariant::Nothing,
        }
    }
}

/// 256 bits that never leave the device. `Debug` does not show them, and they are wiped when dropped.
pub struct ClientSecret([u8; 32]);

impl ClientSecret {
    /// A secret from 256 bits of operating-system entropy.
    pub fn from_entropy(entropy: [u8; 32]) -> Self {
        Self(entropy)
    }
}

impl Drop for ClientSecret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ClientSecret(..)")
    }
}

/// Which question a permanent answer belongs to. Not the collection: creating it again must not draw again.
#[derive(Debug, Clone, Copy)]
pub struct MemoContext<'a> {
    /// Who asks, for example a web origin.
    pub origin: &'a str,
    /// What is asked.
    pub attribute: &'a str,
}

/// One person's memoised answers to one question.
pub struct MemoizedClient<M> {
    layers: Memoized<M>,
    secret: ClientSecret,
    origin: String,
    attribute: String,
}

impl<M: Relayed> MemoizedClient<M> {
    /// The permanent answer itself. Sending it is **linkable**: whoever sees it twice knows that it may be the same
    /// person. It spends the same for-ever epsilon as the fresh reports do.
    ///
    /// # Errors
    /// When the input lies outside the domain.
    pub fn linkable_permanent_report(&self, input: &u32) -> Result<M::Report, InputError> {
        self.layers.permanent.randomize(input, &mut self.permanent_generator(*input))
    }

    /// A generator that is the same for the same secret, question and value, and unrelated otherwise.
    fn permanent_generator(&self, value: u32) -> Generator {
        let mut hasher = blake3::Hasher::new_keyed(&self.secret.0);
        for part in ["privet permanent answer 1", self.origin.as_str(), self.attribute.as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        // The fingerprint covers the domain, the mechanism and its weights.
        hasher.update(&self.layers.permanent.fingerprint().to_bytes()).update(&value.to_le_bytes());
        Generator::from_entropy(*hasher.finalize().as_bytes())
    }
}

impl<M: Relayed> Mechanism for MemoizedClient<M> {
    type Domain = Categories;
    type Report = M::Report;
    const INFO: MechanismInfo = M::INFO;

    fn domain(&self) -> &Categories {
        self.layers.permanent.domain()
    }

    /// The fresh layer's: what each report adds, whatever was sent before.
    fn guarantee(&self) -> Guarantee {
        self.layers.instantaneous.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.layers.oracle_fingerprint()
    }

    fn report_bits(&self) -> u32 {
        self.layers.instantaneous.report_bits()
    }

    fn report_bytes(&self) -> usize {
        self.layers.instantaneous.report_bytes()
    }

    fn randomize<R: CryptoRng + ?Sized>(&self, input: &u32, rng: &mut R) -> Result<M::Report, InputError> {
        let permanent = self.linkable_permanent_report(input)?;
        Ok(self.layers.instantaneous.relay(&permanent, rng))
    }

    fn encode(&self, report: &M::Report, slot: &mut [u8]) {
        self.layers.instantaneous.encode(report, slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<M::Report, ReportError> {
        self.layers.instantaneous.decode(slot)
    }
}

impl<M: fmt::Debug> fmt::Debug for MemoizedClient<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MemoizedClient")
            .field("layers", &self.layers)
            .field("origin", &self.origin)
            .field("attribute", &self.attribute)
            .finish_non_exhaustive()
    }
}
