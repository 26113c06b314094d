//! Networks: bounds on boxes, and on boxes where the network is affine, half-spaces.

use super::linear::HalfSpace;
use super::margin::{Margin, Question};
use super::partition::{Decider, Decision};
use crate::ClassifierError;
use privet_model::Network;

#[derive(Debug)]
pub(crate) struct NetworkDecider<'a> {
    pub(crate) network: &'a Network,
    pub(crate) question: &'a Question<'a>,
}

impl NetworkDecider<'_> {
    /// The box with the features that are not sensitive as they are.
    fn ends(&self, area: &[[f64; 2]]) -> [Vec<f64>; 2] {
        let mut ends = [self.question.record.values().to_vec(), self.question.record.values().to_vec()];
        for (feature, [from, to]) in self.question.sensitive.features().iter().zip(area) {
            ends[0][*feature] = *from;
            ends[1][*feature] = *to;
        }
        ends
    }

    fn bounds(&self, low: &[f64], high: &[f64], margin: &Margin) -> Result<(f64, f64), ClassifierError> {
        if let (Some(plus), Some(minus)) = (margin.plus, margin.minus) {
            return Ok(self.network.difference_bounds(low, high, plus, minus)?);
        }
        let scores = self.network.bounds(low, high)?;
        let (from, to) = scores.first().copied().unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
        Ok(if margin.plus.is_some() { (from, to) } else { (-to, -from) })
    }
}

impl Decider for NetworkDecider<'_> {
    fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        self.question.ask(area)
    }

    fn decide(&self, area: &[[f64; 2]]) -> Result<Decision, ClassifierError> {
        let [low, high] = self.ends(area);
        let mut is_same = true;
        for margin in &self.question.margins {
            let (from, to) = self.bounds(&low, &high, margin)?;
            if to < margin.possible {
                return Ok(Decision::Different);
            }
            is_same &= from > margin.certain;
        }
        if is_same {
            return Ok(Decision::Same);
        }
        if area.len() <= 2
            && let Some(piece) = self.network.affine_on(&low, &high)?
        {
            let half_spaces = HalfSpace::of_question(&piece, self.question);
            return Ok(Decision::HalfSpaces(half_spaces));
        }
        let widths = area.iter().map(|[from, to]| to - from).enumerate();
        let widest = widths.max_by(|(_, one), (_, two)| one.total_cmp(two)).map_or(0, |(axis, _)| axis);
        Ok(Decision::Split { axis: widest, at: area[widest][0].midpoint(area[widest][1]) })
    }
}
