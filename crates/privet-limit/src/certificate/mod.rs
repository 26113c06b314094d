//! Proofs that no private channel does better, and the small functions that check them without the solver.

mod enclosure;
mod line;

pub use enclosure::Enclosure;
pub use line::{Cell, LineCertificate, Point, SCALE, Setting};
