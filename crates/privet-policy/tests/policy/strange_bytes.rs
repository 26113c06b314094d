//! No bytes from anywhere end the program.

use crate::{TRAVEL, no_files};
use privet_policy::ledger::LedgerRecord;
use privet_policy::{ReportCodec, ResolvedPolicy, Tally};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

static POLICY: LazyLock<Arc<ResolvedPolicy>> =
    LazyLock::new(|| ResolvedPolicy::read(TRAVEL, &mut no_files).unwrap());
static CODEC: LazyLock<ReportCodec> = LazyLock::new(|| ReportCodec::new(Arc::clone(&POLICY)));
static TALLY: LazyLock<Tally> = LazyLock::new(|| Tally::new(Arc::clone(&POLICY)).unwrap());

/// The header of a report of the policy: version, no mark, fingerprint.
fn header() -> Vec<u8> {
    let mut header = vec![1, 0];
    header.extend_from_slice(&POLICY.id().fingerprint().to_bytes());
    header
}

proptest! {
    #[test]
    fn reports(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        prop_assert!(CODEC.check(&bytes).is_err());
    }

    /// What is accepted can be counted, and what is refused is refused by name.
    #[test]
    fn reports_with_the_right_header(
        id in any::<[u8; 16]>(),
        epoch in 0u32..20,
        field in 0u16..4,
        answers in prop::collection::vec(any::<u8>(), 6),
    ) {
        let bytes = [&header()[..], &id, &epoch.to_le_bytes(), &field.to_le_bytes(), &answers].concat();
        match CODEC.check(&bytes) {
            Ok(report) => {
                prop_assert!(epoch < 13 && field < 2 && answers[0] < 4);
                let mut summary = TALLY.empty_summary();
                TALLY.accumulate(&mut summary, [report]).unwrap();
                prop_assert_eq!(summary.reports(), 1);
            }
            Err(error) => {
                prop_assert!(["report-epoch", "report-public-value", "report-impossible"].contains(&error.code()));
            }
        }
    }

    #[test]
    fn summaries(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(TALLY.summary_from_bytes(&bytes).is_err());
        let start = TALLY.empty_summary().to_bytes();
        let _ = TALLY.summary_from_bytes(&[&start[..], &bytes].concat());
    }

    #[test]
    fn records(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(LedgerRecord::from_bytes(&bytes).is_err());
    }

    /// Resolved policies with something else in one place.
    #[test]
    fn resolved_policies(at in 0usize..900, noise in "[\\PC]{0,3}") {
        let text = POLICY.to_json();
        if text.is_char_boundary(at) && at < text.len() {
            let _ = ResolvedPolicy::from_json(&format!("{}{noise}{}", &text[..at], &text[at + 1..]));
        }
    }
}
