//! The exponential mechanism among the candidates within reach of the private place.

use super::{Candidates, ROUNDING, draw_weighted, falling_weight, shares};
use crate::method::{LocationMethod, References, ReportLaws, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Epsilon, Guarantee};

/// NGram with the reachability of the dissertation: only candidates within reach are reported, near ones more often.
///
/// # What it protects
/// Less than it says.
/// # Formula
/// Among the candidates y within R = 0.75 of the longest side from the own candidate x: P(y) in proportion to
/// e^(-epsilon |x - y| / (2 R)).
/// # Guarantee
/// **None.** The set of candidates depends on the private place: a report rules out every place that is further from it than R. It
/// is epsilon-LDP only among places that reach exactly the same candidates.
/// # Cost
/// All candidates are looked at for each place.
/// # Numerics
/// Integer weights from floating-point scores.
/// # When not to use it
/// For anything but a comparison.
/// # Reference
/// Cunningham et al., 2021, as in Y. Zheng's dissertation, sections 6.1.3 and 6.3.2: regions, categories and times are left
/// out there as well. Deviations: single places instead of runs of n of them, and the reach is measured from the place itself
/// and not from the one before, so that each place can be reported on its own. The set depends on a private place either way.
#[derive(Debug)]
pub struct NGram {
    candidates: Candidates,
    reach: f64,
    rate: f64,
}

impl NGram {
    /// What programs call it.
    pub const ID: &'static str = "n-gram";

    /// With the reach of the dissertation.
    ///
    /// # Errors
    /// When epsilon is above 40, where integer weights would vanish.
    pub fn new(candidates: Candidates, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        if epsilon.get() > 40.0 {
            let id = Self::ID;
            return Err(TrajectoryError::incompatible(format!(
                "{id} takes an epsilon of at most 40: got {epsilon}"
            )));
        }
        let reach = 0.75 * candidates.longest();
        let rate = ROUNDING * epsilon.get() / (2.0 * reach);
        Ok(Self { candidates, reach, rate })
    }

    /// The weights of all candidates for one of them.
    fn row(&self, own: usize) -> Vec<u64> {
        let weight = |other: usize| {
            let distance = self.candidates.between(own, other);
            if distance <= self.reach { falling_weight(self.rate * distance) } else { 0 }
        };
        (0..self.candidates.len()).map(weight).collect()
    }
}

impl LocationMethod for NGram {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        self.candidates.space()
    }

    fn guarantee(&self) -> Option<Guarantee> {
        None
    }

    fn scope(&self) -> Scope {
        Scope::Not {
            why: "the reachable candidates depend on the private place: a report rules out places beyond reach",
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
