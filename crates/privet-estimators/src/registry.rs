//! The estimator of every mechanism, with its types erased.

use crate::numeric::Distribution;
use crate::{
    Answer, Consistency, CountSummary, Frequencies, FrequencyEstimation, HasEstimator, Influence,
    NumberEstimator, PlaneEstimator, Reading, Request, Robust,
};
use privet_core::{
    Build, BuildOptions, DomainSpec, Epsilon, EstimateError, Estimator, Mechanism, ParameterError,
    Probability, ReportBuffer, ReportError,
};
use privet_mechanisms::analysis::AnyNumeric;
use privet_mechanisms::plane::PlaneReports;
use privet_mechanisms::{categorical, circle, interval, plane};
use std::fmt::Debug;
use std::sync::Arc;

/// An estimator behind one face, for programs that learn the mechanism's name at run time.
pub trait AnyEstimator: Debug + Send + Sync {
    /// A summary of no reports.
    fn empty_summary(&self) -> CountSummary;

    /// Adds encoded reports; an error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report cannot have been made by the mechanism.
    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError>;

    /// Answers a request.
    ///
    /// # Errors
    /// When there are too few reports, or the request does not fit the mechanism.
    fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError>;

    /// Estimates frequencies, for callers that are only about categories and words.
    ///
    /// # Errors
    /// When there are too few reports, the step does not fit the mechanism, or the mechanism is about numbers.
    fn estimate(&self, summary: &CountSummary, step: Consistency) -> Result<Frequencies, EstimateError> {
        let answer = self.answer(summary, &step.into())?;
        answer.into_frequencies().ok_or(EstimateError::Step { step: step.as_str(), method: DISTRIBUTION })
    }

    /// Only the distribution over bins, if it is about numbers or angles: without the intervals, which take longer.
    ///
    /// # Errors
    /// As for [`AnyEstimator::answer`].
    fn distribution(&self, summary: &CountSummary, request: &Request) -> Result<Distribution, EstimateError> {
        match self.answer(summary, request)? {
            Answer::Numbers(numbers) => Ok(numbers.distribution),
            Answer::Angles(angles) => Ok(angles.distribution),
            Answer::Frequencies(_) | Answer::Places(_) | Answer::Vector(_) => {
                Err(EstimateError::Step { step: request.method.as_str(), method: "frequencies" })
            }
        }
    }

    /// How its reports are read one by one.
    fn reading(&self) -> Reading<'_>;

    /// The largest change that exchanging one report can make.
    ///
    /// # Errors
    /// When there are no reports, or the estimate is not a mean over reports (words, Bloom filters, angles).
    fn influence(&self, summary: &CountSummary) -> Result<Influence, EstimateError>;

    /// What a share of fake reports leaves to be said; see [`Robust`].
    ///
    /// # Errors
    /// As for [`AnyEstimator::influence`], and when the share is one or nearly so.
    fn robust(&self, summary: &CountSummary, fakes: Probability) -> Result<Robust, EstimateError>;

    /// The channel, if it is about numbers or angles: what `analysis` answers questions about.
    fn numeric(&self) -> Option<&dyn AnyNumeric> {
        None
    }
}

/// What the errors call estimates about numbers and angles.
const DISTRIBUTION: &str = "distributions of numbers or angles";

impl<E: FrequencyEstimation> AnyEstimator for E {
    fn empty_summary(&self) -> CountSummary {
        Estimator::empty_summary(self)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        Estimator::accumulate(self, summary, reports)
    }

    fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        self.frequencies(summary, request).map(Answer::Frequencies)
    }

    fn reading(&self) -> Reading<'_> {
        FrequencyEstimation::reading(self)
    }

    fn influence(&self, summary: &CountSummary) -> Result<Influence, EstimateError> {
        Influence::of_frequencies(FrequencyEstimation::reading(self), summary)
    }

    fn robust(&self, summary: &CountSummary, fakes: Probability) -> Result<Robust, EstimateError> {
        Robust::of_frequencies(self, summary, fakes)
    }
}

impl AnyEstimator for NumberEstimator {
    fn empty_summary(&self) -> CountSummary {
        Estimator::empty_summary(self)
    }

    fn accumulate(&self, summary: &mut CountSummary, reports: &ReportBuffer) -> Result<(), ReportError> {
        Estimator::accumulate(self, summary, reports)
    }

    fn answer(&self, summary: &CountSummary, request: &Request) -> Result<Answer, EstimateError> {
        match request.step {
            Consistency::None => NumberEstimator::answer(self, summary, request),
            step => Err(EstimateError::Step { step: step.as_str(), method: DISTRIBUTION }),
        }
    }

    fn distribution(&self, summary: &CountSummary, request: &Request) -> Result<Distribution, EstimateError> {
        NumberEstimator::distribution(self, summary, request.method, request.bins)
    }

    fn reading(&self) -> Reading<'_> {
        Reading::Numbers(self.channel())
    }

    fn influence(&self, summary: &CountSummary) -> Result<Influence, EstimateError> {
        Influence::of_mean(self, summary)
    }

    fn robust(&self, summary: &CountSummary, fakes: Probability) -> Result<Robust, EstimateError> {
        Robust::of_mean(self, summary, fakes)
    }

    fn numeric(&self) -> Option<&dyn AnyNumeric> {
        Some(self.channel())
    }
}

/// One line of the registry.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The mechanism's id.
    pub id: &'static str,
    build: Builder,
}

impl Row {
    /// A row from another crate.
    pub const fn new(id: &'static str, build: Builder) -> Self {
        Self { id, build }
    }

    const fn of<M>() -> Self
    where
        M: Mechanism + Build + HasEstimator<Estimator: AnyEstimator>,
    {
        Self {
            id: M::INFO.id,
            build: |domain, epsilon, options| {
                Ok(Box::new(M::build_with(domain, epsilon, options)?.estimator()) as Box<dyn AnyEstimator>)
            },
        }
    }

    /// The row of a mechanism on places. The number of bins is that of cells along each side of the estimate: the mechanism takes none.
    const fn on_plane<M>() -> Self
    where
        M: Mechanism + Build + PlaneReports + 'static,
    {
        Self {
            id: M::INFO.id,
            build: |domain, epsilon, options| {
                let mechanism = M::build_with(domain, epsilon, &BuildOptions { bins: None, ..*options })?;
                let side = options.bins.unwrap_or(PlaneEstimator::DEFAULT_CELLS_OF_A_SIDE);
                Ok(Box::new(PlaneEstimator::new(Arc::new(mechanism), side)?))
            },
        }
    }

    /// Builds the estimator.
    ///
    /// # Errors
    /// When the parameters do not fit.
    pub fn build(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
    ) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        self.build_with(domain, epsilon, &BuildOptions::default())
    }

    /// Builds the estimator with parameters that only some mechanisms take.
    ///
    /// # Errors
    /// When the parameters do not fit, or one is given that the mechanism does not take.
    pub fn build_with(
        &self,
        domain: &DomainSpec,
        epsilon: Epsilon,
        options: &BuildOptions,
    ) -> Result<Box<dyn AnyEstimator>, ParameterError> {
        (self.build)(domain, epsilon, options)
    }
}

/// Makes an estimator.
pub type Builder = fn(&DomainSpec, Epsilon, &BuildOptions) -> Result<Box<dyn AnyEstimator>, ParameterError>;

/// The estimator of every mechanism, in the order of the mechanisms' registry.
pub const ROWS: &[Row] = &[
    Row::of::<categorical::RandomizedResponse>(),
    Row::of::<categorical::GeneralizedRandomizedResponse>(),
    Row::of::<categorical::SymmetricUnaryEncoding>(),
    Row::of::<categorical::OptimizedUnaryEncoding>(),
    Row::of::<categorical::BinaryLocalHashing>(),
    Row::of::<categorical::OptimizedLocalHashing>(),
    Row::of::<categorical::SubsetSelection>(),
    Row::of::<categorical::HadamardResponse>(),
    Row::of::<categorical::OrderedExponential>(),
    Row::of::<categorical::Rappor>(),
    Row::of::<categorical::CountMeanSketch>(),
    Row::of::<categorical::PrefixTree>(),
    Row::of::<interval::OptimalPiecewise>(),
    Row::of::<interval::OptimalPiecewiseSquared>(),
    Row::of::<interval::OptimalPiecewiseUnbiased>(),
    Row::of::<interval::Piecewise>(),
    Row::of::<interval::PiecewiseCompressed>(),
    Row::of::<interval::PiecewiseTruncated>(),
    Row::of::<interval::SquareWave>(),
    Row::of::<interval::SquareWaveBounded>(),
    Row::of::<interval::SquareWaveCompressed>(),
    Row::of::<interval::SquareWaveTruncated>(),
    Row::of::<interval::Duchi>(),
    Row::of::<interval::Hybrid>(),
    Row::of::<interval::Laplace>(),
    Row::of::<interval::LaplaceTruncated>(),
    Row::of::<interval::LaplaceBounded>(),
    Row::of::<interval::Staircase>(),
    Row::of::<interval::Gaussian>(),
    Row::of::<interval::GaussianProbabilistic>(),
    Row::of::<interval::GridRandomizedResponse>(),
    Row::of::<interval::GridExponential>(),
    Row::of::<circle::OptimalPiecewiseCircle>(),
    Row::of::<circle::OptimalPiecewiseCircleSquared>(),
    Row::of::<circle::SquareWaveCircle>(),
    Row::of::<circle::Purkayastha>(),
    Row::of::<circle::SectorRandomizedResponse>(),
    Row::on_plane::<plane::SquareWindow>(),
];

/// The estimator's row for a mechanism's id or synonym.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Row, ParameterError> {
    let id = privet_mechanisms::registry::find(name)?.info.id;
    ROWS.iter()
        .find(|row| row.id == id)
        .ok_or_else(|| ParameterError::UnknownMechanism { got: name.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mechanism_has_its_estimator() {
        let mechanisms: Vec<_> = privet_mechanisms::registry::ROWS.iter().map(|row| row.info.id).collect();
        let estimators: Vec<_> = ROWS.iter().map(|row| row.id).collect();
        assert_eq!(mechanisms, estimators);
        assert!(find("nonsense").is_err());
    }
}
