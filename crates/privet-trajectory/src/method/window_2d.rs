//! One window in two dimensions, with the whole epsilon.

use super::{LocationMethod, Scope};
use crate::space::Space;
use crate::{Place, TrajectoryError};
use privet_core::{CryptoRng, Epsilon, Guarantee, Mechanism};
use privet_mechanisms::plane::{CrossingMasses, SquareWindow};

/// [`SquareWindow`] in a space.
///
/// # Space
/// Rectangles, parallelograms, geographic boxes, regions of them. In a parallelogram the window is square in the rectangle that
/// it is mapped to, and readings are best for distances there.
/// # Guarantee
/// Pure epsilon for the whole space.
/// # Numerics
/// Integer-exact, as the channel. Places are mapped to the rectangle in floating point before anything is drawn, which costs
/// accuracy and no privacy.
#[derive(Debug)]
pub struct Window2d {
    space: Space,
    channel: SquareWindow,
}

impl Window2d {
    /// What programs call it.
    pub const ID: &'static str = SquareWindow::INFO.id;

    /// The window and the readings with the smallest average error for uniform places.
    ///
    /// # Errors
    /// When the space is no rectangle inside, or epsilon is too small for 64-bit weights.
    pub fn new(space: Space, epsilon: Epsilon) -> Result<Self, TrajectoryError> {
        let channel = SquareWindow::new(space.need_rectangle(Self::ID)?, epsilon)?;
        Ok(Self { space, channel })
    }

    /// The channel in inner coordinates.
    pub fn channel(&self) -> &SquareWindow {
        &self.channel
    }
}

impl LocationMethod for Window2d {
    fn id(&self) -> &'static str {
        Self::ID
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn guarantee(&self) -> Option<Guarantee> {
        Some(Mechanism::guarantee(&self.channel))
    }

    fn scope(&self) -> Scope {
        Scope::WholeSpace
    }

    fn perturb(&self, place: &Place, _: &Place, rng: &mut dyn CryptoRng) -> Result<Place, TrajectoryError> {
        self.space.check(place)?;
        let cell = self.channel.draw_cell(&self.space.to_inner(*place), rng);
        Ok(self.space.publish(self.channel.read(cell)))
    }

    fn likelihood(&self, place: &Place, _: &Place, report: &Place) -> Option<f64> {
        if self.space.has_region() || !self.space.contains(place) {
            return None;
        }
        Some(self.channel.mass(&self.space.to_inner(*place), &self.space.to_inner(*report)))
    }

    fn crossing_likelihood(&self, lines: [&[f64]; 2], report: &Place) -> Option<CrossingMasses> {
        if self.space.has_region() {
            return None;
        }
        Some(self.channel.crossing_masses(lines, &self.space.to_inner(*report)))
    }
}
