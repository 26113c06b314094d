//! What is learned from a summary, or how much is missing until something is shown.

use crate::document::{self, AttributeDocument, PublicDocument};
use crate::estimator::PartSummary;
use crate::kind::AttributeKind;
use crate::summary::{PolicySummary, Slice, Tally};
use crate::terms::{Contribution, Repetition};
use privet_core::{EstimateError, Guarantee, ParameterError, Target};
use privet_estimators::{Answer, Frequencies, PlaceShares, Request};

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
    /// The epoch, if it is about one.
    pub epoch: Option<u32>,
    /// The public value, if it is about the people with one.
    pub public: Option<PublicDocument>,
    /// What is learned.
    pub outcome: Outcome,
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
                let request = Request { took_part: self.took_part(summary, slice), ..request.clone() };
                match estimator.answer(part, &request) {
                    // A single vector shows no spread, whatever the minimum is.
                    Err(EstimateError::TooFewReports { needed, .. }) => {
                        Outcome::Withheld { minimum_reports: needed }
                    }
                    answer => Outcome::Answer(Box::new(of_places(answer?, asked.kind()))),
                }
            }
            _ => Outcome::Withheld { minimum_reports },
        };
        Ok(AttributeEstimate {
            attribute: asked.terms().name.clone(),
            slice,
            n,
            guarantee: asked.guarantee(),
            epoch: None,
            public: self.public(slice),
            outcome,
        })
    }

    /// Refuses to speak about a population where reports come from several epochs in each of which the same people may have answered:
    /// they would count as people who were drawn anew.
    ///
    /// # Errors
    /// When that is so.
    pub fn check_target(&self, target: Target, epochs: usize) -> Result<(), ParameterError> {
        if target == Target::Reported || epochs < 2 || self.policy().terms().answers == Repetition::Once {
            return Ok(());
        }
        let reason = format!(
            "the same people may have answered in each of {epochs} epochs, so together these say nothing about a population: ask for \
             one epoch, or about the people who reported"
        );
        Err(ParameterError::Incompatible { reason })
    }

    /// Where a lottery decided which question a person answers: how many people of the slice took part in it, which each of them
    /// did with one question.
    fn took_part(&self, summary: &PolicySummary, slice: Slice) -> Option<u64> {
        let is_lottery = self.policy().terms().contribution.kind == Contribution::Sample;
        let attributes = 0..self.policy().attributes().len();
        let reports = |attribute: usize| summary.part(attribute, slice).map_or(0, PartSummary::count);
        is_lottery.then(|| attributes.map(reports).fold(0, u64::saturating_add))
    }

    fn public(&self, slice: Slice) -> Option<PublicDocument> {
        let Slice::Public { field, value } = slice else { return None };
        let field = self.policy().terms().public.get(field)?;
        Some(PublicDocument { field: field.name.clone(), value: field.values.get(value)?.clone() })
    }
}

impl AttributeEstimate {
    /// The estimate as the command line and the collector write it.
    pub fn document(&self) -> AttributeDocument {
        let (answer, minimum_reports) = match &self.outcome {
            Outcome::Answer(answer) => (Some((&**answer).into()), None),
            Outcome::Withheld { minimum_reports } => (None, Some(*minimum_reports)),
        };
        AttributeDocument {
            attribute: self.attribute.clone(),
            n: self.n,
            guarantee: document::guarantee(&self.guarantee),
            withheld: minimum_reports.is_some(),
            minimum_reports,
            epoch: self.epoch,
            public: self.public.clone(),
            answer,
        }
    }
}

/// Reports about the cells of a grid, by a mechanism on categories, are about places all the same.
fn of_places(answer: Answer, kind: &AttributeKind) -> Answer {
    match (answer, kind) {
        (Answer::Frequencies(found), AttributeKind::Place { rectangle, side }) => {
            let Frequencies { rows: cells, n, method } = found;
            Answer::Places(PlaceShares { rectangle: *rectangle, side: *side, cells, n, method })
        }
        (answer, _) => answer,
    }
}
