//! The search for the papers' radius and box, by testing hypotheses with Hoeffding's inequality.

use super::Hyperrectangle;
use crate::classifier::{BATCH, ask, check_determinism};
use crate::record::{Record, Sensitive, check_fit};
use crate::region::farthest;
use crate::statistical::label_of;
use crate::{Classifier, ClassifierError};
use privet_core::{Generator, Rng};

/// The papers' parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// tau: the share of other labels that a box may hold.
    pub tolerance: f64,
    /// omega: the error rate of one test.
    pub error: f64,
    /// How finely radius and ends are found.
    pub precision: f64,
}

impl Default for Search {
    /// The values of the papers' case studies.
    fn default() -> Self {
        Self { tolerance: 0.01, error: 0.05, precision: 1e-3 }
    }
}

impl Search {
    /// How many points are drawn for one test: ln(2 / omega) / (2 (tau / 2)^2).
    pub fn samples(&self) -> usize {
        let half = self.tolerance / 2.0;
        ((2.0 / self.error).ln() / (2.0 * half * half)).ceil() as usize
    }

    fn check(&self) -> Result<(), ClassifierError> {
        let named = [("tolerance", self.tolerance), ("error", self.error), ("precision", self.precision)];
        for (option, got) in named {
            if !(got > 0.0 && got < 1.0) {
                return Err(ClassifierError::Option { option, allowed: "between 0 and 1", got });
            }
        }
        // Below this a single test would draw more than 10^9 points.
        if self.tolerance < 1e-4 {
            let got = self.tolerance;
            return Err(ClassifierError::Option { option: "tolerance", allowed: "at least 0.0001", got });
        }
        Ok(())
    }
}

/// The papers' robustness radius: the largest distance, the same for all sensitive features, within which the test passes.
/// Boxes are cut off at 0 and 1.
///
/// # Errors
/// When the classifier cannot be asked or contradicts itself, or the parameters do not fit.
pub fn radius(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    search: &Search,
    rng: &mut Generator,
) -> Result<f64, ClassifierError> {
    let mut test = Test::new(classifier, record, sensitive, *search, rng)?;
    let around = |theta: f64| -> Vec<[f64; 2]> {
        let end = |value: f64| [(value - theta).max(0.0), (value + theta).min(1.0)];
        record.sensitive(sensitive).map(end).collect()
    };
    farthest([0.0, 1.0], search.precision, |theta| test.passes(&around(theta)))
}

/// The papers' robustness hyperrectangle: the box of the radius, with ends moved outwards as far as the test passes.
///
/// # Errors
/// As for [`radius`].
pub fn hyperrectangle(
    classifier: &dyn Classifier,
    record: &Record,
    sensitive: &Sensitive,
    search: &Search,
    rng: &mut Generator,
) -> Result<Hyperrectangle, ClassifierError> {
    let theta = radius(classifier, record, sensitive, search, rng)?;
    let mut test = Test::new(classifier, record, sensitive, *search, rng)?;
    let start = |value: f64| [(value - theta).max(0.0), (value + theta).min(1.0)];
    let mut ends: Vec<[f64; 2]> = record.sensitive(sensitive).map(start).collect();
    // Which box is found depends on the order, which the papers leave open. Here: all upper ends, then all lower ends, again and
    // again until none moves, so that the box is maximal.
    let count = ends.len();
    let mut has_moved = true;
    while has_moved {
        has_moved = false;
        for (side, feature) in (0..2 * count).map(|turn| (usize::from(turn < count), turn % count)) {
            let (from, outermost) = (ends[feature][side], if side == 0 { 0.0 } else { 1.0 });
            if from == outermost {
                continue;
            }
            let mut longer = ends.clone();
            let end = farthest([from, outermost], search.precision, |end| {
                longer[feature][side] = end;
                test.passes(&longer)
            })?;
            ends[feature][side] = end;
            has_moved |= (end - from).abs() > search.precision;
        }
    }
    Ok(Hyperrectangle { ends })
}

struct Test<'a> {
    classifier: &'a dyn Classifier,
    record: &'a Record,
    sensitive: &'a Sensitive,
    search: Search,
    label: usize,
    rng: &'a mut Generator,
}

impl<'a> Test<'a> {
    fn new(
        classifier: &'a dyn Classifier,
        record: &'a Record,
        sensitive: &'a Sensitive,
        search: Search,
        rng: &'a mut Generator,
    ) -> Result<Self, ClassifierError> {
        search.check()?;
        check_fit(classifier, sensitive, std::slice::from_ref(record))?;
        check_determinism(classifier, record.values())?;
        let label = label_of(classifier, record)?;
        Ok(Self { classifier, record, sensitive, search, label, rng })
    }

    /// Whether at most half the tolerance of uniform points has another label.
    fn passes(&mut self, ends: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        let samples = self.search.samples();
        let most = (self.search.tolerance / 2.0 * samples as f64) as usize;
        let (mut left, mut different) = (samples, 0);
        while left > 0 && different <= most {
            let batch = left.min(BATCH);
            let mut rows = Vec::with_capacity(batch * self.record.values().len());
            for _ in 0..batch {
                let start = rows.len();
                rows.extend(self.record.values());
                for (feature, [from, to]) in self.sensitive.features().iter().zip(ends) {
                    let uniform = (self.rng.next_u64() >> 11) as f64 / 2f64.powi(53);
                    rows[start + feature] = from + uniform * (to - from);
                }
            }
            different += ask(self.classifier, &rows)?.into_iter().filter(|one| *one != self.label).count();
            left -= batch;
        }
        Ok(different <= most)
    }
}
