//! Every verb explains itself with an example.

mod common;

use common::Folder;

fn help(verb: &str) -> String {
    let text = Folder::new().succeed(&format!("{verb} --help"));
    assert!(text.contains("Examples:\n"), "{verb}");
    assert!(text.lines().all(|line| line.trim() != "\\"), "{verb}: an example is too long for its line");
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

#[test]
fn trajectory() {
    for step in ["evaluate", "perturb", "estimate", "map"] {
        insta::assert_snapshot!(format!("trajectory_{step}"), help(&format!("trajectory {step}")));
    }
    insta::assert_snapshot!("trajectory", help("trajectory"));
}

#[test]
fn classifier() {
    for step in ["quantify", "region", "advise"] {
        insta::assert_snapshot!(format!("classifier_{step}"), help(&format!("classifier {step}")));
    }
    insta::assert_snapshot!("classifier", help("classifier"));
}

#[test]
fn vectors() {
    for verb in ["vector", "vector perturb", "vector evaluate"] {
        insta::assert_snapshot!(verb.replace(' ', "_"), help(verb));
    }
    for verb in ["reshape", "reshape fit", "reshape apply", "reshape evaluate"] {
        insta::assert_snapshot!(verb.replace(' ', "_"), help(verb));
    }
}

#[test]
fn collecting() {
    for verb in ["policy", "policy check", "policy show", "policy budget", "serve"] {
        insta::assert_snapshot!(verb.replace(' ', "_"), help(verb));
    }
    for verb in ["collect", "collect create", "collect submit", "collect results"] {
        insta::assert_snapshot!(verb.replace(' ', "_"), help(verb));
    }
}

snapshots!(
    mechanisms, describe, error, audit, advise, optimize, perturb, estimate, simulate, bench, reproduce, demo
);
