//! Reports under a policy: one length for all of them, whatever they say.
//!
//! Version 1, all numbers little-endian:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version, 1 |
//! | 1 | mark: 0, or 1 if drawn from an insecure seed |
//! | 8 | fingerprint of the policy: the first bytes of its id |
//! | 16 | the report's own random id |
//! | 4 | epoch, counted from the first one of the collection |
//! | 2 for each public field | the index of its value |
//! | split: fixed | the report of each attribute, in the order of the policy |
//! | sample: 1, then fixed | the index of the attribute, then its report, filled up with zeros to the longest one |

use crate::resolved::{PolicyId, ResolvedPolicy};
use crate::terms::Contribution;
use privet_core::{Fingerprint, ReportError};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use thiserror::Error;

/// The version that this program writes.
pub const REPORT_VERSION: u8 = 1;

/// A report's own random name, by which it is counted once and can be withdrawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReportId([u8; Self::BYTES]);

impl ReportId {
    /// How many bytes an id has.
    pub const BYTES: usize = 16;

    /// An id that was drawn or stored.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }
}

impl fmt::Display for ReportId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&crate::hex::write(&self.0))
    }
}

impl fmt::Debug for ReportId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ReportId({self})")
    }
}

/// A text that is no id of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the id of a report has 32 hexadecimal digits")]
pub struct NotAReportId;

impl FromStr for ReportId {
    type Err = NotAReportId;

    fn from_str(text: &str) -> Result<Self, NotAReportId> {
        let mut bytes = [0; Self::BYTES];
        crate::hex::read(text, &mut bytes).ok_or(NotAReportId)?;
        Ok(Self(bytes))
    }
}

const ID_AT: usize = 2 + Fingerprint::BYTES;
const EPOCH_AT: usize = ID_AT + ReportId::BYTES;
const FIELDS_AT: usize = EPOCH_AT + 4;
const FIELD_BYTES: usize = 2;

/// Where everything lies in the reports of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    kind: Contribution,
    fields: usize,
    /// Where each attribute's report lies.
    parts: Vec<std::ops::Range<usize>>,
    /// How many bytes a report has.
    pub(crate) length: usize,
}

impl Layout {
    pub(crate) fn of(policy: &ResolvedPolicy) -> Self {
        let fields = policy.terms().public.len();
        let kind = policy.terms().contribution.kind;
        let mut next = FIELDS_AT + fields * FIELD_BYTES + usize::from(kind == Contribution::Sample);
        let mut length = next;
        let parts = policy
            .attributes()
            .iter()
            .map(|attribute| {
                let part = next..next + attribute.report_bytes();
                length = length.max(part.end);
                if kind == Contribution::Split {
                    next = part.end;
                }
                part
            })
            .collect();
        Self { kind, fields, parts, length }
    }

    /// A report with its header and without any answer.
    pub(crate) fn start(&self, policy: PolicyId, head: &ReportHead<'_>) -> Vec<u8> {
        let mut bytes = vec![0; self.length];
        bytes[0] = REPORT_VERSION;
        bytes[1] = u8::from(head.insecure);
        bytes[2..ID_AT].copy_from_slice(&policy.fingerprint().to_bytes());
        bytes[ID_AT..EPOCH_AT].copy_from_slice(&head.id.0);
        bytes[EPOCH_AT..FIELDS_AT].copy_from_slice(&head.epoch.to_le_bytes());
        for (slot, index) in bytes[FIELDS_AT..].chunks_exact_mut(FIELD_BYTES).zip(head.public) {
            slot.copy_from_slice(&index.to_le_bytes());
        }
        bytes
    }

    /// Writes the report of an attribute.
    pub(crate) fn write(&self, bytes: &mut [u8], attribute: usize, report: &[u8]) {
        if self.kind == Contribution::Sample {
            bytes[self.choice_at()] = attribute as u8;
        }
        bytes[self.parts[attribute].clone()].copy_from_slice(report);
    }

    fn choice_at(&self) -> usize {
        FIELDS_AT + self.fields * FIELD_BYTES
    }
}

/// What stands before the answers.
#[derive(Debug)]
pub(crate) struct ReportHead<'a> {
    pub(crate) id: ReportId,
    pub(crate) epoch: u32,
    pub(crate) insecure: bool,
    pub(crate) public: &'a [u16],
}

/// Reads and checks the reports of one policy.
#[derive(Debug, Clone)]
pub struct ReportCodec {
    policy: Arc<ResolvedPolicy>,
    layout: Layout,
    seeded: bool,
}

impl ReportCodec {
    /// For reports of a policy.
    pub fn new(policy: Arc<ResolvedPolicy>) -> Self {
        let layout = Layout::of(&policy);
        Self { policy, layout, seeded: false }
    }

    /// For reports that were drawn from an insecure seed, and no others. They are for tests: they protect nobody.
    #[must_use]
    pub fn for_seeded_reports(self) -> Self {
        Self { seeded: true, ..self }
    }

    /// The policy.
    pub fn policy(&self) -> &Arc<ResolvedPolicy> {
        &self.policy
    }

    /// How many bytes each report has.
    pub fn report_bytes(&self) -> usize {
        self.layout.length
    }

    /// Takes a report apart. Everything but the attributes' reports is checked; [`ReportCodec::check`] looks at those too.
    ///
    /// # Errors
    /// When the report is not one of this policy.
    pub fn decode<'a>(&'a self, bytes: &'a [u8]) -> Result<DecodedReport<'a>, SubmissionError> {
        let expected = self.layout.length;
        if bytes.len() != expected {
            return Err(SubmissionError::Length { expected, got: bytes.len() });
        }
        if bytes[0] != REPORT_VERSION {
            return Err(SubmissionError::Version { got: bytes[0] });
        }
        let report = DecodedReport { layout: &self.layout, bytes };
        let (expected, got) = (self.policy.id().fingerprint(), report.policy_fingerprint());
        if expected != got {
            let (expected, got) = (expected.to_string(), got.to_string());
            return Err(SubmissionError::Foreign { expected, got });
        }
        match (bytes[1], self.seeded) {
            (0, false) | (1, true) => {}
            (1, false) => return Err(SubmissionError::InsecureSeed),
            _ => return Err(SubmissionError::Mark),
        }
        let epochs = self.policy.epochs();
        if report.epoch() >= epochs {
            return Err(SubmissionError::Epoch { epochs, got: report.epoch() });
        }
        let fields = &self.policy.terms().public;
        let wrong = fields.iter().enumerate().find(|(index, field)| {
            report.public_value(*index).is_none_or(|value| value >= field.values.len())
        });
        if let Some((_, field)) = wrong {
            return Err(SubmissionError::PublicValue { field: field.name.clone() });
        }
        self.check_choice(&report)?;
        Ok(report)
    }

    /// A sampled report names one of the attributes, and what follows its report is zero.
    fn check_choice(&self, report: &DecodedReport<'_>) -> Result<(), SubmissionError> {
        if self.layout.kind == Contribution::Split {
            return Ok(());
        }
        let part = self.layout.parts.get(usize::from(report.bytes[self.layout.choice_at()]));
        let end = part.ok_or(SubmissionError::Sampled)?.end;
        if report.bytes[end..].iter().all(|byte| *byte == 0) { Ok(()) } else { Err(SubmissionError::Padding) }
    }

    /// Takes a report apart and refuses what no mechanism of the policy can have written.
    ///
    /// # Errors
    /// When the report is not one of this policy.
    pub fn check<'a>(&'a self, bytes: &'a [u8]) -> Result<DecodedReport<'a>, SubmissionError> {
        let report = self.decode(bytes)?;
        for (index, attribute) in self.policy.attributes().iter().enumerate() {
            if let Some(part) = report.attribute(index) {
                attribute.check_report(part).map_err(|source| SubmissionError::Attribute {
                    attribute: attribute.terms().name.clone(),
                    source,
                })?;
            }
        }
        Ok(report)
    }
}

/// A report that was taken apart.
#[derive(Clone, Copy)]
pub struct DecodedReport<'a> {
    layout: &'a Layout,
    bytes: &'a [u8],
}

impl<'a> DecodedReport<'a> {
    /// The beginning of the id of the policy that it was made under.
    pub fn policy_fingerprint(&self) -> Fingerprint {
        let mut fingerprint = [0; Fingerprint::BYTES];
        fingerprint.copy_from_slice(&self.bytes[2..ID_AT]);
        Fingerprint::from_bytes(fingerprint)
    }

    /// Its own random name.
    pub fn id(&self) -> ReportId {
        let mut id = [0; ReportId::BYTES];
        id.copy_from_slice(&self.bytes[ID_AT..EPOCH_AT]);
        ReportId(id)
    }

    /// The epoch that it stands for, counted from the first one of the collection.
    pub fn epoch(&self) -> u32 {
        let mut epoch = [0; 4];
        epoch.copy_from_slice(&self.bytes[EPOCH_AT..FIELDS_AT]);
        u32::from_le_bytes(epoch)
    }

    /// The index of a public field's value.
    pub fn public_value(&self, field: usize) -> Option<usize> {
        if field >= self.layout.fields {
            return None;
        }
        let at = FIELDS_AT + field * FIELD_BYTES;
        Some(usize::from(u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])))
    }

    /// The report of an attribute, unless another one was drawn.
    pub fn attribute(&self, index: usize) -> Option<&'a [u8]> {
        let layout = self.layout;
        let is_there =
            layout.kind == Contribution::Split || usize::from(self.bytes[layout.choice_at()]) == index;
        let part = layout.parts.get(index).filter(|_| is_there)?;
        Some(&self.bytes[part.clone()])
    }
}

impl fmt::Debug for DecodedReport<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DecodedReport({})", self.id())
    }
}

/// A report that is not counted. Reports are public, so it says what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SubmissionError {
    /// The wrong length.
    #[error("a report of this policy has {expected} bytes: got {got}")]
    Length {
        /// The fixed length.
        expected: usize,
        /// What was received.
        got: usize,
    },
    /// A version that this program does not know.
    #[error("reports of version {got} are not known here: this program reads version {REPORT_VERSION}")]
    Version {
        /// What was received.
        got: u8,
    },
    /// Made under another policy.
    #[error("the report was made under the policy {got}, not under {expected}")]
    Foreign {
        /// The fingerprint of this policy.
        expected: String,
        /// The fingerprint in the report.
        got: String,
    },
    /// Drawn from a fixed seed, so that it protects nobody.
    #[error("the report was drawn from an insecure seed")]
    InsecureSeed,
    /// Not marked as seeded where seeded reports are asked for, or marked in an unknown way.
    #[error("the report has a mark that is not expected here")]
    Mark,
    /// An epoch outside of the collection's days.
    #[error("the collection has {epochs} epochs: the report is for number {got}, counted from 0")]
    Epoch {
        /// How many there are.
        epochs: u32,
        /// What was received.
        got: u32,
    },
    /// A public field with a value that the policy does not know.
    #[error("the report holds an unknown value of the public field {field:?}")]
    PublicValue {
        /// The field.
        field: String,
    },
    /// An attribute that the policy does not have.
    #[error("the report answers a question that the policy does not have")]
    Sampled,
    /// Something after the end of the answer.
    #[error("the report is not zero where it has nothing to say")]
    Padding,
    /// An answer that its mechanism cannot have written.
    #[error("the attribute {attribute:?}: {source}")]
    Attribute {
        /// The attribute.
        attribute: String,
        /// What is wrong with its report.
        source: ReportError,
    },
}

impl SubmissionError {
    /// A stable code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "report-length",
            Self::Version { .. } => "report-version",
            Self::Foreign { .. } => "report-foreign",
            Self::InsecureSeed => "report-insecure-seed",
            Self::Mark => "report-mark",
            Self::Epoch { .. } => "report-epoch",
            Self::PublicValue { .. } => "report-public-value",
            Self::Sampled | Self::Padding | Self::Attribute { .. } => "report-impossible",
        }
    }
}
