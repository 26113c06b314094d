//! What the collector keeps of the reports of one epoch.

use privet_core::{MergeError, Summary};
use privet_estimators::{CountSummary, PlausibilitySummary};
use privet_policy::{PolicySummary, Tally};

/// The summary of a policy, and for each attribute what its watch has seen. Adding up is commutative and associative, and reports that
/// were added can be taken out again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counters {
    pub(crate) summary: PolicySummary,
    /// Nothing for attributes without a watch.
    pub(crate) watched: Vec<Option<PlausibilitySummary>>,
}

impl Counters {
    pub(crate) fn reports(&self) -> u64 {
        self.summary.reports()
    }

    pub(crate) fn add(&mut self, other: &Self) -> Result<(), MergeError> {
        self.combine(other, PolicySummary::merge, CountSummary::merge)
    }

    pub(crate) fn take_out(&mut self, other: &Self) -> Result<(), MergeError> {
        self.combine(other, PolicySummary::subtract, CountSummary::subtract)
    }

    fn combine(
        &mut self,
        other: &Self,
        summaries: fn(&mut PolicySummary, &PolicySummary) -> Result<(), MergeError>,
        watched: fn(&mut CountSummary, &CountSummary) -> Result<(), MergeError>,
    ) -> Result<(), MergeError> {
        let mut combined = self.clone();
        summaries(&mut combined.summary, &other.summary)?;
        for pair in combined.watched.iter_mut().zip(&other.watched) {
            if let (Some(one), Some(two)) = pair {
                watched(one, two)?;
            }
        }
        *self = combined;
        Ok(())
    }

    /// The bytes to store: each summary behind its length in four bytes. Nothing is stored as no bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        if self.reports() == 0 {
            return Vec::new();
        }
        let watched = self.watched.iter().flatten().map(Summary::to_bytes);
        let mut bytes = Vec::new();
        for part in std::iter::once(self.summary.to_bytes()).chain(watched) {
            bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
            bytes.extend_from_slice(&part);
        }
        bytes
    }

    /// Adds what was stored.
    pub(crate) fn add_bytes(&mut self, tally: &Tally, mut bytes: &[u8]) -> Result<(), MergeError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let summary = tally.summary_from_bytes(take_part(&mut bytes)?)?;
        let watched = self
            .watched
            .iter()
            .map(|watched| {
                watched.as_ref().map(|_| CountSummary::from_bytes(take_part(&mut bytes)?)).transpose()
            })
            .collect::<Result<_, _>>()?;
        if !bytes.is_empty() {
            return Err(MergeError::Malformed { reason: "it goes on behind its end" });
        }
        self.add(&Self { summary, watched })
    }
}

fn take_part<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], MergeError> {
    let cut_off = || MergeError::Malformed { reason: "it ends too early" };
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(cut_off)?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(cut_off)?;
    *bytes = rest;
    Ok(part)
}
