//! The truth with a small probability, and otherwise a private report.

use crate::categorical::{PeakedResponse, PeakedRule};
use crate::lattice::{LatticeChannel, LatticeMechanism, LatticeRule};
use privet_core::{
    Category, Channel, CryptoRng, Delta, Domain, Fingerprint, FingerprintBuilder, Fraction, Guarantee,
    InputError, Mechanism, MechanismInfo, ParameterError, Piece, ReportError,
};

/// A mechanism one of whose reports says the truth, as well as its reports can.
///
/// The report of the truth is likeliest under the input itself and least likely under the other one of the inner
/// mechanism's two worst inputs, which is how the exact ratio of [`Indicator`] is found.
pub trait Truthful: Channel {
    /// The report that says the truth.
    fn truth(&self, input: &<Self::Domain as Domain>::Value) -> Self::Report;
}

impl<K: PeakedRule> Truthful for PeakedResponse<K> {
    fn truth(&self, input: &u32) -> Category {
        Category(*input)
    }
}

impl<K: LatticeRule> Truthful for LatticeMechanism<K> {
    /// The report that stands for the nearest number. It is one of the public lattice, so it shows no low bits.
    fn truth(&self, input: &f64) -> Category {
        let (mut low, mut high) = (0, self.output_cells() - 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.output_value(middle) < *input { low = middle + 1 } else { high = middle }
        }
        let distance = |cell: u32| (self.output_value(cell) - input).abs();
        let below = low.saturating_sub(1);
        Category(if distance(below) < distance(low) { below } else { low })
    }
}

/// The privacy indicator: the truth with probability delta, otherwise the report of the inner mechanism.
///
/// # What it protects
/// Whatever the inner mechanism protects, except with probability delta, with which nothing is protected.
/// # Formula
/// P(y given x) = (1 - delta) P_inner(y given x) + delta [y = truth(x)].
/// # Domain
/// That of the inner mechanism, whose reports must be able to say the truth: randomised response and the mechanisms on
/// numbers and angles.
/// # Guarantee
/// (epsilon, delta) in the standard sense, tight where the inner ratio is reached at the true report. **Not** the
/// probabilistic one: a report of the truth is exposed however it came about, so the probability of a log-ratio above
/// epsilon is that of [`Indicator::exposed`], for two categories at epsilon 1 and delta .1 already .758.
/// # Cost
/// One random word more than the inner mechanism, whatever is reported.
/// # Numerics
/// Integer-exact: delta is a whole number of 2^64 words, rounded down.
/// # When not to use it
/// To protect people: one in 1/delta of them is simply exposed. It shows what a delta may mean.
/// # Reference
/// Y. Zheng's dissertation, chapter 7, Theorem 17. Deviation: the theorem claims the probabilistic guarantee, which holds only in the
/// limit of reports without mass on single points.
/// # Example
/// ```
/// use privet_core::{Categories, Delta, Epsilon, Mechanism};
/// use privet_mechanisms::categorical::GeneralizedRandomizedResponse;
/// use privet_mechanisms::wrapper::Indicator;
/// let inner = GeneralizedRandomizedResponse::new(Categories::new(2)?, Epsilon::new(1.0)?)?;
/// let indicator = Indicator::new(inner, Delta::new(0.1)?)?;
/// assert_eq!(indicator.guarantee().kind(), "approximate");
/// assert!((indicator.exposed(&0).to_f64() - 0.758).abs() < 1e-3);
/// # Ok::<(), privet_core::ParameterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Indicator<M> {
    inner: M,
    /// How many of 2^64 words lead to the truth.
    words: u64,
    guarantee: Guarantee,
}

impl<M: Truthful> Indicator<M> {
    /// Wraps a mechanism with a pure guarantee.
    ///
    /// # Errors
    /// When delta is zero, or the inner guarantee is not pure.
    pub fn new(inner: M, delta: Delta) -> Result<Self, ParameterError> {
        let Guarantee::Pure { epsilon } = inner.guarantee() else {
            return Err(ParameterError::Incompatible {
                reason: "an indicator needs a mechanism with a pure guarantee".into(),
            });
        };
        let words = (delta.get() * 2f64.powi(64)) as u64;
        if words == 0 {
            return Err(ParameterError::Incompatible { reason: "an indicator needs a delta above 0".into() });
        }
        Ok(Self { inner, words, guarantee: Guarantee::Approximate { epsilon, delta } })
    }

    /// The probability of the report that says the truth: whoever sends it has a log-ratio above epsilon.
    pub fn exposed(&self, input: &<M::Domain as Domain>::Value) -> Fraction {
        self.probability(input, &self.inner.truth(input))
    }
}

impl<M: Truthful> Mechanism for Indicator<M> {
    type Domain = M::Domain;
    type Report = M::Report;
    const INFO: MechanismInfo = MechanismInfo {
        id: "indicator",
        synonyms: &[],
        title: "Privacy indicator",
        guarantee: "approximate",
        slack: "none",
        reference: "Zheng (dissertation), chapter 7, Theorem 17, corrected",
        status: "for comparison",
        ..M::INFO
    };

    fn domain(&self) -> &M::Domain {
        self.inner.domain()
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee
    }

    fn fingerprint(&self) -> Fingerprint {
        let mut builder = FingerprintBuilder::new(Self::INFO.id);
        builder.number(u64::from_le_bytes(self.inner.fingerprint().to_bytes())).number(self.words).finish()
    }

    fn report_bits(&self) -> u32 {
        self.inner.report_bits()
    }

    fn report_bytes(&self) -> usize {
        self.inner.report_bytes()
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &<M::Domain as Domain>::Value,
        rng: &mut R,
    ) -> Result<M::Report, InputError> {
        // Both are always drawn: how many words a report takes must not tell which it is.
        let is_truth = rng.next_u64() < self.words;
        let report = self.inner.randomize(input, rng)?;
        Ok(if is_truth { self.inner.truth(input) } else { report })
    }

    fn encode(&self, report: &M::Report, slot: &mut [u8]) {
        self.inner.encode(report, slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<M::Report, ReportError> {
        self.inner.decode(slot)
    }
}

impl<M: Truthful> Channel for Indicator<M> {
    fn probability(&self, input: &<M::Domain as Domain>::Value, report: &M::Report) -> Fraction {
        let private = &Fraction::of_complement(self.words) * &self.inner.probability(input, report);
        if *report == self.inner.truth(input) { &private + &Fraction::of_weight(self.words) } else { private }
    }

    /// The ratio at the true report, far above e^epsilon: without delta there is hardly a guarantee.
    fn worst_ratio(&self) -> Fraction {
        let [first, second] = self.inner.worst_inputs();
        let at_truth = |input, other| {
            let report = self.inner.truth(&input);
            self.probability(&input, &report).checked_div(&self.probability(&other, &report))
        };
        let exposed = [at_truth(first, second), at_truth(second, first)];
        exposed.into_iter().flatten().fold(self.inner.worst_ratio(), Fraction::max)
    }

    fn worst_inputs(&self) -> [<M::Domain as Domain>::Value; 2] {
        self.inner.worst_inputs()
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<M::Report>> {
        self.inner.all_reports(limit)
    }

    fn pieces(&self, input: Option<&<M::Domain as Domain>::Value>) -> Vec<Piece> {
        let share = Fraction::of_complement(self.words).to_f64();
        let mut pieces = self.inner.pieces(input);
        for piece in &mut pieces {
            piece.mass *= share;
            if let Some(extent) = &mut piece.extent {
                extent.density *= share;
            }
        }
        pieces.push(Piece::one("the truth", &Fraction::of_weight(self.words)));
        pieces
    }
}
