//! Mistakes that must not compile.

#![allow(missing_docs)]

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
