//! No bytes from anywhere end the program.

use crate::{TRAVEL, no_files, unmarked};
use privet_policy::ledger::LedgerRecord;
use privet_policy::{Answers, Client, ReportCodec, ResolvedPolicy, Tally};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

static POLICY: LazyLock<Arc<ResolvedPolicy>> =
    LazyLock::new(|| ResolvedPolicy::read(TRAVEL, &mut no_files).unwrap());
static CODEC: LazyLock<ReportCodec> = LazyLock::new(|| ReportCodec::new(Arc::clone(&POLICY)));
static TALLY: LazyLock<Tally> = LazyLock::new(|| Tally::new(Arc::clone(&POLICY)).unwrap());

/// Reads bytes of one kind, and writes what it has read.
type Reader = fn(&[u8]) -> Option<Vec<u8>>;

/// Sound bytes of each kind.
static SOUND: LazyLock<Vec<(Vec<u8>, Reader)>> = LazyLock::new(|| {
    let answers = Answers::new()
        .value("commute", "bus")
        .value("minutes", "20")
        .value("home", "9,1")
        .public("region", "north");
    let report = Client::new([1; 32]).perturb(&POLICY, &answers, 2, &mut unmarked(5)).unwrap();
    let mut summary = TALLY.empty_summary();
    TALLY.accumulate(&mut summary, [CODEC.check(&report).unwrap()]).unwrap();
    let record = LedgerRecord {
        collection: POLICY.id(),
        origin: "city.example".to_owned(),
        day: "2026-03-05".parse().unwrap(),
        epoch: 2,
        charges: Vec::new(),
        report: report.clone(),
    };
    let written: Reader = |bytes| {
        let policy = ResolvedPolicy::read(std::str::from_utf8(bytes).ok()?, &mut no_files).ok()?;
        Some(policy.to_json().as_bytes().to_vec())
    };
    vec![
        (report, |bytes| CODEC.check(bytes).ok().map(|_| bytes.to_vec())),
        (summary.to_bytes(), |bytes| Some(TALLY.summary_from_bytes(bytes).ok()?.to_bytes())),
        (record.to_bytes(), |bytes| Some(LedgerRecord::from_bytes(bytes).ok()?.to_bytes())),
        (TRAVEL.replace("auto", "grr").into_bytes(), written),
    ]
});

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

    /// Sound bytes of each kind, a few of them exchanged, inserted or left out: refused, or read and written back as they are.
    #[test]
    fn changed_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6)) {
        for (sound, read) in &*SOUND {
            let mut bytes = sound.clone();
            for (place, byte, how) in &changes {
                let at = place.index(bytes.len());
                match how {
                    0 => bytes[at] = *byte,
                    1 => bytes.insert(at, *byte),
                    _ => drop(bytes.remove(at)),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            if let Some(written) = read(&bytes) {
                prop_assert!(read(&written).as_ref() == Some(&written));
            }
        }
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
