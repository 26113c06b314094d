//! Networks: bounds on boxes, and on boxes where the network is affine, half-spaces.

use super::linear::HalfSpace;
use super::margin::{Margin, Question};
use super::partition::{Decider, Decision};
use crate::ClassifierError;
use privet_model::network::OnBox;
use privet_model::{Linear, Network};

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

    /// The half-spaces of the affine map that the network is on a box. Its numbers are rounded; the network and the map are both
    /// affine there, so they differ most in a corner.
    fn half_spaces(&self, piece: &Linear, area: &[[f64; 2]]) -> Result<Vec<HalfSpace>, ClassifierError> {
        let mut deviations = vec![0.0f64; self.question.margins.len()];
        let mut scores = vec![0.0; self.network.outputs()];
        for corner in 0..1usize << area.len() {
            let end = |(axis, ends): (usize, &[f64; 2])| [ends[(corner >> axis) & 1]; 2];
            let point: Vec<[f64; 2]> = area.iter().enumerate().map(end).collect();
            let [row, _] = self.ends(&point);
            let exact = self.network.on_box(&row, &row)?;
            piece.scores(&row, &mut scores)?;
            for (deviation, margin) in deviations.iter_mut().zip(&self.question.margins) {
                let (low, high) = self.bounds(&exact, margin)?;
                let rounded = margin.of(|score| scores[score]);
                *deviation = deviation.max(rounded - low).max(high - rounded);
            }
        }
        let half_spaces = HalfSpace::of_question(piece, self.question, area).into_iter().zip(deviations);
        Ok(half_spaces.map(|(half_space, deviation)| half_space.widened(deviation)).collect())
    }

    fn bounds(&self, on_box: &OnBox<'_>, margin: &Margin) -> Result<(f64, f64), ClassifierError> {
        let mut weights = vec![0.0; self.network.outputs()];
        for (score, weight) in [(margin.plus, 1.0), (margin.minus, -1.0)] {
            if let Some(score) = score {
                weights[score] = weight;
            }
        }
        Ok(on_box.combination(&weights)?)
    }
}

impl Decider for NetworkDecider<'_> {
    fn ask(&self, area: &[[f64; 2]]) -> Result<bool, ClassifierError> {
        self.question.ask(area)
    }

    fn decide(&self, area: &[[f64; 2]]) -> Result<Decision, ClassifierError> {
        let [low, high] = self.ends(area);
        let on_box = self.network.on_box(&low, &high)?;
        let mut is_same = true;
        for margin in &self.question.margins {
            let (from, to) = self.bounds(&on_box, margin)?;
            if to < margin.possible {
                return Ok(Decision::Different);
            }
            is_same &= from > margin.certain;
        }
        if is_same {
            return Ok(Decision::Same);
        }
        if area.len() <= 2
            && let Some(piece) = on_box.affine()
        {
            return Ok(Decision::HalfSpaces(self.half_spaces(&piece, area)?));
        }
        let widths = area.iter().map(|[from, to]| to - from).enumerate();
        let widest = widths.max_by(|(_, one), (_, two)| one.total_cmp(two)).map_or(0, |(axis, _)| axis);
        Ok(Decision::Split { axis: widest, at: area[widest][0].midpoint(area[widest][1]) })
    }
}
