//! Joint randomised response: two people perturb together. Each report on its own is ordinary randomised response, but the
//! two are correlated, and the collector's estimate has less variance.
//!
//! ```
//! use privet_core::{Epsilon, ExposedEpsilon};
//! use privet_joint::{Crowd, Relay, Request, Statement};
//!
//! // Twenty thousand people, up to five of whom collude with the collector; about 659 hold a one.
//! let crowd = Crowd::new(20_000, 5)?;
//! let plan = Request { crowd, epsilon: Epsilon::new(1.0)?, ones: Some(659), cap: None }.plan()?;
//! assert!(plan.ratio() < 0.68);
//!
//! // The guarantee is an average: a person whose partner colludes has none at all.
//! assert_eq!(plan.table.exposed_epsilon(), ExposedEpsilon::Unbounded);
//! println!("{}", Statement::of(&plan, Relay::Helper, None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod accounting;
pub mod collection;
mod crowd;
mod error;
mod estimator;
mod hashing;
pub mod known_others;
pub mod pairing;
mod planner;
pub mod relay;
mod response;
mod simulate;
pub mod statement;
mod table;
pub mod two_party;
mod unary;
mod variance;
pub mod wire;

pub use crowd::{Crowd, Pairs};
pub use error::JointError;
pub use estimator::JointEstimator;
pub use hashing::JointHashing;
pub use planner::{Choice, Plan, Request};
pub use response::{JointResponse, PairedOracle};
pub use simulate::{BinaryStudy, simulate};
pub use statement::{Relay, Statement};
pub use table::JointTable;
pub use unary::JointUnary;
pub use variance::SupportLaw;
