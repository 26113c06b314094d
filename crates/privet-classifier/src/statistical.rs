//! Bounds from drawn reports, for classifiers of which nothing is known and for many sensitive features.

use crate::bound::{Bound, Method};
use crate::classifier::{BATCH, ask, check_determinism};
use crate::law::ReportLaw;
use crate::record::{Record, Sensitive};
use crate::{Classifier, ClassifierError};
use privet_core::Generator;
use privet_estimators::statistics::{BinomialCount, clopper_pearson};

/// A share of drawn reports with the record's label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Empirical {
    /// The share.
    pub share: f64,
    /// The bound that it gives.
    pub bound: Bound,
}

/// Draws reports of a record under one product of laws and counts how many have its label.
pub(crate) fn count_same(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    laws: &[ReportLaw<'_>],
    samples: usize,
    rng: &mut Generator,
) -> Result<BinomialCount, ClassifierError> {
    let label = label_of(classifier, record)?;
    let mut same = 0;
    let mut left = samples;
    while left > 0 {
        let batch = left.min(BATCH);
        let mut rows = Vec::with_capacity(batch * record.values().len());
        for _ in 0..batch {
            push_report(&mut rows, record, sensitive, laws, rng);
        }
        if left == samples {
            check_determinism(classifier, &rows[..batch.min(64) * record.values().len()])?;
        }
        same += ask(classifier, &rows)?.into_iter().filter(|one| *one == label).count();
        left -= batch;
    }
    let none = || ClassifierError::LabelCount { expected: samples, got: same };
    BinomialCount::new(same as u64, samples as u64).ok_or_else(none)
}

/// The label of the record itself.
pub(crate) fn label_of(classifier: &dyn Classifier, record: &Record) -> Result<usize, ClassifierError> {
    let labels = classifier.labels(record.values())?;
    match labels.as_slice() {
        [label] => Ok(*label),
        other => Err(ClassifierError::LabelCount { expected: 1, got: other.len() }),
    }
}

/// Appends the record with its sensitive features randomised.
fn push_report(
    rows: &mut Vec<f64>,
    record: &Record,
    sensitive: &Sensitive,
    laws: &[ReportLaw<'_>],
    rng: &mut Generator,
) {
    let start = rows.len();
    rows.extend(record.values());
    for (feature, law) in sensitive.features().iter().zip(laws) {
        rows[start + feature] = law.draw(rng);
    }
}

/// The exact interval of a count, if `alpha` is the probability with which it alone may be wrong. `confidence` is what is
/// said about all of them.
pub(crate) fn empirical(count: BinomialCount, alpha: f64, confidence: f64) -> Empirical {
    let interval = clopper_pearson(count, alpha);
    Empirical {
        share: count.successes() as f64 / (count.trials().max(1)) as f64,
        bound: Bound { lower: interval.lower, upper: interval.upper, method: Method::Sampled, confidence },
    }
}
