//! A sector by randomised response, then a candidate in it by the exponential mechanism.

use super::{Candidates, ROUNDING, draw_weighted, falling_weight};
use crate::method::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::sampling::PeakedRow;
use privet_core::{CryptoRng, Epsilon, Guarantee};
use std::f64::consts::TAU;

/// ATP with a public set of candidates: first in which of six sectors the place is, seen from the reference, then which
/// candidate of the reported sector.
///
/// # What it protects
/// One place, moved to the nearest candidate, given a public reference.
/// # Formula
/// Half of epsilon: the own sector with probability e^(epsilon/2) / (5 + e^(epsilon/2)), else one of the others. Half of
/// epsilon: among the candidates y of the reported sector (of all sectors, if it has none), P(y) in proportion to
/// e^(-epsilon |x - y| / (4 D)), where D is the diameter of the space.
/// # Guarantee
/// Pure epsilon for the whole space, and not that of the published method. There the sectors are seen from the private place
/// before, so which candidates share a sector depends on it: a report says something about two private places and only one of
/// them is accounted for. On a grid of 5 x 9 candidates at epsilon 2, moving the place before changes the probability of a
/// report about the next place by more than e^3.4. Here the sectors are seen from the reference, which is public.
/// # Cost
/// All candidates are looked at for each place.
/// # Numerics
/// Randomised response is integer-exact; the exponential mechanism has integer weights from floating-point scores, whose rounding is
/// paid for by one part in 100 000 of epsilon.
/// # When not to use it
/// For anything but a comparison: its error hardly falls at large epsilon.
/// # Reference
/// Zhang et al., ATP, 2023, as in Y. Zheng's dissertation, section 6.1.3. Deviations: the public reference; one direction instead
/// of two that are merged; the correct probability of lying in randomised response.
#[derive(Debug)]
pub struct Atp {
    candidates: Candidates,
    sectors: PeakedRow,
    rate: f64,
    guarantee: Guarantee,
}

impl Atp {
    /// What programs call it.
    pub const ID: &'static str = "atp";
    /// The number of sectors.
    pub const SECTORS: u32 = 6;

    /// Half of epsilon for the sector, half for the candidate.
    ///
    /// # Errors
    /// When epsilon is too small for 64-bit weights, or above 40, where integer weights would vanish.
    pub fn new(candidates: Candidates, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        if epsilon.get() > 40.0 {
            let id = Self::ID;
            return Err(TrajectoryError::incompatible(format!(
                "{id} takes an epsilon of at most 40: got {epsilon}"
            )));
        }
        let half = epsilon.divided(2)?;
        let sectors = PeakedRow::calibrate(Self::SECTORS, half)?;
        let rate = ROUNDING * half.get() / (2.0 * candidates.diameter());
        Ok(Self { candidates, sectors, rate, guarantee: Guarantee::Pure { epsilon } })
    }

    /// The sector of a point, seen from another.
    fn sector(from: [f64; 2], to: [f64; 2]) -> u32 {
        let angle = (to[1] - from[1]).atan2(to[0] - from[0]).rem_euclid(TAU);
        ((angle / TAU * f64::from(Self::SECTORS)) as u32).min(Self::SECTORS - 1)
    }

    /// The weights of all candidates when a sector was reported.
    fn row(&self, own: usize, sector: u32, from: [f64; 2]) -> Vec<u64> {
        let is_there = |other: usize| Self::sector(from, self.candidates.inner(other)) == sector;
        let is_empty = !(0..self.candidates.len()).any(is_there);
        let weight = |other: usize| {
            let is_possible = is_empty || is_there(other);
            if is_possible { falling_weight(self.rate * self.candidates.between(own, other)) } else { 0 }
        };
        (0..self.candidates.len()).map(weight).collect()
    }

    /// The probability of each candidate, up to a common factor, for one of them in a sector.
    fn law(&self, own: usize, from: [f64; 2], sector: u32) -> Vec<f64> {
        let mut law = vec![0.0; self.candidates.len()];
        for reported in 0..Self::SECTORS {
            let row = self.row(own, reported, from);
            let chance = self.sectors.weight(sector, reported) as f64 / 2f64.powi(64);
            let total = row.iter().sum::<u64>() as f64;
            law.iter_mut().zip(row).for_each(|(mass, weight)| *mass += chance * weight as f64 / total);
        }
        law
    }

    /// The candidate of a place, the reference in inner coordinates, and the sector.
    fn situation(&self, place: &Place, reference: &Place) -> Result<(usize, [f64; 2], u32), TrajectoryError> {
        let own = self.candidates.nearest(place)?;
        self.candidates.space().check(reference)?;
        let from = self.candidates.space().to_inner(*reference);
        Ok((own, from, Self::sector(from, self.candidates.inner(own))))
    }
}

impl LocationMethod for Atp {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        self.candidates.space()
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(self.guarantee)
    }

    fn scope(&self) -> Scope {
        Scope::WholeSpace
    }

    fn reads_reference(&self) -> bool {
        true
    }

    fn perturb(
        &self,
        place: &Place,
        reference: &Place,
        rng: &mut dyn CryptoRng,
    ) -> Result<Place, TrajectoryError> {
        let (own, from, sector) = self.situation(place, reference)?;
        let reported = self.sectors.draw(sector, rng);
        let chosen = draw_weighted(&self.row(own, reported, from), rng)?;
        Ok(self.candidates.places()[chosen])
    }

    fn likelihood(&self, place: &Place, reference: &Place, report: &Place) -> Option<f64> {
        let (own, from, sector) = self.situation(place, reference).ok()?;
        let seen = self.candidates.nearest(report).ok()?;
        Some(self.law(own, from, sector)[seen])
    }

    fn report_laws(
        &self,
        references: References,
        shape: [u32; 2],
    ) -> Result<ReportLaws<'_>, TrajectoryError> {
        let from = self.candidates.space().to_inner(references.need_fixed(Self::ID)?);
        self.candidates.laws(shape, |own| {
            let law = self.law(own, from, Self::sector(from, self.candidates.inner(own)));
            let total: f64 = law.iter().sum();
            law.into_iter().map(|mass| mass / total).collect()
        })
    }
}
