//! Permanent answers, for mechanisms that are known by name only.

use crate::registry::AnyEstimator;
use privet_core::{
    Build, BuildOptions, Categories, DomainSpec, Epsilon, Fingerprint, Generator, Guarantee, InputError,
    Mechanism, ParameterError, ReportBuffer, ReportError,
};
use privet_estimators::HasEstimator;
use privet_mechanisms::categorical::{
    FrequencyOracle, GeneralizedRandomizedResponse, OptimizedUnaryEncoding, RandomizedResponse, Support,
    SymmetricUnaryEncoding,
};
use privet_mechanisms::wrapper::{ClientSecret, MemoContext, Memoized, Relayed};
use std::fmt::Debug;

/// A permanent layer and a fresh one behind one face.
pub(crate) trait AnyMemoized: Debug + Send + Sync {
    /// What each report adds.
    fn fresh(&self) -> Guarantee;

    /// What all reports together reveal about one value.
    fn permanent(&self) -> Guarantee;

    /// What a single report reveals if it stays the only one.
    fn single_report(&self) -> Guarantee;

    /// Which permanent answers these are: reports of two collections share them if this is the same.
    fn permanent_fingerprint(&self) -> Fingerprint;

    /// How its reports are read one by one.
    fn oracle(&self) -> &dyn FrequencyOracle;

    fn report_bytes(&self) -> usize;

    fn report_bits(&self) -> u32;

    fn check_report(&self, report: &[u8]) -> Result<(), ReportError>;

    /// Draws a report of a category with one person's secret.
    fn randomize(
        &self,
        secret: ClientSecret,
        context: MemoContext<'_>,
        value: u32,
        rng: &mut Generator,
    ) -> Result<Vec<u8>, InputError>;
}

#[derive(Debug)]
struct Layers<M> {
    permanent: M,
    fresh: M,
    memoized: Memoized<M>,
}

impl<M: Relayed + Clone + 'static> AnyMemoized for Layers<M> {
    fn fresh(&self) -> Guarantee {
        self.fresh.guarantee()
    }

    fn permanent(&self) -> Guarantee {
        self.permanent.guarantee()
    }

    fn single_report(&self) -> Guarantee {
        self.memoized.single_report()
    }

    fn permanent_fingerprint(&self) -> Fingerprint {
        self.permanent.fingerprint()
    }

    fn oracle(&self) -> &dyn FrequencyOracle {
        &self.memoized
    }

    fn report_bytes(&self) -> usize {
        self.fresh.report_bytes()
    }

    fn report_bits(&self) -> u32 {
        self.fresh.report_bits()
    }

    fn check_report(&self, report: &[u8]) -> Result<(), ReportError> {
        self.fresh.decode(report).map(drop)
    }

    fn randomize(
        &self,
        secret: ClientSecret,
        context: MemoContext<'_>,
        value: u32,
        rng: &mut Generator,
    ) -> Result<Vec<u8>, InputError> {
        let client = self.memoized.for_client(secret, context);
        let mut reports = ReportBuffer::new(client.report_bytes());
        client.randomize_batch(&[value], rng, &mut reports)?;
        Ok(reports.as_bytes().to_vec())
    }
}

/// A mechanism whose answers can be permanent.
pub(crate) struct MemoRow {
    pub(crate) id: &'static str,
    pub(crate) build: MemoBuilder,
}

/// Makes both layers from the epsilon of the permanent one and that of the fresh one.
type MemoBuilder = fn(&DomainSpec, LayerEpsilons) -> Result<Box<dyn AnyMemoized>, ParameterError>;

/// How much each layer may reveal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayerEpsilons {
    pub(crate) forever: Epsilon,
    pub(crate) report: Epsilon,
}

impl<M: Relayed + Build + Clone + Mechanism<Domain = Categories>> Layers<M> {
    fn new(domain: &DomainSpec, epsilons: LayerEpsilons) -> Result<Self, ParameterError> {
        let layer = |epsilon| M::build_with(domain, epsilon, &BuildOptions::default());
        let (permanent, fresh) = (layer(epsilons.forever)?, layer(epsilons.report)?);
        let memoized = Memoized::new(permanent.clone(), fresh.clone())?;
        Ok(Self { permanent, fresh, memoized })
    }
}

impl MemoRow {
    const fn of<M: Relayed + Build + Clone + Mechanism<Domain = Categories> + 'static>() -> Self {
        Self { id: M::INFO.id, build: |domain, epsilons| Ok(Box::new(Layers::<M>::new(domain, epsilons)?)) }
    }
}

/// The estimator of such a mechanism. Devices do without.
pub(crate) struct MemoEstimatorRow {
    pub(crate) id: &'static str,
    pub(crate) build: MemoEstimatorBuilder,
}

type MemoEstimatorBuilder = fn(&DomainSpec, LayerEpsilons) -> Result<Box<dyn AnyEstimator>, ParameterError>;

impl MemoEstimatorRow {
    const fn of<M>() -> Self
    where
        M: Relayed + Build + Clone + Mechanism<Domain = Categories> + 'static,
        Memoized<M>: HasEstimator<Estimator: AnyEstimator>,
    {
        Self {
            id: M::INFO.id,
            build: |domain, epsilons| Ok(Box::new(Layers::<M>::new(domain, epsilons)?.memoized.estimator())),
        }
    }
}

/// Every mechanism whose answers can be permanent.
pub(crate) const ROWS: &[MemoRow] = &[
    MemoRow::of::<RandomizedResponse>(),
    MemoRow::of::<GeneralizedRandomizedResponse>(),
    MemoRow::of::<SymmetricUnaryEncoding>(),
    MemoRow::of::<OptimizedUnaryEncoding>(),
];

/// Their estimators, in the same order.
pub(crate) const ESTIMATORS: &[MemoEstimatorRow] = &[
    MemoEstimatorRow::of::<RandomizedResponse>(),
    MemoEstimatorRow::of::<GeneralizedRandomizedResponse>(),
    MemoEstimatorRow::of::<SymmetricUnaryEncoding>(),
    MemoEstimatorRow::of::<OptimizedUnaryEncoding>(),
];

/// The standard error of the share of a category that hardly anybody holds, for one report.
pub(crate) fn rare_standard_error(layers: &dyn AnyMemoized) -> f64 {
    let Support { own, other } = layers.oracle().support();
    let (own, other) = (own.to_f64(), other.to_f64());
    (other * (1.0 - other)).sqrt() / (own - other)
}
