//! The contract between a collector and its people.

pub mod advisor;
mod attribute;
mod client;
mod date;
mod error;
mod hex;
pub mod ledger;
mod memo;
mod node;
pub mod registry;
mod report;
mod resolve;
mod resolved;
mod spending;
mod terms;
mod written;

pub use attribute::{Attribute, AttributeKind};
pub use client::{Answers, Client, ClientError, PreparedReport};
pub use date::{Date, Epoch, NotADate, Period};
pub use error::{Place, PolicyError, PolicyProblem};
pub use report::{DecodedReport, NotAReportId, REPORT_VERSION, ReportCodec, ReportId, SubmissionError};
pub use resolve::ReadFile;
pub use resolved::{NotAPolicyId, PolicyId, ResolvedPolicy};
pub use spending::{DecimalEpsilon, Spending};
pub use terms::{
    AttributeTerms, BudgetTerms, ComparedErrors, Contribution, ContributionTerms, PublicField, Repetition,
    Terms,
};
pub use written::Policy;
