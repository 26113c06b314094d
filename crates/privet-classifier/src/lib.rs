//! What a classifier is still worth when its input is a report.

mod bound;
mod certified;
mod classifier;
mod command;
mod curve;
mod dataset;
mod error;
mod law;
mod record;
mod statistical;

pub use bound::{Bound, Method};
pub use certified::Effort;
pub use classifier::{Classifier, Counted, FunctionClassifier, ModelClassifier};
pub use command::CommandClassifier;
pub use curve::{Approach, Options, Row, quantify};
pub use dataset::{DataRow, quantify_all};
pub use error::ClassifierError;
pub use law::{ReportChannel, ReportLaw};
pub use record::{Outside, ProductChannel, Record, Sensitive};
pub use statistical::Empirical;
