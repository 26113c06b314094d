//! Proofs that no private channel does better, and the small functions that check them without the solver.

mod enclosure;

pub use enclosure::Enclosure;
