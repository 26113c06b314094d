//! Moving values into the domain, by request only.

use privet_core::{
    CryptoRng, Domain, Fingerprint, Guarantee, InputError, Mechanism, MechanismInfo, ReportError,
};

/// A mechanism that moves a value outside the domain to the nearest one inside, instead of refusing it.
///
/// The reports are those of the inner mechanism and so is the guarantee: what was outside is not seen in the report.
#[derive(Debug, Clone)]
pub struct Clamped<M>(M);

/// Adapters that every mechanism has.
pub trait MechanismExt: Mechanism + Sized {
    /// Accepts values outside the domain by moving them to the nearest one inside.
    fn clamped(self) -> Clamped<Self> {
        Clamped(self)
    }
}

impl<M: Mechanism> MechanismExt for M {}

impl<M: Mechanism> Mechanism for Clamped<M> {
    type Domain = M::Domain;
    type Report = M::Report;
    const INFO: MechanismInfo = M::INFO;

    fn domain(&self) -> &M::Domain {
        self.0.domain()
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint()
    }

    fn report_bits(&self) -> u32 {
        self.0.report_bits()
    }

    fn report_bytes(&self) -> usize {
        self.0.report_bytes()
    }

    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &<M::Domain as Domain>::Value,
        rng: &mut R,
    ) -> Result<M::Report, InputError> {
        self.0.randomize(&self.domain().nearest(*input), rng)
    }

    fn encode(&self, report: &M::Report, slot: &mut [u8]) {
        self.0.encode(report, slot);
    }

    fn decode(&self, slot: &[u8]) -> Result<M::Report, ReportError> {
        self.0.decode(slot)
    }

    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[<M::Domain as Domain>::Value],
        rng: &mut R,
        reports: &mut privet_core::ReportBuffer,
    ) -> Result<(), InputError> {
        let nearest: Vec<_> = inputs.iter().map(|input| self.domain().nearest(*input)).collect();
        self.0.randomize_batch(&nearest, rng, reports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::categorical::GeneralizedRandomizedResponse;
    use privet_core::{Categories, Epsilon, Generator};

    #[test]
    fn clamping_is_explicit() {
        let categories = Categories::new(5).unwrap();
        let plain = GeneralizedRandomizedResponse::new(categories, Epsilon::new(30.0).unwrap()).unwrap();
        let mut rng = Generator::from_insecure_seed(1);
        assert!(plain.randomize(&9, &mut rng).is_err());
        // At epsilon 30 the true category is all but certain.
        assert_eq!(plain.clamped().randomize(&9, &mut rng).unwrap().0, 4);
    }
}
