//! How fast Privet is here, each figure beside something that was measured in the same run.
//!
//! A rate alone says more about the machine than about the program, so each task has a *peer*: what the same generator could feed at
//! most, a fixed loop, the store without the collector, or another package. The ratio of both travels from one machine to another; the
//! rates do not.
//!
//! ```text
//! tasks() -> Task::measure(Patience) -> Row -+-> Run -> JSON, page
//!                                            +-> Comparison with an earlier Run
//! ```
//!
//! We and the peer take turns. Each turn gives a ratio, and the turn in the middle of all counts. How far the others are from it, by their
//! median absolute deviation, is the *noise*: a difference between two runs means something where it is larger than that of both.
//!
//! What counts is the time of the thread on the processor, and for work of several threads that of the clock on the wall. All tasks have 128
//! categories, numbers from 0 to 1, places in the unit square, vectors of 64 coordinates, and epsilon 1.

mod clock;
mod compare;
mod counting;
mod error;
mod group;
mod machine;
mod page;
mod peers;
mod reference;
mod run;
mod setting;
mod task;
mod timing;

pub use compare::{Change, Comparison, Incomparable, Verdict};
pub use error::BenchError;
pub use machine::{Build, Machine, load_average};
pub use page::{page, rate_text};
pub use peers::{Peers, measure_peers};
pub use run::{NotARun, Row, Run, Skipped};
pub use task::{Group, Task, tasks};
pub use timing::Patience;
