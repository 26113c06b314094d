//! What a classifier is still worth when its input is a report.

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
pub use record::{Outside, ProductChannel, Record, Sensitive, read_records};
pub use region::DecisionMap;
pub use reweighted::{Reweighted, Reweighting, reweight};
pub use statement::{About, statement};
pub use statistical::Empirical;
