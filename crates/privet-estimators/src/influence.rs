//! How much one report can do.

use crate::NumberEstimator;
use crate::reading::Reading;
use crate::summary::CountSummary;
use privet_core::{EstimateError, Mechanism, Summary};

/// The largest change that exchanging one of the reports can make to an estimate, whatever the reports are: from the
/// coefficients with which reports enter it. Consistency steps are not part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Influence {
    /// On the frequency of each category, in the order of the estimate.
    Frequencies(Vec<f64>),
    /// On the mean. Where the channel is biased the coefficients are fitted to the reports; they are held fixed.
    Mean(f64),
}

impl Influence {
    /// The largest of all.
    pub fn largest(&self) -> f64 {
        match self {
            Self::Frequencies(rows) => rows.iter().copied().fold(0.0, f64::max),
            Self::Mean(mean) => *mean,
        }
    }

    pub(crate) fn of_mean(
        estimator: &NumberEstimator,
        summary: &CountSummary,
    ) -> Result<Self, EstimateError> {
        Ok(Self::Mean(estimator.mean_of_groups(summary)?.range / summary.count() as f64))
    }

    /// A report that supports a category adds `1 / (n (own - other))` more to its frequency than one that does not; report
    /// y of a table adds `b_iy / n` to that of category i.
    pub(crate) fn of_frequencies(
        reading: Reading<'_>,
        summary: &CountSummary,
    ) -> Result<Self, EstimateError> {
        if summary.count() == 0 {
            return Err(EstimateError::TooFewReports { needed: 1, got: 0 });
        }
        let n = summary.count() as f64;
        let refused = |method| EstimateError::Step { step: "influence", method };
        let (count, range) = match reading {
            Reading::Support(oracle) => {
                let support = oracle.support();
                (oracle.categories().count() as usize, 1.0 / support.own.minus(&support.other).to_f64())
            }
            Reading::Table(table) => {
                let inverse = table.inverse.ok_or(refused("a table without an inverse"))?;
                let rows = inverse.row_iter().map(|row| (row.max() - row.min()) / n);
                return Ok(Self::Frequencies(rows.collect()));
            }
            // One bucket of the row, less what falls there by chance.
            Reading::Sketch(mechanism) => {
                let elsewhere = 1.0 - 1.0 / f64::from(mechanism.parameters().width);
                let difference = mechanism.thresholds().difference();
                (mechanism.domain().count() as usize, 1.0 / (difference * elsewhere))
            }
            Reading::Bloom(_) => return Err(refused("least squares over Bloom patterns")),
            Reading::Words => return Err(refused("a prefix tree")),
            Reading::Places(_) => return Err(refused("densities of places")),
            Reading::Numbers(_) => return Err(refused("distributions of numbers or angles")),
        };
        Ok(Self::Frequencies(vec![range / n; count]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Consistency;
    use crate::testing::Case;
    use privet_core::{Category, Probability, ReportBuffer, Values};

    /// All exchanges of the last of a few reports: the largest change is the stated one.
    #[test]
    fn no_exchange_does_more_and_one_does_as_much() {
        for id in ["grr", "ordered-exponential", "hr"] {
            let case = Case::new(id, "categories:5", 1.0);
            let base = case.reports(&Values::Categories(vec![0, 1, 2, 3, 4, 0, 1]), 3);
            let estimates: Vec<Vec<f64>> = (0..8u8)
                .filter_map(|last| {
                    let mut reports = base.clone();
                    reports.push(&[last]).unwrap();
                    let mut summary = case.estimator.empty_summary();
                    case.estimator.accumulate(&mut summary, &reports).ok()?;
                    let rows = case.estimator.estimate(&summary, Consistency::None).unwrap().rows;
                    Some(rows.iter().map(|row| row.estimate.value).collect())
                })
                .collect();
            let summary = case.summary(&case.reports(&Values::Categories(vec![0; 8]), 1));
            let Influence::Frequencies(stated) = case.estimator.influence(&summary).unwrap() else {
                panic!()
            };
            for (category, stated) in stated.iter().enumerate() {
                let values = || estimates.iter().map(|estimate| estimate[category]);
                let change = values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min);
                assert!((change - stated).abs() < 1e-9, "{id}: {change} {stated}");
            }
        }
    }

    /// The linear estimate of the mean, which bounds without forgeries are about, with one of many reports exchanged.
    #[test]
    fn the_mean_moves_by_the_range_of_weights() {
        let case = Case::small("piecewise", 1.0);
        let cells = case.estimator.numeric().unwrap().output_cells();
        let mean = |last: u32| {
            let mut reports = ReportBuffer::new(case.mechanism.report_bytes());
            for cell in (0..2000).map(|report| report * (cells / 2000)).chain([last]) {
                reports.extend_slots(1).for_each(|slot| Category(cell).write(slot));
            }
            let summary = case.summary(&reports);
            let robust = case.estimator.robust(&summary, Probability::new(0.0).unwrap()).unwrap();
            (robust.rows[0].bounds.unwrap()[0], case.estimator.influence(&summary).unwrap())
        };
        let means: Vec<f64> = (0..=200).map(|part| mean((cells - 1) / 200 * part).0).collect();
        let change =
            means.iter().copied().fold(f64::MIN, f64::max) - means.iter().copied().fold(f64::MAX, f64::min);
        let stated = mean(0).1.largest();
        assert!(change <= stated + 1e-12 && change > 0.95 * stated, "{change} {stated}");
    }

    /// The fitted coefficients of a biased channel follow the value: their mean under x grows with x, one to one.
    #[test]
    fn coefficients_of_a_biased_channel_follow_the_value() {
        let case = Case::small("square-wave", 2.0);
        let channel = case.estimator.numeric().unwrap();
        let people = (0..20_000).map(|i| f64::from(i) / 10_000.0 - 1.0).collect();
        let summary = case.summary(&case.reports(&Values::Numbers(people), 8));
        let influence = case.estimator.influence(&summary).unwrap().largest() * 20_000.0;
        // An unbiased function of reports cannot vary less than the values do; the reports themselves reach 1 + 2 b = 1.51 times
        // as far, and have to be stretched by one over the slope of their mean.
        let width = channel.space().width();
        assert!((width..10.0 * width).contains(&influence), "{influence}");
    }

    #[test]
    fn what_is_no_mean_over_reports_has_none() {
        let case = Case::small("rappor", 1.0);
        let summary = case.summary(&case.reports(&Values::Categories(vec![0; 10]), 1));
        assert!(matches!(case.estimator.influence(&summary), Err(EstimateError::Step { .. })));
        let empty = Case::small("oue", 1.0);
        let refused = empty.estimator.influence(&empty.estimator.empty_summary());
        assert!(matches!(refused, Err(EstimateError::TooFewReports { .. })));
    }
}
