//! What is learned from a summary, or how much is missing until something is shown.

use crate::attribute::Attribute;
use crate::estimator::PartSummary;
use crate::kind::AttributeKind;
use crate::statement::GuaranteeStatement;
use crate::summary::{PolicySummary, Slice, Tally};
use privet_core::{Estimate, EstimateError, Guarantee};
use privet_estimators::numeric::{Quantile, RangeShare};
use privet_estimators::{Answer, Frequencies, Frequency, Request};
use serde_json::{Value, json};

/// What is learned about one attribute from one slice of the reports.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeEstimate {
    /// The attribute.
    pub attribute: String,
    /// Which reports it is about.
    pub slice: Slice,
    /// How many reports answered it.
    pub n: u64,
    /// What each report promises.
    pub guarantee: Guarantee,
    /// What is learned.
    pub outcome: Outcome,
    kind: AttributeKind,
}

/// What is learned, or why nothing is shown.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Values with intervals.
    Answer(Box<Answer>),
    /// There are too few reports to show anything.
    Withheld {
        /// How many it takes.
        minimum_reports: u64,
    },
}

impl Tally {
    /// What a summary says about an attribute; withheld below the policy's minimum of reports.
    ///
    /// # Errors
    /// When the summary belongs to another policy or is damaged, or the estimate does not exist.
    pub fn estimate(
        &self,
        summary: &PolicySummary,
        attribute: usize,
        slice: Slice,
        request: &Request,
    ) -> Result<AttributeEstimate, EstimateError> {
        let policy = self.policy();
        if summary.policy() != policy.id() {
            let (expected, got) = (policy.id().to_string(), summary.policy().to_string());
            return Err(EstimateError::Foreign { expected, got });
        }
        let unknown = || EstimateError::Damaged { reason: "the policy has no such attribute" };
        let asked = policy.attributes().get(attribute).ok_or_else(unknown)?;
        let minimum_reports = u64::from(policy.terms().minimum_reports);
        let part = summary.part(attribute, slice);
        let n = part.map_or(0, PartSummary::count);
        let outcome = match part {
            Some(part) if n >= minimum_reports => {
                let of_some = self.of_some[attribute].as_ref().filter(|_| slice != Slice::All);
                let estimator = of_some.unwrap_or(&self.estimators[attribute]);
                match estimator.answer(part, request) {
                    // A single vector shows no spread, whatever the minimum is.
                    Err(EstimateError::TooFewReports { needed, .. }) => {
                        Outcome::Withheld { minimum_reports: needed }
                    }
                    answer => Outcome::Answer(Box::new(answer?)),
                }
            }
            _ => Outcome::Withheld { minimum_reports },
        };
        Ok(AttributeEstimate::new(asked, slice, n, outcome))
    }
}

impl AttributeEstimate {
    fn new(attribute: &Attribute, slice: Slice, n: u64, outcome: Outcome) -> Self {
        Self {
            attribute: attribute.terms().name.clone(),
            slice,
            n,
            guarantee: attribute.guarantee(),
            outcome,
            kind: attribute.kind().clone(),
        }
    }

    /// The estimate as the command line and the collector write it.
    pub fn to_json(&self) -> Value {
        let mut document = json!({
            "attribute": self.attribute,
            "n": self.n,
            "guarantee": GuaranteeStatement::from(self.guarantee),
            "withheld": matches!(self.outcome, Outcome::Withheld { .. }),
        });
        match &self.outcome {
            Outcome::Withheld { minimum_reports } => document["minimum_reports"] = json!(minimum_reports),
            Outcome::Answer(answer) => self.add_answer(&mut document, answer),
        }
        document
    }

    fn add_answer(&self, document: &mut Value, answer: &Answer) {
        match answer {
            Answer::Frequencies(frequencies) => {
                document["method"] = json!(frequencies.method);
                document["estimates"] =
                    frequencies.rows.iter().enumerate().map(|row| self.row_json(row, frequencies)).collect();
            }
            Answer::Vector(vector) => {
                document["method"] = json!(vector.coordinates.first().map(|coordinate| coordinate.method));
                document["estimates"] = vector.coordinates.iter().map(estimate_json).collect();
            }
            Answer::Numbers(numbers) => {
                add_centre(document, &numbers.mean);
                document["distribution_method"] = json!(numbers.method.as_str());
                document["distribution"] = shares_json(&numbers.bins);
                document["ranges"] = shares_json(&numbers.ranges);
                document["quantiles"] = numbers.quantiles.iter().map(quantile_json).collect();
            }
            Answer::Angles(angles) => {
                add_centre(document, &angles.direction);
                document["distribution_method"] = json!(angles.method.as_str());
                document["distribution"] = shares_json(&angles.bins);
                document["ranges"] = shares_json(&angles.ranges);
                document["resultant_length"] = estimate_json(&angles.resultant_length);
            }
        }
    }

    fn row_json(&self, (index, row): (usize, &Frequency), all: &Frequencies) -> Value {
        let mut json = estimate_json(&row.estimate);
        json["label"] = json!(row.label);
        json["simultaneous_interval"] = json!(row.simultaneous_interval);
        json["n"] = json!(row.estimate.n);
        json["method"] = json!(all.method);
        if let AttributeKind::Place { rectangle, side } | AttributeKind::Path { rectangle, side, .. } =
            &self.kind
        {
            let cell = [index as u32 % side, index as u32 / side];
            let corner =
                |step: u32| rectangle.point_at(cell.map(|cell| f64::from(cell + step) / f64::from(*side)));
            json["from"] = json!(corner(0));
            json["to"] = json!(corner(1));
        }
        json
    }
}

fn estimate_json(estimate: &Estimate) -> Value {
    json!({
        "value": estimate.value,
        "standard_error": estimate.standard_error,
        "interval": estimate.interval,
    })
}

fn add_centre(document: &mut Value, centre: &Estimate) {
    document["value"] = json!(centre.value);
    document["standard_error"] = json!(centre.standard_error);
    document["interval"] = json!(centre.interval);
    document["method"] = json!(centre.method);
}

fn shares_json(rows: &[RangeShare]) -> Value {
    let share = |row: &RangeShare| {
        json!({
            "from": row.from,
            "to": row.to,
            "share": row.share.value,
            "standard_error": row.share.standard_error,
            "interval": row.share.interval,
        })
    };
    rows.iter().map(share).collect()
}

fn quantile_json(quantile: &Quantile) -> Value {
    let mut json = estimate_json(&quantile.value);
    json["level"] = json!(quantile.level);
    json
}
