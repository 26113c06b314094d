//! What is asked about a record, and what scores must be like for its label to stay the same.

use crate::classifier::BATCH;
use crate::record::{Record, Sensitive};
use crate::{Classifier, ClassifierError};
use privet_model::{Model, TIE};

/// A record whose label is to stay the same.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    classifier: &'a dyn Classifier,
    model: &'a Model,
    label: usize,
    pub(crate) record: &'a Record,
    pub(crate) sensitive: &'a Sensitive,
    pub(crate) margins: Vec<Margin>,
}

impl<'a> Question<'a> {
    /// A question about a record with this label.
    pub(crate) fn new(
        (classifier, model): (&'a dyn Classifier, &'a Model),
        (record, label): (&'a Record, usize),
        sensitive: &'a Sensitive,
    ) -> Self {
        let margins = Margin::of_label(model, label, classifier.decides_ties());
        Self { classifier, model, label, record, sensitive, margins }
    }

    /// Whether the report in the upper corner of a box has the record's label.
    pub(crate) fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        let reports: Vec<f64> = area.iter().map(|[_, high]| *high).collect();
        Ok(self.ask_all(&reports)? == [true])
    }

    /// Which of the reports, laid one after the other, have the record's label.
    pub(crate) fn ask_all(&self, reports: &[f64]) -> Result<Vec<bool>, ClassifierError> {
        let mut answers = Vec::with_capacity(reports.len() / self.sensitive.count());
        for batch in reports.chunks(BATCH * self.sensitive.count()) {
            let mut rows = Vec::new();
            for report in batch.chunks(self.sensitive.count()) {
                let start = rows.len();
                rows.extend(self.record.values());
                for (feature, value) in self.sensitive.features().iter().zip(report) {
                    rows[start + feature] = *value;
                }
            }
            if self.leaves_ties_open() {
                answers.extend(self.classifier.labels(&rows)?.into_iter().map(|label| label == self.label));
            } else {
                for row in rows.chunks(self.record.values().len()) {
                    answers.push(self.model.predict(row)? == self.label);
                }
            }
        }
        Ok(answers)
    }

    /// Whether scores that are tied do not tell the label.
    pub(crate) fn leaves_ties_open(&self) -> bool {
        self.classifier.decides_ties()
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
    /// The margins of a label, after the rule of [`Model::label`]; or, where ties are open, with a gap in which nothing is
    /// known between the two levels.
    fn of_label(model: &Model, label: usize, leaves_ties_open: bool) -> Vec<Self> {
        if model.outputs() == 1 {
            let (plus, minus, sign) = if label == 1 { (Some(0), None, 1.0) } else { (None, Some(0), -1.0) };
            let level = sign * model.threshold();
            let [certain, possible] =
                if leaves_ties_open { [level + TIE, level - TIE] } else { [level + sign * TIE; 2] };
            return vec![Self { plus, minus, certain, possible }];
        }
        let others = (0..model.outputs()).filter(|other| *other != label);
        let margin = |other: usize| {
            // A lower class wins ties. With three or more classes the largest score may be a third one's, which is above
            // this label's by at most a tie.
            let [certain, possible] = match (leaves_ties_open, other < label, model.outputs()) {
                (true, ..) => [TIE, -TIE],
                (_, true, 2) => [TIE, TIE],
                (_, true, _) => [TIE, 0.0],
                (_, false, _) => [-TIE, -TIE],
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
