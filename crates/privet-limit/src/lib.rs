//! The best channel there can be, and the proof.

pub mod certificate;
mod error;
pub mod generalised;
mod programme;

pub use error::LimitError;
pub use programme::Stop;
