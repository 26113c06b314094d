//! The best channel there can be, and the proof.

mod error;
mod programme;

pub use error::LimitError;
pub use programme::Stop;
