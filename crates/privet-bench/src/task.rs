//! What can be measured.

use crate::BenchError;
use crate::group;
use crate::run::Row;
use crate::timing::{Measured, Patience};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A part of Privet whose tasks are measured and shown together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// The generator itself.
    Generator,
    /// Every mechanism: values to reports.
    Mechanisms,
    /// Every mechanism on vectors, both ways.
    Vectors,
    /// Reports to counts and estimates.
    Estimation,
    /// Locations and paths.
    Trajectory,
    /// What a classifier is worth.
    Classifier,
    /// The best channels and their proofs.
    Limit,
    /// Reports over HTTP into the store.
    Collector,
    /// Other packages.
    Peers,
}

impl Group {
    /// Every group, in the order of the table.
    pub const ALL: [Self; 9] = [
        Self::Generator,
        Self::Mechanisms,
        Self::Vectors,
        Self::Estimation,
        Self::Trajectory,
        Self::Classifier,
        Self::Limit,
        Self::Collector,
        Self::Peers,
    ];

    /// The name that programs use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generator => "generator",
            Self::Mechanisms => "mechanisms",
            Self::Vectors => "vectors",
            Self::Estimation => "estimation",
            Self::Trajectory => "trajectory",
            Self::Classifier => "classifier",
            Self::Limit => "limit",
            Self::Collector => "collector",
            Self::Peers => "peers",
        }
    }

    /// What is measured, beside what.
    pub fn about(self) -> &'static str {
        match self {
            Self::Generator => "The ChaCha generator that everything draws from, beside copying memory.",
            Self::Mechanisms => {
                "How many reports each mechanism makes in a second, beside how many the generator could feed if it did nothing but fill \
                 memory with the random bytes that a report takes. Nothing can be above 1."
            }
            Self::Vectors => {
                "Vectors of 64 coordinates: reports that are made (client) and added up (server), beside the generator that fills the \
                 random bytes that a report takes, or the report's own bytes."
            }
            Self::Estimation => {
                "How many people's reports each estimator checks and counts in a second, beside the generator that fills a report's \
                 bytes; and whole estimates, beside a fixed loop over a million numbers."
            }
            Self::Trajectory => {
                "Locations that are reported one after the other, beside the generator that fills the random bytes that they take; and \
                 what the collector makes of them."
            }
            Self::Classifier => {
                "Proved bounds of what a classifier is worth for a record, beside the model that labels 2000 rows, as bounds from drawn reports take."
            }
            Self::Limit => {
                "The best channels, found and proved, and proofs that are checked, beside a fixed loop over a million numbers."
            }
            Self::Collector => {
                "Reports that a collector on this machine takes over HTTP, checks, counts and keeps, beside writing as many rows into \
                 the same tables without a collector."
            }
            Self::Peers => {
                "The same work by other packages, in one Python process on one core: how many times as fast Privet is."
            }
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Group {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|group| group.as_str() == text);
        found
            .ok_or_else(|| format!("the groups are {}: got {text:?}", Self::ALL.map(Self::as_str).join(", ")))
    }
}

type Measure = dyn Fn(Patience) -> Result<Measured, BenchError>;

/// Something whose speed can be measured.
pub struct Task {
    name: String,
    group: Group,
    measure: Box<Measure>,
}

impl Task {
    pub(crate) fn new(
        group: Group,
        name: impl Into<String>,
        measure: impl Fn(Patience) -> Result<Measured, BenchError> + 'static,
    ) -> Self {
        Self { name: name.into(), group, measure: Box::new(measure) }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it belongs to.
    pub fn group(&self) -> Group {
        self.group
    }

    /// Measures it, and its peer.
    ///
    /// # Errors
    /// When the machine does not let a collector listen or keep files; otherwise never with the parameters that the tasks have.
    pub fn measure(&self, patience: Patience) -> Result<Row, BenchError> {
        Ok(Row::new(self.name.clone(), self.group, (self.measure)(patience)?))
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Task({})", self.name)
    }
}

/// Every task but those of other packages, in the order of the table.
pub fn tasks() -> Vec<Task> {
    let groups = [
        group::generator::tasks(),
        group::mechanisms::tasks(),
        group::vectors::tasks(),
        group::estimation::tasks(),
        group::trajectory::tasks(),
        group::classifier::tasks(),
        group::limit::tasks(),
        group::collector::tasks(),
    ];
    groups.into_iter().flatten().collect()
}
