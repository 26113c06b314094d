//! Choosing: which mechanism at which epsilon meets a target, which features cost most, and how a budget is divided.

use crate::bound::Bound;
use crate::curve::Options;
use crate::dataset::{DataRow, quantify_all};
use crate::law::ReportChannel;
use crate::record::{ProductChannel, Record, Sensitive};
use crate::{Classifier, ClassifierError};
use privet_core::{BuildOptions, Epsilon, Generator};
use std::sync::Arc;

/// For whom a target must be met.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// For every record.
    Everyone,
    /// On average over all records.
    Average,
    /// For this share of the records, for example 0.95.
    Share(f64),
}

impl Goal {
    /// The bound that the target is held against.
    pub fn bound(self, row: &DataRow) -> Bound {
        match self {
            Self::Everyone => row.worst(),
            Self::Average => row.average(),
            Self::Share(share) => row.for_share(share),
        }
    }
}

/// A mechanism at an epsilon that meets a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recommendation {
    /// The mechanism's id.
    pub mechanism: &'static str,
    /// The epsilon of each sensitive feature.
    pub epsilon: f64,
    /// What is certain about the goal.
    pub bound: Bound,
}

/// For each mechanism the smallest epsilon whose lower bound meets the target; the smallest of all first, and among equal
/// epsilons the one with the largest lower bound. Mechanisms that never meet it are left out.
pub fn smallest_epsilons(rows: &[DataRow], goal: Goal, target: f64) -> Vec<Recommendation> {
    let mut found: Vec<Recommendation> = Vec::new();
    for row in rows {
        let bound = goal.bound(row);
        if bound.lower < target {
            continue;
        }
        let new = Recommendation { mechanism: row.mechanism, epsilon: row.epsilon, bound };
        match found.iter_mut().find(|one| one.mechanism == row.mechanism) {
            Some(one) if one.epsilon > row.epsilon => *one = new,
            Some(_) => {}
            None => found.push(new),
        }
    }
    found.sort_by(|one, two| {
        one.epsilon.total_cmp(&two.epsilon).then(two.bound.lower.total_cmp(&one.bound.lower))
    });
    found
}

/// A question about a classifier and people, for one mechanism. Where bounds come from samples, the confidence is that of each
/// answer by itself.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The classifier.
    pub classifier: &'a dyn Classifier,
    /// The people.
    pub records: &'a [Record],
    /// What is private about them.
    pub sensitive: &'a Sensitive,
    /// The mechanism's id.
    pub mechanism: &'a str,
    /// Its further parameters.
    pub parameters: BuildOptions,
    /// For whom.
    pub goal: Goal,
    /// How bounds are found. No reports are drawn beside proofs.
    pub options: Options,
}

/// What one sensitive feature costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureCost {
    /// The feature.
    pub feature: usize,
    /// The bound if it alone is randomised.
    pub alone: Bound,
    /// The bound if all others are randomised and it is not; `None` if there are no others.
    pub without: Option<Bound>,
}

/// A total epsilon, divided.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// The epsilon of each sensitive feature, in their order.
    pub epsilons: Vec<f64>,
    /// What is certain with these.
    pub bound: Bound,
    /// What is certain if all features get the same.
    pub equal: Bound,
}

impl Case<'_> {
    fn bound(
        &self,
        sensitive: &Sensitive,
        product: ProductChannel,
        rng: &mut Generator,
    ) -> Result<Bound, ClassifierError> {
        let options = Options { beside: 0, ..self.options };
        let rows = quantify_all(self.classifier, self.records, sensitive, &[product], &options, rng)?;
        Ok(rows.first().map_or(Bound::unknown(1.0), |row| self.goal.bound(row)))
    }

    fn with_features(
        &self,
        features: Vec<usize>,
        epsilon: Epsilon,
        rng: &mut Generator,
    ) -> Result<Bound, ClassifierError> {
        let sensitive = Sensitive::new(features, self.classifier)?;
        let product = ProductChannel::named(self.mechanism, epsilon, &self.parameters, &sensitive)?;
        self.bound(&sensitive, product, rng)
    }

    /// What each sensitive feature costs at an epsilon for each, the most expensive one (alone) first.
    ///
    /// # Errors
    /// As for [`quantify_all`].
    pub fn feature_costs(
        &self,
        epsilon: Epsilon,
        rng: &mut Generator,
    ) -> Result<Vec<FeatureCost>, ClassifierError> {
        let features = self.sensitive.features();
        let mut costs = Vec::with_capacity(features.len());
        for feature in features.iter().copied() {
            let others: Vec<usize> = features.iter().copied().filter(|other| *other != feature).collect();
            let alone = self.with_features(vec![feature], epsilon, rng)?;
            let without =
                if others.is_empty() { None } else { Some(self.with_features(others, epsilon, rng)?) };
            costs.push(FeatureCost { feature, alone, without });
        }
        costs.sort_by(|one, two| one.alone.lower.total_cmp(&two.alone.lower));
        Ok(costs)
    }

    fn bound_of_split(&self, epsilons: &[Epsilon], rng: &mut Generator) -> Result<Bound, ClassifierError> {
        let channel = |epsilon: &Epsilon| -> Result<Arc<ReportChannel>, ClassifierError> {
            Ok(Arc::new(ReportChannel::named(self.mechanism, *epsilon, &self.parameters)?))
        };
        let channels = epsilons.iter().map(channel).collect::<Result<_, _>>()?;
        self.bound(self.sensitive, ProductChannel::new(channels)?, rng)
    }

    /// Divides a total epsilon over the sensitive features so that the lower bound of the goal is large: parts are moved from
    /// one feature to another as long as that helps, in ever smaller steps. It is a search without a proof; the bound that
    /// is given for its result is found afresh and holds.
    ///
    /// # Errors
    /// As for [`quantify_all`].
    pub fn split(&self, total: Epsilon, rng: &mut Generator) -> Result<Split, ClassifierError> {
        const HALVINGS: u32 = 4;
        const MOST_ROUNDS: u32 = 16;
        let count = self.sensitive.count();
        let mut weights = vec![1.0; count];
        let equal = self.bound_of_split(&total.shared(&weights)?, rng)?;
        let mut best = equal.lower;
        let mut step = 0.5;
        for _ in 0..HALVINGS {
            for _ in 0..MOST_ROUNDS {
                let mut moved = false;
                for (from, to) in (0..count).flat_map(|from| (0..count).map(move |to| (from, to))) {
                    if from == to || weights[from] <= step * 1.001 {
                        continue;
                    }
                    let mut other = weights.clone();
                    other[from] -= step;
                    other[to] += step;
                    let bound = self.bound_of_split(&total.shared(&other)?, rng)?;
                    if bound.lower > best + 1e-9 {
                        (weights, best, moved) = (other, bound.lower, true);
                    }
                }
                if !moved {
                    break;
                }
            }
            step /= 2.0;
        }
        let epsilons = total.shared(&weights)?;
        let bound = self.bound_of_split(&epsilons, rng)?;
        Ok(Split { bound, epsilons: epsilons.iter().map(|epsilon| epsilon.get()).collect(), equal })
    }
}
