//! Mechanisms with a known defect, to show that the battery would find it.

use privet_core::{
    Categories, Channel, CryptoRng, Domain, Fingerprint, Fraction, Guarantee, InputError, Mechanism,
    MechanismInfo, Piece, ReportBuffer, ReportError,
};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{FrequencyOracle, Support};

/// A mechanism that does not do what it states.
#[derive(Debug, Clone)]
pub struct Tampered<M: Mechanism> {
    inner: M,
    tampering: Tampering<M>,
}

/// A change to a drawn report: mechanism, input, report, changed report.
pub type ReportChange<M> =
    fn(&M, <<M as Mechanism>::Domain as Domain>::Value, <M as Mechanism>::Report) -> <M as Mechanism>::Report;

/// What is wrong.
#[derive(Debug, Clone)]
pub enum Tampering<M: Mechanism> {
    /// Drawn reports are changed, while the channel states the honest law.
    Report(ReportChange<M>),
    /// Inputs for which this holds take one more random word.
    ExtraWord(fn(&<M::Domain as Domain>::Value) -> bool),
    /// The channel states double probabilities for the inputs for which this holds.
    DoubledProbability(fn(&<M::Domain as Domain>::Value) -> bool),
    /// The channel states half of its worst ratio.
    HalvedRatio,
    /// A batch draws its reports in reverse order.
    ReversedBatch,
}

impl<M: Mechanism> Tampered<M> {
    /// Tampers with a mechanism.
    pub fn new(inner: M, tampering: Tampering<M>) -> Self {
        Self { inner, tampering }
    }

    /// Changes the drawn reports.
    pub fn reports(inner: M, change: ReportChange<M>) -> Self {
        Self::new(inner, Tampering::Report(change))
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
        let report = self.inner.randomize(input, rng)?;
        match self.tampering {
            Tampering::Report(change) => return Ok(change(&self.inner, *input, report)),
            Tampering::ExtraWord(applies) if applies(input) => _ = rng.next_u64(),
            _ => {}
        }
        Ok(report)
    }

    fn encode(&self, report: &M::Report, slot: &mut [u8]) {
        self.inner.encode(report, slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<M::Report, ReportError> {
        self.inner.decode(slot)
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[<M::Domain as Domain>::Value],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        let mut drawn = Vec::new();
        for input in inputs {
            drawn.push(self.randomize(input, rng)?);
        }
        if matches!(self.tampering, Tampering::ReversedBatch) {
            drawn.reverse();
        }
        for (report, slot) in drawn.iter().zip(reports.extend_slots(inputs.len())) {
            self.encode(report, slot);
        }
        Ok(())
    }
}

impl<M: Channel> Channel for Tampered<M> {
    fn probability(&self, input: &<M::Domain as Domain>::Value, report: &M::Report) -> Fraction {
        let honest = self.inner.probability(input, report);
        match self.tampering {
            Tampering::DoubledProbability(applies) if applies(input) => &honest * &Fraction::whole(2),
            _ => honest,
        }
    }

    fn worst_ratio(&self) -> Fraction {
        let honest = self.inner.worst_ratio();
        match self.tampering {
            Tampering::HalvedRatio => &honest / &Fraction::whole(2),
            _ => honest,
        }
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
