//! Methods by their names.

use super::rival::{
    Atp, Candidates, GridExponential2d, GridRandomizedResponse2d, LSrr, NGram, PlanarLaplace,
};
use super::{LocationMethod, TracsC, TracsD, TracsSphere, Window2d};
use crate::TrajectoryError;
use crate::space::Space;
use privet_core::Epsilon;

/// A method, or why there is none.
pub type Built = Result<Box<dyn LocationMethod>, TrajectoryError>;

/// How a method is made in a space, for an epsilon; those on a grid cut each side into this many cells.
pub type Build = fn(Space, Epsilon, u32) -> Built;

/// Every sector of the strawman is a sixth of a turn.
const SECTORS: u32 = 6;

/// Every method, in the order of the documentation.
pub const METHODS: [(&str, Build); 11] = [
    (Window2d::ID, |space, epsilon, _| Ok(Box::new(Window2d::new(space, epsilon)?))),
    (TracsC::ID, |space, epsilon, _| Ok(Box::new(TracsC::new(space, epsilon)?))),
    (TracsD::ID, |space, epsilon, _| Ok(Box::new(TracsD::new(space, epsilon)?))),
    (TracsSphere::ID, |space, epsilon, _| Ok(Box::new(TracsSphere::new(space, epsilon)?))),
    ("strawman", |space, epsilon, _| Ok(Box::new(TracsD::strawman(space, epsilon, SECTORS)?))),
    (PlanarLaplace::ID, |space, epsilon, _| Ok(Box::new(PlanarLaplace::new(space, epsilon)?))),
    (GridRandomizedResponse2d::ID, |space, epsilon, cells| {
        Ok(Box::new(GridRandomizedResponse2d::new(space, [cells; 2], epsilon)?))
    }),
    (GridExponential2d::ID, |space, epsilon, cells| {
        Ok(Box::new(GridExponential2d::new(space, [cells; 2], epsilon)?))
    }),
    (LSrr::ID, |space, epsilon, cells| {
        Ok(Box::new(LSrr::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
    (Atp::ID, |space, epsilon, cells| {
        Ok(Box::new(Atp::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
    (NGram::ID, |space, epsilon, cells| {
        Ok(Box::new(NGram::new(Candidates::grid(space, cells, cells)?, epsilon)?))
    }),
];

/// How the method of this name is made.
pub fn find(name: &str) -> Option<Build> {
    METHODS.iter().find(|(known, _)| *known == name).map(|(_, build)| *build)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_lead_somewhere() {
        let names: HashSet<&str> = METHODS.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), METHODS.len());
        assert!(METHODS.iter().all(|(name, _)| find(name).is_some()) && find("nonsense").is_none());
    }
}
