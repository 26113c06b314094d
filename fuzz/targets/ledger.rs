//! Records of a ledger that somebody has changed: read back as they were, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_policy::ledger::LedgerRecord;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = LedgerRecord::from_bytes(bytes) {
        let again = LedgerRecord::from_bytes(&record.to_bytes()).expect("what was written is read");
        assert_eq!(again.to_bytes(), record.to_bytes());
    }
});
