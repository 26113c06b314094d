//! A staircase of probabilities over groups of candidates.

use super::{Candidates, draw_weighted, shares};
use crate::method::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Epsilon, Fraction, Guarantee};

/// L-SRR: candidates near to the place are most likely, those far from it least.
///
/// # What it protects
/// One place, moved to the nearest candidate.
/// # Formula
/// Three groups of candidates: within 0.3 and within 0.6 of the longest side of the space from the own one, and all others.
/// Their weights are e^epsilon, (e^epsilon + 1) / 2 and 1.
/// # Guarantee
/// **Not the epsilon that was asked for.** The ratio between the groups already is e^epsilon, but how many candidates are in each group
/// depends on the private place, so the sums by which weights are divided differ as well. The guarantee that is stated is
/// epsilon plus the log-ratio of the largest to the smallest sum, which does hold for the whole space.
/// # Cost
/// All candidates are looked at for each place, and all pairs at construction.
/// # Numerics
/// Integer-exact weights; places are moved to the nearest candidate.
/// # When not to use it
/// For anything but a comparison.
/// # Reference
/// Wang et al., L-SRR, 2022, as in Y. Zheng's dissertation, sections 6.1.3 and 6.3.2.
#[derive(Debug)]
pub struct LSrr {
    candidates: Candidates,
    /// For the nearest group first.
    weights: [u64; 3],
    guarantee: Guarantee,
}

impl LSrr {
    /// What programs call it.
    pub const ID: &'static str = "l-srr";
    const REACHES: [f64; 2] = [0.3, 0.6];

    /// Looks at all groups of all candidates.
    ///
    /// # Errors
    /// When epsilon is above 20, or so small that integer weights are the same.
    pub fn new(candidates: Candidates, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        let low = 1u64 << 20;
        let high = (epsilon.get().exp() * low as f64).floor();
        if !(high > low as f64 + 1.0 && epsilon.get() <= 20.0) {
            return Err(TrajectoryError::incompatible(format!(
                "{} needs an epsilon between 0.00001 and 20: got {epsilon}",
                Self::ID
            )));
        }
        let weights = [high as u64, (high as u64 + low) / 2, low];
        let sum = |own: usize| -> u64 {
            (0..candidates.len()).map(|other| weights[group(&candidates, own, other)]).sum()
        };
        let sums: Vec<u64> = (0..candidates.len()).map(sum).collect();
        let [least, most] = [sums.iter().min(), sums.iter().max()].map(|sum| sum.copied().unwrap_or(1));
        let spread = &Fraction::of_weight(most) / &Fraction::of_weight(least);
        let ratio = &spread * &(&Fraction::of_weight(weights[0]) / &Fraction::of_weight(weights[2]));
        let guarantee = Guarantee::Pure { epsilon: Epsilon::new(ratio.log_rounded_up())? };
        Ok(Self { candidates, weights, guarantee })
    }

    /// The weights of all candidates for one of them.
    fn row(&self, own: usize) -> Vec<u64> {
        let weight = |other: usize| self.weights[group(&self.candidates, own, other)];
        (0..self.candidates.len()).map(weight).collect()
    }
}

/// In which group one candidate is, seen from another.
fn group(candidates: &Candidates, own: usize, other: usize) -> usize {
    let share = candidates.between(own, other) / candidates.longest();
    LSrr::REACHES.iter().filter(|reach| share > **reach).count()
}

impl LocationMethod for LSrr {
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
        Scope::Not {
            why: "the sizes of the groups depend on the private place: epsilon is larger than asked for, as stated",
        }
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        Ok(self.candidates.places()[draw_weighted(&self.row(self.candidates.nearest(place)?), rng)?])
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        Some(self.masses(place)?[self.candidates.nearest(report).ok()?])
    }

    fn masses(&self, place: &Place) -> Option<Vec<f64>> {
        Some(shares(&self.row(self.candidates.nearest(place).ok()?)))
    }

    fn report_laws(&self, _: References, shape: [u32; 2]) -> Result<ReportLaws<'_>, TrajectoryError> {
        self.candidates.laws(shape, |own| shares(&self.row(own)))
    }
}
