//! Mechanisms with a known defect, to show that the battery would find it.

use privet_core::{
    Categories, Channel, CryptoRng, Domain, Fingerprint, Fraction, Guarantee, InputError, Mechanism,
    MechanismInfo, Piece, ReportBuffer, ReportError,
};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{FrequencyOracle, Support};

/// A mechanism that states one channel and draws from another.
#[derive(Debug, Clone)]
pub struct Tampered<M: Mechanism> {
    inner: M,
    tampering: Tampering<M>,
}

/// What is done to a drawn report: input, report, tampered report.
pub type Tampering<M> =
    fn(&M, <<M as Mechanism>::Domain as Domain>::Value, <M as Mechanism>::Report) -> <M as Mechanism>::Report;

impl<M: Mechanism> Tampered<M> {
    /// Tampers with a mechanism.
    pub fn new(inner: M, tampering: Tampering<M>) -> Self {
        Self { inner, tampering }
    }
}

impl<M: Mechanism> Mechanism for Tampered<M> {
    type Domain = M::Domain;
    type Report = M::Report;
    const INFO: MechanismInfo = M::INFO;

    fn domain(&self) -> &M::Domain {
        self.inner.domain()
    }

    fn guarantee(&self) -> Guarantee {
        self.inner.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.inner.fingerprint()
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
        Ok((self.tampering)(&self.inner, *input, self.inner.randomize(input, rng)?))
    }

    fn encode(&self, report: &M::Report, slot: &mut [u8]) {
        self.inner.encode(report, slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<M::Report, ReportError> {
        self.inner.decode(slot)
    }
}

impl<M: Channel> Channel for Tampered<M> {
    fn probability(&self, input: &<M::Domain as Domain>::Value, report: &M::Report) -> Fraction {
        self.inner.probability(input, report)
    }

    fn likelihood_ratio(
        &self,
        inputs: &[<M::Domain as Domain>::Value; 2],
        report: &M::Report,
    ) -> Option<Fraction> {
        self.inner.likelihood_ratio(inputs, report)
    }

    fn worst_ratio(&self) -> Fraction {
        self.inner.worst_ratio()
    }

    fn worst_inputs(&self) -> [<M::Domain as Domain>::Value; 2] {
        self.inner.worst_inputs()
    }

    fn all_reports(&self, limit: usize) -> Option<Vec<M::Report>> {
        self.inner.all_reports(limit)
    }

    fn pieces(&self, input: Option<&<M::Domain as Domain>::Value>) -> Vec<Piece> {
        self.inner.pieces(input)
    }
}

impl<M: Mechanism + FrequencyOracle> FrequencyOracle for Tampered<M> {
    fn categories(&self) -> &Categories {
        self.inner.categories()
    }

    fn oracle_fingerprint(&self) -> Fingerprint {
        self.inner.oracle_fingerprint()
    }

    fn oracle_report_bytes(&self) -> usize {
        self.inner.oracle_report_bytes()
    }

    fn support(&self) -> Support {
        self.inner.support()
    }

    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError> {
        self.inner.tally(reports, counts)
    }
}

impl<M: Mechanism + HasEstimator> HasEstimator for Tampered<M> {
    type Estimator = M::Estimator;
    fn estimator(&self) -> M::Estimator {
        self.inner.estimator()
    }
}
