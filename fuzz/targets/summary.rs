//! Summaries from other collectors: read back as they were, added up and estimated from, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_policy::{ResolvedPolicy, Slice, Tally};
use std::sync::{Arc, LazyLock};

static TALLY: LazyLock<Tally> = LazyLock::new(|| {
    let text = include_str!("../seeds/policy/travel.toml");
    let policy = ResolvedPolicy::read(text, &mut |_| Err(String::new())).expect("the policy is sound");
    Tally::new(Arc::clone(&policy)).expect("it can be counted")
});
static START: LazyLock<Vec<u8>> = LazyLock::new(|| TALLY.empty_summary().to_bytes());

/// The magic bytes and the policy's id, without the number of reports.
const HEAD: usize = 36;

fn check(bytes: &[u8]) {
    let Ok(mut summary) = TALLY.summary_from_bytes(bytes) else { return };
    assert_eq!(summary.to_bytes(), bytes);
    let other = summary.clone();
    let _ = summary.merge(&other);
    for attribute in 0..3 {
        let _ = TALLY.estimate(&other, attribute, Slice::All, &Default::default());
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    check(&[&START[..HEAD], bytes].concat());
});
