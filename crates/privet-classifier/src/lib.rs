//! What a classifier is still worth when its input is a report.
//!
//! Some features of a record are randomised on the device, each by itself, and a fixed classifier reads the result. How likely is
//! the answer that the record itself would get? [`quantify`] says so from both sides, `lower <= truth <= upper`, with the method
//! and the confidence:
//!
//! | classifier | sensitive features | bounds |
//! |---|---|---|
//! | linear, two classes | any number | proved; exact for one, a sweep for two, a convolution for more |
//! | linear, more classes | one or two | proved, exact for one, a sweep for two |
//! | trees | one or two | proved, exact |
//! | trees, networks | up to three | proved by branch and bound, to a tolerance |
//! | anything | any number | from drawn reports, with one confidence for all bounds together |
//!
//! What is proved is about the model in exact arithmetic and about the integer weights that the mechanisms draw with, with room
//! for the rounding of sums. A model from a file is its own judge; one that was read from something that answers for itself is a
//! [`ReadClassifier`], which is compared with it first ([`Reading::compare`]), and asked wherever rounding could decide. [`quantify_all`] does it for a table of people, [`reweight`] makes one batch of reports speak for a
//! whole curve, [`smallest_epsilons`] and [`Case`] choose, [`statement`] puts it in words, and [`paper`] is the papers' own method
//! with its caveat.
//!
//! ```
//! use privet_classifier::{Options, Outside, ProductChannel, Record, Sensitive, ModelClassifier, quantify};
//! use privet_core::{BuildOptions, Epsilon, Generator};
//! use privet_model::{Combination, Model, Node, Tree, Trees};
//!
//! // One tree that asks whether the first number is above one half.
//! let leaf = |value| Node::Leaf { values: Box::new([value]) };
//! let tree = Tree::new(vec![Node::Split { feature: 0, threshold: 0.5, below: 1, above: 2 }, leaf(0.0), leaf(1.0)])?;
//! let classifier = ModelClassifier::new(Model::Trees(Trees::new(2, vec![tree], Combination::Mean, vec![0.0], 0.5)?));
//!
//! let sensitive = Sensitive::new(vec![0], &classifier)?;
//! let record = Record::new(vec![0.8, 3.0], &sensitive, Outside::Refuse)?;
//! let epsilon = Epsilon::new(1.0)?;
//! let product = ProductChannel::named("optimal-piecewise", epsilon, &BuildOptions::default(), &sensitive)?;
//! let mut rng = Generator::from_insecure_seed(1);
//! let rows = quantify(&classifier, &record, &sensitive, &[product], &Options::default(), &mut rng)?;
//! // Half of the reports lie above one half anyway; the window of the record adds the rest.
//! assert!((rows[0].bound.lower - 0.6967).abs() < 1e-3 && rows[0].bound.width() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advise;
mod bound;
mod certified;
mod classifier;
mod command;
mod curve;
mod dataset;
mod error;
mod law;
pub mod paper;
mod reading;
mod record;
mod region;
mod reweighted;
mod statement;
mod statistical;

pub use advise::{Case, FeatureCost, Goal, Recommendation, Split, smallest_epsilons};
pub use bound::{Bound, Method};
pub use certified::Effort;
pub use classifier::{Classifier, Counted, FunctionClassifier, ModelClassifier};
pub use command::CommandClassifier;
pub use curve::{Approach, Options, Row, quantify};
pub use dataset::{DataRow, quantify_all};
pub use error::ClassifierError;
pub use law::{ReportChannel, ReportLaw};
pub use reading::{Asked, Disagreement, ReadClassifier, Reading};
pub use record::{Admitted, Moved, Outside, ProductChannel, Record, Sensitive, read_records};
pub use region::{DecisionMap, certified_box};
pub use reweighted::{Reweighted, Reweighting, reweight};
pub use statement::{About, statement};
pub use statistical::Empirical;
