//! All checks in one call.

use crate::estimation::{check_estimator, check_merge};
use crate::exact::check_privacy;
use crate::finding::Finding;
use crate::sampler::{check_codec, check_randomness, check_sampler, check_support};
use privet_core::{Categories, Channel, Domain, Epsilon, Mechanism};
use privet_estimators::{FrequencyEstimation, HasEstimator};
use privet_mechanisms::categorical::FrequencyOracle;

/// One mechanism with its parameters, on the bench.
#[derive(Clone, Copy)]
pub struct Battery<'a, M: Mechanism> {
    /// What is tested.
    pub mechanism: &'a M,
    /// Every input, or enough of them.
    pub inputs: &'a [<M::Domain as Domain>::Value],
    /// What was asked for.
    pub epsilon: Epsilon,
    /// How far below that the exact epsilon may be.
    pub slack: f64,
}

impl<M: Mechanism> std::fmt::Debug for Battery<'_, M> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Battery({:?}, {} inputs)", self.mechanism, self.inputs.len())
    }
}

impl<M: Channel + HasEstimator> Battery<'_, M> {
    /// Exact privacy, sampler, shape, randomness and merge laws: what holds for every mechanism.
    ///
    /// # Errors
    /// The first finding.
    pub fn run(&self) -> Result<(), Finding> {
        check_privacy(self.mechanism, self.inputs, self.epsilon, self.slack)?;
        check_codec(self.mechanism, self.inputs)?;
        check_randomness(self.mechanism, self.inputs)?;
        check_sampler(self.mechanism, self.inputs, 20_000)?;
        check_merge(self.mechanism, self.inputs)
    }
}

impl<M: Channel<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation>> Battery<'_, M> {
    /// As [`Battery::run`], and the estimator's bias and variance on a skewed population.
    ///
    /// # Errors
    /// The first finding.
    pub fn run_categorical(&self) -> Result<(), Finding> {
        self.run()?;
        check_estimator(self.mechanism, &skewed_people(self.mechanism.domain().count()), 300)
    }
}

impl<M> Battery<'_, M>
where
    M: Channel<Domain = Categories> + HasEstimator<Estimator: FrequencyEstimation> + FrequencyOracle,
{
    /// As [`Battery::run_categorical`], and the support of every category.
    ///
    /// # Errors
    /// The first finding.
    pub fn run_oracle(&self) -> Result<(), Finding> {
        let last = self.mechanism.domain().count() - 1;
        check_support(self.mechanism, &[0, last / 2, last], 20_000)?;
        self.run_categorical()
    }
}

/// A thousand people, of whom half hold the first category, a quarter the second, and so on.
fn skewed_people(categories: u32) -> Vec<u32> {
    (0u32..1000).map(|person| (person + 1).leading_zeros().wrapping_sub(22).min(categories - 1)).collect()
}

/// The domains and epsilons that every categorical mechanism is tested on.
pub fn categorical_cases() -> impl Iterator<Item = (Categories, Epsilon)> {
    let sizes = [2, 3, 5, 16, 65];
    let epsilons = [0.1, 1.0, 4.0];
    sizes.into_iter().flat_map(move |size| {
        epsilons
            .into_iter()
            .filter_map(move |epsilon| Some((Categories::new(size).ok()?, Epsilon::new(epsilon).ok()?)))
    })
}
