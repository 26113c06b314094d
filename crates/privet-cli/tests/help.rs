//! Every verb explains itself with an example.

mod common;

use common::Folder;

fn help(verb: &str) -> String {
    let text = Folder::new().succeed(&format!("{verb} --help"));
    assert!(text.contains("Examples:\n"), "{verb}");
    text
}

macro_rules! snapshots {
    ($($verb:ident),*) => {$(
        #[test]
        fn $verb() {
            insta::assert_snapshot!(help(stringify!($verb)));
        }
    )*};
}

snapshots!(mechanisms, describe, error, audit, advise, optimize, perturb, estimate, simulate, bench, demo);
