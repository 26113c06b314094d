//! What must hold for the mechanisms on vectors, as seen from outside.

mod battery;
mod coordinates;
mod noise;
mod sphere;
mod task;
