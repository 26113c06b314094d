//! Who may do what: tokens of operators, and one-time tokens of people.

mod bearer;
mod submission;

pub(crate) use bearer::Right;
pub use bearer::{Access, BearerToken, NotAToken};
pub(crate) use submission::{NotAKey, SubmissionKey, TokenName};
