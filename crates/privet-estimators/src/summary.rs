//! Counters that add up.

use privet_core::{EstimateError, Fingerprint, MergeError, ReportBuffer, ReportError, Summary};

/// A number of reports and a list of counters. What the counters count is up to the estimator that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountSummary {
    fingerprint: Fingerprint,
    reports: u64,
    counts: Vec<u64>,
}

const MAGIC: [u8; 4] = *b"PVS1";
const HEADER_BYTES: usize = MAGIC.len() + Fingerprint::BYTES + 8 + 8;

impl CountSummary {
    /// A summary of no reports with `counters` counters.
    pub fn empty(fingerprint: Fingerprint, counters: usize) -> Self {
        Self { fingerprint, reports: 0, counts: vec![0; counters] }
    }

    /// The counters.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Takes out reports that were added before, as if they had never been.
    ///
    /// # Errors
    /// When the other summary is another mechanism's, or counts something that this one does not. The summary is then unchanged.
    pub fn subtract(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.combined(other, u64::checked_sub, MergeError::Underflow)?;
        Ok(())
    }

    /// Both summaries, counter by counter.
    fn combined(
        &self,
        other: &Self,
        combine: fn(u64, u64) -> Option<u64>,
        beyond: MergeError,
    ) -> Result<Self, MergeError> {
        if self.fingerprint != other.fingerprint {
            return Err(MergeError::Foreign {
                expected: self.fingerprint.to_string(),
                got: other.fingerprint.to_string(),
            });
        }
        if self.counts.len() != other.counts.len() {
            return Err(MergeError::Malformed { reason: "another number of counters" });
        }
        let counts = self.counts.iter().zip(&other.counts).map(|(one, two)| combine(*one, *two));
        let (Some(reports), Some(counts)) = (combine(self.reports, other.reports), counts.collect()) else {
            return Err(beyond);
        };
        Ok(Self { fingerprint: self.fingerprint, reports, counts })
    }

    /// Adds what one batch of reports of a mechanism counted, or refuses if this is another mechanism's summary.
    pub(crate) fn add(
        &mut self,
        mechanism: Fingerprint,
        reports: &ReportBuffer,
        counts: &[u64],
    ) -> Result<(), ReportError> {
        if self.fingerprint != mechanism {
            return Err(ReportError::Foreign {
                expected: self.fingerprint.to_string(),
                got: mechanism.to_string(),
            });
        }
        let too_many = ReportError::Impossible { reason: "a counter of the summary would exceed 64 bits" };
        let sums: Option<Vec<u64>> =
            self.counts.iter().zip(counts).map(|(sum, count)| sum.checked_add(*count)).collect();
        let total = self.reports.checked_add(reports.len() as u64);
        let (Some(sums), Some(total)) = (sums, total) else { return Err(too_many) };
        self.counts = sums;
        self.reports = total;
        Ok(())
    }

    /// The counters, if this is a sound summary of the given mechanism with at least one report.
    pub(crate) fn of_mechanism(
        &self,
        fingerprint: Fingerprint,
        counters: usize,
    ) -> Result<&[u64], EstimateError> {
        self.with_sums_of_mechanism(fingerprint, counters, 0)
    }

    /// As [`CountSummary::of_mechanism`], for summaries whose last `sums` counters are sums over the reports.
    pub(crate) fn with_sums_of_mechanism(
        &self,
        fingerprint: Fingerprint,
        counters: usize,
        sums: usize,
    ) -> Result<&[u64], EstimateError> {
        if self.fingerprint != fingerprint {
            return Err(EstimateError::Foreign {
                expected: fingerprint.to_string(),
                got: self.fingerprint.to_string(),
            });
        }
        if self.counts.len() != counters {
            return Err(EstimateError::Damaged {
                reason: "another number of counters than the mechanism needs",
            });
        }
        if self.counts.iter().take(counters - sums).any(|count| *count > self.reports) {
            return Err(EstimateError::Damaged { reason: "a counter is above the number of reports" });
        }
        if self.reports == 0 {
            return Err(EstimateError::TooFewReports { needed: 1, got: 0 });
        }
        Ok(&self.counts)
    }
}

/// Refuses counters of which each report raises exactly one, if their sum is not the number of reports.
pub(crate) fn must_add_up(counts: &[u64], reports: u64) -> Result<(), EstimateError> {
    let sum = counts.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
    if sum == Some(reports) {
        return Ok(());
    }
    Err(EstimateError::Damaged { reason: "the counters do not add up to the number of reports" })
}

/// Refuses counters of noisy bits in rows, behind those of the reports in each row: every report is in one row, and counts at most
/// once for each bit of it.
pub(crate) fn must_fit_rows(counts: &[u64], reports: u64, rows: usize) -> Result<(), EstimateError> {
    let (in_rows, bits) = counts.split_at_checked(rows).unwrap_or_default();
    must_add_up(in_rows, reports)?;
    let mut each = in_rows.iter().zip(bits.chunks_exact((bits.len() / rows.max(1)).max(1)));
    if each.any(|(reports, bits)| bits.iter().any(|count| count > reports)) {
        return Err(EstimateError::Damaged { reason: "a counter is above the number of reports of its row" });
    }
    Ok(())
}

impl Summary for CountSummary {
    fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    fn count(&self) -> u64 {
        self.reports
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        *self = self.combined(other, u64::checked_add, MergeError::Overflow)?;
        Ok(())
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES + self.counts.len() * 8);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.fingerprint.to_bytes());
        bytes.extend_from_slice(&self.reports.to_le_bytes());
        bytes.extend_from_slice(&(self.counts.len() as u64).to_le_bytes());
        self.counts.iter().for_each(|count| bytes.extend_from_slice(&count.to_le_bytes()));
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, MergeError> {
        let malformed = |reason| MergeError::Malformed { reason };
        let (header, body) =
            bytes.split_at_checked(HEADER_BYTES).ok_or_else(|| malformed("too short for a summary"))?;
        let number = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&header[at..at + 8]);
            u64::from_le_bytes(word)
        };
        if header[..4] != MAGIC {
            return Err(malformed("not a summary, or of another version"));
        }
        if (body.len() as u64) / 8 != number(20) || body.len() % 8 != 0 {
            return Err(malformed("the number of counters does not fit the length"));
        }
        let mut fingerprint = [0; Fingerprint::BYTES];
        fingerprint.copy_from_slice(&header[4..12]);
        let counts = body.chunks_exact(8).map(|chunk| {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        Ok(Self {
            fingerprint: Fingerprint::from_bytes(fingerprint),
            reports: number(12),
            counts: counts.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use crate::testing::Case;
    use privet_core::Values;
    use privet_core::domain::Word;
    use proptest::prelude::*;

    fn summary(counts: Vec<u64>, reports: u64) -> CountSummary {
        CountSummary { fingerprint: Fingerprint::from_bytes([1; 8]), reports, counts }
    }

    proptest! {
        #[test]
        fn merging_is_a_commutative_monoid(
            (a, b, c) in (1usize..20).prop_flat_map(|len| {
                let one = || (prop::collection::vec(0u64..1 << 60, len), 0u64..1 << 60)
                    .prop_map(|(counts, reports)| summary(counts, reports));
                (one(), one(), one())
            })
        ) {
            let merged = |one: &CountSummary, two: &CountSummary| {
                let mut sum = one.clone();
                sum.merge(two).unwrap();
                sum
            };
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
            prop_assert_eq!(merged(&a, &summary(vec![0; a.counts.len()], 0)), a.clone());
            prop_assert_eq!(CountSummary::from_bytes(&a.to_bytes()).unwrap(), a.clone());
            let mut rest = merged(&a, &b);
            rest.subtract(&b).unwrap();
            prop_assert_eq!(rest, a);
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = CountSummary::from_bytes(&bytes);
        }
    }

    /// A report too many in a single counter is found wherever every report raises one. Of other
    /// mechanisms only counters above the number of reports are impossible.
    #[test]
    fn counters_that_do_not_add_up_are_refused() {
        let categories = || Values::Categories(vec![1; 50]);
        let numbers = || Values::Numbers(vec![0.5; 50]);
        for (id, people) in [
            ("randomized-response", categories()),
            ("grr", categories()),
            ("ordered-exponential", categories()),
            ("rappor", categories()),
            ("count-mean-sketch", categories()),
            ("prefix-tree", Values::Words(vec![Word::new("ab").unwrap(); 50])),
            ("square-wave", numbers()),
            ("laplace", numbers()),
            ("optimal-piecewise-circle", numbers()),
        ] {
            let case = Case::small(id, 4.0);
            let sound = case.summary(&case.reports(&people, 1));
            assert!(case.estimator.answer(&sound, &Request::default()).is_ok(), "{id}");
            for (reports, first) in [(50, 1), (51, 0), (49, 0)] {
                let mut damaged = CountSummary { reports, ..sound.clone() };
                damaged.counts[0] += first;
                let refused = case.estimator.answer(&damaged, &Request::default());
                assert!(matches!(refused, Err(EstimateError::Damaged { .. })), "{id} {reports}: {refused:?}");
            }
        }
    }

    #[test]
    fn bits_fit_into_the_reports_of_their_row() {
        // Two rows of three and four reports, and two bits in each.
        assert_eq!(must_fit_rows(&[3, 4, 3, 0, 4, 1], 7, 2), Ok(()));
        for wrong in [[3, 4, 4, 0, 4, 1], [3, 4, 3, 0, 4, 5], [3, 3, 3, 0, 3, 1]] {
            assert!(must_fit_rows(&wrong, 7, 2).is_err(), "{wrong:?}");
        }
        assert!(must_add_up(&[u64::MAX, 2], 1).is_err() && must_add_up(&[1], u64::MAX).is_err());
    }

    #[test]
    fn strangers_and_overflows_leave_the_summary_as_it_was() {
        let mut one = summary(vec![u64::MAX, 1], 5);
        let before = one.clone();
        assert_eq!(one.merge(&summary(vec![1, 1], 1)), Err(MergeError::Overflow));
        assert_eq!(one.subtract(&summary(vec![1, 2], 1)), Err(MergeError::Underflow));
        assert_eq!(one.subtract(&summary(vec![1, 1], 6)), Err(MergeError::Underflow));
        let foreign = CountSummary::empty(Fingerprint::from_bytes([2; 8]), 2);
        assert!(matches!(one.merge(&foreign), Err(MergeError::Foreign { .. })));
        assert!(matches!(one.merge(&summary(vec![1], 1)), Err(MergeError::Malformed { .. })));
        assert_eq!(one, before);
    }
}
