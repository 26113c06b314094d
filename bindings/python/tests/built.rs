//! The tests of this crate are Python's. This one makes `cargo test` build the library that they import, beside everything else.

#![allow(clippy::unwrap_used)]

/// What Python calls when the library is imported.
const ENTRY: &[u8] = b"PyInit__privet";

#[test]
fn the_library_can_be_imported() {
    let program = std::env::current_exe().unwrap();
    let library = program.parent().unwrap().join("lib_privet.so");
    let bytes = std::fs::read(&library).unwrap();
    assert!(bytes.windows(ENTRY.len()).any(|window| window == ENTRY), "{}", library.display());
}
