//! Policies from strangers: read or refused, and what is resolved reads back as itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use privet_policy::ResolvedPolicy;

fuzz_target!(|text: &str| {
    // Choosing a mechanism may take seconds, which says nothing about reading.
    if text.contains("auto") {
        return;
    }
    let mut no_files = |_: &str| Err("there are no files here".to_owned());
    match ResolvedPolicy::read(text, &mut no_files) {
        Ok(policy) => {
            let again = ResolvedPolicy::from_json(policy.to_json()).expect("what was written is read");
            assert_eq!(again.id(), policy.id());
            let _ = (policy.statement_text(), policy.epochs());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = ResolvedPolicy::from_json(text);
});
