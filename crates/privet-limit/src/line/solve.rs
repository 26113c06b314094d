//! One search after the other, each on more cells than the one before, until channel and bound are close.

use super::decode::{self, Decoder};
use super::layout::{Element, Layout};
use super::proof;
use super::search::{Found, Search};
use super::term::Terms;
use super::{LineProblem, LineSolution, Objective, Unbiased};
use crate::channels::LARGEST_EPSILON;
use crate::{LimitError, Progress, Stop};
use privet_core::ParameterError;
use privet_mechanisms::analysis::{Loss, Prior};

/// Into how many cells the domain is cut, one stage after the other, and the gap that is small enough to stop there.
const STAGES: [(usize, f64); 5] = [(48, 0.003), (96, 0.003), (192, 0.005), (384, 0.009), (640, 0.009)];

/// A stage that leaves a larger gap is so far too coarse that the next one is not worth the time either.
const FAR: f64 = 0.04;

/// The reports of the search are so many times closer to each other than the ends of the cells.
const CLOSER: usize = 4;

/// 2^-50: there are a few digits of e^epsilon - 1 left.
const SMALLEST_EPSILON: f64 = 1.0 / (1u64 << 50) as f64;

impl LineProblem {
    /// Finds a channel. `on_progress` is told the stage and the best so far.
    ///
    /// # Errors
    /// When no channel satisfies the constraints, or the search finds nothing.
    pub fn solve(
        &self,
        stop: &Stop,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<LineSolution, LimitError> {
        self.check()?;
        let mut best: Option<LineSolution> = None;
        let mut stage = 0;
        while let Some((cells, good_gap)) = STAGES.get(stage) {
            // The first stage is short, and without it there is nothing to keep.
            let stop_of_stage = if best.is_some() { stop } else { &Stop::default() };
            best = better(best, self.solve_on(*cells, stop_of_stage))?;
            let Some(current) = &best else { break };
            let done = stage + 1;
            let (achieved, lower_bound) = (current.achieved, current.lower_bound);
            on_progress(Progress { done, of: STAGES.len(), achieved, lower_bound });
            if current.gap() <= *good_gap || stop.is_requested() {
                break;
            }
            stage = if current.gap() > FAR && done + 1 < STAGES.len() { done + 1 } else { done };
        }
        best.ok_or(LimitError::Infeasible)
    }

    /// Solves on so many cells.
    fn solve_on(&self, cells: usize, stop: &Stop) -> Result<LineSolution, LimitError> {
        let layout = self.layout(cells);
        let terms = Terms { loss: self.loss, exp: self.epsilon.get().min(LARGEST_EPSILON).exp() };
        let Found { duals, floors } = Search::new(terms, &layout).run(stop)?;
        let decoder = |floor: &Vec<f64>| {
            let (outputs, floor) = layout.spread_out(floor);
            Decoder::new(self, &outputs, &floor)
        };
        // Without bias two reports are nearly the best at a small epsilon; where they lie is for the decoder.
        let two_reports =
            self.unbiased.map(|_| Decoder::new(self, &[0.0, 1.0], &[1.0 / (1.0 + terms.exp); 2]));
        let decoders = floors.iter().map(decoder).chain(two_reports).collect();
        let (mechanism, achieved) = decode::best(decoders)?;
        let total = floors.last().map_or(1.0, |floor| floor.iter().sum());
        let certificate = proof::certificate(self, &layout, terms, &duals, total);
        let lower_bound = certificate.bound()? * self.scale();
        Ok(LineSolution { mechanism, achieved, lower_bound, certificate })
    }

    fn check(&self) -> Result<(), LimitError> {
        // Below, nothing is left of e^epsilon - 1 in floating point, and the search divides by it.
        if self.epsilon.get() < SMALLEST_EPSILON {
            return Err(ParameterError::EpsilonTooSmall { got: self.epsilon.get() }.into());
        }
        if self.unbiased.is_some() && self.loss != Loss::Squared {
            let reason = "unbiased channels are compared by their variance: use squared loss".to_owned();
            return Err(ParameterError::Incompatible { reason }.into());
        }
        if let Some(Unbiased { range: Some(_) }) = self.unbiased {
            // Reports can be rounded at random to the ends of the range without changing their means, so if any channel reaches
            // the ends of the domain then two reports do.
            let [low, high] = self.output_range();
            let more = self.epsilon.get().exp() - 1.0;
            if -low * more < 1.0 || (high - 1.0) * more < 1.0 {
                return Err(LimitError::Infeasible);
            }
        }
        Ok(())
    }

    /// Elements and reports.
    fn layout(&self, cells: usize) -> Layout {
        let [low, high] = self.output_range();
        let is_mirrored = self.objective == Objective::Minimax && (low + high - 1.0).abs() < 1e-9;
        // Rounding to equally likely cells stretches the reports a little, and must not push them out of a given range.
        let margin = match self.unbiased {
            Some(Unbiased { range: Some(_) }) => 0.0005 * (high - low),
            _ => 0.0,
        };
        let (low, high) = (low + margin, if is_mirrored { 0.5 } else { high - margin });
        let cells = match &self.objective {
            Objective::Minimax => cells,
            // Each bin of the prior has the same number of cells.
            Objective::Average(prior) => cells.next_multiple_of(prior.shares().len()),
        };
        let elements = match &self.objective {
            Objective::Minimax if is_mirrored => self.of_anybody(cells / 2, 0.5),
            Objective::Minimax => self.of_anybody(cells, 1.0),
            Objective::Average(prior) => self.of_people(prior, cells),
        };
        let steps = CLOSER * if is_mirrored { cells / 2 } else { cells };
        let report = |index: usize| low + (high - low) * index as f64 / steps as f64;
        Layout { elements, cells, reports: (0..=steps).map(report).collect(), is_mirrored }
    }

    /// Equal cells from zero to `end`, and the ends of the domain by themselves: much weight can lie there.
    fn of_anybody(&self, cells: usize, end: f64) -> Vec<Element> {
        let place = |index: usize| end * index as f64 / cells as f64;
        let cell = |index: usize| Element { to: place(index + 1), ..Element::point(place(index)) };
        let tip = |place: f64| Element { has_slope: self.unbiased.is_some(), ..Element::point(place) };
        let upper = (end == 1.0).then(|| tip(1.0));
        std::iter::once(tip(0.0)).chain((0..cells).map(cell)).chain(upper).collect()
    }

    /// Equal cells with their shares of the prior, where anybody is. Unbiased channels must also reach the ends of the domain;
    /// what is between them and matters to nobody is reached by mixing their rows.
    fn of_people(&self, prior: &Prior, cells: usize) -> Vec<Element> {
        let each = cells / prior.shares().len();
        let place = |index: usize| index as f64 / cells as f64;
        let cell = |index: usize| {
            let share = Some(prior.shares()[index / each] / each as f64);
            let has_slope = self.unbiased.is_some();
            Element { to: place(index + 1), share, has_slope, ..Element::point(place(index)) }
        };
        let tip = |place: f64| Element { share: Some(0.0), has_slope: true, ..Element::point(place) };
        let inner = (0..cells).map(cell).filter(|element| element.share > Some(0.0));
        let [first, last] = [0.0, 1.0].map(|place| self.unbiased.map(|_| tip(place)));
        first.into_iter().chain(inner).chain(last).collect()
    }
}

/// The better mechanism and the better bound, which need not come from the same solution.
fn better(
    best: Option<LineSolution>,
    found: Result<LineSolution, LimitError>,
) -> Result<Option<LineSolution>, LimitError> {
    let Some(mut best) = best else { return found.map(Some) };
    if let Ok(found) = found {
        if found.achieved < best.achieved {
            (best.mechanism, best.achieved) = (found.mechanism, found.achieved);
        }
        if found.lower_bound > best.lower_bound {
            (best.certificate, best.lower_bound) = (found.certificate, found.lower_bound);
        }
    }
    Ok(Some(best))
}
