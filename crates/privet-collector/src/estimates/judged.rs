//! An estimate with what its reader needs to judge it.

use privet_estimators::numeric::{Angles, Numbers};
use privet_estimators::{Answer, Plausibility, Robust, RobustRow, Verdict};
use privet_policy::document::AttributeDocument;
use privet_policy::{AttributeEstimate, Outcome};
use serde::Serialize;

/// What is learned about one attribute from one slice of the reports, and how far that can be trusted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judged {
    pub(crate) estimate: AttributeEstimate,
    /// Nothing where nothing is shown, and for vectors.
    pub(crate) trust: Option<Trust>,
    /// How many reports a distribution rests on, which may be a little older than the rest.
    pub(crate) distribution_n: Option<u64>,
}

/// How far an estimate can be trusted if somebody cheats. What a mechanism has no answer to is not there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trust {
    pub(crate) plausibility: Option<Plausibility>,
    /// The most that one report can change.
    pub(crate) influence: Option<f64>,
    pub(crate) robust: Option<Robust>,
}

impl Judged {
    /// What is learned, if it is not withheld.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match &self.estimate.outcome {
            Outcome::Answer(answer) => Some(answer),
            Outcome::Withheld { .. } => None,
        }
    }

    /// The mean of all reports, beside a distribution that may be older.
    pub(super) fn with_distribution_of(mut self, older: &Self) -> Self {
        if let (Outcome::Answer(own), Some(older)) = (&mut self.estimate.outcome, older.answer()) {
            match (&mut **own, older.clone()) {
                (Answer::Numbers(own), Answer::Numbers(older)) => {
                    *own = Numbers { mean: own.mean, n: own.n, ..older };
                }
                (Answer::Angles(own), Answer::Angles(older)) => {
                    let Angles { direction, direction_told, resultant_length, n, .. } = *own;
                    *own = Angles { direction, direction_told, resultant_length, n, ..older };
                }
                _ => {}
            }
        }
        self.distribution_n = Some(older.estimate.n);
        self
    }

    /// Bounds on the truth have the noise of the honest reports in them.
    pub(super) fn with_noise_in_bounds(mut self) -> Self {
        if let (Outcome::Answer(answer), Some(trust)) = (&self.estimate.outcome, &mut self.trust) {
            trust.robust = trust.robust.take().map(|robust| robust.with_noise(answer));
        }
        self
    }

    pub(crate) fn document(&self) -> JudgedDocument {
        JudgedDocument {
            estimate: self.estimate.document(),
            trust: self.trust.as_ref().map(TrustDocument::of),
            distribution_n: self.distribution_n,
        }
    }
}

/// What programs get: the keys of every estimate, and the collector's own.
#[derive(Debug, Serialize)]
pub(crate) struct JudgedDocument {
    #[serde(flatten)]
    pub(crate) estimate: AttributeDocument,
    #[serde(flatten)]
    trust: Option<TrustDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) distribution_n: Option<u64>,
}

#[derive(Debug, Serialize)]
struct TrustDocument {
    plausibility: Option<PlausibilityDocument>,
    influence: Option<f64>,
    robust: Option<RobustDocument>,
}

#[derive(Debug, Serialize)]
struct PlausibilityDocument {
    verdict: &'static str,
    warning: bool,
    statistic: f64,
    p_bound: f64,
    explanation: String,
}

#[derive(Debug, Serialize)]
struct RobustDocument {
    method: &'static str,
    fakes: f64,
    rows: Vec<RobustRowDocument>,
}

#[derive(Debug, Serialize)]
struct RobustRowDocument {
    label: String,
    value: f64,
    bounds: Option<[f64; 2]>,
}

impl TrustDocument {
    fn of(trust: &Trust) -> Self {
        let plausibility = trust.plausibility.as_ref().map(|found| PlausibilityDocument {
            verdict: found.verdict.as_str(),
            warning: found.verdict == Verdict::Implausible,
            statistic: found.statistic,
            p_bound: found.p_bound,
            explanation: found.explanation.clone(),
        });
        let row = |row: &RobustRow| RobustRowDocument {
            label: row.label.clone(),
            value: row.value,
            bounds: row.bounds,
        };
        let robust = trust.robust.as_ref().map(|robust| RobustDocument {
            method: robust.method,
            fakes: robust.fakes,
            rows: robust.rows.iter().map(row).collect(),
        });
        Self { plausibility, influence: trust.influence, robust }
    }
}
