//! Mechanisms on categories: how often is each one held?

mod binary_local_hashing;
mod bloom;
mod count_mean_sketch;
mod generalized_randomized_response;
mod hadamard_response;
mod hashing;
mod local_hashing;
mod optimized_local_hashing;
mod optimized_unary_encoding;
mod ordered_exponential;
mod peaked_response;
mod prefix_tree;
mod randomized_response;
mod solved;
mod subset_selection;
mod symmetric_unary_encoding;
mod table_response;
mod unary_encoding;

pub use binary_local_hashing::{BinaryBuckets, BinaryLocalHashing};
pub use bloom::{BloomParameters, BloomReport, Rappor};
pub use count_mean_sketch::{CountMeanSketch, SketchParameters, SketchReport};
pub use generalized_randomized_response::{AnyCount, GeneralizedRandomizedResponse};
pub use hadamard_response::HadamardResponse;
pub use hashing::{RowHash, SeededHash};
pub use local_hashing::{BucketRule, HashedReport, LocalHashing};
pub use optimized_local_hashing::{OptimizedBuckets, OptimizedLocalHashing};
pub use optimized_unary_encoding::{Optimized, OptimizedUnaryEncoding};
pub use ordered_exponential::{NearIsLikely, OrderedExponential};
pub use peaked_response::{PeakedResponse, PeakedRule};
pub use prefix_tree::{PrefixReport, PrefixTree};
pub use randomized_response::{RandomizedResponse, TwoOnly};
pub use solved::{FoundOnCategories, SolvedCategories};
pub use subset_selection::SubsetSelection;
pub use symmetric_unary_encoding::{Symmetric, SymmetricUnaryEncoding};
pub use table_response::{TableResponse, TableRule};
pub use unary_encoding::{BitCounter, BitThresholds, UnaryEncoding, UnaryRule};

use privet_core::{
    Categories, Domain, DomainSpec, Fingerprint, Fraction, MechanismInfo, ParameterError, ReportBuffer,
    ReportError,
};

/// A mechanism whose reports *support* some categories, each with one probability if it is the person's own
/// and another if it is not. Frequencies are estimated from nothing else.
pub trait FrequencyOracle: std::fmt::Debug + Send + Sync {
    /// The categories.
    fn categories(&self) -> &Categories;

    /// The mechanism that makes the reports.
    fn oracle_fingerprint(&self) -> Fingerprint;

    /// How many bytes an encoded report has.
    fn oracle_report_bytes(&self) -> usize;

    /// How probable it is that a report supports a category.
    fn support(&self) -> Support;

    /// For each category, adds the number of reports that support it to its count.
    ///
    /// # Errors
    /// When a report is one that the mechanism cannot have made; `counts` is then unspecified.
    fn tally(&self, reports: &ReportBuffer, counts: &mut [u64]) -> Result<(), ReportError>;

    /// Whether every report supports exactly one category.
    fn is_single(&self) -> bool {
        false
    }

    /// The part of a report whose law is the same for everybody.
    fn invariant(&self) -> Invariant {
        Invariant::Nothing
    }
}

/// A part of a report whose law is the same whatever the person holds. A collector that knows nothing about the people can
/// still see whether reports follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Invariant {
    /// No part, or none that a forger would get wrong.
    Nothing,
    /// How many bits are one: the person's own with one probability, each other one with another, independently.
    Ones,
    /// The first 64 bits: uniform.
    Seed,
    /// How often the report is all zero bits: with this probability.
    Zero(Fraction),
}

/// How probable it is that a report supports a category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// If the person holds it.
    pub own: Fraction,
    /// If the person holds another one.
    pub other: Fraction,
}

/// The categories of a written domain.
fn categories_of(info: &MechanismInfo, domain: &DomainSpec) -> Result<Categories, ParameterError> {
    Categories::from_spec(domain).cloned().ok_or_else(|| wrong_domain(info, domain))
}

fn wrong_domain(info: &MechanismInfo, domain: &DomainSpec) -> ParameterError {
    ParameterError::WrongDomain { mechanism: info.id, expected: info.domain, got: domain.to_string() }
}

/// Refuses more categories than a mechanism can hold.
fn at_most(categories: &Categories, max: u32) -> Result<(), ParameterError> {
    let got = categories.count();
    if got <= max {
        Ok(())
    } else {
        Err(ParameterError::CategoryCount { min: 2, max: u64::from(max), got: u64::from(got) })
    }
}

/// The guarantee that the exact worst ratio of a channel gives.
pub(crate) fn pure_guarantee(worst_ratio: &Fraction) -> Result<privet_core::Guarantee, ParameterError> {
    let epsilon = privet_core::Epsilon::new(worst_ratio.log_rounded_up())?;
    Ok(privet_core::Guarantee::Pure { epsilon })
}
