//! Reports from strangers: sound or refused, and sound ones are counted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_policy::{ReportCodec, ResolvedPolicy, Tally};
use std::sync::{Arc, LazyLock};

static POLICY: LazyLock<Arc<ResolvedPolicy>> = LazyLock::new(|| {
    let text = include_str!("../seeds/policy/travel.toml");
    ResolvedPolicy::read(text, &mut |_| Err(String::new())).expect("the policy is sound")
});
static CODEC: LazyLock<ReportCodec> = LazyLock::new(|| ReportCodec::new(Arc::clone(&POLICY)));
static TALLY: LazyLock<Tally> = LazyLock::new(|| Tally::new(Arc::clone(&POLICY)).expect("it can be counted"));

fn check(bytes: &[u8]) {
    let _ = CODEC.decode(bytes);
    if let Ok(report) = CODEC.check(bytes) {
        let mut summary = TALLY.empty_summary();
        TALLY.accumulate(&mut summary, [report]).expect("a sound report is counted");
        assert_eq!(summary.reports(), 1);
    }
}

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Version, no mark, fingerprint of the policy.
    check(&[&[1, 0], POLICY.id().fingerprint().to_bytes().as_slice(), bytes].concat());
});
