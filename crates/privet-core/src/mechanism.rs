//! The device's half: what every mechanism is and does.

use crate::domain::{Domain, DomainSpec};
use crate::error::{InputError, ParameterError, ReportError};
use crate::fingerprint::Fingerprint;
use crate::fraction::Fraction;
use crate::guarantee::Guarantee;
use crate::parameter::{Delta, Epsilon};
use crate::report::ReportBuffer;
use rand_core::CryptoRng;
use std::fmt::Debug;

/// Randomises values on the person's own device.
///
/// Mechanisms are immutable and hold no generator. Everything visible in a report has a fixed length that
/// depends on the parameters only.
pub trait Mechanism: Debug + Send + Sync {
    /// Where the private values come from.
    type Domain: Domain;
    /// What leaves the device.
    type Report: Clone + Debug + PartialEq + Send + Sync;

    /// What this mechanism is called and what it promises, in words.
    const INFO: MechanismInfo;

    /// The public set of possible values.
    fn domain(&self) -> &Self::Domain;

    /// What one report promises, computed from the weights that the sampler uses.
    fn guarantee(&self) -> Guarantee;

    /// A short name for the mechanism with all its parameters.
    fn fingerprint(&self) -> Fingerprint;

    /// How many bits a report has.
    fn report_bits(&self) -> u32;

    /// Draws one report.
    ///
    /// # Errors
    /// When the input lies outside the domain. The error does not contain it.
    fn randomize<R: CryptoRng + ?Sized>(
        &self,
        input: &<Self::Domain as Domain>::Value,
        rng: &mut R,
    ) -> Result<Self::Report, InputError>;

    /// Writes a report into a slot of [`Mechanism::report_bytes`] zero bytes; a slot of another length stays unreadable.
    fn encode(&self, report: &Self::Report, slot: &mut [u8]);

    /// Reads a report that was received, and refuses what this mechanism cannot have written.
    ///
    /// # Errors
    /// When the length is wrong or the content is impossible.
    fn decode(&self, slot: &[u8]) -> Result<Self::Report, ReportError>;

    /// How many bytes an encoded report has.
    fn report_bytes(&self) -> usize {
        (self.report_bits() as usize).div_ceil(8)
    }

    /// Draws a report for each input and appends it to `reports`. The inputs are checked before anything is
    /// drawn, so an error leaves `reports` as it was. Draws in the same order as [`Mechanism::randomize`].
    ///
    /// # Errors
    /// When an input lies outside the domain; the error names its position.
    fn randomize_batch<R: CryptoRng + ?Sized>(
        &self,
        inputs: &[<Self::Domain as Domain>::Value],
        rng: &mut R,
        reports: &mut ReportBuffer,
    ) -> Result<(), InputError> {
        self.check_batch(inputs, reports)?;
        for (input, slot) in inputs.iter().zip(reports.extend_slots(inputs.len())) {
            self.encode(&self.randomize(input, rng)?, slot);
        }
        Ok(())
    }

    /// Refuses a buffer of another width, and a batch with a value outside the domain, naming its position.
    ///
    /// # Errors
    /// When there is one.
    fn check_batch(
        &self,
        inputs: &[<Self::Domain as Domain>::Value],
        reports: &ReportBuffer,
    ) -> Result<(), InputError> {
        if reports.report_bytes() != self.report_bytes() {
            return Err(InputError::Buffer { expected: self.report_bytes(), got: reports.report_bytes() });
        }
        // Nearly always all are inside, and a search that may end early is slower than looking at everything.
        if inputs.iter().fold(true, |all, input| all & self.domain().contains(input)) {
            return Ok(());
        }
        let before = inputs.iter().take_while(|input| self.domain().contains(input)).count();
        Err(self.domain().outside().at(before as u64 + 1))
    }

    /// Refuses a slot of the wrong length.
    ///
    /// # Errors
    /// When the length is not [`Mechanism::report_bytes`].
    fn check_length(&self, slot: &[u8]) -> Result<(), ReportError> {
        let expected = self.report_bytes();
        if slot.len() == expected { Ok(()) } else { Err(ReportError::Length { expected, got: slot.len() }) }
    }
}

/// A mechanism whose report probabilities are known exactly.
pub trait Channel: Mechanism {
    /// The probability that this input gives this report.
    fn probability(&self, input: &<Self::Domain as Domain>::Value, report: &Self::Report) -> Fraction;

    /// How much likelier a report is under the first input than under the second, or `None` where it is impossible
    /// under the second. Mechanisms with long reports override it: only the parts that depend on the inputs matter.
    fn likelihood_ratio(
        &self,
        inputs: &[<Self::Domain as Domain>::Value; 2],
        report: &Self::Report,
    ) -> Option<Fraction> {
        let [first, second] = inputs;
        self.probability(first, report).checked_div(&self.probability(second, report))
    }

    /// The largest ratio of the probabilities of one report under two inputs, over all reports and inputs.
    fn worst_ratio(&self) -> Fraction;

    /// Two inputs between which the largest ratio occurs.
    fn worst_inputs(&self) -> [<Self::Domain as Domain>::Value; 2];

    /// Every possible report, if there are at most `limit`.
    fn all_reports(&self, limit: usize) -> Option<Vec<Self::Report>>;

    /// The channel in a few numbers, for `describe`; with an input, for that input.
    fn pieces(&self, input: Option<&<Self::Domain as Domain>::Value>) -> Vec<Piece>;
}

/// A mechanism that is made from a domain and an epsilon alone.
pub trait Build: Sized {
    /// Builds the mechanism on a written domain.
    ///
    /// # Errors
    /// When the domain is of another kind, or the parameters do not fit.
    fn build(domain: &DomainSpec, epsilon: Epsilon) -> Result<Self, ParameterError>;

    /// Builds the mechanism with parameters that only some mechanisms take.
    ///
    /// # Errors
    /// As for [`Build::build`], and when a parameter is given that this mechanism does not take.
    fn build_with(
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Self, ParameterError> {
        options.refuse_unless(false, false)?;
        Self::build(domain, epsilon)
    }
}

/// Parameters that only some mechanisms take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BuildOptions {
    /// How much probability the guarantee leaves out, for mechanisms that have one. There is no default.
    pub delta: Option<Delta>,
    /// How many parts a mechanism on a grid cuts its domain into.
    pub bins: Option<u32>,
}

impl BuildOptions {
    /// Refuses parameters that a mechanism does not take: a setting must not be dropped silently.
    ///
    /// # Errors
    /// When one is given that is not taken.
    pub fn refuse_unless(&self, takes_delta: bool, takes_bins: bool) -> Result<(), ParameterError> {
        let name = if self.delta.is_some() && !takes_delta {
            "delta"
        } else if self.bins.is_some() && !takes_bins {
            "number of bins"
        } else {
            return Ok(());
        };
        Err(ParameterError::Incompatible { reason: format!("this mechanism takes no {name}") })
    }
}

/// One part of a channel's law.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What the part is: a category, a bit, a range.
    pub what: String,
    /// How many outcomes have this probability.
    pub outcomes: u64,
    /// The probability of each.
    pub mass: f64,
    /// Where the part lies, if it is a range of numbers.
    pub extent: Option<Extent>,
}

/// A range of numbers over which a probability is spread evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The lower end.
    pub from: f64,
    /// The upper end; the same as the lower one for a single point.
    pub to: f64,
    /// The probability of each unit of length; infinite for a single point.
    pub density: f64,
}

impl Piece {
    /// A part with one outcome.
    pub fn one(what: impl Into<String>, mass: &Fraction) -> Self {
        Self { what: what.into(), outcomes: 1, mass: mass.to_f64(), extent: None }
    }

    /// A part whose probability is spread evenly over a range of numbers, or sits on a single one.
    pub fn range(from: f64, to: f64, mass: &Fraction) -> Self {
        let mass = mass.to_f64();
        let what = if from == to { format!("{from}") } else { format!("{from} to {to}") };
        Self { what, outcomes: 1, mass, extent: Some(Extent { from, to, density: mass / (to - from) }) }
    }

    /// A part with several outcomes of the same probability.
    pub fn each(what: impl Into<String>, outcomes: u64, mass: &Fraction) -> Self {
        Self { what: what.into(), outcomes, mass: mass.to_f64(), extent: None }
    }
}

/// What is said about a mechanism in tables, help texts and documentation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MechanismInfo {
    /// The name that programs use.
    pub id: &'static str,
    /// Other names that people know it by.
    pub synonyms: &'static [&'static str],
    /// The name that people read.
    pub title: &'static str,
    /// The kind of domain.
    pub domain: &'static str,
    /// What it is good for.
    pub goal: &'static str,
    /// The kind of guarantee.
    pub guarantee: &'static str,
    /// How exact the program is.
    pub numerics: Numerics,
    /// How far below the requested epsilon the exact one is, and why.
    pub slack: &'static str,
    /// The paper or papers.
    pub reference: &'static str,
    /// How settled it is.
    pub status: &'static str,
}

/// How exact the sampler is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Numerics {
    /// Integer weights, integer thresholds: the guarantee holds for the program.
    IntegerExact,
    /// The law is stated for real numbers; the report is rounded to a public lattice, and the page bounds what rounding does.
    RealArithmetic,
}

impl Numerics {
    /// The words for tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IntegerExact => "integer-exact",
            Self::RealArithmetic => "real-arithmetic",
        }
    }
}
