//! The contract between a collector and its people.
//!
//! A [`Policy`] says what is asked, why, and how it is protected. [`Policy::resolve`] decides what it leaves open; a
//! [`ResolvedPolicy`] is known by the hash of its text, so a report names the policy that it was made under.
//!
//! ```text
//! Policy -> ResolvedPolicy -> Client (with a Ledger) -> report -> ReportCodec -> Tally -> PolicySummary -> AttributeEstimate
//! ```
//!
//! ```
//! use privet_policy::ledger::{Ledger, MemoryLedger};
//! use privet_policy::{Answers, Client, Policy, ReportCodec, Slice, Tally};
//!
//! let policy = Policy::from_toml(r#"
//!     name = "How we travel"
//!     purpose = "Plan bicycle lanes"
//!     origin = "city.example"
//!     opens = 2026-03-01
//!     closes = 2026-03-31
//!     epoch = "month"
//!     minimum_reports = 2
//!     [budget]
//!     epsilon = 1
//!     period = "month"
//!     [[attribute]]
//!     name = "commute"
//!     question = "How do you get to work?"
//!     domain = "categories:walk,bicycle,bus,car"
//!     goal = "frequency"
//! "#)?.resolve(&mut |_| Err("there are no files here".into()))?;
//!
//! // On the device, with a secret and a generator from the operating system.
//! let client = Client::new([7; 32]);
//! let mut ledger = Ledger::open(MemoryLedger::default())?;
//! let mut rng = privet_core::Generator::from_entropy([8; 32]);
//! let answers = Answers::new().value("commute", "bicycle");
//! let today = "2026-03-15".parse()?;
//! let report = client.answer(&policy, &answers, &mut ledger, &mut rng, today)?;
//! let again = client.answer(&policy, &answers, &mut ledger, &mut rng, today)?;
//! assert_eq!(report.bytes, again.bytes);
//!
//! // At the collector.
//! let codec = ReportCodec::new(policy.clone());
//! let tally = Tally::new(policy)?;
//! let mut summary = tally.empty_summary();
//! tally.accumulate(&mut summary, [codec.check(&report.bytes)?])?;
//! let estimate = tally.estimate(&summary, 0, Slice::All, &Default::default())?;
//! assert!(estimate.document().withheld);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without its default features, the crate is what a device needs: it reads policies with solved mechanisms inside, and builds
//! for `wasm32-unknown-unknown`. It refuses policies about `vectors` and `pairs`, which are features of their own.

pub mod advisor;
mod attribute;
mod client;
mod date;
pub mod document;
mod error;
mod estimate;
mod estimator;
mod hex;
mod kind;
pub mod ledger;
mod memo;
mod node;
#[cfg(feature = "pairs")]
mod pairs;
pub mod registry;
mod report;
mod resolve;
mod resolved;
mod shown;
mod spending;
mod statement;
mod summary;
mod terms;
#[cfg(feature = "vectors")]
mod vectors;
mod written;

pub use attribute::Attribute;
pub use client::{Answers, Client, ClientError, PreparedReport};
pub use date::{Date, Epoch, NotADate, Period};
pub use error::{Place, PolicyError, PolicyProblem};
pub use estimate::{AttributeEstimate, Outcome};
pub use estimator::{AttributeEstimator, PartSummary};
pub use kind::AttributeKind;
#[cfg(feature = "pairs")]
pub use pairs::Helpers;
pub use report::{DecodedReport, NotAReportId, REPORT_VERSION, ReportCodec, ReportId, SubmissionError};
pub use resolve::ReadFile;
pub use resolved::{NotAPolicyId, PolicyId, ResolvedPolicy};
pub use shown::{
    Showing, ShownAnswer, ShownChannel, ShownChoice, ShownContent, ShownOthers, ShownPart, ShownPicture,
    ShownPiece, ShownPublic, ShownReport,
};
pub use spending::{DecimalEpsilon, Spending};
pub use statement::{
    AttributeStatement, ContributionStatement, GuaranteeStatement, PairStatement, PeriodStatement,
    PermanentStatement, SpendingStatement, Statement,
};
pub use summary::{PolicySummary, Slice, Tally, TallyError};
pub use terms::{
    AttributeTerms, BudgetTerms, ComparedErrors, Contribution, ContributionTerms, PairTerms, PublicField,
    Repetition, Terms,
};
pub use written::Policy;
