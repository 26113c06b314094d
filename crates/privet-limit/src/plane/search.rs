//! From a problem to grids, and from what is found on them to integers.

use super::cells::{Cells, Placed, Served};
use super::certificate::{People, PlaneCertificate};
use super::descent::{Descent, Found};
use super::sites::{Sites, Spacing, Symmetry, relative_widths};
use super::{PlaneObjective, PlaneProblem, PlaneProgress};
use crate::certificate::Enclosure;
use crate::{LimitError, Stop};
use privet_core::ParameterError;
use privet_mechanisms::plane::{PlaneLayout, PlanePrior, PlaneWindow};

/// A problem on its grids.
pub(super) struct Search<'a> {
    problem: &'a PlaneProblem,
    widths: [f64; 2],
    symmetry: Symmetry,
    factor: f64,
    people: Sites,
    outputs: Sites,
    /// The probability of each place of an orbit of people, unless the worst place counts.
    shares: Option<Vec<f64>>,
}

/// How fine the grids are: how many parts the longer side has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fineness {
    pub(super) people: usize,
    pub(super) outputs: usize,
}

impl Fineness {
    /// Without a symmetry every place counts by itself, and finer grids would take too long.
    fn of(objective: &PlaneObjective, symmetry: Symmetry) -> Self {
        match (objective, symmetry) {
            (PlaneObjective::Minimax, _) => Self { people: 32, outputs: 32 },
            (_, Symmetry::None) => Self { people: 32, outputs: 32 },
            (_, Symmetry::Flips) => Self { people: 48, outputs: 40 },
            (_, Symmetry::Square) => Self { people: 64, outputs: 48 },
        }
    }
}

/// Descents end when their bounds are this near to each other.
const GOAL: f64 = 0.004;
/// What the grids may take.
const MEGABYTES: u64 = 256;

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a PlaneProblem) -> Result<Self, LimitError> {
        Self::with_grids(problem, Fineness::of(&problem.objective, symmetry_of(problem)))
    }

    pub(super) fn with_grids(problem: &'a PlaneProblem, fineness: Fineness) -> Result<Self, LimitError> {
        let (widths, symmetry) = (relative_widths(&problem.rectangle), symmetry_of(problem));
        let along = |longest: usize| widths.map(|width| ((width * longest as f64).ceil() as usize).max(4));
        let (shape, spacing) = match &problem.objective {
            PlaneObjective::Minimax => (along(fineness.people).map(|parts| parts + 1), Spacing::EndToEnd),
            PlaneObjective::Average(prior) => {
                let wanted = along(fineness.people);
                let prior = prior.shape().map(|parts| parts as usize);
                let finer = |axis: usize| prior[axis] * wanted[axis].div_ceil(prior[axis]);
                ([finer(0), finer(1)], Spacing::Middles)
            }
        };
        // Points of people are cusps of the balance: outputs must be there to see them.
        let outputs_shape = match spacing {
            Spacing::EndToEnd => shape,
            Spacing::Middles => along(fineness.outputs),
        };
        let pairs = shape.iter().chain(&outputs_shape).product::<usize>() / symmetry.motions().len();
        // An order of outputs for each place, twice while a round is judged.
        let megabytes = (pairs as u64 * 8) >> 20;
        if megabytes > MEGABYTES {
            return Err(LimitError::TooLarge { megabytes, allowed: MEGABYTES });
        }
        let people = Sites::new(shape, widths, spacing, symmetry);
        let outputs = Sites::new(outputs_shape, widths, spacing, symmetry);
        let shares = match &problem.objective {
            PlaneObjective::Minimax => None,
            PlaneObjective::Average(prior) => Some(shares_of(prior, &people)),
        };
        let factor = Enclosure::exp(problem.epsilon).low();
        Ok(Self { problem, widths, symmetry, factor, people, outputs, shares })
    }

    /// The longer side: grids count in it.
    fn unit(&self) -> f64 {
        let [first, second] = self.problem.rectangle.widths();
        first.max(second)
    }

    pub(super) fn descend(&self, stop: &Stop, progress: &mut dyn FnMut(PlaneProgress)) -> Found {
        let (people, outputs) = (self.people.clone(), self.outputs.clone());
        let mut descent = Descent::new(people, outputs, self.factor, self.shares.clone());
        descent.run(GOAL, stop, |lower, upper| {
            let unit = self.unit();
            progress(PlaneProgress { stage: "measure", lower: lower * unit, upper: upper * unit });
        })
    }

    /// The certificate of the radii that were found, all shrunk by as much as the check asks for.
    pub(super) fn certify(&self, found: &Found) -> Result<PlaneCertificate, LimitError> {
        const CHECKS: usize = 5;
        let mass: f64 =
            found.measure.iter().zip(&self.outputs.sizes).map(|(measure, size)| measure * size).sum();
        // The rows add up to one, so about this much of the balance comes back for each unit of shrinking.
        let (mut slope, mut shrinking) = (1.0 / mass, 0.0);
        let mut best: Option<(f64, PlaneCertificate)> = None;
        let mut before: Option<(f64, f64)> = None;
        for _ in 0..CHECKS {
            let certificate = self.certificate(found, shrinking)?;
            let examined = certificate.examine();
            if best.as_ref().is_none_or(|(bound, _)| examined.bound > *bound) {
                best = Some((examined.bound, certificate));
            }
            if let Some((shrunk, balance)) = before {
                let change = (examined.balance - balance) / (shrinking - shrunk);
                slope = if change.is_finite() && change >= 1.0 { change } else { slope };
            }
            before = Some((shrinking, examined.balance));
            let next = shrinking - examined.balance / slope;
            if (next - shrinking).abs() < 1e-7 {
                break;
            }
            shrinking = next;
        }
        best.map(|(_, certificate)| certificate)
            .ok_or_else(|| LimitError::Solver { reason: "no radii were found".into() })
    }

    fn certificate(&self, found: &Found, shrinking: f64) -> Result<PlaneCertificate, LimitError> {
        let unit = f64::from(PlaneCertificate::RADIUS_UNIT);
        let radius = |orbit: &usize| {
            let radius = found.radii.get(*orbit).copied().unwrap_or(0.0) - shrinking;
            (radius.max(0.0) * unit).round() as u32
        };
        let radii = self.people.orbits.iter().map(radius).collect();
        let grid = self.people.shape.map(|parts| parts as u32);
        let people = match &self.problem.objective {
            PlaneObjective::Average(prior) => People::Prior { prior: prior.clone(), grid },
            PlaneObjective::Minimax => {
                const LARGEST: f64 = (1u32 << 24) as f64;
                let largest = found.shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
                let weight = |orbit: &usize| (found.shares[*orbit] / largest * LARGEST).round() as u32;
                People::Points { grid, weights: self.people.orbits.iter().map(weight).collect() }
            }
        };
        PlaneCertificate::new(self.problem.rectangle, self.problem.epsilon, people, radii)
    }

    /// Cells for the people that were found.
    pub(super) fn place(
        &self,
        found: &Found,
        stop: &Stop,
        progress: &mut dyn FnMut(PlaneProgress),
    ) -> Result<Placed, LimitError> {
        const ROUNDS: usize = 40;
        let cells = Cells::of_measure(
            &self.outputs,
            &found.measure,
            self.symmetry,
            self.widths,
            self.cell_count(found),
        );
        let served = Served {
            people: &self.people,
            shares: self.shares.clone().unwrap_or_else(|| found.shares.clone()),
            factor: self.factor,
            is_minimax: self.shares.is_none(),
        };
        let unit = self.unit();
        let placed = cells.improve(served, ROUNDS, |loss| {
            progress(PlaneProgress { stage: "cells", lower: found.lower * unit, upper: loss * unit });
            !stop.is_requested()
        });
        placed.ok_or_else(|| LimitError::Solver { reason: "no cells were placed".into() })
    }

    /// Enough cells for a window to be round.
    fn cell_count(&self, found: &Found) -> usize {
        // The worst place feels every gap between cells; averages do not.
        let (in_window, least) = if self.shares.is_none() { (256.0, 4096) } else { (64.0, 1024) };
        ((in_window / self.window_share(found)) as usize).clamp(least, 8192)
    }

    /// The share of the cells that a window holds.
    fn window_share(&self, found: &Found) -> f64 {
        let mass: f64 =
            found.measure.iter().zip(&self.outputs.sizes).map(|(measure, size)| measure * size).sum();
        ((1.0 - mass) / ((self.factor - 1.0) * mass)).clamp(1e-6, 1.0)
    }

    /// The integers.
    pub(super) fn mechanism(&self, placed: &Placed) -> Result<PlaneWindow, ParameterError> {
        let unit = f64::from(PlaneLayout::UNIT);
        let places = placed.cells.places();
        let share = placed.window as f64 / places.len() as f64;
        let positions = places
            .iter()
            .map(|place| {
                std::array::from_fn(|axis| {
                    (place[axis] / self.widths[axis] * unit).round().clamp(0.0, unit) as u32
                })
            })
            .collect();
        let lattice = self.lattice(share);
        let layout = PlaneLayout::new(lattice, placed.window as u32, positions)?;
        PlaneWindow::new(self.problem.rectangle, self.problem.epsilon, layout)
    }

    /// Parts of the lattice that are small against a window, about as wide as they are high.
    fn lattice(&self, share: f64) -> [u32; 2] {
        let area = self.widths[0] * self.widths[1];
        let radius = (share * area / std::f64::consts::PI).sqrt();
        // The worst place is off the middle of its part.
        let parts_in_radius = if self.shares.is_none() { 16.0 } else { 8.0 };
        let longest = (parts_in_radius / radius).clamp(64.0, 128.0);
        self.widths
            .map(|width| ((width * longest) as u32).next_power_of_two().clamp(4, PlaneLayout::MAX_PARTS))
    }
}

fn symmetry_of(problem: &PlaneProblem) -> Symmetry {
    let [first, second] = relative_widths(&problem.rectangle);
    match &problem.objective {
        PlaneObjective::Average(prior) if !prior.is_uniform() => Symmetry::None,
        _ if first == second => Symmetry::Square,
        _ => Symmetry::Flips,
    }
}

/// The probability of each place of an orbit of people who lie in the middles of parts that refine a prior.
fn shares_of(prior: &PlanePrior, people: &Sites) -> Vec<f64> {
    let shape = prior.shape().map(|parts| parts as usize);
    let finer: [usize; 2] = std::array::from_fn(|axis| people.shape[axis] / shape[axis]);
    let share = |leader: &usize| {
        let place = [leader / people.shape[1], leader % people.shape[1]];
        let part = [(place[0] / finer[0]) as u32, (place[1] / finer[1]) as u32];
        prior.probability(part) / (finer[0] * finer[1]) as f64
    };
    people.leaders.iter().map(share).collect()
}
