//! Mechanisms on places in a rectangle.

mod analysis;
mod layout;
mod prior;
mod window;

pub use layout::PlaneLayout;
pub use prior::PlanePrior;
pub use window::PlaneWindow;
