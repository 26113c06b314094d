//! What a collector keeps: counters for each attribute, as a whole and by the values of each public field.

use crate::estimator::{AttributeEstimator, PartSummary};
use crate::report::{DecodedReport, SubmissionError};
use crate::resolved::{PolicyId, ResolvedPolicy};
use privet_core::{MergeError, ParameterError, ReportBuffer};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which reports an estimate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slice {
    /// All of them.
    All,
    /// Those with one value of one public field, both by index.
    Public {
        /// The field.
        field: usize,
        /// Its value.
        value: usize,
    },
}

/// What the reports under one policy add up to. Merging is commutative and associative, and any split of the reports gives the
/// same bytes. Parts without reports take no room.
///
/// Where people answer in every epoch and answers are permanent, keep a summary for each epoch: the permanent noise of one person
/// does not average out over epochs.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicySummary {
    policy: PolicyId,
    reports: u64,
    /// By attribute and slice.
    parts: BTreeMap<(u32, Slice), PartSummary>,
}

const MAGIC: &[u8; 4] = b"PVP1";

/// A slice as two numbers: zero, or one more than the field, and the value.
fn slice_numbers(slice: Slice) -> [u32; 2] {
    match slice {
        Slice::All => [0, 0],
        Slice::Public { field, value } => [field as u32 + 1, value as u32],
    }
}

impl PolicySummary {
    /// The policy whose reports were added.
    pub fn policy(&self) -> PolicyId {
        self.policy
    }

    /// How many reports were added.
    pub fn reports(&self) -> u64 {
        self.reports
    }

    /// What the reports of a slice about an attribute add up to, if there are any.
    pub fn part(&self, attribute: usize, slice: Slice) -> Option<&PartSummary> {
        self.parts.get(&(u32::try_from(attribute).ok()?, slice))
    }

    /// Adds another summary.
    ///
    /// # Errors
    /// When it belongs to another policy, or a counter would overflow. The summary is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.policy != other.policy {
            let (expected, got) = (self.policy.to_string(), other.policy.to_string());
            return Err(MergeError::Foreign { expected, got });
        }
        let reports = self.reports.checked_add(other.reports).ok_or(MergeError::Overflow)?;
        let mut merged = Vec::with_capacity(other.parts.len());
        for (key, part) in &other.parts {
            let mut sum = part.clone();
            if let Some(own) = self.parts.get(key) {
                sum.merge(own)?;
            }
            merged.push((*key, sum));
        }
        self.parts.extend(merged);
        self.reports = reports;
        Ok(())
    }

    /// Takes out reports that were added before, as if they had never been.
    ///
    /// # Errors
    /// When the other summary belongs to another policy, or counts something that this one does not. The summary is then unchanged.
    pub fn subtract(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.policy != other.policy {
            let (expected, got) = (self.policy.to_string(), other.policy.to_string());
            return Err(MergeError::Foreign { expected, got });
        }
        let reports = self.reports.checked_sub(other.reports).ok_or(MergeError::Underflow)?;
        let mut rest = Vec::with_capacity(other.parts.len());
        for (key, part) in &other.parts {
            let mut difference = self.parts.get(key).ok_or(MergeError::Underflow)?.clone();
            difference.subtract(part)?;
            rest.push((*key, difference));
        }
        self.parts.extend(rest);
        self.parts.retain(|_, part| part.count() > 0);
        self.reports = reports;
        Ok(())
    }

    /// The bytes to store or send.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&self.policy.to_bytes());
        bytes.extend_from_slice(&self.reports.to_le_bytes());
        for ((attribute, slice), part) in &self.parts {
            let [field, value] = slice_numbers(*slice);
            let counters = part.to_bytes();
            for number in [*attribute, field, value, counters.len() as u32] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(&counters);
        }
        bytes
    }
}

/// Counts the reports of one policy.
#[derive(Debug)]
pub struct Tally {
    policy: Arc<ResolvedPolicy>,
    pub(crate) estimators: Vec<AttributeEstimator>,
    /// Those for a slice of the reports, where they are others.
    pub(crate) of_some: Vec<Option<AttributeEstimator>>,
    /// The summary of no reports of each attribute.
    empty: Vec<PartSummary>,
}

/// All counters of one summary together: 256 MB.
const MOST_COUNTERS: usize = 1 << 25;

impl Tally {
    /// Makes the estimators of a policy.
    ///
    /// # Errors
    /// When a mechanism has no estimator, or the attributes and public fields need more counters than memory should hold.
    pub fn new(policy: Arc<ResolvedPolicy>) -> Result<Self, ParameterError> {
        let estimators = policy
            .attributes()
            .iter()
            .map(|attribute| attribute.estimator())
            .collect::<Result<Vec<_>, _>>()?;
        let of_some = policy.attributes().iter().map(|attribute| attribute.estimator_of_some()).collect();
        let empty: Vec<PartSummary> = estimators.iter().map(|estimator| estimator.empty_summary()).collect();
        let slices = 1 + policy.terms().public.iter().map(|field| field.values.len()).sum::<usize>();
        let counters = empty.iter().map(PartSummary::numbers).sum::<usize>().saturating_mul(slices);
        if counters > MOST_COUNTERS {
            let reason = format!(
                "the attributes and public fields need {counters} counters, more than {MOST_COUNTERS}: \
                 use fewer categories, bins or public values"
            );
            return Err(ParameterError::Incompatible { reason });
        }
        Ok(Self { policy, estimators, of_some, empty })
    }

    /// The policy.
    pub fn policy(&self) -> &Arc<ResolvedPolicy> {
        &self.policy
    }

    /// A summary of no reports.
    pub fn empty_summary(&self) -> PolicySummary {
        PolicySummary { policy: self.policy.id(), reports: 0, parts: BTreeMap::new() }
    }

    /// Every slice that the policy's public fields make, the whole first.
    pub fn slices(&self) -> Vec<Slice> {
        let fields = self.policy.terms().public.iter().enumerate();
        let public = fields.flat_map(|(field, public)| {
            (0..public.values.len()).map(move |value| Slice::Public { field, value })
        });
        std::iter::once(Slice::All).chain(public).collect()
    }

    /// Adds reports of this policy. An error leaves the summary as it was.
    ///
    /// # Errors
    /// When a report was made under another policy, an attribute's report cannot have been made by its mechanism, or a counter would overflow.
    pub fn accumulate<'a>(
        &self,
        summary: &mut PolicySummary,
        reports: impl IntoIterator<Item = DecodedReport<'a>>,
    ) -> Result<(), TallyError> {
        let mut batch = self.empty_summary();
        let mut buffers: BTreeMap<(u32, Slice), ReportBuffer> = BTreeMap::new();
        for report in reports {
            let (expected, got) = (self.policy.id().fingerprint(), report.policy_fingerprint());
            if expected != got {
                let (expected, got) = (expected.to_string(), got.to_string());
                return Err(SubmissionError::Foreign { expected, got }.into());
            }
            batch.reports += 1;
            for index in 0..self.estimators.len() {
                let Some(part) = report.attribute(index) else { continue };
                let fields = 0..self.policy.terms().public.len();
                let public = fields.filter_map(|field| {
                    report.public_value(field).map(|value| Slice::Public { field, value })
                });
                for slice in std::iter::once(Slice::All).chain(public) {
                    let buffer =
                        buffers.entry((index as u32, slice)).or_insert_with(|| ReportBuffer::new(part.len()));
                    buffer.push(part).map_err(|source| self.attribute_error(index, source))?;
                }
            }
        }
        for ((index, slice), buffer) in buffers {
            let attribute = index as usize;
            let mut part = self.empty[attribute].clone();
            self.estimators[attribute]
                .accumulate(&mut part, &buffer)
                .map_err(|source| self.attribute_error(attribute, source))?;
            batch.parts.insert((index, slice), part);
        }
        Ok(summary.merge(&batch)?)
    }

    fn attribute_error(&self, index: usize, source: privet_core::ReportError) -> SubmissionError {
        SubmissionError::Attribute { attribute: self.policy.attributes()[index].terms().name.clone(), source }
    }

    /// A summary of this policy that was stored.
    ///
    /// # Errors
    /// When the bytes are not a summary of this policy.
    pub fn summary_from_bytes(&self, bytes: &[u8]) -> Result<PolicySummary, MergeError> {
        let malformed = |reason| MergeError::Malformed { reason };
        let cut_off = || malformed("it ends too early");
        let mut rest = bytes.strip_prefix(MAGIC).ok_or_else(|| malformed("it is no summary of a policy"))?;
        let mut take = |count: usize| {
            let (head, tail) = rest.split_at_checked(count).ok_or_else(cut_off)?;
            rest = tail;
            Ok::<_, MergeError>(head)
        };
        let mut id = [0; PolicyId::BYTES];
        id.copy_from_slice(take(PolicyId::BYTES)?);
        let policy = PolicyId::from_bytes(id);
        if policy != self.policy.id() {
            let (expected, got) = (self.policy.id().to_string(), policy.to_string());
            return Err(MergeError::Foreign { expected, got });
        }
        let mut reports = [0; 8];
        reports.copy_from_slice(take(8)?);
        let reports = u64::from_le_bytes(reports);
        let parts = self.parts_from_bytes(rest, reports)?;
        Ok(PolicySummary { policy, reports, parts })
    }

    fn parts_from_bytes(
        &self,
        mut rest: &[u8],
        reports: u64,
    ) -> Result<BTreeMap<(u32, Slice), PartSummary>, MergeError> {
        let malformed = |reason| MergeError::Malformed { reason };
        let slices = self.slices();
        let mut parts: BTreeMap<(u32, Slice), PartSummary> = BTreeMap::new();
        while !rest.is_empty() {
            let (head, tail) = rest.split_at_checked(16).ok_or_else(|| malformed("it ends too early"))?;
            let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
            let (attribute, numbers, length) = (number(0), [number(4), number(8)], number(12));
            let (counters, tail) =
                tail.split_at_checked(length as usize).ok_or_else(|| malformed("it ends too early"))?;
            rest = tail;
            let empty =
                self.empty.get(attribute as usize).ok_or_else(|| malformed("it has other attributes"))?;
            let slice = slices.iter().copied().find(|slice| slice_numbers(*slice) == numbers);
            let slice = slice.ok_or_else(|| malformed("it has other public fields"))?;
            let part = empty.read_alike(counters)?;
            if part.count() == 0 || part.count() > reports {
                return Err(malformed("a part has more reports than the whole, or none"));
            }
            if parts.last_key_value().is_some_and(|(last, _)| *last >= (attribute, slice)) {
                return Err(malformed("its parts are not in order"));
            }
            parts.insert((attribute, slice), part);
        }
        Ok(parts)
    }
}

/// Reports that cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TallyError {
    /// A report that its mechanism cannot have written.
    #[error(transparent)]
    Report(#[from] SubmissionError),
    /// A counter that would overflow, or a summary of another policy.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

impl TallyError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Report(error) => error.code(),
            Self::Merge(error) => error.code(),
        }
    }
}
