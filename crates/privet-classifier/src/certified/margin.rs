//! What is asked about a record, and what scores must be like for its label to stay the same.

use crate::ClassifierError;
use crate::record::{Record, Sensitive};
use privet_model::{Model, TIE};

/// A record whose label is to stay the same.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    model: &'a Model,
    label: usize,
    pub(crate) record: &'a Record,
    pub(crate) sensitive: &'a Sensitive,
    pub(crate) margins: Vec<Margin>,
}

impl<'a> Question<'a> {
    pub(crate) fn new(
        model: &'a Model,
        record: &'a Record,
        sensitive: &'a Sensitive,
    ) -> Result<Self, ClassifierError> {
        let label = model.predict(record.values())?;
        Ok(Self { model, label, record, sensitive, margins: Margin::of_label(model, label) })
    }

    /// Whether the report in the upper corner of a box has the record's label.
    pub(crate) fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        let mut row = self.record.values().to_vec();
        for (feature, [_, high]) in self.sensitive.features().iter().zip(area) {
            row[*feature] = *high;
        }
        Ok(self.model.predict(&row)? == self.label)
    }

    pub(crate) fn label(&self) -> usize {
        self.label
    }
}

/// A difference of two scores, or one score, that decides about a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Margin {
    /// The score that must be large; none is zero.
    pub(crate) plus: Option<usize>,
    /// The score that must be small; none is zero.
    pub(crate) minus: Option<usize>,
    /// If all differences are above their `certain` level, the label is the same.
    pub(crate) certain: f64,
    /// If one difference is below its `possible` level, it is another.
    pub(crate) possible: f64,
}

impl Margin {
    /// The margins of a label, after the rule of [`Model::label`].
    fn of_label(model: &Model, label: usize) -> Vec<Self> {
        if model.outputs() == 1 {
            let level = model.threshold() + TIE;
            let (plus, minus, level) =
                if label == 1 { (Some(0), None, level) } else { (None, Some(0), -level) };
            return vec![Self { plus, minus, certain: level, possible: level }];
        }
        let others = (0..model.outputs()).filter(|other| *other != label);
        let margin = |other: usize| {
            // A lower class wins ties. With three or more classes the largest score may be a third one's, which is above
            // this label's by at most a tie.
            let [certain, possible] = match (other < label, model.outputs()) {
                (true, 2) => [TIE, TIE],
                (true, _) => [TIE, 0.0],
                (false, _) => [-TIE, -TIE],
            };
            Self { plus: Some(label), minus: Some(other), certain, possible }
        };
        others.map(margin).collect()
    }

    /// A linear function of the scores, such as one input's weights, at this margin.
    pub(crate) fn of(&self, score: impl Fn(usize) -> f64) -> f64 {
        self.plus.map_or(0.0, &score) - self.minus.map_or(0.0, &score)
    }
}
