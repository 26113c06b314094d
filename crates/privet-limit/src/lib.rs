//! The best channel there can be, and the proof.

pub mod certificate;
mod error;
pub mod plane;
mod programme;

pub use error::LimitError;
pub use programme::Stop;
