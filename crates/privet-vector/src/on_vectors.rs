//! Mechanisms on vectors behind the face of all mechanisms.

use crate::estimator::codes_of;
use crate::mechanism::VectorMechanism;
use crate::{VectorError, report_batch};
use privet_core::{
    Fingerprint, Generator, Guarantee, InputError, MechanismInfo, Piece, ReportBuffer, ReportError, Values,
    Vectors,
};
use privet_mechanisms::registry::{AnyMechanism, WorstInput};
use std::sync::Arc;

/// What a vector that cannot be randomised is refused with.
fn input_error(domain: Vectors, error: VectorError) -> InputError {
    match error {
        VectorError::Input(error) => error,
        _ => InputError::WrongKind { domain: domain.to_string() },
    }
}

/// A mechanism on vectors among those on other domains.
#[derive(Debug, Clone)]
pub struct OnVectors(pub Arc<dyn VectorMechanism>);

impl OnVectors {
    fn domain(&self) -> Vectors {
        Vectors::new(self.0.dimension())
    }

    fn codes(&self, report: &[u8]) -> Result<Vec<i32>, ReportError> {
        codes_of(&*self.0, report)
    }
}

impl AnyMechanism for OnVectors {
    fn info(&self) -> MechanismInfo {
        self.0.info()
    }

    fn guarantee(&self) -> Guarantee {
        self.0.guarantee()
    }

    fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint()
    }

    fn report_bits(&self) -> u32 {
        (8 * self.0.report_bytes()) as u32
    }

    fn report_bytes(&self) -> usize {
        self.0.report_bytes()
    }

    fn randomize_batch(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let drawn = report_batch(&*self.0, values, rng).map_err(|error| input_error(self.domain(), error))?;
        let (expected, got) = (self.0.report_bytes(), reports.report_bytes());
        let wrong = |_| InputError::Buffer { expected, got };
        drawn.iter().try_for_each(|report| reports.push(report)).map_err(wrong)
    }

    /// The clip set takes any vector, so there is nothing to move.
    fn randomize_batch_clamped(
        &self,
        values: &Values,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.randomize_batch(values, rng, reports)
    }

    fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        self.0.read(&self.codes(report)?).map(|_| ())
    }

    fn pieces(&self, input: Option<&str>) -> Result<Vec<Piece>, InputError> {
        if let Some(text) = input {
            self.domain().parse_into(text, &mut Vec::new())?;
        }
        Ok(self.0.pieces())
    }

    fn table(&self, _inputs: &[String]) -> Result<Option<Vec<Vec<f64>>>, InputError> {
        Ok(None)
    }

    fn exact_epsilon(&self) -> f64 {
        self.0.guarantee().epsilon().get()
    }

    fn randomize_worst_input(
        &self,
        which: WorstInput,
        count: usize,
        rng: &mut Generator,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        let [first, second] = self.0.worst_vectors();
        let vector = if which == WorstInput::First { first } else { second };
        let coordinates = vector.repeat(count);
        let values = Values::Vectors { dimension: self.0.dimension(), coordinates };
        self.randomize_batch(&values, rng, reports)
    }

    fn worst_log_ratio(&self, report: &[u8]) -> Result<f64, ReportError> {
        let [first, second] = self.0.worst_vectors();
        let ratio = self.0.log_ratio([&first, &second], &self.codes(report)?);
        ratio.map_err(|error| match error {
            VectorError::Report(error) => error,
            _ => ReportError::Impossible { reason: "no report of a vector" },
        })
    }
}
