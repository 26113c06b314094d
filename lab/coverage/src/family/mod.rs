//! What is repeated: collections of one kind, of whose people everything is known.

mod categories;
mod numbers;
mod reports;
mod shared;
mod vectors;

pub use categories::{Categories, CategoryCase};
pub use numbers::{LatticeCase, Numbers};
pub use reports::{Places, Words};
pub use vectors::Vectors;

use anyhow::{Result, ensure};
use privet_core::{Estimate, Fingerprint, Generator, Summary};
use privet_estimators::CountSummary;

/// Something that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its name.
    pub name: String,
    /// What it is about, with others: `mean`, `share`, `simultaneous` ..
    pub kind: &'static str,
    /// Whether its intervals should not hold much too often either: the estimate has no bias for any population, the truth lies
    /// well inside its limits, and there is one interval only.
    pub is_sharp: bool,
}

impl Question {
    fn new(name: impl Into<String>, kind: &'static str) -> Self {
        Self { name: name.into(), kind, is_sharp: false }
    }

    fn sharp_where(self, is_sharp: bool) -> Self {
        Self { is_sharp, ..self }
    }
}

/// Whether a truth between 0 and 1 is so far inside that ends which are cut off there do not matter.
fn is_well_inside(truth: f64) -> bool {
    (0.02..=0.98).contains(&truth)
}

/// Whether an interval held the truth, and half of its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Whether the truth was inside.
    pub held: bool,
    /// Half of the length.
    pub half_width: f64,
    /// The value and the standard error that was stated, where there is one.
    pub stated: Option<Stated>,
}

/// A value beside the standard deviation that it is said to have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stated {
    /// The value.
    pub value: f64,
    /// The standard error.
    pub standard_error: f64,
}

impl Seen {
    fn of(interval: [f64; 2], truth: f64) -> Self {
        // A truth at the end of an interval may be rounded beyond it.
        let slack = 1e-9;
        let held = interval[0] - slack <= truth && truth <= interval[1] + slack;
        Self { held, half_width: (interval[1] - interval[0]) / 2.0, stated: None }
    }

    /// Of an estimate, whose value has to lie in its interval.
    fn of_estimate(estimate: &Estimate, truth: f64) -> Result<Self> {
        let Estimate { value, standard_error, interval: [low, high], .. } = *estimate;
        ensure!(low <= value && value <= high, "a value outside its interval: {value} and [{low}, {high}]");
        let stated = Some(Stated { value, standard_error });
        Ok(Self { stated, ..Self::of(estimate.interval, truth) })
    }

    /// Of a share, which lies between 0 and 1; an unbiased value may stretch its interval beyond, where no truth can be.
    fn of_share(estimate: &Estimate, truth: f64) -> Result<Self> {
        let inside = estimate.interval.map(|end| end.clamp(0.0, 1.0));
        Ok(Self { half_width: (inside[1] - inside[0]) / 2.0, ..Self::of_estimate(estimate, truth)? })
    }

    /// Of many intervals that should hold together: their mean length, and whether all did.
    fn of_all(seen: impl Iterator<Item = Self>) -> Self {
        let (mut held, mut sum, mut count) = (true, 0.0, 0.0);
        for one in seen {
            held &= one.held;
            sum += one.half_width;
            count += 1.0;
        }
        Self { held, half_width: sum / f64::max(count, 1.0), stated: None }
    }
}

/// A collection that can be repeated.
pub trait Experiment: Sync {
    /// What is asked.
    fn questions(&self) -> Vec<Question>;

    /// Collects once and answers every question.
    ///
    /// # Errors
    /// When something cannot be estimated.
    fn repeat(&self, rng: &mut Generator) -> Result<Vec<Seen>>;
}

/// A summary with these counters.
fn summary_of(fingerprint: Fingerprint, n: u64, counts: &[u64]) -> Result<CountSummary> {
    let mut bytes = b"PVS1".to_vec();
    bytes.extend_from_slice(&fingerprint.to_bytes());
    bytes.extend_from_slice(&n.to_le_bytes());
    bytes.extend_from_slice(&(counts.len() as u64).to_le_bytes());
    counts.iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
    Ok(CountSummary::from_bytes(&bytes)?)
}
