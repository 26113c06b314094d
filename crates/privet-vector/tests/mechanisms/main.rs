//! What must hold for the mechanisms on vectors, as seen from outside.

// The helpers of a test may fail as the test itself may.
#![allow(clippy::unwrap_used)]

mod battery;
mod coordinates;
mod intervals;
mod noise;
mod sphere;
mod task;
